"""Couplings, screws and kinematic loops as PyBullet's solver holds them."""

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet, lower
from bridge.parity.reference import accelerations
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, BallConstraint, Coupling, JointType
from loaders.pose import IDENTITY, Pose, frozen
from tests.support.scenes import codes, joint, link, scene

ROOT = joint("root", WORLD, "a", JointType.FIXED)


def run(client, seconds, step=1e-3):
    pybullet.setGravity(0, 0, -9.81, physicsClientId=client)
    pybullet.setTimeStep(step, client)
    for _ in range(round(seconds / step)):
        pybullet.stepSimulation(client)
        yield


@pytest.mark.parametrize("serial", [True, False])
@pytest.mark.parametrize("kind", [JointType.REVOLUTE, JointType.PRISMATIC])
@pytest.mark.parametrize("multiplier", [2.0, -0.5, 1.0, 0.0])
@pytest.mark.parametrize("offset", [0.0, 0.1])
def test_a_follower_follows(bullet_client, multiplier, offset, kind, serial):
    coupling = Coupling(follower="f", leader="l", multiplier=multiplier, offset=offset)
    joints = [
        ROOT,
        joint("l", "a", "b", xyz=(0, 1, 0)),
        joint(
            "f", "b" if serial else "a", "c", kind, xyz=(0, 1, 0), X_PJ=Pose.of(p=(0, 0.1, -0.3))
        ),
    ]
    source = scene([link("a"), link("b"), link("c")], joints, couplings=(coupling,))
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    assert robot.positions()["f"] == pytest.approx(offset, abs=1e-15)
    robot.set_positions({"l": 0.4})
    assert robot.positions()["f"] == pytest.approx(multiplier * 0.4 + offset, abs=1e-15)
    worst = 0.0
    for _ in run(bullet_client, 1.0):
        q = robot.positions()
        worst = max(worst, abs(q["f"] - multiplier * q["l"] - offset))
    assert worst <= 5e-6
    assert robot.constraints.keys() == {"f"}
    assert "pybullet.gear" in codes(robot)


def test_a_follower_stays_where_it_is_put_explicitly(bullet_client):
    source = scene(
        [link("a"), link("b"), link("c")],
        [ROOT, joint("l", "a", "b"), joint("f", "b", "c")],
        couplings=(Coupling(follower="f", leader="l", multiplier=2.0),),
    )
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    robot.set_positions({"l": 0.4, "f": 0.1})
    assert robot.positions() == {"l": 0.4, "f": 0.1}
    robot.set_velocities({"l": 0.5})
    assert robot.velocities()["f"] == 1.0


def test_one_axis_of_a_joint_of_two_follows(bullet_client):
    from loaders.model import JointAxis

    axes = tuple(JointAxis(xyz=frozen(xyz)) for xyz in ((1, 0, 0), (0, 1, 0)))
    coupling = Coupling(follower="u", leader="l", multiplier=-1.0, follower_axis=1)
    joints = [ROOT, joint("l", "a", "b"), joint("u", "a", "c", JointType.UNIVERSAL, axes=axes)]
    source = scene([link("a"), link("b"), link("c")], joints, couplings=(coupling,))
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    robot.set_positions({"l": 0.3})
    for _ in run(bullet_client, 0.2):
        q = robot.positions()
        assert q["u"][1] == pytest.approx(-q["l"], abs=1e-6)


def test_a_coupling_across_bodies_holds_velocities_and_is_reported(bullet_client):
    links = [link(name, inertia=SpatialInertia.of(1.0, (0, 0, 0), np.eye(3))) for name in "abcd"]
    joints = [joint("l", "a", "b"), joint("f", "c", "d")]
    source = scene(links, joints, couplings=(Coupling(follower="f", leader="l", multiplier=2.0),))
    bodies = load_into_pybullet(source, physicsClientId=bullet_client)
    assert "pybullet.coupling-across-bodies" in codes(bodies)
    bodies.set_positions({"l": 0.4})
    assert bodies.positions()["f"] == 0.8
    bodies.set_velocities({"l": 0.5})
    for _ in range(200):
        pybullet.stepSimulation(bullet_client)
    v = bodies.velocities()
    assert v["f"] == pytest.approx(2.0 * v["l"], abs=1e-6)


def test_a_coupling_with_a_ball_joint_is_reported_as_dropped(bullet_client):
    coupling = Coupling(follower="f", leader="b")
    joints = [ROOT, joint("b", "a", "b", JointType.BALL), joint("f", "b", "c")]
    robot = load_into_pybullet(
        scene([link("a"), link("b"), link("c")], joints, couplings=(coupling,)),
        physicsClientId=bullet_client,
    )
    assert "pybullet.coupling" in codes(robot)
    assert robot.constraints == {}


def test_a_screw_turns_as_one_body_of_one_freedom(bullet_client):
    """With its axis upright: pitch p, mass m, inertia I give ``(I + m p^2) a = m g p``."""
    inertia = SpatialInertia.of(2.0, (0, 0, 0), 0.01 * np.eye(3))
    screw = joint("s", WORLD, "a", JointType.SCREW, pitch=0.3)
    robot = load_into_pybullet(
        scene([link("a", inertia=inertia)], [screw]), physicsClientId=bullet_client
    )
    lead = 0.3 / (2 * np.pi)
    for _ in run(bullet_client, 0.5):
        assert robot.link_pose("a").p[2] == pytest.approx(lead * robot.positions()["s"], abs=1e-12)
    acceleration = -2.0 * 9.81 * lead / (0.01 + 2.0 * lead**2)
    assert robot.velocities()["s"] == pytest.approx(acceleration * 0.5, rel=1e-9)


