"""Pairs of links that collide in the running engine are those that the model allows."""

import dataclasses
import itertools
import math

import numpy as np
import pybullet
import pytest
from pybullet_utils.bullet_client import BulletClient

import loaders
from bridge import load_into_pybullet, lower
from bridge.targets.pybullet.articulation import articulate
from bridge.targets.pybullet.contact import any_may_collide, forbidden_pairs, untouchable
from bridge.targets.report import Report
from loaders.collision_pairs import POLICIES, PairSet
from loaders.model import (
    WORLD,
    Collision,
    FilterGroup,
    FilterRule,
    Friction,
    JointType,
    Model,
    Plane,
    Surface,
)
from loaders.model.contact import torsional_length
from loaders.pose import IDENTITY, Pose, frozen
from tests.support.scenes import UNIT_BOX, codes, joint, link, scene, touching


def crowd(seed, *, fixed):
    """Boxes on top of each other, in a random forest with welds and filter groups."""
    rng = np.random.default_rng(seed)
    links = [link(f"l{i}", shape=UNIT_BOX) for i in range(8)]
    joints = [joint("weld", WORLD, "l0", JointType.FIXED)] if fixed else []
    for i in range(1, 8):
        if rng.random() < 0.8:
            kind = JointType.FIXED if rng.random() < 0.4 else JointType.REVOLUTE
            joints.append(joint(f"j{i}", f"l{rng.integers(i)}", f"l{i}", kind))
    groups = (
        FilterGroup(name="a", links=("l1", "l3", "l5")),
        FilterGroup(name="b", links=("l2", "l6")),
    )
    rules = (FilterRule(a="a", b="b"), FilterRule(a="b", b="b"))
    models = (Model(name="m", X_WM=IDENTITY, canonical_link="l0", self_collide=True),)
    return scene(links, joints, models=models, filter_groups=groups, filter_rules=rules)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_the_pairs_that_touch_are_those_that_the_model_lets_touch(
    bullet_client, seed, fixed, policy
):
    source = crowd(seed, fixed=fixed)
    loaded = load_into_pybullet(source, physicsClientId=bullet_client, policy=policy)
    assert touching(loaded, bullet_client) == lower(source).collidable_pairs(policy)


@pytest.mark.parametrize("removed", [(0, 1, 2), (2, 1, 0), (1, 0)])
def test_the_pairs_that_touch_do_not_depend_on_bodies_that_were_removed(bullet_client, removed):
    others = [pybullet.createMultiBody(physicsClientId=bullet_client) for _ in range(3)]
    for number in removed:
        pybullet.removeBody(others[number], bullet_client)
    source = crowd(0, fixed=False)
    loaded = load_into_pybullet(source, physicsClientId=bullet_client)
    pairs = touching(loaded, bullet_client)
    assert pairs == lower(source).collidable_pairs()
    again = load_into_pybullet(source, physicsClientId=bullet_client, basePosition=(50.0, 0.0, 0.0))
    loaded.remove()
    assert touching(again, bullet_client) == pairs


def star_or_chain(*, is_star):
    """Three boxes on top of each other; the links that may touch are another pair of indices in a
    star than a chain.
    """
    ends = [("a", "b"), ("a", "c")] if is_star else [("a", "b"), ("b", "c")]
    links = [link(name, shape=UNIT_BOX) for name in "abc"]
    joints = [joint(f"{parent}{child}", parent, child) for parent, child in ends]
    return scene(links, joints, collision_policy="drake")


@pytest.mark.parametrize("is_star", [True, False])
def test_a_removed_body_leaves_no_filters_to_the_next_one_with_its_id(bullet_client, is_star):
    first = load_into_pybullet(star_or_chain(is_star=is_star), physicsClientId=bullet_client)
    first.remove()
    source = star_or_chain(is_star=not is_star)
    loaded = load_into_pybullet(source, physicsClientId=bullet_client)
    assert int(loaded) == int(first)
    assert touching(loaded, bullet_client) == lower(source).collidable_pairs() != frozenset()


