"""Support functions of shapes: how far a shape extends in a direction."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Empty,
    Geometry,
    Mesh,
    Plane,
    Polyline,
    Sphere,
)
from loaders.spatial import Array, Pose

SupportFunction = Callable[[Array], float]
"""Takes a unit direction in the frame of the shape; returns the largest coordinate of its points along it [m]."""
DIRECTIONS = 66
"""Number of directions in which a shape is measured."""
_FAR = 1e6
"""Reach of a plane in the directions in which it has no end [m]."""


@cache
def directions() -> Array:
    """Return unit vectors, shape (`DIRECTIONS`, 3): the six axes, then others spread over the sphere."""
    axes = np.vstack((np.eye(3), -np.eye(3)))
    k = np.arange(DIRECTIONS - len(axes)) + 0.5
    z = 1.0 - 2.0 * k / len(k)
    turn = np.pi * (1.0 + np.sqrt(5.0)) * k
    r = np.sqrt(1.0 - z**2)
    return np.vstack((axes, np.stack((r * np.cos(turn), r * np.sin(turn), z), axis=1)))


def supports_of(shape: SupportFunction, X_LG: Pose) -> Array:
    """Return the support of a shape in `directions` of the link's frame [m], shape (`DIRECTIONS`,).

    Args:
        shape: The support function of the shape, in its own frame.
        X_LG: The pose of the shape in the link.
    """
    return np.array([float(d @ X_LG.p) + shape(X_LG.R.T @ d) for d in directions()])


def supports_of_points(points: Array, X_LG: Pose) -> Array:
    """Return the support of the convex hull of points in `directions` of the link's frame [m].

    Args:
        points: Points in the frame of the shape, shape (n, 3) [m].
        X_LG: The pose of the shape in the link.
    """
    reach = directions() @ X_LG.R @ points.T
    return np.asarray(reach.max(axis=1) + directions() @ X_LG.p, dtype=np.float64)


def supports_of_collision(collision: Collision, vertices: Array | None) -> Array | None:
    """Return the support of a collision shape in `directions` of its link's frame [m], shape (`DIRECTIONS`,).

    It is None for height maps, and for meshes without vertices.

    Args:
        collision: The shape.
        vertices: The vertices of its mesh, shape (n, 3) [m]; None if it is no mesh, or the mesh cannot be read.
    """
    geometry = collision.geometry
    if isinstance(geometry, Plane):
        return supports_of(half_space(np.array(geometry.normal)), collision.X_LG)
    if isinstance(geometry, Mesh):
        return None if vertices is None else supports_of_points(vertices, collision.X_LG)
    support = support_function(geometry)
    return None if support is None else supports_of(support, collision.X_LG)


def half_space(normal: Array) -> SupportFunction:
    """Return the support function of all that is below a plane through the origin, as far as a plane reaches here.

    Args:
        normal: The unit normal of the plane.
    """

    def support(direction: Array) -> float:
        along, across = float(direction @ normal), float(np.linalg.norm(np.cross(direction, normal)))
        return _FAR * (across + max(0.0, -along))

    return support


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
