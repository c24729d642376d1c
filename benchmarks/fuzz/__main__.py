"""Run fuzzing: ``python -m benchmarks.fuzz --cases 20000 --out out/fuzz``; a second call resumes
the first.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from pathlib import Path

from benchmarks.fuzz.cases import KINDS
from benchmarks.fuzz.judge import OUTPUT
from benchmarks.fuzz.process import Case, Result, import_everything, run_cases

_ALL = (*KINDS, OUTPUT)
_TOGETHER = 16
"""Number of cases that one process runs."""


def main(words: list[str] | None = None) -> int:
    """Run the cases that are not done yet; the exit status is 1 if any case failed."""
    options = _parser().parse_args(words)
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    record = out / "results.jsonl"
    known = _read(record)
    kinds = [kind for kind in _ALL if not options.kind or kind in options.kind]
    pending = [case for case in _cases(kinds, options.cases, options.seed) if case not in known]
    start = time.monotonic()
    with record.open("a", encoding="utf-8") as stream:
        for done, result in enumerate(_run(pending, options.jobs), 1):
            stream.write(result.to_json() + "\n")
            stream.flush()
            known[result.kind, result.number] = result
            if result.failed:
                print(
                    f"{result.kind} {result.number}: {result.outcome}\n{result.detail}",
                    file=sys.stderr,
                )
            if done % 500 == 0:
                print(
                    f"{done} of {len(pending)} cases, {time.monotonic() - start:.0f} s",
                    file=sys.stderr,
                )
    failures = [result for result in known.values() if result.failed]
    print(_table(list(known.values())))
    return 1 if failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument(
        "--cases", type=int, default=1000, help="number of cases over all kinds (default: 1000)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="number of the first case of each kind (default: 0)"
    )
    parser.add_argument(
        "--kind", action="append", choices=list(_ALL), help="only this kind; may be repeated"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    parser.add_argument(
        "--out", default="out/fuzz", help="folder of the record (default: out/fuzz)"
    )
    return parser


def _cases(kinds: list[str], count: int, seed: int) -> list[Case]:
    cases = ((kind, number) for number in itertools.count(seed) for kind in kinds)
    return list(itertools.islice(cases, count))


def _read(record: Path) -> dict[Case, Result]:
    """The results of earlier runs; a line that was cut off by a kill is left out."""
    known = {}
    for line in record.read_text(encoding="utf-8").splitlines() if record.exists() else ():
        try:
            result = Result(**json.loads(line))
        except ValueError:
            continue
        known[result.kind, result.number] = result
    return known


def _run(pending: list[Case], jobs: int) -> Iterator[Result]:
    """Yield results as they come; each worker forks processes for the cases that it is given."""
    queue = iter([pending[i : i + _TOGETHER] for i in range(0, len(pending), _TOGETHER)])
    with ProcessPoolExecutor(jobs, initializer=import_everything) as pool:
        running = {pool.submit(run_cases, cases) for cases in itertools.islice(queue, 2 * jobs)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield from future.result()
                running |= {pool.submit(run_cases, cases) for cases in itertools.islice(queue, 1)}


def _table(results: list[Result]) -> str:
    """The outcomes by kind, as a Markdown table."""
    outcomes = ("loaded", "refused", "kept", "exception", "crash", "hang", "memory", "outside")
    lines = [f"| kind | cases | {' | '.join(outcomes)} | slowest [s] | most memory [MiB] |"]
    lines.append("|---" * (len(outcomes) + 4) + "|")
    for kind in dict.fromkeys(result.kind for result in results):
        mine = [result for result in results if result.kind == kind]
        counts = Counter(result.outcome for result in mine)
        cells = [kind, len(mine), *(counts[outcome] for outcome in outcomes)]
        cells += [max(result.seconds for result in mine), max(result.megabytes for result in mine)]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
