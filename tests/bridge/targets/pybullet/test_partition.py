"""Models of more joints than one body of PyBullet's holds: several bodies that answer and move as
one.
"""

import dataclasses

import numpy as np
import pybullet
import pytest

import bridge
from bridge import load_into_pybullet, lower
from bridge.targets.pybullet.articulation import MAX_COORDINATES, MAX_JOINTS
from loaders import ExportError
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType
from loaders.pose import Pose
from tests.support.scenes import (
    GRAVITY,
    UNIT_BOX,
    codes,
    joint,
    link,
    random_scene,
    random_state,
    relative,
    scene,
    stacked,
    touching,
    unstacked,
)
from tests.support.seeds import few

ROD = SpatialInertia.of(0.1, (0.05, 0, 0), np.diag((1e-5, 1e-4, 1e-4)))


def whip(count, *, fixed=True):
    """A chain of hinges in turns about y and askew of it."""
    links = [link(f"l{i}", inertia=ROD, X_WL=Pose.of(p=(0.1 * i, 0, 0))) for i in range(count)]
    axes = [(0, 1, 0) if i % 2 else (0, 0.6, 0.8) for i in range(count)]
    joints = [
        joint(f"j{i}", f"l{i - 1}", f"l{i}", xyz=axes[i], X_PJ=Pose.of(p=(0.1, 0, 0)))
        for i in range(1, count)
    ]
    return scene(links, [joint("j0", WORLD, "l0", xyz=(0, 1, 0)), *joints] if fixed else joints)


def star(count, ground):
    """Arms that hang from one base, which ``ground`` holds, or nothing."""
    links = [link("base"), *(link(f"l{i}", inertia=ROD) for i in range(count))]
    arms = [joint(f"j{i}", "base", f"l{i}", X_PJ=Pose.of(p=(0.1 * i, 0, 0))) for i in range(count)]
    return scene(links, [*ground, *arms])


WELDED = joint(
    "ground", WORLD, "base", JointType.FIXED, X_PJ=Pose.from_vector((1, 2, 3, 1, 0.2, 0.3, 0.4))
)
HINGED = joint("ground", WORLD, "base", xyz=(0, 1, 0))

LARGE = {
    "a whip of 300 hinges": (whip(300), 3, True),
    "a free whip of 300 hinges": (whip(301, fixed=False), 3, True),
    "200 arms on a base that is welded to the world": (star(200, [WELDED]), 2, False),
    "200 arms on a base that turns": (star(200, [HINGED]), 2, True),
    "400 arms on a free base": (star(400, []), 4, True),
    "150 joints of all kinds on a base that is welded": (
        random_scene(3, fixed=True, size=151),
        None,
        None,
    ),
    "150 joints of all kinds on a free base": (random_scene(4, fixed=False, size=151), None, None),
}


@pytest.mark.parametrize("case", few(LARGE, 3))
def test_several_bodies_answer_as_one(bullet_client, case):
    source, count, is_split = LARGE[case]
    bodies, mechanism = load_into_pybullet(source, physicsClientId=bullet_client), lower(source)
    assert "pybullet.several-bodies" in codes(bodies)
    assert count in {None, len(bodies)}
    assert is_split in {None, bodies.has_split_links}
    assert ("pybullet.cut-links" in codes(bodies)) == bodies.has_split_links
    assert max(pybullet.getNumJoints(body, bullet_client) for body in bodies) <= MAX_JOINTS
    q, v = random_state(mechanism, 0)
    bodies.set_positions(q)
    bodies.set_velocities(v)
    assert bodies.positions().keys() == q.keys()
    np.testing.assert_allclose(
        stacked(mechanism, bodies.velocities()), stacked(mechanism, v), atol=1e-12
    )
    for name, pose in mechanism.link_poses(q).items():
        assert bodies.link_pose(name).is_close(pose, 1e-9), name
    M, h = mechanism.mass_matrix(q), mechanism.bias_forces(q, v, GRAVITY)
    assert relative(bodies.mass_matrix(), M) <= 1e-12
    assert relative(bodies.bias_forces(GRAVITY), h) <= 1e-12
    a = np.random.default_rng(1).normal(size=len(mechanism.v_order))
    accelerations = unstacked(mechanism, a)
    assert relative(bodies.inverse_dynamics(accelerations, GRAVITY), M @ a + h) <= 1e-12


# --- motion ---------------------------------------------------------------------------------------


def test_arms_on_a_base_that_the_world_holds_move_as_exactly_as_in_one_body(bullet_client):
    """Each is a pendulum of its own, in semi-implicit Euler steps."""
    arms = [
        joint(f"j{i}", "base", f"l{i}", xyz=(0, 1, 0), X_PJ=Pose.of(p=(i, 0, 0)))
        for i in range(200)
    ]
    source = scene(
        [link("base"), *(link(f"l{i}", inertia=ROD) for i in range(200))],
        [joint("ground", WORLD, "base", JointType.FIXED), *arms],
    )
    bodies = load_into_pybullet(source, physicsClientId=bullet_client)
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    pybullet.setTimeStep(1e-3, bullet_client)
    q = w = 0.0
    for _ in range(200):
        pybullet.stepSimulation(bullet_client)
        w += 1e-3 * 0.1 * 9.81 * 0.05 * np.cos(q) / (1e-4 + 0.1 * 0.05**2)
        q += 1e-3 * w
    np.testing.assert_allclose(
        [bodies.positions()[f"j{i}"] for i in range(200)], q, rtol=0, atol=1e-12
    )


