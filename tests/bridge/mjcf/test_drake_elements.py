"""Drake's force elements, constraints, drives and couplings mean in the running MuJoCo what they mean in Drake."""

import dataclasses
import re
from contextlib import contextmanager

import mujoco
import numpy as np
import pytest

import bridge
from bridge.mechanism.target_names import primitive_names
from loaders.diagnostics import Fate
from loaders.model import DistanceConstraint, Physics, TendonConstraint
from tests.support import drake_elements as physics
from tests.support.drake_elements import FORMS, Drake, Q, V, read, stacked, tree
from tests.support.mujoco_oracle import Running, compiled

BOTH = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
SDF = FORMS["sdf"]
STILL = {"ja": 0.0, "jc": 0.0, "jb": (0.0, 0.0)}


class Loaded:
    """A scene in MuJoCo, with what its ledger says."""

    def __init__(self, scene, step=1e-3, **options):
        scene = dataclasses.replace(scene, physics=Physics(time_step=step))
        self.mechanism, self.step = bridge.lower(scene), step
        mjcf = bridge.to_mjcf(self.mechanism, **options)
        self.diagnostics = {entry.code: entry for entry in mjcf.diagnostics}
        self.running = Running(compiled(mjcf), self.mechanism)
        self.model, self.data = self.running.model, self.running.data

    def set(self, q, v):
        self.running.set(q, stacked(v, self.mechanism.v_order))
        return self

    @contextmanager
    def helped(self):
        """With the callback that adds what MJCF has no element for."""
        mujoco.set_mjcb_passive(bridge.passive_forces(self.mechanism, self.model))
        try:
            yield self
        finally:
            mujoco.set_mjcb_passive(None)

    def passive(self):
        return self.running.S.T @ self.data.qfrc_passive

    def steps(self, seconds):
        for _ in range(round(seconds / self.step)):
            mujoco.mj_step(self.model, self.data)
            yield

    def run(self, seconds):
        for _ in self.steps(seconds):
            pass
        return self.positions()

    def positions(self):
        found = {}
        for body in self.mechanism.bodies:
            for name, p in zip(primitive_names(body), body.primitives, strict=True):
                key = body.v_start + p.dof_index
                found.setdefault(key, self.data.joint(name).qpos[0] / p.ratio)
        return np.array([found[key] for key in sorted(found)])

    def stated(self, code):
        """The error that the ledger states."""
        entry = self.diagnostics[f"mjcf.{code}"]
        assert entry.fate is Fate.APPROXIMATED
        return float(re.search(r"within ([\d.e-]+)", entry.message)[1])


# --- forces ----------------------------------------------------------------------------------------------------------

ELEMENTS = {"bushing": physics.bushing, "spring": physics.spring}


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
    """Drake integrates exactly here, MuJoCo to first order: a tenth of the step, a tenth of the error."""
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


def test_a_bushing_is_said_to_need_the_callback_and_other_models_do_not_feel_it():
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


# --- constraints that yield ------------------------------------------------------------------------------------------


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
    assert error < 4e-2  # Drake's solver takes out some of the swing: less with every smaller step of Drake's


@BOTH
@pytest.mark.parametrize(("ja", "rate"), [(0.1, 1.0), (-0.2, 1.0), (0.4, 1.0), (0.4, -1.0), (0.4, -9.0), (-0.9, -1.0)])
def test_a_tendon_that_yields_pulls_outside_its_bounds_only(form, ja, rate):
    """``max(0, k x + c x')`` beyond the nearer bound by ``x``; Drake says the same over a very short step."""
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


def test_without_the_callback_a_tendon_loses_its_damping_and_it_is_said():
    _, scene = read(SDF, tree(SDF) + physics.tendon(SDF))
    robot = Loaded(scene).set(STILL | {"ja": 0.4}, STILL | {"ja": 1.0})
    np.testing.assert_allclose(robot.passive(), (-40.0, -20.0, 0.0, 0.0), rtol=1e-9)
    entry = robot.diagnostics["mjcf.tendon-damping"]
    assert entry.fate is Fate.DROPPED
    assert "passive_forces" in entry.hint


@pytest.mark.parametrize("damping", ["0", "3"])
def test_a_tendon_that_yields_moves_as_in_drake(damping):
    text, scene = read(SDF, tree(SDF) + physics.tendon(SDF, damping=damping))
    robot = Loaded(scene, 1e-4).set(Q, V)
    with robot.helped():
        found = robot.run(0.3)
    expected = Drake(text, "sdf", 1e-4).set(Q, V).run(0.3, robot.mechanism.v_order)
    assert np.abs(found - expected).max() < 4e-2  # as above


# --- constraints that do not -----------------------------------------------------------------------------------------


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


@BOTH
def test_links_that_are_pinned_together_move_as_in_drake(form):
    text, scene = read(form, tree(form) + physics.pin(form))
    robot = Loaded(scene, 1e-4).set(STILL, STILL)
    expected = Drake(text, form.form, 1e-4).set(STILL, STILL).run(0.3, robot.mechanism.v_order)
    assert np.abs(expected).max() > 0.5
    assert np.abs(robot.run(0.3) - expected).max() < 5e-6


def gap(poses, p_AP, p_BQ):
    P, Q = (poses[name].p + poses[name].R @ p for name, p in (("a", p_AP), ("b", p_BQ)))
    return np.linalg.norm(P - Q)


def worst_gap(robot, p_AP, p_BQ, distance):
    worst = 0.0
    for _ in robot.steps(2.0):
        mujoco.mj_kinematics(robot.model, robot.data)
        worst = max(worst, abs(gap(robot.running.poses(), p_AP, p_BQ) - distance))
    return worst


