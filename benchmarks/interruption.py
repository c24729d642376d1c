"""Interrupt the writers of output folders and files, and examine what is left.

python -m benchmarks.interruption [--kills N] [--batches N] [--seed N] [--out DIR]

Kills at random moments: a process that writes is sent SIGKILL, SIGTERM or SIGINT. Then, with
``strace``, an interruption at each system call on files: each of the signals, and the error of a
full disk. Afterwards the old output or the new one must stand whole, with all files of somebody
else, and the next output must succeed. A second call resumes the first. The exit status is 1 if any
output was lost.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.fuzz.outputs import Scenario, content, judged, prepare, scenario, write
from benchmarks.fuzz.writers import NEW_MASS, OLD_MASS, made
from benchmarks.fuzz.writers import WRITERS as EXPORTERS
from bridge.batches.folder import PREVIOUS, RESULTS, ResultFolder
from bridge.batches.results import BatchOutcome, BatchResult

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
FAULTS = ("SIGKILL", "SIGTERM", "SIGINT", "ENOSPC", "EROFS")
"""What happens at a system call: a signal on entry, or an error in its place."""
CALLS = "%file,%desc"
"""System calls that take a path or a descriptor, in the words of strace."""
REFUSED = "openat,mkdir,write,rename,renameat2,link,linkat,chmod,fchmod"
"""System calls that a full disk refuses, or a file system that has become read-only."""
CHANGES = f"{REFUSED},unlink,unlinkat,rmdir,utimensat,ftruncate"
"""System calls that change a file or folder."""
LARGEST = 5_000_000
"""Size of a file that takes long to write, so that kills at random moments meet it half written."""

_SETTINGS = {"task": "check", "options": {}, "version": "1"}
"""What the batch of a case says about itself."""
FEW_RESULTS, MANY_RESULTS = 5, 200
"""Number of results of a batch that is interrupted at each system call, and at random moments."""
PLACE = "interruption-"
"""Beginning of the name of the folder of a case."""

OLD = {"model.xml": b"old", "assets/a.obj": b"old mesh", "README.md": b"old text"}
NEW = {"model.xml": b"new", "assets/b.obj": b"new mesh", "README.md": b"new text"}
MINE = {"notes.txt": b"mine", "mine/todo.md": b"mine"}
WRITERS = {
    "folder": Scenario("folder", OLD, MINE, NEW, False, 0, 0),
    "new folder": Scenario("folder", None, MINE, NEW, False, 0, 0),
    "forced folder": Scenario(
        "folder", OLD, {f"out/{k}": v for k, v in MINE.items()}, NEW, True, 0, 0
    ),
    "file": Scenario("file", OLD, MINE, NEW, False, 0, 0),
    "document": Scenario("document", OLD, MINE, NEW, False, 0, 0),
    "new document": Scenario("document", None, MINE, NEW, False, 0, 0),
}
"""Outputs that are interrupted at each system call."""


def exports() -> dict[str, Scenario]:
    """Return the exports and conversions, which are interrupted at each system call that changes
    the output.
    """
    return {
        name: Scenario(name, made(name, OLD_MASS), MINE, made(name, NEW_MASS), False, 0, 0)
        for name in EXPORTERS
    }


Outcome = tuple[str, str]
Stop = Callable[[int], None]
Output = Callable[[Stop], Outcome]
"""Writes an output in a process that is stopped; returns what is left."""


def interrupted(case: Scenario, stop: Stop) -> Outcome:
    """Write an output in a process that is stopped on its way; return what is left, as `judged`
    does.

    Args:
        case: The output.
        stop: Called with the number of the process, which waits for SIGUSR1; sends this signal, and
            the fault.
    """
    place = Path(tempfile.mkdtemp(prefix=PLACE))
    try:
        prepare(case, place)
        before = content(place)
        _stopped_child(lambda: write(case, place), stop)
        return judged(case, place, before)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _stopped_child(work: Callable[[], object], stop: Stop) -> None:
    """Do the work in a process that waits for SIGUSR1, and wait for its end."""
    # The child takes SIGINT only where an exception cannot leave `_child`.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGINT])
    child = os.fork()
    if child == 0:
        _child(work)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        stop(child)
    finally:
        os.waitpid(child, 0)


def _child(work: Callable[[], object]) -> None:
    """Do the work; never return, wherever the one SIGINT that may come interrupts this function."""
    try:
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.sigwait([signal.SIGUSR1])
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
            work()
        finally:
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    finally:
        os._exit(0)


# --- at random moments ----------------------------------------------------------------------------


def random_kill(number: int) -> Outcome:
    """Kill a process that writes, at a random moment of the time that this takes.

    Args:
        number: The seed of the output, of the moment and of the signal.
    """
    rng = random.Random(f"kill/{number}")
    case = replace(scenario(number), fault=0)
    case.new["large.bin"] = rng.randbytes(rng.choice((0, 100_000, LARGEST)))
    moment, kind, duration = rng.uniform(0.0, 1.0), rng.choice(SIGNALS), 0.0

    def finish(child: int) -> None:
        nonlocal duration
        start = time.monotonic()
        os.kill(child, signal.SIGUSR1)
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        duration = time.monotonic() - start

    def stop(child: int) -> None:
        os.kill(child, signal.SIGUSR1)
        time.sleep(moment * duration)
        os.kill(child, kind)

    interrupted(case, finish)
    return interrupted(case, stop)


def batch_kill(number: int) -> Outcome:
    """Kill a process that writes the results of a batch over those of an earlier one, at a random
    moment.

    Args:
        number: The seed of the moment.
    """
    moment = random.Random(f"batch/{number}").uniform(0.0, 1.0)
    with tempfile.TemporaryDirectory(prefix=PLACE) as place:
        start = time.monotonic()
        _write_batch(Path(place) / "out", "new", MANY_RESULTS)
        duration = time.monotonic() - start

    def stop(child: int) -> None:
        os.kill(child, signal.SIGUSR1)
        time.sleep(moment * duration)
        os.kill(child, signal.SIGKILL)

    return batch_interrupted(stop, MANY_RESULTS)


def batch_interrupted(stop: Stop, count: int = FEW_RESULTS) -> Outcome:
    """Write the results of a batch over those of an earlier one, in a process that is stopped on
    its way.

    Args:
        stop: See `interrupted`.
        count: Number of results.
    """
    with tempfile.TemporaryDirectory(prefix=PLACE) as place:
        out = Path(place) / "out"
        new = _write_batch(Path(place) / "new", "new", count)
        old = _write_batch(out, "old", count)
        _stopped_child(lambda: _write_batch(out, "new", count), stop)
        left = [(out / name).read_bytes() for name in (RESULTS, PREVIOUS) if (out / name).exists()]
        if _write_batch(out, "new", count) != new or (out / PREVIOUS).exists():
            return "outside", "the next batch is not whole"
        if new in left:
            return "kept", "new"
        return ("kept", "old") if old in left else ("outside", "neither old nor new results")


def _write_batch(folder: Path, detail: str, count: int) -> bytes:
    """Write the results of a batch that does not resume; return them."""
    with ResultFolder(folder, _SETTINGS, resume=False) as results:
        for i in range(count):
            results.add(
                BatchResult(
                    source=f"m{i:03}", task="check", outcome=BatchOutcome.VALID, detail=detail
                )
            )
        results.finish()
    return (folder / RESULTS).read_bytes()


# --- at each system call --------------------------------------------------------------------------


def traced(output: Output, *options: str) -> tuple[Outcome, list[str]]:
    """Write an output under strace; return what is left, and the system calls that were traced.

    Args:
        output: Writes the output.
        options: Options of strace.
    """
    calls: list[str] = []

    def stop(child: int) -> None:
        with tempfile.NamedTemporaryFile("r") as log:
            command = ["strace", "-p", str(child), "-o", log.name, *options]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
                assert tracer.stderr is not None
                attached = tracer.stderr.readline()
                if "attached" not in attached:
                    raise OSError(f"strace cannot attach: {attached.strip()}")
                os.kill(child, signal.SIGUSR1)
                tracer.stderr.read()
            calls.extend(line for line in log if re.match(r"\w+\(", line))

    return output(stop), calls


def each_system_call(name: str, case: Scenario) -> Iterator[tuple[str, Callable[[], Outcome]]]:
    """Yield every interruption of an output: its name, and a function that carries it out.

    Args:
        name: Name of the output.
        case: The output. An export or a document, whose writer also reads much, is interrupted only
            at calls that change the folder of the case: a kill at any other call leaves what a kill
            at the next change leaves.
    """
    kinds = ("SIGKILL", "ENOSPC") if case.writer in EXPORTERS else FAULTS
    only_changes = case.writer in {*EXPORTERS, "document"}
    return _each_fault(name, lambda stop: interrupted(case, stop), kinds, only_changes=only_changes)


def each_system_call_of_a_batch() -> Iterator[tuple[str, Callable[[], Outcome]]]:
    """Yield every interruption of the results of a batch at a system call that changes its
    folder.
    """
    return _each_fault("batch", batch_interrupted, FAULTS, only_changes=True)


def _each_fault(
    name: str, output: Output, kinds: Iterable[str], *, only_changes: bool
) -> Iterator[tuple[str, Callable[[], Outcome]]]:
    for fault in kinds:
        is_error = fault.startswith("E")
        calls = REFUSED if is_error else CHANGES if only_changes else CALLS
        _, lines = traced(output, "-y", "-e", f"trace={calls}")
        names = [line.partition("(")[0] for line in lines]
        for n in (n for n, line in enumerate(lines, 1) if not only_changes or _changes(line)):
            call, count = (
                names[n - 1],
                names[:n].count(names[n - 1]),
            )  # strace counts each system call by itself
            action = f"{'error' if is_error else 'signal'}={fault}"
            options = ("-e", f"trace={calls}", "-e", f"inject={call}:{action}:when={count}")
            yield (
                f"{name}, {fault} at call {n}",
                lambda options=options: traced(output, *options)[0],
            )  # type: ignore[misc]


def _changes(line: str) -> bool:
    """Return whether a system call, in the words of strace, changes the folder of a case."""
    return PLACE in line and (not line.startswith("openat") or "O_CREAT" in line)


# --- the record -----------------------------------------------------------------------------------


def main(words: list[str] | None = None) -> int:
    """Carry out the interruptions that are not recorded yet, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.interruption", description=__doc__)
    parser.add_argument(
        "--kills", type=int, default=1000, help="number of kills at random moments (default: 1000)"
    )
    parser.add_argument(
        "--batches", type=int, default=30, help="number of kills of a batch (default: 30)"
    )
    parser.add_argument("--seed", type=int, default=0, help="number of the first kill (default: 0)")
    parser.add_argument(
        "--out", type=Path, default=Path("out/interruption"), help="folder of the record"
    )
    options = parser.parse_args(words)
    options.out.mkdir(parents=True, exist_ok=True)
    record = options.out / "results.jsonl"
    known = (
        dict(map(json.loads, record.read_text(encoding="utf-8").splitlines()))
        if record.exists()
        else {}
    )
    with record.open("a", encoding="utf-8") as stream:
        for name, carry_out in _interruptions(options):
            if name not in known:
                known[name] = carry_out()
                stream.write(json.dumps([name, known[name]]) + "\n")
                stream.flush()
    failed = {name: outcome for name, outcome in known.items() if outcome[0] != "kept"}
    print(_table(known))
    for name, outcome in failed.items():
        print(f"{name}: {outcome}", file=sys.stderr)
    return 1 if failed else 0


