"""Primitive shapes fitted to points: oriented boxes, spheres, capsules and cylinders.

Each contains the points and is the smallest of its kind, in the sense that its function states.
The bounds of trimesh need scipy, which is no dependency.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from loaders.model import Box, Capsule, Cylinder, Sphere
from loaders.pose import Array, Pose

from .convex_decomposition import extent, hull_faces, spread_directions
from .shapes import Point, twice_area

Primitive = Box | Sphere | Capsule | Cylinder
"""A shape that can be fitted."""

_MARGIN = 1e-9
"""Margin of a fitted shape, relative to the extent of the points, so that rounding leaves no point
outside."""
_SEARCHED = 400
"""Number of points with which the orientation of a box is searched for, about."""
_MAX_NORMALS = 200
"""Largest number of faces of the hull on which a box may stand."""
_BETTER = 1e-6
"""Share by which a volume must be smaller for an orientation to be preferred to an earlier one."""


class Fitted(NamedTuple):
    """A primitive shape and its pose in the frame of the points."""

    shape: Primitive
    X_GS: Pose


def fitted(kind: str, vertices: Array) -> Fitted:
    """Return the smallest shape of a kind that contains points.

    Args:
        kind: ``box``, ``sphere``, ``capsule`` or ``cylinder``.
        vertices: Points that span a volume, shape (n, 3) [m].
    """
    hull = hull_faces(vertices)
    points = vertices if hull is None else vertices[np.unique(hull)]
    return _FITS[kind](points, hull if hull is None else vertices[hull])


def shrunk(fit: Fitted, depth: float) -> Fitted:
    """Return a shape with its surface moved inward.

    Args:
        fit: The shape.
        depth: The distance [m], less than its radius or half of its shortest edge.
    """
    shape = fit.shape
    if isinstance(shape, Box):
        return Fitted(Box(size=_edges(np.array(shape.size) - 2.0 * depth)), fit.X_GS)
    if isinstance(shape, Sphere):
        return Fitted(Sphere(radius=shape.radius - depth), fit.X_GS)
    if isinstance(shape, Capsule):
        return Fitted(Capsule(radius=shape.radius - depth, length=shape.length), fit.X_GS)
    size = {"radius": shape.radius - depth, "length": shape.length - 2.0 * depth}
    return Fitted(Cylinder(**size), fit.X_GS)


def least_thickness(shape: Primitive) -> float:
    """Return the distance by which `shrunk` can move the surface of a shape at most [m]."""
    if isinstance(shape, Box):
        return min(shape.size) / 2.0
    if isinstance(shape, Cylinder):
        return min(shape.radius, shape.length / 2.0)
    return shape.radius


def _edges(size: Array) -> tuple[float, float, float]:
    x, y, z = size.tolist()
    return (x, y, z)


# --- balls ----------------------------------------------------------------------------------------


def enclosing_ball(points: Array) -> tuple[Array, float]:
    """Return the center and the radius of the smallest ball, or circle, that contains points.

    The points that determine it, four in space at most, are found by adding the farthest point
    until none is outside. Its radius grows with each of them, so that this ends.

    Args:
        points: The points, shape (n, d) [m].
    """
    size = max(extent(points), 1e-300)
    x = (points - points[0]) / size
    chosen = [int(np.argmax(np.linalg.norm(x - x.mean(axis=0), axis=1)))]
    center, radius = x[chosen[0]], 0.0
    for _ in range(10 * len(points)):
        distances = np.linalg.norm(x - center, axis=1)
        farthest = int(np.argmax(distances))
        if distances[farthest] <= radius + 1e-12:
            break
        chosen, center, grown = _ball_of_few(x, [*chosen, farthest])
        if grown <= radius:
            break
        radius = grown
    radius = float(np.linalg.norm(x - center, axis=1).max())
    return points[0] + size * center, size * radius


def _ball_of_few(x: Array, candidates: list[int]) -> tuple[list[int], Array, float]:
    """Return the points among a few that determine their smallest ball, its center and radius."""
    best: tuple[list[int], Array, float] | None = None
    for count in range(2, min(len(candidates), x.shape[1] + 1) + 1):
        for subset in itertools.combinations(candidates, count):
            center, radius = _ball_through(x[list(subset)])
            reach = float(np.linalg.norm(x[candidates] - center, axis=1).max())
            if reach <= radius + 1e-12 and (best is None or radius < best[2]):
                best = list(subset), center, radius
    return best or (candidates, *_ball_through(x[candidates]))


def _ball_through(x: Array) -> tuple[Array, float]:
    """Return the smallest ball with points on its surface."""
    offsets = x[1:] - x[0]
    center, *_ = np.linalg.lstsq(2.0 * offsets, (offsets**2).sum(axis=1), rcond=None)
    return x[0] + center, float(np.linalg.norm(center))


# --- boxes ----------------------------------------------------------------------------------------


def oriented_box(points: Array, triangles: Array | None) -> Fitted:
    """Return the smallest box of those that stand on a face of the hull with one side along one of
    its edges, and of those along the axes of the frame and the principal axes of the points.

    Of a hull with more than 200 directions of faces the largest are examined.

    Args:
        points: Corners of the hull, shape (n, 3) [m].
        triangles: Triangles of the hull, shape (m, 3, 3) [m]; None if they are unknown.
    """
    few = _extreme(points)
    best, R_GS = np.inf, np.eye(3)
    for R in _orientations(few, triangles):
        volume = float(np.prod(np.ptp(few @ R, axis=0)))
        if volume < best * (1.0 - _BETTER):
            best, R_GS = volume, R
    along = points @ R_GS
    low, high = along.min(axis=0), along.max(axis=0)
    size = high - low + 2.0 * _MARGIN * extent(points)
    return Fitted(Box(size=_edges(size)), Pose.of(R_GS, R_GS @ ((low + high) / 2.0)))


def _extreme(points: Array) -> Array:
    """Return some hundred of the points, the farthest ones in directions spread over the sphere."""
    if len(points) <= _SEARCHED:
        return points
    farthest: Array = points[np.unique(np.argmax(points @ spread_directions(_SEARCHED).T, axis=0))]
    return farthest


def _orientations(points: Array, triangles: Array | None) -> Iterator[Array]:
    """Yield the orientations of boxes that are compared."""
    yield np.eye(3)
    yield principal_axes(points)
    if triangles is None:
        return
    for normal in _face_normals(triangles):
        x, y = np.linalg.svd(normal[None])[2][1:]
        flat = points @ np.stack((x, y), axis=1)
        angle = _best_angle(flat)
        first = np.cos(angle) * x + np.sin(angle) * y
        yield np.stack((first, np.cross(normal, first), normal), axis=1)


def _face_normals(triangles: Array) -> Array:
    """Return the directions of the largest faces of a hull, each once, shape (k, 3)."""
    a, b, c = triangles.transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    kept = areas > 1e-12 * areas.max()
    normals, areas = normals[kept] / areas[kept, None], areas[kept]
    first = np.argmax(np.abs(normals), axis=1)
    normals *= np.sign(np.take_along_axis(normals, first[:, None], axis=1))
    _, index = np.unique(np.round(normals, 6), axis=0, return_inverse=True)
    index = index.ravel()
    total = np.bincount(index, weights=areas)
    examples = np.empty(len(total), dtype=np.int64)
    examples[index] = np.arange(len(index))
    largest = np.argsort(-total, kind="stable")[:_MAX_NORMALS]
    return np.asarray(normals[examples[largest]])


def _best_angle(flat: Array) -> float:
    """Return the direction of the smallest rectangle around points in a plane, which lies along an
    edge of their outline.
    """
    outline = _outline(flat)
    edges = np.roll(outline, -1, axis=0) - outline
    angles = np.arctan2(edges[:, 1], edges[:, 0])
    c, s = np.cos(angles), np.sin(angles)
    along = np.outer(outline[:, 0], c) + np.outer(outline[:, 1], s)
    across = np.outer(outline[:, 1], c) - np.outer(outline[:, 0], s)
    return float(angles[np.argmin(np.ptp(along, axis=0) * np.ptp(across, axis=0))])


def _outline(flat: Array) -> Array:
    """Return the corners of the convex outline of points in a plane, counterclockwise."""
    points = sorted(set(map(tuple, flat.tolist())))
    if len(points) < 3:
        return np.array(points)
    sides = []
    for ordered in (points, points[::-1]):
        side: list[Point] = []
        for x, y in ordered:
            while len(side) > 1 and twice_area(side[-2], side[-1], (x, y)) <= 0.0:
                side.pop()
            side.append((x, y))
        sides += side[:-1]
    return np.array(sides)


def principal_axes(points: Array) -> Array:
    """Return the principal axes of points as the columns of a rotation matrix, the longest last."""
    centered = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(centered.T @ centered)
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    return np.asarray(axes)


# --- shapes with an axis --------------------------------------------------------------------------


def _sphere(points: Array, _triangles: Array | None) -> Fitted:
    center, radius = enclosing_ball(points)
    return Fitted(Sphere(radius=radius + _MARGIN * extent(points)), Pose.of(p=center))


def _axes(points: Array, triangles: Array | None) -> Iterator[Array]:
    """Yield the orientations whose z axis may be that of a capsule or cylinder: the axes of the
    frame, the principal axes and those of the smallest box.
    """
    for R in (np.eye(3), principal_axes(points), oriented_box(points, triangles).X_GS.R):
        for k in (2, 0, 1):
            yield np.roll(R, 2 - k, axis=1)


def _smallest(
    points: Array, triangles: Array | None, fit: Callable[[Array], tuple[float, Fitted]]
) -> Fitted:
    """Return the shape of the smallest volume among those along the axes."""
    best, chosen = np.inf, None
    for R in _axes(points, triangles):
        volume, found = fit(R)
        if volume < best * (1.0 - _BETTER):
            best, chosen = volume, found
    assert chosen is not None  # noqa: S101 - there are nine axes
    return chosen


def _cylinder(points: Array, triangles: Array | None) -> Fitted:
    margin = _MARGIN * extent(points)

    def fit(R: Array) -> tuple[float, Fitted]:
        along = points @ R
        center, radius = enclosing_ball(along[:, :2])
        low, high = along[:, 2].min(), along[:, 2].max()
        length = float(high - low) + 2.0 * margin
        p = R @ np.array((*center, (low + high) / 2.0))
        shape = Cylinder(radius=radius + margin, length=length)
        return radius**2 * length, Fitted(shape, Pose.of(R, p))

    return _smallest(points, triangles, fit)


def _capsule(points: Array, triangles: Array | None) -> Fitted:
    """Return the capsule around the smallest circle across an axis, as short as its ends allow."""
    margin = _MARGIN * extent(points)

    def fit(R: Array) -> tuple[float, Fitted]:
        along = points @ R
        center, radius = enclosing_ball(along[:, :2])
        radius += margin
        across = ((along[:, :2] - center) ** 2).sum(axis=1)
        rise = np.sqrt(np.maximum(radius**2 - across, 0.0))
        low, high = float((along[:, 2] + rise).min()), float((along[:, 2] - rise).max())
        length = max(high - low, 0.0) + 2.0 * margin
        p = R @ np.array((*center, (low + high) / 2.0))
        shape = Capsule(radius=radius, length=length)
        return radius**2 * (length + 4.0 / 3.0 * radius), Fitted(shape, Pose.of(R, p))

    return _smallest(points, triangles, fit)


_FITS: Mapping[str, Callable[[Array, Array | None], Fitted]] = {
    "box": oriented_box,
    "sphere": _sphere,
    "capsule": _capsule,
    "cylinder": _cylinder,
}
