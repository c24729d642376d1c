"""Picture of links and joints."""

from __future__ import annotations

import pytest

from bridge.cli.commands.info import layout, picture
from loaders import load_string

JOINT = "<joint name='{0}{1}' type='fixed'><parent>{0}</parent><child>{1}</child></joint>"


def sdf(links: str, *joints: str) -> str:
    """A model with these links, and joints that are written as parent and child."""
    parts = "".join(f"<link name='{name}'/>" for name in links) + "".join(
        JOINT.format(*joint) for joint in joints
    )
    return f"<sdf version='1.11'><model name='m'>{parts}</model></sdf>"


def test_a_link_stands_one_column_after_its_parent_and_beside_its_children() -> None:
    plan = layout(load_string(sdf("abcd", "ab", "ac", "cd"), format="sdf"))
    assert {name: column for name, (column, _) in plan.place.items()} == {
        "a": 0,
        "b": 1,
        "c": 1,
        "d": 2,
    }
    rows = {name: row for name, (_, row) in plan.place.items()}
    assert rows["a"] == (rows["b"] + rows["c"]) / 2
    assert rows["c"] == rows["d"]
    assert len(set(plan.place.values())) == 4, "no two links at one place"


def test_a_joint_that_closes_a_loop_is_not_in_the_tree() -> None:
    plan = layout(load_string(sdf("abcd", "ab", "ac", "bd", "cd"), format="sdf"))
    assert [joint.name for joint in plan.loops] == ["cd"]
    assert plan.place["d"][0] == 2


@pytest.mark.parametrize("form", ["svg", "png"])
def test_a_picture_is_the_same_each_time_and_dollar_signs_are_text(form: str) -> None:
    pytest.importorskip("matplotlib")
    scene = load_string(
        "<robot name='r'><link name='$a$'/><link name='_$'/></robot>".replace("_", "b"),
        format="urdf",
    )
    assert picture(scene, form) == picture(scene, form)
    if form == "svg":
        assert "$a$" in picture(scene, form).decode()


def test_a_joint_that_follows_another_says_so() -> None:
    pytest.importorskip("matplotlib")
    axis = "<axis><xyz>0 0 1</xyz>{}</axis>"
    mimic = axis.format(
        "<mimic "
        "joint='ab'><multiplier>2</multiplier><offset>0</offset><reference>0</reference></mimic>"
    )
    text = (
        sdf("abc", "ab", "ac")
        .replace("type='fixed'", "type='revolute'")
        .replace("</child>", "</child>{}")
    )
    scene = load_string(text.format(axis.format(""), mimic), format="sdf", quiet=True)
    assert "ac (revolute, mimics ab x 2 + 0)" in picture(scene, "svg").decode()
