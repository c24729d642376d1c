"""The MJCF of a model moves as the model does: poses, masses, mass matrix, bias forces, passive forces."""

import dataclasses
import math

import mujoco
import numpy as np
import pytest

from bridge import lower
from bridge.mechanism.target_names import primitive_names
from bridge.mjcf import to_mjcf, to_mjspec
from loaders.diagnostics import ExportError, Fate, Where
from loaders.model import (
    WORLD,
    Actuator,
    Arc,
    BallConstraint,
    Box,
    Collision,
    Coupling,
    Curve,
    Joint,
    JointAxis,
    JointType,
    Link,
    Model,
)
from loaders.scene import Scene
from loaders.spatial import IDENTITY, Pose, SpatialInertia, frozen
from tests.support.mujoco_oracle import Running, compiled, quietly

TYPES = (
    JointType.REVOLUTE,
    JointType.CONTINUOUS,
    JointType.PRISMATIC,
    JointType.UNIVERSAL,
    JointType.REVOLUTE2,
    JointType.PLANAR,
    JointType.BALL,
    JointType.SCREW,
    JointType.FIXED,
)
FREEDOMS = {JointType.UNIVERSAL: 2, JointType.REVOLUTE2: 2, JointType.PLANAR: 3, JointType.BALL: 0, JointType.FIXED: 0}


def pose(rng):
    return Pose.from_vector([*rng.normal(size=3), *rng.normal(size=4)])


def solid(rng):
    A = rng.normal(size=(3, 3))
    spread = A @ A.T
    return SpatialInertia.of(rng.uniform(0.5, 3.0), rng.normal(size=3), np.trace(spread) * np.eye(3) - spread)


def axes(kind, rng):
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0].T
    return tuple(JointAxis(xyz=frozen(xyz)) for xyz in R[: FREEDOMS.get(kind, 1)])


def random_tree(seed, kinds=TYPES, size=9, backwards=True):
    """A random tree that floats or stands, some of its joints pointing towards the root."""
    rng = np.random.default_rng(seed)
    links = [Link(name="l0", model="m", X_WL=pose(rng), inertia=solid(rng))]
    joints = []
    if rng.random() < 0.5:
        X_CJ = pose(rng)
        joints.append(
            Joint(name="j0", type=JointType.FIXED, parent=WORLD, child="l0", X_PJ=links[0].X_WL @ X_CJ, X_CJ=X_CJ)
        )
    for i in range(1, size):
        above = links[int(rng.integers(0, i))]
        kind = kinds[int(rng.integers(len(kinds)))]
        X_PJ, X_CJ = pose(rng), pose(rng)
        ends = {"parent": above.name, "child": f"l{i}", "X_PJ": X_PJ, "X_CJ": X_CJ}
        if backwards and rng.random() < 0.3:
            ends = {"parent": f"l{i}", "child": above.name, "X_PJ": X_CJ, "X_CJ": X_PJ}
        links.append(Link(name=f"l{i}", model="m", X_WL=above.X_WL @ X_PJ @ X_CJ.inverse(), inertia=solid(rng)))
        joints.append(Joint(name=f"j{i}", type=kind, axes=axes(kind, rng), pitch=0.3, **ends))
    model = Model(name="m", X_WM=IDENTITY, canonical_link="l0")
    return Scene(name="m", models=(model,), links=tuple(links), joints=tuple(joints))


def random_q(mechanism, rng):
    q = {}
    for body in mechanism.bodies:
        kinds = {primitive.kind for primitive in body.primitives}
        if "free" in kinds:
            q[body.joint] = [*rng.normal(size=3), *rng.normal(size=4)]
        elif "ball" in kinds:
            q[body.joint] = rng.normal(size=4)
        elif kinds:
            q[body.joint] = rng.uniform(-2.0, 2.0, len(body.reflected_inertia))
    return q


@pytest.mark.parametrize("seed", range(12))
def test_links_stand_where_the_model_has_them(seed):
    mechanism = lower(random_tree(seed))
    running = Running(compiled(to_mjcf(mechanism)), mechanism)
    rng = np.random.default_rng(seed)
    for q in ({}, random_q(mechanism, rng), random_q(mechanism, rng)):
        expected = mechanism.link_poses(q)
        for name, X_WL in running.set(q).poses().items():
            assert X_WL.is_close(expected[name], 1e-12), name


