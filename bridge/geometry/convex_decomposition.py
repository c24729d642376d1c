"""Collision meshes: hulls, separate convex parts, convex decomposition and volumes.

A mesh that consists of separate convex parts collides as exactly these, without coacd. Its parts
are the objects of the file (objects of OBJ, geometries of other formats), or the pieces that are
connected by common positions. A mesh with any part that is not convex is not divided.

coacd runs in a separate process, for a limited time: it prints to the terminal, and a mesh may
crash it or keep it busy forever. Its parts depend on the mesh and the settings alone; they are
cached, as are its failures.

Welding vertices and splitting a mesh into connected pieces are done here and not by trimesh. Its
``merge_vertices`` rounds positions to 1e-8 m, which would change the parts, and its ``split`` needs
scipy or networkx, which are no dependencies. Measured on three spheres of 82,000 triangles each,
every triangle with separate corners: welding takes 0.5 s here and 0.8 s with trimesh, whose import
takes 0.3 s; splitting takes 0.25 s here.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bridge.codes import (
    MESH_CONVEX_HULL,
    MESH_CONVEX_HULL_OF_OPEN,
    MESH_CONVEX_HULL_VOLUME,
    MESH_CONVEX_PARTS,
    MESH_CONVEX_PARTS_OF_OPEN,
    MESH_CONVEX_PARTS_VOLUME,
    MESH_DECOMPOSITION,
    MESH_FLAT,
    MESH_LARGE_HULL,
    MESH_NO_COACD,
    MESH_SEPARATE_PARTS,
    MESH_SEPARATE_PARTS_OPEN,
)
from bridge.output import die_with_parent, scratch_folder
from loaders.diagnostics import LOGGER, Code, Diagnostics, ExportError, Where
from loaders.meshes import MeshData, MeshPart
from loaders.meshes.mesh_data import unique_rows
from loaders.model import Mesh
from loaders.pose import Array
from loaders.text import counted

from .cache import cache_folder, read_checked, write_checked

HULL, PARTS = "convex_hull", "convex_decomposition"
"""Values of ``mesh/@optimization`` in SDFormat."""

DEFAULT_MAX_PARTS = 64
"""Maximum number of convex parts of a mesh for which the file states none."""
MAX_FACES = 200_000
"""Largest number of triangles of a mesh that is decomposed."""
TIME_LIMIT = 120.0
"""Time limit for one mesh [s]."""
_CONCAVITY = 0.05
"""Largest concavity that remains, relative to the size of the mesh: the default threshold of
coacd."""
_SEED = 0
_MIN_VOXELS, _MAX_VOXELS = 20, 100
"""Bounds of the number of voxels along an edge with which coacd closes an open mesh."""

INSTALL = 'pip install "sdfbridge[convex]"'


class DecompositionError(Exception):
    """A mesh cannot be decomposed; the message is the reason."""


# --- choices of the file --------------------------------------------------------------------------


def installed() -> bool:
    """Return whether coacd is installed."""
    return util.find_spec("coacd") is not None


def check_decomposition(target: str) -> None:
    """Refuse to decompose meshes without coacd.

    Args:
        target: The engine that the diagnostic is about.

    Raises:
        ExportError: if coacd is not installed.
    """
    if not installed():
        diagnostics = Diagnostics()
        diagnostics.add(MESH_NO_COACD, target=target)
        diagnostics.raise_for(ExportError, strict=False)


def is_simplified(mesh: Mesh) -> bool:
    """Return whether the file asks that a mesh collide as its hull, or as convex parts that coacd
    can make.
    """
    return (
        mesh.convex or mesh.decomposition == HULL or (mesh.decomposition == PARTS and installed())
    )


# --- parts ----------------------------------------------------------------------------------------


def convex_parts(solid: Solid, mesh: Mesh, folder: Path) -> tuple[Solid, ...]:
    """Return the convex parts of a mesh: at most ``mesh.max_convex_hulls``, equal for equal
    arguments.

    A mesh of several connected pieces is decomposed piece by piece; convex pieces stay as they are.

    Args:
        solid: Vertices and faces of the mesh.
        mesh: The limits. ``voxel_resolution`` matters only for an open mesh, which is converted to
            voxels and back.
        folder: Folder in which results are cached, if it can be written.

    Raises:
        DecompositionError: if coacd is not installed, fails, or takes too long.
    """
    vertices, faces = _welded(*solid)
    if not len(faces):
        raise DecompositionError("no triangle has an area")
    if len(faces) > MAX_FACES:
        raise DecompositionError(
            f"it has {counted(len(faces), 'triangle')}; the limit is {MAX_FACES}"
        )
    most, voxels = min(max(mesh.max_convex_hulls, 1), MAX_FACES), mesh.voxel_resolution
    pieces = _pieces(vertices, faces, most)
    if not pieces or any(normal_if_flat(piece[0]) is not None for piece in pieces):
        return _decomposed([(vertices, faces)], most, voxels, folder)
    convex, concave = list[Solid](), list[Solid]()
    for piece in pieces:
        (convex if is_convex(*piece) else concave).append(piece)
    if not concave:
        return tuple(convex)
    return (*convex, *_decomposed(concave, (most - len(convex)) // len(concave), voxels, folder))


def grid_resolution(voxels: int) -> int:
    """Return the number of cells along the longest edge of the grid on which coacd closes an open
    mesh.

    Args:
        voxels: The number of cells of the whole grid that a file states.
    """
    edge: int = round(max(voxels, 0) ** (1.0 / 3.0))
    return min(max(edge, _MIN_VOXELS), _MAX_VOXELS)


def _decomposed(solids: list[Solid], most: int, voxels: int, folder: Path) -> tuple[Solid, ...]:
    """Return the parts that coacd makes, or that are cached: at most ``most`` of each solid."""
    if not installed():
        raise DecompositionError("coacd is not installed")
    edge = grid_resolution(voxels)
    key = hashlib.sha256(f"{metadata.version('coacd')} {_CONCAVITY} {_SEED} {most} {edge}".encode())
    for vertices, faces in solids:
        key.update(f"{faces.shape}".encode() + vertices.tobytes() + faces.tobytes())
    result = folder / f"{key.hexdigest()[:32]}.npz"
    failure = result.with_suffix(".txt")
    made, problem = read_checked(result), read_checked(failure)
    if made is None and problem is None:
        made, problem = _make(solids, (most, edge))
        with suppress(OSError):
            write_checked(result if made is not None else failure, made or problem or b"")
    if made is None:
        raise DecompositionError((problem or b"").decode())
    parts = tuple(part for part in _read(io.BytesIO(made)) if normal_if_flat(part[0]) is None)
    if not parts:
        raise DecompositionError("it is too thin")
    return parts


def _welded(vertices: Array, faces: Faces) -> Solid:
    """Return a mesh with equal positions merged and triangles without area removed, so that coacd
    finds it closed.
    """
    corners, index = unique_rows(vertices)
    faces = index[faces]
    a, b, c = (corners[faces[:, k]] for k in range(3))
    faces = faces[np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0.0]
    return _compact(corners, faces)


def _pieces(vertices: Array, faces: Faces, most: int) -> list[Solid]:
    """Return the pieces that are connected by common vertices; none if there are more than
    ``most``.
    """
    piece_of = _piece_numbers(len(vertices), faces)[faces[:, 0]]
    order = np.argsort(piece_of, kind="stable")
    ends = np.flatnonzero(np.diff(piece_of[order])) + 1
    return (
        [_compact(vertices, piece) for piece in np.split(faces[order], ends)]
        if len(ends) < most
        else []
    )


def _piece_numbers(count: int, faces: Faces) -> NDArray[np.int64]:
    """Return for each vertex the lowest index of a vertex of its piece.

    Vertices point to lower ones until all vertices of a piece point to the same.
    """
    root = np.arange(count)
    while True:
        corners = root[faces]
        lowest = corners.min(axis=1, keepdims=True)
        if np.array_equal(corners, np.broadcast_to(lowest, corners.shape)):
            return root
        np.minimum.at(root, corners, lowest)
        while not np.array_equal(root, root[root]):
            root = root[root]


def _compact(vertices: Array, faces: Faces) -> Solid:
    """Return a mesh without the vertices that no triangle uses."""
    used, faces = np.unique(faces, return_inverse=True)
    return np.ascontiguousarray(vertices[used]), faces.reshape(-1, 3).astype(np.int64)


def _make(solids: list[Solid], limits: tuple[int, int]) -> tuple[bytes, None] | tuple[None, bytes]:
    """Return the parts as a file for `_read`, or the reason why no part was made."""
    with scratch_folder() as folder:
        source, made = folder / "mesh.npz", folder / "parts.npz"
        _write(source, solids, limits)
        problem = _run(source, made)
        return (None, problem.encode()) if problem else (made.read_bytes(), None)


def _run(source: Path, made: Path) -> str:
    """Run coacd in a child process, which finds modules where this process does; return what is
    wrong with the mesh.

    Raises:
        DecompositionError: if the problem is not in the mesh.
    """
    command = [
        sys.executable or "python",
        "-P",
        "-m",
        "bridge.geometry.convex_decomposition",
        str(source),
        str(made),
    ]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)
    }
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter
            command, env=environment, capture_output=True, timeout=TIME_LIMIT, check=False
        )
    except OSError as error:
        raise DecompositionError(f"Python cannot be started for coacd: {error.strerror}") from error
    except subprocess.TimeoutExpired:
        return f"coacd takes longer than {TIME_LIMIT:g} s"
    if done.returncode == 1:
        raise DecompositionError(done.stderr.decode(errors="replace").strip().rpartition("\n")[2])
    return f"coacd crashes with exit status {done.returncode}" if done.returncode else ""


def _write(path: Path, solids: Sequence[Solid], limits: tuple[int, int]) -> None:
    """Write solids, and the limits of the decomposition, to a file for `_read`."""
    vertices, faces = (np.concatenate(arrays) for arrays in zip(*solids, strict=True))
    counts = [(len(v), len(f)) for v, f in solids]
    np.savez(path, vertices=vertices, faces=faces.astype(np.int64), counts=counts, limits=limits)


def _read(file: Path | io.BytesIO) -> Iterator[Solid]:
    """Yield the solids of a file that `_write` wrote."""
    with np.load(file) as arrays:
        vertices, faces, counts = arrays["vertices"], arrays["faces"], arrays["counts"]
    ends = np.cumsum(counts, axis=0)[:-1]
    yield from zip(np.split(vertices, ends[:, 0]), np.split(faces, ends[:, 1]), strict=True)


def main(arguments: Sequence[str]) -> None:
    """Decompose the solids of one file into another; this runs in the child process.

    Args:
        arguments: Path of the file to read, and of the file to write.
    """
    die_with_parent()
    import coacd

    source, made = arguments
    with np.load(source) as arrays:
        most, edge = arrays["limits"].tolist()
    settings = {
        "threshold": _CONCAVITY,
        "max_convex_hull": most,
        "preprocess_resolution": edge,
        "seed": _SEED,
    }
    surfaces = (coacd.Mesh(*solid) for solid in _read(Path(source)))
    parts = [part for surface in surfaces for part in coacd.run_coacd(surface, **settings)]
    _write(Path(made), parts, (most, edge))


# --- separate convex parts ------------------------------------------------------------------------


MAX_SEPARATE_HULLS = 256
"""Largest number of convex parts into which a mesh is divided if the file asks for no number. Each
part is a shape of its own in an engine, so that the time of a step grows with their number; files
that V-HACD made have up to 83 parts in pybullet_data."""
_HULL_TOLERANCE = 1e-3
"""Largest depth of a convex part's surface below its hull, relative to the extent of the part."""
_OPEN = 0.01
"""Share of the area of its hull that the surface of a closed part may lack."""
_MIN_PART = 1e-6
"""Smallest extent of a part [m]; MuJoCo refuses the hulls of smaller ones."""
_EXAMINED = 2048
"""Largest number of triangles of a part that are compared with its hull."""
_MIN_SHAPE = 1e-4
"""Area of a triangle over the square of its longest edge, below which its normal is not used."""
_BLOCK = 4_000_000
"""Number of distances that are computed at once."""


