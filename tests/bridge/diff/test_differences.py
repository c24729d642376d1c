"""Scenes are compared item by item, by name."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import loaders
from bridge.diff import differences
from loaders.pose import Pose
from tests.support.scenes import joint, link, scene

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


def test_a_skipped_field_does_not_count() -> None:
    moved = dataclasses.replace(
        ARM, links=(ARM.links[0], link("b", X_WL=Pose.of(p=(1.0, 0.0, 0.0))))
    )
    assert [d.field for d in differences(ARM, moved)] == ["X_WL"]
    assert differences(ARM, moved, skip=[("link", "X_WL")]) == ()


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
