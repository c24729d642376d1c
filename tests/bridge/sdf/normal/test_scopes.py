"""Scopes follow the names of models."""

from __future__ import annotations

from bridge.targets.sdf.scope import by_prefix, common, innermost, scopes_of, set_prefixes
from loaders import model as m
from loaders.pose import IDENTITY
from tests.support.scenes import link, scene


def model(name: str) -> m.Model:
    return m.Model(name=name, X_WM=IDENTITY, canonical_link=None)


def test_implied_models_are_added_and_names_find_their_scope() -> None:
    given = scene([link("a::b::c::x", model="a::b::c")], models=(model("a::b::c"),))
    scopes = scopes_of(given, as_world=True)
    set_prefixes(scopes.root)
    assert scopes.added == ("a", "a::b")
    assert innermost(by_prefix(scopes.root), "a::b::x").prefix == "a::b::"
    assert common([scopes.of_name("a::b::c::x"), scopes.of_name("a::y")]).prefix == "a::"


def test_a_nested_model_may_have_the_name_of_the_outermost_one() -> None:
    given = scene(
        [link("x", model="r"), link("r::y", model="r::r")],
        models=(model("r"), model("r::r")),
        name="r",
    )
    scopes = scopes_of(given, as_world=False)
    set_prefixes(scopes.root)
    assert [scope.prefix for scope in scopes.root.walk()] == ["", "r::"]
    assert [scope.model.name for scope in scopes.root.walk() if scope.model] == ["r", "r::r"]


def test_claimed_names_are_legal_and_unique() -> None:
    scope = scopes_of(scene([link("a")]), as_world=False).root
    assert [scope.claim(name, "link") for name in ("a", "a", "a", "__a__", "", "x::y")] == [
        "a",
        "a_link",
        "a_link_2",
        "a_link_3",
        "link",
        "x__y",
    ]
