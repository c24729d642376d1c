"""PyBullet moves what `bridge.lower` describes: poses, efforts, split links, and robots as in
MuJoCo.
"""

import dataclasses
import math
import runpy
from pathlib import Path

import mujoco
import numpy as np
import pybullet
import pytest

import bridge
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
    random_state,
    relative,
    scene,
    stacked,
    unstacked,
)

# Robots that people have, falling and swinging for a second without contact: PyBullet against
# MuJoCo.

TRAJECTORIES = runpy.run_path(str(Path(__file__).parents[4] / "benchmarks" / "trajectories.py"))
bare, difference, slope, steps = (
    TRAJECTORIES[name] for name in ("bare", "difference", "slope", "STEPS")
)


@pytest.mark.parametrize("name", ["kuka_iiwa/model.urdf", "franka_panda/panda.urdf", "a1/a1.urdf"])
def test_robots_on_a_fixed_base_move_as_in_mujoco(pybullet_robots, name):
    assert difference(bare(pybullet_robots / name, fixed=True), steps[0]) <= 1e-9


@pytest.mark.parametrize("name", ["laikago/laikago_toes.urdf", "a1/a1.urdf"])
def test_robots_on_a_floating_base_come_nearer_to_mujoco_in_first_order_of_the_step(
    pybullet_robots, name
):
    mechanism = bare(pybullet_robots / name, fixed=False)
    differences = [difference(mechanism, step) for step in steps]
    assert differences[0] <= 1e-4
    assert slope(differences) == pytest.approx(1.0, abs=0.02)


def test_a_floating_base_whose_origin_is_its_center_of_mass_moves_as_in_mujoco(pybullet_robots):
    differences = [difference(bare(pybullet_robots / "r2d2.urdf", fixed=False), steps[0])]
    assert max(differences) <= 1e-9
    assert math.isnan(slope(differences))


# PyBullet moves what `bridge.lower` describes: poses, operators, forces and trajectories by joint
# name.

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


# Efforts accelerate joints as the mass matrix predicts, up to their limits.


def efforts_loaded(client, source, seed=0, **options):
    """A source in PyBullet, its mechanism, and a random state that it is in."""
    pybullet.setGravity(*GRAVITY, physicsClientId=client)
    mechanism = source if hasattr(source, "v_order") else lower(source)
    robot = load_into_pybullet(mechanism, physicsClientId=client, **options)
    q, v = random_state(mechanism, seed)
    robot.set_positions(q)
    robot.set_velocities(v)
    return robot, mechanism, q, v


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_efforts_accelerate_as_the_mass_matrix_says(bullet_client, seed, fixed):
    kinds = (JointType.BALL, JointType.REVOLUTE, JointType.UNIVERSAL, JointType.PLANAR)
    robot, mechanism, q, v = efforts_loaded(
        bullet_client, random_scene(seed, fixed=fixed, kinds=kinds, size=5), seed
    )
    step = 1e-6
    pybullet.setTimeStep(step, bullet_client)
    efforts = np.random.default_rng(seed).normal(size=len(mechanism.v_order))
    robot.apply_efforts(unstacked(mechanism, efforts))
    pybullet.stepSimulation(bullet_client)
    change = (stacked(mechanism, robot.velocities()) - stacked(mechanism, v)) / step
    expected = np.linalg.solve(
        mechanism.mass_matrix(q), efforts - mechanism.bias_forces(q, v, GRAVITY)
    )
    np.testing.assert_allclose(
        change, expected, atol=1e-4 * np.abs(expected).max()
    )  # velocities turn with their frames


def test_efforts_are_cut_to_the_limit_of_the_joint(bullet_client):
    slide = joint("s", WORLD, "a", JointType.PRISMATIC, axis={"effort": 3.0})
    robot = load_into_pybullet(scene([link("a")], [slide]), physicsClientId=bullet_client)
    robot.apply_efforts({"s": -100.0})
    pybullet.setTimeStep(0.01, bullet_client)
    pybullet.stepSimulation(bullet_client)
    assert robot.velocities()["s"] == pytest.approx(-0.03, abs=1e-12)


def test_efforts_and_springs_add_up(bullet_client):
    slide = joint(
        "s",
        WORLD,
        "a",
        JointType.PRISMATIC,
        axis={"spring_stiffness": 4.0, "spring_reference": 0.5},
    )
    robot = load_into_pybullet(scene([link("a")], [slide]), physicsClientId=bullet_client)
    pybullet.setTimeStep(1e-2, bullet_client)
    robot.apply_efforts({"s": 1.0})
    robot.step()
    assert robot.velocities()["s"] == pytest.approx((1.0 + 2.0) * 1e-2, abs=1e-12)


