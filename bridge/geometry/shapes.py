"""Support functions and tessellation of shapes.

``trimesh.creation.extrude_polygon`` would need shapely and a triangulation library, and outlines in
robot files have a few dozen corners.

The ear of the smallest index is cut each time. A corner that is no ear is examined again only when
one of its neighbors, or the corner that lies in its triangle, was cut; each examination is a
comparison of arrays.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loaders.files.images import PictureError, gray_levels
from loaders.limits import LimitError, limit_of, spend
from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Empty,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Polyline,
    Sphere,
)
from loaders.pose import Array, Pose
from loaders.text import counted

from .convex_decomposition import Faces

SupportFunction = Callable[[Array], float]
"""Takes a unit direction in the frame of the shape; returns the largest coordinate of its points
along it [m]."""
DIRECTIONS = 66
"""Number of directions in which a shape is measured."""
_FAR = 1e6
"""Reach of a plane in the directions in which it has no end [m]."""


@cache
def directions() -> Array:
    """Return unit vectors, shape (`DIRECTIONS`, 3): the six axes, then others spread over the
    sphere.
    """
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
    """Return the support of a collision shape in `directions` of its link's frame [m], shape
    (`DIRECTIONS`,).

    It is None for height maps, and for meshes without vertices.

    Args:
        collision: The shape.
        vertices: The vertices of its mesh, shape (n, 3) [m]; None if it is no mesh, or the mesh
            cannot be read.
    """
    geometry = collision.geometry
    if isinstance(geometry, Plane):
        return supports_of(half_space(np.array(geometry.normal)), collision.X_LG)
    if isinstance(geometry, Mesh):
        return None if vertices is None else supports_of_points(vertices, collision.X_LG)
    support = support_function(geometry)
    return None if support is None else supports_of(support, collision.X_LG)


def half_space(normal: Array) -> SupportFunction:
    """Return the support function of all that is below a plane through the origin, as far as a
    plane reaches here.

    Args:
        normal: The unit normal of the plane.
    """

    def support(direction: Array) -> float:
        along, across = (
            float(direction @ normal),
            float(np.linalg.norm(np.cross(direction, normal))),
        )
        return _FAR * (across + max(0.0, -along))

    return support


def support_of_points(points: Array) -> SupportFunction:
    """Return the support function of points, shape (n, 3) [m]."""
    return lambda d: float((points @ d).max())


def support_function(shape: Geometry) -> SupportFunction | None:
    """Return the support function of a primitive shape; None for meshes, height maps and unbounded
    shapes.
    """
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
    return lambda d: max(
        float(d[2]) * half, shape.radius * math.hypot(d[0], d[1]) - float(d[2]) * half
    )


def _polyline(shape: Polyline) -> SupportFunction:
    points = chain.from_iterable(shape.outlines)
    corners = [(x, y, z) for x, y in points for z in (0.0, shape.height)]
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


def terrain_triangles(heightmap: Heightmap, *, limit: str = "mesh_triangles") -> Array:
    """Return the triangles of a height map in the geometry's frame [m], shape (n, 3, 3).

    The first row of the image is at the largest y, and white is the full height. The diagonal of
    every cell goes from its corner of smallest x and y to that of largest x and y, as in MuJoCo.

    Args:
        heightmap: The height map.
        limit: The limit on its triangles, by its name in `loaders.limits.Limits`.

    Raises:
        PictureError: if the image cannot be read, or has fewer than two rows or columns.
        LimitError: if it makes too many triangles, or the call that is running has made too many.
    """
    image = gray_levels(heightmap.path)
    rows, columns = image.levels.shape
    if min(rows, columns) < 2:
        raise PictureError(f"the image has {columns} x {rows} pixels; expected 2 x 2 at least")
    count = 2 * (rows - 1) * (columns - 1)
    if count > limit_of(limit):
        raise LimitError(limit, limit_of(limit))
    spend("triangles", count)
    heights = image.levels / image.max_level
    sx, sy, sz = heightmap.size
    x, y = np.meshgrid(
        np.linspace(-sx / 2.0, sx / 2.0, columns), np.linspace(-sy / 2.0, sy / 2.0, rows)
    )
    points = np.stack((x, y, sz * heights[::-1]), axis=-1) + heightmap.position
    near, far = points[:-1], points[1:]
    lower = np.stack((near[:, :-1], near[:, 1:], far[:, 1:]), axis=2)
    upper = np.stack((near[:, :-1], far[:, 1:], far[:, :-1]), axis=2)
    triangles: Array = np.stack((lower, upper), axis=2).reshape(-1, 3, 3)
    return triangles


Point = tuple[float, float]
Triangle = tuple[int, int, int]
"""Indices of corners."""

_EXAMINATIONS = 10
"""Largest number of examinations for each corner, on average; polygons made to defeat the method
need more."""


def triangulate(outline: tuple[Point, ...]) -> tuple[list[Triangle], bool]:
    """Return the triangles of a counterclockwise polygon, and whether they fill it.

    A simple polygon always has an ear, or only corners on one line. Of any other polygon a corner
    that is not an ear is cut, so that the mesh stays closed.

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
        is_filled = is_filled and (
            ear is not None or twice_area(*(outline[i] for i in triangle)) == 0.0
        )
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
            self._points, self._indices = (
                self._points[self._is_left[self._indices]],
                np.flatnonzero(self._is_left),
            )

    def _is_ear(self, corner: int) -> bool:
        """Return whether a corner is convex and no other corner lies in its triangle; note the one
        that does.
        """
        self._examinations -= 1
        a, b, c = (self._outline[i] for i in self.triangle(corner))
        if twice_area(a, b, c) <= 0.0:
            return False
        inside = self._indices[_is_inside(self._points, a, b, c)]
        others = (
            i
            for i in reversed(inside.tolist())
            if self._is_left[i] and self._outline[i] not in (a, b, c)
        )
        other = next(others, None)
        if other is not None:
            self._waiting[other].append(corner)
        return other is None


