"""Shapes that an engine may lack, as triangles: vertices, shape (n, 3) [m], and faces, shape (m, 3)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from loaders.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Empty, Geometry, Polyline, Sphere
from loaders.spatial import Array

Faces = NDArray[np.int64]
Outline = tuple[tuple[float, float], ...]
SupportFunction = Callable[[Array], float]
"""How far a shape reaches in a direction, in its own frame [m]."""

SIDES = 64
"""Of a round shape."""
_FLAT = 1e-6
"""Thickness over extent below which a body is flat, and has no volume to collide with."""
_SAMPLED_FACES = 256


def cone(shape: Cone) -> tuple[Array, Faces]:
    """A cone of `SIDES` sides; its surface lies up to ``radius * (1 - cos(pi / SIDES))``, 0.12 %, inside."""
    angles = [math.tau * i / SIDES for i in range(SIDES)]
    half = shape.length / 2.0
    ring = [(shape.radius * math.cos(a), shape.radius * math.sin(a), -half) for a in angles]
    vertices = np.array([*ring, (0.0, 0.0, -half), (0.0, 0.0, half)])
    centre, apex = SIDES, SIDES + 1
    faces = []
    for i in range(SIDES):
        j = (i + 1) % SIDES
        faces += [(i, j, apex), (j, i, centre)]
    return vertices, np.array(faces)


def prisms(shape: Polyline) -> list[tuple[Array, Faces]]:
    """Each outline raised to the height, one solid each."""
    return [_prism(_counterclockwise(outline), shape.height) for outline in shape.outlines if len(outline) >= 3]


def _prism(outline: Outline, height: float) -> tuple[Array, Faces]:
    n = len(outline)
    vertices = np.array([(x, y, z) for z in (0.0, height) for x, y in outline])
    faces = []
    for a, b, c in _triangles(outline):
        faces += [(c, b, a), (a + n, b + n, c + n)]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, j + n), (i, j + n, i + n)]
    return vertices, np.array(faces)


def _counterclockwise(outline: Outline) -> Outline:
    points = outline[:-1] if outline[0] == outline[-1] else outline
    area = sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1], strict=True))
    return points if area >= 0.0 else points[::-1]


def _triangles(outline: Outline) -> list[tuple[int, int, int]]:
    """The inside of a simple polygon, counterclockwise, by cutting ears."""
    left = list(range(len(outline)))
    found = []
    while len(left) > 3:
        k = next((k for k in range(len(left)) if _is_ear(outline, left, k)), 0)
        found.append((left[k - 1], left[k], left[(k + 1) % len(left)]))
        del left[k]
    return [*found, (left[0], left[1], left[2])]


def _is_ear(outline: Outline, left: list[int], k: int) -> bool:
    a, b, c = (outline[left[i % len(left)]] for i in (k - 1, k, k + 1))
    if _turn(a, b, c) <= 0.0:
        return False
    others = (outline[i] for i in left if outline[i] not in (a, b, c))
    return not any(min(_turn(a, b, p), _turn(b, c, p), _turn(c, a, p)) >= 0.0 for p in others)


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Twice the signed area of a triangle: positive where it turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


# --- what a shape is -------------------------------------------------------------------------------------------------


def extent(vertices: Array) -> float:
    """The longest edge of the bounding box [m]."""
    return float(np.ptp(vertices, axis=0).max())


def normal_if_flat(vertices: Array) -> Array | None:
    """Unit normal of the plane that all vertices lie in, shape (3,), or None if they span a volume."""
    centred = vertices - vertices.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    normal: Array = axes[:, 0]
    return normal if float(np.ptp(centred @ normal)) <= _FLAT * extent(vertices) else None


def is_convex(vertices: Array, faces: Faces) -> bool:
    """Whether all vertices lie on one side of every face, within a thousandth of the extent.

    Of large meshes a sample of the faces is looked at.
    """
    step = max(1, len(faces) // _SAMPLED_FACES)
    a, b, c = (vertices[faces[::step, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    tolerance = 1e-3 * extent(vertices)
    for normal, corner, length in zip(normals, a, lengths, strict=True):
        if length > 0.0:
            distance = (vertices - corner) @ (normal / length)
            if min(float(distance.max()), float(-distance.min())) > tolerance:
                return False
    return True


# --- how far a shape reaches -----------------------------------------------------------------------------------------


def reach_of_points(points: Array) -> SupportFunction:
    """That of points, shape (n, 3) [m]."""
    return lambda d: float((points @ d).max())


def support_function(shape: Geometry) -> SupportFunction | None:
    """That of a shape which is told by a few lengths; None for one that is not, or has no end."""
    if isinstance(shape, Polyline):
        outline = [(x, y, z) for part in shape.outlines for x, y in part for z in (0.0, shape.height)]
        return reach_of_points(np.array(outline))
    match shape:
        case Box(size=size):
            found: SupportFunction = lambda d: float(np.abs(d) @ np.array(size)) / 2.0  # noqa: E731
        case Sphere(radius=r):
            found = lambda _d: r  # noqa: E731
        case Ellipsoid(radii=radii):
            found = lambda d: float(np.linalg.norm(np.array(radii) * d))  # noqa: E731
        case Capsule(radius=r, length=length):
            found = lambda d: r + abs(float(d[2])) * length / 2.0  # noqa: E731
        case Cylinder(radius=r, length=length):
            found = lambda d: r * math.hypot(d[0], d[1]) + abs(float(d[2])) * length / 2.0  # noqa: E731
        case Cone(radius=r, length=length):
            found = lambda d: max(  # noqa: E731
                float(d[2]) * length / 2.0, r * math.hypot(d[0], d[1]) - float(d[2]) * length / 2.0
            )
        case Empty():
            found = lambda _d: -math.inf  # noqa: E731
        case _:
            return None
    return found
