"""Compare robots in MJX, MuJoCo Warp or Newton, and write the table of docs/engines.md.

Each line of RESULTS is one robot in one engine, examined in a process of its own; robots that have
a line are left out, so that a run continues where another one ended:

    python -m benchmarks.accelerated --engine warp RESULTS FILE...
    python -m benchmarks.accelerated --write RESULTS
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
TABLE = ROOT / "docs" / "data" / "engines.csv"
FIELDS = (
    "robot",
    "engine",
    "degrees of freedom",
    "passed",
    "within rounding",
    "failed",
    "cause",
    "seconds",
    "MiB",
)


def main() -> None:
    """Compare the robots that have no result yet, or write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--engine", default="warp")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one robot")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        warnings.simplefilter("ignore")
        print(json.dumps(_examined(options.results, options.engine, options.seed)))
        return
    entries = _read(options.results)
    if options.write:
        with TABLE.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(sorted(entries, key=lambda entry: (entry["engine"], entry["robot"])))
        return
    known = {(entry["robot"], entry["engine"]) for entry in entries}
    for path in options.files:
        if (name_of(path), options.engine) not in known:
            entry = _in_process(path, options)
            with options.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")


def _in_process(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return the result of one robot from another process, so that its memory is its own."""
    words = [__file__, path, "--one", "--engine", options.engine, "--seed", options.seed]
    command = [sys.executable, *map(str, words)]
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=options.limit, check=False
        )
        entry: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        cause = f"not finished in {options.limit:.0f} s"
    except (IndexError, ValueError):
        cause = f"the process ended with {run.returncode}"
    else:
        return entry
    return dict.fromkeys(FIELDS, "") | {
        "robot": name_of(path), "engine": options.engine, "cause": cause
    }  # fmt: skip


def name_of(path: Path) -> str:
    """Return the last three parts of a path."""
    return "/".join(path.parts[-3:])


def _read(results: Path) -> list[dict[str, Any]]:
    return (
        [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    )


def _examined(path: Path, engine: str, seed: int) -> dict[str, Any]:
    """Return the result of one robot at L0, L1 and one step."""
    from bridge.lowering.transform import mechanism_of
    from bridge.parity import Outcome, compare
    from bridge.parity.engine import factory_of
    from bridge.parity.motion.step import step_rows
    from bridge.parity.reference import ReferenceEngine

    start, rows, cause, size = time.monotonic(), [], "", 0
    try:
        mechanism = mechanism_of(path)
        size = len(mechanism.v_order)
        result = compare(
            mechanism, engines=(engine,), levels=("L0", "L1"), configurations=8, seed=seed
        )
        rows = list(result.rows)
        factories = [("reference", ReferenceEngine), (engine, factory_of(engine))]
        refused = next((row.cause for row in rows if row.quantity == "reading"), "")
        rows += [] if refused else list(step_rows(mechanism, factories, seed))
        failing = [row for row in rows if row.outcome is Outcome.FAILED]
        undecided = [
            row.quantity for row in rows if row.outcome is Outcome.UNKNOWN and row.known_cause
        ]
        cause = refused or "; ".join(
            f"{row.quantity} {row.error:.1e}: {row.cause}" for row in failing
        )
        cause = cause or "".join(f"rounding is not bounded in {name}" for name in undecided[:1])
    except Exception as error:  # noqa: BLE001 - the table names what a robot provokes
        cause = f"{type(error).__name__}: {str(error).splitlines()[0][:160]}"
    counts = Counter(row.outcome for row in rows)
    values = (
        name_of(path), engine, size, counts[Outcome.PASSED], counts[Outcome.EXPLAINED],
        counts[Outcome.FAILED], cause[:300], round(time.monotonic() - start, 1),
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    )  # fmt: skip
    return dict(zip(FIELDS, values, strict=True))


if __name__ == "__main__":
    main()