def test_removed_bodies_of_a_world_leave_no_filters_between_the_next_ones(bullet_client):
    models = tuple(Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::l") for name in "ab")
    links = [link(f"{name}::l", model=name, shape=UNIT_BOX) for name in "ab"]
    groups = (FilterGroup(name="g", links=("a::l", "b::l")),)
    apart = scene(
        links, [], models=models, filter_groups=groups, filter_rules=(FilterRule(a="g", b="g"),)
    )
    first = load_into_pybullet(apart, physicsClientId=bullet_client)
    assert touching(first, bullet_client) == set()
    first.remove()
    together = [
        load_into_pybullet(scene([link(name, shape=UNIT_BOX)]), physicsClientId=bullet_client)
        for name in "cd"
    ]
    assert set(map(int, together)) == set(map(int, first))
    assert len(touching(together, bullet_client)) == 1


MASKS = """<sdf version="1.11"><model name="m">{static}<link name="a">
<inertial><mass>1</mass></inertial><collision name="c"><geometry><sphere><radius>1</radius></sphere>
</geometry><surface><contact>{masks}</contact></surface></collision></link></model></sdf>"""
CATEGORY = "<category_bitmask>{}</category_bitmask>"
COLLIDE = "<collide_bitmask>{}</collide_bitmask>"


@pytest.mark.parametrize("static", ["", "<static>true</static>"])
@pytest.mark.parametrize(
    ("masks", "meets"),
    [
        ("", True),
        (COLLIDE.format(1), True),
        (COLLIDE.format(0), False),
        (COLLIDE.format(0) + CATEGORY.format(1), True),
        (COLLIDE.format(0) + CATEGORY.format(0), False),
    ],
)
def test_only_a_link_whose_bitmasks_are_zero_meets_no_body_of_another_file(
    bullet_client, static, masks, meets
):
    text = MASKS.format(static=static, masks=masks)
    source = loaders.load_string(text, format="sdf", quiet=True)
    body = load_into_pybullet(source, physicsClientId=bullet_client, quiet=True)
    ball = pybullet.createCollisionShape(
        pybullet.GEOM_SPHERE, radius=1, physicsClientId=bullet_client
    )
    other = pybullet.createMultiBody(1, ball, -1, [1.5, 0, 0], physicsClientId=bullet_client)
    pybullet.performCollisionDetection(bullet_client)
    assert bool(pybullet.getContactPoints(body, other, physicsClientId=bullet_client)) is meets


@pytest.mark.parametrize("policy", POLICIES)
def test_a_link_without_shapes_is_not_compared_with_its_neighbors(policy, bullet_client):
    """The empty shapes that PyBullet gives such links take a quarter of a step of ANYmal C."""
    links = [link("a", shape=UNIT_BOX), link("frame"), link("b", shape=UNIT_BOX), link("tip")]
    pairs = itertools.pairwise(("a", "frame", "b", "tip"))
    joints = [joint(f"j{k}", *pair, JointType.REVOLUTE) for k, pair in enumerate(pairs)]
    source = lower(scene(links, joints))
    (articulation,) = articulate(source, Report("pybullet"))
    assert untouchable(articulation, source, policy) == [0, 2]
    body = load_into_pybullet(source, physicsClientId=bullet_client, quiet=True)
    assert len(pybullet.getAABB(body, 2, physicsClientId=bullet_client)) == 2


def test_a_geom_of_an_explicit_pair_touches_although_its_masks_are_zero(bullet_client):
    geom = '<geom name="g{0}" size="1" contype="0" conaffinity="0"/>'
    bodies = "".join(
        f'<body name="b{k}" pos="{1.5 * k} 0 0"><freejoint/>{geom.format(k)}</body>'
        for k in range(2)
    )
    text = f"<mujoco><worldbody>{bodies}</worldbody><contact>{{}}</contact></mujoco>"
    source = loaders.load_string(
        text.format('<pair geom1="g0" geom2="g1"/>'), format="mjcf", quiet=True
    )
    loaded = load_into_pybullet(source, physicsClientId=bullet_client, quiet=True)
    pybullet.performCollisionDetection(bullet_client)
    assert pybullet.getContactPoints(*map(int, loaded), physicsClientId=bullet_client)


def test_links_of_the_world_itself_and_static_models_touch_what_moves(bullet_client):
    models = (
        Model(name="m", X_WM=IDENTITY, canonical_link="m::a"),
        Model(name="s", X_WM=IDENTITY, canonical_link="s::b", static=True),
    )
    links = [
        link("m::a", shape=UNIT_BOX),
        link("m::d", shape=UNIT_BOX),
        link("s::b", model="s", shape=UNIT_BOX),
        link("s::c", model="s", shape=UNIT_BOX, X_WL=Pose.of(p=(0.3, 0, 0))),
    ]
    source = scene(links, [joint("m::j", "m::a", "m::d")], models=models)
    loaded = load_into_pybullet(source, physicsClientId=bullet_client)
    pairs = {frozenset((f"m::{x}", f"s::{y}")) for x in "ad" for y in "bc"}
    assert touching(loaded, bullet_client) == pairs == lower(source).collidable_pairs()
    assert [body.name for body in loaded] == ["m", "s"]
    np.testing.assert_allclose(loaded["s"].link_pose("s::c").p, (0.3, 0, 0), atol=1e-15)


# --- shapes ---------------------------------------------------------------------------------------


# --- surfaces -------------------------------------------------------------------------------------


def with_surface(surface, name="a", **rest):
    shape = Collision(name="c", X_LG=IDENTITY, geometry=UNIT_BOX, surface=surface)
    return link(name, collisions=(shape,), **rest)


def test_surfaces_reach_the_engine(bullet_client):
    friction = Friction(mu=0.7, mu2=0.7, rolling=0.01, torsional=0.5, patch_radius=0.02)
    surface = Surface(friction=friction, restitution=0.3, stiffness=1e5, damping=50.0)
    robot = load_into_pybullet(scene([with_surface(surface)]), physicsClientId=bullet_client)
    info = pybullet.getDynamicsInfo(robot, -1, bullet_client)
    assert (info[1], info[5], info[6], info[8], info[9]) == pytest.approx(
        (0.7, 0.3, 0.01, 50.0, 1e5)
    )
    assert (
        info[7]
        == pytest.approx(torsional_length(friction))
        == pytest.approx(3 * math.pi / 16 * 0.02 * 0.5)
    )


def test_a_box_slides_as_the_product_of_frictions_says(bullet_client):
    box = with_surface(
        Surface(friction=Friction(mu=0.5, mu2=0.5)), "box", X_WL=Pose.of(p=(0, 0, 0.5))
    )
    ground = Collision(
        name="c",
        X_LG=IDENTITY,
        geometry=Plane(),
        surface=Surface(friction=Friction(mu=0.4, mu2=0.4)),
    )
    held = joint("w", WORLD, "g", JointType.FIXED)
    inertia = dataclasses.replace(box.inertia, p_LLcm=frozen((0, 0, -0.4)))
    source = scene(
        [dataclasses.replace(box, inertia=inertia), link("g", collisions=(ground,))], [held]
    )
    bodies = load_into_pybullet(source, physicsClientId=bullet_client)
    assert "pybullet.friction-product" in codes(bodies)
    pybullet.setTimeStep(1e-3, bullet_client)
    pybullet.setGravity(0, 0, -10.0, physicsClientId=bullet_client)
    for _ in range(100):
        pybullet.stepSimulation(bullet_client)
    bodies.set_velocities({"box": (3.0, 0, 0, 0, 0, 0)})
    for _ in range(500):
        pybullet.stepSimulation(bullet_client)
    assert bodies.velocities()["box"][0] == pytest.approx(3.0 - 0.5 * 0.4 * 10.0 * 0.5, abs=0.05)


# --- pairs that PyBullet is told not to collide ---------------------------------------------------


def all_pairs(names):
    return {frozenset(pair) for pair in itertools.combinations(names, 2)}


@pytest.fixture(scope="module")
def bullet():
    client = BulletClient(connection_mode=pybullet.DIRECT)
    yield client
    client.disconnect()


def bullet_contacts(client, names):
    client.performCollisionDetection()
    return {frozenset((names[c[1]], names[c[2]])) for c in client.getContactPoints()}


def test_forbidden_pairs_are_what_running_pybullet_obeys(bullet):
    bullet.resetSimulation()
    names = range(4)
    excluded = {frozenset((0, 1)), frozenset((2, 3)), frozenset((0, 3))}
    shape = bullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=0.1)
    bodies = [bullet.createMultiBody(1.0, shape, basePosition=(0.01 * i, 0, 0)) for i in range(4)]
    refs = {name: (body, -1) for name, body in zip(names, bodies, strict=True)}
    for (body_a, link_a), (body_b, link_b) in forbidden_pairs(refs, excluded):
        bullet.setCollisionFilterPair(body_a, body_b, link_a, link_b, 0)
    assert bullet_contacts(bullet, names) == all_pairs(names) - excluded


