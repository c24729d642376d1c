"""Robots that people have, falling and swinging for a second without contact: PyBullet against
MuJoCo.
"""

import math
import runpy
from pathlib import Path

import pytest

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")
TRAJECTORIES = runpy.run_path(str(Path(__file__).parents[4] / "benchmarks" / "trajectories.py"))
bare, difference, slope, steps = (
    TRAJECTORIES[name] for name in ("bare", "difference", "slope", "STEPS")
)


@pytest.mark.parametrize("name", ["kuka_iiwa/model.urdf", "franka_panda/panda.urdf", "a1/a1.urdf"])
def test_robots_on_a_fixed_base_move_as_in_mujoco(pybullet_robots, name):
    assert difference(bare(pybullet_robots / name, fixed=True), steps[0]) <= 1e-9


@pytest.mark.parametrize("name", ["laikago/laikago_toes.urdf", "a1/a1.urdf"])
def test_robots_on_a_floating_base_come_nearer_to_mujoco_in_first_order_of_the_step(
    pybullet_robots, name
):
    mechanism = bare(pybullet_robots / name, fixed=False)
    differences = [difference(mechanism, step) for step in steps]
    assert differences[0] <= 1e-4
    assert slope(differences) == pytest.approx(1.0, abs=0.02)


def test_a_floating_base_whose_origin_is_its_center_of_mass_moves_as_in_mujoco(pybullet_robots):
    differences = [difference(bare(pybullet_robots / "r2d2.urdf", fixed=False), steps[0])]
    assert max(differences) <= 1e-9
    assert math.isnan(slope(differences))
