"""Pose, velocity and forces of the base, and positions, velocities and efforts as arrays in a fixed
order.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

from benchmarks.pybullet_loop import loaded as benchmark_robot
from bridge import load_into_pybullet, lower
from bridge.targets.pybullet import Bodies
from bridge.targets.pybullet.state import pose_of
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointAxis
from loaders.pose import Pose, matrix_to_quaternion, quaternion_to_matrix, rotation_about
from tests.support.pybullet_states import TREES, loaded
from tests.support.scenes import joint, link, random_scene, scene, stacked

# Pose, velocity and forces of the base in the frame of its link, also where PyBullet's own frame of
# the base is turned and moved.

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


# Positions, velocities and efforts as arrays in a fixed order; PyBullet's own functions and the
# mechanism are the witnesses.

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


@pytest.mark.parametrize("kind", ["free", "bodies"])
@pytest.mark.parametrize("name", ["a1/a1.urdf", "xarm/xarm6_robot.urdf"])
def test_arrays_of_free_robots_are_those_of_pybullets_functions(
    bullet_client: int, name: str, kind: str
) -> None:
    """Of one robot, or of a world of two in one handle; the base by products of matrices."""
    handle: Any = benchmark_robot(name, bullet_client, kind)
    robots = [handle] if kind == "free" else list(handle)
    rng = np.random.default_rng(0)
    q, v = handle.q + rng.uniform(-0.2, 0.2, len(handle.q)), rng.normal(size=len(handle.v))
    v[1:3] = 0.0  # a base that moves along one axis
    handle.set_motion(q, v)
    np.testing.assert_allclose(handle.v, v, atol=1e-12)
    handle.apply_efforts(rng.normal(size=len(v)))
    handle.hold()
    handle.step()
    q, v = handle.motion()
    np.testing.assert_array_equal(handle.q, q)
    np.testing.assert_array_equal(handle.v, v)
    expected = [in_pybullets_words(robot, bullet_client) for robot in robots]
    for found, k in ((q, 0), (v, 1), (handle.tau, 2)):
        np.testing.assert_allclose(found, np.concatenate([e[k] for e in expected]), atol=1e-9)
    assert np.abs(handle.tau).max() > 0.1
    handle.set_positions(q)
    for robot in robots:
        assert not np.any(pybullet.getBaseVelocity(robot, bullet_client))
    np.testing.assert_allclose(handle.q, q, atol=1e-12)
    assert not handle.v.any()


def in_pybullets_words(robot: Any, client: int) -> tuple[Any, Any, Any]:
    """Positions, velocities and efforts of a free robot, from PyBullet's functions."""
    joints = moving(client, robot)
    states = pybullet.getJointStates(robot, joints, client)
    X_WI = pose_of(*pybullet.getBasePositionAndOrientation(robot, client))
    X_WS = X_WI @ pose_of(*pybullet.getDynamicsInfo(robot, -1, client)[3:5]).inverse()
    linear, angular = map(np.array, pybullet.getBaseVelocity(robot, client))
    linear = linear + np.cross(angular, X_WS.p - X_WI.p)
    quaternion = np.array(matrix_to_quaternion(X_WS.R))
    quaternion *= np.sign(quaternion[0])
    return (
        [*X_WS.p, *quaternion, *(state[0] for state in states)],
        [*linear, *angular, *(state[1] for state in states)],
        [*np.zeros(6), *(state[3] for state in states)],
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
            "u",
            WORLD,
            "b",
            "universal",
            axes=axes,
            X_PJ=Pose.of(p=(3, 1, 1)),
            X_CJ=Pose.of(p=(0, 1, 0)),
        ),
    ]
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


WORLD_ROOT = """<robot name="r"><link name="world"/><link name="arm"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="0 0 1"/>
  <origin xyz="0.1 0 0.2"/></joint></robot>"""


def test_a_root_link_that_is_the_world_stands_at_the_base_position(
    bullet_client: int, tmp_path: Path
) -> None:
    """As the body of ``loadURDF``, of which the same is asked, also after it was moved."""
    (tmp_path / "r.urdf").write_text(WORLD_ROOT)
    place, server = (0.3, -0.2, 1.1), pybullet.connect(pybullet.DIRECT)
    robot = load_into_pybullet(
        tmp_path / "r.urdf", place, physicsClientId=bullet_client, quiet=True
    )
    native = pybullet.loadURDF(
        str(tmp_path / "r.urdf"), place, useFixedBase=True, physicsClientId=server
    )
    for to in (place, (1.0, 2.0, 3.0)):
        found = []
        for body, client in ((robot, bullet_client), (native, server)):
            pose = pybullet.getBasePositionAndOrientation(body, client)
            link = pybullet.getLinkState(body, 0, 0, 1, physicsClientId=client)[4:6]
            found.append(np.concatenate([*pose, *link]))
            pybullet.resetBasePositionAndOrientation(body, to, (0, 0, 0, 1), client)
        np.testing.assert_allclose(*found, atol=1e-7)
    np.testing.assert_allclose(robot.link_pose("arm").p, np.add((1, 2, 3), (0.1, 0, 0.2)))
    pybullet.disconnect(server)
