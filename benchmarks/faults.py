"""Measure the sensitivity of the comparison: plant eight faults, one at a time, in one engine's model of twenty robots.

python benchmarks/faults.py [--seeds N] [--motion N] [WORD ...]

Every fault must be found, and the first difference must name its link or joint. Without a fault no difference may be
found, for any seed. The exit status is 1 otherwise.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import numpy as np  # noqa: E402

from tests.support.faults import FAULTS, TWENTY, false_alarm, twenty, verdict_on  # noqa: E402

ENGINES = ("mujoco", "pybullet")


def main(seeds: int, motions: int, words: Sequence[str]) -> int:
    """Print the table and return the number of problems."""
    begin, wrong = time.perf_counter(), []
    robots = {name: scene for name, scene in twenty().items() if not words or any(word in name for word in words)}
    counts = dict.fromkeys(FAULTS, 0)
    print(f"{'robot':75}  " + "  ".join(f"{name[:12]:12}" for name in FAULTS) + "  false alarms")
    for name, scene in robots.items():
        cells = []
        for fault, plant in FAULTS.items():
            problems = [_planted(scene, plant, TWENTY.index(name), engine) for engine in ENGINES]
            counts[fault] += sum(not problem for problem in problems)
            wrong += [f"{name}, {fault}: {problem}" for problem in problems if problem]
            cells.append("found" if not any(problems) else "MISSED")
        alarms = [false_alarm(scene, seed) for seed in range(seeds)]
        alarms += [false_alarm(scene, seed, ("L2",)) for seed in range(motions)]
        wrong += [f"{name}, no fault: {alarm}" for alarm in alarms if alarm]
        row = "  ".join(f"{cell:12}" for cell in cells)
        print(f"{name:75}  {row}  {sum(map(bool, alarms))} of {len(alarms)}", flush=True)
    print("\n".join(wrong))
    total = len(ENGINES) * len(robots)
    print("\n".join(f"{fault}: {count} of {total} found and named" for fault, count in counts.items()))
    print(f"{len(robots)} robots, {seeds} seeds at L0 and L1, {motions} at L2, {time.perf_counter() - begin:.0f} s")
    return len(wrong)


def _planted(scene, plant, seed: int, engine: str) -> str:
    changed, names = plant(scene, np.random.default_rng(seed))
    return verdict_on(scene, changed, engine, names)


@contextlib.contextmanager
def _silence():
    """Suppress what PyBullet prints."""
    kept, sink = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="without a fault, at L0 and L1")
    parser.add_argument("--motion", type=int, default=2, help="without a fault, at L2")
    parser.add_argument("words", nargs="*", metavar="WORD", help="robots with one of these in their name; all if none")
    options = parser.parse_args()
    with _silence():
        missed = main(options.seeds, options.motion, options.words)
    sys.exit(min(missed, 1))
