"""Links without mass or inertia stay finite in PyBullet, and move as the mechanism where
possible.
"""

import numpy as np
import pybullet
import pytest

import bridge.targets.pybullet.partition
from bridge import load_into_pybullet
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType
from loaders.pose import Pose
from tests.support.scenes import codes, joint, link, scene


def robot(*elements):
    return f'<robot name="r">{"".join(elements)}</robot>'


def test_a_massless_free_base_falls(bullet_client):
    nothing = SpatialInertia.of(0.0)
    source = scene(
        [link("a", inertia=nothing), link("b")], [joint("j", "a", "b", JointType.REVOLUTE)]
    )
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    assert "lower.massless-free-link" in {entry.code for entry in robot.diagnostics}
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    for _ in range(24):
        pybullet.stepSimulation(bullet_client)
    assert robot.velocities()["a"][2] == pytest.approx(-0.981, rel=1e-6)


def _root_without_mass(moments=(0.0, 0.0, 0.0)):
    """A frame, welded to a heavy block that stands askew of it, from which an arm hangs."""
    askew = Pose.from_vector((0.2, -0.1, 0.3, 0.9, 0.1, -0.3, 0.2))
    block = SpatialInertia.of(2.0, (0.05, 0.0, -0.02), np.diag((0.03, 0.02, 0.025)))
    frame = SpatialInertia.of(0.0, I_Lcm=np.diag(moments))
    links = [
        link("frame", inertia=frame),
        link("block", inertia=block, X_WL=askew),
        link("arm", X_WL=askew),
    ]
    return scene(
        links,
        [
            joint("weld", "frame", "block", JointType.FIXED, X_PJ=askew),
            joint("hinge", "block", "arm"),
        ],
    )


@pytest.mark.parametrize("moments", [(0.0, 0.0, 0.0), (0.4, 0.5, 0.6)])
def test_a_base_without_mass_moves_as_exactly_as_the_link_that_is_welded_to_it(
    bullet_client, moments
):
    source = _root_without_mass(moments)
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    assert "pybullet.lent-inertia" in codes(robot)
    q = {"frame": (0.1, 0.2, 0.3, 0.5, -0.5, 0.5, 0.5), "hinge": 0.8}
    robot.set_positions(q)
    mechanism = bridge.lower(source)
    M = mechanism.mass_matrix(q)
    np.testing.assert_allclose(robot.mass_matrix(), M, rtol=0, atol=1e-12 * np.abs(M).max())
    held = {body.name: body.inertia.mass for body in robot.mechanism_from_pybullet().bodies}
    assert held == {"frame": 0.0, "block": 2.0, "arm": 1.0}
    verdict = bridge.compare(source, engines=("reference", "pybullet"), levels=("L0", "L1"))
    assert {row.outcome.value for row in verdict.rows} <= {"passed", "unknown"}


def _trunk_on_a_marker(products):
    """A marker of 1 mg, welded to a trunk that stands askew of it, from which an arm hangs."""
    askew = Pose.from_vector((0.2, -0.1, 0.3, 0.9, 0.1, -0.3, 0.2))
    trunk = SpatialInertia.of(5.0, (0.05, 0.0, -0.02), np.diag((0.03, 0.02, 0.025)))
    marker = SpatialInertia.of(1e-6, (0.01, 0.0, 0.0), products * np.ones((3, 3)))
    links = [
        link("marker", inertia=marker),
        link("imu"),
        link("trunk", inertia=trunk, X_WL=askew),
        link("arm", X_WL=askew),
    ]
    welds = [
        joint("i", "marker", "imu", JointType.FIXED),
        joint("weld", "marker", "trunk", JointType.FIXED, X_PJ=askew),
    ]
    return scene(links, [*welds, joint("hinge", "trunk", "arm")])


def test_a_heavy_link_holds_the_products_of_inertia_that_would_turn_a_tiny_base(bullet_client):
    source = _trunk_on_a_marker(1e-6)
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    assert "pybullet.moved-products" in codes(robot)
    assert not codes(robot) & {"pybullet.turned-base", "pybullet.base-without-inertia"}
    pybullet.resetBasePositionAndOrientation(robot, (0, 0, 0), (0, 0, 0, 1), bullet_client)
    np.testing.assert_allclose(robot.link_pose("marker").R, np.eye(3), atol=1e-12)
    q = {"marker": (0.1, 0.2, 0.3, 0.5, -0.5, 0.5, 0.5), "hinge": 0.8}
    robot.set_positions(q)
    mechanism = bridge.lower(source)
    M = mechanism.mass_matrix(q)
    assert robot.dynamics_source == "pybullet"
    np.testing.assert_allclose(robot.mass_matrix(), M, rtol=0, atol=1e-12 * np.abs(M).max())
    stated = {body.name: body.inertia for body in mechanism.bodies}
    for body in robot.mechanism_from_pybullet().bodies:
        assert body.inertia.mass == stated[body.name].mass
        np.testing.assert_allclose(
            body.inertia.I_Lcm, stated[body.name].I_Lcm, rtol=1e-10, atol=1e-16
        )
    verdict = bridge.compare(source, engines=("reference", "pybullet"), levels=("L0", "L1"))
    assert {row.outcome.value for row in verdict.rows} <= {"passed", "unknown"}


def test_products_of_inertia_that_a_welded_link_would_feel_stay_at_the_base(bullet_client):
    robot = load_into_pybullet(_trunk_on_a_marker(1e-4), physicsClientId=bullet_client)
    assert "pybullet.moved-products" not in codes(robot)
    assert "pybullet.turned-base" in codes(robot)


@pytest.mark.parametrize("mass", [0.0, 1.0])
def test_the_state_of_a_free_tree_without_moments_of_inertia_stays_finite(bullet_client, mass):
    base, nothing = SpatialInertia.of(mass), SpatialInertia.of(0.0)
    robot = load_into_pybullet(
        scene([link("a", inertia=base), link("b", inertia=nothing)], [joint("j", "a", "b")]),
        physicsClientId=bullet_client,
    )
    assert {"lower.massless-free-link", "lower.thin-link"} & {
        entry.code for entry in robot.diagnostics
    }
    for _ in range(24):
        pybullet.stepSimulation(bullet_client)
    assert np.isfinite(robot.link_pose("b").to_vector()).all()


def test_the_state_of_a_point_mass_as_base_stays_finite(bullet_client):
    source = scene(
        [link("a", inertia=SpatialInertia.of(1.0)), link("b")],
        [joint("j", "a", "b", JointType.FIXED)],
    )
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    assert "pybullet.base-without-inertia" in codes(robot)
    for _ in range(24):
        pybullet.stepSimulation(bullet_client)
    assert np.isfinite(robot.link_pose("b").to_vector()).all()


def test_the_state_of_a_ball_joint_without_inertia_stays_finite(bullet_client):
    point = SpatialInertia.of(1.0, (0, 0, -0.5))
    robot = load_into_pybullet(
        scene([link("a", inertia=point)], [joint("b", WORLD, "a", JointType.BALL)]),
        physicsClientId=bullet_client,
    )
    assert "pybullet.ball-without-inertia" in codes(robot)
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    for _ in range(100):
        pybullet.stepSimulation(bullet_client)
    assert np.isfinite(robot.link_pose("a").to_vector()).all()
