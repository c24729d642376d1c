"""Mass matrix, bias forces and accelerations: of PyBullet's queries and steps, the mechanism and
closed forms.
"""

import dataclasses
import math

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet, lower
from bridge.targets.pybullet.dynamics import (
    NoAnswerError,
    OwnDynamics,
    stepped_accelerations,
    stepped_mass_matrix,
    with_independent_axes,
)
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType, Sphere
from loaders.pose import Pose
from tests.support.pybullet_states import TREES, loaded
from tests.support.scenes import (
    GRAVITY,
    MOVING,
    joint,
    link,
    random_scene,
    random_state,
    relative,
    scene,
    unstacked,
)

# The mass matrix and accelerations that PyBullet's steps show, against closed forms; the server is
# left as it was.

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
    assert stepped_mass_matrix(robot.state, nominal, robot.state.articulation) == pytest.approx(
        AT_PIVOT, abs=1e-12
    )


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
    found = stepped_accelerations(robot.state, torque, (0.0, 0.0, -10.0), robot.state.articulation)
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
    error = stepped_mass_matrix(robot.state, expected, robot.state.articulation) - expected
    assert np.abs(error).max() <= 1e-11 * np.abs(expected).max()
    a = stepped_accelerations(robot.state, forces, GRAVITY, robot.state.articulation)
    assert np.abs(a).max() <= 1e-8
    for name, value in before[0].items():
        assert robot.positions()[name] == pytest.approx(value, abs=1e-12)
        assert robot.velocities()[name] == pytest.approx(before[1][name], abs=1e-12)
    assert pybullet.getPhysicsEngineParameters(bullet_client) == before[2]
    pybullet.stepSimulation(bullet_client)
    assert pybullet.getContactPoints(physicsClientId=bullet_client)


# Mass matrix and bias forces of PyBullet, against those of the mechanism.

NO_BALL = tuple(kind for kind in MOVING if kind is not JointType.BALL)


@pytest.mark.parametrize(("seed", "fixed"), TREES)
def test_mass_matrix_and_bias_forces_are_those_of_the_mechanism(bullet_client, seed, fixed):
    robot, mechanism, q, v = loaded(bullet_client, random_scene(seed, fixed=fixed), seed)
    assert relative(robot.mass_matrix(), mechanism.mass_matrix(q)) <= 1e-12
    assert relative(robot.bias_forces(), mechanism.bias_forces(q, v, GRAVITY)) <= 1e-12
    assert relative(robot.bias_forces((1, 2, 3)), mechanism.bias_forces(q, v, (1, 2, 3))) <= 1e-12


@pytest.mark.parametrize("fixed", [True, False])
def test_without_balls_the_operators_are_pybullets_own_numbers(bullet_client, fixed):
    robot, mechanism, q, v = loaded(bullet_client, random_scene(0, fixed=fixed, kinds=NO_BALL), 1)
    assert robot.dynamics_source == "pybullet"
    a = np.random.default_rng(3).normal(size=len(mechanism.v_order))
    forces = mechanism.mass_matrix(q) @ a + mechanism.bias_forces(q, v, GRAVITY)
    assert relative(robot.inverse_dynamics(unstacked(mechanism, a)), forces) <= 1e-12


def test_with_a_ball_the_operators_follow_from_the_inertias_that_pybullet_holds(bullet_client):
    robot, _, _, _ = loaded(bullet_client, random_scene(0, fixed=True, kinds=(JointType.BALL,)))
    assert robot.dynamics_source == "readback"
    before = robot.mass_matrix()
    pybullet.changeDynamics(robot, robot.links["l1"], mass=50.0, physicsClientId=bullet_client)
    assert relative(robot.mass_matrix(), before) > 0.1


def test_a_stale_tree_inside_pybullet_is_noticed(bullet_client):
    for seed in range(4):  # a body at the address of a removed one gets its inverse dynamics
        robot, mechanism, q, _ = loaded(
            bullet_client, random_scene(seed, fixed=True, kinds=NO_BALL), seed
        )
        assert relative(robot.mass_matrix(), mechanism.mass_matrix(q)) <= 1e-12
        robot.remove()


