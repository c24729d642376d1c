"""Textured primitives: closed surfaces of the right volume, with texture coordinates in the unit
square.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh

from bridge.targets.pybullet.geometry import textured_mesh
from loaders.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Plane, Sphere

VOLUMES: list[tuple[Geometry, float]] = [
    (Box(size=(1.0, 2.0, 3.0)), 6.0),
    (Sphere(radius=0.5), math.pi / 6.0),
    (Cylinder(radius=0.5, length=2.0), math.pi / 2.0),
    (Capsule(radius=0.5, length=2.0), math.pi / 2.0 + math.pi / 6.0),
    (Cone(radius=0.5, length=3.0), math.pi / 4.0),
    (Ellipsoid(radii=(1.0, 2.0, 3.0)), 8.0 * math.pi),
]


@pytest.mark.parametrize(("shape", "volume"), VOLUMES)
def test_a_surface_is_closed_and_encloses_the_volume(shape: Geometry, volume: float) -> None:
    mesh = textured_mesh(shape)
    assert mesh is not None
    vertices, faces, uv = mesh
    assert uv.shape == (len(vertices), 2)
    assert uv.min() >= 0.0
    assert uv.max() <= 1.0
    surface = trimesh.Trimesh(np.round(vertices, 12), faces)
    surface.merge_vertices(merge_tex=True)
    assert surface.volume == pytest.approx(volume, rel=0.03)


def test_other_geometry_has_no_textured_mesh() -> None:
    assert textured_mesh(Plane()) is None