def separate_hulls(mesh: Mesh, data: MeshData) -> tuple[Solid, ...]:
    """Return the separate convex parts of which a mesh consists, each with its own surface, in the
    order of their lowest corners.

    Flat parts get a thickness, as flat meshes do.

    Args:
        mesh: The mesh.
        data: Its triangles.

    Returns:
        The parts; none if the mesh is one body, if a part is not convex, if there are more of them
        than the limit, or if the file asks for the hull of the mesh.
    """
    if mesh.convex or mesh.decomposition == HULL or is_convex(data.vertices, data.faces):
        return ()
    most = mesh.max_convex_hulls if mesh.decomposition == PARTS else MAX_SEPARATE_HULLS
    for pieces, is_closed in _divisions(mesh, data, most):
        if 1 < len(pieces) <= most:
            solids = (_solid_if_convex(*piece, is_closed=is_closed) for piece in pieces)
            convex = tuple(itertools.chain.from_iterable(itertools.takewhile(bool, solids)))
            if len(convex) == len(pieces) and _are_whole(convex, data):
                return tuple(sorted(convex, key=_lowest_corner))
    return ()


def _lowest_corner(solid: Solid) -> tuple[float, ...]:
    """Return what parts are ordered by, whatever the order in which a library reads them."""
    return tuple(solid[0].min(axis=0).tolist())


