"""Triangulation of polygons by cutting ears, which fills every simple polygon.

``trimesh.creation.extrude_polygon`` would need shapely and a triangulation library, and outlines in robot files have a
few dozen corners.

The ear of the smallest index is cut each time. A corner that is no ear is examined again only when one of its
neighbors, or the corner that lies in its triangle, was cut; each examination is a comparison of arrays.
"""

from __future__ import annotations

import heapq
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from loaders.spatial import Array

Point = tuple[float, float]
Triangle = tuple[int, int, int]
"""Indices of corners."""

_EXAMINATIONS = 10
"""Largest number of examinations for each corner, on average; polygons made to defeat the method need more."""


def triangulate(outline: tuple[Point, ...]) -> tuple[list[Triangle], bool]:
    """Return the triangles of a counterclockwise polygon, and whether they fill it.

    A simple polygon always has an ear, or only corners on one line. Of any other polygon a corner that is not an ear is
    cut, so that the mesh stays closed.

    Args:
        outline: The corners, at least three.
    """
    corners = _Corners(outline)
    triangles: list[Triangle] = []
    is_filled = True
    while len(triangles) < len(outline) - 3:
        ear = corners.first_ear()
        corner = corners.first() if ear is None else ear
        triangle = corners.triangle(corner)
        is_filled = is_filled and (ear is not None or twice_area(*(outline[i] for i in triangle)) == 0.0)
        triangles.append(triangle)
        corners.cut(corner)
    return [*triangles, corners.last_triangle()], is_filled


def twice_area(a: Point, b: Point, c: Point) -> float:
    """Return twice the signed area of a triangle, positive if it is counterclockwise.

    Args:
        a: A corner.
        b: The next corner.
        c: The last corner.
    """
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


class _Corners:
    """The corners of a polygon that are not cut yet."""

    def __init__(self, outline: tuple[Point, ...]) -> None:
        n = len(outline)
        self._outline = outline
        self._points = np.array(outline)
        self._indices = np.arange(n)
        self._is_left = np.ones(n, dtype=bool)
        self._count = n
        self._previous = [n - 1, *range(n - 1)]
        self._next = [*range(1, n), 0]
        self._unexamined = list(range(n))
        self._waiting: dict[int, list[int]] = defaultdict(list)
        self._examinations = _EXAMINATIONS * n

    def first(self) -> int:
        """Return the smallest index."""
        return int(self._is_left.argmax())

    def triangle(self, corner: int) -> Triangle:
        """Return a corner with its neighbors."""
        return self._previous[corner], corner, self._next[corner]

    def last_triangle(self) -> Triangle:
        """Return the three corners that are left."""
        a, b, c = np.flatnonzero(self._is_left).tolist()
        return a, b, c

    def first_ear(self) -> int | None:
        """Return the smallest index of an ear; None if there is none, or too much work was done."""
        while self._unexamined and self._examinations > 0:
            corner = heapq.heappop(self._unexamined)
            if self._is_left[corner] and self._is_ear(corner):
                heapq.heappush(self._unexamined, corner)
                return corner
        return None

    def cut(self, corner: int) -> None:
        """Remove a corner."""
        a, _, c = self.triangle(corner)
        self._next[a], self._previous[c] = c, a
        self._is_left[corner] = False
        self._count -= 1
        for other in (a, c, *self._waiting.pop(corner, ())):
            heapq.heappush(self._unexamined, other)
        if 2 * self._count < len(self._indices):
            self._points, self._indices = self._points[self._is_left[self._indices]], np.flatnonzero(self._is_left)

    def _is_ear(self, corner: int) -> bool:
        """Return whether a corner is convex and no other corner lies in its triangle; note the one that does."""
        self._examinations -= 1
        a, b, c = (self._outline[i] for i in self.triangle(corner))
        if twice_area(a, b, c) <= 0.0:
            return False
        inside = self._indices[_is_inside(self._points, a, b, c)]
        others = (i for i in reversed(inside.tolist()) if self._is_left[i] and self._outline[i] not in (a, b, c))
        other = next(others, None)
        if other is not None:
            self._waiting[other].append(corner)
        return other is None


def _is_inside(points: Array, a: Point, b: Point, c: Point) -> NDArray[np.bool_]:
    """Return which points lie in a triangle or on its edge."""
    x, y = points.T
    sides = [(q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) >= 0.0 for p, q in ((a, b), (b, c), (c, a))]
    inside: NDArray[np.bool_] = sides[0] & sides[1] & sides[2]
    return inside
