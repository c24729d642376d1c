"""Joints move in MuJoCo as in the mechanism: poses, mass matrix, bias forces, passive forces and
limits.
"""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest

from bridge import lower
from bridge.mechanism.bodies import primitive_names
from bridge.targets.mjcf import to_mjcf
from bridge.targets.mjcf.joint import joint_of_velocity, where_of
from loaders.diagnostics import NOWHERE
from loaders.inertia import SpatialInertia
from loaders.model import Actuator, Arc, Curve, JointAxis, JointType
from loaders.pose import Pose, frozen, rotation_about
from tests.support import stick_slip
from tests.support.mjcf_documents import BALL, read
from tests.support.mjcf_round_trip import compiled as compiled_there_and_back
from tests.support.mjcf_round_trip import differences
from tests.support.mjcf_scenes import (
    SCALAR,
    codes,
    link,
    one_joint,
    random_q,
    random_tree,
    scene_of,
    z_axis,
)
from tests.support.mujoco_oracle import Running, compiled, quietly
from tests.support.seeds import seeds

# Joints move in MuJoCo as in the mechanism: poses, mass matrix, bias forces, passive forces and
# limits.


@pytest.mark.parametrize("seed", seeds(12))
def test_links_stand_where_the_model_has_them(seed):
    mechanism = lower(random_tree(seed))
    running = Running(compiled(to_mjcf(mechanism)), mechanism)
    rng = np.random.default_rng(seed)
    for q in ({}, random_q(mechanism, rng), random_q(mechanism, rng)):
        expected = mechanism.link_poses(q)
        for name, X_WL in running.set(q).poses().items():
            assert X_WL.is_close(expected[name], 1e-12), name


@pytest.mark.parametrize("seed", seeds(12))
def test_the_mass_matrix_projected_on_the_models_freedoms_is_the_models(seed):
    mechanism = lower(random_tree(seed))
    running = Running(compiled(to_mjcf(mechanism)), mechanism)
    q = random_q(mechanism, np.random.default_rng(seed))
    expected = mechanism.mass_matrix(q)
    assert np.abs(running.set(q).mass_matrix() - expected).max() <= 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("seed", seeds(12))
def test_bias_forces_are_the_models(seed):
    scene = random_tree(seed, kinds=SCALAR)
    mechanism = lower(scene)
    running = Running(compiled(to_mjcf(mechanism)), mechanism)
    rng = np.random.default_rng(seed)
    q = random_q(mechanism, rng)
    v = {
        body.joint: rng.uniform(-1, 1, len(body.reflected_inertia))
        for body in mechanism.bodies
        if body.primitives and body.primitives[0].kind != "free"
    }
    vector = np.concatenate(
        [
            np.atleast_1d(v.get(b.joint, np.zeros(len(b.reflected_inertia))))
            for b in mechanism.bodies
        ]
    )
    expected = mechanism.bias_forces(q, v)
    found = running.set(q, vector).bias_forces()
    assert np.abs(found - expected).max() <= 1e-10 * max(1.0, np.abs(expected).max())


def test_damping_spring_and_friction_push_as_the_model_says():
    axis = z_axis(damping=0.7, spring_stiffness=3.0, spring_reference=0.2, friction=0.4)
    model = compiled(to_mjcf(one_joint(axis)))
    data = mujoco.MjData(model)
    data.qpos[0], data.qvel[0] = 0.5, 2.0
    mujoco.mj_forward(model, data)
    assert data.qfrc_passive[0] == pytest.approx(-0.7 * 2.0 - 3.0 * 0.3, rel=1e-14)
    assert data.qfrc_constraint[0] == pytest.approx(-0.4, rel=1e-12)


def test_a_free_joint_has_the_dynamics_of_rotation_and_those_of_translation_are_reported():
    """MuJoCo has one value for all six directions; the moments are those that the model states for
    rotation.
    """
    text = '<body name="a" pos="0 0 1"><joint name="j" type="free"/><geom size="0.1"/></body>'
    scene = read(text)
    (joint,) = scene.joints
    axes = (
        z_axis(damping=5.0, spring_stiffness=7.0, inertia=0.5),
        z_axis(damping=0.7, friction=0.4, inertia=0.2),
    )
    scene = dataclasses.replace(scene, joints=(dataclasses.replace(joint, axes=axes),))
    mjcf = to_mjcf(scene)
    model, plain = compiled(mjcf), compiled(to_mjcf(read(text)))
    data = mujoco.MjData(model)
    data.qvel[3:] = velocity = np.array([0.3, -2.0, 1.0])
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.qfrc_passive[3:], -0.7 * velocity, rtol=1e-14)
    np.testing.assert_allclose(data.qfrc_constraint[3:], -0.4 * np.sign(velocity), rtol=1e-12)
    np.testing.assert_array_equal(model.dof_armature - plain.dof_armature, 0.2)
    reported = {d.arguments["quantity"] for d in mjcf.diagnostics if d.code == "mjcf.free-joint"}
    assert reported == {"damping", "frictionloss", "stiffness", "armature"}


