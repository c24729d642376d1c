"""The rules for attributes that become elements."""

from __future__ import annotations

import importlib

import pytest

from loaders.sdf.upgrade import Add, Copy, Map, Move, Remove, Rename, Rule, attributes_to_elements
from tests.support.sdf import (
    assert_upgrades,
)


def test_one_rule_moves_each_attribute_to_an_element_of_the_same_name() -> None:
    assert attributes_to_elements("//box", "size mass") == (
        Move("//box", "@size", "size"),
        Move("//box", "@mass", "mass"),
    )


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        (Move("a", "b", "c"), "<a><b>1</b></a>", "<a><c>1</c></a>"),
        (Move("a", "b", "c"), "<a><b>1</b><c>2</c></a>", "<a><b>1</b><c>2</c></a>"),
        (
            Copy("a", "b", ("c/d", "e/@f")),
            "<a><b>1</b></a>",
            "<a><b>1</b><c><d>1</d></c><e f='1'/></a>",
        ),
        (Rename("//b", "x", "c"), "<a><b x='1'/></a>", "<a><c>1</c></a>"),
        (Add("a", "b", "1"), "<a/>", "<a><b>1</b></a>"),
        (Add("a", "b", "1"), "<a><b>2</b></a>", "<a><b>2</b></a>"),
        (Remove("a", "b"), "<a><b/><c/><b/></a>", "<a><c/></a>"),
        (Map("a", "b", "c/@d", "x"), "<a><b>true</b><c/></a>", "<a><b>true</b><c d='x'/></a>"),
        (Map("a", "b", "c/@d", "x"), "<a><b>false</b><c/></a>", "<a><b>false</b><c/></a>"),
    ],
)
def test_each_kind_of_rule_changes_the_tree(
    rule: Rule, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        importlib.import_module("loaders.sdf.upgrade"), "UPGRADES", (((1, 2), (rule,)),)
    )
    assert_upgrades(old, "1.0", new)
