"""What PyBullet itself computes: by its queries where they answer, by its steps where they do
not.
"""

import dataclasses

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet, lower
from bridge.targets.pybullet.dynamics import NoAnswerError, OwnDynamics
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType
from loaders.pose import Pose
from tests.support.scenes import GRAVITY, joint, link, random_scene, random_state, relative, scene


def loaded(client, source, seed=0):
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
    robot, mechanism, q, v = loaded(bullet_client, random_scene(seed, fixed=fixed), seed)
    own = OwnDynamics(robot.dynamics)
    a = np.random.default_rng(seed).normal(size=len(mechanism.v_order))
    assert relative(own.mass_matrix(), mechanism.mass_matrix(q)) <= 1e-11
    forces = mechanism.mass_matrix(q) @ a + mechanism.bias_forces(q, v, GRAVITY)
    assert relative(own.inverse_dynamics(a), forces) <= 1e-10


def test_a_single_free_link_is_queried(bullet_client):
    robot, mechanism, q, _ = loaded(bullet_client, random_scene(0, fixed=False, size=1))
    own = OwnDynamics(robot.dynamics)
    assert own.source == "query"
    assert relative(own.mass_matrix(), mechanism.mass_matrix(q)) <= 1e-12


@pytest.mark.parametrize(("excess", "source"), [(-1e-3, "query"), (1e-9, "steps"), (0.5, "steps")])
def test_an_inertia_that_pybullets_queries_refuse_is_measured_by_steps(
    bullet_client, excess, source
):
    robot, mechanism, q, v = loaded(bullet_client, needle(excess), 3)
    own = OwnDynamics(robot.dynamics)
    assert own.source == source
    assert own.mass_matrix()[0, 0] == pytest.approx(0.3 * (1.0 + excess) + 0.01, rel=1e-12)
    assert relative(own.inverse_dynamics(np.zeros(1)), mechanism.bias_forces(q, v, GRAVITY)) <= 1e-9


@pytest.mark.parametrize("kinds", [(JointType.REVOLUTE,), (JointType.BALL,)])
def test_another_mass_in_pybullet_is_in_its_answer_and_not_replaced(bullet_client, kinds):
    robot, mechanism, q, v = loaded(bullet_client, random_scene(1, fixed=True, kinds=kinds))
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
    robot, *_ = loaded(bullet_client, scene(links, joints))
    with pytest.raises(NoAnswerError, match="asymmetric by"):
        OwnDynamics(robot.dynamics).mass_matrix()
