"""Excludes and masks, asked of the running engines."""

from __future__ import annotations

from itertools import combinations

import mujoco
import numpy as np
import pybullet
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from pybullet_utils.bullet_client import BulletClient

import bridge
import loaders
from bridge.collisions import any_may_touch, colliding, excludes, filters, forbidden_in_bullet, masks


@st.composite
def graphs(draw, size=9):
    names = [f"l{i}" for i in range(draw(st.integers(0, size)))]
    pairs = [frozenset(pair) for pair in combinations(names, 2)]
    flags = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return names, {pair for pair, flag in zip(pairs, flags, strict=True) if flag}


def all_pairs(names):
    return {frozenset(pair) for pair in combinations(names, 2)}


@seed(0)
@settings(max_examples=300, deadline=None, derandomize=False, database=None)
@given(graphs(size=14))
def test_masks_let_exactly_the_pairs_touch_that_are_not_excluded(graph):
    names, excluded = graph
    found = masks(names, excluded)
    touching = {frozenset((a, b)) for a, b in combinations(names, 2) if found[a].meets(found[b])}
    assert touching == all_pairs(names) - excluded


def test_a_graph_that_needs_more_bits_than_there_are_has_no_masks():
    names = [f"l{i}" for i in range(12)]
    matching = {frozenset((names[2 * i], names[2 * i + 1])) for i in range(6)}
    excluded = all_pairs(names) - matching
    assert masks(names, excluded, bits=6) is not None
    assert masks(names, excluded, bits=5) is None


def test_masks_fit_into_a_signed_integer_of_32_bits():
    names = [f"l{i}" for i in range(62)]
    matching = {frozenset((names[2 * i], names[2 * i + 1])) for i in range(31)}
    found = masks(names, all_pairs(names) - matching)
    assert max(max(mask.kind, mask.touches) for mask in found.values()) <= 2**31 - 1


def mujoco_contacts(model):
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    names = [model.body(model.geom_bodyid[i]).name for i in range(model.ngeom)]
    return {frozenset((names[a], names[b])) for a, b in data.contact.geom}


@seed(1)
@settings(max_examples=25, deadline=None, database=None)
@given(graphs(size=7))
def test_masks_are_what_running_mujoco_obeys(graph):
    names, excluded = graph
    found = masks(names, excluded)
    bodies = "".join(
        f'<body name="{name}" pos="{0.01 * i} 0 0"><freejoint/><geom size="0.1" contype="{found[name].kind}"'
        f' conaffinity="{found[name].touches}"/></body>'
        for i, name in enumerate(names)
    )
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    assert mujoco_contacts(model) == all_pairs(names) - excluded


@pytest.fixture(scope="module")
def bullet():
    client = BulletClient(connection_mode=pybullet.DIRECT)
    yield client
    client.disconnect()


def bullet_contacts(client, names):
    client.performCollisionDetection()
    return {frozenset((names[c[1]], names[c[2]])) for c in client.getContactPoints()}


@seed(2)
@settings(max_examples=25, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graphs(size=7))
def test_masks_are_what_running_pybullet_obeys(bullet, graph):
    names, excluded = graph
    bullet.resetSimulation()
    shape = bullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=0.1)
    bodies = [bullet.createMultiBody(1.0, shape, basePosition=(0.01 * i, 0, 0)) for i in range(len(names))]
    found = masks(names, excluded)
    for body, name in zip(bodies, names, strict=True):
        bullet.setCollisionFilterGroupMask(body, -1, found[name].kind, found[name].touches)
    assert bullet_contacts(bullet, names) == all_pairs(names) - excluded


def test_forbidden_pairs_are_what_running_pybullet_obeys(bullet):
    bullet.resetSimulation()
    names = ["a", "b", "c", "d"]
    excluded = {frozenset("ab"), frozenset("cd"), frozenset("ad")}
    shape = bullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=0.1)
    bodies = [bullet.createMultiBody(1.0, shape, basePosition=(0.01 * i, 0, 0)) for i in range(4)]
    places = {name: (body, -1) for name, body in zip(names, bodies, strict=True)}
    for (body_a, link_a), (body_b, link_b) in forbidden_in_bullet(places, excluded):
        bullet.setCollisionFilterPair(body_a, body_b, link_a, link_b, 0)
    assert bullet_contacts(bullet, names) == all_pairs(names) - excluded


