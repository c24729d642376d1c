"""Numbers and poses that read back as the same text, and plain and unique names."""

from __future__ import annotations

import dataclasses
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transforms3d.euler import euler2mat

import bridge
import loaders
from bridge.targets.mjcf import to_mjcf
from bridge.targets.numbers import (
    color,
    direction_text,
    is_ill_conditioned,
    pose_text,
    quaternion,
    round_to_short,
    with_colors_in_range,
)
from bridge.targets.xml import add, changed_names, file_name, root_element, text_of, write
from loaders import model as m
from loaders.pose import IDENTITY, Pose, quaternion_to_matrix, roll_pitch_yaw, rotation_about
from loaders.text import number
from tests.support.mjcf_scenes import ball, link, scene_of
from tests.support.mujoco_oracle import compiled
from tests.support.scenes import random_pose

# Numbers in MJCF text: shortest decimals that read back as the same value.

BRIGHT = """
<mujoco>
  <worldbody>
    <light name="lamp" diffuse="1.5 1.5 1.5" specular="-1 0 0"/>
    <body name="b"><joint name="j"/><geom size="0.1" rgba="1.5 0.7 -0.1 1"/></body>
  </worldbody>
</mujoco>
"""


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_reads_back_as_it_was(x):
    assert float(number(x)) == x


@given(st.floats(0.0, 1.0))
def test_a_color_reads_back_as_mujoco_keeps_it_and_no_longer(c):
    (written,) = map(number, color((c,)))
    assert np.float32(float(written)) == np.float32(c)
    assert len(re.sub(r"e.*|[.]", "", written).lstrip("0")) <= 9


def test_whole_numbers_have_no_point_and_zero_no_sign():
    assert [number(x) for x in (1.0, -0.0, 2, 0.1, 1e-5)] == ["1", "0", "2", "0.1", "1e-05"]


@given(st.floats(-1e6, 1e6))
def test_snapping_moves_a_value_by_rounding_at_most(x):
    assert abs(round_to_short(x) - x) <= max(5e-16, 4 * math.ulp(x))


@given(st.tuples(*[st.floats(-1, 1)] * 3), st.floats(-3, 3))
def test_a_written_rotation_is_the_rotation(axis, angle):
    """Snapping moves each number q of the quaternion by at most 5e-16, and conversion from the matrix by
    about as much: entries 2 (q q + q q) change by at most 8 times the sum of both.
    """
    length = math.sqrt(sum(c * c for c in axis))
    if length < 1e-3:
        return
    R = rotation_about([c / length for c in axis], angle)
    written = quaternion(R)
    again = np.eye(3) if written is None else quaternion_to_matrix(written)
    is_whole = written is not None and all(isinstance(c, int) for c in written)
    assert np.abs(again - R).max() <= (1e-12 if is_whole else 8e-15)


def test_right_angles_are_whole_numbers():
    assert quaternion(rotation_about((0, 1, 0), math.pi / 2)) == [1, 0, 1, 0]
    assert quaternion(rotation_about((1, 0, 0), math.pi)) == [0, 1, 0, 0]
    assert quaternion(np.eye(3)) is None


@pytest.mark.parametrize(
    ("decimals", "is_whole"), [(16, True), (15, True), (12, True), (11, False), (5, False)]
)
def test_a_right_angle_stated_with_12_decimals_is_written_in_whole_numbers(
    decimals: int, is_whole: bool
) -> None:
    written = quaternion(
        euler2mat(round(math.pi / 2, decimals), 0.0, -round(math.pi / 2, decimals))
    )
    assert written is not None
    assert all(isinstance(c, int) for c in written) is is_whole
    turn = quaternion(rotation_about((0, 0, 1), 1e-13))
    assert turn is not None  # a small turn that a file states


def test_each_component_is_moved_into_the_range() -> None:
    given = m.Material(name="m", diffuse=(1.5, 0.7, -0.1, 1.0), specular=(0.1, 0.2, 0.3, 1.0))
    assert with_colors_in_range(given) == dataclasses.replace(given, diffuse=(1.0, 0.7, 0.0, 1.0))


def test_what_is_in_the_range_is_returned_as_it_is() -> None:
    given = m.Material(diffuse=(1.0, 0.0, 0.5, 1.0))
    assert with_colors_in_range(given) is given


@pytest.mark.parametrize(
    ("form", "code"), [("sdf", "sdfout.material"), ("urdf", "urdfout.material")]
)
def test_drake_opens_documents_of_models_with_bright_colors(form: str, code: str) -> None:
    """libsdformat refuses a document with a color beyond the range."""
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    from pydrake.multibody.plant import MultibodyPlant

    scene = loaders.load_string(BRIGHT, format="mjcf", quiet=True)
    text = {"sdf": bridge.to_sdf, "urdf": bridge.to_urdf}[form](scene, quiet=True)
    plant = MultibodyPlant(0.0)
    parsing.Parser(plant).AddModelsFromString(str(text), form)
    assert plant.HasBodyNamed("b")
    assert code in [entry.code for entry in text.diagnostics]
    read = loaders.load_string(str(text), format=form, quiet=True)
    (visual,) = next(link for link in read.links if link.name.endswith("b")).visuals
    assert visual.material is not None
    assert visual.material.diffuse == (1.0, 0.7, 0.0, 1.0)


def test_a_light_has_colors_of_sdformat() -> None:
    text = bridge.to_sdf(loaders.load_string(BRIGHT, format="mjcf", quiet=True), quiet=True)
    (light,) = loaders.load_string(str(text), format="sdf", quiet=True).lights
    assert light.diffuse == (1.0, 1.0, 1.0, 1.0)
    assert ("lamp",) in [
        entry.subjects for entry in text.diagnostics if entry.code == "sdfout.field"
    ]


