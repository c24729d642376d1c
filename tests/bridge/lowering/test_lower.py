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
    X_AXIS,
    Y_AXIS,
    Z_AXIS,
    Actuator,
    JointAxis,
    JointType,
    Model,
    Sphere,
    Tendon,
    TendonPart,
    TendonPartType,
    by_name,
)
from loaders.pose import IDENTITY, Pose
from tests.support import scenes
from tests.support.mujoco_oracle import compiled
from tests.support.simple_scenes import joint, link, scene


def test_a_free_link_with_the_name_of_a_joint_is_distinguished():
    mechanism = lower(scene([link("base"), link("arm")], [joint("base", "base", "arm")]))
    assert [body.joint for body in mechanism.bodies] == ["_base", "base"]


def test_static_models_are_held_where_they_stand():
    statue = Model(name="statue", X_WM=IDENTITY, canonical_link="s", static=True)
    links = [
        link("s", model="statue", p=(0, 0, 1)),
        link("t", model="statue", p=(0, 0, 2)),
        link("arm", p=(0, 0, 3)),
    ]
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
    mechanism = lower(
        scene([dataclasses.replace(link("a"), kinematic=True)], [joint("j", WORLD, "a")])
    )
    assert mechanism.v_order == (("j", 0),)
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.kinematic-in-joint"]


HEIGHT = 2.0


def pendulum():
    """Return a bar on a hinge below a kinematic link, far above the ground."""
    X_WL = Pose.of(p=(0, 0, HEIGHT))
    platform = dataclasses.replace(
        scenes.link("platform", X_WL=X_WL, shape=Sphere(radius=0.1)), kinematic=True
    )
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
    pybullet.resetBasePositionAndOrientation(
        robot, (1.0, 0, HEIGHT), (0, 0, 0, 1), physicsClientId=bullet_client
    )
    robot.step()
    assert robot.link_pose("platform").p == pytest.approx((1.0, 0, HEIGHT), abs=1e-12)


def reflected(kind, axes, **rest):
    """The diagonal that rotors and axes add to the mass matrix of one joint."""
    parts = {
        "actuators": (Actuator(name="m", joint="j", gear_ratio=3.0, rotor_inertia=0.1),),
        **rest,
    }
    with_rotor = lower(scene([link("a")], [joint("j", WORLD, "a", kind, axes=axes)], **parts))
    without = lower(scene([link("a")], [joint("j", WORLD, "a", kind, axes=axes)]))
    added = with_rotor.mass_matrix() - without.mass_matrix()
    np.testing.assert_allclose(added, np.diag(np.diag(added)), atol=1e-15)
    return np.diag(added)


@pytest.mark.parametrize(
    "kind", [JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.SCREW]
)
def test_a_rotor_is_felt_with_the_square_of_its_gear_ratio(kind):
    """The rotor turns three times as fast as the joint: its energy is ``(0.1 * 3^2) / 2`` times the
    squared rate.
    """
    np.testing.assert_allclose(reflected(kind, (Z_AXIS,)), [0.9], rtol=1e-15)


def test_an_actuator_turns_the_one_velocity_of_its_joint_only():
    np.testing.assert_array_equal(reflected(JointType.UNIVERSAL, (X_AXIS, Y_AXIS)), [0.0, 0.0])
    np.testing.assert_array_equal(reflected(JointType.BALL, ()), [0.0, 0.0, 0.0])


def test_inertia_that_axes_state_is_felt_at_the_velocity_of_its_axis():
    axes = tuple(
        JointAxis(xyz=xyz, inertia=value)
        for xyz, value in ((X_AXIS, 0.1), (Y_AXIS, 0.2), (Z_AXIS, 0.4))
    )

    def inertia(kind, count):
        moved = dataclasses.replace(joint("j", WORLD, "a", kind), axes=axes[:count])
        return lower(scene([link("a")], [moved])).bodies[0].reflected_inertia

    assert inertia(JointType.PLANAR, 3) == (0.1, 0.2, 0.4)
    assert inertia(JointType.UNIVERSAL, 2) == (0.1, 0.2)
    assert inertia(JointType.BALL, 1) == (0.1, 0.1, 0.1)
    assert inertia(JointType.FLOATING, 2) == (0.1, 0.1, 0.1, 0.2, 0.2, 0.2)
    assert inertia(JointType.SCREW, 1) == (0.1,)


def test_inertia_of_tendons_that_no_two_branches_move_is_not_reported():
    """One end on the world, both ends on one link, or both on a chain."""
    links = [link("a"), link("b", p=(0, 0, 1)), link("c", p=(0, 0, 2))]
    joints = [joint(f"a{x.name}", "a", x.name, X_PJ=x.X_WL) for x in links[1:]]

    def codes(one, two):
        ends = tuple(
            TendonPart(type=TendonPartType.POINT, link=name, X_LP=Pose.of(p=(x, 0, 0)))
            for x, name in enumerate((one, two))
        )
        mechanism = lower(
            scene(links, joints, tendons=(Tendon(name="t", parts=ends, inertia=0.1),))
        )
        return [entry.code for entry in mechanism.diagnostics]

    assert codes(WORLD, WORLD) == codes("a", "a") == codes(WORLD, "b") == codes("a", "c") == []
    assert codes("b", "c") == ["lower.tendon-inertia"]


@pytest.mark.parametrize("given", ["arm.sdf", None, 3])
def test_something_else_than_a_scene_is_refused(given):
    with pytest.raises(
        TypeError, match=r"expected a Scene, not \w+; sdfbridge.load\(path\) returns one"
    ):
        lower(given)
