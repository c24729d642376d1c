"""Numbers in MJCF text: shortest decimals that read back as the same value."""

from __future__ import annotations

import math
import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bridge.export.number_format import color, number, quaternion, round_to_short
from loaders.spatial import quaternion_to_matrix, rotation_about


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
