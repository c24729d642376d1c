"""Bodies and segments of PyBullet: their names, text and inertias."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pybullet
import pytest
from lxml import etree
from transforms3d.euler import euler2mat

import bridge.targets.pybullet.articulation
from bridge import load_into_pybullet, lower
from bridge.targets.pybullet.articulation import Segment, articulate
from bridge.targets.pybullet.client import BASE
from bridge.targets.pybullet.geometry import ShapeWriter, urdf_text
from bridge.targets.pybullet.mesh import TemporaryFiles
from bridge.targets.report import Report
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType
from loaders.pose import IDENTITY, Array, Pose, roll_pitch_yaw, rotation_about
from loaders.scene import Scene
from tests.support.scenes import UNIT_BOX, codes, joint, link, scene

# Links without mass or inertia stay finite in PyBullet, and move as the mechanism where possible.


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


# Names in PyBullet: those of the model, whatever characters they have.


def test_names_that_collide_with_generated_ones_are_kept(bullet_client):
    links = [link("base"), link("elbow_1_link"), link("fore")]
    joints = [
        joint("elbow_1", "base", "elbow_1_link"),
        joint("elbow", "elbow_1_link", "fore", JointType.UNIVERSAL),
    ]
    robot = load_into_pybullet(scene(links, joints), physicsClientId=bullet_client)
    found = [pybullet.getJointInfo(robot, i, bullet_client)[1].decode() for i in range(3)]
    assert found[0] == "elbow_1"
    assert len(set(found)) == 3
    assert robot.link_pose("elbow_1_link").is_close(IDENTITY)


def test_names_with_special_characters_are_kept(bullet_client):
    names = ["größe", "a b", "x::y/z", '<&">', "'"]
    links = [link(name) for name in names]
    joints = [joint(f"j {b}", a, b) for a, b in itertools.pairwise(names)]
    robot = load_into_pybullet(scene(links, joints), physicsClientId=bullet_client)
    assert list(robot.links) == names
    for name in names[1:]:
        assert pybullet.getJointInfo(robot, robot.links[name], bullet_client)[12].decode() == name


def test_a_long_name_of_a_model_does_not_end_the_process():
    """PyBullet copies it into 1,024 bytes; a child process shows whether it survives."""
    code = (
        "import pybullet, bridge, loaders; pybullet.connect(pybullet.DIRECT)\n"
        "name = 'é' * 66_000\n"
        'text = f\'<robot name="{name}"><link name="a"/></robot>\'\n'
        "print(bridge.load_into_pybullet(loaders.load_string(text, format='urdf')).name == name)"
    )
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert "True" in found.stdout


# URDF documents: the layout that PyBullet's parser needs, and numbers that lose no digit.


def text_of(source: Scene) -> str:
    (articulation,) = articulate(lower(source), Report("pybullet"))
    return urdf_text(articulation, ShapeWriter(TemporaryFiles("")))


def test_each_element_is_on_one_line_and_links_come_before_joints() -> None:
    text = text_of(scene([link("a", shape=UNIT_BOX), link("b")], [joint("j", "a", "b")]))
    assert text.startswith('<?xml version="1.0"?>\n<robot name="')
    assert text.endswith("\n</robot>\n")
    assert all(
        line.startswith("<") and line.endswith(">") and line.count("<") == 1
        for line in text.splitlines()
    )
    root = etree.fromstring(text.encode())
    assert [child.tag for child in root] == ["link", "link", "joint"]


def test_numbers_keep_all_digits() -> None:
    limit = 0.1 + 0.2
    root = etree.fromstring(
        text_of(scene([link("a")], [joint("j", WORLD, "a", axis={"upper": limit})])).encode()
    )
    (element,) = root.iter("limit")
    assert float(str(element.get("upper"))) == limit


@pytest.mark.parametrize("name", ['quote"', "<tag>", "a & b", "line\nfeed", "\u00fc", "bell\x07"])
def test_names_need_no_escape(bullet_client: int, name: str) -> None:
    from bridge import load_into_pybullet

    source = scene([link(name), link("b")], [joint("j", name, "b", JointType.REVOLUTE)])
    assert load_into_pybullet(source, physicsClientId=bullet_client).links == {name: -1, "b": 0}


@pytest.mark.parametrize("distance", [0.0, 1e-16, 1e-14, 1e-12, 1e-9, 1e-6, 1e-3, 1.0])
def test_angles_reproduce_a_rotation_near_a_pitch_of_90_degrees(distance: float) -> None:
    rng = np.random.default_rng(0)

    def turn(axis: tuple[int, int, int], angle: float) -> Array:
        return rotation_about(axis, angle)

    for _ in range(50):
        yaw, roll, skew = rng.uniform(-3.0, 3.0, 3)
        R = turn((0, 0, 1), yaw) @ turn((0, 1, 0), math.pi / 2 - distance) @ turn((1, 0, 0), roll)
        rounded = turn((1, 0, 0), skew) @ (turn((1, 0, 0), -skew) @ R)
        np.testing.assert_allclose(euler2mat(*roll_pitch_yaw(rounded), "sxyz"), rounded, atol=5e-15)


# Articulations: the grouping of a mechanism into PyBullet bodies and their segments.


def test_a_joint_of_several_axes_is_a_chain_of_segments_with_the_mass_on_the_last() -> None:
    source = scene([link("a"), link("b")], [joint("j", "a", "b", JointType.UNIVERSAL)])
    (articulation,) = articulate(lower(source), Report("pybullet"))
    assert [segment.joint for segment in articulation.segments] == ["", "j_1", "j_2"]
    assert [segment.parent for segment in articulation.segments] == [BASE, BASE, 0]
    assert [segment.inertia.mass > 0.0 for segment in articulation.segments] == [True, False, True]
    assert articulation.joints == {"j_1": 0, "j_2": 1, "j": 1}
    assert articulation.joint_segments == ((), (0, 1))
    assert articulation.link_segments["b"][0] == 1


def test_free_trees_are_bodies_and_trees_on_the_world_share_one() -> None:
    links = [link(name) for name in "abcd"]
    joints = [joint("j", WORLD, "a"), joint("k", WORLD, "b"), joint("l", "c", "d")]
    fixed, free = articulate(lower(scene(links, joints)), Report("pybullet"))
    assert (fixed.is_fixed, set(fixed.link_segments)) == (True, {"a", "b"})
    assert (free.is_free, set(free.link_segments)) == (True, {"c", "d"})
    assert fixed.segments[0].links == ()


def test_the_first_primitive_of_a_screw_carries_its_limits() -> None:
    source = scene([link("a"), link("b")], [joint("j", "a", "b", JointType.SCREW)])
    (articulation,) = articulate(lower(source), Report("pybullet"))
    kinds = [
        (str(s.primitive.kind), s.is_primary)
        for s in articulation.segments
        if s.primitive is not None
    ]
    assert sorted(kinds) == [("hinge", True), ("slide", False)]


# Segments: the principal axes and moments that PyBullet is given.


def test_principal_axes_give_the_inertia_back_and_no_moment_is_negative() -> None:
    rod = np.array((1.0, 2.0, 2.0))
    inertia = float(rod @ rod) * np.eye(3) - np.outer(rod, rod)
    segment = Segment(
        name="rod",
        joint="",
        parent=BASE,
        X_PJ=IDENTITY,
        primitive=None,
        is_primary=True,
        inertia=SpatialInertia.of(1.0, (0.0, 0.0, 0.0), inertia),
        links=(),
    )
    R, moments = segment.principal
    np.testing.assert_allclose(R @ np.diag(moments) @ R.T, inertia, atol=1e-12)
    assert moments.min() == 0.0
    np.testing.assert_allclose(np.sort(moments), (0.0, 9.0, 9.0), atol=1e-12)
