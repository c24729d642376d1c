"""Parts of a scene: every link, joint and group is in one part, or connects several."""

from __future__ import annotations

import loaders
from bridge.targets.assembly import models_of, namespaces, trees_of
from loaders import model as m
from loaders.pose import IDENTITY
from tests.support.scenes import UNIT_BOX, joint, link, scene

LINKS = [link("m::a", model="m"), link("m::b", model="m"), link("n::a", model="n")]
MODELS = tuple(m.Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::a") for name in "mn")


def world(joints: list[m.Joint], **more: object) -> loaders.Scene:
    return scene(LINKS, joints, models=MODELS, **more)


def test_each_outermost_model_is_a_part_without_its_scope() -> None:
    parts = models_of(world([joint("m::j", "m::a", "m::b")]))
    assert [(part.name, [item.name for item in part.scene.links]) for part in parts] == [
        ("m", ["a", "b"]),
        ("n", ["a"]),
    ]
    assert [item.name for item in parts[0].scene.joints] == ["j"]
    assert parts[0].links == {"m::a": "a", "m::b": "b"}


def test_a_scene_of_one_model_is_one_part() -> None:
    (part,) = models_of(scene([link("a"), link("b")], [joint("j", "a", "b")]))
    assert part.links == {"a": "a", "b": "b"}


def test_a_joint_between_models_is_in_no_part() -> None:
    parts = models_of(world([joint("glue", "m::a", "n::a")]))
    assert all(not part.scene.joints for part in parts)


def test_trees_are_connected_and_named_after_their_model_or_root() -> None:
    glued = trees_of(world([joint("glue", "m::b", "n::a")]))
    assert [(part.name, sorted(part.links)) for part in glued] == [
        ("m", ["m::a"]),
        ("m_b", ["m::b", "n::a"]),
    ]


def test_what_the_world_holds_in_a_model_is_one_tree() -> None:
    held = [joint("m::x", m.WORLD, "m::a"), joint("m::y", m.WORLD, "m::b")]
    assert [sorted(part.links) for part in trees_of(world(held))] == [["m::a", "m::b"], ["n::a"]]


def test_groups_that_a_rule_relates_to_another_model_are_in_no_part() -> None:
    groups = tuple(m.FilterGroup(name=f"{name}::g", links=(f"{name}::a",)) for name in "mn")
    own = models_of(
        world([], filter_groups=groups, filter_rules=(m.FilterRule(a="m::g", b="m::g"),))
    )
    assert [part.groups for part in own] == [{"m::g"}, {"n::g"}]
    related = models_of(
        world([], filter_groups=groups, filter_rules=(m.FilterRule(a="m::g", b="n::g"),))
    )
    assert [part.groups for part in related] == [set(), set()]


def test_namespaces_are_the_scopes_that_are_no_parts() -> None:
    deep = scene(
        [link("x::y::m::a", model="x::y::m")],
        models=(m.Model(name="x::y::m", X_WM=IDENTITY, canonical_link=None),),
    )
    parts = models_of(deep)
    assert [part.name for part in parts] == ["x::y::m"]
    assert namespaces(parts) == ("x", "x::y")


def test_the_shapes_of_the_world_are_a_static_model() -> None:
    given = scene([link(m.WORLD, shape=UNIT_BOX), link("a")])
    *_, ground = models_of(given)
    assert ground.links == {m.WORLD: "ground"}
    assert ground.scene.models[0].static
    assert [part.name for part in trees_of(given)] == ["m", "ground"]
