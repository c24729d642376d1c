"""Items are in the innermost model that contains what they refer to."""

from __future__ import annotations

import bridge
from loaders import model as m
from loaders.pose import IDENTITY
from tests.support.scenes import UNIT_BOX, joint, link, scene
from tests.support.sdf_writer import read

MODELS = tuple(m.Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::a") for name in "mn")
LINKS = [link(f"{name}::a", model=name, shape=UNIT_BOX) for name in "mn"]


def test_a_joint_between_models_of_a_world_belongs_to_the_world() -> None:
    given = scene(LINKS, [joint("m::j", "m::a", "n::a")], models=MODELS)
    assert [(item.name, item.parent) for item in read(given).joints] == [("m__j", "m::a")]


def test_a_follower_is_in_a_model_that_contains_its_leader() -> None:
    links = [link("b", model="r"), *LINKS, link("m::c", model="m")]
    joints = [joint("m::j", "m::a", "m::c"), joint("n::k", "n::a", "b")]
    models = (m.Model(name="r", X_WM=IDENTITY, canonical_link="b"), *MODELS)
    given = scene(
        links, joints, models=models, couplings=(m.Coupling(follower="m::j", leader="n::k"),)
    )
    (found,) = read(given).couplings
    assert (found.follower, found.leader) == ("m__j", "n__k")


def test_names_of_lights_are_unique() -> None:
    lights = tuple(
        m.Light(name=name, type="point", link=m.WORLD, X_LLight=IDENTITY)
        for name in ("x::y", "x__y")
    )
    assert [light.name for light in read(scene(LINKS, models=MODELS, lights=lights)).lights] == [
        "x__y",
        "x__y_",
    ]


def test_no_two_children_of_a_model_have_the_same_name_as_drake_demands() -> None:
    """Drake 1.51: Non-unique name[a] detected 2 times in XML children of model."""
    groups = (m.FilterGroup(name="a", links=("a",)), m.FilterGroup(name="b", links=("b",)))
    given = scene(
        [link("a"), link("b")], filter_groups=groups, filter_rules=(m.FilterRule(a="a", b="b"),)
    )
    found = read(given)
    assert [group.name for group in found.filter_groups] == ["a_group", "b_group"]
    assert [(rule.a, rule.b) for rule in found.filter_rules] == [("a_group", "b_group")]
    assert [group.name for group in read(found).filter_groups] == ["a_group", "b_group"]


def test_a_model_whose_name_must_change_keeps_its_canonical_link() -> None:
    links = [link("a", model="x::y"), link("b", model="x::y")]
    models = (m.Model(name="x::y", X_WM=IDENTITY, canonical_link="b"),)
    found = read(scene(links, [joint("j", "a", "b")], models=models))
    (model,) = (model for model in found.models if model.canonical_link is not None)
    assert model.canonical_link == found.links[1].name
    assert {each.model for each in found.links} == {model.name}


def test_a_filter_rule_between_two_models_of_a_world_is_reported() -> None:
    groups = (
        m.FilterGroup(name="m::g", links=("m::a",)),
        m.FilterGroup(name="n::h", links=("n::a",)),
    )
    given = scene(
        LINKS, models=MODELS, filter_groups=groups, filter_rules=(m.FilterRule(a="m::g", b="n::h"),)
    )
    reported = [
        e.subjects for e in bridge.to_sdf(given).diagnostics if e.code == "sdfout.filter-rule"
    ]
    assert reported == [("m::g", "n::h")]
    assert read(given).filter_rules == ()
