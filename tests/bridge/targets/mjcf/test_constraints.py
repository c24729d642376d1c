"""Couplings, loops, tendons and force elements hold and push as in Drake."""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest

from bridge import lower
from bridge.targets.mjcf import to_mjcf
from loaders.diagnostics import Fate, Where
from loaders.model import BallConstraint, Coupling, DistanceConstraint, JointType, TendonConstraint
from loaders.pose import frozen
from tests.support import drake_elements as physics
from tests.support.drake_elements import Drake, Q, V, read, stacked, tree
from tests.support.drake_in_mujoco import BOTH, ELEMENTS, SDF, STILL, Loaded, worst_gap
from tests.support.mjcf_documents import BALL
from tests.support.mjcf_round_trip import differences
from tests.support.mjcf_scenes import codes, four_bar, one_joint, random_tree, z_axis
from tests.support.mujoco_oracle import compiled, quietly

# Couplings, screws, loops and ball constraints hold within the stated error, and move as in Drake.


def test_limits_that_leave_one_position_hold_the_joint_there():
    mjcf = to_mjcf(one_joint(z_axis(lower=0.3, upper=0.3)))
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    data.qpos[0] = 0.3
    for _ in range(1000):
        mujoco.mj_step(model, data)
    assert data.qpos[0] == pytest.approx(0.3, abs=1e-6)
    assert "mjcf.locked-joint" in codes(mjcf.diagnostics)


def test_a_screw_advances_as_it_turns_within_the_stated_error():
    scene = one_joint(z_axis(), kind=JointType.SCREW, pitch=0.05)
    mjcf = to_mjcf(scene)
    assert "mjcf.screw-soft-constraint" in codes(mjcf.diagnostics)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    worst = 0.0
    for _ in range(2000):
        mujoco.mj_step(model, data)
        worst = max(
            worst,
            abs(data.joint("elbow_slide").qpos[0] - 0.05 / math.tau * data.joint("elbow").qpos[0]),
        )
    assert abs(data.joint("elbow").qpos[0]) > 0.5
    assert worst < 1e-6


def test_a_follower_keeps_to_its_leader_within_the_stated_error():
    rng = np.random.default_rng(3)
    scene = random_tree(3, kinds=(JointType.REVOLUTE,), size=4, backwards=False)
    coupling = Coupling(
        follower="j2", leader="j1", multiplier=-1.5, offset=0.2, where=Where("m.urdf", 7)
    )
    mjcf = to_mjcf(dataclasses.replace(scene, couplings=(coupling,)))
    (found,) = (
        entry for entry in mjcf.diagnostics if entry.code == "mjcf.coupling-soft-constraint"
    )
    assert (found.fate, found.where) == (Fate.APPROXIMATED, Where("m.urdf", 7))
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    data.joint("j1").qpos[0] = rng.uniform()
    data.joint("j2").qpos[0] = 0.2 - 1.5 * data.joint("j1").qpos[0]
    for _ in range(1000):
        mujoco.mj_step(model, data)
        assert abs(data.joint("j2").qpos[0] - 0.2 + 1.5 * data.joint("j1").qpos[0]) < 2e-6


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


@BOTH
def test_links_that_are_pinned_together_move_as_in_drake(form):
    text, scene = read(form, tree(form) + physics.pin(form))
    robot = Loaded(scene, 1e-4).set(STILL, STILL)
    expected = Drake(text, form.form, 1e-4).set(STILL, STILL).run(0.3, robot.mechanism.v_order)
    assert np.abs(expected).max() > 0.5
    assert np.abs(robot.run(0.3) - expected).max() < 5e-6


def test_pinned_points_stay_together_within_the_reported_error():
    robot = Loaded(read(SDF, tree(SDF) + physics.pin(SDF))[1]).set(STILL, STILL)
    p = np.array((0.1, 0.2, -0.1))
    worst, stated = worst_gap(robot, p, p, 0.0), robot.stated("ball-soft-constraint")
    assert stated / 100 < worst < stated