@pytest.mark.parametrize("seed", range(12))
def test_the_mass_matrix_projected_on_the_models_freedoms_is_the_models(seed):
    mechanism = lower(random_tree(seed))
    running = Running(compiled(to_mjcf(mechanism)), mechanism)
    q = random_q(mechanism, np.random.default_rng(seed))
    expected = mechanism.mass_matrix(q)
    assert np.abs(running.set(q).mass_matrix() - expected).max() <= 1e-12 * np.abs(expected).max()


SCALAR = tuple(kind for kind in TYPES if kind is not JointType.BALL)


@pytest.mark.parametrize("seed", range(12))
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
        [np.atleast_1d(v.get(b.joint, np.zeros(len(b.reflected_inertia)))) for b in mechanism.bodies]
    )
    expected = mechanism.bias_forces(q, v)
    found = running.set(q, vector).bias_forces()
    assert np.abs(found - expected).max() <= 1e-10 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("seed", range(4))
def test_every_mass_and_inertia_is_the_models(seed):
    scene = random_tree(seed)
    model = compiled(to_mjcf(scene))
    for link in scene.links:
        body = model.body(link.name)
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, body.iquat)
        R = R.reshape(3, 3)
        assert body.mass[0] == link.inertia.mass
        assert np.array_equal(body.ipos, link.inertia.p_LLcm)
        error = R @ np.diag(body.inertia) @ R.T - link.inertia.I_Lcm
        assert np.abs(error).max() <= 1e-14 * np.trace(link.inertia.I_Lcm)


# --- one joint -------------------------------------------------------------------------------------------------------


def one_joint(axis=None, kind=JointType.REVOLUTE, inertia=None, **joint):
    base = Link(name="base", model="m", X_WL=IDENTITY, inertia=SpatialInertia.of(1.0, I_Lcm=np.eye(3)))
    inertia = inertia or SpatialInertia.of(2.0, (0.1, 0.2, 0.3), np.diag((0.3, 0.4, 0.5)))
    arm = Link(name="arm", model="m", X_WL=IDENTITY, inertia=inertia, where=Where("arm.sdf", 12))
    hold = Joint(name="hold", type=JointType.FIXED, parent=WORLD, child="base", X_PJ=IDENTITY, X_CJ=IDENTITY)
    axis = axis or JointAxis(xyz=frozen((0.0, 0.0, 1.0)))
    elbow = Joint(
        name="elbow",
        type=kind,
        parent="base",
        child="arm",
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
        axes=(axis,),
        where=Where("arm.sdf", 20),
        **joint,
    )
    model = Model(name="m", X_WM=IDENTITY, canonical_link="base")
    return Scene(name="m", models=(model,), links=(base, arm), joints=(hold, elbow))


def z_axis(**values):
    return JointAxis(xyz=frozen((0.0, 0.0, 1.0)), **values)


def codes(diagnostics):
    return [entry.code for entry in diagnostics]


def test_damping_spring_and_friction_push_as_the_model_says():
    axis = z_axis(damping=0.7, spring_stiffness=3.0, spring_reference=0.2, friction=0.4)
    model = compiled(to_mjcf(one_joint(axis)))
    data = mujoco.MjData(model)
    data.qpos[0], data.qvel[0] = 0.5, 2.0
    mujoco.mj_forward(model, data)
    assert data.qfrc_passive[0] == pytest.approx(-0.7 * 2.0 - 3.0 * 0.3, rel=1e-14)
    assert data.qfrc_constraint[0] == pytest.approx(-0.4, rel=1e-12)


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
    joint = compiled(to_mjcf(one_joint(z_axis(lower=lower_limit, upper=upper_limit)))).joint("elbow")
    assert joint.limited[0]
    assert tuple(joint.range) == expected


@pytest.mark.parametrize("far", [math.inf, 1e12])
def test_a_joint_without_limits_that_it_could_reach_has_none(far):
    assert not compiled(to_mjcf(one_joint(z_axis(lower=-far, upper=far)))).joint("elbow").limited[0]