# The text of a computed pose reads back as the same text.


def test_a_pose_behind_another_pose_keeps_its_text() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X_WM, X_ML = random_pose(rng), random_pose(rng)
        text = pose_text(X_ML)
        assert text is not None
        values = [float(word) for word in text.split()]
        again = Pose.from_xyz_rpy(values[:3], values[3:])
        assert again.is_close(X_ML, 1e-12)
        assert pose_text(X_WM.inverse() @ (X_WM @ again)) == text


def test_right_angles_are_exact_and_the_identity_has_no_text() -> None:
    assert (
        pose_text(Pose.from_xyz_rpy((0, 0, 0), (0, math.pi / 2, 0)))
        == "0 0 0 0 1.5707963267948966 0"
    )
    assert pose_text(IDENTITY) is None
    assert pose_text(Pose.of(p=(0.0, 1e-17, 0.0))) is None


def test_only_pitches_close_to_a_right_angle_need_a_quaternion() -> None:
    pitches = {0.0: False, 1.0: False, math.pi / 2 - 1e-3: True, math.pi / 2: False}
    found = {pitch: is_ill_conditioned(euler2mat(0.3, pitch, 0.2, "sxyz")) for pitch in pitches}
    assert found == pitches


def test_angles_reproduce_a_rotation() -> None:
    R = euler2mat(0.3, 1.5, -2.0, "sxyz")
    np.testing.assert_allclose(euler2mat(*roll_pitch_yaw(R), "sxyz"), R, atol=1e-14)


def test_a_direction_normalized_again_keeps_its_text() -> None:
    for seed in range(200):
        axis = np.random.default_rng(seed).normal(size=3)
        text = direction_text(axis / np.linalg.norm(axis))
        values = np.array([float(word) for word in text.split()])
        x, y, z = values.tolist()
        assert direction_text(values / math.hypot(x, y, z)) == text


def test_random_directions_are_written_the_same_after_a_reader_normalized_them() -> None:
    rng = np.random.default_rng(0)
    for _ in range(2000):
        text = direction_text(rng.normal(size=3))
        xyz = [float(word) for word in text.split()]
        length = math.hypot(*xyz)
        assert direction_text([x / length for x in xyz]) == text


# Names of MJCF elements are unique and otherwise those of the source.


def test_names_that_clash_are_made_unique_and_those_of_links_and_joints_never_change():
    links = [link(f"m::l{i}", collisions=(ball("c"),)) for i in range(3)]
    model = compiled(to_mjcf(scene_of(*links)))
    assert [model.body(i).name for i in range(1, 4)] == ["m::l0", "m::l1", "m::l2"]
    assert [model.geom(i).name for i in range(3)] == ["m::l0::c", "m::l1::c", "m::l2::c"]


def test_an_item_whose_name_another_kind_has_keeps_an_entry_of_its_own():
    names = {
        "link": {"a": "m::a", "b": "b"},
        "joint": {"a": "m::a_joint", "j": "m::j"},
        "frame": {"j": "m::j_frame"},
    }
    assert changed_names(names, ("link", "joint", "frame")) == {
        "a": "m::a",
        "joint a": "m::a_joint",
        "j": "m::j",
        "frame j": "m::j_frame",
    }


# File names are plain, short and never those of the scene.

ARM = Path(__file__).parents[3] / "assets" / "double_pendulum.urdf"


def test_names_of_files() -> None:
    assert file_name("a b/c.urdf") == "a_b_c"
    assert file_name("Scene") == "Scene_model"
    assert file_name("...") == "model"
    assert len(file_name("x" * 300)) == 100


@pytest.mark.parametrize(
    "export", [bridge.export_mjcf, bridge.export_sdf, bridge.export_urdf, bridge.export_directives]
)
def test_an_export_makes_no_folder_that_is_named_as_a_file(
    export: Callable[..., Any], tmp_path: Path
) -> None:
    for name in ("x.xml", "x.sdf", "x.urdf", "x.dmd.yaml", "x.foo"):
        with pytest.raises(
            ValueError, match=f"{name} is named as a file, but an export is a folder"
        ):
            export(ARM, tmp_path / name, quiet=True)
    assert not list(tmp_path.iterdir())
    (tmp_path / "x.xml").mkdir()
    assert export(ARM, tmp_path / "x.xml", quiet=True).path.is_file()
    assert export(ARM, tmp_path / "arm_1.2", quiet=True).path.is_file()


# Documents are well-formed and plain.


def test_a_document_with_namespaces_comments_and_odd_characters() -> None:
    root = root_element("sdf", version="1.12")
    add(root, "drake:joint", name='a"<b>\x01')
    add(root, "x", (0.1, -0.0, 2.0))
    text = write(root, ["a -- b", "c-"])
    parsed = ET.fromstring(text)
    assert parsed[0].tag == "{http://drake.mit.edu}joint"
    assert parsed[0].get("name") == 'a"<b>_'
    assert "<x>0.1 0 2</x>" in text
    assert "<!-- a - - b -->" in text


def test_a_namespace_that_is_not_used_is_not_declared() -> None:
    assert write(root_element("robot")) == '<?xml version="1.0"?>\n<robot/>\n'


def test_values() -> None:
    assert [text_of(value) for value in (np.bool_(False), np.int64(3))] == ["false", "3"]  # type: ignore[arg-type]
    assert [text_of(value) for value in (True, 1, 1e-20, "x", (1.0, 2.5))] == [
        "true",
        "1",
        "1e-20",
        "x",
        "1 2.5",
    ]
