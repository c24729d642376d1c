"""PyBullet moves what `bridge.lower` describes: poses, operators, forces and trajectories by joint
name.
"""

import dataclasses

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet, lower
from bridge.mechanism.coordinates import joint_position
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Arc, Curve, JointAxis, JointType, SpringDamper
from loaders.pose import Pose, frozen
from tests.support.pybullet_states import TREES, loaded
from tests.support.scenes import (
    GRAVITY,
    codes,
    joint,
    link,
    random_scene,
    relative,
    scene,
    stacked,
    unstacked,
)

CHAINS = (
    JointType.REVOLUTE,
    JointType.PRISMATIC,
    JointType.UNIVERSAL,
    JointType.PLANAR,
    JointType.FIXED,
)


@pytest.mark.parametrize(("seed", "fixed"), TREES)
def test_every_link_stands_where_the_mechanism_has_it(bullet_client, seed, fixed):
    robot, mechanism, q, _ = loaded(bullet_client, random_scene(seed, fixed=fixed), seed)
    for name, pose in mechanism.link_poses(q).items():
        assert robot.link_pose(name).is_close(pose, 1e-12)


@pytest.mark.parametrize(("seed", "fixed"), TREES)
def test_positions_and_velocities_come_back_as_they_were_set(bullet_client, seed, fixed):
    robot, mechanism, q, v = loaded(bullet_client, random_scene(seed, fixed=fixed), seed)
    np.testing.assert_allclose(
        stacked(mechanism, robot.velocities()), stacked(mechanism, v), atol=1e-13
    )
    for name, position in robot.positions().items():
        same, opposite = np.atleast_1d(position), np.array(q[name])
        if len(opposite) in {4, 7} and same[-4] * opposite[-4] < 0:
            opposite[-4:] *= -1  # both quaternions are the same rotation
        np.testing.assert_allclose(same, opposite, atol=1e-13)


# --- in motion ------------------------------------------------------------------------------------


def semi_implicit_euler(mechanism, q, v, step, steps, damping=0.0):
    """Positions after so many steps, of a mechanism whose positions are the integrals of its
    velocities.
    """
    x, u = stacked(mechanism, q), stacked(mechanism, v)
    for _ in range(steps):
        at = unstacked(mechanism, x)
        bias = mechanism.bias_forces(at, unstacked(mechanism, u), GRAVITY)
        u = u + step * np.linalg.solve(mechanism.mass_matrix(at), -bias - damping * u)
        x = x + step * u
    return x


@pytest.mark.parametrize("damping", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(3))
def test_a_tree_swings_as_semi_implicit_euler_integrates_it(bullet_client, seed, damping):
    source = random_scene(seed, fixed=True, kinds=CHAINS, size=6, axis={"damping": damping})
    robot, mechanism, q, v = loaded(bullet_client, source, seed)
    pybullet.setTimeStep(1e-3, bullet_client)
    for _ in range(200):
        pybullet.stepSimulation(bullet_client)
    expected = semi_implicit_euler(mechanism, q, v, 1e-3, 200, damping)
    np.testing.assert_allclose(stacked(mechanism, robot.positions()), expected, atol=1e-12)


def test_a_spring_swings_at_its_frequency(bullet_client):
    slide = joint(
        "s",
        WORLD,
        "a",
        JointType.PRISMATIC,
        axis={"spring_stiffness": 4.0, "spring_reference": 0.5},
    )
    robot = load_into_pybullet(scene([link("a")], [slide]), physicsClientId=bullet_client)
    assert "pybullet.spring" in codes(robot)
    step = 1e-3
    pybullet.setTimeStep(step, bullet_client)
    x, u = 0.0, 0.0
    for _ in range(500):
        robot.step()
        u -= step * 4.0 * (x - 0.5)
        x += step * u
    assert robot.positions()["s"] == pytest.approx(x, abs=1e-12)
    assert robot.positions()["s"] == pytest.approx(0.5 - 0.5 * np.cos(2.0 * 0.5), abs=1e-3)


def test_a_link_without_gravity_stays_where_it_is(bullet_client):
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    robot = load_into_pybullet(scene([link("a", gravity=False)]), physicsClientId=bullet_client)
    for _ in range(50):
        robot.step()
    assert np.abs(robot.velocities()["a"]).max() <= 1e-12


