"""Links that only turn about their center of mass are named where they touch, because MuJoCo's
solver fails there.
"""

import mujoco
import numpy as np
import pytest

from bridge import to_mjcf
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Box
from loaders.pose import Pose
from tests.bridge.mjcf.geom.test_contact_parameters import codes
from tests.support.mujoco_oracle import compiled
from tests.support.scenes import joint, link, scene

CODE = "mjcf.pivoted-contact"


def wall(*, apart=0.05, com=0.0):
    """Nine cubes of 5 cm, each on a hinge to the world through its center."""
    inertia = SpatialInertia.of(0.3375, (com, 0.0, 0.0), 1.4e-4 * np.eye(3))
    cubes = [link(f"l{k}", inertia=inertia, shape=Box(size=(0.05, 0.05, 0.05))) for k in range(9)]
    places = [Pose.of(p=(apart * (k // 3), 0.0, apart * (k % 3))) for k in range(9)]
    return scene(cubes, [joint(f"j{k}", WORLD, f"l{k}", X_PJ=X) for k, X in enumerate(places)])


def fastest(model):
    """The largest speed in 0.2 s after a start at 1e-4 rad/s."""
    data, speeds = mujoco.MjData(model), []
    data.qvel[:] = 1e-4 * np.random.default_rng(0).normal(size=model.nv)
    for _ in range(200):
        mujoco.mj_step(model, data)
        speeds.append(np.abs(data.qvel).max())
    return max(speeds)


def test_cubes_that_turn_about_their_centers_and_touch_are_named_with_what_keeps_them_at_rest():
    mjcf = to_mjcf(wall())
    (entry,) = (entry for entry in mjcf.diagnostics if entry.code == CODE)
    assert set(entry.subjects) == {f"l{k}" for k in range(9)}
    assert fastest(compiled(mjcf)) > 1.0
    by_solver, by_mass = compiled(mjcf), compiled(mjcf)
    by_solver.opt.solver = mujoco.mjtSolver.mjSOL_PGS
    by_mass.body_invweight0[1:, 0] = 1.0 / by_mass.body_mass[1:]
    assert fastest(by_solver) < 1e-3
    assert fastest(by_mass) < 1e-3


@pytest.mark.parametrize("model", [{"apart": 0.2}, {"com": 0.01}])
def test_cubes_that_are_apart_or_whose_centers_move_are_not_named(model):
    mjcf = to_mjcf(wall(**model))
    assert CODE not in codes(mjcf)