def test_a_rotor_adds_its_inertia_times_the_gear_squared():
    scene = one_joint(z_axis())
    rotor = Actuator(name="motor", joint="elbow", gear_ratio=10.0, rotor_inertia=0.02)
    plain, geared = (lower(s) for s in (scene, dataclasses.replace(scene, actuators=(rotor,))))
    M = [Running(compiled(to_mjcf(m)), m).set({}).mass_matrix()[0, 0] for m in (plain, geared)]
    assert M[1] - M[0] == pytest.approx(2.0, rel=1e-14)


@pytest.mark.parametrize(
    ("lower_limit", "upper_limit", "expected"),
    [
        (-1.0, 2.0, (-1.0, 2.0)),
        (0.5, math.inf, (0.5, 1e10)),
        (-math.inf, 0.5, (-1e10, 0.5)),
    ],
)
def test_limits_hold_also_on_one_side(lower_limit, upper_limit, expected):
    joint = compiled(to_mjcf(one_joint(z_axis(lower=lower_limit, upper=upper_limit)))).joint(
        "elbow"
    )
    assert joint.limited[0]
    assert tuple(joint.range) == expected


@pytest.mark.parametrize("far", [math.inf, 1e12])
def test_a_joint_without_limits_that_it_could_reach_has_none(far):
    assert not compiled(to_mjcf(one_joint(z_axis(lower=-far, upper=far)))).joint("elbow").limited[0]


def test_a_joint_at_its_limit_stays_there():
    model = compiled(to_mjcf(one_joint(JointAxis(xyz=frozen((0, 1, 0)), lower=-0.5, upper=0.5))))
    data = mujoco.MjData(model)
    for _ in range(5000):
        mujoco.mj_step(model, data)
    assert abs(data.qpos[0]) <= 0.5 + 1e-4


def test_an_effort_limit_holds_for_the_sum_of_actuators():
    model = compiled(to_mjcf(one_joint(z_axis(effort=5.0)), actuators="motor"))
    data = mujoco.MjData(model)
    data.ctrl[0] = 50.0
    mujoco.mj_forward(model, data)
    assert data.qfrc_actuator[0] == 5.0


def test_an_arc_is_a_hinge_whose_forces_are_those_along_the_arc():
    curve = Curve(
        initial_tangent=frozen((1, 0, 0)),
        plane_normal=frozen((0, 0, 1)),
        arcs=(Arc(length=1.0, curvature=2.0),),
    )
    scene = one_joint(
        z_axis(damping=0.8, lower=-0.2, upper=1.0), kind=JointType.CURVILINEAR, curve=curve
    )
    mechanism = lower(scene)
    mjcf = to_mjcf(mechanism)
    running = Running(compiled(mjcf), mechanism)
    for s in (0.0, 0.4, 0.9):
        expected = mechanism.link_poses({"elbow": s})["arm"]
        assert running.set({"elbow": s}, np.array([0.5])).poses()["arm"].is_close(expected)
        assert (running.S.T @ running.data.qfrc_passive)[0] == pytest.approx(-0.8 * 0.5, rel=1e-14)
        assert running.mass_matrix() == pytest.approx(
            mechanism.mass_matrix({"elbow": s}), rel=1e-13
        )
    assert tuple(running.model.joint("elbow").range) == (-0.4, 2.0)
    assert "mjcf.joint-coordinate" in codes(mjcf.diagnostics)


@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_a_ball_whose_axes_are_turned_is_reported_and_turns_about_those_of_the_body(angle):
    R = rotation_about((0.0, 0.0, 1.0), angle)
    scene = one_joint(kind=JointType.BALL)
    hold, elbow = scene.joints
    scene = dataclasses.replace(scene, joints=(hold, dataclasses.replace(elbow, X_CJ=Pose.of(R))))
    mjcf = to_mjcf(scene)
    assert ("mjcf.joint-coordinate" in codes(mjcf.diagnostics)) == (angle != 0.0)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    w, v = math.cos(0.3), np.array([math.sin(0.3), 0.0, 0.0])
    data.qpos[:] = [w, *(R @ v)]
    mujoco.mj_kinematics(model, data)
    expected = lower(scene).link_poses({"elbow": (w, *v)})["arm"]
    assert data.body("arm").xmat.reshape(3, 3) == pytest.approx(expected.R, abs=1e-14)


@pytest.mark.parametrize("kind", [JointType.UNIVERSAL, JointType.REVOLUTE2])
def test_a_joint_whose_two_axes_are_one_runs_and_turns_by_the_sum(kind):
    scene = one_joint(kind=kind)
    (hold, elbow) = scene.joints
    twice = dataclasses.replace(elbow, axes=(z_axis(), z_axis()))
    mjcf = to_mjcf(dataclasses.replace(scene, joints=(hold, twice)))
    assert "mjcf.parallel-axes" in codes(mjcf.diagnostics)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    data.qvel[:] = 0.3, 0.4
    quietly(lambda: [mujoco.mj_step(model, data) for _ in range(1000)])
    assert data.body("arm").cvel[2] == pytest.approx(0.7, abs=1e-6)


