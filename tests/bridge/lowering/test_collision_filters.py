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
from bridge.lowering.collision_filters import any_may_touch, filters, forbidden_in_bullet, in_order, masks


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
    names = [f"l{i}" for i in range(60)]
    matching = {frozenset((names[2 * i], names[2 * i + 1])) for i in range(30)}
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
    apart = {"a": (0, -1), "b": (0, 0), "c": (0, 1)}
    assert any_may_touch(apart, {frozenset("ab")})
    assert not any_may_touch({"a": (0, -1), "b": (0, 0)}, {frozenset("ab")})
    assert not any_may_touch({"a": (0, -1)}, set())


def test_links_that_share_a_place_do_not_count_as_touching():
    folded = {"a": (0, -1), "b": (0, -1), "c": (0, 0)}
    assert not any_may_touch({"a": (0, -1), "b": (0, -1)}, set())
    assert any_may_touch(folded, {frozenset("ac")})
    assert not any_may_touch(folded, {frozenset("ac"), frozenset("bc")})


# --- a chain that is folded onto itself ------------------------------------------------------------------------------

LINK = (
    '<link name="{0}"><inertial><mass>1</mass></inertial><collision name="c"><geometry><sphere><radius>0.1</radius>'
    "</sphere></geometry></collision></link>"
)
JOINT = '<joint name="j{1}" type="{2}"><parent>{0}</parent><child>{1}</child><axis><xyz>0 0 1</xyz></axis></joint>'


def chain(links, joints, extra=""):
    body = "".join(LINK.format(name) for name in links) + "".join(JOINT.format(*joint) for joint in joints) + extra
    return loaders.load_string(f'<sdf version="1.11"><model name="m">{body}</model></sdf>', format="sdf")


KEPT_APART = (
    '<drake:collision_filter_group name="{0}"><drake:member>{1}</drake:member><drake:member>{2}</drake:member>'
    "<drake:ignored_collision_filter_group>{0}</drake:ignored_collision_filter_group></drake:collision_filter_group>"
)


@pytest.mark.parametrize(("policy", "rule"), [("drake", False), ("sdformat", True), ("mujoco", True)])
def test_mujocos_own_rule_stays_on_where_the_policy_agrees(policy, rule):
    """Drake lets a and c touch: b is welded to c and hangs from a, but c does not."""
    mechanism = bridge.lower(chain("abcd", [("a", "b", "revolute"), ("b", "c", "fixed"), ("c", "d", "revolute")]))
    found = filters(mechanism, policy)
    assert found.parent_filter == rule
    assert (frozenset("ac") in mechanism.collidable_pairs(policy)) == (not rule)


def test_a_list_of_excludes_that_can_be_read_stays():
    scene = chain("abcd", [("a", "b", "revolute"), ("c", "d", "revolute")])
    found = filters(bridge.lower(scene), "sdformat")
    assert found.masks is None
    assert found.excludes == (("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"))


def test_one_mask_takes_the_place_of_many_excludes():
    names = [f"l{i}" for i in range(12)]
    found = filters(bridge.lower(chain(names, [])), "sdformat")
    assert found.excludes == ()
    assert {(mask.kind, mask.touches) for mask in found.masks.values()} == {(1, 0)}


def test_excludes_stay_where_masks_would_be_almost_as_many():
    """Links of which each third pair may touch have almost as many classes as there are links."""
    names = [f"l{i}" for i in range(12)]
    rng = np.random.default_rng(0)
    rivals = [pair for pair in combinations(names, 2) if rng.random() < 0.66]
    scene = chain(names, [], "".join(KEPT_APART.format(f"g{i}", *pair) for i, pair in enumerate(rivals)))
    found = filters(bridge.lower(scene))
    assert found.masks is None
    assert len(found.excludes) == len(rivals) > 32


def test_a_crowd_is_masked_in_little_time():
    names = [f"l{i}" for i in range(1500)]
    excluded = {frozenset(p) for k in range(30) for p in combinations(names[50 * k : 50 * k + 50], 2)}
    found = masks(names, excluded)
    rng = np.random.default_rng(0)
    for i, j in rng.integers(0, 1500, (200, 2)):
        if i != j:
            a, b = names[i], names[j]
            assert found[a].meets(found[b]) == (frozenset((a, b)) not in excluded)


def test_the_order_of_pairs_is_that_of_the_names():
    pairs = {frozenset("ac"), frozenset("bd")}
    assert in_order(pairs, "dcba") == (("d", "b"), ("c", "a"))
    assert in_order(pairs, "abcd") == (("a", "c"), ("b", "d"))
