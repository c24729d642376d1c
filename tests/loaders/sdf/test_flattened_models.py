"""Flattened models of older files."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import loaders
from loaders import LoadError
from loaders.model import by_name
from tests.support.sdf import (
    X_WL,
    Q,
    assert_pose,
    assert_upgrades,
    axis_in_world,
    error_codes,
    read_sdf,
    transform,
)


def assert_unflattens(old: str, new: str) -> None:
    around = "<world name='w'><model name='m'>{}</model></world>"
    assert_upgrades(around.format(old), "1.7", around.format(new))
    assert_upgrades(around.format(old), "1.8", around.format(old))
    assert_upgrades(f"<model name='m'>{old}</model>", "1.7", f"<model name='m'>{old}</model>")


def test_names_of_several_levels_become_nested_models() -> None:
    assert_unflattens(
        """<link name='a::b::deep'><pose relative_to='a::b::top'/></link><link name='a::b::top'/><link name='own'/>
        <link name='a::l'/>""",
        """<link name='own'/><model name='a'><link name='l'/><model name='b'>
        <link name='deep'><pose relative_to='top'/></link><link name='top'/></model></model>""",
    )


def test_the_frame_of_a_flat_model_becomes_its_pose_and_canonical_link() -> None:
    assert_unflattens(
        """<frame name='a::__model__' attached_to='a::second'><pose relative_to='own'>1 2 3 0 0 0</pose></frame>
        <link name='a::first'/><link name='a::second'/><link name='own'/>""",
        """<link name='own'/><model name='a' canonical_link='second'><pose relative_to='own'>1 2 3 0 0 0</pose>
        <link name='first'/><link name='second'/></model>""",
    )


def test_the_prefix_is_removed_from_references() -> None:
    assert_unflattens(
        """<link name='a::l'><visual name='v'><pose relative_to='a::f'/></visual></link><link name='a::k'/>
        <frame name='a::f' attached_to='a::l'/>
        <joint name='a::j' type='revolute'><parent>a::l</parent><child>a::k</child>
          <axis><xyz expressed_in='a::f'>1 0 0</xyz></axis>
          <sensor name='s' type='imu'><pose relative_to='a::l'/></sensor>
        </joint><joint name='a::fix' type='fixed'><parent>world</parent><child>a::l</child></joint>
        <gripper name='grip'><gripper_link>a::k</gripper_link><palm_link>a::l</palm_link></gripper>""",
        """<model name='a'><link name='l'><visual name='v'><pose relative_to='f'/></visual></link><link name='k'/>
        <frame name='f' attached_to='l'/>
        <joint name='j' type='revolute'><parent>l</parent><child>k</child>
          <axis><xyz expressed_in='f'>1 0 0</xyz></axis><sensor name='s' type='imu'><pose relative_to='l'/></sensor>
        </joint><joint name='fix' type='fixed'><parent>world</parent><child>l</child></joint>
        <gripper name='grip'><gripper_link>k</gripper_link><palm_link>l</palm_link></gripper></model>""",
    )


def test_a_prefix_ends_at_the_separator() -> None:
    assert_unflattens(
        "<link name='aa'/><link name='a::l'/><link name='aa::l'/>",
        (
            "<link name='aa'/><model name='a'><link name='l'/></model><model name='aa'><link "
            "name='l'/></model>"
        ),
    )


def test_elements_after_and_inside_a_nested_model_are_unflattened() -> None:
    assert_unflattens(
        "<link name='a::l'/><model name='n'><link name='x::y'/></model><link name='z::l'/>",
        """<model name='n'><model name='x'><link name='y'/></model></model>
        <model name='a'><link name='l'/></model><model name='z'><link name='l'/></model>""",
    )


def test_a_group_that_refers_to_other_elements_stays_flat() -> None:
    body = """<model name='m'><link name='base'/><link name='a::l'/>
      <joint name='a::j' type='fixed'><parent>base</parent><child>a::l</child></joint></model>"""
    around = f"<world name='w'>{body}</world>"
    assert_upgrades(around, "1.6", around)
    scene = loaders.load_string(f"<sdf version='1.6'>{around}</sdf>", format="sdf")
    assert [(joint.parent, joint.child) for joint in scene.joints] == [("m::base", "m::a::l")]


@pytest.mark.parametrize("name", ["::", "a::", "::a", "a::b::", "::::", "::".join("a" * 1000)])
def test_names_with_misplaced_separators_are_read(name: str) -> None:
    text = (
        f"<sdf version='1.6'><world name='w'><model name='m'><link "
        f"name='{name}'/></model></world></sdf>"
    )
    with contextlib.suppress(LoadError):
        assert loaders.load_string(text, format="sdf").links


FLAT = f"""<model name='robot'><frame name='arm::__model__' attached_to='arm::upper'>
    <pose relative_to='__model__'>0 2 0 0 0 {Q}</pose></frame>
  <link name='arm::upper'><pose relative_to='arm::__model__'>1 0 0 0 0 0</pose></link>
  <link name='arm::lower'><pose relative_to='arm::upper'>0 0 -1 0 0 0</pose></link>
  <joint name='arm::elbow' type='revolute'><parent>arm::upper</parent><child>arm::lower</child>
    <axis><xyz expressed_in='arm::__model__'>1 0 0</xyz></axis></joint>
  <link name='body'/></model>"""


@pytest.mark.parametrize(
    ("text", "scope"), [(f"<world name='w'>{FLAT}</world>", "robot::"), (FLAT, "")]
)
def test_flattened_names_of_1_7_keep_their_names_and_poses(text: str, scope: str) -> None:
    scene = read_sdf(text, "1.7")
    X_Marm = transform(0, 2, 0, yaw=Q)
    assert set(by_name(scene.links)) == {
        scope + name for name in ("arm::upper", "arm::lower", "body")
    }
    assert_pose(X_WL(scene, scope + "arm::upper"), X_Marm, transform(1, 0, 0))
    assert_pose(X_WL(scene, scope + "arm::lower"), X_Marm, transform(1, 0, -1))
    np.testing.assert_allclose(axis_in_world(scene, scope + "arm::elbow"), (0, 1, 0), atol=1e-15)


def test_only_worlds_are_unflattened_and_the_first_link_is_the_canonical_one() -> None:
    nested = by_name(read_sdf(f"<world name='w'>{FLAT}</world>", "1.7").models)
    assert nested["robot"].canonical_link == "robot::body"
    assert nested["robot::arm"].canonical_link == "robot::arm::upper"
    flat = read_sdf(FLAT, "1.7").models
    assert [(model.name, model.canonical_link) for model in flat] == [("robot", "arm::upper")]


def test_from_1_8_on_flattened_names_are_errors() -> None:
    assert "sdf.scoped-name" in error_codes(FLAT, "1.8")
