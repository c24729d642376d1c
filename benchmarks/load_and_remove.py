"""Measure what remains after loading and removing a robot repeatedly, compared with PyBullet's
``loadURDF``.

    python benchmarks/load_and_remove.py [COUNT [ROBOT ...]]

Each method runs in a separate process. Printed are the growth per round of the memory that the C
library has given out, after `WARM_UP` rounds, and the remaining temporary files, bodies and
constraints. All memory of Python is taken from the C library, which counts it to the byte, so that
few rounds are enough. PyBullet itself caches the files and meshes that it reads. Linux with glibc
2.33 or later.
"""

from __future__ import annotations

import ctypes
import gc
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
WARM_UP = 20
"""Rounds before memory is measured."""


class _Memory(ctypes.Structure):
    """Reply of ``mallinfo2`` of the C library [bytes]."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def in_use() -> int:
    """Return the memory that the C library has given out and not got back [bytes]."""
    library = ctypes.CDLL(None)
    library.mallinfo2.restype = _Memory
    gc.collect()
    found = library.mallinfo2()
    return int(found.uordblks + found.hblkhd)


def in_process(path: Path, method: str, count: int) -> str:
    """Return the line of `measure`, from a process whose memory is all counted.

    Args:
        path: The robot.
        method: ``loadURDF`` or ``here``.
        count: Number of rounds.
    """
    command = [sys.executable, __file__, "--one", str(path), method, str(count)]
    environment = os.environ | {"PYTHONMALLOC": "malloc", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=600, env=environment
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.splitlines()[-1]


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
        for _ in range(WARM_UP):
            once(path, scene)
        start = in_use()
        for _ in range(count):
            once(path, scene)
        growth = (in_use() - start) / count / 1024
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
            print(f"{name:28} {method:9} {in_process(path, method, count)}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(measure(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 100, sys.argv[2:] or ROBOTS)
