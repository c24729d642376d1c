"""Efforts accelerate joints as the mass matrix predicts, up to their limits."""

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet, lower
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType, SpringDamper
from loaders.pose import Pose, frozen
from tests.support.scenes import (
    GRAVITY,
    joint,
    link,
    random_scene,
    random_state,
    scene,
    stacked,
    unstacked,
)


def loaded(client, source, seed=0, **options):
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
    robot, mechanism, q, v = loaded(
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
