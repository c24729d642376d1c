"""Tessellation of cones and extruded polylines: vertices, shape (n, 3) [m], and faces, shape (m, 3).

Polygons are triangulated here, by cutting ears: ``trimesh.creation.extrude_polygon`` would need shapely and a
triangulation library, and outlines in robot files have a few dozen corners.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from loaders.model import Cone, Polyline
from loaders.spatial import Array

from .mesh_properties import Faces

Outline = tuple[tuple[float, float], ...]
"""Corners of a polygon."""

SIDES = 64
"""Number of sides of a tessellated cone."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prism:
    """An extruded outline.

    Attributes:
        vertices: Positions [m], shape (n, 3).
        faces: Triangles, shape (m, 3).
        is_filled: Whether the triangles fill the outline. An outline that intersects itself may have no such triangles.
    """

    vertices: Array
    faces: Faces
    is_filled: bool


def cone(shape: Cone) -> tuple[Array, Faces]:
    """Return a cone of `SIDES` sides; its surface lies up to ``radius * (1 - cos(pi / SIDES))``, 0.12 %, inside."""
    angles = [math.tau * i / SIDES for i in range(SIDES)]
    half = shape.length / 2.0
    ring = [(shape.radius * math.cos(a), shape.radius * math.sin(a), -half) for a in angles]
    vertices = np.array([*ring, (0.0, 0.0, -half), (0.0, 0.0, half)])
    center, apex = SIDES, SIDES + 1
    faces = []
    for i in range(SIDES):
        j = (i + 1) % SIDES
        faces += [(i, j, apex), (j, i, center)]
    return vertices, np.array(faces)


def prisms(shape: Polyline) -> list[Prism]:
    """Return each outline extruded to the height of the shape."""
    return [_prism(_counterclockwise(outline), shape.height) for outline in shape.outlines if len(outline) >= 3]


def _prism(outline: Outline, height: float) -> Prism:
    n = len(outline)
    vertices = np.array([(x, y, z) for z in (0.0, height) for x, y in outline])
    triangles, is_filled = _triangulate(outline)
    faces = []
    for a, b, c in triangles:
        faces += [(c, b, a), (a + n, b + n, c + n)]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, j + n), (i, j + n, i + n)]
    return Prism(vertices=vertices, faces=np.array(faces), is_filled=is_filled)


def _counterclockwise(outline: Outline) -> Outline:
    points = outline[:-1] if outline[0] == outline[-1] else outline
    area = sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1], strict=True))
    return points if area >= 0.0 else points[::-1]


def _triangulate(outline: Outline) -> tuple[list[tuple[int, int, int]], bool]:
    """Return the triangles of a counterclockwise polygon by cutting ears, and whether they fill it.

    A simple polygon always has an ear, or only corners on one line. Of any other polygon a corner that is not an ear is
    cut, so that the mesh stays closed.
    """
    rest = list(range(len(outline)))
    triangles, is_filled = [], True
    while len(rest) > 3:
        ear = next((k for k in range(len(rest)) if _is_ear(outline, rest, k)), None)
        k = ear or 0
        triangle = (rest[k - 1], rest[k], rest[(k + 1) % len(rest)])
        is_filled = is_filled and (ear is not None or _twice_area(*(outline[i] for i in triangle)) == 0.0)
        triangles.append(triangle)
        del rest[k]
    return [*triangles, (rest[0], rest[1], rest[2])], is_filled


def _is_ear(outline: Outline, rest: list[int], k: int) -> bool:
    """Return whether the corner is convex, and its triangle contains no other corner of the rest."""
    a, b, c = (outline[rest[i % len(rest)]] for i in (k - 1, k, k + 1))
    if _twice_area(a, b, c) <= 0.0:
        return False
    others = (outline[i] for i in rest if outline[i] not in (a, b, c))
    return not any(min(_twice_area(a, b, p), _twice_area(b, c, p), _twice_area(c, a, p)) >= 0.0 for p in others)


def _twice_area(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Return twice the signed area of a triangle, positive if it is counterclockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
