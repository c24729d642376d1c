"""Tessellation of cones and extruded polylines: vertices, shape (n, 3) [m], and faces, shape (m, 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bridge.geometry.mesh_properties import Faces
from loaders.model import Cone, Polyline
from loaders.spatial import Array

from .triangulation import triangulate

Outline = tuple[tuple[float, float], ...]
"""Corners of a polygon."""

MAX_CORNERS = 5_000
"""Largest number of points of an outline."""
_MIN_SIZE, _MAX_SIZE = 1e-9, 1e9
"""Smallest and largest height, and largest coordinate, of an extruded outline [m]."""
_FLAT = 1e-9
"""Width of an outline over its extent below which it is a line."""
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
    """Return each outline extruded to the height of the shape, without those of which `problem` is not None."""
    solid = (outline for outline in shape.outlines if problem(outline, shape.height) is None)
    return [_prism(_counterclockwise(outline), shape.height) for outline in solid]


def problem(outline: Outline, height: float) -> str | None:
    """Return why an outline has no mesh; None if it has one.

    Args:
        outline: The corners.
        height: The height to which it is extruded [m].
    """
    if len(outline) > MAX_CORNERS:
        return f"it has {len(outline)} points, more than {MAX_CORNERS}"
    if not _MIN_SIZE <= height <= _MAX_SIZE:
        return f"its height is {height:g} m"
    corners = np.array(outline)
    if not np.abs(corners).max(initial=0.0) <= _MAX_SIZE:
        return "a point is too far away"
    centered = corners - corners.mean(axis=0)
    _, spread = np.linalg.eigh(centered.T @ centered)
    width = np.ptp(centered @ spread[:, 0])
    return None if width > _FLAT * np.ptp(corners, axis=0).max() else "its points lie on a line"


def _prism(outline: Outline, height: float) -> Prism:
    n = len(outline)
    vertices = np.array([(x, y, z) for z in (0.0, height) for x, y in outline])
    triangles, is_filled = triangulate(outline)
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