def test_links_that_are_merged_are_forbidden_only_together():
    refs = {0: (0, -1), 1: (0, -1), 2: (0, 3)}
    assert forbidden_pairs(refs, {frozenset((0, 2))}) == ()
    assert forbidden_pairs(refs, {frozenset((0, 2)), frozenset((1, 2)), frozenset((0, 1))}) == (
        ((0, -1), (0, 3)),
    )


def test_whether_any_two_links_may_touch():
    apart = {0: (0, -1), 1: (0, 0), 2: (0, 1)}
    assert any_may_collide(apart, {frozenset((0, 1))})
    assert not any_may_collide({0: (0, -1), 1: (0, 0)}, {frozenset((0, 1))})
    assert not any_may_collide({0: (0, -1)}, set())


def test_links_that_are_merged_do_not_count_as_touching():
    merged = {0: (0, -1), 1: (0, -1), 2: (0, 0)}
    assert not any_may_collide({0: (0, -1), 1: (0, -1)}, set())
    assert any_may_collide(merged, {frozenset((0, 2))})
    assert not any_may_collide(merged, {frozenset((0, 2)), frozenset((1, 2))})


def test_no_two_bodies_may_collide_if_every_pair_is_excluded():
    refs = {0: (1, -1), 1: (1, 0), 2: (1, 1)}
    every = [frozenset(pair) for pair in itertools.combinations(refs, 2)]
    for excluded in (PairSet(groups=[(0, 1, 2)]), PairSet(pairs=every), set(every)):
        assert not any_may_collide(refs, excluded)
    for excluded in (PairSet(groups=[(0, 1)]), PairSet(pairs=every[:2]), set(every[1:])):
        assert any_may_collide(refs, excluded)
    assert not any_may_collide(dict.fromkeys(refs, (1, -1)), set())
