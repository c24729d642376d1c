"""Numbers among the parameters of a sensor: invalid text gives the default."""

from __future__ import annotations

import math

import pytest

from bridge.targets.mjcf.sensor import finite_number, positive_number


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2.5", 2.5), ("0", 7.0), ("-1", 7.0), ("far", 7.0), ("", 7.0), ("inf", math.inf)],
)
def test_a_positive_number_is_read_and_anything_else_is_the_default(
    text: str, expected: float
) -> None:
    assert positive_number({"range": text}, "range", 7.0) == expected
    assert positive_number({}, "range", 7.0) == 7.0


@pytest.mark.parametrize(
    ("text", "expected"), [("-0.5", -0.5), ("nan", 0.0), ("inf", 0.0), ("left", 0.0)]
)
def test_a_finite_number_is_read_and_anything_else_is_zero(text: str, expected: float) -> None:
    assert finite_number({"angle": text}, "angle") == expected
    assert finite_number({}, "angle") == 0.0