def test_a_rotated_fixed_base_has_gravity_in_the_right_direction(bullet_client):
    source = random_scene(2, fixed=False, kinds=NO_BALL)
    robot, _, _, _ = loaded(bullet_client, source)
    robot.remove()
    fixed = load_into_pybullet(source, physicsClientId=bullet_client, useFixedBase=True)
    q, v = random_state(fixed.mechanism, 5)
    fixed.set_positions(q)
    fixed.set_velocities(v)
    assert relative(fixed.bias_forces(), fixed.mechanism.bias_forces(q, v, GRAVITY)) <= 1e-12
    parameters = pybullet.getPhysicsEngineParameters(bullet_client)
    assert tuple(parameters[f"gravityAcceleration{axis}"] for axis in "XYZ") == GRAVITY


# What PyBullet itself computes: by its queries where they answer, by its steps where they do not.


def own_dynamics_loaded(client, source, seed=0):
    pybullet.setGravity(*GRAVITY, physicsClientId=client)
    mechanism = lower(source)
    robot = load_into_pybullet(mechanism, physicsClientId=client)
    q, v = random_state(mechanism, seed)
    robot.set_positions(q)
    robot.set_velocities(v)
    return robot, mechanism, q, v


def needle(excess):
    """A link on a hinge whose largest moment of inertia exceeds the sum of the others by a
    fraction.
    """
    inertia = SpatialInertia.of(1.0, (0.1, 0.0, 0.0), np.diag((0.1, 0.2, 0.3 * (1.0 + excess))))
    return scene([link("a", inertia=inertia)], [joint("j", WORLD, "a", axis={"damping": 2.0})])


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_joints_of_all_kinds_have_the_dynamics_of_the_mechanism(bullet_client, seed, fixed):
    robot, mechanism, q, v = own_dynamics_loaded(
        bullet_client, random_scene(seed, fixed=fixed), seed
    )
    own = OwnDynamics(robot.dynamics)
    a = np.random.default_rng(seed).normal(size=len(mechanism.v_order))
    assert relative(own.mass_matrix(), mechanism.mass_matrix(q)) <= 1e-11
    forces = mechanism.mass_matrix(q) @ a + mechanism.bias_forces(q, v, GRAVITY)
    assert relative(own.inverse_dynamics(a), forces) <= 1e-10


def test_a_single_free_link_is_queried(bullet_client):
    robot, mechanism, q, _ = own_dynamics_loaded(
        bullet_client, random_scene(0, fixed=False, size=1)
    )
    own = OwnDynamics(robot.dynamics)
    assert own.source == "query"
    assert relative(own.mass_matrix(), mechanism.mass_matrix(q)) <= 1e-12


@pytest.mark.parametrize(("excess", "source"), [(-1e-3, "query"), (1e-9, "steps"), (0.5, "steps")])
def test_an_inertia_that_pybullets_queries_refuse_is_measured_by_steps(
    bullet_client, excess, source
):
    robot, mechanism, q, v = own_dynamics_loaded(bullet_client, needle(excess), 3)
    own = OwnDynamics(robot.dynamics)
    assert own.source == source
    assert own.mass_matrix()[0, 0] == pytest.approx(0.3 * (1.0 + excess) + 0.01, rel=1e-12)
    assert relative(own.inverse_dynamics(np.zeros(1)), mechanism.bias_forces(q, v, GRAVITY)) <= 1e-9


@pytest.mark.parametrize(
    "moments",
    [(0.1, 0.2, 0.3), (0.1, 0.2, 0.3 + 1e-15), (0.9, 0.2, 0.3), (-0.1, 0.2, 0.3), (0.0, 0.2, 0.2)],
)
@pytest.mark.parametrize("place", ["base", "welded", "hinged"])
@pytest.mark.parametrize("fixed", [True, False])
def test_a_body_that_pybullets_queries_refuse_is_reported(bullet_client, moments, place, fixed):
    source = scene(
        [link("base"), link("welded"), link("hinged"), link("last")],
        [
            joint("w", "base", "welded", JointType.FIXED),
            joint("j", "welded", "hinged"),
            joint("k", "hinged", "last"),
        ],
    )
    inertia = SpatialInertia.of(1.0, I_Lcm=np.diag(moments))
    links = [
        dataclasses.replace(each, inertia=inertia if each.name == place else each.inertia)
        for each in source.links
    ]
    source = dataclasses.replace(source, links=tuple(links))
    robot = load_into_pybullet(
        source, useFixedBase=fixed, physicsClientId=bullet_client, quiet=True
    )
    reported = [entry for entry in robot.diagnostics if entry.code == "pybullet.refused-inertia"]
    try:
        pybullet.calculateMassMatrix(robot, [0.1, 0.2], physicsClientId=bullet_client)
        refused = False
    except SystemError:
        refused = True
    assert [entry.subjects for entry in reported] == [(place,)] * refused


