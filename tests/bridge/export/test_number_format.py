"""Numbers in MJCF text: shortest decimals that read back as the same value."""

from __future__ import annotations

import dataclasses
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bridge
import loaders
from bridge.targets.numbers import color, quaternion, round_to_short, with_colors_in_range
from loaders import model as m
from loaders.pose import quaternion_to_matrix, rotation_about
from loaders.text import number

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
    length = math.sqrt(sum(c * c for c in axis))
    if length < 1e-3:
        return
    R = rotation_about([c / length for c in axis], angle)
    written = quaternion(R)
    again = np.eye(3) if written is None else quaternion_to_matrix(written)
    assert np.abs(again - R).max() <= 2e-15


def test_right_angles_are_whole_numbers():
    assert quaternion(rotation_about((0, 1, 0), math.pi / 2)) == [1, 0, 1, 0]
    assert quaternion(rotation_about((1, 0, 0), math.pi)) == [0, 1, 0, 0]
    assert quaternion(np.eye(3)) is None


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
