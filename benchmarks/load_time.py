"""Measure the time of each stage from a file to a simulator, for several robots.

    python benchmarks/load_time.py [ROUNDS]

Prints medians in milliseconds. The first round, which fills the cache of meshes, is not counted.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pybullet
import pybullet_data

import bridge
import loaders

ASSETS = Path(__file__).parents[1] / "assets"
ROBOTS = Path(pybullet_data.getDataPath())
FILES = (
    ASSETS / "arm" / "model.sdf",
    ROBOTS / "kuka_iiwa" / "model.sdf",
    ROBOTS / "franka_panda" / "panda.urdf",
    ROBOTS / "a1" / "a1.urdf",
    ROBOTS / "quadruped" / "minitaur.urdf",
)


def milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - start)


def stages(path: Path) -> tuple[float, ...]:
    """Return the times of reading, lowering, compiling with MuJoCo, and loading into PyBullet [ms]."""
    scene = loaders.load(path)
    mechanism = bridge.lower(scene)
    client = pybullet.connect(pybullet.DIRECT)
    times = (
        milliseconds(lambda: loaders.load(path)),
        milliseconds(lambda: bridge.lower(scene)),
        milliseconds(lambda: bridge.to_mjspec(mechanism).compile()),
        milliseconds(lambda: bridge.load_into_pybullet(mechanism, physicsClientId=client)),
    )
    pybullet.disconnect(client)
    return times


def main(rounds: int) -> None:
    print(f"{'file':28} {'read':>8} {'lower':>8} {'mujoco':>8} {'pybullet':>8}   [ms]")
    for path in FILES:
        stages(path)
        medians = map(statistics.median, zip(*(stages(path) for _ in range(rounds)), strict=True))
        name = f"{path.parent.name}/{path.name}"
        print(f"{name:28} " + " ".join(f"{median:8.2f}" for median in medians))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