# --- the rest of the handle -----------------------------------------------------------------------


def test_many_static_links_are_as_few_bodies_as_can_be(bullet_client):
    links = [link(f"l{i}", X_WL=Pose.of(p=(2.0 * i, 0, 0)), shape=UNIT_BOX) for i in range(400)]
    source = scene(links)
    source = dataclasses.replace(
        source, models=(dataclasses.replace(source.models[0], static=True),)
    )
    bodies = load_into_pybullet(source, physicsClientId=bullet_client)
    assert len(bodies) == -(-400 // MAX_COORDINATES)
    assert not bodies.has_split_links
    assert len(bodies.links) == 400
    for i in range(0, 400, 37):
        assert bodies.link_pose(f"l{i}").p.tolist() == [2.0 * i, 0, 0]


def test_links_touch_across_a_cut_exactly_as_the_model_says(bullet_client):
    links = [
        link(f"l{i}", inertia=ROD, shape=UNIT_BOX if 50 <= i < 65 else None) for i in range(180)
    ]
    source = scene(links, whip(180).joints, collision_policy="drake")
    bodies = load_into_pybullet(source, physicsClientId=bullet_client)
    bodies.set_positions(dict.fromkeys(bodies.positions(), (0.0,)))
    near = {pair for pair in lower(source).collidable_pairs() if _distance(bodies, pair) < 0.9}
    found = touching(bodies, bullet_client)
    assert found <= lower(source).collidable_pairs()
    assert near <= found
    assert any(len({bodies.with_link(name) for name in pair}) == 2 for pair in near)


def _distance(bodies, pair):
    a, b = pair
    return np.linalg.norm(bodies.link_pose(a).p - bodies.link_pose(b).p)


def test_removing_the_bodies_leaves_nothing(bullet_client):
    bodies = load_into_pybullet(whip(300), physicsClientId=bullet_client)
    assert pybullet.getNumConstraints(bullet_client) == 2
    assert sorted(bodies.constraints) == ["l178_continued", "l57_continued"]
    bodies.remove()
    assert pybullet.getNumBodies(bullet_client) == 0
    assert pybullet.getNumConstraints(bullet_client) == 0


def test_a_name_that_the_model_has_is_not_taken_for_a_part(bullet_client):
    source = whip(150)
    links = [
        dataclasses.replace(k, name="l28_continued") if k.name == "l149" else k
        for k in source.links
    ]
    last = dataclasses.replace(source.joints[-1], child="l28_continued")
    bodies = load_into_pybullet(
        scene(links, [*source.joints[:-1], last]), physicsClientId=bullet_client
    )
    assert list(bodies.link_separation()) == ["l28_continued_"]


def test_links_without_mass_cannot_be_cut(bullet_client):
    links = [dataclasses.replace(k, inertia=SpatialInertia.of(0.0)) for k in whip(300).links]
    with pytest.raises(ExportError, match=r"pybullet\.too-many-joints"):
        load_into_pybullet(scene(links, whip(300).joints), physicsClientId=bullet_client)
    assert pybullet.getNumBodies(bullet_client) == 0


@pytest.mark.slow
def test_a_cut_goes_to_the_next_link_that_has_mass(bullet_client):
    """As in a chain of universal joints, written as pairs of hinges with nothing between."""
    bare = SpatialInertia.of(0.0)
    links = [
        dataclasses.replace(k, inertia=bare) if i % 3 else k for i, k in enumerate(whip(301).links)
    ]
    source = scene(links, whip(301).joints)
    bodies, mechanism = load_into_pybullet(source, physicsClientId=bullet_client), lower(source)
    assert {body.split_link for body in bodies} <= {None, *(f"l{i}" for i in range(0, 301, 3))}
    q, _ = random_state(mechanism, 0)
    bodies.set_positions(q)
    assert relative(bodies.mass_matrix(), mechanism.mass_matrix(q)) <= 1e-12


def test_a_comparison_of_a_cut_model_passes_where_nothing_moves():
    comparison = bridge.compare(
        whip(150), engines=("pybullet",), levels=("L0", "L1"), configurations=1
    )
    assert {row.outcome.value for row in comparison.rows} <= {"passed", "unknown", "explained"}
    outcomes = {row.quantity: row for row in comparison.rows}
    assert outcomes["link poses"].outcome.value == "passed"
    assert outcomes["mass matrix"].outcome.value == "unknown"
    assert "across the halves of link" in outcomes["mass matrix"].cause