def _is_inside(points: Array, a: Point, b: Point, c: Point) -> NDArray[np.bool_]:
    """Return which points lie in a triangle or on its edge."""
    x, y = points.T
    sides = [
        (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) >= 0.0
        for p, q in ((a, b), (b, c), (c, a))
    ]
    inside: NDArray[np.bool_] = sides[0] & sides[1] & sides[2]
    return inside


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
        is_filled: Whether the triangles fill the outline. An outline that intersects itself may
            have no such triangles.
    """

    vertices: Array
    faces: Faces
    is_filled: bool


def cone(shape: Cone) -> tuple[Array, Faces]:
    """Return a cone of `SIDES` sides; its surface lies up to ``radius * (1 - cos(pi / SIDES))``,
    0.12 %, inside.
    """
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


_UNIT_BOX = np.array(list(product((-0.5, 0.5), repeat=3)))


def box_triangles(shape: Box) -> Array:
    """Return the triangles of a box [m], shape (12, 3, 3), counterclockwise from outside."""
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [f for a, b, c, d in sides for f in ((a, b, c), (a, c, d))]
    return np.asarray((_UNIT_BOX * shape.size)[np.array(faces)])


def prisms(shape: Polyline) -> list[Prism]:
    """Return each outline extruded to the height of the shape, without those that have a
    `problem`.
    """
    solid = (outline for outline in shape.outlines if problem(outline, shape.height) is None)
    return [_prism(_counterclockwise(outline), shape.height) for outline in solid]


def problem(outline: Outline, height: float) -> str | None:
    """Return why an outline has no mesh; None if it has one.

    Args:
        outline: The corners.
        height: The height to which it is extruded [m].
    """
    if len(outline) > MAX_CORNERS:
        return f"it has {counted(len(outline), 'point')}, more than {MAX_CORNERS}"
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
    area = sum(
        x0 * y1 - x1 * y0
        for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1], strict=True)
    )
    return points if area >= 0.0 else points[::-1]


FLAT_SOLIDS: dict[type, Callable[[Any], list[Array]]] = {
    Box: lambda shape: [_UNIT_BOX * shape.size],
    Cone: lambda shape: [cone(shape)[0]],
    Polyline: lambda shape: [prism.vertices for prism in prisms(shape)],
}
"""Corners of the convex solids of shapes with flat faces, a cone with `SIDES` of them [m]."""
