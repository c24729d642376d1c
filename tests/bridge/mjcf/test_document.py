"""The document of a mechanism: simulator options, bodies and diagnostics."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

import loaders
from bridge.targets.mjcf import to_mjcf
from bridge.targets.numbers import round_to_short
from loaders.diagnostics import Fate
from loaders.model import Collision, Physics, Plane
from loaders.pose import IDENTITY, frozen
from tests.support.mjcf_scenes import codes, cone_scene, link, scene_of
from tests.support.mujoco_oracle import compiled


def test_the_rounding_of_a_sum_is_not_written():
    assert (
        round_to_short(0.1 + 0.2),
        round_to_short(math.sin(math.pi)),
        round_to_short(1 / 3),
    ) == (0.3, 0.0, 1 / 3)


def test_gravity_and_time_step_are_the_scenes():
    scene = scene_of(link("a"), gravity=frozen((0.1, 0.2, -1.6)), physics=Physics(time_step=0.004))
    model = compiled(to_mjcf(scene))
    assert (tuple(model.opt.gravity), model.opt.timestep) == ((0.1, 0.2, -1.6), 0.004)


@pytest.mark.parametrize("step", [0.0, -1.0])
def test_an_invalid_time_step_becomes_the_default_and_is_reported(step):
    mjcf = to_mjcf(scene_of(link("a"), physics=Physics(time_step=step)))
    assert compiled(mjcf).opt.timestep == 0.001
    assert "mjcf.time-step" in codes(mjcf)


def test_the_cone_of_friction_is_elliptic_and_an_mjcf_source_keeps_its_own():
    elliptic, pyramidal = mujoco.mjtCone.mjCONE_ELLIPTIC, mujoco.mjtCone.mjCONE_PYRAMIDAL
    assert compiled(to_mjcf(scene_of(link("a")))).opt.cone == elliptic
    for option, cone in (
        ("", pyramidal),
        ('<option cone="pyramidal"/>', pyramidal),
        ('<option cone="elliptic"/>', elliptic),
    ):
        source = (
            f"<mujoco>{option}<worldbody><body><freejoint/><geom "
            f"size='.1'/></body></worldbody></mujoco>"
        )
        assert compiled(to_mjcf(loaders.load_string(source, format="mjcf"))).opt.cone == cone


def test_a_link_without_gravity_floats():
    model = compiled(to_mjcf(scene_of(link("a", gravity=False))))
    data = mujoco.MjData(model)
    for _ in range(100):
        mujoco.mj_step(model, data)
    assert np.abs(data.qvel).max() <= 1e-12


def test_a_link_named_world_is_the_world():
    ground = link(
        "world", model="ground", collisions=(Collision(name="g", X_LG=IDENTITY, geometry=Plane()),)
    )
    model = compiled(to_mjcf(scene_of(ground, link("a"))))
    assert (model.nbody, model.geom("g").bodyid[0]) == (2, 0)


def test_every_finding_names_its_target():
    mjcf = to_mjcf(cone_scene())
    assert {entry.target for entry in mjcf.diagnostics} == {"mjcf"}
    assert {entry.fate for entry in mjcf.diagnostics} == {Fate.DROPPED, Fate.APPROXIMATED}
