"""Colors in 0..1, with optional opacity."""

from __future__ import annotations

import pytest

import loaders
from loaders.model import Material
from tests.support.sdf import (
    link_with,
)


def material_with(inside: str) -> Material:
    """Return a material with the given child elements."""
    visual = link_with(
        f"<visual name='v'><geometry><box/></geometry><material>{inside}</material></visual>"
    ).visuals[0]
    assert visual.material is not None
    return visual.material


def test_colors_have_three_or_four_numbers_in_zero_to_one() -> None:
    read_material = material_with("<diffuse>1 0 0</diffuse><ambient>0 1 0 0.5</ambient><emissive/>")
    assert (read_material.diffuse, read_material.ambient) == ((1, 0, 0, 1), (0, 1, 0, 0.5))
    assert read_material.emissive is None
    for bad in ("1 2 0", "1 0", "1 0 0 1 0", "red"):
        with pytest.raises(loaders.LoadError, match="xml"):
            material_with(f"<diffuse>{bad}</diffuse>")