@BOTH
def test_a_follower_moves_with_its_leader_as_in_drake(form):
    text, scene = read(form, physics.joints_in_a_row(form, b=physics.MIMICS[form.form]))
    q, v = {"ja": 0.3, "jb": 0.2 - 0.45}, {"ja": 0.0, "jb": 0.0}
    robot = Loaded(scene, 1e-4).set(q, v)
    expected = Drake(text, form.form, 1e-4).set(q, v).run(0.3, robot.mechanism.v_order)
    assert np.abs(expected - stacked(q, robot.mechanism.v_order)).max() > 0.2
    assert np.abs(robot.run(0.3) - expected).max() < 1e-5


def test_a_follower_follows_its_leader_within_the_reported_error():
    robot = Loaded(read(SDF, physics.joints_in_a_row(SDF, b=physics.MIMICS["sdf"]))[1])
    robot.set({"ja": 0.3, "jb": 0.2 - 0.45}, {"ja": 0.0, "jb": 0.0})
    ja, jb = (robot.data.joint(name) for name in ("ja", "jb"))
    worst = max(abs(jb.qpos[0] + 1.5 * ja.qpos[0] - 0.2) for _ in robot.steps(2.0))
    stated = robot.stated("coupling-soft-constraint")
    assert stated / 100 < worst < stated


@BOTH
def test_a_screw_turns_as_in_drake_and_advances_within_the_reported_error(form):
    text, scene = read(form, physics.screw(form))
    robot = Loaded(scene).set({"ja": 0.0}, {"ja": 1.0})
    slide, turn = robot.data.joint("ja_slide"), robot.data.joint("ja")
    worst = max(abs(slide.qpos[0] - 0.3 / (2 * np.pi) * turn.qpos[0]) for _ in robot.steps(2.0))
    stated = robot.stated("screw-soft-constraint")
    assert stated / 100 < worst < stated
    exact = Drake(text, form.form).set({"ja": 0.0}, {"ja": 1.0})
    fine = Loaded(scene, 1e-4).set({"ja": 0.0}, {"ja": 1.0})
    np.testing.assert_allclose(fine.run(0.3), exact.run(0.3, fine.mechanism.v_order), atol=5e-4)


@BOTH
def test_a_curve_of_one_arc_moves_as_in_drake(form):
    text, scene = read(form, physics.arc(form))
    q, v = {"ja": 0.4}, {"ja": 0.7}
    robot = Loaded(scene).set(q, v)
    drake = Drake(text, form.form).set(q, v)
    order = robot.mechanism.v_order
    np.testing.assert_allclose(robot.passive(), drake.forces(order), rtol=1e-9)
    np.testing.assert_allclose(robot.running.mass_matrix(), drake.mass_matrix(order), rtol=1e-9)
    fine = Loaded(scene, 1e-4).set(q, v)
    np.testing.assert_allclose(fine.run(0.3), drake.run(0.3, order), atol=5e-4)


# Distances and tendons, compliant and rigid, act as in Drake.


@BOTH
def test_a_distance_that_yields_is_the_spring_that_drake_makes_of_it(form):
    """A spring and damper with the same numbers, which Drake computes exactly."""
    numbers = {**physics.POINTS, "free_length": "0.5", "stiffness": "200", "damping": "3"}
    text, _ = read(form, tree(form) + form.element("linear_spring_damper", numbers))
    robot = Loaded(read(form, tree(form) + physics.rod(form))[1]).set(Q, V)
    expected = Drake(text, form.form).set(Q, V).forces(robot.mechanism.v_order)
    np.testing.assert_allclose(robot.passive(), expected, rtol=1e-9, atol=1e-11)


def test_a_distance_that_yields_moves_as_in_drake():
    _, scene = read(SDF, tree(SDF) + physics.rod(SDF))
    robot = Loaded(scene, 1e-4).set(Q, V)
    drake = Drake(SDF.model(tree(SDF)), "sdf", 1e-4, more=physics.add_rod).set(Q, V)
    error = np.abs(robot.run(0.3) - drake.run(0.3, robot.mechanism.v_order)).max()
    assert (
        error < 4e-2
    )  # Drake's solver takes out some of the swing: less with every smaller step of Drake's


