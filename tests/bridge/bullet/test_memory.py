"""What loading and removing again and again leaves behind, in a separate process: no file, no body,
no constraint.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
ROUNDS = 200
ROUNDING = 3.0
"""How much the growth differs from run to run [KiB a round]."""


def measured(path, way):
    """Growth of the memory [KiB a round], files, bodies and constraints that are left."""
    command = [
        sys.executable,
        str(ROOT / "benchmarks" / "load_and_remove.py"),
        "--one",
        str(path),
        way,
        str(ROUNDS),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr
    growth, *left = done.stdout.splitlines()[-1].split()
    return float(growth), [int(count) for count in left]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
@pytest.mark.parametrize("name", ["cartpole.urdf", "r2d2.urdf"])
def test_loading_and_removing_leaves_no_more_behind_than_pybullet_itself(pybullet_robots, name):
    own, _ = measured(pybullet_robots / name, "loadURDF")
    growth, left = measured(pybullet_robots / name, "here")
    assert left == [0, 0, 0]
    assert growth <= own + ROUNDING


def test_couplings_and_loops_go_with_the_body(assets):
    _, left = measured(assets / "arm" / "model.sdf", "here")
    assert left == [0, 0, 0]
