"""Primitive shapes fitted to points, and distances of collision shapes from the meshes that they
stand for, with bounds of their errors.

Fitted boxes, spheres, capsules and cylinders are oriented. Each contains the points and is the
smallest of its kind, in the sense that its function states. The bounds of trimesh need scipy, which
is no dependency.

Two distances are measured: that of the shape's surface from the mesh where the shape reaches beyond
it (outward), and that of the mesh's surface from the shape where the mesh reaches beyond it
(inward). Both are largest distances over a surface of triangles. The distance from something convex
is largest at a corner of a triangle. Any other distance changes by no more than its point moves, so
that on a triangle it is nowhere larger than at its center plus the distance of its corners from
there: triangles that may hold a larger distance than the largest found are divided, until none may
by more than a fiftieth of the extent, or there are too many. The true value is at least what is
found, and at most larger by the error that is stated beside it.

Of a mesh that is open the distance is that from its surface, also within it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bridge.geometry.convex_decomposition import (
    Faces,
    Solid,
    TriangleSurface,
    extent,
    hull_faces,
    lies_on_hull,
    outer_planes,
    spread_directions,
    volume_of_convex,
)
from bridge.geometry.shapes import Point, box_triangles, twice_area
from loaders.meshes import MeshData
from loaders.model import Box, Capsule, Cylinder, Sphere
from loaders.pose import Array, Pose

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
        return Fitted(Box(size=_triple(np.array(shape.size) - 2.0 * depth)), fit.X_GS)
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
    return Fitted(Box(size=_triple(size)), Pose.of(R_GS, R_GS @ ((low + high) / 2.0)))


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


TOLERANCE = 0.02
"""Largest error of a distance, relative to the extent of the mesh."""
_EXACT = 1e-6
"""Distance that counts as none, relative to the extent."""
_MAX_TRIANGLES = 5_000
"""Number of triangles at which division ends; the error is then larger."""
_BLOCK = 1_000_000
"""Number of pairs of points and triangles, or planes, that are computed at once."""
_DIRECTIONS = 200
"""Number of directions in which points beyond a mesh are recognized at once."""
_SIDES = 48
"""Number of sides of the triangles on which the surfaces of round shapes are searched."""


class Deviation(NamedTuple):
    """A largest distance."""

    distance: float
    """The largest distance that was found [m]."""
    error: float
    """The true value is at most this much larger [m]."""
    point: tuple[float, float, float]
    """The point at which it was found [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """Distances of what collides from a mesh.

    Attributes:
        outward: The largest distance of what collides beyond the mesh.
        inward: The largest distance of the mesh beyond what collides.
        volume_ratio: Volume of what collides over that of the mesh; that of parts is their sum.
            None if the mesh is open.
        parts: Number of shapes that collide.
        vertices: Number of their vertices; 0 for primitive shapes.
    """

    outward: Deviation
    inward: Deviation
    volume_ratio: float | None
    parts: int
    vertices: int


class _Body(Protocol):
    """The shape of what collides, for measurements."""

    surface: Array
    """Triangles of its surface, shape (n, 3, 3) [m]."""
    volume: float
    """Its volume [m^3]."""

    def on_surface(self, points: Array) -> Array:
        """Return the points of the surface for points of the triangles."""

    def distance(self, points: Array) -> Array:
        """Return the distances of points from it, 0 within [m]."""

    def is_hidden(self, points: Array) -> NDArray[np.bool_]:
        """Return which points of the surface are none of what collides, because they lie within
        another part.
        """


# --- certificates ---------------------------------------------------------------------------------


def certificate_of_fit(fit: Fitted, data: MeshData) -> Certificate:
    """Return the certificate of a primitive shape for a mesh.

    The distance of the mesh beyond it is exact: it is largest at a vertex.

    Args:
        fit: The shape.
        data: The mesh.
    """
    body = _PrimitiveBody(fit)
    vertices = data.vertices[np.unique(data.faces)]
    beyond = body.distance(vertices)
    k = int(np.argmax(beyond))
    inward = Deviation(float(beyond[k]), 0.0, _triple(vertices[k]))
    return _certificate(body, data, inward, parts=1, vertices=0)


def certificate_of_solids(solids: Sequence[Solid], data: MeshData) -> Certificate:
    """Return the certificate of convex solids for a mesh.

    Args:
        solids: Their vertices and triangles; they collide as their hulls.
        data: The mesh.
    """
    hulls = [_hull(solid) for solid in solids]
    body = _HullBody(hulls)
    vertices = data.vertices[np.unique(data.faces)]
    if len(hulls) == 1:
        beyond = body.distance(vertices)
        k = int(np.argmax(beyond))
        inward = Deviation(float(beyond[k]), 0.0, _triple(vertices[k]))
    else:
        size = extent(data.vertices)
        inward = _largest(_Search(data.vertices[data.faces], body.distance, _same, size))
    count = sum(len(hull.vertices) for hull in hulls)
    return _certificate(body, data, inward, parts=len(hulls), vertices=count)


def _certificate(
    body: _Body, data: MeshData, inward: Deviation, *, parts: int, vertices: int
) -> Certificate:
    size = extent(data.vertices)
    mesh_volume = abs(data.volume)
    encloses = data.is_closed and mesh_volume > 1e-6 * np.prod(np.ptp(data.vertices, axis=0))
    mesh = _MeshDistance(data, is_closed=bool(encloses))

    def beyond(points: Array) -> Array:
        distances = mesh.distance(points)
        distances[body.is_hidden(points)] = 0.0
        return distances

    outward = _largest(_Search(body.surface, beyond, body.on_surface, size, mesh))
    return Certificate(
        outward=_rounded(outward, size),
        inward=_rounded(inward, size),
        volume_ratio=body.volume / mesh_volume if encloses else None,
        parts=parts,
        vertices=vertices,
    )


def outward_deviation(fit: Fitted, data: MeshData, tolerance: float) -> float:
    """Return the distance by which a primitive shape reaches beyond a mesh [m].

    Args:
        fit: The shape.
        data: The mesh.
        tolerance: Its largest error, relative to the extent of the mesh.
    """
    body, size = _PrimitiveBody(fit), extent(data.vertices)
    mesh = _MeshDistance(data, is_closed=data.is_closed)
    found = _largest(_Search(body.surface, mesh.distance, body.on_surface, size, mesh, tolerance))
    return found.distance + found.error / 2.0


def inward_deviation(fit: Fitted, points: Array) -> float:
    """Return the distance by which points reach beyond a primitive shape [m]."""
    return float(_PrimitiveBody(fit).distance(points).max())


def _rounded(found: Deviation, size: float) -> Deviation:
    """Return a distance, 0 if it is rounding."""
    return found._replace(distance=0.0) if found.distance <= _EXACT * size else found


def _triple(vector: Array) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return x, y, z


# --- search ---------------------------------------------------------------------------------------


class _Search(NamedTuple):
    """A search for the largest distance of points on triangles."""

    triangles: Array
    """The triangles, shape (n, 3, 3) [m]."""
    distance: Callable[[Array], Array]
    """Returns the distances of points [m]."""
    on_surface: Callable[[Array], Array]
    """Moves points of the triangles to the surface that they stand for."""
    size: float
    """The extent [m]."""
    mesh: _MeshDistance | None = None
    """The mesh from which distances are measured, if it is one."""
    tolerance: float = TOLERANCE
    """Error at which the search ends, relative to the extent."""

    def bound(self, points: Array) -> Array:
        """Return numbers that are not smaller than the distances, and known sooner [m]."""
        return np.full(len(points), np.inf) if self.mesh is None else self.mesh.bound(points)

    def reach(self, triangles: Array) -> Array:
        """Return numbers that are not smaller than the distances on triangles [m]."""
        return np.full(len(triangles), np.inf) if self.mesh is None else self.mesh.reach(triangles)


def _same(points: Array) -> Array:
    return points


def _largest(search: _Search) -> Deviation:
    """Return the largest distance of points on triangles."""
    triangles, accepted = search.triangles, search.tolerance * search.size
    best, point = _best(search)
    if search.mesh is not None and search.mesh.is_convex:
        shift = _cells(triangles, search)[1].max()
        return Deviation(max(best, 0.0), 2.0 * float(shift), _triple(point))
    error, searched = 0.0, 0
    while len(triangles):
        moved, shift, radii = _cells(triangles, search)
        radii = radii + 2.0 * shift
        upper = np.minimum(search.bound(moved) + radii, search.reach(triangles) + 2.0 * shift)
        is_open = upper > best + accepted
        error = max(error, _excess(upper[~is_open], best))
        triangles, moved, radii = triangles[is_open], moved[is_open], radii[is_open]
        if not len(triangles):
            break
        found = search.distance(moved)
        k = int(np.argmax(found))
        if found[k] > best:
            best, point = float(found[k]), moved[k]
        upper = found + radii
        is_open = upper > best + accepted
        error = max(error, _excess(upper[~is_open], best))
        searched += len(triangles)
        triangles = triangles[is_open]
        if searched + 2 * len(triangles) > _MAX_TRIANGLES:
            error = max(error, _excess(upper, best))
            break
        triangles = _divided(triangles)
    return Deviation(max(best, 0.0), max(error, 0.0), _triple(point))


def _cells(triangles: Array, search: _Search) -> tuple[Array, Array, Array]:
    """Return the centers of triangles on the surface, how far they lie from the triangles, and how
    far the corners lie from them [m].
    """
    centers = triangles.mean(axis=1)
    moved = search.on_surface(centers)
    radii = np.linalg.norm(triangles - centers[:, None], axis=2).max(axis=1)
    return moved, np.linalg.norm(moved - centers, axis=1), radii


def _best(search: _Search) -> tuple[float, Array]:
    """Return the largest distance at a corner, and the corner; those that may be farthest are
    examined first.
    """
    points = search.on_surface(np.unique(search.triangles.reshape(-1, 3), axis=0))
    upper = search.bound(points)
    order = np.argsort(-upper, kind="stable")
    best, point = -1.0, points[0]
    for i in range(0, len(order), 64):
        block = order[i : i + 64]
        if upper[block[0]] <= best:
            break
        found = search.distance(points[block])
        k = int(np.argmax(found))
        if found[k] > best:
            best, point = float(found[k]), points[block[k]]
    return best, point


def _excess(reach: Array, best: float) -> float:
    return float(reach.max(initial=best)) - best


def _divided(triangles: Array) -> Array:
    """Return each triangle divided along its longest edge."""
    lengths = np.linalg.norm(np.roll(triangles, -1, axis=1) - triangles, axis=2)
    rows, first = np.arange(len(triangles)), np.argmax(lengths, axis=1)
    a, b, c = (triangles[rows, (first + k) % 3] for k in range(3))
    middle = (a + b) / 2.0
    return np.concatenate((np.stack((a, middle, c), axis=1), np.stack((middle, b, c), axis=1)))


# --- the mesh -------------------------------------------------------------------------------------


class _MeshDistance:
    """Distances of points beyond a mesh."""

    def __init__(self, data: MeshData, *, is_closed: bool) -> None:
        self._surface = TriangleSurface.of(data.vertices, data.faces)
        self._is_closed = is_closed
        self._directions = spread_directions(_DIRECTIONS)
        self._reach = (data.vertices @ self._directions.T).max(axis=0)
        self.is_convex = is_closed and lies_on_hull(data.vertices, data.faces)
        """Whether it is a convex solid, within `bridge.geometry.convex_decomposition`'s tolerance
        of a thousandth of its extent."""

    def bound(self, points: Array) -> Array:
        """Return the distances from the nearest vertex [m], which are not smaller."""
        return self._surface.from_corners(points)

    def reach(self, triangles: Array) -> Array:
        """Return distances from one triangle of the mesh [m], which are not smaller."""
        return self._surface.reach(triangles)

    def distance(self, points: Array) -> Array:
        """Return the distances of points from a mesh [m], 0 within it if it is closed."""
        distances = self._surface.distances(points)
        if self._is_closed:
            near = np.flatnonzero((points @ self._directions.T <= self._reach).all(axis=1))
            inside = _winding(points[near], self._surface.triangles) > 0.5
            distances[near[inside]] = 0.0
        return distances


def _winding(points: Array, triangles: Array) -> Array:
    """Return how often a closed surface surrounds each point: the sum of the solid angles of its
    triangles over that of the sphere.
    """
    found = np.empty(len(points))
    rows = max(1, _BLOCK // len(triangles))
    for i in range(0, len(points), rows):
        a, b, c = (triangles[None, :, k] - points[i : i + rows, None] for k in range(3))
        la, lb, lc = (np.linalg.norm(x, axis=2) for x in (a, b, c))
        volume = np.einsum("kni,kni->kn", a, np.cross(b, c))
        ab, bc, ca = (np.einsum("kni,kni->kn", x, y) for x, y in ((a, b), (b, c), (c, a)))
        angles = 2.0 * np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)
        found[i : i + rows] = np.abs(angles.sum(axis=1)) / (4.0 * np.pi)
    return found


# --- hulls ----------------------------------------------------------------------------------------


class _Hull(NamedTuple):
    """The convex hull of a solid."""

    vertices: Array
    faces: Faces
    normals: Array
    offsets: Array

    def above(self, points: Array) -> Array:
        """Return the largest distance of each point above the planes [m]."""
        rows = max(1, _BLOCK // len(self.normals))
        blocks = (points[i : i + rows] for i in range(0, len(points), rows))
        return np.concatenate([(b @ self.normals.T - self.offsets).max(axis=1) for b in blocks])


def _hull(solid: Solid) -> _Hull:
    vertices, faces = solid
    found = hull_faces(vertices)
    faces = faces if found is None else found
    used, faces = np.unique(faces, return_inverse=True)
    corners, faces = vertices[used], faces.reshape(-1, 3)
    return _Hull(corners, faces, *outer_planes(corners, faces))


class _HullBody:
    """Convex solids that collide."""

    def __init__(self, hulls: Sequence[_Hull]) -> None:
        self._hulls = hulls
        self.surface = np.concatenate([hull.vertices[hull.faces] for hull in hulls])
        self.volume = sum(volume_of_convex(hull.vertices, hull.faces) for hull in hulls)
        self._tolerance = 1e-7 * extent(self.surface.reshape(-1, 3))
        corners = self.surface.reshape(-1, 3)
        faces = np.arange(len(corners)).reshape(-1, 3)
        self._surfaces = TriangleSurface.of(corners, faces)

    def on_surface(self, points: Array) -> Array:
        return points

    def distance(self, points: Array) -> Array:
        distances = np.zeros(len(points))
        above = np.min([hull.above(points) for hull in self._hulls], axis=0)
        outside = above > self._tolerance
        distances[outside] = self._surfaces.distances(points[outside])
        return distances

    def is_hidden(self, points: Array) -> NDArray[np.bool_]:
        above = np.min([hull.above(points) for hull in self._hulls], axis=0)
        return np.asarray(above < -self._tolerance)


# --- primitive shapes -----------------------------------------------------------------------------


class _PrimitiveBody:
    """A primitive shape that collides."""

    def __init__(self, fit: Fitted) -> None:
        self._shape, self._X_GS = fit
        triangles = _TRIANGLES[type(fit.shape)](fit.shape)
        self.surface = triangles @ fit.X_GS.R.T + fit.X_GS.p
        self.volume = _VOLUMES[type(fit.shape)](fit.shape)

    def _local(self, points: Array) -> Array:
        return np.asarray((points - self._X_GS.p) @ self._X_GS.R)

    def on_surface(self, points: Array) -> Array:
        moved = _pushed(self._shape, self._local(points))
        return np.asarray(moved @ self._X_GS.R.T + self._X_GS.p)

    def distance(self, points: Array) -> Array:
        return np.maximum(_signed_distance(self._shape, self._local(points)), 0.0)

    def is_hidden(self, points: Array) -> NDArray[np.bool_]:
        return np.zeros(len(points), dtype=bool)


def _signed_distance(shape: Primitive, x: Array) -> Array:
    """Return the distances of points from a shape, exact outside and not positive within [m]."""
    if isinstance(shape, Sphere):
        return np.asarray(np.linalg.norm(x, axis=1) - shape.radius)
    if isinstance(shape, Box):
        gaps = np.abs(x) - np.array(shape.size) / 2.0
    else:
        across, along = np.linalg.norm(x[:, :2], axis=1), np.abs(x[:, 2]) - shape.length / 2.0
        if isinstance(shape, Capsule):
            return np.asarray(np.hypot(across, np.maximum(along, 0.0)) - shape.radius)
        gaps = np.stack((across - shape.radius, along), axis=1)
    beyond = np.linalg.norm(np.maximum(gaps, 0.0), axis=1)
    return np.asarray(beyond + np.minimum(gaps.max(axis=1), 0.0))


def _pushed(shape: Primitive, x: Array) -> Array:
    """Return the points of a shape's surface for points of the triangles that stand for it."""
    if isinstance(shape, Box):
        return x
    if isinstance(shape, Cylinder):
        across = np.linalg.norm(x[:, :2], axis=1)
        is_side = np.abs(x[:, 2]) < shape.length / 2.0 * (1.0 - 1e-9)
        factor = np.where(is_side, shape.radius / np.maximum(across, 1e-300), 1.0)
        return np.asarray(x * np.stack((factor, factor, np.ones(len(x))), axis=1))
    half = shape.length / 2.0 if isinstance(shape, Capsule) else 0.0
    core = np.zeros_like(x)
    core[:, 2] = np.clip(x[:, 2], -half, half)
    lengths = np.linalg.norm(x - core, axis=1)
    return np.asarray(core + (x - core) * (shape.radius / np.maximum(lengths, 1e-300))[:, None])


def _revolved(profile: Array) -> Array:
    """Return the triangles of a profile, of radii and heights, that turns about the z axis."""
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    turn = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    rings = np.concatenate(
        (
            profile[:, None, :1] * turn,
            np.broadcast_to(profile[:, None, 1:], (len(profile), _SIDES, 1)),
        ),
        axis=2,
    )
    following = np.roll(rings, -1, axis=1)
    a, b, c, d = rings[:-1], following[:-1], following[1:], rings[1:]
    triangles = np.concatenate((np.stack((a, b, c), axis=2), np.stack((a, c, d), axis=2)))
    return np.asarray(triangles.reshape(-1, 3, 3))


def _round_triangles(radius: float, length: float) -> Array:
    """Return the triangles of a capsule; of a sphere if the length is 0."""
    turn = np.linspace(-np.pi / 2.0, 0.0, _SIDES // 4 + 1)
    lower = np.stack((radius * np.cos(turn), radius * np.sin(turn) - length / 2.0), axis=1)
    return _revolved(np.concatenate((lower, lower[::-1] * (1.0, -1.0))))


def _cylinder_triangles(shape: Cylinder) -> Array:
    half = shape.length / 2.0
    profile = [(0.0, -half), (shape.radius, -half), (shape.radius, half), (0.0, half)]
    return _revolved(np.array(profile))


_TRIANGLES: dict[type, Callable[..., Array]] = {
    Box: box_triangles,
    Sphere: lambda shape: _round_triangles(shape.radius, 0.0),
    Capsule: lambda shape: _round_triangles(shape.radius, shape.length),
    Cylinder: _cylinder_triangles,
}
_VOLUMES: dict[type, Callable[..., float]] = {
    Box: lambda shape: float(np.prod(shape.size)),
    Sphere: lambda shape: 4.0 / 3.0 * np.pi * shape.radius**3,
    Capsule: lambda s: np.pi * s.radius**2 * (s.length + 4.0 / 3.0 * s.radius),
    Cylinder: lambda shape: np.pi * shape.radius**2 * shape.length,
}
