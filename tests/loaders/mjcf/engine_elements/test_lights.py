"""Lights, by what MuJoCo compiles of the original and of the export."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.support.mjcf_documents import beside_a_body, read
from tests.support.mjcf_round_trip import compiled, differing_arrays

LIGHTS = (
    '<light name="l"/>',
    '<light pos="1 2 3" dir="1 2 -2" type="directional" castshadow="false"/>',
    '<light type="point" attenuation="1 0.1 0.2" range="3" cutoff="20" exponent="3"/>',
    (
        '<light ambient="0.1 0.2 0.3" diffuse="1 0.3 0.33" specular="0 0 0" cutoff="33.3" '
        'exponent="7"/>'
    ),
    '<light cutoff="0" exponent="0" active="false" bulbradius="0.1" intensity="3"/>',
    '<light mode="track"/>',
    '<light mode="targetbody" target="t"/>',
    '<light mode="targetbodycom" target="b"/>',
)


@pytest.mark.parametrize("light", LIGHTS)
@pytest.mark.parametrize("body", ["world", "b"])
def test_a_light_is_the_one_of_the_original(light: str, body: str) -> None:
    text = beside_a_body(inside=light) if body == "b" else beside_a_body(outside=light)
    original, exported = compiled(text)
    assert original.nlight == 1
    assert differing_arrays("light", original, exported) == []
    assert not read(text).diagnostics


def test_a_light_of_a_scene_is_that_of_sdformat() -> None:
    (light,) = read(
        beside_a_body('<light name="l" pos="1 2 3" dir="0 3 -4" cutoff="30" exponent="2"/>')
    ).lights
    assert (light.type, light.link, light.falloff, light.target) == ("spot", "b", 2, None)
    np.testing.assert_allclose(
        (*light.X_LLight.p, *light.direction), (1, 2, 3, 0, 0.6, -0.8), atol=1e-15
    )
    assert math.isclose(light.outer_angle, math.radians(60.0)), (
        "SDFormat has the whole angle of the cone"
    )


def test_a_light_that_is_a_picture_is_noted() -> None:
    texture = (
        '<asset><texture name="sky" type="skybox" builtin="flat" width="8" height="8"/></asset>'
    )
    scene = read(beside_a_body('<light name="l" type="image" texture="sky"/>'), texture)
    assert scene.lights == ()
    assert [entry.subjects for entry in scene.diagnostics if "image" in str(entry)] == [("l",)]
