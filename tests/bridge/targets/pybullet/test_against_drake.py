"""Force elements, constraints, drives and couplings mean in the running PyBullet what they mean in
Drake.
"""

import numpy as np
import pybullet
import pytest

from bridge.targets.pybullet.passive_force import _impulses as impulses
from loaders.diagnostics import Fate
from loaders.pose import Pose
from tests.support import drake_elements as physics
from tests.support.drake_elements import FORMS, Drake, Q, V, read, stacked, tree
from tests.support.drake_in_pybullet import Loaded

# Drake's force elements, constraints, drives and couplings mean in the running PyBullet what they
# mean in Drake.
#
# PyBullet integrates by semi-implicit Euler: the change of velocity over one step tells the forces
# before it exactly.

BOTH = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
SDF = FORMS["sdf"]
STILL = {"ja": 0.0, "jc": 0.0, "jb": (0.0, 0.0)}


# --- forces ---------------------------------------------------------------------------------------

ELEMENTS = {"bushing": physics.bushing, "spring": physics.spring}


@BOTH
@pytest.mark.parametrize("element", ELEMENTS.values(), ids=ELEMENTS)
def test_a_force_element_pushes_every_joint_as_in_drake(bullet_client, form, element):
    text, scene = read(form, tree(form) + element(form))
    robot = Loaded(bullet_client, scene, Q, V)
    expected = Drake(text, form.form).set(Q, V).forces(robot.mechanism.v_order)
    assert np.abs(expected).max() > 1.0
    np.testing.assert_allclose(robot.forces(), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("element", ELEMENTS.values(), ids=ELEMENTS)
def test_a_force_element_moves_its_links_as_in_drake(bullet_client, element):
    """Drake integrates exactly here, PyBullet to first order: half the step, half the error."""
    text, scene = read(SDF, tree(SDF) + element(SDF))
    expected = None
    errors = []
    for step in (1e-3, 5e-4):
        robot = Loaded(bullet_client, scene, Q, V, step)
        if expected is None:
            expected = Drake(text, "sdf").set(Q, V).run(0.3, robot.mechanism.v_order)
        errors.append(np.abs(robot.run(0.3) - expected).max())
        robot.robot.remove()
    assert errors[0] < 5e-3
    assert errors[1] == pytest.approx(errors[0] / 2, rel=0.1)


@pytest.mark.parametrize("code", ["bushing", "spring-damper"])
def test_forces_that_act_by_steps_are_reported(bullet_client, code):
    element = physics.bushing if code == "bushing" else physics.spring
    robot = Loaded(bullet_client, read(SDF, tree(SDF) + element(SDF))[1], Q, V)
    entry = robot.diagnostics[f"pybullet.{code}"]
    assert entry.fate is Fate.APPROXIMATED
    assert entry.subjects == ("a", "b")
    assert "step()" in entry.hint


@BOTH
def test_damping_pushes_as_in_drake(bullet_client, form):
    body = "".join(form.link(name) for name in "ab")
    body += form.joint("ja", "revolute", "world", "a", xyz="1 2 3", dynamics={"damping": 0.7})
    body += form.joint("jb", "prismatic", "a", "b", dynamics={"damping": 3.0})
    text, scene = read(form, body)
    q, v = {"ja": 0.3, "jb": 0.2}, {"ja": 0.8, "jb": -0.4}
    robot = Loaded(bullet_client, scene, q, v)
    expected = Drake(text, form.form).set(q, v).forces(robot.mechanism.v_order)
    np.testing.assert_allclose(robot.forces(), expected, rtol=1e-9, atol=1e-9)


def test_springs_of_joints_push_as_in_drake(bullet_client):
    spring = {"spring_stiffness": 11.0, "spring_reference": -0.2}
    body = SDF.link("a") + SDF.link("b")
    body += SDF.joint("ja", "revolute", "world", "a", xyz="1 2 3", dynamics=spring)
    body += SDF.joint("jb", "prismatic", "a", "b", dynamics=spring)
    text, scene = read(SDF, body)
    q, v = {"ja": 0.3, "jb": 0.2}, {"ja": 0.8, "jb": -0.4}
    robot = Loaded(bullet_client, scene, q, v)
    expected = Drake(text, "sdf").set(q, v).forces(robot.mechanism.v_order)
    np.testing.assert_allclose(robot.forces(), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(expected, (-5.5, -4.4), rtol=1e-12)


# --- constraints that yield -----------------------------------------------------------------------


@BOTH
def test_a_distance_that_yields_is_the_spring_that_drake_makes_of_it(bullet_client, form):
    numbers = {**physics.POINTS, "free_length": "0.5", "stiffness": "200", "damping": "3"}
    text, _ = read(form, tree(form) + form.element("linear_spring_damper", numbers))
    robot = Loaded(bullet_client, read(form, tree(form) + physics.rod(form))[1], Q, V)
    expected = Drake(text, form.form).set(Q, V).forces(robot.mechanism.v_order)
    np.testing.assert_allclose(robot.forces(), expected, rtol=1e-9, atol=1e-9)


def test_a_distance_that_yields_moves_as_in_drake(bullet_client):
    robot = Loaded(bullet_client, read(SDF, tree(SDF) + physics.rod(SDF))[1], Q, V, 5e-4)
    drake = Drake(SDF.model(tree(SDF)), "sdf", 1e-4, more=physics.add_rod).set(Q, V)
    error = np.abs(robot.run(0.3) - drake.run(0.3, robot.mechanism.v_order)).max()
    assert (
        error < 6e-2
    )  # Drake's solver takes out some of the swing: less with every smaller step of Drake's


@BOTH
@pytest.mark.parametrize(
    ("ja", "rate"), [(0.1, 1.0), (-0.2, 1.0), (0.4, 1.0), (0.4, -1.0), (0.4, -9.0), (-0.9, -1.0)]
)
def test_a_tendon_that_yields_pulls_outside_its_bounds_only(bullet_client, form, ja, rate):
    """``max(0, k x + c x')`` beyond the nearer bound by ``x``, which the test for MuJoCo asks of
    Drake too.
    """
    robot = Loaded(
        bullet_client,
        read(form, tree(form) + physics.tendon(form))[1],
        STILL | {"ja": ja},
        STILL | {"ja": rate},
    )
    length = ja + 0.1
    force = max(0.0, 200 * (-0.2 - length) - 3 * rate) * (length < -0.2)
    force -= max(0.0, 200 * (length - 0.3) + 3 * rate) * (length > 0.3)
    np.testing.assert_allclose(robot.forces(), (force, 0.5 * force, 0.0, 0.0), rtol=1e-9, atol=1e-9)
    assert robot.diagnostics["pybullet.tendon"].fate is Fate.APPROXIMATED


@pytest.mark.parametrize("damping", ["0", "3"])
def test_a_tendon_that_yields_moves_as_in_drake(bullet_client, damping):
    text, scene = read(SDF, tree(SDF) + physics.tendon(SDF, damping=damping))
    robot = Loaded(bullet_client, scene, Q, V, 5e-4)
    expected = Drake(text, "sdf", 1e-4).set(Q, V).run(0.3, robot.mechanism.v_order)
    assert np.abs(robot.run(0.3) - expected).max() < 4e-2  # as above


# --- constraints that do not ----------------------------------------------------------------------


@BOTH
def test_links_that_are_pinned_together_move_as_in_drake(bullet_client, form):
    text, scene = read(form, tree(form) + physics.pin(form))
    robot = Loaded(bullet_client, scene, STILL, STILL, 1e-4)
    expected = Drake(text, form.form, 1e-4).set(STILL, STILL).run(0.3, robot.mechanism.v_order)
    assert np.abs(expected).max() > 0.5
    assert np.abs(robot.run(0.3) - expected).max() < 5e-6


def test_pinned_points_stay_together_within_the_reported_error(bullet_client):
    robot = Loaded(bullet_client, read(SDF, tree(SDF) + physics.pin(SDF))[1], STILL, STILL)
    worst, p = 0.0, np.array((0.1, 0.2, -0.1))
    for _ in robot.steps(1.0):
        X_WA, X_WB = robot.robot.link_pose("a"), robot.robot.link_pose("b")
        worst = max(worst, np.linalg.norm(X_WA.p + X_WA.R @ p - X_WB.p - X_WB.R @ p))
    stated = robot.stated("ball-constraint")
    assert stated / 100 < worst < stated


# --- drives ---------------------------------------------------------------------------------------


@BOTH
def test_the_missing_share_of_a_rotor_inertia_is_reported(bullet_client, form):
    text, scene = read(form, physics.driven(form, physics.ROTORS[form.form]))
    still = {"ja": 0.0, "jb": 0.0}
    robot = Loaded(bullet_client, scene, still, still)
    order = robot.mechanism.v_order
    expected = Drake(text, form.form).set(still, {}).mass_matrix(order)
    missing = expected - robot.robot.mass_matrix()
    np.testing.assert_allclose(missing, [[81 * 0.02, 0.0], [0.0, 0.0]], atol=1e-12)
    entry = robot.diagnostics["pybullet.rotor-inertia"]
    assert entry.fate is Fate.DROPPED
    assert "ja" in entry.subjects
    assert f"ja ({missing[0, 0]:.3g} of {expected[0, 0]:.3g} " in str(entry.arguments["names"])


# --- couplings ------------------------------------------------------------------------------------


@BOTH
def test_a_follower_moves_with_its_leader_as_in_drake(bullet_client, form):
    text, scene = read(form, physics.joints_in_a_row(form, b=physics.MIMICS[form.form]))
    q, v = {"ja": 0.3, "jb": 0.2 - 0.45}, {"ja": 0.0, "jb": 0.0}
    robot = Loaded(bullet_client, scene, q, v, 1e-4)
    expected = Drake(text, form.form, 1e-4).set(q, v).run(0.3, robot.mechanism.v_order)
    assert np.abs(robot.run(0.3) - expected).max() < 1e-5


def test_a_follower_follows_its_leader_within_the_reported_error(bullet_client):
    scene = read(SDF, physics.joints_in_a_row(SDF, b=physics.MIMICS["sdf"]))[1]
    robot = Loaded(bullet_client, scene, {"ja": 0.3, "jb": 0.2 - 0.45}, {"ja": 0.0, "jb": 0.0})
    worst = 0.0
    for _ in robot.steps(1.0):
        q = robot.robot.positions()
        worst = max(worst, abs(q["jb"] + 1.5 * q["ja"] - 0.2))
    stated = robot.stated("gear")
    assert stated / 100 < worst < stated


@BOTH
def test_a_screw_advances_as_it_turns_and_turns_as_in_drake(bullet_client, form):
    text, scene = read(form, physics.screw(form))
    q, v = {"ja": 0.0}, {"ja": 1.0}
    robot = Loaded(bullet_client, scene, q, v)
    for _ in robot.steps(0.3):
        turn = robot.robot.positions()["ja"]
        assert robot.robot.link_pose("a").p[2] == pytest.approx(0.3 / (2 * np.pi) * turn, abs=1e-12)
    expected = Drake(text, form.form).set(q, v).run(0.3, robot.mechanism.v_order)
    assert abs(robot.robot.positions()["ja"] - expected[0]) < 5e-3


@BOTH
def test_a_curve_of_one_arc_moves_as_in_drake(bullet_client, form):
    text, scene = read(form, physics.arc(form))
    q, v = {"ja": 0.4}, {"ja": 0.7}
    robot = Loaded(bullet_client, scene, q, v)
    drake = Drake(text, form.form).set(q, v)
    order = robot.mechanism.v_order
    np.testing.assert_allclose(robot.robot.mass_matrix(), drake.mass_matrix(order), rtol=1e-9)
    np.testing.assert_allclose(robot.forces(), drake.forces(order), rtol=1e-9)
    robot.robot.set_positions(q)
    robot.robot.set_velocities(v)
    assert np.abs(robot.run(0.3) - drake.run(0.3, order)).max() < 5e-3


# The controllers of the file, against their law and against Drake.


@BOTH
@pytest.mark.parametrize(
    ("goal", "rate"), [(0.31, 0.0), (0.31, 0.4), (0.5, 0.0), (3.0, 0.0), (-3.0, 0.0)]
)
def test_a_controller_pushes_by_its_gains_up_to_the_effort_limit(bullet_client, form, goal, rate):
    _, scene = read(
        form, physics.driven(form, '<drake:controller_gains p="40" d="2"/>', effort="5")
    )
    robot = Loaded(bullet_client, scene, {"ja": 0.3, "jb": 0.0}, {"ja": 0.2, "jb": 0.0})
    robot.robot.apply_control({"ja": goal}, {"ja": rate})
    expected = np.clip(40 * (goal - 0.3) + 2 * (rate - 0.2), -5, 5)
    np.testing.assert_allclose(robot.forces(), (expected, 0.0), rtol=1e-9, atol=1e-9)
    assert "apply_control" in robot.diagnostics["pybullet.controller-gains"].hint


@BOTH
@pytest.mark.parametrize("effort", ["100", "5"])
def test_a_controller_moves_its_joint_as_in_drake(bullet_client, form, effort):
    text, scene = read(
        form, physics.driven(form, '<drake:controller_gains p="40" d="2"/>', effort=effort)
    )
    still = {"ja": 0.0, "jb": 0.0}
    robot = Loaded(bullet_client, scene, still, still)
    drake = Drake(text, form.form, 1e-4).set(still, still)
    port = drake.plant.get_desired_state_input_port(drake.plant.GetModelInstanceByName("m"))
    port.FixValue(drake.context, np.array((0.8, 0.0)))
    expected = drake.run(0.3, robot.mechanism.v_order)
    for _ in range(300):
        robot.robot.apply_control({"ja": 0.8})
        robot.robot.step()
    found = stacked(robot.robot.positions(), robot.mechanism.v_order)
    assert abs(expected[0]) > 0.05
    assert np.abs(found - expected).max() < 1.6e-2


def test_a_joint_without_gains_is_not_controlled(bullet_client):
    still = {"ja": 0.0, "jb": 0.0}
    _, scene = read(SDF, physics.driven(SDF, '<drake:controller_gains p="40" d="2"/>'))
    robot = Loaded(bullet_client, scene, still, still).robot
    with pytest.raises(ValueError, match="joint 'jb' has no gains; joints with gains: ja"):
        robot.apply_control({"jb": 0.1})


# Rigid distances and tendons, against Drake and against the accuracy that the findings state.

P_AP, P_BQ = np.array((0.1, 0.2, -0.1)), np.array((-0.2, 0.1, 0.3))


DISTANCE = float(np.linalg.norm(P_AP - P_BQ))


TURNING = STILL | {"jc": 0.5, "ja": 1.0}


def rigid_rod():
    return tree(SDF) + physics.rod(SDF, distance=repr(DISTANCE), stiffness="inf", damping="0")


def off(robot):
    """Return the error of the length of the rod [m]."""
    X_WA, X_WB = robot.robot.link_pose("a"), robot.robot.link_pose("b")
    return abs(np.linalg.norm((X_WA @ Pose.of(p=P_AP)).p - (X_WB @ Pose.of(p=P_BQ)).p) - DISTANCE)


@pytest.mark.slow
def test_a_rigid_distance_moves_as_in_drake(bullet_client):
    def more(plant):
        plant.AddDistanceConstraint(
            plant.GetBodyByName("a"), P_AP, plant.GetBodyByName("b"), P_BQ, DISTANCE
        )

    robot = Loaded(bullet_client, read(SDF, rigid_rod())[1], STILL, TURNING, 1e-4)
    drake = Drake(SDF.model(tree(SDF)), "sdf", 1e-4, more=more).set(STILL, TURNING)
    expected = drake.run(0.3, robot.mechanism.v_order)
    assert np.abs(expected).max() > 0.5
    assert np.abs(robot.run(0.3) - expected).max() < 1e-7


@pytest.mark.slow
def test_a_rigid_distance_is_kept_within_the_reported_error(bullet_client):
    robot = Loaded(bullet_client, read(SDF, rigid_rod())[1], STILL, TURNING)
    worst, stated = max(off(robot) for _ in robot.steps(1.0)), robot.stated("rigid-distance")
    assert stated / 100 < worst < stated


def test_an_external_force_is_corrected_one_step_later(bullet_client):
    """A length that is accelerated by a is off by ``a h^2 / 0.5``."""
    robot = Loaded(bullet_client, read(SDF, rigid_rod())[1], STILL, STILL)
    errors = []
    for k in range(40):
        pybullet.applyExternalTorque(
            robot.robot, robot.robot.links["a"], (0, 20, 0), 2, bullet_client
        )
        robot.robot.step()
        errors.append(off(robot))
        assert errors[-1] < 2e-3, k
    assert errors[-1] < 2.0 * max(errors[:3])


@pytest.mark.slow
def test_a_rigid_tendon_stays_within_its_bounds(bullet_client):
    robot = Loaded(
        bullet_client, read(SDF, tree(SDF) + physics.tendon(SDF, stiffness="inf"))[1], STILL, STILL
    )
    assert robot.diagnostics["pybullet.rigid-tendon"].fate is Fate.APPROXIMATED
    worst, at_stop = -1.0, 0
    for _ in robot.steps(1.0):
        q = robot.robot.positions()
        length = q["ja"] + 0.5 * q["jc"] + 0.1
        worst, at_stop = (
            max(worst, length - 0.3, -0.2 - length),
            at_stop + (not -0.199 < length < 0.299),
        )
    assert at_stop > 100
    assert worst <= 1e-12


@pytest.mark.slow
def test_a_rigid_tendon_moves_as_in_drake(bullet_client):
    text, scene = read(SDF, tree(SDF) + physics.tendon(SDF, stiffness="inf"))
    robot = Loaded(bullet_client, scene, STILL, STILL, 1e-4)
    expected = Drake(text, "sdf", 1e-4).set(STILL, STILL).run(0.3, robot.mechanism.v_order)
    assert np.abs(expected).max() > 0.4
    assert np.abs(robot.run(0.3) - expected).max() < 1e-6


def test_impulses_of_constraints_that_move_each_other_bring_all_rates_to_rest():
    A = np.array([[2.0, 1.0, 0.5], [1.0, 2.0, 0.3], [0.5, 0.3, 1.0]])
    rates = np.array([1.0, -0.5, 0.2])
    found = impulses(A, rates, [(0.0, 0.0)] * 3)
    np.testing.assert_allclose(found, -np.linalg.solve(A, rates), rtol=1e-9)