@BOTH
@pytest.mark.parametrize(
    ("ja", "rate"), [(0.1, 1.0), (-0.2, 1.0), (0.4, 1.0), (0.4, -1.0), (0.4, -9.0), (-0.9, -1.0)]
)
def test_a_tendon_that_yields_pulls_outside_its_bounds_only(form, ja, rate):
    """``max(0, k x + c x')`` beyond the nearer bound by ``x``; Drake says the same over a very
    short step.
    """
    text, scene = read(form, tree(form) + physics.tendon(form))
    q, v = STILL | {"ja": ja}, STILL | {"ja": rate}
    robot = Loaded(scene)
    with robot.helped():
        robot.set(q, v)
    length = ja + 0.1
    force = max(0.0, 200 * (-0.2 - length) - 3 * rate) * (length < -0.2)
    force -= max(0.0, 200 * (length - 0.3) + 3 * rate) * (length > 0.3)
    expected = np.array([(force, 0.5 * force, 0.0, 0.0)[i] for i in range(4)])
    np.testing.assert_allclose(robot.passive(), expected, rtol=1e-9, atol=1e-11)
    plain, drawn = (Drake(t, form.form, 1e-6).set(q, v) for t in (form.model(tree(form)), text))
    for drake in (plain, drawn):
        drake.simulator.AdvanceTo(1e-6)
    change = drawn.plant.GetVelocities(drawn.context) - plain.plant.GetVelocities(plain.context)
    order = robot.mechanism.v_order
    theirs = drawn.mass_matrix(order) @ change[drawn.order(order)] / 1e-6
    np.testing.assert_allclose(theirs, expected, atol=2e-3 * max(1.0, abs(force)))


@pytest.mark.parametrize("damping", ["0", "3"])
def test_a_tendon_that_yields_moves_as_in_drake(damping):
    text, scene = read(SDF, tree(SDF) + physics.tendon(SDF, damping=damping))
    robot = Loaded(scene, 1e-4).set(Q, V)
    with robot.helped():
        found = robot.run(0.3)
    expected = Drake(text, "sdf", 1e-4).set(Q, V).run(0.3, robot.mechanism.v_order)
    assert np.abs(found - expected).max() < 4e-2  # as above


def test_a_tendon_that_does_not_yield_stops_the_joints_as_in_drake():
    text, scene = read(SDF, tree(SDF) + physics.tendon(SDF, stiffness="inf", damping="0"))
    v = STILL | {"ja": 1.0, "jc": 0.3, "jb": (0.1, 0.2)}
    robot = Loaded(scene, 1e-4).set(STILL, v)
    worst = fastest = 0.0
    for _ in robot.steps(0.3):
        ja, jc = robot.data.joint("ja"), robot.data.joint("jc")
        fastest = max(fastest, abs(ja.qvel[0] + 0.5 * jc.qvel[0]))
        length = ja.qpos[0] + 0.5 * jc.qpos[0] + 0.1
        worst = max(worst, length - 0.3, -0.2 - length)
    expected = Drake(text, "sdf", 1e-4).set(STILL, v).run(0.3, robot.mechanism.v_order)
    assert np.abs(robot.positions() - expected).max() < 2e-4
    assert "two time steps" in robot.diagnostics["mjcf.tendon-soft-constraint"].message
    assert 0.0 < worst < 2.0 * fastest * robot.step


def test_a_rigid_distance_is_kept_within_the_reported_error():
    p_AP, p_BQ = np.array((0.1, 0.2, -0.1)), np.array((-0.2, 0.1, 0.3))
    distance = float(np.linalg.norm(p_AP - p_BQ))
    body = tree(SDF) + physics.rod(SDF, distance=repr(distance), stiffness="inf", damping="0")
    robot = Loaded(read(SDF, body)[1]).set(STILL, STILL | {"jc": 0.5, "ja": 1.0})
    worst, stated = worst_gap(robot, p_AP, p_BQ, distance), robot.stated("distance-soft-constraint")
    assert stated / 100 < worst < stated


