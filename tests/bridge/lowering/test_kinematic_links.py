"""Kinematic links in the running engines: no force moves them, whoever holds them does."""

import dataclasses

import mujoco
import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet, to_mjcf
from loaders.model import Sphere
from loaders.spatial import Pose
from tests.support.mujoco_oracle import compiled
from tests.support.scenes import joint, link, scene

HEIGHT = 2.0


def pendulum():
    """A bar that hangs from a kinematic link, far above the ground, turned a little."""
    told = dataclasses.replace(link("told", X_WL=Pose.of(p=(0, 0, HEIGHT)), shape=Sphere(radius=0.1)), kinematic=True)
    return scene([link("bar", X_WL=Pose.of(p=(0, 0, HEIGHT))), told], [joint("hinge", "told", "bar", xyz=(0, 1, 0))])


def test_mujoco_moves_a_kinematic_link_by_mocap_alone():
    model = compiled(to_mjcf(pendulum()))
    assert (model.nmocap, model.nv) == (1, 1)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 200)
    np.testing.assert_array_equal(data.body("told").xpos, (0, 0, HEIGHT))
    assert abs(data.joint("hinge").qpos[0]) > 0.1
    data.mocap_pos[0] = (1.0, 0, HEIGHT)
    mujoco.mj_step(model, data)
    np.testing.assert_array_equal(data.body("told").xpos, (1.0, 0, HEIGHT))
    np.testing.assert_allclose(data.body("bar").xpos, (1.0, 0, HEIGHT), atol=1e-12)


def test_pybullet_leaves_a_kinematic_link_where_it_is_put(bullet_client):
    pybullet.setGravity(0, 0, -9.8, physicsClientId=bullet_client)
    robot = load_into_pybullet(pendulum(), physicsClientId=bullet_client)
    for _ in range(200):
        robot.step()
    assert robot.link_pose("told").p == pytest.approx((0, 0, HEIGHT), abs=1e-12)
    assert abs(robot.positions()["hinge"]) > 0.1
    pybullet.resetBasePositionAndOrientation(robot, (1.0, 0, HEIGHT), (0, 0, 0, 1), physicsClientId=bullet_client)
    robot.step()
    assert robot.link_pose("told").p == pytest.approx((1.0, 0, HEIGHT), abs=1e-12)