def _are_whole(solids: Sequence[Solid], data: MeshData) -> bool:
    """Return whether parts reach as far as their mesh, of which triangles without area may be left
    out, engines can take each of them, and none is a cavity of another.
    """
    if any(extent(vertices) < _MIN_PART for vertices, _ in solids):
        return False
    used, tolerance = data.vertices[np.unique(data.faces)], _FLAT * extent(data.vertices)
    vertices = np.concatenate([vertices for vertices, _ in solids])
    reaches = (vertices.min(axis=0) <= used.min(axis=0) + tolerance).all() and (
        vertices.max(axis=0) >= used.max(axis=0) - tolerance
    ).all()
    return bool(reaches) and not _has_cavity(solids)


def _divisions(mesh: Mesh, data: MeshData, most: int) -> Iterator[tuple[list[Solid], bool]]:
    """Yield the ways to divide a mesh, and whether the parts of each must be closed, since patches
    of one body with different materials or normals lie on their hulls, too.
    """
    objects, is_stated = _objects(mesh, data)
    if 1 < len(objects) <= most:
        yield objects, not is_stated
        pieces = [
            [body] if is_convex(*body) else _pieces(*body, most) or [body] for body in objects
        ]
        yield [piece for of_object in pieces for piece in of_object], not is_stated
    yield _pieces(*_welded(data.vertices, data.faces), most), False
    yield _pieces(data.vertices, data.faces, most), True


def _objects(mesh: Mesh, data: MeshData) -> tuple[list[Solid], bool]:
    """Return the objects of a file that have a surface, and whether the file states them as
    objects; parts of one object differ in their materials.
    """
    is_obj = str(mesh.path).lower().endswith(".obj")
    groups: dict[tuple[str, ...], list[MeshPart]] = {}
    for part in data.parts:
        groups.setdefault(part.names[:1] if is_obj else part.names, []).append(part)
    together = [MeshData(parts=tuple(parts)) for parts in groups.values()]
    solids = [_welded(body.vertices, body.faces) for body in together]
    is_stated = is_obj and not any(name.startswith("geometry") for (name,) in groups if is_obj)
    return (solids if all(len(faces) for _, faces in solids) else []), is_stated


def _solid_if_convex(vertices: Array, faces: Faces, *, is_closed: bool) -> tuple[Solid, ...]:
    """Return a part whose surface lies on its hull, with two sides if it is flat; nothing for
    another part.
    """
    normal = normal_if_flat(vertices)
    if normal is not None and is_closed:
        return ()
    if normal is not None:
        thick = two_sided(vertices, faces, normal)
        return (thick,) if _fills_outline(vertices, faces, normal, thick) else ()
    is_small = len(faces) <= _SAMPLED_FACES
    if not is_closed and is_small and is_convex(vertices, faces):
        return ((vertices, faces),)
    return ((vertices, faces),) if lies_on_hull(vertices, faces, is_closed=is_closed) else ()


