"""The mass matrix and accelerations that PyBullet's steps show, against closed forms; the server is
left as it was.
"""

import dataclasses

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet, lower
from bridge.targets.pybullet.dynamics import stepped_accelerations, stepped_mass_matrix
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType, Sphere
from tests.support.scenes import GRAVITY, joint, link, random_scene, random_state, scene

INERTIA = SpatialInertia.of(2.0, (0.0, 0.0, 0.5), np.diag((0.3, 0.4, 0.5)))
AT_PIVOT = np.diag((0.3 + 0.5, 0.4 + 0.5, 0.5))
"""The inertia about the pivot: 2 kg at 0.5 m add 0.5 kg m^2 about x and y."""


def ball_pendulum(client, **axis):
    ball = joint("ball", WORLD, "bob", JointType.BALL, axis=axis)
    pybullet.setGravity(0.0, 0.0, -10.0, physicsClientId=client)
    return load_into_pybullet(scene([link("bob", inertia=INERTIA)], [ball]), physicsClientId=client)


@pytest.mark.parametrize("nominal", [np.eye(3), np.diag((1.0, 2.0, 3.0)), AT_PIVOT])
def test_the_mass_matrix_of_a_ball_pendulum_does_not_depend_on_the_nominal_one(
    bullet_client, nominal
):
    robot = ball_pendulum(bullet_client)
    assert stepped_mass_matrix(robot.state, nominal) == pytest.approx(AT_PIVOT, abs=1e-12)


@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_a_spinning_ball_pendulum_accelerates_as_euler_says(bullet_client, damping):
    """``I a + w x I w`` is the torque; gravity has no moment at zero, and damping is not part of
    it.
    """
    robot = ball_pendulum(bullet_client, damping=damping)
    w = np.array((1.0, -2.0, 3.0))
    robot.set_velocities({"ball": w.tolist()})
    torque = np.array((0.3, 0.7, -0.2))
    expected = np.linalg.solve(AT_PIVOT, torque - np.cross(w, AT_PIVOT @ w))
    found = stepped_accelerations(robot.state, torque, (0.0, 0.0, -10.0))
    assert found == pytest.approx(expected, abs=1e-9)


def test_overlapping_shapes_and_dry_friction_do_not_disturb_and_everything_is_restored(
    bullet_client,
):
    base = random_scene(
        3, fixed=False, kinds=(JointType.BALL, JointType.REVOLUTE), axis={"friction": 5.0}
    )
    spheres = tuple(
        dataclasses.replace(k, collisions=link("x", shape=Sphere(radius=0.5)).collisions)
        for k in base.links
    )
    mechanism = lower(dataclasses.replace(base, links=spheres))
    robot = load_into_pybullet(mechanism, physicsClientId=bullet_client)
    q, v = random_state(mechanism, 4)
    robot.set_positions(q)
    robot.set_velocities(v)
    before = (
        robot.positions(),
        robot.velocities(),
        pybullet.getPhysicsEngineParameters(bullet_client),
    )
    expected = mechanism.mass_matrix(q)
    forces = mechanism.bias_forces(q, v, GRAVITY)
    error = stepped_mass_matrix(robot.state, expected) - expected
    assert np.abs(error).max() <= 1e-11 * np.abs(expected).max()
    assert np.abs(stepped_accelerations(robot.state, forces, GRAVITY)).max() <= 1e-8
    for name, value in before[0].items():
        assert robot.positions()[name] == pytest.approx(value, abs=1e-12)
        assert robot.velocities()[name] == pytest.approx(before[1][name], abs=1e-12)
    assert pybullet.getPhysicsEngineParameters(bullet_client) == before[2]
    pybullet.stepSimulation(bullet_client)
    assert pybullet.getContactPoints(physicsClientId=bullet_client)
