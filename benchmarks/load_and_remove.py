"""What loading and removing a robot again and again leaves behind, beside PyBullet's own ``loadURDF``.

    python benchmarks/load_and_remove.py [COUNT]

Each way in a process of its own: growth of the resident memory per round after a tenth of the rounds, files left in the
temporary folder, bodies and constraints left in the server. PyBullet itself keeps what it read of files and meshes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pybullet
import pybullet_data

import bridge
import loaders
from bridge.bullet.console import captured

ROBOTS = ("kuka_iiwa/model.urdf", "cartpole.urdf", "quadruped/minitaur.urdf")


def resident() -> int:
    """This process's memory [bytes]; Linux only."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def once(path: Path, scene: loaders.Scene | None) -> None:
    if scene is None:
        with captured([]):
            pybullet.removeBody(pybullet.loadURDF(str(path)))
    else:
        bridge.load_into_pybullet(scene).remove()


def measure(path: Path, way: str, count: int) -> str:
    """One way, as ``growth files bodies constraints``."""
    scene = loaders.load(path) if way == "here" else None
    pybullet.connect(pybullet.DIRECT)
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        start = 0
        for k in range(count):
            if k == count // 10:
                start = resident()
            once(path, scene)
        growth = (resident() - start) / (count - count // 10) / 1024
        left = len(list(Path(folder).iterdir()))
        tempfile.tempdir = None
    return f"{growth:8.1f} {left:6} {pybullet.getNumBodies():6} {pybullet.getNumConstraints():6}"


def main(count: int) -> None:
    print(f"{'robot':28} {'way':9} {'KiB/round':>9} {'files':>6} {'bodies':>6} {'constr.':>6}")
    for name in ROBOTS:
        path = Path(pybullet_data.getDataPath()) / name
        for way in ("loadURDF", "here"):
            command = [sys.executable, __file__, str(path), way, str(count)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            print(f"{name:28} {way:9} {done.stdout.splitlines()[-1]}")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(measure(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
