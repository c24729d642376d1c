"""Mass matrix and bias forces of PyBullet, against those of the mechanism."""

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet
from loaders.model import JointType
from tests.support.pybullet_states import TREES, loaded
from tests.support.scenes import (
    GRAVITY,
    MOVING,
    random_scene,
    random_state,
    relative,
    unstacked,
)

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
