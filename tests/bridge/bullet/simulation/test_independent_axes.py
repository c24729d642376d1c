"""The axes of a PyBullet body that share a velocity in the mechanism."""

import math

import numpy as np
import pytest

from bridge import load_into_pybullet
from bridge.targets.pybullet.dynamics import with_independent_axes
from loaders.model import WORLD, JointType
from tests.support.scenes import joint, link, scene


def test_a_screw_has_an_angle_and_a_length_of_its_own(bullet_client):
    screw = joint("screw", WORLD, "a", JointType.SCREW, pitch=0.5)
    robot = load_into_pybullet(scene([link("a")], [screw]), physicsClientId=bullet_client)
    robot.set_velocities({"screw": 2.0})
    state, G = with_independent_axes(robot.state)
    assert state.articulation.mechanism.v_order == (("screw", 0), ("screw", 1))
    assert G.ravel() == pytest.approx([1.0, 0.5 / math.tau])
    assert state.velocities()["screw"] == pytest.approx([2.0, 2.0 * 0.5 / math.tau])


def test_joints_without_shared_velocities_are_unchanged(bullet_client):
    joints = [
        joint("ball", "a", "b", JointType.BALL),
        joint("universal", "b", "c", JointType.UNIVERSAL),
    ]
    robot = load_into_pybullet(
        scene([link("a"), link("b"), link("c")], joints), physicsClientId=bullet_client
    )
    state, G = with_independent_axes(robot.state)
    assert state.articulation.mechanism.v_order == robot.mechanism.v_order
    assert np.array_equal(G, np.eye(11))