def test_limits_that_leave_one_position_hold_the_joint_there():
    mjcf = to_mjcf(one_joint(z_axis(lower=0.3, upper=0.3)))
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    data.qpos[0] = 0.3
    for _ in range(1000):
        mujoco.mj_step(model, data)
    assert data.qpos[0] == pytest.approx(0.3, abs=1e-6)
    assert "mjcf.locked-joint" in codes(mjcf.diagnostics)


def test_a_joint_at_its_limit_stays_there():
    model = compiled(to_mjcf(one_joint(JointAxis(xyz=frozen((0, 1, 0)), lower=-0.5, upper=0.5))))
    data = mujoco.MjData(model)
    for _ in range(5000):
        mujoco.mj_step(model, data)
    assert abs(data.qpos[0]) <= 0.5 + 1e-4


@pytest.mark.parametrize("stiffness", [50.0, 2000.0])
def test_a_yielding_stop_pushes_back_as_stiffly_as_the_source_says(stiffness):
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


def test_a_mass_that_hits_a_yielding_stop_leaves_it_after_half_a_period():
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


def test_a_stop_too_stiff_for_the_time_step_is_as_hard_as_it_can_be_and_it_is_said():
    mjcf = to_mjcf(one_joint(z_axis(lower=-1.0, upper=1.0, limit_stiffness=1e8, limit_dissipation=1.0)))
    assert "solreflimit" not in mjcf.partition("<worldbody>")[2]
    assert "mjcf.rigid-stops" in codes(mjcf.diagnostics)


def test_an_effort_limit_holds_for_the_sum_of_actuators():
    model = compiled(to_mjcf(one_joint(z_axis(effort=5.0)), actuators="motor"))
    data = mujoco.MjData(model)
    data.ctrl[0] = 50.0
    mujoco.mj_forward(model, data)
    assert data.qfrc_actuator[0] == 5.0


def test_an_arc_is_a_hinge_whose_forces_are_those_along_the_arc():
    curve = Curve(
        initial_tangent=frozen((1, 0, 0)), plane_normal=frozen((0, 0, 1)), arcs=(Arc(length=1.0, curvature=2.0),)
    )
    scene = one_joint(z_axis(damping=0.8, lower=-0.2, upper=1.0), kind=JointType.CURVILINEAR, curve=curve)
    mechanism = lower(scene)
    mjcf = to_mjcf(mechanism)
    running = Running(compiled(mjcf), mechanism)
    for s in (0.0, 0.4, 0.9):
        expected = mechanism.link_poses({"elbow": s})["arm"]
        assert running.set({"elbow": s}, np.array([0.5])).poses()["arm"].is_close(expected)
        assert (running.S.T @ running.data.qfrc_passive)[0] == pytest.approx(-0.8 * 0.5, rel=1e-14)
        assert running.mass_matrix() == pytest.approx(mechanism.mass_matrix({"elbow": s}), rel=1e-13)
    assert tuple(running.model.joint("elbow").range) == (-0.4, 2.0)
    assert "mjcf.joint-coordinate" in codes(mjcf.diagnostics)


# --- coupled motion --------------------------------------------------------------------------------------------------


def test_a_screw_advances_as_it_turns_within_the_stated_error():
    scene = one_joint(z_axis(), kind=JointType.SCREW, pitch=0.05)
    mjcf = to_mjcf(scene)
    assert "mjcf.screw-soft-constraint" in codes(mjcf.diagnostics)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    worst = 0.0
    for _ in range(2000):
        mujoco.mj_step(model, data)
        worst = max(worst, abs(data.joint("elbow_slide").qpos[0] - 0.05 / math.tau * data.joint("elbow").qpos[0]))
    assert abs(data.joint("elbow").qpos[0]) > 0.5
    assert worst < 1e-6


def test_a_follower_keeps_to_its_leader_within_the_stated_error():
    rng = np.random.default_rng(3)
    scene = random_tree(3, kinds=(JointType.REVOLUTE,), size=4, backwards=False)
    coupling = Coupling(follower="j2", leader="j1", multiplier=-1.5, offset=0.2, where=Where("m.urdf", 7))
    mjcf = to_mjcf(dataclasses.replace(scene, couplings=(coupling,)))
    (found,) = (entry for entry in mjcf.diagnostics if entry.code == "mjcf.coupling-soft-constraint")
    assert (found.fate, found.where) == (Fate.APPROXIMATED, Where("m.urdf", 7))
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    data.joint("j1").qpos[0] = rng.uniform()
    data.joint("j2").qpos[0] = 0.2 - 1.5 * data.joint("j1").qpos[0]
    for _ in range(1000):
        mujoco.mj_step(model, data)
        assert abs(data.joint("j2").qpos[0] - 0.2 + 1.5 * data.joint("j1").qpos[0]) < 2e-6


