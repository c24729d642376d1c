"""Pose, velocity and forces of the base in the frame of its link, also where PyBullet's own frame
of the base is turned and moved.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet
from loaders.inertia import SpatialInertia
from loaders.model import WORLD
from loaders.pose import Pose, quaternion_to_matrix, rotation_about
from tests.support.scenes import joint, link, scene

STEP = 1e-4
P_COM = np.array((0.1, -0.2, 0.3))
TILT = rotation_about((1.0, 2.0, 3.0), 0.7)
INERTIA = SpatialInertia.of(2.0, P_COM, TILT @ np.diag((0.01, 0.02, 0.03)) @ TILT.T)
"""Of a base whose principal axes are turned by 40 degrees."""
PLACE, XYZW = (1.0, 2.0, 3.0), (0.5, 0.5, 0.5, 0.5)
R_WL = quaternion_to_matrix((0.5, 0.5, 0.5, 0.5))


@pytest.fixture
def robot(bullet_client: int) -> Any:
    """A base with a light link on a hinge, at a place where it is turned by 120 degrees."""
    pybullet.setTimeStep(STEP, bullet_client)
    light = SpatialInertia.of(1e-9, (0, 0, 0), 1e-9 * np.eye(3))
    links = [link("base", inertia=INERTIA), link("arm", inertia=light)]
    source = scene(links, [joint("j", "base", "arm")])
    return load_into_pybullet(source, PLACE, XYZW, physicsClientId=bullet_client, quiet=True)


def test_the_pose_is_that_of_the_link_and_not_pybullets(robot: Any, bullet_client: int) -> None:
    position, orientation = robot.base_pose()
    np.testing.assert_allclose(position, PLACE, atol=1e-12)
    np.testing.assert_allclose(orientation, XYZW, atol=1e-12)
    native, turned = pybullet.getBasePositionAndOrientation(robot, bullet_client)
    np.testing.assert_allclose(native, PLACE + R_WL @ P_COM, atol=1e-12)
    assert abs(np.dot(turned, XYZW)) < 0.99


def test_a_pose_that_is_set_is_that_of_the_link(robot: Any) -> None:
    robot.set_motion(robot.q, np.ones(7))
    robot.set_positions({"j": 0.4})
    robot.set_base_pose((0.5, 0.0, 1.0), (0.0, 0.6, 0.0, 0.8))
    expected = Pose.of(quaternion_to_matrix((0.8, 0.0, 0.6, 0.0)), (0.5, 0.0, 1.0))
    assert robot.link_pose("base").is_close(expected)
    assert robot.positions()["j"] == 0.4
    assert not np.any(robot.base_velocity())
    robot.set_base_pose((0, 0, 2))
    assert robot.link_pose("base").is_close(Pose.of(p=(0, 0, 2)))


def test_the_velocity_is_that_of_the_origin_of_the_link(robot: Any, bullet_client: int) -> None:
    v, w = np.array((0.3, -0.2, 0.1)), np.array((1.0, 2.0, -1.0))
    robot.set_base_velocity(v, w)
    np.testing.assert_allclose(robot.base_velocity(), (v, w), atol=1e-12)
    native, _ = pybullet.getBaseVelocity(robot, bullet_client)
    np.testing.assert_allclose(native, v + np.cross(w, R_WL @ P_COM), atol=1e-12)
    before = robot.link_pose("base")
    robot.step()
    after = robot.link_pose("base")
    np.testing.assert_allclose((after.p - before.p) / STEP, v, atol=1e-3)
    np.testing.assert_allclose(robot.base_pose()[0], after.p, atol=1e-12)
    robot.set_base_velocity(angular=w)
    np.testing.assert_allclose(robot.base_velocity(), (np.zeros(3), w), atol=1e-12)


@pytest.mark.parametrize("in_world", [False, True])
def test_a_force_acts_at_a_point_of_the_link(robot: Any, in_world: bool) -> None:
    """A force at the center of mass turns nothing; moved by r, it turns with the torque r x f."""
    force, r = np.array((4.0, 0.0, 2.0)), np.array((0.0, 0.5, 0.0))
    R = np.eye(3) if in_world else R_WL
    center = np.array(PLACE) + R_WL @ P_COM if in_world else P_COM
    robot.apply_force("base", force, center, in_world=in_world)
    robot.step()
    v, w = map(np.array, robot.base_velocity())
    np.testing.assert_allclose(w / STEP, 0.0, atol=1e-6)
    np.testing.assert_allclose(v / STEP, R @ force / 2.0, rtol=1e-6, atol=1e-6)
    robot.reset()
    robot.apply_force("base", force, center + r, in_world=in_world)
    robot.step()
    I_W = R_WL @ INERTIA.I_Lcm @ R_WL.T
    turning = np.linalg.solve(I_W, np.cross(R @ r, R @ force))
    np.testing.assert_allclose(np.array(robot.base_velocity()[1]) / STEP, turning, rtol=1e-5)


@pytest.mark.parametrize("in_world", [False, True])
def test_a_torque_is_in_the_frame_of_the_link(robot: Any, in_world: bool) -> None:
    torque = np.array((0.1, 0.2, -0.3))
    robot.apply_torque("base", torque, in_world=in_world)
    robot.step()
    R, I_W = np.eye(3) if in_world else R_WL, R_WL @ INERTIA.I_Lcm @ R_WL.T
    expected = np.linalg.solve(I_W, R @ torque)
    np.testing.assert_allclose(np.array(robot.base_velocity()[1]) / STEP, expected, rtol=1e-5)


def test_forces_act_on_links_that_are_not_the_base(bullet_client: int) -> None:
    source = scene(
        [link("a", inertia=SpatialInertia.of(3.0, (0.2, 0, 0), np.eye(3)))],
        [joint("j", WORLD, "a", "prismatic", xyz=(0, 1, 0))],
    )
    robot: Any = load_into_pybullet(source, physicsClientId=bullet_client)
    robot.apply_force("a", (0.0, 6.0, 0.0))
    robot.step()
    assert robot.v * 240.0 == pytest.approx(2.0)


def test_a_fixed_base_has_the_pose_of_its_link_and_can_be_moved(bullet_client: int) -> None:
    links = [link("base", inertia=INERTIA), link("arm")]
    source = scene(links, [joint("j", "base", "arm")])
    robot: Any = load_into_pybullet(
        source, PLACE, XYZW, useFixedBase=True, physicsClientId=bullet_client, quiet=True
    )
    np.testing.assert_allclose(robot.base_pose()[0], PLACE, atol=1e-12)
    np.testing.assert_allclose(robot.base_pose()[1], XYZW, atol=1e-12)
    robot.set_base_pose((0, 0, 1), (0, 0, 0, 1))
    assert robot.link_pose("base").is_close(Pose.of(p=(0, 0, 1)))
    robot.step()
    assert robot.link_pose("base").is_close(Pose.of(p=(0, 0, 1)))


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        ("set_base_pose", ((0, 0),), r"invalid position \(0.0, 0.0\); expected x, y, z"),
        ("set_base_pose", ((0, 0, 0), (0, 0, 0, 0)), "invalid orientation .* does not represent"),
        ("set_base_velocity", ("up",), "invalid linear 'up'; expected x, y, z"),
        ("apply_force", ("base", (1, 2)), "invalid force"),
        ("apply_torque", ("base", (1, 2, float("nan"))), "invalid torque"),
        ("apply_force", ("bas", (1, 2, 3)), "unknown link 'bas'; did you mean 'base'"),
        ("apply_torque", ("bas", (1, 2, 3)), "unknown link 'bas'; did you mean 'base'"),
    ],
)
def test_what_is_no_pose_or_force_is_refused(
    robot: Any, call: str, arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(robot, call)(*arguments)
