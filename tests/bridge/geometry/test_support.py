"""Support functions, against those of many points on each shape."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh

from bridge.geometry.shapes import (
    DIRECTIONS,
    cone,
    directions,
    half_space,
    prisms,
    support_function,
    support_of_points,
    supports_of,
    supports_of_points,
)
from loaders.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Empty,
    Geometry,
    Plane,
    Polyline,
    Sphere,
)
from loaders.pose import Array, Pose, rotation_about

X_LG = Pose.of(rotation_about(np.array((0.0, 0.6, 0.8)), 0.7), (0.1, -0.2, 0.3))
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


@pytest.mark.parametrize(
    ("shape", "points"), SHAPES, ids=[type(shape).__name__ for shape, _ in SHAPES]
)
def test_a_shape_reaches_as_far_as_its_points(shape: Geometry, points: Array) -> None:
    support = support_function(shape)
    assert support is not None
    points = np.asarray(points)
    centered = (
        points - (points.max(axis=0) + points.min(axis=0)) / 2.0
        if isinstance(shape, Capsule)
        else points
    )
    of_points = support_of_points(centered)
    for direction in np.random.default_rng(0).normal(size=(20, 3)):
        d = direction / np.linalg.norm(direction)
        assert support(d) == pytest.approx(of_points(d), rel=2e-3, abs=2e-3)


def test_nothing_reaches_nowhere_and_a_plane_has_no_end() -> None:
    empty = support_function(Empty())
    assert empty is not None
    assert empty(np.array((1.0, 0.0, 0.0))) == -math.inf
    assert support_function(Plane()) is None


def test_the_directions_are_unit_vectors_that_fill_the_sphere() -> None:
    d = directions()
    assert d.shape == (DIRECTIONS, 3)
    assert np.linalg.norm(d, axis=1) == pytest.approx(1.0)
    probes = np.random.default_rng(0).normal(size=(500, 3))
    nearest = (probes / np.linalg.norm(probes, axis=1, keepdims=True) @ d.T).max(axis=1)
    assert nearest.min() > np.cos(0.35)


def test_a_sphere_reaches_its_radius_from_its_center() -> None:
    support = support_function(Sphere(radius=0.5))
    assert support is not None
    assert supports_of(support, X_LG) == pytest.approx(directions() @ X_LG.p + 0.5)


def test_points_reach_as_far_as_the_farthest_of_them() -> None:
    points = np.random.default_rng(1).normal(size=(20, 3))
    placed = points @ X_LG.R.T + X_LG.p
    assert supports_of_points(points, X_LG) == pytest.approx((placed @ directions().T).max(axis=0))


def test_a_plane_is_told_from_one_that_is_tilted_or_moved() -> None:
    up = supports_of(half_space(np.array((0.0, 0.0, 1.0))), Pose.of())
    moved = supports_of(half_space(np.array((0.0, 0.0, 1.0))), Pose.of(p=(0.0, 0.0, 0.1)))
    tilted = supports_of(half_space(np.array((0.0, 0.001, 1.0)) / np.hypot(0.001, 1.0)), Pose.of())
    assert np.abs(up - moved).max() == pytest.approx(0.1)
    assert np.abs(up - tilted).max() > 100.0