def test_two_screws_on_a_floating_link_move_as_the_mechanism_after_one_step(bullet_client):
    """PyBullet's own threshold of the residual would leave an error of 1e-5 here.

    The linear velocity of the base is that of the point that an engine integrates, and is left out.
    """
    screws = [
        joint(name, "a", name[0], JointType.SCREW, pitch=pitch)
        for name, pitch in (("b_j", 12.6), ("c_j", 1.0))
    ]
    mechanism = lower(scene([link(name) for name in "abc"], screws))
    robot = load_into_pybullet(mechanism, physicsClientId=bullet_client)
    robot.apply_physics()
    q = {"a": (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), "b_j": 0.4, "c_j": -0.3}
    v = {"a": (0.3, -0.2, 0.5, 0.1, 0.4, -0.6), "b_j": 0.9, "c_j": -0.7}
    robot.set_positions(q)
    robot.set_velocities(v)
    robot.step()
    exact = mechanism.velocities(v) + mechanism.physics.time_step * accelerations(mechanism, q, v)
    moved = robot.velocities()
    turned = np.hstack([moved["a"][3:], moved["b_j"], moved["c_j"]])
    assert turned == pytest.approx(exact[3:], abs=1e-12)


# --- loops ----------------------------------------------------------------------------------------

BARS = {"A": 0.4, "B": 1.0, "C": 0.7}
GROUND = 1.0


def four_bar(kind):
    links = [
        link(
            name,
            inertia=SpatialInertia.of(
                1.0, (length / 2, 0, 0), np.diag((0.001, length**2 / 12, length**2 / 12))
            ),
        )
        for name, length in BARS.items()
    ]
    ends = {
        "j1": (WORLD, "A", 0.0, 0.0),
        "j2": ("A", "B", 0.4, 0.0),
        "j3": (WORLD, "C", GROUND, 0.0),
        "j4": ("B", "C", 1.0, 0.7),
    }
    joints = [
        joint(
            name,
            P,
            C,
            kind if name == "j4" else JointType.REVOLUTE,
            xyz=(0, -1, 0),
            X_PJ=Pose.of(p=(x, 0, 0)),
            X_CJ=Pose.of(p=(y, 0, 0)),
        )
        for name, (P, C, x, y) in ends.items()
    ]
    return scene(links, joints)


def closed_position():
    """Angles of the second and third hinge when the first stands at 1 rad, by Newton's method."""
    x = np.array((-0.8, 1.8))
    for _ in range(30):
        t2, t3 = x
        along = 0.4 * np.cos(1) + np.cos(1 + t2) - GROUND - 0.7 * np.cos(t3)
        up = 0.4 * np.sin(1) + np.sin(1 + t2) - 0.7 * np.sin(t3)
        J = ((-np.sin(1 + t2), 0.7 * np.sin(t3)), (np.cos(1 + t2), -0.7 * np.cos(t3)))
        x = x - np.linalg.solve(J, (along, up))
    return {"j1": 1.0, "j2": x[0], "j3": x[1]}


@pytest.mark.parametrize("kind", [JointType.REVOLUTE, JointType.BALL])
def test_a_four_bar_stays_closed(bullet_client, kind):
    robot = load_into_pybullet(four_bar(kind), physicsClientId=bullet_client)
    robot.set_positions(closed_position())

    def gap():
        X, Y = robot.link_pose("B"), robot.link_pose("C")
        return np.linalg.norm(X.p + X.R @ (1.0, 0, 0) - Y.p - Y.R @ (0.7, 0, 0))

    assert gap() <= 1e-12
    assert max(gap() for _ in run(bullet_client, 1.0)) <= 2e-4
    assert len(robot.constraints["j4"]) == (2 if kind is JointType.REVOLUTE else 1)
    assert "pybullet.loop" in codes(robot)


@pytest.mark.parametrize("kind", [JointType.REVOLUTE, JointType.BALL])
def test_a_second_hold_in_the_world_is_a_constraint_there(bullet_client, kind):
    X_WJ = Pose.from_vector((1.0, 2.0, 3.0, 0.5, 0.5, -0.1, 0.7))
    arm = Pose.of(p=(0.2, 0.1, 0.0))
    slide = joint("slide", WORLD, "a", JointType.PRISMATIC, X_PJ=X_WJ)
    hold = joint("hold", "a", WORLD, kind, X_PJ=arm, X_CJ=X_WJ @ arm)
    source = scene([link("a")], [slide, hold])
    assert [closure.joint.name for closure in lower(source).closures] == ["hold"]
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    for _ in run(bullet_client, 0.5):
        pass
    assert (robot.link_pose("a") @ arm).is_close(X_WJ @ arm, 1e-6)


def test_a_pinned_point_stays(bullet_client):
    p_BQ = (0.1, -0.2, 0.3)
    zero = frozen((0, 0, 0))
    pin = BallConstraint(link_A="b", link_B=WORLD, p_AP=frozen(p_BQ), p_BQ=frozen(p_BQ))
    robot = load_into_pybullet(
        scene([link("b")], constraints=(pin,)), physicsClientId=bullet_client
    )
    for _ in run(bullet_client, 0.5):
        pass
    X = robot.link_pose("b")
    np.testing.assert_allclose(X.p + X.R @ p_BQ, p_BQ, atol=2e-4)
    assert not np.allclose(X.R, IDENTITY.R, atol=1e-2)
    assert zero.tolist() == [0, 0, 0]
