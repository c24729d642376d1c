"""Measure the sensitivity of the comparison: plant faults in running engines, one at a time, in
twenty robots.

python benchmarks/faults.py [--seeds N] [--motion-seeds N] [--switches] [--folder FOLDER] [WORD ...]

A fault changes the compiled MuJoCo model or the body that runs in PyBullet. The quantity that
claims to show it must differ, and name its link or joint. Without a fault nothing may differ, for
any seed; with ``--motion-seeds`` this is tried with all that `compare` compares at L1 and L2, and
with the first seed at L0. Results go to ``FOLDER/faults.jsonl``; a run that was interrupted
continues where it ended. With ``--switches`` only what governs contacts, stops, constraints and
forces is flipped: a row must differ, or 10,000 steps on a ground must be the same to the last bit.
With ``--table`` the table of the docs is printed; with ``--switches`` it is CSV. The exit status is
1 if a fault is missed or a sound engine is suspected.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import bridge  # noqa: E402
from bridge.lowering.transform import mechanism_of  # noqa: E402
from tests.support.fault_robots import ROBOTS, robot  # noqa: E402
from tests.support.fault_search import (  # noqa: E402
    ENGINES,
    FAULTS,
    NOT_APPLICABLE,
    false_alarms,
    false_alarms_in_motion,
    search,
)
from tests.support.switches import NO_EFFECT, SWITCHES, judged  # noqa: E402

KINDS = tuple(dict.fromkeys(kind for faults in FAULTS.values() for kind in faults))
"""The kinds of faults of both engines."""


def main(
    folder: Path, seeds: int, words: Sequence[str], motion_seeds: int = 0, *, switches: bool = False
) -> int:
    """Run what is not known yet, and return the number of problems."""
    folder.mkdir(parents=True, exist_ok=True)
    results = folder / "faults.jsonl"
    known = _known(results)
    for name, engine, kind in _switch_tasks(words) if switches else _tasks(words, motion_seeds):
        if (name, engine, kind) in known or (mechanism := _mechanism(name)) is None:
            continue
        outcome = _outcome(mechanism, engine, kind, ROBOTS.index(name), seeds)
        known[name, engine, kind] = outcome
        with results.open("a", encoding="utf-8") as file:
            file.write(json.dumps([name, engine, kind, outcome]) + "\n")
        print(f"{name}, {engine}, {kind}: {outcome}", flush=True)
    wrong = [f"{': '.join(key)}: {outcome}" for key, outcome in known.items() if _is_wrong(outcome)]
    print("\n".join(wrong))
    print(f"{len(known)} results, {len(wrong)} problems")
    return len(wrong)


_RIGHT = {"found", NOT_APPLICABLE, "quiet", NO_EFFECT}
_FLIPPED, _SEEN = "switch ", "seen by "
FLIPPED_STEPS = 10_000
"""Number of steps in which a switch that no row sees must change nothing."""


def _is_wrong(outcome: str) -> bool:
    return outcome not in _RIGHT and not outcome.startswith(_SEEN)


def _known(results: Path) -> dict[tuple[str, str, str], str]:
    if not results.exists():
        return {}
    entries = map(json.loads, results.read_text(encoding="utf-8").splitlines())
    return {(name, engine, kind): outcome for name, engine, kind, outcome in entries}


_IN_MOTION = "no fault in all of compare, seed "


def _tasks(words: Sequence[str], motion_seeds: int) -> Iterator[tuple[str, str, str]]:
    """Yield robot, engine and kind of fault: all of a robot, and then each seed of motion for all
    robots.
    """
    robots = [name for name in ROBOTS if not words or any(word in name for word in words)]
    for name in robots:
        yield from ((name, engine, kind) for engine in ENGINES for kind in FAULTS[engine])
        yield name, "both", "no fault"
    yield from (
        (name, "both", f"{_IN_MOTION}{seed}") for seed in range(motion_seeds) for name in robots
    )


def _switch_tasks(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield robot, engine and switch."""
    for name in ROBOTS:
        if not words or any(word in name for word in words):
            for engine, switches in SWITCHES.items():
                yield from ((name, engine, f"{_FLIPPED}{switch}") for switch in switches)


