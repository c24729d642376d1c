"""Controllers without gain, efforts that are too much for the time step, and inertias that are made possible."""

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.mjcf import to_mjcf
from bridge.mjcf.inertia import repaired
from loaders.model import WORLD, Joint, JointAxis, JointType, Link, Model, Physics, Scene
from loaders.spatial import IDENTITY, SpatialInertia, frozen, quaternion_to_matrix, rotation_about
from tests.bridge.mujoco_oracle import compiled, quietly

FREQUENCY = 30.0
"""What the docs promise of a position controller [rad/s]."""


def flywheel(inertia, *, time_step=0.001, **axis):
    """A wheel on a hinge to the world, without gravity."""
    body = SpatialInertia.of(1.0, I_Lcm=inertia * np.eye(3))
    joint = Joint(
        name="j",
        type=JointType.REVOLUTE,
        parent=WORLD,
        child="wheel",
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
        axes=(JointAxis(xyz=frozen((0.0, 0.0, 1.0)), **axis),),
    )
    return Scene(
        name="m",
        models=(Model(name="m", X_WM=IDENTITY, canonical_link="wheel"),),
        links=(Link(name="wheel", model="m", X_WL=IDENTITY, inertia=body),),
        joints=(joint,),
        gravity=frozen((0.0, 0.0, 0.0)),
        physics=Physics(time_step=time_step),
    )


def moved(mjcf, control, seconds):
    """Position and velocity of the first joint after a constant control."""
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    data.ctrl[:] = control
    quietly(lambda: [mujoco.mj_step(model, data) for _ in range(round(seconds / model.opt.timestep))])
    return data.qpos[0], data.qvel[0]


@pytest.mark.parametrize("inertia", [1e-5, 1e-2, 10.0])
def test_a_position_controller_without_gain_moves_every_inertia_alike(inertia):
    scene = flywheel(inertia, time_step=1e-4, lower=-2.0, upper=2.0, effort=1e9)
    position, _ = moved(to_mjcf(scene, actuators="position"), 1.0, 0.1)
    expected = 1.0 - (1.0 + FREQUENCY * 0.1) * math.exp(-FREQUENCY * 0.1)  # critically damped
    assert position == pytest.approx(expected, abs=5e-3)


@pytest.mark.parametrize("inertia", [1e-5, 1e-2, 10.0])
def test_a_velocity_controller_without_gain_moves_every_inertia_alike(inertia):
    scene = flywheel(inertia, time_step=1e-4, effort=1e9, velocity=3.0)
    _, velocity = moved(to_mjcf(scene, actuators="velocity"), 1.0, 0.02)
    assert velocity == pytest.approx(1.0 - math.exp(-2.0 * FREQUENCY * 0.02), abs=5e-3)


@pytest.mark.parametrize("time_step", [0.001, 0.1])
def test_a_controller_without_gain_settles_at_any_time_step(time_step):
    scene = flywheel(1e-4, time_step=time_step, lower=-2.0, upper=2.0, effort=1e9)
    position, velocity = moved(to_mjcf(scene, actuators="position"), 1.0, 20.0)
    assert (position, velocity) == (pytest.approx(1.0, abs=1e-3), pytest.approx(0.0, abs=1e-3))


@pytest.mark.parametrize("bound", [1e10, 1e12, math.inf])
def test_limits_that_are_none_bound_no_controller(bound):
    model = compiled(to_mjcf(flywheel(1.0, lower=-bound, upper=bound, effort=1.0), actuators="position"))
    assert not model.actuator_ctrllimited[0]


@pytest.mark.parametrize(
    ("effort", "stops", "light"),
    [(0.1, math.inf, False), (100.0, math.inf, True), (100.0, 1.0, True), (100.0, 1e-6, False)],
)
def test_effort_that_turns_a_joint_too_far_in_one_step_is_reported_with_its_figures(effort, stops, light):
    mjcf = to_mjcf(flywheel(1e-3, lower=-stops, upper=stops, effort=effort))
    found = [entry for entry in mjcf.diagnostics if entry.code == "mjcf.light-joint"]
    assert bool(found) == light
    if light:
        speed = min(effort / 1e-3 * 0.05, math.sqrt(2.0 * effort / 1e-3 * 2.0 * stops))
        assert f"joint j, {effort:g} N m on the 0.001 kg m^2" in found[0].message
        assert f"by {speed * 1e-3:.2g} rad in each time step" in found[0].message


# --- inertia that no body can have -----------------------------------------------------------------------------------


@given(st.tuples(*[st.floats(1e-3, 1.0)] * 3), st.floats(-3.0, 3.0))
def test_a_repaired_inertia_is_possible_near_and_the_one_that_is_written(moments, angle):
    R = rotation_about(np.array((1.0, 2.0, 2.0)) / 3.0, angle)
    inertia = SpatialInertia.of(1.0, I_Lcm=R @ np.diag(moments) @ R.T)
    mended = repaired(inertia)
    a, b, c = sorted(moments)
    least = max(c - a - b, 0.0) / math.sqrt(3.0)  # distance from the half space A + B >= C
    assert not mended.defects()
    assert np.linalg.norm(mended.I_Lcm - inertia.I_Lcm) == pytest.approx(least, abs=1e-12)
    scene = flywheel(1.0)
    wrong = replace(scene, links=(replace(scene.links[0], inertia=inertia),))
    model = compiled(to_mjcf(wrong, inertia="repair"))
    W = quaternion_to_matrix(model.body_iquat[1])
    assert np.allclose(W @ np.diag(model.body_inertia[1]) @ W.T, mended.I_Lcm, atol=1e-12)