@pytest.mark.parametrize("length", [0.0, 0.5, 1.0, 2.0])
def test_a_spring_of_any_length_accelerates_its_end_and_one_without_length_has_no_direction(
    bullet_client, length
):
    point = SpatialInertia.of(2.0, (0, 0, 0), 0.1 * np.eye(3))
    zero = frozen((0, 0, 0))
    spring = SpringDamper(
        link_A=WORLD, link_B="a", p_AP=zero, p_BQ=zero, free_length=0.25, stiffness=5.0, damping=0.5
    )
    source = scene([link("a", inertia=point, X_WL=Pose.of(p=(length, 0, 0)))], forces=(spring,))
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    pybullet.setTimeStep(1e-3, physicsClientId=bullet_client)
    robot.step()
    acceleration = -5.0 * (length - 0.25) / 2.0 if length else 0.0
    np.testing.assert_allclose(
        robot.velocities()["a"], (acceleration * 1e-3, 0, 0, 0, 0, 0), atol=1e-12
    )


# Links split across several bodies: masses, alignment and separation in motion.

ROD = SpatialInertia.of(0.1, (0.05, 0, 0), np.diag((1e-5, 1e-4, 1e-4)))


def whip(count, *, fixed=True):
    """A chain of hinges in turns about y and askew of it."""
    links = [link(f"l{i}", inertia=ROD) for i in range(count)]
    axes = [(0, 1, 0) if i % 2 else (0, 0.6, 0.8) for i in range(count)]
    joints = [
        joint(f"j{i}", f"l{i - 1}", f"l{i}", xyz=axes[i], X_PJ=Pose.of(p=(0.1, 0, 0)))
        for i in range(1, count)
    ]
    return scene(links, [joint("j0", WORLD, "l0", xyz=(0, 1, 0)), *joints] if fixed else joints)


def test_a_link_that_is_cut_keeps_its_mass_and_the_speed_of_its_carrier(bullet_client):
    bodies = load_into_pybullet(whip(300), physicsClientId=bullet_client)
    _, v = random_state(bodies.mechanism, 5)
    bodies.set_velocities(v)
    halves = [body for body in bodies if body.split_link is not None]
    assert [body.split_link for body in halves] == ["l57", "l178"]
    for body in halves:
        carrier = bodies.with_link(body.split_link)
        parts = (
            pybullet.getDynamicsInfo(carrier, carrier.links[body.split_link], bullet_client)[0],
            pybullet.getDynamicsInfo(body, -1, bullet_client)[0],
        )
        assert parts == pytest.approx((0.05, 0.05))
        state = pybullet.getLinkState(carrier, carrier.links[body.split_link], 1, 1, bullet_client)
        np.testing.assert_allclose(
            pybullet.getBaseVelocity(body, bullet_client), state[6:8], atol=1e-9
        )
    assert max(max(separation) for separation in bodies.link_separation().values()) <= 1e-9


def fallen(bodies, client, seconds, step):
    """The largest separation on the way."""
    pybullet.setGravity(0, 0, -9.81, physicsClientId=client)
    pybullet.setTimeStep(step, client)
    worst = 0.0
    for k in range(round(seconds / step)):
        pybullet.stepSimulation(client)
        if k % 10 == 0:
            worst = max(
                worst, *(separation.distance for separation in bodies.link_separation().values())
            )
    return worst


def test_a_long_chain_in_several_bodies_moves_as_in_one_body(bullet_client, monkeypatch):
    """40 hinges, 4 m, in two bodies: against the same whip in one, and against MuJoCo."""
    source = whip(40)
    whole = load_into_pybullet(source, physicsClientId=bullet_client)
    monkeypatch.setattr(bridge.targets.pybullet.articulation, "MAX_COORDINATES", 20)
    other = pybullet.connect(pybullet.DIRECT)
    bodies = load_into_pybullet(source, physicsClientId=other)
    assert len(bodies) == 2
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    pybullet.setTimeStep(1e-3, bullet_client)
    worst = fallen(bodies, other, 0.3, 1e-3)
    for _ in range(300):
        pybullet.stepSimulation(bullet_client)
    reference = _in_mujoco(source, 0.3, 1e-4)
    ours, single = bodies.link_pose("l39").p, whole.link_pose("l39").p
    pybullet.disconnect(other)
    assert worst <= 5e-5
    assert np.linalg.norm(ours - single) <= 2e-3
    assert np.linalg.norm(ours - reference) <= 5e-3


def _in_mujoco(source, seconds, step):
    """Return the position of the last link."""
    model = bridge.to_mjspec(source).compile()
    model.opt.timestep = step
    model.opt.gravity = (0, 0, -9.81)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(seconds / step))
    mujoco.mj_forward(model, data)
    return data.body("l39").xpos.copy()


def test_the_gap_between_the_bodies_of_a_long_chain_falls_with_the_square_of_the_step():
    worst = {}
    for step in (2e-3, 1e-3):
        client = pybullet.connect(pybullet.DIRECT)
        worst[step] = fallen(
            load_into_pybullet(whip(130), physicsClientId=client), client, 0.2, step
        )
        pybullet.disconnect(client)
    assert worst[1e-3] <= 1e-4
    assert worst[2e-3] / worst[1e-3] == pytest.approx(4.0, rel=0.3)
