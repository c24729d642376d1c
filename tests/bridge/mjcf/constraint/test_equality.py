"""Couplings, screws, loops and ball constraints hold within the stated error, and move as in
Drake.
"""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest

from bridge import lower
from bridge.targets.mjcf import to_mjcf
from loaders.diagnostics import Fate, Where
from loaders.model import BallConstraint, Coupling, JointType
from loaders.pose import frozen
from tests.support import drake_elements as physics
from tests.support.drake_elements import Drake, read, stacked, tree
from tests.support.drake_in_mujoco import BOTH, SDF, STILL, Loaded, worst_gap
from tests.support.mjcf_scenes import codes, four_bar, one_joint, random_tree, z_axis
from tests.support.mujoco_oracle import compiled


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
