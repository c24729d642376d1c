"""Support functions of shapes: how far a shape extends in a direction."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from loaders.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Empty, Geometry, Polyline, Sphere
from loaders.spatial import Array

SupportFunction = Callable[[Array], float]
"""Takes a unit direction in the frame of the shape; returns the largest coordinate of its points along it [m]."""


def support_of_points(points: Array) -> SupportFunction:
    """Return the support function of points, shape (n, 3) [m]."""
    return lambda d: float((points @ d).max())


def support_function(shape: Geometry) -> SupportFunction | None:
    """Return the support function of a primitive shape; None for meshes, height maps and unbounded shapes."""
    make = _SUPPORT_FUNCTIONS.get(type(shape))
    return None if make is None else make(shape)


def _box(shape: Box) -> SupportFunction:
    size = np.array(shape.size)
    return lambda d: float(np.abs(d) @ size) / 2.0


def _sphere(shape: Sphere) -> SupportFunction:
    return lambda _d: shape.radius


def _ellipsoid(shape: Ellipsoid) -> SupportFunction:
    radii = np.array(shape.radii)
    return lambda d: float(np.linalg.norm(radii * d))


def _capsule(shape: Capsule) -> SupportFunction:
    return lambda d: shape.radius + abs(float(d[2])) * shape.length / 2.0


def _cylinder(shape: Cylinder) -> SupportFunction:
    return lambda d: shape.radius * math.hypot(d[0], d[1]) + abs(float(d[2])) * shape.length / 2.0


def _cone(shape: Cone) -> SupportFunction:
    half = shape.length / 2.0
    return lambda d: max(float(d[2]) * half, shape.radius * math.hypot(d[0], d[1]) - float(d[2]) * half)


def _polyline(shape: Polyline) -> SupportFunction:
    corners = [(x, y, z) for outline in shape.outlines for x, y in outline for z in (0.0, shape.height)]
    return support_of_points(np.array(corners))


def _empty(_shape: Empty) -> SupportFunction:
    return lambda _d: -math.inf


_SUPPORT_FUNCTIONS: dict[type, Callable[[Any], SupportFunction]] = {
    Box: _box,
    Sphere: _sphere,
    Ellipsoid: _ellipsoid,
    Capsule: _capsule,
    Cylinder: _cylinder,
    Cone: _cone,
    Polyline: _polyline,
    Empty: _empty,
}
