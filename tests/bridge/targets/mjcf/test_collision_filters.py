"""Excludes, masks and the parent filter: the pairs that collide in the running engines are those of
the model.
"""

from __future__ import annotations

import re
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
from bridge import lower
from bridge.targets.mjcf import to_mjcf
from bridge.targets.mjcf.collision_filter import filters, in_order, masks, welded_partners
from loaders.collision_pairs import POLICIES, weld_groups
from loaders.model import WORLD, JointType
from tests.support.mjcf_scenes import MASKS, ball, codes, hinge, link, scene_of, two_robots
from tests.support.mujoco_oracle import can_touch, compiled
from tests.support.seeds import seeds

# Collision masks, and which pairs the running engines let collide under them.


@st.composite
def graphs(draw, size=9):
    names = [f"l{i}" for i in range(draw(st.integers(0, size)))]
    pairs = [frozenset(pair) for pair in combinations(names, 2)]
    flags = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return names, {pair for pair, flag in zip(pairs, flags, strict=True) if flag}


def all_pairs(names):
    return {frozenset(pair) for pair in combinations(names, 2)}


@pytest.mark.slow
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
        f'<body name="{name}" pos="{0.01 * i} 0 0"><freejoint/><geom size="0.1" '
        f'contype="{found[name].kind}"'
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
@settings(
    max_examples=25,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(graphs(size=7))
def test_masks_are_what_running_pybullet_obeys(bullet, graph):
    names, excluded = graph
    bullet.resetSimulation()
    shape = bullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=0.1)
    bodies = [
        bullet.createMultiBody(1.0, shape, basePosition=(0.01 * i, 0, 0)) for i in range(len(names))
    ]
    found = masks(names, excluded)
    for body, name in zip(bodies, names, strict=True):
        bullet.setCollisionFilterGroupMask(body, -1, found[name].kind, found[name].touches)
    assert bullet_contacts(bullet, names) == all_pairs(names) - excluded


@pytest.mark.slow
def test_many_links_are_masked_quickly():
    names = [f"l{i}" for i in range(1500)]
    excluded = {
        frozenset(p) for k in range(30) for p in combinations(names[50 * k : 50 * k + 50], 2)
    }
    found = masks(names, excluded)
    rng = np.random.default_rng(0)
    for i, j in rng.integers(0, 1500, (200, 2)):
        if i != j:
            a, b = names[i], names[j]
            assert found[a].meets(found[b]) == (frozenset((a, b)) not in excluded)


def test_an_excluded_pair_of_a_body_that_is_not_asked_for_changes_nothing():
    found = masks(["a", "b"], [frozenset(("a", "c")), frozenset(("c", "d"))])
    assert found["a"].meets(found["b"])


def test_two_bodies_that_exclude_each_other_do_not_meet():
    found = masks(["a", "b"], [frozenset("ab")])
    assert not found["a"].meets(found["b"])


# The pairs that collide in MuJoCo are those that may collide in the model.


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", seeds(8))
def test_the_pairs_that_touch_in_mujoco_are_the_pairs_that_may_touch(seed, policy):
    """All but pairs that cannot move against each other, which MuJoCo never lets collide and a
    diagnostic reports.
    """
    scene = two_robots(seed)
    mechanism = lower(scene)
    mjcf = to_mjcf(mechanism, policy=policy)
    group = {name: i for i, names in enumerate(weld_groups(scene)) for name in names}
    expected = mechanism.collidable_pairs(policy)
    still = {pair for pair in expected if len({group[name] for name in pair}) == 1}
    assert can_touch(compiled(mjcf)) == expected - still
    assert ("mjcf.welded-contact" in codes(mjcf)) == bool(still)


def test_an_arm_on_the_ground_needs_one_exclude():
    links = [link(f"l{i}", collisions=(ball("c"),)) for i in range(4)]
    joints = [hinge("stand", WORLD, "l0", JointType.FIXED)]
    joints += [hinge(f"j{i}", f"l{i - 1}", f"l{i}") for i in range(1, 4)]
    mjcf = to_mjcf(scene_of(*links, joints=joints), overlaps="keep")
    assert re.findall(r"<exclude .*?>", mjcf) == ['<exclude body1="l0" body2="l1"/>']
    assert "filterparent" not in mjcf