@pytest.mark.parametrize("kinds", [(JointType.REVOLUTE,), (JointType.BALL,)])
def test_another_mass_in_pybullet_is_in_its_answer_and_not_replaced(bullet_client, kinds):
    robot, mechanism, q, v = own_dynamics_loaded(
        bullet_client, random_scene(1, fixed=True, kinds=kinds)
    )
    pybullet.changeDynamics(robot, robot.links["l3"], mass=1.01 * mechanism.bodies[3].inertia.mass)
    own = OwnDynamics(robot.dynamics)
    assert relative(own.mass_matrix(), mechanism.mass_matrix(q)) > 1e-5
    forces = mechanism.bias_forces(q, v, GRAVITY)
    assert relative(own.inverse_dynamics(np.zeros(len(forces))), forces) > 1e-5


def test_a_link_without_inertia_on_a_ball_tree_has_no_answer(bullet_client):
    ball = random_scene(0, fixed=True, kinds=(JointType.BALL,), size=2)
    tip = link("tip", inertia=SpatialInertia.of(0.0))
    hinge = joint("tip_joint", "l1", "tip")
    source = dataclasses.replace(ball, links=(*ball.links, tip), joints=(*ball.joints, hinge))
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    with pytest.raises(NoAnswerError, match="link without inertia"):
        OwnDynamics(robot.dynamics).mass_matrix()


def test_steps_that_rounding_errors_spoil_are_no_answer(bullet_client):
    """A ball joint that carries a link of 1e-9 kg m^2, and a solid link behind another: condition
    1e9.
    """
    solid = SpatialInertia.of(1.0, (0.1, 0.02, -0.05), np.diag((0.1, 0.12, 0.13)))
    names = (WORLD, "l0", "l1", "l2")
    links = [link("l0", inertia=solid), link("l1", inertia=None), link("l2", inertia=solid)]
    offset = Pose.of(p=(0.2, 0.1, 0.3))
    joints = [joint(f"j{i}", names[i], names[i + 1], JointType.BALL, X_PJ=offset) for i in range(3)]
    robot, *_ = own_dynamics_loaded(bullet_client, scene(links, joints))
    with pytest.raises(NoAnswerError, match="asymmetric by"):
        OwnDynamics(robot.dynamics).mass_matrix()


# The axes of a PyBullet body that share a velocity in the mechanism.


def test_a_screw_has_an_angle_and_a_length_of_its_own(bullet_client):
    screw = joint("screw", WORLD, "a", JointType.SCREW, pitch=0.5)
    robot = load_into_pybullet(scene([link("a")], [screw]), physicsClientId=bullet_client)
    robot.set_velocities({"screw": 2.0})
    state, G = with_independent_axes(robot.state)
    assert state.articulation.mechanism.v_order == (("screw", 0), ("screw", 1))
    assert G.ravel() == pytest.approx([1.0, 0.5 / math.tau])
    assert state.velocities()["screw"] == pytest.approx([2.0, 2.0 * 0.5 / math.tau])


def damped_screw_behind_a_ball():
    """A body whose dynamics PyBullet's steps show, since its queries refuse balls."""
    inertia = SpatialInertia.of(1.0, (0.1, 0.0, 0.0), np.diag((0.1, 0.1, 0.1)))
    return scene(
        [link("a", inertia=inertia), link("b", inertia=inertia)],
        [
            joint("ball", WORLD, "a", JointType.BALL),
            joint("screw", "a", "b", JointType.SCREW, pitch=0.2, axis={"damping": 0.5}),
        ],
    )


@pytest.mark.parametrize("query", ["mass_matrix", "inverse_dynamics"])
def test_a_query_leaves_the_damping_of_a_screw_to_its_hinge_alone(bullet_client, query):
    """PyBullet steps to the same bits before and after; the slide of a screw has no damping."""
    robot = load_into_pybullet(damped_screw_behind_a_ball(), physicsClientId=bullet_client)
    robot.apply_physics()
    q, v = random_state(robot.mechanism, 4)
    after = []
    for number in range(2):
        own = OwnDynamics(robot.dynamics)
        assert own.source == "steps"
        if number:
            own.mass_matrix() if query == "mass_matrix" else own.inverse_dynamics(np.zeros(4))
        robot.set_positions(q)
        robot.set_velocities(v)
        robot.step()
        after.append(robot.velocities())
    assert after[0] == after[1]


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
