"""Filter groups: member groups in cycles, and unknown groups."""

from __future__ import annotations

import pytest

from loaders.diagnostics import Diagnostics
from loaders.finish.finish import resolve
from loaders.model import FilterGroup, FilterRule
from loaders.scene import Scene


def test_member_groups_may_form_a_cycle() -> None:
    groups = (
        FilterGroup(name="g", links=("a",), groups=("h",)),
        FilterGroup(name="h", links=("b",), groups=("g",)),
    )
    diagnostics = Diagnostics()
    scene = resolve(Scene(name="s", filter_groups=groups), diagnostics)
    assert [set(group.links) for group in scene.filter_groups] == [{"a", "b"}, {"a", "b"}]
    assert not any(group.groups for group in scene.filter_groups)
    assert not list(diagnostics)


@pytest.mark.parametrize(
    ("groups", "rules", "code"),
    [
        ((FilterGroup(name="g", links=("a",), groups=("x",)),), (), "drake.unknown-group"),
        (
            (FilterGroup(name="g", links=("a",)),),
            (FilterRule(a="g", b="x"),),
            "drake.unknown-group",
        ),
        (
            (FilterGroup(name="g", links=("a",)), FilterGroup(name="g", links=("b",))),
            (),
            "drake.duplicate-group",
        ),
    ],
)
def test_names_of_groups_are_checked(
    groups: tuple[FilterGroup, ...], rules: tuple[FilterRule, ...], code: str
) -> None:
    diagnostics = Diagnostics()
    resolve(Scene(name="s", filter_groups=groups, filter_rules=rules), diagnostics)
    assert [entry.code for entry in diagnostics] == [code]
