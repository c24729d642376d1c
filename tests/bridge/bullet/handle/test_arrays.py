"""Positions, velocities and efforts as arrays in a fixed order; PyBullet's own functions and the
mechanism are the witnesses.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet, lower
from bridge.targets.pybullet import Bodies
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointAxis
from loaders.pose import Pose
from tests.support.pybullet_states import TREES, loaded
from tests.support.scenes import joint, link, random_scene, scene, stacked

ROBOTS = (
    "franka_panda/panda.urdf",
    "kuka_iiwa/model.urdf",
    "a1/a1.urdf",
    "laikago/laikago.urdf",
    "xarm/xarm6_robot.urdf",
)


def in_order(order: Any, values: Any) -> np.ndarray[Any, Any]:
    return np.array([np.atleast_1d(values[name])[k] for name, k in order])


def moving(client: int, robot: Any) -> list[int]:
    """PyBullet's indices of the joints that move, in PyBullet's order."""
    count = pybullet.getNumJoints(robot, client)
    return [i for i in range(count) if pybullet.getJointInfo(robot, i, client)[2] != 4]


@pytest.mark.parametrize(("seed", "fixed"), TREES)
def test_arrays_have_the_numbers_of_the_state_in_the_order_that_is_named(
    bullet_client: int, seed: int, fixed: bool
) -> None:
    robot, mechanism, _, v = loaded(bullet_client, random_scene(seed, fixed=fixed), seed)
    assert robot.v_order == mechanism.v_order
    np.testing.assert_allclose(robot.v, stacked(mechanism, v), atol=1e-13)
    np.testing.assert_array_equal(robot.q, in_order(robot.q_order, robot.positions()))
    np.testing.assert_array_equal(robot.motion()[0], robot.q)
    np.testing.assert_array_equal(robot.motion()[1], robot.v)


@pytest.mark.parametrize(("seed", "fixed"), TREES)
def test_arrays_set_what_names_set(bullet_client: int, seed: int, fixed: bool) -> None:
    robot, mechanism, q, v = loaded(bullet_client, random_scene(seed, fixed=fixed), seed)
    array, rates = robot.motion()
    robot.reset()
    robot.set_motion(array, rates)
    np.testing.assert_allclose(robot.v, stacked(mechanism, v), atol=1e-13)
    for name, pose in mechanism.link_poses(q).items():
        assert robot.link_pose(name).is_close(pose, 1e-12)
    robot.set_positions(array)
    assert not robot.v.any()
    robot.set_velocities(rates)
    np.testing.assert_allclose(robot.v, stacked(mechanism, v), atol=1e-12)
    np.testing.assert_allclose(robot.q, array, atol=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
def test_arrays_of_a_robot_are_those_of_getjointstates(
    bullet_client: int, pybullet_robots: Path, name: str
) -> None:
    robot = load_into_pybullet(
        pybullet_robots / name, useFixedBase=True, physicsClientId=bullet_client, quiet=True
    )
    joints = moving(bullet_client, robot)
    names = [pybullet.getJointInfo(robot, i, bullet_client)[1].decode() for i in joints]
    assert [joint for joint, _ in robot.v_order] == names
    assert robot.q_order == robot.v_order
    values = np.linspace(-0.2, 0.3, len(joints))
    for index, value in zip(joints, values.tolist(), strict=True):
        pybullet.resetJointState(robot, index, value, 2.0 * value, bullet_client)
    np.testing.assert_array_equal(robot.q, values)
    np.testing.assert_array_equal(robot.v, 2.0 * values)
    robot.reset()
    robot.set_motion(values, 3.0 * values)
    states = pybullet.getJointStates(robot, joints, bullet_client)
    np.testing.assert_array_equal([state[0] for state in states], values)
    np.testing.assert_array_equal([state[1] for state in states], 3.0 * values)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("by_name", [False, True])
def test_commands_act_as_those_of_setjointmotorcontrolarray(
    bullet_client: int, pybullet_robots: Path, name: str, by_name: bool
) -> None:
    robot = load_into_pybullet(
        pybullet_robots / name, useFixedBase=True, physicsClientId=bullet_client, quiet=True
    )
    joints, efforts = moving(bullet_client, robot), np.linspace(0.1, 0.5, len(robot.v_order))
    start = pybullet.saveState(physicsClientId=bullet_client)
    pybullet.setJointMotorControlArray(
        robot, joints, pybullet.TORQUE_CONTROL, forces=efforts, physicsClientId=bullet_client
    )
    pybullet.stepSimulation(physicsClientId=bullet_client)
    expected = robot.v
    pybullet.restoreState(start, physicsClientId=bullet_client)
    names = [joint for joint, _ in robot.v_order]
    robot.apply_efforts(dict(zip(names, efforts.tolist(), strict=True)) if by_name else efforts)
    pybullet.stepSimulation(physicsClientId=bullet_client)
    assert expected.any()
    np.testing.assert_array_equal(robot.v, expected)


SLIDES = scene(
    [link("a"), link("b")],
    [
        joint("s", WORLD, "a", "prismatic", xyz=(1, 0, 0), axis={"effort": 5.0}),
        joint("t", WORLD, "b", "prismatic", xyz=(1, 0, 0)),
    ],
)


@pytest.mark.parametrize("form", [np.array, list, tuple])
def test_efforts_in_arrays_are_clipped_to_the_limits_of_the_file(
    bullet_client: int, form: Any
) -> None:
    """Both slides have 1 kg: the speed after one step is the effort times the step."""
    robot = load_into_pybullet(SLIDES, physicsClientId=bullet_client)
    robot.apply_efforts(form([-7.0, 7.0]))
    robot.step()
    np.testing.assert_allclose(robot.v * 240.0, [-5.0, 7.0], rtol=1e-9)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (np.zeros(3), ValueError, r"expected 2 \w+ in one array, or a mapping by name of joint"),
        (np.zeros((2, 1)), ValueError, r"expected 2 \w+ in one array"),
        ([1.0], ValueError, r"expected 2 \w+ in one array"),
        (1.0, ValueError, r"expected 2 \w+ in one array"),
        (np.array([0.0, math.nan]), ValueError, r"must be finite, not array\(\[ 0., nan\]\)"),
        ([math.inf, 0.0], ValueError, "must be finite"),
        (["1", "2"], TypeError, r"expected a mapping by name of joint, .* or an array of 2"),
        ([True, False], TypeError, "or an array of 2"),
        (None, TypeError, "or an array of 2"),
    ],
)
@pytest.mark.parametrize("call", ["set_positions", "set_velocities", "apply_efforts"])
def test_what_is_no_array_of_the_numbers_is_refused_without_effect(
    bullet_client: int, call: str, given: Any, error: type[Exception], message: str
) -> None:
    robot = load_into_pybullet(SLIDES, physicsClientId=bullet_client)
    pair = load_into_pybullet(scene([link("c"), link("d")]), physicsClientId=bullet_client)
    with pytest.raises(error, match=message):
        getattr(robot, call)(given)
    with (
        pytest.raises(TypeError, match="a mapping by name of joint")
        if given is None
        else (pytest.raises((ValueError, TypeError)))
    ):
        getattr(pair, call)(given)
    robot.step()
    assert not robot.q.any()
    assert not robot.v.any()


def test_arrays_of_several_bodies_are_in_the_order_of_their_mechanism(bullet_client: int) -> None:
    ball = SpatialInertia.of(1.0, (0, 0, 0), np.eye(3))
    places = {"a": Pose.of(), "b": Pose.of(p=(0, 2, 0)), "c": Pose.of(p=(0, 4, 0))}
    links = [link(name, X_WL=X, inertia=ball) for name, X in places.items()]
    source = scene(links, [joint("j", WORLD, "c")])
    bodies, mechanism = load_into_pybullet(source, physicsClientId=bullet_client), lower(source)
    assert isinstance(bodies, Bodies)
    pybullet.setGravity(0, 0, 0, physicsClientId=bullet_client)
    assert bodies.v_order == mechanism.v_order
    q = {"a": (1, 2, 3, 0, 1, 0, 0), "b": (4, 5, 6, 1, 0, 0, 0), "j": 0.3}
    v = {"a": (1, 2, 3, 4, 5, 6), "b": (7, 8, 9, 1, 2, 3), "j": 0.7}
    array, rates = in_order(bodies.q_order, q), in_order(bodies.v_order, v)
    bodies.set_motion(array, rates)
    assert bodies.positions() == {name: pytest.approx(value) for name, value in q.items()}
    assert bodies.velocities() == {name: pytest.approx(value) for name, value in v.items()}
    np.testing.assert_allclose(bodies.q, array, atol=1e-12)
    np.testing.assert_allclose(bodies.motion()[1], rates, atol=1e-12)
    bodies.set_positions(array)
    assert not bodies.v.any()
    forces = {"a": (6, 0, 0, 0, 0, 0), "b": (0, 12, 0, 0, 0, 0), "j": 0.0}
    bodies.apply_efforts(in_order(bodies.v_order, forces))
    bodies.step()
    assert bodies.velocities()["a"][0] * 240.0 == pytest.approx(6.0)
    assert bodies.velocities()["b"][1] * 240.0 == pytest.approx(12.0)


@pytest.mark.parametrize("name", ["franka_panda/panda.urdf", "laikago/laikago.urdf"])
def test_a_robot_that_is_held_stays_as_with_position_control(
    bullet_client: int, pybullet_robots: Path, name: str
) -> None:
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    robot = load_into_pybullet(
        pybullet_robots / name,
        useFixedBase=True,
        policy="pybullet",
        physicsClientId=bullet_client,
        quiet=True,
    )
    start = pybullet.saveState(physicsClientId=bullet_client)
    limits = [axis.limit for axis in robot.state.layout.axes]
    for index, limit in zip(moving(bullet_client, robot), limits, strict=True):
        assert limit == pybullet.getJointInfo(robot, index, bullet_client)[10]
        pybullet.setJointMotorControl2(
            robot,
            index,
            pybullet.POSITION_CONTROL,
            targetPosition=0.0,
            force=limit,
            physicsClientId=bullet_client,
        )
    for _ in range(240):
        robot.step()
    expected = robot.q
    assert np.abs(expected).max() < 0.01
    pybullet.restoreState(start, physicsClientId=bullet_client)
    robot.release()
    robot.hold()
    for _ in range(240):
        robot.step()
    np.testing.assert_array_equal(robot.q, expected)
    states = pybullet.getJointStates(robot, moving(bullet_client, robot), bullet_client)
    np.testing.assert_array_equal(robot.tau, [state[3] for state in states])
    assert in_order(robot.v_order, robot.efforts()).tolist() == robot.tau.tolist()
    robot.release()
    for _ in range(60):
        robot.step()
    assert np.abs(robot.q).max() > 0.05


def test_a_ball_joint_and_a_joint_with_several_axes_are_held(bullet_client: int) -> None:
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    axes = (JointAxis(xyz=np.array((1.0, 0, 0))), JointAxis(xyz=np.array((0, 1.0, 0))))
    links = [link("a", X_WL=Pose.of(p=(0, 0, 1))), link("b", X_WL=Pose.of(p=(3, 0, 1)))]
    joints = [
        joint("ball", WORLD, "a", "ball", X_PJ=Pose.of(p=(0, 1, 1)), X_CJ=Pose.of(p=(0, 1, 0))),
        joint(
            "u", WORLD, "b", "universal", axes=axes, X_PJ=Pose.of(p=(3, 1, 1)),
            X_CJ=Pose.of(p=(0, 1, 0)),
        ),
    ]  # fmt: skip
    robot = load_into_pybullet(scene(links, joints), physicsClientId=bullet_client, quiet=True)
    start = robot.q
    robot.hold()
    for _ in range(240):
        robot.step()
    np.testing.assert_allclose(robot.q, start, atol=0.01)
    np.testing.assert_allclose(robot.tau, robot.bias_forces(), atol=0.05)
    robot.release()
    for _ in range(60):
        robot.step()
    assert np.abs(robot.q - start).max() > 0.1
