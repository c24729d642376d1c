"""Collision meshes: hulls, convex parts and volumes.

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
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import metadata, util
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from bridge.choices import CollisionMeshes
from bridge.codes import (
    MESH_CONVEX_HULL,
    MESH_CONVEX_HULL_OF_OPEN,
    MESH_CONVEX_HULL_VOLUME,
    MESH_CONVEX_PARTS,
    MESH_CONVEX_PARTS_OF_OPEN,
    MESH_CONVEX_PARTS_VOLUME,
    MESH_DECOMPOSITION,
    MESH_FLAT,
    MESH_NO_COACD,
)
from bridge.output import scratch_folder
from loaders.diagnostics import Code, Diagnostics, ExportError, Where
from loaders.meshes import MeshData, MeshPart
from loaders.meshes.mesh_data import unique_rows
from loaders.model import Mesh
from loaders.pose import Array
from loaders.text import check_option_value

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
coacd.
"""
_SEED = 0
_MIN_VOXELS, _MAX_VOXELS = 20, 100
"""Bounds of the number of voxels along an edge with which coacd closes an open mesh."""

INSTALL = 'pip install "sdfbridge[convex]"'


class DecompositionError(Exception):
    """A mesh cannot be decomposed; the message is the reason."""


# --- choices of the caller and the file -----------------------------------------------------------


def installed() -> bool:
    """Return whether coacd is installed."""
    return util.find_spec("coacd") is not None


def check_choice(choice: str, target: str) -> None:
    """Check that a choice of how meshes collide exists and can be carried out.

    Args:
        choice: The choice.
        target: The engine that the diagnostic is about.

    Raises:
        ValueError: if the choice is not one of `CollisionMeshes`.
        ExportError: if meshes are to be decomposed and coacd is not installed.
    """
    check_option_value("collision_meshes", choice, get_args(CollisionMeshes))
    if choice == "decompose" and not installed():
        diagnostics = Diagnostics()
        diagnostics.add(MESH_NO_COACD, target=target)
        diagnostics.raise_for(ExportError, strict=False)


def with_choice(mesh: Mesh, choice: str) -> Mesh:
    """Return the mesh with the simplification of a choice; a mesh that the file declares convex
    stays convex.

    Args:
        mesh: The mesh.
        choice: One of `CollisionMeshes`.
    """
    if choice == "hull" and mesh.decomposition == PARTS:
        return replace(mesh, decomposition=None)
    if choice == "decompose" and not mesh.convex and mesh.decomposition != PARTS:
        return replace(mesh, decomposition=PARTS, max_convex_hulls=DEFAULT_MAX_PARTS)
    return mesh


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
        raise DecompositionError(f"it has {len(faces)} triangles; the limit is {MAX_FACES}")
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


# --- volume ---------------------------------------------------------------------------------------


def hull_volume(solid: Solid) -> float | None:
    """Return the volume of the convex hull [m^3]; None without MuJoCo, or if the hull has no
    volume.

    MuJoCo computes it, as it compiles a body with the mesh: the convex hull of trimesh needs scipy,
    which is no dependency. The mesh is compiled at unit size, because MuJoCo refuses small volumes.
    """
    try:
        import mujoco
    except ImportError:
        return None
    vertices, faces = solid
    size = extent(vertices)
    spec = mujoco.MjSpec()
    mesh = spec.add_mesh(name="mesh", inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX)
    mesh.uservert = ((vertices - vertices[0]) / size).ravel()
    mesh.userface = faces.ravel()
    spec.worldbody.add_body().add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH, meshname="mesh", density=1.0
    )
    try:
        return float(spec.compile().body_mass[1]) * size**3
    except ValueError:
        return None


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
            code,
            self.where,
            target=self.target,
            hint=hint,
            mesh=name,
            **arguments,
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
    volume, hull = _volume(collision.data), hull_volume(collision.solid)
    if volume is not None and hull is not None and hull < volume * (1.0 + _CONVEX_TOLERANCE):
        return {collision.name: collision.solid}
    if collision.mesh.decomposition == PARTS:
        return _decomposed_mesh(collision)
    code, volumes = _with_volumes(_HULL, hull, volume)
    collision.report(code, **volumes)
    return {collision.name: collision.solid}


def _decomposed_mesh(collision: CollisionMesh) -> dict[str, Solid]:
    """Return the convex parts of a mesh; the mesh itself, with a diagnostic, if it cannot be
    decomposed.
    """
    try:
        solids = _cached_parts(collision)
    except DecompositionError as error:
        _report_failure(collision, error)
        return {collision.name: collision.solid}
    parts_volume = sum(
        abs(MeshData(parts=(MeshPart(names=(), vertices=v, faces=f),)).volume) for v, f in solids
    )
    code, volumes = _with_volumes(_PARTS, parts_volume, _volume(collision.data))
    collision.report(code, count=len(solids), **volumes)
    return {f"{collision.name}_convex_{i}": solid for i, solid in enumerate(solids)}


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
    if exact is None:
        return codes.of_open, {}
    if not volume:
        return codes.unknown, {}
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
