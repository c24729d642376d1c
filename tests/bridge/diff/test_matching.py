"""Items with other names are matched where their place leaves no doubt, and only there."""

from __future__ import annotations

import pytest

from bridge.diff.differences import differences
from bridge.diff.matching import names_by_prefix, names_by_scope, names_by_structure, names_of_map
from loaders import model as m
from loaders.finish.transform import renamed
from loaders.model import WORLD
from loaders.scene import Scene
from tests.support.scenes import UNIT_BOX, joint, link, scene

T = m.JointType


def fork(
    base: str,
    left: str,
    right: str,
    joints: tuple[str, str],
    kinds: tuple[T, T] = (T.REVOLUTE, T.REVOLUTE),
) -> Scene:
    links = [link(base), link(left), link(right, shape=UNIT_BOX)]
    return scene(
        links, [joint(joints[0], base, left, kinds[0]), joint(joints[1], base, right, kinds[1])]
    )


def test_branches_are_told_apart_by_what_is_on_them() -> None:
    a = fork("base", "left", "right", ("l", "r"))
    links = [link("x"), link("z"), link("y", shape=UNIT_BOX)]
    b = scene(links, [joint("q", "x", "y"), joint("p", "x", "z")])
    assert names_by_structure(a, b) == {
        "link": {"base": "x", "left": "z", "right": "y"},
        "joint": {"l": "p", "r": "q"},
    }


def test_branches_are_told_apart_by_the_types_of_their_joints() -> None:
    kinds = (T.REVOLUTE, T.PRISMATIC)
    a, b = (
        fork("base", "left", "right", ("l", "r"), kinds),
        fork("base", "u", "v", ("p", "q"), kinds),
    )
    assert names_by_structure(a, b)["joint"] == {"l": "p", "r": "q"}


def test_items_of_the_same_name_keep_each_other() -> None:
    a = fork("base", "left", "right", ("l", "r"))
    assert names_by_structure(a, a) == {"link": {}, "joint": {}}


def test_what_has_no_counterpart_stays() -> None:
    a = fork("base", "left", "right", ("l", "r"))
    b = scene([link("base")])
    assert names_by_structure(a, b) == {"link": {}, "joint": {}}


def test_the_only_roots_belong_together_whatever_they_hold() -> None:
    assert names_by_structure(scene([link("a")]), scene([link("b", shape=UNIT_BOX)]))["link"] == {
        "a": "b"
    }


def test_a_map_may_name_the_kind() -> None:
    a = scene([link("a"), link("b")], [joint("a", "a", "b")])
    b = scene([link("j"), link("b")], [joint("j", "j", "b")])
    names = names_of_map(a, b, {"joint a": "j"})
    assert names["joint"] == {"a": "j"}
    assert names["link"] == {}
    assert names_of_map(a, b, {"a": "j"})["link"] == {"a": "j"}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"elbo": "joint_2"}, "A has no .* 'elbo', .* did you mean 'elbow'"),
        ({"elbow": "joint_3"}, "B has no joint 'joint_3', .* did you mean 'joint_2'"),
        ({"hand": "zz"}, "B has no link 'zz', which the map names; expected one of arm, palm"),
    ],
)
def test_a_name_that_a_file_lacks_is_refused_with_those_like_it(
    names: dict[str, str], message: str
) -> None:
    a = scene([link("arm"), link("hand")], [joint("elbow", "arm", "hand")])
    b = scene([link("arm"), link("palm")], [joint("joint_2", "arm", "palm")])
    with pytest.raises(ValueError, match=message):
        names_of_map(a, b, names)


def test_a_model_matches_a_world_with_one_model() -> None:
    model = fork("base", "left", "right", ("l", "r"))
    names = {
        "link": {name: f"w::{name}" for name in ("base", "left", "right")},
        "joint": {"l": "w::l", "r": "w::r"},
    }
    world = renamed(model, {"model": {"m": "w"}, **names})
    found = names_by_scope(model, world)
    assert (found["model"], found["link"], found["joint"]) == (
        {"m": "w"},
        names["link"],
        names["joint"],
    )
    assert not differences(renamed(model, found), world)
    back = names_by_scope(world, model)
    assert not differences(renamed(world, back), model)
    assert names_by_scope(model, model) == names_by_scope(world, world) == {}


def test_a_floating_base_is_the_root_that_it_is_without_its_joint() -> None:
    stated = scene(
        [link("a"), link("b")],
        [joint("free", WORLD, "a", T.FLOATING, axes=()), joint("j", "a", "b")],
    )
    implicit = scene([link("x"), link("y")], [joint("k", "x", "y")])
    found = names_by_structure(stated, implicit)
    assert (found["link"], found["joint"]) == ({"a": "x", "b": "y"}, {"j": "k"})


def test_names_that_differ_by_one_prefix_belong_together() -> None:
    a = scene([link(f"panda_{name}") for name in ("base", "hand", "tip")] + [link("odd_base")])
    b = scene([link(name) for name in ("hand", "base", "tip")])
    expected = {
        name: name.removeprefix("panda_") for name in ("panda_base", "panda_hand", "panda_tip")
    }
    assert names_by_prefix(a, b)["link"] == expected
    assert names_by_prefix(b, a)["link"] == {new: old for old, new in expected.items()}
    assert names_by_prefix(scene([link("x_a"), link("x_b")]), scene([link("a"), link("b")])) == {}
    assert "joint" not in names_by_prefix(a, b)


def test_the_only_trees_belong_together_if_one_is_fixed_to_the_world() -> None:
    a = scene([link("base"), link("arm")], [joint("j", "base", "arm")])
    b = scene(
        [link("foot"), link("limb")],
        [joint("held", WORLD, "foot", T.FIXED), joint("k", "foot", "limb")],
    )
    assert names_by_structure(a, b) == {
        "link": {"base": "foot", "arm": "limb"},
        "joint": {"j": "k"},
    }
    assert names_by_structure(b, a) == {
        "link": {"foot": "base", "limb": "arm"},
        "joint": {"k": "j"},
    }
