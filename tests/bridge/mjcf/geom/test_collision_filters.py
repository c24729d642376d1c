"""Excludes, masks and the parent filter that an MJCF file gets for a scene."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import bridge
import loaders
from bridge.targets.mjcf.collision_filter import filters, in_order, welded_partners


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
