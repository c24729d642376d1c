"""Torsional friction as a length."""

from __future__ import annotations

import math

import pytest

from loaders.model import Friction
from loaders.model.contact import UNIT_PATCH_RADIUS, torsional_length


def test_the_length_is_that_of_sdformat() -> None:
    expected = 3.0 * math.pi / 16.0 * 0.5 * 0.02
    assert torsional_length(Friction(torsional=0.5, patch_radius=0.02)) == pytest.approx(
        expected, rel=1e-15
    )
    by_surface = Friction(torsional=0.5, surface_radius=0.02, use_patch_radius=False)
    assert torsional_length(by_surface) == pytest.approx(expected, rel=1e-15)
    assert torsional_length(Friction()) == 0.0


def test_a_patch_of_unit_radius_has_the_length_of_its_coefficient() -> None:
    assert torsional_length(Friction(torsional=0.02, patch_radius=UNIT_PATCH_RADIUS)) == 0.02
