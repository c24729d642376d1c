"""Shapes, against MuJoCo's reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loaders
from loaders.model import Box, Capsule, Cylinder, Ellipsoid, Heightmap, Plane, Sphere
from tests.support.mjcf_documents import document, read, written

SHAPES = {
    'type="box" size="1 2 3"': Box(size=(2.0, 4.0, 6.0)),
    'type="sphere" size="0.5"': Sphere(radius=0.5),
    'type="capsule" size="0.5 1"': Capsule(radius=0.5, length=2.0),
    'type="cylinder" size="0.5 1"': Cylinder(radius=0.5, length=2.0),
    'type="ellipsoid" size="1 2 3"': Ellipsoid(radii=(1.0, 2.0, 3.0)),
    'type="plane" size="1 0 1"': Plane(size=(2.0, 100.0)),
    'type="capsule" size="0.5" fromto="0 0 0 0 0 3"': Capsule(radius=0.5, length=3.0),
}


@pytest.mark.parametrize(("text", "shape"), SHAPES.items())
def test_sizes_are_full_lengths(text: str, shape: object) -> None:
    collision = read(f"<body><geom {text}/></body>").links[0].collisions[0]
    assert collision.geometry == shape


def test_both_ends_of_fromto_count() -> None:
    (collision,) = read('<body><geom type="cylinder" size="0.1" fromto="0 0 0 2 0 0"/></body>').links[0].collisions
    assert collision.X_LG.p.tolist() == pytest.approx([1.0, 0.0, 0.0])
    assert np.abs(collision.X_LG.R[:, 2]) == pytest.approx([1.0, 0.0, 0.0])


def test_a_geom_without_contact_is_a_visual_and_one_in_a_hidden_group_a_collision() -> None:
    geoms = {"v": 'contype="0" conaffinity="0"', "c": 'group="3"', "b": ""}
    text = "".join(f'<geom name="{name}" size="1" {more}/>' for name, more in geoms.items())
    (link,) = read(f"<body>{text}</body>").links
    assert [shape.name for shape in link.visuals] == ["v", "b"]
    assert [shape.name for shape in link.collisions] == ["c", "b"]


def test_bitmasks_and_friction() -> None:
    (collision,) = read('<body><geom size="1" contype="2" conaffinity="-1" friction="0.7"/></body>').links[0].collisions
    surface = collision.surface
    assert (surface.category_bitmask, surface.collide_bitmask, surface.friction.mu) == (2, 0xFFFFFFFF, 0.7)


def test_a_height_field_of_a_picture(tmp_path: Path) -> None:
    from PIL import Image

    Image.new("L", (4, 3), 128).save(tmp_path / "hill.png")
    asset = '<asset><hfield name="h" file="hill.png" size="2 3 0.5 0.1"/></asset>'
    scene = loaders.load(written(tmp_path, document('<geom type="hfield" hfield="h"/>', asset)), quiet=True)
    assert [str(entry.arguments["shape"]) for entry in scene.diagnostics if entry.code == "mjcf-in.shape"] == [
        "a height field, whose base becomes 0.01 m thick instead of 0.1 m"
    ]
    geometry = scene.links[0].collisions[0].geometry
    assert isinstance(geometry, Heightmap)
    assert (geometry.size, geometry.path) == ((4.0, 6.0, 0.5), str(tmp_path / "hill.png"))
