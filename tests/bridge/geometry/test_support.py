"""Support functions, against those of many points on each shape."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh

from bridge.geometry.support import support_function, support_of_points
from bridge.geometry.tessellation import cone, prisms
from loaders.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Empty, Geometry, Plane, Polyline, Sphere
from loaders.spatial import Array

CONE = Cone(radius=0.5, length=2.0)
OUTLINE = Polyline(outlines=(((0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)),), height=0.5)
SHAPES: list[tuple[Geometry, Array]] = [
    (Box(size=(1.0, 2.0, 3.0)), trimesh.creation.box((1.0, 2.0, 3.0)).vertices),
    (Sphere(radius=0.7), trimesh.creation.icosphere(5, 0.7).vertices),
    (Ellipsoid(radii=(1.0, 2.0, 3.0)), trimesh.creation.icosphere(5).vertices * (1.0, 2.0, 3.0)),
    (Cylinder(radius=0.5, length=2.0), trimesh.creation.cylinder(0.5, 2.0, 256).vertices),
    (Capsule(radius=0.5, length=2.0), trimesh.creation.capsule(2.0, 0.5, (128, 128)).vertices),
    (CONE, cone(CONE)[0]),
    (OUTLINE, prisms(OUTLINE)[0].vertices),
]


@pytest.mark.parametrize(("shape", "points"), SHAPES, ids=[type(shape).__name__ for shape, _ in SHAPES])
def test_a_shape_reaches_as_far_as_its_points(shape: Geometry, points: Array) -> None:
    support = support_function(shape)
    assert support is not None
    points = np.asarray(points)
    centered = points - (points.max(axis=0) + points.min(axis=0)) / 2.0 if isinstance(shape, Capsule) else points
    of_points = support_of_points(centered)
    for direction in np.random.default_rng(0).normal(size=(20, 3)):
        d = direction / np.linalg.norm(direction)
        assert support(d) == pytest.approx(of_points(d), rel=2e-3, abs=2e-3)


def test_nothing_reaches_nowhere_and_a_plane_has_no_end() -> None:
    empty = support_function(Empty())
    assert empty is not None
    assert empty(np.array((1.0, 0.0, 0.0))) == -math.inf
    assert support_function(Plane()) is None