def four_bar(kind=JointType.REVOLUTE):
    """A parallelogram in the xz plane, standing; the last joint closes the loop."""

    def bar(name, x, z, dx, dz):
        com = (dx / 2, 0.0, dz / 2)
        return Link(
            name=name, model="m", X_WL=Pose.of(p=(x, 0, z)), inertia=SpatialInertia.of(1.0, com, 0.02 * np.eye(3))
        )

    y = (JointAxis(xyz=frozen((0.0, 1.0, 0.0))),)

    def hinge(name, parent, child, p, c, type=JointType.REVOLUTE):
        return Joint(name=name, type=type, parent=parent, child=child, X_PJ=Pose.of(p=p), X_CJ=Pose.of(p=c), axes=y)

    links = (bar("left", 0, 0, 0.3, 0.4), bar("top", 0.3, 0.4, 1, 0), bar("right", 1, 0, 0.3, 0.4))
    joints = (
        hinge("a", WORLD, "left", (0, 0, 0), (0, 0, 0)),
        hinge("b", "left", "top", (0.3, 0, 0.4), (0, 0, 0)),
        hinge("c", WORLD, "right", (1, 0, 0), (0, 0, 0)),
        hinge("d", "top", "right", (1, 0, 0), (0.3, 0, 0.4), kind),
    )
    model = Model(name="m", X_WM=IDENTITY, canonical_link="left")
    return Scene(name="m", models=(model,), links=links, joints=joints)


@pytest.mark.parametrize("kind", [JointType.REVOLUTE, JointType.BALL])
def test_a_loop_stays_closed_within_the_stated_error(kind):
    scene = four_bar(kind)
    mechanism = lower(scene)
    (closure,) = mechanism.closures
    mjcf = to_mjcf(mechanism)
    assert "mjcf.loop-soft-constraint" in codes(mjcf.diagnostics)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    worst, swing, name = 0.0, 0.0, closure.joint.name
    for _ in range(2000):
        mujoco.mj_step(model, data)
        gap = data.site(f"{name}_parent").xpos - data.site(f"{name}_child").xpos
        worst, swing = max(worst, float(np.linalg.norm(gap))), max(swing, abs(data.qpos[0]))
    assert swing > 1.0
    assert worst < 5e-6


@pytest.mark.parametrize(("reach", "stop", "least"), [(1.5, 3.0, 0.5), (1.0, 0.5, 2.0 * math.sin(math.pi / 4 - 0.25))])
def test_points_that_never_meet_are_held_softly_near_each_other_and_it_is_said(reach, stop, least):
    scene = one_joint(z_axis(lower=-stop, upper=stop, damping=0.5))
    held = BallConstraint(link_A="arm", link_B="base", p_AP=frozen((1, 0, 0)), p_BQ=frozen((0, reach, 0)))
    mjcf = to_mjcf(dataclasses.replace(scene, constraints=(held,), gravity=frozen((0, 0, 0))))
    found = [entry.message for entry in mjcf.diagnostics if entry.code == "mjcf.never-closes"]
    assert found[0].endswith(f"{least:.3g} m")
    assert "mjcf.open-at-zero" not in codes(mjcf.diagnostics)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    quietly(lambda: [mujoco.mj_step(model, data) for _ in range(3000)])
    gap = data.site("arm_base_A").xpos - data.site("arm_base_B").xpos
    assert np.linalg.norm(gap) == pytest.approx(least, abs=2e-3)


def test_points_that_meet_away_from_zero_are_pulled_together():
    scene = one_joint(z_axis(lower=-3.0, upper=3.0))
    held = BallConstraint(link_A="arm", link_B="base", p_AP=frozen((1, 0, 0)), p_BQ=frozen((0, 1, 0)))
    mjcf = to_mjcf(dataclasses.replace(scene, constraints=(held,)))
    assert "mjcf.open-at-zero" in codes(mjcf.diagnostics)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    quietly(lambda: [mujoco.mj_step(model, data) for _ in range(1000)])
    assert data.qpos[0] == pytest.approx(math.pi / 2, abs=1e-4)


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


