"""Bodies, names and reports of a lowered scene."""

import dataclasses

import mujoco
import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet, to_mjcf
from bridge.lowering import lower
from bridge.mechanism.bodies import ROOT
from loaders.model import (
    WORLD,
    Model,
    Sphere,
    by_name,
)
from loaders.spatial import IDENTITY, Pose
from tests.support import scenes
from tests.support.mujoco_oracle import compiled
from tests.support.simple_scenes import joint, link, scene


def test_a_free_link_with_the_name_of_a_joint_is_distinguished():
    mechanism = lower(scene([link("base"), link("arm")], [joint("base", "base", "arm")]))
    assert [body.joint for body in mechanism.bodies] == ["_base", "base"]


def test_static_models_are_held_where_they_stand():
    statue = Model(name="statue", X_WM=IDENTITY, canonical_link="s", static=True)
    links = [link("s", model="statue", p=(0, 0, 1)), link("t", model="statue", p=(0, 0, 2)), link("arm", p=(0, 0, 3))]
    joints = [joint("inside", "s", "t"), joint("shoulder", "t", "arm", X_PJ=Pose.of(p=(0, 0, 1)))]
    mechanism = lower(scene(links, joints, models=(statue,)))
    assert mechanism.v_order == (("shoulder", 0),)
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.static-joint"]
    assert mechanism.link_poses({"shoulder": 1.0})["t"].p.tolist() == [0, 0, 2]


def test_the_worlds_own_link_stays_with_the_world():
    mechanism = lower(scene([link("a"), link(WORLD)], [joint("j", WORLD, "a")]))
    assert mechanism.v_order == (("j", 0),)
    assert by_name(mechanism.bodies)["a"].parent == ROOT


def test_a_kinematic_link_on_a_joint_moves_and_is_reported():
    mechanism = lower(scene([dataclasses.replace(link("a"), kinematic=True)], [joint("j", WORLD, "a")]))
    assert mechanism.v_order == (("j", 0),)
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.kinematic-in-joint"]


HEIGHT = 2.0


def pendulum():
    """Return a bar on a hinge below a kinematic link, far above the ground."""
    X_WL = Pose.of(p=(0, 0, HEIGHT))
    platform = dataclasses.replace(scenes.link("platform", X_WL=X_WL, shape=Sphere(radius=0.1)), kinematic=True)
    hinge = scenes.joint("hinge", "platform", "bar", xyz=(0, 1, 0))
    return scenes.scene([scenes.link("bar", X_WL=X_WL), platform], [hinge])


def test_mujoco_moves_a_kinematic_link_by_mocap_alone():
    model = compiled(to_mjcf(pendulum()))
    assert (model.nmocap, model.nv) == (1, 1)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 200)
    np.testing.assert_array_equal(data.body("platform").xpos, (0, 0, HEIGHT))
    assert abs(data.joint("hinge").qpos[0]) > 0.1
    data.mocap_pos[0] = (1.0, 0, HEIGHT)
    mujoco.mj_step(model, data)
    np.testing.assert_array_equal(data.body("platform").xpos, (1.0, 0, HEIGHT))
    np.testing.assert_allclose(data.body("bar").xpos, (1.0, 0, HEIGHT), atol=1e-12)


def test_pybullet_leaves_a_kinematic_link_where_it_is_put(bullet_client):
    pybullet.setGravity(0, 0, -9.8, physicsClientId=bullet_client)
    robot = load_into_pybullet(pendulum(), physicsClientId=bullet_client)
    for _ in range(200):
        robot.step()
    assert robot.link_pose("platform").p == pytest.approx((0, 0, HEIGHT), abs=1e-12)
    assert abs(robot.positions()["hinge"]) > 0.1
    pybullet.resetBasePositionAndOrientation(robot, (1.0, 0, HEIGHT), (0, 0, 0, 1), physicsClientId=bullet_client)
    robot.step()
    assert robot.link_pose("platform").p == pytest.approx((1.0, 0, HEIGHT), abs=1e-12)