def test_pinned_points_stay_together_as_well_as_the_ledger_states():
    robot = Loaded(read(SDF, tree(SDF) + physics.pin(SDF))[1]).set(STILL, STILL)
    p = np.array((0.1, 0.2, -0.1))
    worst, stated = worst_gap(robot, p, p, 0.0), robot.stated("ball-soft-constraint")
    assert stated / 100 < worst < stated


def test_a_rigid_distance_is_kept_as_well_as_the_ledger_states():
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
        plant.AddDistanceConstraint(plant.GetBodyByName("a"), p_AP, plant.GetBodyByName("b"), p_BQ, distance)

    v = STILL | {"jc": 0.5, "ja": 1.0}
    robot = Loaded(read(SDF, body)[1], 1e-4).set(STILL, v)
    expected = Drake(SDF.model(tree(SDF)), "sdf", 1e-4, more=more).set(STILL, v).run(0.3, robot.mechanism.v_order)
    assert np.abs(robot.run(0.3) - expected).max() < 2e-4


# --- drives ----------------------------------------------------------------------------------------------------------


@BOTH
def test_a_rotor_counts_in_the_mass_matrix_as_in_drake(form):
    text, scene = read(form, physics.driven(form, physics.ROTORS[form.form]))
    q = {"ja": 0.3, "jb": -0.8}
    robot = Loaded(scene).set(q, {"ja": 0.0, "jb": 0.0})
    expected = Drake(text, form.form).set(q, {}).mass_matrix(robot.mechanism.v_order)
    np.testing.assert_allclose(robot.running.mass_matrix(), expected, rtol=1e-12)
    (without,) = (Drake(form.model(physics.driven(form, "")), form.form).set(q, {}),)
    difference = expected - without.mass_matrix(robot.mechanism.v_order)
    np.testing.assert_allclose(difference, [[81 * 0.02, 0], [0, 0]], atol=1e-12)


@BOTH
@pytest.mark.parametrize("goal", [0.31, 0.5, 3.0, -3.0])
def test_a_controller_pushes_by_its_gains_up_to_the_effort_limit(form, goal):
    _, scene = read(form, physics.driven(form, '<drake:controller_gains p="40" d="2"/>', effort="5"))
    robot = Loaded(scene, actuators="position")
    robot.data.ctrl[0] = goal
    robot.set({"ja": 0.3, "jb": 0.0}, {"ja": 0.2, "jb": 0.0})
    expected = np.clip(40 * (goal - 0.3) - 2 * 0.2, -5, 5)
    assert robot.data.qfrc_actuator[0] == pytest.approx(expected, rel=1e-12)


@BOTH
@pytest.mark.parametrize(("effort", "error"), [("100", 2e-3), ("5", 3e-3)])
def test_a_controller_moves_its_joint_as_in_drake(form, effort, error):
    text, scene = read(form, physics.driven(form, '<drake:controller_gains p="40" d="2"/>', effort=effort))
    q = v = {"ja": 0.0, "jb": 0.0}
    robot = Loaded(scene, 1e-4, actuators="position").set(q, v)
    robot.data.ctrl[0] = 0.8
    drake = Drake(text, form.form, 1e-4).set(q, v)
    port = drake.plant.get_desired_state_input_port(drake.plant.GetModelInstanceByName("m"))
    port.FixValue(drake.context, np.array((0.8, 0.0)))
    expected = drake.run(0.3, robot.mechanism.v_order)
    assert abs(expected[0]) > 0.05
    assert np.abs(robot.run(0.3) - expected).max() < error


# --- couplings -------------------------------------------------------------------------------------------------------


@BOTH
def test_a_follower_moves_with_its_leader_as_in_drake(form):
    text, scene = read(form, physics.joints_in_a_row(form, b=physics.MIMICS[form.form]))
    q, v = {"ja": 0.3, "jb": 0.2 - 0.45}, {"ja": 0.0, "jb": 0.0}
    robot = Loaded(scene, 1e-4).set(q, v)
    expected = Drake(text, form.form, 1e-4).set(q, v).run(0.3, robot.mechanism.v_order)
    assert np.abs(expected - stacked(q, robot.mechanism.v_order)).max() > 0.2
    assert np.abs(robot.run(0.3) - expected).max() < 1e-5


def test_a_follower_keeps_to_its_leader_as_well_as_the_ledger_states():
    robot = Loaded(read(SDF, physics.joints_in_a_row(SDF, b=physics.MIMICS["sdf"]))[1])
    robot.set({"ja": 0.3, "jb": 0.2 - 0.45}, {"ja": 0.0, "jb": 0.0})
    ja, jb = (robot.data.joint(name) for name in ("ja", "jb"))
    worst = max(abs(jb.qpos[0] + 1.5 * ja.qpos[0] - 0.2) for _ in robot.steps(2.0))
    stated = robot.stated("coupling-soft-constraint")
    assert stated / 100 < worst < stated


@BOTH
def test_a_screw_turns_as_in_drake_and_advances_as_well_as_the_ledger_states(form):
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


def test_what_the_models_say_is_what_was_meant():
    """The elements are there, with their numbers: no test above runs on an empty model."""
    constraints = read(SDF, tree(SDF) + physics.rod(SDF) + physics.tendon(SDF))[1].constraints
    assert [type(c) for c in constraints] == [DistanceConstraint, TendonConstraint]
    assert [c.stiffness for c in constraints] == [200.0, 200.0]