def test_links_that_share_a_place_are_forbidden_only_together():
    places = {"a": (0, -1), "b": (0, -1), "c": (0, 3)}
    assert forbidden_in_bullet(places, {frozenset("ac")}) == ()
    assert forbidden_in_bullet(places, {frozenset("ac"), frozenset("bc"), frozenset("ab")}) == (((0, -1), (0, 3)),)


def test_whether_any_two_links_may_touch():
    assert any_may_touch("abc", {frozenset("ab")})
    assert not any_may_touch("ab", {frozenset("ab")})
    assert not any_may_touch("a", set())


# --- a chain that is folded onto itself ------------------------------------------------------------------------------

LINK = (
    '<link name="{0}"><inertial><mass>1</mass></inertial><collision name="c"><geometry><sphere><radius>0.1</radius>'
    "</sphere></geometry></collision></link>"
)
JOINT = '<joint name="j{1}" type="{2}"><parent>{0}</parent><child>{1}</child><axis><xyz>0 0 1</xyz></axis></joint>'


def chain(links, joints, extra=""):
    body = "".join(LINK.format(name) for name in links) + "".join(JOINT.format(*joint) for joint in joints) + extra
    return loaders.load_string(f'<sdf version="1.11"><model name="m">{body}</model></sdf>', format="sdf")


GROUP = (
    '<drake:collision_filter_group name="g"><drake:member>a</drake:member><drake:member>e</drake:member>'
    "<drake:ignored_collision_filter_group>g</drake:ignored_collision_filter_group></drake:collision_filter_group>"
)
FOLDED = [("world", "a", "fixed"), ("a", "b", "revolute"), ("b", "c", "fixed"), ("c", "d", "revolute")]


@pytest.mark.parametrize("policy", ["drake", "sdformat", "mujoco", "pybullet"])
def test_excludes_leave_running_mujoco_exactly_the_pairs_of_the_policy(policy):
    scene = chain("abcde", [*FOLDED, ("d", "e", "revolute")], GROUP)
    mechanism = bridge.lower(scene)
    bodies = "".join(
        f'<body name="{name}" pos="{0.01 * (i > 0)} 0 0">'
        + ("" if name in "ac" else "<joint/>")
        + '<geom size="0.1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        for i, name in enumerate("abcde")
    )
    contact = "".join(f'<exclude body1="{a}" body2="{b}"/>' for a, b in excludes(mechanism, policy))
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option><flag filterparent="disable"/></option><worldbody>{bodies}{"</body>" * 5}</worldbody>'
        f"<contact>{contact}</contact></mujoco>"
    )
    assert mujoco_contacts(model) == mechanism.collidable_pairs(policy)


def test_many_excludes_become_masks():
    mechanism = bridge.lower(chain("abcd", FOLDED))
    plain, masked = filters(mechanism), filters(mechanism, many=1)
    assert plain.masks is None
    assert plain.excludes == (("a", "b"), ("c", "d"))
    assert masked.excludes == ()
    touching = {frozenset(p) for p in combinations("abcd", 2) if masked.masks[p[0]].meets(masked.masks[p[1]])}
    assert touching == mechanism.collidable_pairs()


def test_a_crowd_is_masked_in_little_time():
    names = [f"l{i}" for i in range(1500)]
    excluded = {frozenset(p) for k in range(30) for p in combinations(names[50 * k : 50 * k + 50], 2)}
    found = masks(names, excluded)
    rng = np.random.default_rng(0)
    for i, j in rng.integers(0, 1500, (200, 2)):
        if i != j:
            a, b = names[i], names[j]
            assert found[a].meets(found[b]) == (frozenset((a, b)) not in excluded)


def test_the_order_of_pairs_is_that_of_the_scene():
    mechanism = bridge.lower(chain("dcba", [("d", "b", "revolute"), ("a", "c", "revolute")]))
    assert colliding(mechanism) == ["d", "c", "b", "a"]
    assert excludes(mechanism) == (("d", "b"), ("c", "a"))