def test_points_that_a_ball_constraint_holds_stay_together():
    rng = np.random.default_rng(0)
    scene = random_tree(1, kinds=(JointType.BALL,), size=4, backwards=False)
    mechanism = lower(scene)
    poses = mechanism.link_poses()
    p_AP = frozen(rng.normal(size=3))
    P = poses["l1"].p + poses["l1"].R @ p_AP
    p_BQ = poses["l3"].R.T @ (P - poses["l3"].p)
    constraint = BallConstraint(link_A="l1", link_B="l3", p_AP=p_AP, p_BQ=frozen(p_BQ))
    model = compiled(to_mjcf(dataclasses.replace(scene, constraints=(constraint,))))
    data = mujoco.MjData(model)
    for _ in range(300):
        mujoco.mj_step(model, data)
    assert np.linalg.norm(data.site("l1_l3_A").xpos - data.site("l1_l3_B").xpos) < 1e-5


# --- inertia ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(50))
def test_flat_bodies_compile_and_keep_their_inertia_to_the_last_digit(seed):
    rng = np.random.default_rng(seed)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    a, b = rng.uniform(0.01, 1.0, 2)
    flat = SpatialInertia.of(1.0, I_Lcm=R @ np.diag((a, b, a + b)) @ R.T)
    body = compiled(to_mjcf(one_joint(inertia=flat))).body("arm")
    assert sorted(body.inertia) == pytest.approx(sorted((a, b, a + b)), rel=1e-13)


def test_a_diagonal_inertia_is_written_as_it_stands():
    flat = SpatialInertia.of(1.0, I_Lcm=np.diag((0.7, 0.1, 0.75)))
    assert 'diaginertia="0.7 0.1 0.75"' in to_mjcf(one_joint(inertia=flat))


IMPOSSIBLE = SpatialInertia.of(1.0, I_Lcm=np.diag((1.0, 1.0, 3.0)))


def test_an_inertia_that_no_body_has_is_refused_by_name_and_place():
    with pytest.raises(ExportError, match=r"arm\.sdf:12: error: .*link arm .*inertia=\"repair\"") as caught:
        to_mjcf(one_joint(inertia=IMPOSSIBLE))
    assert codes(caught.value.diagnostics) == ["mjcf.impossible-inertia"]


def test_a_repaired_inertia_is_the_nearest_and_says_so():
    mjcf = to_mjcf(one_joint(inertia=IMPOSSIBLE), inertia="repair")
    a, b, c = compiled(mjcf).body("arm").inertia
    assert (a, b, c) == pytest.approx((4 / 3, 4 / 3, 8 / 3))
    (entry,) = (e for e in mjcf.diagnostics if e.fate is Fate.REPAIRED)
    assert "1, 1, 3 kg m^2" in entry.message


def test_links_without_mass_that_move_get_the_least_that_compiles_and_it_is_said():
    scene = one_joint()
    bare = dataclasses.replace(scene.links[1], inertia=None)
    mjcf = to_mjcf(dataclasses.replace(scene, links=(scene.links[0], bare)))
    assert compiled(mjcf).body("arm").mass[0] == 1e-14
    (entry,) = (e for e in mjcf.diagnostics if e.code == "mjcf.massless-link")
    assert (entry.fate, entry.where) == (Fate.ASSUMED, Where("arm.sdf", 12))


def test_a_link_without_mass_that_carries_a_welded_mass_stays_without():
    scene = one_joint()
    tool = Link(name="tool", model="m", X_WL=IDENTITY, inertia=scene.links[1].inertia)
    weld = Joint(name="weld", type=JointType.FIXED, parent="arm", child="tool", X_PJ=IDENTITY, X_CJ=IDENTITY)
    bare = dataclasses.replace(scene.links[1], inertia=None)
    scene = dataclasses.replace(scene, links=(scene.links[0], bare, tool), joints=(*scene.joints, weld))
    mjcf = to_mjcf(scene)
    assert compiled(mjcf).body("arm").mass[0] == 0.0
    assert "mjcf.massless-link" not in codes(mjcf.diagnostics)