@cache
def _mechanism(name: str) -> bridge.Mechanism | None:
    """Return the mechanism of a robot; None if its package is not installed."""
    scene = robot(name)
    return None if scene is None else mechanism_of(scene)


def _outcome(mechanism: bridge.Mechanism, engine: str, kind: str, seed: int, seeds: int) -> str:
    with _silence():
        if kind.startswith(_FLIPPED):
            seen = judged(mechanism, engine, kind.removeprefix(_FLIPPED), FLIPPED_STEPS)
            return seen if seen == NO_EFFECT or seen.startswith("missed") else f"{_SEEN}{seen}"
        if engine != "both":
            return search(mechanism, engine, kind, seed)
        if kind.startswith(_IN_MOTION):
            alarms = false_alarms_in_motion(mechanism, int(kind.removeprefix(_IN_MOTION)))
        else:
            alarms = false_alarms(mechanism, seeds)
    return "; ".join(alarms[:3]) if alarms else "quiet"


def table(folder: Path) -> str:
    """Return the table of the docs: by kind and engine, in how many robots a fault was planted and
    found.
    """
    known = _known(folder / "faults.jsonl")
    lines = ["| fault | level | quantity | MuJoCo | PyBullet |", "|---|---|---|---|---|"]
    for kind in KINDS:
        fault = next(faults[kind] for faults in FAULTS.values() if kind in faults)
        cells = [_cell(known, engine, kind) for engine in ENGINES]
        lines.append(f"| {kind} | {fault.level} | {fault.quantity} | {' | '.join(cells)} |")
    quiet = Counter(
        outcome
        for (_, engine, kind), outcome in known.items()
        if (engine, kind) == ("both", "no fault")
    )
    lines.append(
        f"| none | L0, L1, one step | all | {quiet['quiet']} of {quiet.total()} robots without a "
        f"difference | |"
    )
    moved = Counter(
        outcome for (_, _, kind), outcome in known.items() if kind.startswith(_IN_MOTION)
    )
    lines.append(
        f"| none | L1, L2; L0 once | all | {moved['quiet']} of {moved.total()} comparisons "
        f"without a difference | |"
    )
    return "\n".join(lines)


def switch_table(folder: Path) -> str:
    """Return CSV: by engine and switch, the row that governs it, and in how many robots a row saw
    it, it had no effect, or it was missed.
    """
    known = _known(folder / "faults.jsonl")
    lines = ["engine,switch,row,robots in which a row differs,robots without effect,missed"]
    for engine, switches in SWITCHES.items():
        for name, switch in switches.items():
            outcomes = [
                o for (_, e, k), o in known.items() if (e, k) == (engine, f"{_FLIPPED}{name}")
            ]
            seen = sum(outcome.startswith(_SEEN) for outcome in outcomes)
            idle = outcomes.count(NO_EFFECT)
            counts = seen, idle, len(outcomes) - seen - idle
            lines.append(",".join((engine, name, switch.row, *map(str, counts))))
    return "\n".join(lines)


def _cell(known: dict[tuple[str, str, str], str], engine: str, kind: str) -> str:
    outcomes = [
        o for (_, e, k), o in known.items() if (e, k) == (engine, kind) and o != NOT_APPLICABLE
    ]
    return f"{outcomes.count('found')} of {len(outcomes)}" if outcomes else ""


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress what PyBullet prints."""
    kept, sink = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(sink)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="without a fault")
    parser.add_argument(
        "--motion-seeds", type=int, default=0, help="without a fault, with all of L1 and L2"
    )
    parser.add_argument("--folder", type=Path, default=Path("/tmp/sdfbridge-faults"))
    parser.add_argument("--switches", action="store_true", help="flip switches alone")
    parser.add_argument("--table", action="store_true", help="print the table of what is known")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="robots with one of these in their name; all if none",
    )
    options = parser.parse_args()
    if options.table:
        print((switch_table if options.switches else table)(options.folder))
        sys.exit(0)
    problems = main(
        options.folder,
        options.seeds,
        options.words,
        options.motion_seeds,
        switches=options.switches,
    )
    sys.exit(min(problems, 1))