@pytest.mark.parametrize("seed", seeds(6))
def test_joints_stand_in_qpos_in_the_order_of_the_mechanism(seed):
    mechanism = lower(random_tree(seed, size=15))
    model = compiled(to_mjcf(mechanism))
    expected = [name for body in mechanism.bodies for name in primitive_names(body)]
    assert [model.joint(i).name for i in range(model.njnt)] == expected


def test_dry_friction_converges_to_the_exact_stick_slip_motion():
    errors = [_stick_slip_error(step) for step in (2e-3, 1e-3, 5e-4)]
    assert errors[0] < 6e-3
    assert np.log2(np.divide(errors[:-1], errors[1:])) == pytest.approx([1.0, 1.0], abs=0.05)


def _stick_slip_error(step):
    """The largest error [m] until 0.5 s after the mass sticks; at the end it stands where it
    should.
    """
    model = compiled(to_mjcf(stick_slip.oscillator(step)))
    data = mujoco.MjData(model)
    data.qpos[0] = stick_slip.START
    errors = []
    while data.time < stick_slip.STOP + 0.5:
        mujoco.mj_step(model, data)
        errors.append(abs(data.qpos[0] - stick_slip.position(data.time)))
    assert errors[-1] < 5e-5
    assert abs(data.qvel[0]) < 1e-6
    return max(errors)


def test_a_ball_with_dry_friction_stops_when_it_should():
    """Friction of 0.4 N m brakes 0.4 kg m^2 from 1 rad/s in 1 s, within 0.5 rad."""
    inertia = SpatialInertia.of(1.0, I_Lcm=0.4 * np.eye(3))
    scene = one_joint(z_axis(friction=0.4), JointType.BALL, inertia)
    model = compiled(to_mjcf(dataclasses.replace(scene, gravity=frozen((0.0, 0.0, 0.0)))))
    data = mujoco.MjData(model)
    data.qvel[2] = 1.0
    mujoco.mj_step(model, data, round(1.2 / model.opt.timestep))
    assert np.abs(data.qvel).max() < 1e-9
    assert 2.0 * math.acos(data.qpos[0]) == pytest.approx(0.5, abs=0.5 * model.opt.timestep * 1.1)


def test_each_velocity_of_hinges_and_slides_has_a_joint_in_the_order_of_the_velocities():
    """Behind a universal joint, the slides and the hinge of a planar joint."""
    mechanism = lower(random_tree(0, kinds=(JointType.UNIVERSAL, JointType.PLANAR)))
    found = joint_of_velocity(mechanism)
    for i, body in enumerate(mechanism.bodies):
        for dof in range(body.nv if body.nv in {2, 3} else 0):
            joint = found[body.v_start + dof]
            assert (joint.body, body.primitives[joint.primitive].dof_index) == (i, dof)
    assert len(found) == sum(body.nv for body in mechanism.bodies if body.nv in {2, 3})


# Compliant joint limits push back with the stiffness of the source.


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


# Several joints in a body, there and back.

X, Y, Z = ("1 0 0", "0 1 0", "0 0 1")
BODIES = {
    "three hinges": "".join(
        f'<joint axis="{axis}" pos="0.1 0 0.2" damping="0.1"/>' for axis in (X, Y, Z)
    ),
    "slides and a hinge": (
        f'<joint type="slide" axis="{X}"/><joint type="slide" axis="{Z}"/><joint axis="{Y}"/>'
    ),
    "references": (
        f'<joint axis="{X}" ref="20"/><joint type="slide" axis="{Y}" ref="0.4"/><joint '
        f'axis="{Z}" ref="9"/>'
    ),
    "slide and ball": (
        f'<joint type="slide" axis="{X}"/><joint type="ball" armature="0.1" stiffness="2"/>'
    ),
}


@pytest.mark.parametrize("joints", BODIES.values(), ids=BODIES)
def test_the_joints_of_a_body_stay_in_it(joints: str) -> None:
    child = f'<body pos="0 0 1"><joint axis="{Y}"/>{BALL}</body>'
    body = f'<body name="b" pos="1 2 3" euler="10 20 30">{joints}{BALL}{child}</body>'
    original, exported = compiled_there_and_back(body)
    assert (original.nbody, original.njnt) == (exported.nbody, exported.njnt)
    assert max(differences(body).values()) < 1e-9


def test_dynamics_of_free_and_ball_joints() -> None:
    free = (
        f'<body><joint type="free" damping="1" armature="0.5" stiffness="3" '
        f'frictionloss="0.1"/>{BALL}</body>'
    )
    ball = (
        f'<body pos="1 0 0"><joint type="ball" damping="1" armature="0.5" '
        f'stiffness="3"/>{BALL}</body>'
    )
    assert max(differences(free).values()) < 1e-9
    assert max(differences(ball).values()) < 1e-9


# The place of a body's joint is that of the joint in the source.


def test_a_joint_of_the_source_has_its_place() -> None:
    places = {body.name: where_of(body) for body in lower(one_joint()).bodies}
    assert (places["arm"].file, places["arm"].line) == ("arm.sdf", 20)


def test_a_free_link_has_no_joint_in_the_source() -> None:
    (body,) = lower(scene_of(link("a"))).bodies
    assert where_of(body) == NOWHERE