@pytest.mark.parametrize("masks", MASKS)
def test_bitmasks_decide_as_in_the_source(masks):
    balls = [
        link(f"l{i}", model=f"m{i}", collisions=(ball(f"c{i}", collide_bitmask=mask),))
        for i, mask in enumerate(masks)
    ]
    heeded = to_mjcf(scene_of(*balls), policy="sdformat")
    assert bool(can_touch(compiled(heeded))) == bool(masks[0] & masks[1])
    unheeded = to_mjcf(scene_of(*balls))
    assert can_touch(compiled(unheeded))
    assert ("mjcf.contact-policy" in codes(unheeded)) == (masks != (0xFFFF, 0xFFFF))


# Excludes, masks and the parent filter that an MJCF file gets for a scene.


def excluded_names(mechanism, excludes):
    return tuple((mechanism.bodies[a].name, mechanism.bodies[b].name) for a, b in excludes)


# --- a chain that is folded onto itself -----------------------------------------------------------

LINK = (
    '<link name="{0}"><inertial><mass>1</mass></inertial><collision '
    'name="c"><geometry><sphere><radius>0.1</radius>'
    "</sphere></geometry></collision></link>"
)
JOINT = (
    '<joint name="j{1}" type="{2}"><parent>{0}</parent><child>{1}</child><axis><xyz>0 0 '
    "1</xyz></axis></joint>"
)


def chain(links, joints, extra=""):
    body = (
        "".join(LINK.format(name) for name in links)
        + "".join(JOINT.format(*joint) for joint in joints)
        + extra
    )
    return loaders.load_string(
        f'<sdf version="1.11"><model name="m">{body}</model></sdf>', format="sdf"
    )


KEPT_APART = (
    "<drake:collision_filter_group "
    'name="{0}"><drake:member>{1}</drake:member><drake:member>{2}</drake:member>'
    "<drake:ignored_collision_filter_group>{0}</drake:ignored_collision_filter_group></drake:collision_filter_group>"
)


@pytest.mark.parametrize(
    ("policy", "rule"), [("drake", False), ("sdformat", True), ("mujoco", True)]
)
def test_mujocos_own_rule_stays_on_where_the_policy_agrees(policy, rule):
    """Drake lets a and c touch: b is welded to c and hangs from a, but c does not."""
    mechanism = bridge.lower(
        chain("abcd", [("a", "b", "revolute"), ("b", "c", "fixed"), ("c", "d", "revolute")])
    )
    found = filters(mechanism, policy)
    assert found.parent_filter == rule
    assert (frozenset("ac") in mechanism.collidable_pairs(policy)) == (not rule)


def test_a_list_of_excludes_that_can_be_read_stays():
    mechanism = bridge.lower(chain("abcd", [("a", "b", "revolute"), ("c", "d", "revolute")]))
    found = filters(mechanism, "sdformat")
    assert found.masks is None
    assert excluded_names(mechanism, found.excludes) == (
        ("a", "c"),
        ("a", "d"),
        ("b", "c"),
        ("b", "d"),
    )


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
    scene = chain(
        names, [], "".join(KEPT_APART.format(f"g{i}", *pair) for i, pair in enumerate(rivals))
    )
    found = filters(bridge.lower(scene))
    assert found.masks is None
    assert len(found.excludes) == len(rivals) > 32


def test_the_order_of_pairs_is_that_of_the_bodies():
    pairs = {frozenset((0, 2)), frozenset((1, 3))}
    assert in_order(pairs, (3, 2, 1, 0)) == ((3, 1), (2, 0))
    assert in_order(pairs, (0, 1, 2, 3)) == ((0, 2), (1, 3))


def test_bodies_that_may_collide_and_are_welded_together_are_counted():
    mechanism = bridge.lower(
        chain("abcd", [("a", "b", "fixed"), ("b", "c", "fixed"), ("c", "d", "revolute")])
    )
    assert welded_partners(mechanism, "drake") == {}
    willing = bridge.lower(
        chain("abc", [("a", "b", "fixed"), ("b", "c", "fixed")], "<self_collide>1</self_collide>")
    )
    index = willing.body_index  # a with c; links of one joint never collide
    assert welded_partners(willing, "sdformat") == {index["a"]: 1, index["c"]: 1}