def _interruptions(options: argparse.Namespace) -> Iterator[tuple[str, Callable[[], Outcome]]]:
    for number in range(options.seed, options.seed + options.kills):
        yield f"random moments, kill {number}", lambda number=number: random_kill(number)  # type: ignore[misc]
    for number in range(options.seed, options.seed + options.batches):
        yield (f"results of a batch, kill {number}"), lambda number=number: batch_kill(number)  # type: ignore[misc]
    if shutil.which("strace") is None:
        print("strace is not installed: no interruption at system calls", file=sys.stderr)
        return
    yield from each_system_call_of_a_batch()
    for name, case in (WRITERS | exports()).items():
        yield from each_system_call(name, case)


def _table(known: dict[str, Outcome]) -> str:
    """The outcomes of each kind of interruption, as a Markdown table."""
    kinds: dict[str, Counter[str]] = {}
    for name, (outcome, detail) in known.items():
        kind = re.sub(r",? (kill|at call) \d+$", "", name)
        kinds.setdefault(kind, Counter())[detail if outcome == "kept" else "lost"] += 1
    columns = ("old", "new", "refused", "lost")
    lines = [
        f"| interruption | number | {' | '.join(columns)} |",
        "|---" * (len(columns) + 2) + "|",
    ]
    for kind, counts in kinds.items():
        lines.append(
            f"| {kind} | {counts.total()} | "
            f"{' | '.join(str(counts[column]) for column in columns)} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