@pytest.mark.parametrize("mass", [None, 3.0])
def test_an_inertia_from_geometry_is_that_of_the_shapes(mass):
    """A box of water, or of the link's mass; moments of a box in closed form."""
    given = None if mass is None else SpatialInertia.of(mass, I_Lcm=np.diag((1.0, 1.0, 9.0)))
    scene = one_joint()
    box = Collision(name="c", X_LG=Pose.of(p=(1, 2, 3)), geometry=Box(size=(0.1, 0.2, 0.3)))
    boxed = dataclasses.replace(scene.links[1], inertia=given, collisions=(box,))
    mjcf = to_mjcf(dataclasses.replace(scene, links=(scene.links[0], boxed)), inertia="from_geometry")
    body, m = compiled(mjcf).body("arm"), mass or 6.0
    assert body.mass[0] == pytest.approx(m)
    assert body.ipos == pytest.approx((1, 2, 3))
    assert body.inertia == pytest.approx((m * 0.13 / 12, m * 0.10 / 12, m * 0.05 / 12))
    assert "mjcf.inertia-from-geometry" in codes(mjcf.diagnostics)


def test_a_link_without_inertia_is_an_error_where_that_is_asked_for():
    scene = one_joint()
    bare = dataclasses.replace(scene.links[1], inertia=None)
    with pytest.raises(ExportError, match="link arm has no inertia"):
        to_mjcf(dataclasses.replace(scene, links=(scene.links[0], bare)), inertia="error")


# --- trees that XML cannot hold --------------------------------------------------------------------------------------


def chain(length):
    links = [Link(name="l0", model="m", X_WL=IDENTITY, inertia=SpatialInertia.of(1.0, I_Lcm=np.eye(3)))]
    joints = []
    for i in range(1, length):
        X_PJ = Pose.of(p=(0.0, 0.0, 0.1))
        X_WL = Pose.of(p=(0.0, 0.0, 0.1 * i))
        links.append(Link(name=f"l{i}", model="m", X_WL=X_WL, inertia=SpatialInertia.of(1.0, I_Lcm=np.eye(3))))
        joints.append(
            Joint(
                name=f"j{i}",
                type=JointType.REVOLUTE,
                parent=f"l{i - 1}",
                child=f"l{i}",
                X_PJ=X_PJ,
                X_CJ=IDENTITY,
                axes=(JointAxis(xyz=frozen((1.0, 0.0, 0.0)), lower=-1.0, upper=1.0, damping=0.1),),
            )
        )
    model = Model(name="m", X_WM=IDENTITY, canonical_link="l0")
    return Scene(name="m", models=(model,), links=tuple(links), joints=tuple(joints))


def test_a_chain_of_490_links_is_the_longest_that_xml_holds():
    assert compiled(to_mjcf(chain(490))).nbody == 491
    with pytest.raises(ExportError, match=r"nested 491 bodies deep.*to_mjspec") as caught:
        to_mjcf(chain(491))
    assert codes(caught.value.diagnostics) == ["mjcf.too-deep"]


def test_a_deeper_chain_is_built_without_xml():
    scene = chain(1000)
    model = to_mjspec(scene).compile()
    assert (model.nbody, model.nv) == (1001, 999 + 6)
    last = model.joint("j999")
    assert (last.damping[0], tuple(last.range), tuple(last.axis)) == (0.1, (-1.0, 1.0), (1.0, 0.0, 0.0))
    assert tuple(last.solimp if hasattr(last, "solimp") else model.jnt_solimp[-1])[:2] == (0.9999, 0.9999)


def test_both_ways_to_build_give_the_same_model():
    scene = random_tree(5, size=6)
    by_text, by_spec = compiled(to_mjcf(scene)), to_mjspec(scene).compile()
    for name in ("body_pos", "body_quat", "body_inertia", "body_iquat", "jnt_axis", "jnt_pos", "qpos0", "dof_damping"):
        assert np.array_equal(getattr(by_text, name), getattr(by_spec, name)), name


@pytest.mark.parametrize("seed", range(6))
def test_joints_stand_in_qpos_in_the_order_of_the_mechanism(seed):
    mechanism = lower(random_tree(seed, size=15))
    model = compiled(to_mjcf(mechanism))
    expected = [name for body in mechanism.bodies for name in primitive_names(body)]
    assert [model.joint(i).name for i in range(model.njnt)] == expected