def _fills_outline(vertices: Array, faces: Faces, normal: Array, thick: Solid) -> bool:
    """Return whether one side of a flat part has the area of its convex outline."""
    hull = hull_faces(thick[0])
    if hull is None:
        return False
    outline = volume_of_convex(thick[0], hull) / (_THICKNESS * extent(vertices))
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    areas = 0.5 * np.cross(b - a, c - a) @ normal
    covered = max(areas[areas > 0.0].sum(), -areas[areas < 0.0].sum())
    return bool(outline <= covered * (1.0 + _OPEN))


def lies_on_hull(vertices: Array, faces: Faces, *, is_closed: bool = False) -> bool:
    """Return whether a surface lies on its hull, and covers it if it must be closed.

    The depth below the hull is concave along a triangle and not negative, so that it is nowhere
    more than three times that of the center.

    Args:
        vertices: Positions [m], shape (n, 3).
        faces: Triangles, shape (m, 3).
        is_closed: Whether it must be closed.
    """
    hull = hull_faces(vertices)
    if hull is None:
        return False
    if is_closed and _area(vertices, hull) > _area(vertices, faces) * (1.0 + _OPEN):
        return False
    examined = faces[:: -(-len(faces) // _EXAMINED)]
    depth = _depth_below(vertices[examined].mean(axis=1), *outer_planes(vertices, hull))
    return 3.0 * depth <= _HULL_TOLERANCE * extent(vertices)


def _area(vertices: Array, faces: Faces) -> float:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def outer_planes(vertices: Array, hull: Faces) -> tuple[Array, Array]:
    """Return the outward normals of the triangles of a hull, and the offsets of their planes [m],
    without slivers.
    """
    a, b, c = (vertices[without_slivers(vertices, hull)[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    offsets = np.einsum("ni,ni->n", normals, a)
    outward = np.where(offsets >= normals @ vertices[hull].mean(axis=(0, 1)), 1.0, -1.0)
    return normals * outward[:, None], offsets * outward


def without_slivers(vertices: Array, faces: Faces) -> Faces:
    """Return the triangles that are wide enough to have a normal.

    Args:
        vertices: Positions [m], shape (n, 3).
        faces: Triangles, shape (m, 3).
    """
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    lengths = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    edges = np.stack((b - a, c - b, a - c))
    wide: Faces = faces[lengths > _MIN_SHAPE * (edges**2).sum(axis=2).max(axis=0)]
    return wide


def _depth_below(points: Array, normals: Array, offsets: Array) -> float:
    """Return the largest depth of points below all planes of a hull [m]."""
    if not len(normals):
        return np.inf
    rows = max(1, _BLOCK // len(normals))
    blocks = (points[i : i + rows] for i in range(0, len(points), rows))
    return max(float((offsets - block @ normals.T).min(axis=1).max()) for block in blocks)


def _has_cavity(solids: Sequence[Solid]) -> bool:
    """Return whether a closed part faces inward and lies in the box around another part."""
    meshes = [MeshData(parts=(MeshPart(names=(), vertices=v, faces=f),)) for v, f in solids]
    inward = [mesh for mesh in meshes if mesh.volume < 0.0 and mesh.is_closed]
    for mesh in inward:
        (low, high), others = mesh.bounds, [other for other in meshes if other is not mesh]
        if any((o.bounds[0] <= low).all() and (high <= o.bounds[1]).all() for o in others):
            return True
    return False


# --- distance between a hull and its mesh ---------------------------------------------------------


_POINTS = 256
"""Number of points on a hull from which the farthest from its mesh is searched for, about."""
_HALVINGS = 10
"""Number of times that the step of the search is halved, from an eighth of the extent."""


def hull_distance(vertices: Array, faces: Faces) -> float | None:
    """Return how far the convex hull of a mesh lies from its surface at most [m]; None without
    MuJoCo, or if the mesh is flat.

    The farthest of some hundred points on the hull is moved on its face until no neighbor is
    farther.

    Args:
        vertices: Positions [m], shape (n, 3).
        faces: Triangles, shape (m, 3).
    """
    hull = hull_faces(vertices)
    if hull is None:
        return None
    surface = TriangleSurface.of(vertices, faces)
    points, normals = _points_on(vertices[hull])
    farthest, distance = surface.farthest(points)
    planes, offsets = outer_planes(vertices, hull)
    size = extent(vertices)
    x, y = np.linalg.svd(normals[farthest][None])[2][1:]  # the axes of the face
    star = np.array([np.cos(k * np.pi / 4) * x + np.sin(k * np.pi / 4) * y for k in range(8)])
    point, step = points[farthest], size / 8.0
    for _ in range(_HALVINGS):
        around = point + step * star
        inside = around[(around @ planes.T <= offsets + 1e-9 * size).all(axis=1)]
        best, reached = surface.farthest(inside, distance) if len(inside) else (0, distance)
        if reached > distance:
            point, distance = inside[best], reached
        else:
            step /= 2.0
    return distance


@dataclass(frozen=True, slots=True)
class TriangleSurface:
    """Triangles to which distances are measured.

    Attributes:
        vertices: Positions [m], shape (k, 3).
        triangles: Corners [m], shape (n, 3, 3).
        centers: Centers [m], shape (n, 3).
        radii: Distances of the corners from the centers [m], shape (n,).
    """

    vertices: Array
    triangles: Array
    centers: Array
    radii: Array

    @classmethod
    def of(cls, vertices: Array, faces: Faces) -> TriangleSurface:
        """Return the surface of a mesh."""
        triangles = vertices[faces]
        centers = triangles.mean(axis=1)
        radii = np.linalg.norm(triangles - centers[:, None], axis=2).max(axis=1)
        return cls(vertices[np.unique(faces)], triangles, centers, radii)

    def from_corners(self, points: Array) -> Array:
        """Return the distance of each point from the nearest corner [m]."""
        return _distances_from_points(points, self.vertices)

    def distances(self, points: Array) -> Array:
        """Return the distance of each point from the surface [m].

        Args:
            points: The points, shape (k, 3).
        """
        found = np.empty(len(points))
        if not len(points):
            return found
        bounds = self.from_corners(points)
        rows = max(1, _FEW // len(self.triangles))
        for i in range(0, len(points), rows):
            block = points[i : i + rows]
            gaps = np.linalg.norm(self.centers - block[:, None], axis=2) - self.radii
            near = (gaps <= bounds[i : i + rows, None]).any(axis=0)
            found[i : i + rows] = _distances(block, self.triangles[near])
        return found

    def reach(self, cells: Array) -> Array:
        """Return bounds of the distances of triangles from the surface [m]: the largest distance of
        a corner from the one triangle whose center is nearest, which is convex.

        Args:
            cells: The triangles, shape (k, 3, 3).
        """
        nearest = np.empty(len(cells), dtype=np.int64)
        middles, rows = cells.mean(axis=1), max(1, _BLOCK // len(self.triangles))
        for i in range(0, len(cells), rows):
            block = middles[i : i + rows]
            gaps = (self.centers**2).sum(axis=1) - 2.0 * block @ self.centers.T
            gaps += (block**2).sum(axis=1)[:, None]
            nearest[i : i + rows] = (np.sqrt(np.maximum(gaps, 0.0)) - self.radii).argmin(axis=1)
        chosen = self.triangles[nearest]
        pairs = [_paired_distances(cells[:, k], chosen) for k in range(3)]
        return np.asarray(np.max(pairs, axis=0))

    def farthest(self, points: Array, least: float = 0.0) -> tuple[int, float]:
        """Return the index and the distance of the point that is farthest from the surface [m].

        Args:
            points: The points, shape (k, 3).
            least: Distance that does not count; it is returned if no point is farther.
        """
        bounds = _distances_from_points(points, self.vertices)
        order = np.argsort(-bounds)
        rows = max(1, _FEW // len(self.triangles))
        best = 0
        for i in range(0, len(points), rows):
            if bounds[order[i]] <= least:  # no point is farther from the surface than from a corner
                break
            block = points[order[i : i + rows]]
            gaps = np.linalg.norm(self.centers - block[:, None], axis=2) - self.radii
            near = (gaps <= bounds[order[i : i + rows], None]).any(axis=0)
            distances = _distances(block, self.triangles[near])
            k = int(np.argmax(distances))
            if distances[k] > least:
                best, least = int(order[i + k]), float(distances[k])
        return best, least


_FEW = 50_000
"""Number of pairs of points and triangles that are examined at once."""


def _points_on(triangles: Array) -> tuple[Array, Array]:
    """Return points on triangles of shape (m, 3, 3), more on large ones and at least the centers of
    the largest, and the normal of the triangle of each.
    """
    a, b, c = triangles.transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    largest = np.argsort(-areas, kind="stable")[:_POINTS]
    sides = np.maximum(np.sqrt(_POINTS * areas[largest] / areas.sum()).round().astype(int), 1)
    points, counts = list[Array](), list[int]()
    for triangle, n in zip(triangles[largest], sides.tolist(), strict=True):
        i, j = np.nonzero(np.add.outer(np.arange(n), np.arange(n)) < n)
        u, v = (i + 1.0 / 3.0) / n, (j + 1.0 / 3.0) / n
        points.append(np.column_stack((u, v, 1.0 - u - v)) @ triangle)
        counts.append(len(u))
    return np.concatenate(points), np.repeat(normals[largest], counts, axis=0)


def _distances_from_points(points: Array, others: Array) -> Array:
    """Return the distance of each point from the nearest of the others [m]."""
    rows = max(1, _BLOCK // len(others))
    origin = others.mean(axis=0)
    p, o = points - origin, others - origin
    squares = (o**2).sum(axis=1)
    nearest = [
        (squares - 2.0 * p[i : i + rows] @ o.T).min(axis=1) + (p[i : i + rows] ** 2).sum(axis=1)
        for i in range(0, len(p), rows)
    ]
    rounding = 1e-7 * extent(np.concatenate((p, o)))
    distances: Array = np.sqrt(np.maximum(np.concatenate(nearest), 0.0)) + rounding
    return distances


def _distances(points: Array, triangles: Array) -> Array:
    """Return the distance of each point, shape (k, 3), from the nearest triangle, shape (n, 3, 3)
    [m].
    """
    a, b, c = triangles.transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    squares = np.maximum((normals**2).sum(axis=1), np.finfo(float).tiny)
    is_above = np.ones((len(points), len(triangles)), dtype=bool)
    nearest = np.full(len(points), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        edges, offsets = end - start, points[:, None] - start
        is_above &= np.einsum("kni,ni->kn", offsets, np.cross(normals, edges)) >= 0.0
        lengths = np.maximum((edges**2).sum(axis=1), np.finfo(float).tiny)
        shares = np.clip(np.einsum("kni,ni->kn", offsets, edges) / lengths, 0.0, 1.0)
        gaps = np.linalg.norm(offsets - shares[..., None] * edges, axis=2)
        nearest = np.minimum(nearest, gaps.min(axis=1))
    heights = np.abs(np.einsum("kni,ni->kn", points[:, None] - a, normals)) / np.sqrt(squares)
    is_inside = is_above & (normals**2).any(axis=1)
    found: Array = np.minimum(nearest, np.where(is_inside, heights, np.inf).min(axis=1))
    return found


def _paired_distances(points: Array, triangles: Array) -> Array:
    """Return the distance of each point, shape (k, 3), from the triangle of the same row [m]."""
    a, b, c = triangles.transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    is_above = lengths > 0.0
    nearest = np.full(len(points), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        edges, offsets = end - start, points - start
        is_above &= np.einsum("ni,ni->n", offsets, np.cross(normals, edges)) >= 0.0
        squares = np.maximum((edges**2).sum(axis=1), np.finfo(float).tiny)
        shares = np.clip(np.einsum("ni,ni->n", offsets, edges) / squares, 0.0, 1.0)
        nearest = np.minimum(nearest, np.linalg.norm(offsets - shares[:, None] * edges, axis=1))
    heights = np.abs(np.einsum("ni,ni->n", points - a, normals))
    heights /= np.maximum(lengths, np.finfo(float).tiny)
    return np.asarray(np.where(is_above, heights, nearest))


# --- hulls of fewer corners -----------------------------------------------------------------------


class FewerCorners(NamedTuple):
    """A hull of some corners of a larger one."""

    corners: Array
    """The corners, shape (n, 3) [m]."""
    error: float
    """Largest distance of the larger hull from the smaller one [m]."""


def with_fewer_corners(points: Array, counts: Iterable[int], error: float) -> FewerCorners | None:
    """Return the hull of the farthest points in the fewest directions that lies close enough to the
    whole; None if none does.

    Args:
        points: Corners of a hull, shape (n, 3) [m].
        counts: Numbers of directions, ascending.
        error: The largest distance that is accepted [m].
    """
    for count in counts:
        chosen = np.unique(np.argmax(points @ spread_directions(count).T, axis=0))
        lost = hull_error(points, points[chosen], limit=error)
        if lost <= error:
            return FewerCorners(points[chosen], lost)
    return None


def hull_error(corners: Array, fewer: Array, limit: float = np.inf) -> float:
    """Return the largest distance of the hull of points from that of some of them [m], which it is
    at one of the points; infinite if these lie in one plane.

    A point is at least as far as from any plane of the hull, and at most as far as from the
    triangle of the plane that it is farthest above: few points need the distances of all triangles.

    Args:
        corners: The points, shape (n, 3) [m].
        fewer: Some of them, shape (m, 3) [m].
        limit: Distance above which a lower bound is enough [m].
    """
    hull = hull_faces(fewer)
    if hull is None:
        return np.inf
    faces = without_slivers(fewer, hull)
    normals, offsets = outer_planes(fewer, hull)
    rows = max(1, _BLOCK // len(normals))
    least, most = np.zeros(len(corners)), np.zeros(len(corners))
    for i in range(0, len(corners), rows):
        block = slice(i, i + rows)
        heights = corners[block] @ normals.T - offsets
        highest = heights.argmax(axis=1)
        least[block] = np.maximum(heights.max(axis=1), 0.0)
        most[block] = _paired_distances(corners[block], fewer[faces[highest]])
    farthest = float(least.max(initial=0.0))
    surface, order = TriangleSurface.of(fewer, hull), np.argsort(-most, kind="stable")
    order = order[least[order] > 0.0]
    for i in range(0, len(order), _CANDIDATES):
        chosen = order[i : i + _CANDIDATES]
        if farthest > limit or most[chosen[0]] <= farthest:
            break
        farthest = max(farthest, float(surface.distances(corners[chosen]).max()))
    return farthest


_CANDIDATES = 64
"""Number of points whose distances from a hull are computed at once."""
LARGE_HULL = 1000
"""Number of corners above which a hull is reported."""
_ACCEPTED = 0.01
"""Error of a hull of fewer corners, relative to the extent."""
_COUNTS = (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""Numbers of directions that are tried."""


def report_large_hull(collision: CollisionMesh, vertices: Array) -> None:
    """Report a hull of many corners, and how many are needed for an error of 1 % of its size.

    Args:
        collision: The mesh.
        vertices: What collides as its hull, shape (n, 3) [m].
    """
    hull = hull_faces(vertices) if len(vertices) > LARGE_HULL else None
    corners = vertices[:0] if hull is None else vertices[np.unique(hull)]
    if len(corners) <= LARGE_HULL:
        return
    size = extent(corners)
    found = with_fewer_corners(corners, _COUNTS, _ACCEPTED * size)
    if found is not None:
        fewer, error = len(found.corners), found.error
        collision.report(
            MESH_LARGE_HULL,
            hint=f"state maxhullvert={fewer}, or choose another shape with shapes",
            count=len(corners),
            fewer=fewer,
            error=error,
            percent=100.0 * error / size,
        )


def spread_directions(count: int) -> Array:
    """Return unit vectors that are spread evenly over the sphere, on a spiral, shape (count, 3)."""
    k = np.arange(count) + 0.5
    z = 1.0 - 2.0 * k / count
    turn = np.pi * (1.0 + np.sqrt(5.0)) * k
    r = np.sqrt(1.0 - z**2)
    return np.stack((r * np.cos(turn), r * np.sin(turn), z), axis=1)


# --- volume ---------------------------------------------------------------------------------------


def hull_faces(vertices: Array, most: int = -1) -> Faces | None:
    """Return the triangles of the convex hull of points, shape (m, 3), as indices of the points.

    MuJoCo computes them, as it compiles a body with the mesh: the convex hull of trimesh needs
    scipy, which is no dependency. The mesh is compiled at unit size, because MuJoCo refuses small
    volumes.

    Args:
        vertices: Positions [m], shape (n, 3).
        most: Largest number of corners, MuJoCo's ``maxhullvert``; -1 for any.

    Returns:
        The triangles; None without MuJoCo, or if the points lie in one plane.
    """
    try:
        import mujoco
    except ImportError:
        return None
    size = extent(vertices)
    if not size > 0.0:
        return None
    spec = mujoco.MjSpec()
    mesh = spec.add_mesh(name="mesh", inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX)
    mesh.maxhullvert = most
    mesh.uservert = ((vertices - vertices[0]) / size).ravel()
    body = spec.worldbody.add_body(name="body", mass=1.0, inertia=(1.0, 1.0, 1.0))
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="mesh")
    try:
        model = spec.compile()
    except ValueError:
        return None
    if model.mesh_graphadr[0] < 0 or model.mesh_vertnum[0] != len(vertices):
        return None
    corners, count = model.mesh_graph[:2].tolist()
    first = 2 + 3 * (corners + count)  # two rows of vertices, then edges; the faces come after them
    return np.array(model.mesh_graph[first : first + 3 * count], dtype=np.int64).reshape(count, 3)


def volume_of_convex(vertices: Array, faces: Faces) -> float:
    """Return the volume of a convex solid [m^3], whichever way its triangles face."""
    a, b, c = (vertices[faces[:, k]] - vertices[faces].mean(axis=(0, 1)) for k in range(3))
    return float(np.abs(np.einsum("ni,ni->n", a, np.cross(b, c))).sum()) / 6.0


Faces = NDArray[np.int64]
"""Vertex indices of triangles, shape (m, 3)."""

_FLAT = 1e-6
"""Thickness over extent below which a mesh is flat, and has no volume to collide with."""
_SAMPLED_FACES = 256
"""Number of faces that `is_convex` examines at least, if the mesh has so many."""


def extent(vertices: Array) -> float:
    """Return the longest edge of the bounding box [m]."""
    return float(np.ptp(vertices, axis=0).max())


def normal_if_flat(vertices: Array) -> Array | None:
    """Return the unit normal of the plane in which all vertices lie, shape (3,); None if they span
    a volume.
    """
    centered = vertices - vertices.mean(axis=0)
    _, axes = np.linalg.eigh(centered.T @ centered)
    normal: Array = axes[:, 0]
    return normal if float(np.ptp(centered @ normal)) <= _FLAT * extent(vertices) else None


def is_convex(vertices: Array, faces: Faces) -> bool:
    """Return whether all vertices lie on one side of every face, within a thousandth of the extent.

    Of a large mesh a sample of the faces is examined.

    Args:
        vertices: Positions [m], shape (n, 3).
        faces: Triangles, shape (m, 3).
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


Solid = tuple[Array, Faces]
"""Vertices, shape (n, 3) [m], and faces, shape (m, 3)."""

_THICKNESS = 1e-3
"""Thickness given to a flat mesh, relative to its extent."""
_CONVEX_TOLERANCE = 1e-3
"""Relative difference of the volumes of a mesh and its convex hull below which the mesh is convex.

Corners in single precision make as much."""
_EMPTY = 1e-6
"""Share of its bounding box below which a mesh has no volume."""


@dataclass(frozen=True, slots=True)
class CollisionMesh:
    """A mesh that collides, and where to report what becomes of it.

    Attributes:
        mesh: The mesh as the scene has it.
        data: Its triangles.
        name: Name of the parts.
        target: The engine that the diagnostics are about.
        diagnostics: Receives the findings.
        where: The place in the source.
    """

    mesh: Mesh
    data: MeshData
    name: str
    target: str
    diagnostics: Diagnostics
    where: Where

    @property
    def solid(self) -> Solid:
        """Vertices and faces of all parts."""
        return self.data.vertices, self.data.faces

    def report(self, code: Code, hint: str = "", **arguments: Any) -> None:
        """Report how the mesh is approximated.

        Args:
            code: The finding, in whose message ``{mesh}`` is the name of the mesh.
            hint: What the user can do; empty for the hint of the code.
            arguments: Further values of the message.
        """
        name = PurePosixPath(self.mesh.uri).stem or self.name  # the file may be one of the cache
        self.diagnostics.add(
            code, self.where, target=self.target, hint=hint, mesh=name, **arguments
        )


def collision_parts(collision: CollisionMesh) -> dict[str, Solid]:
    """Return the solids that collide for a mesh, by name: one, or several convex parts if it is to
    be decomposed.
    """
    vertices, faces = collision.solid
    normal = normal_if_flat(vertices)
    if normal is not None:
        vertices, faces = two_sided(vertices, faces, normal)
        collision.report(MESH_FLAT, thickness=_THICKNESS * extent(vertices))
    elif not _collides_exactly_as_hull(collision.mesh, collision.solid):
        return _non_convex_parts(collision)
    return {collision.name: (vertices, faces)}


def _collides_exactly_as_hull(mesh: Mesh, solid: Solid) -> bool:
    """Return whether the mesh is convex, or the source asks for its hull."""
    return mesh.convex or mesh.decomposition == HULL or is_convex(*solid)


def _non_convex_parts(collision: CollisionMesh) -> dict[str, Solid]:
    separate = separate_hulls(collision.mesh, collision.data)
    if separate and collision.mesh.decomposition != PARTS:
        return _separate_parts(collision, separate)
    vertices, faces = collision.solid
    hull, volume = hull_faces(vertices), _volume(collision.data)
    hull_volume = None if hull is None else volume_of_convex(vertices, hull)
    if volume and hull_volume and hull_volume < volume * (1.0 + _CONVEX_TOLERANCE):
        return {collision.name: collision.solid}
    if collision.mesh.decomposition == PARTS:
        return _decomposed_mesh(collision, separate)
    code, volumes = _with_volumes(_HULL, hull_volume, volume)
    collision.report(code, distance=hull_distance(vertices, faces) or 0.0, **volumes)
    return {collision.name: collision.solid}


def _separate_parts(collision: CollisionMesh, solids: Sequence[Solid]) -> dict[str, Solid]:
    """Return the separate convex parts of a mesh, and report how many they are and how far they lie
    from its surface.
    """
    distance = max(map(_distance_if_open, solids))
    is_exact = distance <= _HULL_TOLERANCE * extent(collision.data.vertices)
    code = MESH_SEPARATE_PARTS if is_exact else MESH_SEPARATE_PARTS_OPEN
    collision.report(code, count=len(solids), distance=distance)
    return _numbered(collision, solids)


def _distance_if_open(solid: Solid) -> float:
    vertices, faces = solid
    is_closed = MeshData(parts=(MeshPart(names=(), vertices=vertices, faces=faces),)).is_closed
    return 0.0 if is_closed else hull_distance(vertices, faces) or 0.0


def _numbered(collision: CollisionMesh, solids: Sequence[Solid]) -> dict[str, Solid]:
    return {f"{collision.name}_convex_{i}": solid for i, solid in enumerate(solids)}


def _decomposed_mesh(collision: CollisionMesh, separate: Sequence[Solid]) -> dict[str, Solid]:
    """Return the convex parts of a mesh, for which coacd is not needed if they are separate; the
    mesh itself, with a diagnostic, if it cannot be decomposed.
    """
    try:
        solids = separate or _cached_parts(collision)
    except DecompositionError as error:
        _report_failure(collision, error)
        return {collision.name: collision.solid}
    parts_volume = sum(
        abs(MeshData(parts=(MeshPart(names=(), vertices=v, faces=f),)).volume) for v, f in solids
    )
    code, volumes = _with_volumes(_PARTS, parts_volume, _volume(collision.data))
    collision.report(code, count=len(solids), **volumes)
    return _numbered(collision, solids)


def _report_failure(collision: CollisionMesh, error: DecompositionError) -> None:
    is_installed = installed()
    collision.report(
        MESH_DECOMPOSITION,
        hint="" if is_installed else INSTALL,
        count=collision.mesh.max_convex_hulls,
        voxels=collision.mesh.voxel_resolution,
        reason=str(error),
    )


def _cached_parts(collision: CollisionMesh) -> tuple[Solid, ...]:
    """Return the convex parts of a mesh, from the cache if it can be written."""
    LOGGER.info("decomposing %s into convex parts", collision.mesh.uri)
    try:
        return convex_parts(collision.solid, collision.mesh, cache_folder() / "convex")
    except OSError:
        with scratch_folder() as folder:
            return convex_parts(collision.solid, collision.mesh, folder)


def _volume(data: MeshData) -> float | None:
    """Return the volume of a mesh [m^3]; None if it is open, or its triangles face both ways and
    enclose none.
    """
    volume = abs(data.volume)
    return (
        volume
        if data.is_closed and volume > _EMPTY * np.prod(np.ptp(data.vertices, axis=0))
        else None
    )


class _VolumeCodes(NamedTuple):
    """The findings about a mesh that collides as something else, by what is known of volumes."""

    unknown: Code
    of_open: Code
    compared: Code


_HULL = _VolumeCodes(MESH_CONVEX_HULL, MESH_CONVEX_HULL_OF_OPEN, MESH_CONVEX_HULL_VOLUME)
_PARTS = _VolumeCodes(MESH_CONVEX_PARTS, MESH_CONVEX_PARTS_OF_OPEN, MESH_CONVEX_PARTS_VOLUME)


def _with_volumes(
    codes: _VolumeCodes, volume: float | None, exact: float | None
) -> tuple[Code, dict[str, Any]]:
    """Return the finding that compares the volume that collides [m^3] with that of the mesh, and
    its arguments.
    """
    if not volume:
        return codes.unknown, {}
    if exact is None:
        return codes.of_open, {}
    percent = 100.0 * (volume / exact - 1.0)
    return codes.compared, {"volume": volume, "exact": exact, "percent": percent}


def two_sided(vertices: Array, faces: Faces, normal: Array) -> Solid:
    """Return a flat mesh with two sides, at a distance of a thousandth of its extent.

    Args:
        vertices: Positions [m], shape (n, 3).
        faces: Triangles, shape (m, 3).
        normal: Unit normal of the plane of the mesh, shape (3,).
    """
    offset = normal * (_THICKNESS / 2.0) * extent(vertices)
    return (
        np.concatenate((vertices + offset, vertices - offset)),
        np.concatenate((faces, faces[:, ::-1] + len(vertices))),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