def test_a_straight_spring_pulls_two_bodies_together_by_equal_forces(bullet_client):
    point = SpatialInertia.of(2.0, (0, 0, 0), 0.1 * np.eye(3))
    links = [link("a", inertia=point), link("b", inertia=point, X_WL=Pose.of(p=(3, 0, 0)))]
    zero = frozen((0, 0, 0))
    spring = SpringDamper(
        link_A="a", link_B="b", p_AP=zero, p_BQ=zero, free_length=1.0, stiffness=5.0, damping=0.5
    )
    bodies = load_into_pybullet(scene(links, forces=(spring,)), physicsClientId=bullet_client)
    pybullet.setTimeStep(1e-3, bullet_client)
    bodies.step()
    assert bodies.velocities()["a"][0] == pytest.approx(5.0 * 2.0 / 2.0 * 1e-3, abs=1e-12)
    assert bodies.velocities()["b"][0] == pytest.approx(-5.0 * 2.0 / 2.0 * 1e-3, abs=1e-12)


# --- joints of several primitives -----------------------------------------------------------------


def test_a_curve_of_one_arc_moves_by_its_length(bullet_client):
    curve = Curve(
        initial_tangent=frozen((1, 0, 0)),
        plane_normal=frozen((0, 0, 1)),
        arcs=(Arc(length=3.0, curvature=0.5),),
    )
    axis = (JointAxis(xyz=frozen((1, 0, 0)), lower=0.0, upper=3.0, damping=0.3),)
    rail = joint("r", WORLD, "a", JointType.CURVILINEAR, axes=axis, curve=curve)
    robot, mechanism, q, _ = loaded(bullet_client, scene([link("a")], [rail]))
    info = pybullet.getJointInfo(robot, robot.joints["r"], bullet_client)
    assert info[8:10] == (0.0, 1.5)  # rad
    assert info[6] == pytest.approx(0.3 / 0.25)
    assert robot.link_pose("a").is_close(mechanism.link_poses(q)["a"], 1e-12)
    assert relative(robot.mass_matrix(), mechanism.mass_matrix(q)) <= 1e-12


def test_ball_joints_and_reversed_ball_joints_keep_their_angular_velocity(bullet_client):
    round_link = SpatialInertia.of(1.0, (0, 0, 0), np.eye(3))
    for ends in ((WORLD, "a"), ("a", WORLD)):
        source = scene([link("a", inertia=round_link)], [joint("b", *ends, JointType.BALL)])
        robot = load_into_pybullet(source, physicsClientId=bullet_client)
        robot.set_velocities({"b": (0.0, 0.0, 2.0)})
        pybullet.setTimeStep(1e-3, bullet_client)
        for _ in range(100):
            pybullet.stepSimulation(bullet_client)
        w, x, y, z = robot.positions()["b"]
        assert 2 * np.arctan2(z, w) == pytest.approx(0.2, abs=1e-5)
        assert abs(x) + abs(y) <= 1e-9
        robot.remove()


def test_the_angle_of_a_screw_is_read(bullet_client):
    screw = joint("s", WORLD, "a", JointType.SCREW, pitch=0.02)
    robot, mechanism, _, _ = loaded(bullet_client, scene([link("a")], [screw]))
    robot.set_positions({"s": 3.0})
    assert robot.positions()["s"] == 3.0
    assert robot.link_pose("a").p[2] == pytest.approx(0.02 * 3.0 / (2 * np.pi), abs=1e-15)
    (body,) = mechanism.bodies
    assert joint_position(body, [(3.0,), (9.9,)]) == (3.0,)


def test_a_screw_without_pitch_is_a_hinge(bullet_client):
    screw = joint(
        "s",
        WORLD,
        "a",
        JointType.SCREW,
        pitch=0.0,
        axis={"damping": 0.1, "effort": 2.0, "velocity": 3.0},
    )
    robot, mechanism, q, _ = loaded(bullet_client, scene([link("a")], [screw]))
    assert relative(robot.mass_matrix(), mechanism.mass_matrix(q)) <= 1e-12
    for _ in range(10):
        pybullet.stepSimulation(bullet_client)
    assert robot.link_pose("a").p.tolist() == pytest.approx([0, 0, 0], abs=1e-15)


def test_reflected_inertia_is_reported_as_dropped(bullet_client):
    from loaders.model import Actuator

    source = dataclasses.replace(
        scene([link("a")], [joint("j", WORLD, "a")]),
        actuators=(Actuator(name="m", joint="j", gear_ratio=10.0, rotor_inertia=0.01),),
    )
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    assert "pybullet.rotor-inertia" in codes(robot)
    difference = lower(source).mass_matrix() - robot.mass_matrix()
    np.testing.assert_allclose(difference, [[1.0]], atol=1e-12)
