"""Compliant joint limits push back with the stiffness of the source."""

from __future__ import annotations

import dataclasses
import math

import mujoco
import pytest

from bridge.targets.mjcf import to_mjcf
from loaders.model import JointType
from loaders.pose import frozen
from tests.support.mjcf_scenes import codes, one_joint, z_axis
from tests.support.mujoco_oracle import compiled


@pytest.mark.parametrize("stiffness", [50.0, 2000.0])
def test_a_soft_stop_has_the_stiffness_of_the_source(stiffness):
    """At rest against the stop, the penetration is weight over stiffness."""
    axis = z_axis(lower=-1.0, upper=0.0, limit_stiffness=stiffness, limit_dissipation=20.0)
    scene = one_joint(axis, kind=JointType.PRISMATIC)
    mjcf = to_mjcf(dataclasses.replace(scene, gravity=frozen((0.0, 0.0, 5.0))))
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    for _ in range(5000):
        mujoco.mj_step(model, data)
    assert data.qpos[0] == pytest.approx(2.0 * 5.0 / stiffness, rel=1e-6)
    assert "mjcf.yielding-stops" in codes(mjcf.diagnostics)


def test_a_mass_that_hits_a_soft_stop_leaves_it_after_half_a_period():
    axis = z_axis(lower=-10.0, upper=0.0, limit_stiffness=200.0, limit_dissipation=0.0)
    scene = one_joint(axis, kind=JointType.PRISMATIC)
    model = compiled(to_mjcf(dataclasses.replace(scene, gravity=frozen((0.0, 0.0, 0.0)))))
    data = mujoco.MjData(model)
    data.qvel[0] = 1.0
    mujoco.mj_step(model, data)
    while data.qpos[0] > 0.0:
        mujoco.mj_step(model, data)
    assert data.time == pytest.approx(math.pi * math.sqrt(2.0 / 200.0), rel=0.01)
    assert data.qvel[0] == pytest.approx(-1.0, rel=0.01)


def test_a_stop_too_stiff_for_the_time_step_is_as_hard_as_possible_and_is_reported():
    mjcf = to_mjcf(
        one_joint(z_axis(lower=-1.0, upper=1.0, limit_stiffness=1e8, limit_dissipation=1.0))
    )
    assert "solreflimit" not in mjcf.partition("<worldbody>")[2]
    assert "mjcf.rigid-stops" in codes(mjcf.diagnostics)
