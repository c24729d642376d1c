"""Colors and materials."""

from __future__ import annotations

import pytest

from tests.support.mjcf_documents import read

PAINT = (
    '<asset><material name="paint" rgba="1 0 0 0.5" specular="0.2" shininess="0.5" '
    'emission="1"/></asset>'
)


def look(geom: str):
    visual = read(f"<body><geom size='1' {geom}/></body>", PAINT).links[0].visuals[0]
    assert visual.material is not None
    return visual.material, visual.transparency


def test_the_color_of_a_geom_goes_before_that_of_its_material() -> None:
    assert look('material="paint"')[0].diffuse == (1.0, 0.0, 0.0, 1.0)
    assert look('material="paint" rgba="0 1 0 1"')[0].diffuse == (0.0, 1.0, 0.0, 1.0)
    assert look("")[0].diffuse == (0.5, 0.5, 0.5, 1.0)


def test_opacity_shininess_and_emission() -> None:
    material, transparency = look('material="paint"')
    assert transparency == 0.5
    assert (material.name, material.shininess, material.emissive) == (
        "paint",
        64.0,
        (1.0, 0.0, 0.0, 1.0),
    )
    assert material.specular == pytest.approx((0.2, 0.2, 0.2, 1.0))
