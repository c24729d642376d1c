"""Measure what remains after loading and removing a robot repeatedly, compared with PyBullet's
``loadURDF``.

    python benchmarks/load_and_remove.py [COUNT [ROBOT ...]]

Each method runs in a separate process. Printed are the growth of the resident memory per round
after `WARM_UP` rounds, and the remaining temporary files, bodies and constraints. PyBullet itself
caches the files and meshes that it reads.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pybullet
import pybullet_data

import bridge
import loaders
from bridge.stdout_capture import capture_stdout

ROBOTS = (
    "cartpole.urdf",
    "r2d2.urdf",
    "quadruped/minitaur.urdf",
    "franka_panda/panda.urdf",
    "kuka_iiwa/model.urdf",
)
WARM_UP = {"cartpole.urdf": 2000}
"""Rounds before memory is measured, by robot; 200 for all others. Small growth is visible only
after many rounds.
"""


def resident() -> int:
    """Return the resident memory of this process [bytes]; Linux only."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def once(path: Path, scene: loaders.Scene | None) -> None:
    if scene is None:
        with capture_stdout([]):
            pybullet.removeBody(pybullet.loadURDF(str(path)))
    else:
        bridge.load_into_pybullet(scene).remove()


def measure(path: Path, method: str, count: int) -> str:
    """Measure one method.

    Args:
        path: The robot.
        method: ``loadURDF`` or ``here``.
        count: Number of rounds.

    Returns:
        A line of growth [KiB per round], files, bodies and constraints.
    """
    scene = loaders.load(path) if method == "here" else None
    pybullet.connect(pybullet.DIRECT)
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        for _ in range(WARM_UP.get(path.name, 200)):
            once(path, scene)
        start = resident()
        for _ in range(count):
            once(path, scene)
        growth = (resident() - start) / count / 1024
        remaining = len(list(Path(folder).iterdir()))
        tempfile.tempdir = None
    return (
        f"{growth:8.1f} {remaining:6} {pybullet.getNumBodies():6} {pybullet.getNumConstraints():6}"
    )


def main(count: int, robots: Sequence[str]) -> None:
    print(f"{'robot':28} {'method':9} {'KiB/round':>9} {'files':>6} {'bodies':>6} {'constr.':>6}")
    for name in robots:
        path = Path(pybullet_data.getDataPath()) / name
        for method in ("loadURDF", "here"):
            command = [sys.executable, __file__, "--one", str(path), method, str(count)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            print(f"{name:28} {method:9} {done.stdout.splitlines()[-1]}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(measure(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, sys.argv[2:] or ROBOTS)
