"""The stand-ins of sun and ground plane: only in lenient loading, valid by themselves, and what
Gazebo's models are.
"""

from __future__ import annotations

import pytest

import loaders
from loaders.diagnostics import Diagnostics
from loaders.model import Plane
from loaders.sdf.include import parse_stand_in

FUEL = "https://fuel.gazebosim.org/1.0/OpenRobotics/models"
WORLD = "<sdf version='1.9'><world name='w'><include><uri>{}</uri></include></world></sdf>"


@pytest.mark.parametrize("uri", ["model://sun", "model://sun/", f"{FUEL}/Sun"])
def test_a_missing_sun_becomes_a_directional_light(uri: str) -> None:
    scene = loaders.load_string(WORLD.format(uri), format="sdf", lenient=True, quiet=True)
    assert [(light.name, light.type) for light in scene.lights] == [("sun", "directional")]
    assert [entry.code for entry in scene.diagnostics if entry.severity != "note"] == [
        "sdf.include-not-found"
    ]


@pytest.mark.parametrize(
    "uri", ["model://ground_plane", f"{FUEL}/Ground Plane", f"{FUEL}/Ground%20Plane"]
)
def test_a_missing_ground_plane_becomes_a_static_plane(uri: str) -> None:
    scene = loaders.load_string(WORLD.format(uri), format="sdf", lenient=True, quiet=True)
    assert scene.models[0].static
    (collision,) = scene.links[0].collisions
    assert isinstance(collision.geometry, Plane)
    assert collision.surface.friction.mu == 100.0


@pytest.mark.parametrize("uri", ["model://sun", "model://ground_plane"])
def test_strict_loading_refuses_a_missing_model_all_the_same(uri: str) -> None:
    with pytest.raises(loaders.LoadError, match="stand-in"):
        loaders.load_string(WORLD.format(uri), format="sdf")


def test_other_models_have_no_stand_in() -> None:
    assert parse_stand_in("model://sunflower", Diagnostics()) is None
