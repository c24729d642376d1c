"""Shapes of every kind read back with all their sizes."""

from __future__ import annotations

import pytest

from loaders import model as m
from tests.support.sdf_writer import collision, shaped

SHAPES = (
    m.Box(size=(1.0, 2.0, 3.0)),
    m.Sphere(radius=0.1),
    m.Cylinder(radius=0.1, length=0.2),
    m.Capsule(radius=0.1, length=0.2),
    m.Cone(radius=0.1, length=0.2),
    m.Ellipsoid(radii=(0.1, 0.2, 0.3)),
    m.Plane(normal=(0.0, 0.6, 0.8), size=(2.0, 3.0)),
    m.Polyline(
        outlines=(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), ((0.1, 0.1), (0.2, 0.1), (0.1, 0.2))),
        height=0.5,
    ),
    m.Empty(),
    m.Mesh(
        uri="no.dae",
        path=None,
        scale=(1.0, 2.0, 3.0),
        submesh="part",
        center=True,
        convex=True,
        decomposition="convex_decomposition",
        max_convex_hulls=3,
        voxel_resolution=9,
    ),
    m.Heightmap(
        uri="no.png", path=None, size=(2.0, 3.0, 4.0), position=(1.0, 0.0, 0.0), sampling=2
    ),
)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_a_shape_reads_back(shape: m.Geometry) -> None:
    assert collision(shaped(shape)).geometry == shape
