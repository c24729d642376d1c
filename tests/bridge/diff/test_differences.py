"""Scenes are compared item by item: values within a tolerance, and items with other names by their
place.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

import loaders
from bridge.diff import differences
from bridge.diff.differences import compare_values
from bridge.diff.matching import names_by_prefix, names_by_scope, names_by_structure, names_of_map
from loaders import model as m
from loaders.finish.transform import renamed
from loaders.inertia import SpatialInertia
from loaders.model import WORLD
from loaders.pose import Pose
from loaders.scene import Scene
from tests.support.scenes import UNIT_BOX, joint, link, scene

# Scenes are compared item by item, by name.

ARM = scene([link("a"), link("b")], [joint("j", "a", "b", axis={"lower": -1.0})])


def test_a_scene_does_not_differ_from_itself() -> None:
    assert differences(ARM, ARM) == ()


def test_a_limit_is_named_by_joint_and_field() -> None:
    axis = dataclasses.replace(ARM.joints[0].axes[0], lower=-2.0)
    other = dataclasses.replace(ARM, joints=(dataclasses.replace(ARM.joints[0], axes=(axis,)),))
    assert [str(d) for d in differences(ARM, other)] == [
        "joint j: axes[0].lower is -1.0 in A and -2.0 in B"
    ]


def test_a_missing_link_is_named_once() -> None:
    assert [str(d) for d in differences(ARM, scene([link("a")]))][:1] == ["link b is only in A"]


def test_differences_have_the_places_of_items_and_of_parts_in_both_files(tmp_path: Path) -> None:
    """A robot written by hand in two formats: the line of the link, of its shape, and of the
    joint.
    """
    (tmp_path / "a.urdf").write_text(URDF)
    (tmp_path / "b.xml").write_text(MJCF)
    found = differences(
        loaders.load(tmp_path / "a.urdf"), loaders.load(tmp_path / "b.xml", quiet=True)
    )
    lines = {(d.kind, d.name, d.field): (d.where_a.line, d.where_b.line) for d in found}
    assert lines["link", "tip", "inertia.I_Lcm"] == (3, 3)
    assert lines["link", "tip", "collisions[c].geometry.radius"] == (5, 7)
    assert lines["joint", "j", "axes[0].damping"] == (6, 4)
    assert lines["actuator", "m", ""] == (0, 9)
    assert {d.where_a.file for d in found if d.kind == "link"} == {str(tmp_path / "a.urdf")}


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ("1.01e-9 2e-9 2.5e-9 1e-10", "I_Lcm"),
        ("1e-9 2e-9 2.5e-9 1.01e-10", "I_Lcm"),
        ("1e-9 2e-9 2.5e-9 1e-10", ""),
    ],
)
def test_moments_of_small_links_are_compared_by_their_size(
    changed: str, field: str, tmp_path: Path
) -> None:
    """A difference of 1 % is much smaller than the tolerance of numbers below 1."""
    scenes = []
    for i, text in enumerate((MJCF, MJCF.replace("1e-9 2e-9 2.5e-9 1e-10", changed))):
        (tmp_path / f"{i}.xml").write_text(text)
        scenes.append(loaders.load(tmp_path / f"{i}.xml", quiet=True))
    assert [d.field for d in differences(*scenes)] == ([f"inertia.{field}"] if field else [])


def test_a_point_has_no_moments_that_differ() -> None:
    """Rounding errors of the moments of a body without extent are those of its mass."""
    a, b = (scene_with(np.diag([moment, 0.0, 0.0])) for moment in (0.0, 1e-19))
    assert differences(a, b) == ()


def scene_with(I_Lcm: np.ndarray) -> loaders.Scene:
    inertia = loaders.SpatialInertia(1e-3, np.zeros(3), I_Lcm)
    link = loaders.model.Link(name="a", model="m", X_WL=loaders.Pose.of(), inertia=inertia)
    return loaders.Scene(name="s", links=(link,))


URDF = """<robot name="r">
<link name="world"/>
<link name="tip"><inertial><mass value=".001"/>
<inertia ixx="1.1e-9" iyy="2e-9" izz="2.5e-9" ixy="1e-10" ixz="0" iyz="0"/></inertial>
<collision name="c"><geometry><sphere radius=".01"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="world"/><child link="tip"/><axis xyz="0 0 1"/></joint></robot>
"""
MJCF = """<mujoco><compiler angle="radian"/>
<worldbody>
<body name="tip">
<joint name="j" damping="1"/>
<inertial pos="0 0 0" mass=".001" fullinertia="1e-9 2e-9 2.5e-9 1e-10 0 0"/>

<geom name="c" size=".02"/>
</body></worldbody>
<actuator><motor name="m" joint="j"/></actuator></mujoco>"""


# Values are equal within a tolerance, files by content.


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (1.0, 1.0 + 1e-12, True),
        (1.0, 1.1, False),
        (math.inf, math.inf, True),
        (True, 1, False),
        (None, None, True),
    ],
)
def test_numbers_and_words(a: object, b: object, equal: bool) -> None:
    assert (list(compare_values(a, b, 1e-9, "x")) == []) is equal


def test_shapes_of_different_types_differ() -> None:
    assert list(
        compare_values(m.Sphere(radius=1.0), m.Box(size=(1.0, 1.0, 1.0)), 1e-9, "geometry")
    ) == [("geometry", "sphere", "box")]


def test_meshes_are_equal_if_their_files_have_the_same_content(tmp_path: Path) -> None:
    meshes = []
    for name, data in (("a", b"1"), ("b", b"1"), ("c", b"2")):
        (tmp_path / name).write_bytes(data)
        meshes.append(m.Mesh(uri=name, path=str(tmp_path / name)))
    assert list(compare_values(meshes[0], meshes[1], 1e-9)) == []
    assert [found[0] for found in compare_values(meshes[0], meshes[2], 1e-9)] == ["path"]


def test_meshes_that_were_not_found_differ_by_their_uris() -> None:
    meshes = [m.Mesh(uri=uri, path=None) for uri in ("a.obj", "b.obj")]
    assert list(compare_values(*meshes, 1e-9, "geometry")) == [("geometry.uri", "a.obj", "b.obj")]


def test_settings_are_compared_by_name() -> None:
    a = (("rate", "1"), ("gone", "x"), ("range", "1"), ("range", "2"))
    b = (("range", "1"), ("range", "3"), ("rate", "1"))
    assert list(compare_values(a, b, 1e-9, "parameters")) == [
        ("parameters[gone]", "x", None),
        ("parameters[range]", "2", "3"),
    ]


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        (SpatialInertia.of(2.5), "2.5 kg"),
        (m.Material(name="paint", diffuse=(1.0, 0.5, 0.0, 1.0)), "color 1 0.5 0 1"),
        (
            m.Material(name="paint", diffuse=(1.0, 1.0, 1.0, 1.0), texture="/somewhere/wood.png"),
            "color 1 1 1 1, wood.png",
        ),
        (m.Material(name="paint"), "paint"),
        (Pose.from_xyz_rpy((1.0, 2.0, 3.0), (0.0, 0.0, 0.0)), (1.0, 2.0, 3.0)),
        ((m.Sphere(radius=1.0), m.Box(size=(1.0, 1.0, 1.0))), "sphere, box"),
    ],
)
def test_an_item_that_one_side_lacks_is_shown_in_short(item: object, shown: object) -> None:
    ((path, absent, present),) = compare_values(None, item, 1e-9, "part")
    assert (path, absent) == ("part", None)
    assert (present[:3] if isinstance(present, tuple) else present) == shown


# Items with other names are matched where their place leaves no doubt, and only there.

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
