"""Cases in processes of their own: a fork of a process that has imported everything runs a few
cases, under limits.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import resource
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.fuzz.judge import judge, sandbox

SECONDS = 10
"""A case that computes longer hangs; other work on the machine does not count."""
_WAIT = 300.0
"""A case that takes longer hangs too, even if it only waits."""
MEGABYTES = 1024.0
"""Memory that a case may take beside what the imports take [MiB]."""

_NOT_IMPORTED = ("bridge.mujoco_plugin", "bridge.pytest_plugin")
"""Modules that run or change something when they are imported."""

Case = tuple[str, int]
"""A kind and a number."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one case.

    Attributes:
        kind: The kind of the case.
        number: Its seed.
        outcome: ``loaded``, ``refused`` (an error of ours), ``kept`` (an output folder after an
            interruption); or a failure: ``exception``, ``crash``, ``hang``, ``memory``, ``outside``
            (a file was touched or left outside the output).
        detail: The exception or the signal.
        seconds: Processor time that it took.
        megabytes: Memory that its process had taken by its end, beside the imports.
    """

    kind: str
    number: int
    outcome: str
    detail: str
    seconds: float
    megabytes: float

    @property
    def failed(self) -> bool:
        """Whether the outcome is a failure."""
        return self.outcome not in {"loaded", "refused", "kept"}

    def to_json(self) -> str:
        """Return the result as one line of JSON."""
        return json.dumps(asdict(self))


def import_everything() -> None:
    """Import what the cases use, so that each fork starts ready and shares the memory of the
    imports.
    """
    import gc
    import pkgutil

    import collada  # noqa: F401
    import mujoco  # noqa: F401
    import pybullet  # noqa: F401
    import trimesh  # noqa: F401
    import yaml  # noqa: F401
    from PIL import Image

    import bridge
    import loaders

    for package in (loaders, bridge):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.startswith(_NOT_IMPORTED):
                importlib.import_module(module.name)
    Image.init()
    gc.collect()
    gc.freeze()


def run_cases(cases: Sequence[Case], *, seconds: int = SECONDS) -> list[Result]:
    """Run cases one after the other in forks of this process; the first failure ends a fork.

    A case that fails after others in the same process is run alone to tell whether it needs them.

    Args:
        cases: The cases.
        seconds: Limit of the processor time of one case.
    """
    results: list[Result] = []
    while len(results) < len(cases):
        rest = cases[len(results) :]
        found = list(_run_fork(rest, seconds))
        if found[-1].failed and len(found) > 1:
            (alone,) = _run_fork([rest[len(found) - 1]], seconds)
            found[-1] = alone if alone.failed or found[-1].outcome == "memory" else found[-1]
        results += found
    return results


def _run_fork(cases: Sequence[Case], seconds: int) -> Iterator[Result]:
    """Yield the results of a fork, the last of which may be a failure that ended it."""
    place = Path(tempfile.mkdtemp(prefix="fuzz-"))
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _child(cases, place, writer, seconds)
    os.close(writer)
    try:
        yield from _results(cases, child, reader)
    finally:
        os.close(reader)
        shutil.rmtree(place, ignore_errors=True)


def _results(cases: Sequence[Case], child: int, reader: int) -> Iterator[Result]:
    # without a buffer, in which a second line would be one that `select` does not see
    with os.fdopen(reader, "rb", buffering=0, closefd=False) as lines:
        for case in cases:
            start = time.monotonic()
            ready, _, _ = select.select([reader], [], [], _WAIT)
            line = lines.readline() if ready else b""
            if not line:
                if not ready:
                    os.kill(child, signal.SIGKILL)
                end = _reap(child)
                outcome = "hang" if not ready or end == "SIGXCPU" else "crash"
                yield Result(*case, outcome, end, round(time.monotonic() - start, 3), 0.0)
                return
            result = Result(*case, *json.loads(line))
            yield result
            if result.failed:
                break
    os.kill(child, signal.SIGKILL)
    _reap(child)


def _reap(child: int) -> str:
    """Wait for a child and return how it ended."""
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit {os.waitstatus_to_exitcode(status)}"


def _child(cases: Sequence[Case], place: Path, writer: int, seconds: int) -> None:
    """Run the cases, write a line about each, and wait to be killed, without any clean-up of the
    parent's.
    """
    try:
        sandbox(place)
        own = _megabytes()
        for case in cases:
            start = time.process_time()
            resource.setrlimit(
                resource.RLIMIT_CPU, (math.ceil(start) + seconds, resource.RLIM_INFINITY)
            )
            outcome, detail = judge(*case, place)
            took, memory = (
                round(time.process_time() - start, 3),
                round(max(0.0, _megabytes() - own), 1),
            )
            if memory > MEGABYTES and outcome in {"loaded", "refused", "kept"}:
                outcome, detail = "memory", f"{memory:.0f} MiB"
            os.write(writer, (json.dumps([outcome, detail, took, memory]) + "\n").encode())
        signal.pause()
    finally:
        os._exit(70)


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