def test_a_rigid_distance_moves_as_in_drake():
    p_AP, p_BQ = np.array((0.1, 0.2, -0.1)), np.array((-0.2, 0.1, 0.3))
    distance = float(np.linalg.norm(p_AP - p_BQ))
    body = tree(SDF) + physics.rod(SDF, distance=repr(distance), stiffness="inf", damping="0")

    def more(plant):
        plant.AddDistanceConstraint(
            plant.GetBodyByName("a"), p_AP, plant.GetBodyByName("b"), p_BQ, distance
        )

    v = STILL | {"jc": 0.5, "ja": 1.0}
    robot = Loaded(read(SDF, body)[1], 1e-4).set(STILL, v)
    expected = (
        Drake(SDF.model(tree(SDF)), "sdf", 1e-4, more=more)
        .set(STILL, v)
        .run(0.3, robot.mechanism.v_order)
    )
    assert np.abs(robot.run(0.3) - expected).max() < 2e-4


# Force elements push and move their links as in Drake.


@BOTH
@pytest.mark.parametrize("element", ELEMENTS.values(), ids=ELEMENTS)
def test_a_force_element_pushes_every_joint_as_in_drake(form, element):
    text, scene = read(form, tree(form) + element(form))
    robot = Loaded(scene)
    with robot.helped():
        robot.set(Q, V)
    expected = Drake(text, form.form).set(Q, V).forces(robot.mechanism.v_order)
    assert np.abs(expected).max() > 1.0
    np.testing.assert_allclose(robot.passive(), expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("element", ELEMENTS.values(), ids=ELEMENTS)
def test_a_force_element_moves_its_links_as_in_drake(element):
    """Drake integrates exactly here, MuJoCo to first order: a tenth of the step, a tenth of the
    error.
    """
    text, scene = read(SDF, tree(SDF) + element(SDF))
    errors = []
    for step in (1e-3, 1e-4):
        robot = Loaded(scene, step).set(Q, V)
        with robot.helped():
            found = robot.run(0.3)
        expected = Drake(text, "sdf").set(Q, V).run(0.3, robot.mechanism.v_order)
        errors.append(np.abs(found - expected).max())
    assert errors[0] < 5e-3
    assert errors[1] == pytest.approx(errors[0] / 10, rel=0.1)


def test_a_bushing_is_reported_to_need_the_callback_and_other_models_are_unaffected():
    _, scene = read(SDF, tree(SDF) + physics.bushing(SDF))
    _, plain = read(SDF, tree(SDF))
    robot, other = Loaded(scene), Loaded(plain)
    assert "passive_forces" in robot.diagnostics["mjcf.bushing"].hint
    with robot.helped():
        other.set(Q, V)
    assert not other.passive().any()


@BOTH
def test_damping_pushes_as_in_drake(form):
    body = "".join(form.link(name) for name in "ab")
    body += form.joint("ja", "revolute", "world", "a", xyz="1 2 3", dynamics={"damping": 0.7})
    body += form.joint("jb", "prismatic", "a", "b", dynamics={"damping": 3.0})
    text, scene = read(form, body)
    q, v = {"ja": 0.3, "jb": 0.2}, {"ja": 0.8, "jb": -0.4}
    robot = Loaded(scene).set(q, v)
    expected = Drake(text, form.form).set(q, v).forces(robot.mechanism.v_order)
    np.testing.assert_allclose(robot.passive(), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(expected, (-0.56, 1.2), rtol=1e-12)


def test_springs_of_joints_push_as_in_drake():
    spring = {"spring_stiffness": 11.0, "spring_reference": -0.2}
    body = SDF.link("a") + SDF.link("b")
    body += SDF.joint("ja", "revolute", "world", "a", xyz="1 2 3", dynamics=spring)
    body += SDF.joint("jb", "prismatic", "a", "b", dynamics=spring)
    text, scene = read(SDF, body)
    q, v = {"ja": 0.3, "jb": 0.2}, {"ja": 0.8, "jb": -0.4}
    robot = Loaded(scene).set(q, v)
    expected = Drake(text, "sdf").set(q, v).forces(robot.mechanism.v_order)
    np.testing.assert_allclose(robot.passive(), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(expected, (-5.5, -4.4), rtol=1e-12)


def test_without_the_callback_the_damping_of_a_tendon_is_reported_as_dropped():
    _, scene = read(SDF, tree(SDF) + physics.tendon(SDF))
    robot = Loaded(scene).set(STILL | {"ja": 0.4}, STILL | {"ja": 1.0})
    np.testing.assert_allclose(robot.passive(), (-40.0, -20.0, 0.0, 0.0), rtol=1e-9)
    entry = robot.diagnostics["mjcf.tendon-damping"]
    assert entry.fate is Fate.DROPPED
    assert "passive_forces" in entry.hint


def test_what_the_models_say_is_what_was_meant():
    """The elements are there, with their numbers: no test above runs on an empty model."""
    constraints = read(SDF, tree(SDF) + physics.rod(SDF) + physics.tendon(SDF))[1].constraints
    assert [type(c) for c in constraints] == [DistanceConstraint, TendonConstraint]
    assert [c.stiffness for c in constraints] == [200.0, 200.0]


# Points that can meet are pulled together; points that cannot are held softly, with a diagnostic.


@pytest.mark.parametrize(
    ("reach", "stop", "least"), [(1.5, 3.0, 0.5), (1.0, 0.5, 2.0 * math.sin(math.pi / 4 - 0.25))]
)
def test_points_that_never_meet_are_held_softly_and_reported(reach, stop, least):
    scene = one_joint(z_axis(lower=-stop, upper=stop, damping=0.5))
    held = BallConstraint(
        link_A="arm", link_B="base", p_AP=frozen((1, 0, 0)), p_BQ=frozen((0, reach, 0))
    )
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
    held = BallConstraint(
        link_A="arm", link_B="base", p_AP=frozen((1, 0, 0)), p_BQ=frozen((0, 1, 0))
    )
    mjcf = to_mjcf(dataclasses.replace(scene, constraints=(held,)))
    assert "mjcf.open-at-zero" in codes(mjcf.diagnostics)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    quietly(lambda: [mujoco.mj_step(model, data) for _ in range(1000)])
    assert data.qpos[0] == pytest.approx(math.pi / 2, abs=1e-4)


# Tendons, there and back.

BODY = (
    f'<site name="o" pos="0 0 1"/><body name="a"><joint name="j"/><joint name="k" '
    f'type="slide"/>{BALL}'
    '<geom name="w" type="cylinder" size="0.1 0.3" pos="0 0 0.6"/><geom name="u" size="0.05" '
    'pos="0.3 0 0.6"/>'
    '<site name="s" pos="1 0 0"/><site name="side" pos="0 0.3 0.6"/></body>'
)
SPRING = 'stiffness="30" damping="2" springlength="0.1 0.2" frictionloss="0.3"'
TENDONS = {
    "sum": (
        f'<fixed {SPRING} armature="0.4"><joint joint="j" coef="2"/><joint joint="k" '
        f'coef="-3"/></fixed>'
    ),
    "path": f'<spatial {SPRING} armature="0.4"><site site="o"/><site site="s"/></spatial>',
    "wrapped": (
        f'<spatial {SPRING}><site site="o"/><geom geom="w" sidesite="side"/><site '
        f'site="s"/></spatial>'
    ),
    "around a sphere": (
        f'<spatial {SPRING}><site site="o"/><geom geom="u"/><site site="s"/></spatial>'
    ),
    "pulley": '<spatial stiffness="9"><site site="o"/><site site="s"/><pulley divisor="2"/><site '
    'site="side"/>'
    '<site site="o"/></spatial>',
    "limited": (
        '<spatial range="0 0.2" solreflimit="0.1 1"><site site="o"/><site site="s"/></spatial>'
    ),
}


@pytest.mark.parametrize("tendon", TENDONS.values(), ids=TENDONS)
def test_an_export_moves_as_the_original(tendon: str) -> None:
    assert max(differences(BODY, f"<tendon>{tendon}</tendon>").values()) < 1e-9
