"""Pairs of links that never touch, by the rules of Drake and of the engines, and sets of pairs."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import mujoco
import pybullet
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from pybullet_utils.bullet_client import BulletClient

import loaders
from loaders.collision_pairs import (
    POLICIES,
    PairSet,
    connected_components,
    excluded_pairs,
    filtered_pairs,
    is_connection,
    is_weld,
    static_links,
)
from loaders.limits import LimitError, Limits, budgeted
from loaders.model import WORLD, Collision, Joint, JointType, Link, Model, Sphere
from loaders.pose import IDENTITY
from loaders.scene import Scene
from tests.support.drake_oracle import DrakePlant

# Which pairs never touch, by Drake's rules and the engines' own.

SPHERE = (
    '<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>'
)


def link(name, inside=SPHERE):
    return f'<link name="{name}">{inside}</link>'


def joint(parent, child, kind="revolute"):
    axis = "" if kind in {"fixed", "ball"} else "<axis><xyz>0 0 1</xyz></axis>"
    return (
        f'<joint name="j_{child}" '
        f'type="{kind}"><parent>{parent}</parent><child>{child}</child>{axis}</joint>'
    )


def model(body, name="m", attributes=""):
    return f'<sdf version="1.11"><model name="{name}"{attributes}>{body}</model></sdf>'


def pairs(text, policy="drake"):
    return loaders.load_string(text, format="sdf").excluded_collision_pairs(policy)


def scoped(names, root="m"):
    return {
        frozenset(name if name == "world" else f"{root}::{name}" for name in pair) for pair in names
    }


def words(text):
    return {frozenset(word) for word in text.split()}


# --- Drake's own rules ----------------------------------------------------------------------------

CHAINS = {
    "hinges": [("a", "b"), ("b", "c"), ("c", "d")],
    "hinged to the world": [("world", "a"), ("a", "b")],
    "welded to the world": [("world", "a", "fixed"), ("a", "b"), ("world", "c", "fixed")],
    "a weld in the middle": [("a", "b", "fixed"), ("b", "c"), ("c", "d", "fixed")],
    "a ball": [("a", "b", "ball"), ("c", "d", "prismatic")],
    "nothing": [],
}


@pytest.mark.parametrize("joints", CHAINS.values(), ids=CHAINS)
def test_default_filters_are_those_of_drake(joints):
    text = model("".join(map(link, "abcd")) + "".join(joint(*j) for j in joints))
    assert scoped(pairs(text)) == DrakePlant(text, "sdf").filtered_pairs()


def test_links_of_a_static_model_are_welded_together_as_in_drake():
    text = model("<static>true</static>" + "".join(map(link, "abc")))
    assert (
        scoped(pairs(text)) == DrakePlant(text, "sdf").filtered_pairs() == scoped(words("ab ac bc"))
    )


def test_drake_ignores_self_collide():
    text = model("<self_collide>false</self_collide>" + "".join(map(link, "ab")))
    assert pairs(text) == frozenset() == DrakePlant(text, "sdf").filtered_pairs()


def test_shapes_on_the_world_are_filtered_as_in_drake():
    shape = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    text = '<robot name="m">' + "".join(
        f'<link name="{name}">{shape}</link>' for name in ("world", "a", "b", "c")
    )
    for parent, child, kind in (
        ("world", "a", "fixed"),
        ("world", "b", "revolute"),
        ("b", "c", "revolute"),
    ):
        text += (
            f'<joint name="{child}" type="{kind}"><parent link="{parent}"/><child '
            f'link="{child}"/>{limit}</joint>'
        )
    scene = loaders.load_string(text + "</robot>", format="urdf")
    assert (
        scoped(scene.excluded_collision_pairs())
        == DrakePlant(text + "</robot>", "urdf").filtered_pairs()
    )


# --- groups ---------------------------------------------------------------------------------------


def group(name, members=(), groups=(), ignored=(), attributes=""):
    body = "".join(f"<drake:member>{m}</drake:member>" for m in members)
    body += "".join(f"<drake:member_group>{g}</drake:member_group>" for g in groups)
    body += "".join(
        f"<drake:ignored_collision_filter_group>{g}</drake:ignored_collision_filter_group>"
        for g in ignored
    )
    tag = "drake:collision_filter_group"
    return f'<{tag} name="{name}"{attributes}>{body}</{tag}>'


def random_model(rng, depth=0, name="m"):
    """Nested models with links and filter groups; return the text, and the scoped names of links
    and groups.
    """
    links = [f"l{i}" for i in range(rng.randint(1, 4))]
    body = "".join(map(link, links))
    members, groups = list(links), []
    for i in range(rng.randint(0, 2) if depth < 2 else 0):
        inner, inner_links, inner_groups = random_model(rng, depth + 1, f"n{i}")
        body += inner
        members += [f"n{i}::{x}" for x in inner_links]
        groups += [f"n{i}::{x}" for x in inner_groups]
    own = [f"g{i}" for i in range(rng.randint(0, 4))]
    groups += own
    for g in own:
        chosen = rng.sample(members, rng.randint(0, min(3, len(members))))
        inside = rng.sample(groups, rng.randint(0, min(3, len(groups))))
        if not chosen and not inside:
            chosen = members[:1]
        body += group(g, chosen, inside, rng.sample(groups, rng.randint(0, min(2, len(groups)))))
    for a, b in pairwise(links):
        if rng.random() < 0.5:
            body += joint(a, b, rng.choice(("revolute", "fixed")))
    return f'<model name="{name}">{body}</model>', members, groups


@pytest.mark.slow
@seed(0)
@settings(max_examples=200, deadline=None, database=None)
@given(st.integers(0, 2**32 - 1))
def test_random_nested_groups_with_cycles_are_resolved_as_in_drake(number):
    text, _, groups = random_model(random.Random(number))
    text = f'<sdf version="1.11" xmlns:drake="http://drake.mit.edu">{text}</sdf>'
    scene, drake = loaders.load_string(text, format="sdf"), DrakePlant(text, "sdf")
    assert scoped(scene.excluded_collision_pairs("drake")) == drake.filtered_pairs()
    ours = {f"m::{g.name}": {f"m::{name}" for name in g.links} for g in scene.filter_groups}
    theirs = {
        name: set(members)
        for name, members in drake.groups.groups().items()
        if members or name in ours
    }
    assert ours == theirs
    assert len(ours) == len(groups)


GROUPED = {
    "shared member": group("g", "ab", ignored="h") + group("h", "bcd"),
    "between and within": group("g", "ab", ignored="gh") + group("h", "cd"),
    "ignored element": group("g", "ab", ignored="g", attributes=' ignore="true"'),
    "no effect without ignoring": group("g", "abcd"),
}


@pytest.mark.parametrize("body", GROUPED.values(), ids=GROUPED)
def test_what_groups_exclude_is_what_drake_excludes(body):
    text = model(
        "".join(map(link, "abcd")) + body, attributes=' xmlns:drake="http://drake.mit.edu"'
    )
    assert scoped(pairs(text)) == DrakePlant(text, "sdf").filtered_pairs()


@pytest.mark.parametrize("policy", POLICIES)
def test_groups_hold_under_every_policy(policy):
    self_collide = "<self_collide>true</self_collide>"
    text = model(self_collide + "".join(map(link, "abcd")) + group("g", "ad", ignored="g"))
    assert frozenset("ad") in pairs(text, policy)


# --- the other policies ---------------------------------------------------------------------------


def test_in_sdformat_links_of_one_model_touch_only_if_one_of_both_wants_to():
    willing = link("c", SPHERE + "<self_collide>true</self_collide>")
    text = model("".join(map(link, "ab")) + willing)
    assert pairs(text, "sdformat") == words("ab")


def test_in_sdformat_joined_links_never_touch():
    text = model("<self_collide>true</self_collide>" + "".join(map(link, "abc")) + joint("a", "b"))
    assert pairs(text, "sdformat") == words("ab")


def test_in_sdformat_bitmasks_that_share_nothing_keep_collisions_apart():
    def masked(name, mask):
        surface = f"<surface><contact><collide_bitmask>{mask}</collide_bitmask></contact></surface></collision>"
        return link(name, SPHERE.replace("</collision>", surface))

    links = masked("a", 1) + masked("b", 2) + masked("c", 3) + masked("d", 0)
    text = model("<self_collide>true</self_collide>" + links)
    assert pairs(text, "sdformat") == words("ab ad bd cd")


def test_in_sdformat_models_touch_each_other_but_static_ones_do_not():
    body = "".join(
        f'<model name="{name}"><static>{static}</static>{link("l")}</model>'
        for name, static in (("p", "true"), ("q", "true"), ("r", "false"))
    )
    text = f'<sdf version="1.11"><world name="w">{body}</world></sdf>'
    assert pairs(text, "sdformat") == {frozenset(("p::l", "q::l"))}


@pytest.mark.parametrize("joints", CHAINS.values(), ids=CHAINS)
def test_mujocos_own_rule_is_what_running_mujoco_does(joints):
    parent = {child: (above, *kind) for above, child, *kind in joints}
    below = {
        name: [c for c, (above, *_) in parent.items() if above == name]
        for name in ("world", *"abcd")
    }

    def body(name):
        kind = parent.get(name, ("world", "free"))[1:] or ("hinge",)
        move = "" if kind == ("fixed",) else "<freejoint/>" if kind == ("free",) else "<joint/>"
        mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        return (
            f'<body name="{name}">{move}{mass}<geom '
            f'size="0.1"/>{"".join(map(body, below[name]))}</body>'
        )

    tops = [name for name in "abcd" if parent.get(name, ("world",))[0] == "world"]
    spec = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{''.join(map(body, tops))}</worldbody></mujoco>"
    )
    data = mujoco.MjData(spec)
    data.qpos[:3] += 0.01
    mujoco.mj_forward(spec, data)
    touching = {
        frozenset(spec.body(spec.geom_bodyid[g]).name for g in pair) for pair in data.contact.geom
    }
    text = model("".join(map(link, "abcd")) + "".join(joint(*j) for j in joints))
    assert pairs(text, "mujoco") == {frozenset(p) for p in combinations("abcd", 2)} - touching


@pytest.mark.parametrize("count", [3, 40])
def test_mujoco_excludes_each_pair_of_links_that_are_welded_together_once(count):
    """The number of pairs decides whether the limit ``pairs`` refuses a model."""
    names = [f"l{i}" for i in range(count)]
    welds = [joint(names[0], name, "fixed") for name in names[1:]]
    text = model("".join(map(link, [*names, "b"])) + "".join([*welds, joint(names[-1], "b")]))
    joined = {frozenset((name, "b")) for name in names}
    limits = loaders.Limits(pairs=count * (count + 1) // 2)
    with budgeted(limits):
        found = filtered_pairs(loaders.load_string(text, format="sdf"), "mujoco")
        assert set(found) == {frozenset(pair) for pair in combinations(names, 2)} | joined


def test_pybullets_own_rule_is_what_running_pybullet_does(tmp_path):
    shape = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    mass = (
        '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
        'iyz="0"/></inertial>'
    )
    text = '<robot name="m">' + "".join(
        f'<link name="{name}">{mass}{shape}</link>' for name in "abc"
    )
    for parent, child in ("ab", "bc"):
        ends = f'<parent link="{parent}"/><child link="{child}"/>'
        text += f'<joint name="{child}" type="continuous">{ends}</joint>'
    path = tmp_path / "m.urdf"
    path.write_text(text + "</robot>")
    client = BulletClient(connection_mode=pybullet.DIRECT)
    client.loadURDF(str(path))
    client.performCollisionDetection()
    assert client.getContactPoints() == ()
    client.disconnect()
    assert loaders.load(path).excluded_collision_pairs("pybullet") == words("ab ac bc")


# --- the function itself --------------------------------------------------------------------------


def test_an_unknown_policy_is_a_mistake_of_the_caller():
    with pytest.raises(
        ValueError, match="expected one of: neighbors, drake, sdformat, mujoco, pybullet"
    ):
        excluded_pairs(Scene(name="s"), "ode")


def long_chain(count, colliding):
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Sphere(radius=0.1))
    links = tuple(
        Link(name=f"l{i}", model="m", X_WL=IDENTITY, collisions=(shape,) if i in colliding else ())
        for i in range(count)
    )
    joints = tuple(
        Joint(
            name=f"j{i}",
            type=JointType.FIXED,
            parent=f"l{i}",
            child=f"l{i + 1}",
            X_PJ=IDENTITY,
            X_CJ=IDENTITY,
        )
        for i in range(count - 1)
    )
    return Scene(
        name="m",
        models=(Model(name="m", X_WM=IDENTITY, canonical_link="l0"),),
        links=links,
        joints=joints,
    )


@pytest.mark.parametrize("policy", POLICIES)
def test_links_without_collisions_cost_next_to_nothing(policy):
    scene = long_chain(10_000, {0, 9_999})
    assert excluded_pairs(scene, policy) <= {frozenset(("l0", "l9999"))}


def test_links_at_both_ends_of_a_long_weld_are_one_body():
    assert excluded_pairs(long_chain(10_000, {0, 9_999})) == {frozenset(("l0", "l9999"))}


# A set of pairs answers as the set of its listed pairs does, and groups are never listed without
# need.

ITEMS = range(9)


def drawn(seed: int) -> tuple[PairSet[int], frozenset[frozenset[int]]]:
    """A random set, and its pairs listed one by one."""
    rng = random.Random(seed)
    groups = [rng.sample(ITEMS, rng.randint(0, 6)) for _ in range(rng.randint(0, 3))]
    pairs = [frozenset(rng.sample(ITEMS, 2)) for _ in range(rng.randint(0, 6))]
    removed = [frozenset(rng.sample(ITEMS, 2)) for _ in range(rng.randint(0, 3))]
    listed = {frozenset(pair) for group in groups for pair in combinations(group, 2)} | set(pairs)
    return PairSet(groups, pairs).without(removed), frozenset(listed) - set(removed)


def test_it_is_the_set_of_its_listed_pairs() -> None:
    for each_seed in range(40):
        found, expected = drawn(each_seed)
        assert sorted(map(sorted, found)) == sorted(map(sorted, expected))  # each once
        assert found == expected
        assert hash(found) == hash(drawn(each_seed)[0])
        assert len(found) == len(expected) <= found.largest_size + 1
        assert {
            pair for pair in map(frozenset, combinations(ITEMS, 2)) if pair in found
        } == expected
        assert found - {frozenset((0, 1))} == expected - {frozenset((0, 1))}
        names = {item: str(item) for item in ITEMS if item != 3}
        assert found.renamed(names) == {
            frozenset(map(str, pair)) for pair in expected if 3 not in pair
        }


def test_pairs_between_parts_and_representatives() -> None:
    for each_seed in range(40):
        found, expected = drawn(each_seed)
        between = {pair for pair in expected if len({item % 3 for item in pair}) > 1}
        assert set(found.between(lambda item: item % 3)) == between
        if found.holds_all(ITEMS[:4]):
            assert {frozenset(pair) for pair in combinations(ITEMS[:4], 2)} <= expected
        few = found.representatives(ITEMS)
        for left_out in set(ITEMS) - set(few):  # two of the others stand for it
            partners = {other for other in few if frozenset((left_out, other)) in expected}
            alike = [
                one
                for one in few
                if {o for o in few if frozenset((one, o)) in expected} | {one} == partners | {one}
            ]
            assert len(alike) >= 2


def test_a_group_of_many_is_not_listed_unless_it_is_asked_for() -> None:
    many = PairSet([range(100_000)], [frozenset((0, 100_000))])
    assert frozenset((5, 99_999)) in many
    assert frozenset((5, 100_000)) not in many
    assert list(many.between(lambda item: item == 100_000)) == [frozenset((0, 100_000))]
    assert len(many.representatives(range(100_000))) == 3
    with budgeted(Limits(pairs=10)), pytest.raises(LimitError, match="pairs"):
        list(many)


# Connected components of links.

TEXT = """<robot name="r">{links}
<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="bc" type="continuous"><parent link="b"/><child link="c"/></joint>
<joint name="cd" type="floating"><parent link="c"/><child link="d"/></joint></robot>""".format(
    links="".join(f'<link name="{name}"/>' for name in "abcd")
)


def test_components_by_welds_and_by_connections() -> None:
    scene = loaders.load_string(TEXT, format="urdf")
    assert connected_components(scene, is_weld) == [[WORLD], ["a", "b"], ["c"], ["d"]]
    assert connected_components(scene, is_connection) == [[WORLD], ["a", "b", "c"], ["d"]]


def test_links_of_static_models_are_connected_to_the_world() -> None:
    text = (
        '<sdf version="1.9"><model name="m"><static>1</static><link name="a"/><link '
        'name="b"/></model></sdf>'
    )
    scene = loaders.load_string(text, format="sdf")
    assert static_links(scene) == {"a", "b"}
    assert [set(component) for component in connected_components(scene, is_weld)] == [
        {WORLD, "a", "b"}
    ]
