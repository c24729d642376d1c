"""Real models, with their meshes: each becomes an MJCF that compiles, moves and touches as the
model does.
"""

import os
from pathlib import Path

import mujoco
import numpy as np
import pytest

import loaders
from bridge import lower
from bridge.targets.mjcf import to_mjcf
from tests.support.mujoco_oracle import Running, can_touch, compiled, quietly

CORPUS = Path(os.environ.get("SDFBRIDGE_CORPUS", Path(__file__).parents[4] / "shared" / "corpus"))
MODELS = sorted((CORPUS / "gazebo_models").glob("*/model.sdf"))
WITHOUT_SHAPES = {
    "mjcf.welded-contact",
    "mjcf.empty-shape",
    "mjcf.moving-plane",
    "mjcf.heightmap",
    "mjcf.no-shape",
}
"""Findings about shapes that have no geom to touch with."""
ABSENT = "sdf.include-not-found"
UNSTABLE = {"breakable_test"}
"""Models that MuJoCo cannot simulate: a hundred cubes that turn about their centers and touch each
other. MuJoCo takes their inverse mass in translation, which is zero, for the compliance of
contacts, and its solver fails.
"""


def loaded(path):
    try:
        return loaders.load(path, paths=[CORPUS / "gazebo_models"])
    except loaders.LoadError as error:
        if ABSENT not in {entry.code for entry in error.diagnostics}:
            raise
        pytest.skip("includes a model that is not in the corpus")


def drawn(mechanism, rng):
    """Random positions, free links in random poses."""
    q = {}
    for body in mechanism.bodies:
        kinds = [primitive.kind for primitive in body.primitives]
        if kinds:
            size = {"free": 7, "ball": 4}.get(kinds[0], len(body.reflected_inertia))
            q[body.joint] = rng.uniform(-1.0, 1.0, size)
    return q


@pytest.mark.skipif(not MODELS, reason="the corpus is not here")
@pytest.mark.filterwarnings("ignore:the matrix subclass")  # of pycollada's
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.parent.name)
def test_a_real_model_runs_in_mujoco_as_it_is(path):
    mechanism = lower(loaded(path))
    mjcf = to_mjcf(mechanism, actuators="motor")
    model = compiled(mjcf)
    running, rng = Running(model, mechanism), np.random.default_rng(0)
    for q in ({}, drawn(mechanism, rng)):
        expected = mechanism.link_poses(q)
        assert all(
            X_WL.is_close(expected[name], 1e-9) for name, X_WL in running.set(q).poses().items()
        )
        M = mechanism.mass_matrix(q)
        assert np.abs(running.mass_matrix() - M).max(initial=0.0) <= 1e-9 * np.abs(M).max(
            initial=0.0
        )
    if not WITHOUT_SHAPES & {entry.code for entry in mjcf.diagnostics}:
        assert can_touch(model) == mechanism.collidable_pairs()
    if path.parent.name not in UNSTABLE:
        quietly(lambda: shaken(model, rng))


def shaken(model, rng):
    """A tenth of a second under random controls."""
    data = mujoco.MjData(model)
    while data.time < 0.1:
        data.ctrl[:] = rng.uniform(-1.0, 1.0, model.nu)
        mujoco.mj_step(model, data)
