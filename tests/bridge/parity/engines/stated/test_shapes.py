"""Support functions in fixed directions, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.geometry.support import support_function
from bridge.parity.engines.stated.shapes import (
    DIRECTIONS,
    directions,
    half_space,
    stacked,
    supports_of,
    supports_of_points,
)
from loaders.model import Sphere
from loaders.spatial import Pose, rotation_about

X_LG = Pose.of(rotation_about(np.array((0.0, 0.6, 0.8)), 0.7), (0.1, -0.2, 0.3))


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


def test_shapes_are_stacked_by_link() -> None:
    found = stacked([("a", np.zeros(2)), ("b", np.ones(2)), ("a", np.ones(2))])
    assert {name: each.shape for name, each in found.items()} == {"a": (2, 2), "b": (1, 2)}
