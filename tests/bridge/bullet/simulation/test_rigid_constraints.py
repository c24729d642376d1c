"""Rigid distances and tendons, against Drake and against the accuracy that the findings state."""

import numpy as np
import pybullet
import pytest

from bridge.targets.pybullet.passive_force import _impulses as impulses
from loaders.diagnostics import Fate
from loaders.pose import Pose
from tests.support import drake_elements as physics
from tests.support.drake_elements import FORMS, Drake, read, tree
from tests.support.drake_in_pybullet import Loaded

SDF = FORMS["sdf"]


STILL = {"ja": 0.0, "jc": 0.0, "jb": (0.0, 0.0)}


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
