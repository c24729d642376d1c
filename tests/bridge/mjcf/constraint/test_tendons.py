"""Distances and tendons, compliant and rigid, act as in Drake."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import drake_elements as physics
from tests.support.drake_elements import Drake, Q, V, read, tree
from tests.support.drake_in_mujoco import BOTH, SDF, STILL, Loaded, worst_gap


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
