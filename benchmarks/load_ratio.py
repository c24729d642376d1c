"""From a scene to PyBullet, with the meshes' cache warm, against PyBullet's own ``loadURDF`` of the same files.

    python benchmarks/load_ratio.py [ROUNDS]

Alternately in one run, each load in a fresh physics server; medians in milliseconds. ``cold`` is with an empty cache.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pybullet
import pybullet_data

import bridge
import loaders
from bridge.bullet.console import captured

ROBOTS = (
    "kuka_iiwa/model.urdf",
    "franka_panda/panda.urdf",
    "xarm/xarm6_robot.urdf",
    "r2d2.urdf",
    "a1/a1.urdf",
    "laikago/laikago_toes.urdf",
    "mini_cheetah/mini_cheetah.urdf",
    "quadruped/minitaur.urdf",
    "racecar/racecar.urdf",
)


def milliseconds(load: Callable[[int], object]) -> float:
    """Of one load into a physics server of its own."""
    client = pybullet.connect(pybullet.DIRECT)
    start = time.perf_counter()
    load(client)
    taken = time.perf_counter() - start
    pybullet.disconnect(client)
    return 1e3 * taken


def bulletly(path: Path, client: int) -> None:
    with captured([]):
        pybullet.loadURDF(str(path), physicsClientId=client)


def main(rounds: int) -> None:
    ratios = []
    print(f"{'robot':32} {'loadURDF':>9} {'here':>9} {'ratio':>6} {'cold':>9}")
    for name in ROBOTS:
        path = Path(pybullet_data.getDataPath()) / name
        scene = loaders.load(path)
        cold = milliseconds(lambda c, s=scene: bridge.load_into_pybullet(s, physicsClientId=c))
        own, ours = [], []
        for _ in range(rounds):
            own.append(milliseconds(lambda c, p=path: bulletly(p, c)))
            ours.append(milliseconds(lambda c, s=scene: bridge.load_into_pybullet(s, physicsClientId=c)))
        theirs, here = statistics.median(own), statistics.median(ours)
        ratios.append(here / theirs)
        print(f"{name:32} {theirs:9.2f} {here:9.2f} {ratios[-1]:6.2f} {cold:9.2f}")
    print(f"median of the ratios: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SDFBRIDGE_CACHE"] = folder
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
