"""A mesh as convex parts, by coacd; and how much more its convex hull holds than the mesh.

coacd prints as it likes, and a mesh may crash it or keep it busy for ever: it runs in a process of its own, for a
limited time. Its parts depend on the mesh and the settings alone. They are kept, as is what it failed on.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import metadata, util
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from loaders.diagnostics import Diagnostics, ExportError, Fate
from loaders.model import Mesh
from loaders.spatial import Array

from .tessellation import Faces, extent, is_convex, normal_if_flat

CollisionMeshes = Literal["as_is", "hull", "decompose"]
"""How meshes collide: as the file says, all as their hulls, or all that are not convex as convex parts."""

HULL, PARTS = "convex_hull", "convex_decomposition"
"""SDFormat's words for ``mesh/@optimization``."""

MOST_PARTS = 64
"""Of a mesh for which the file states no number."""
MAX_FACES = 200_000
TIME_LIMIT = 120.0
"""For one mesh [s]."""
_CONCAVITY = 0.05
"""How deep hollows may be that stay, over the size of the mesh: coacd's own threshold."""
_SEED = 0
_FEWEST_VOXELS, _MOST_VOXELS = 20, 100
"""Along an edge, that coacd takes to close a mesh which is open."""

INSTALL = 'pip install "sdfbridge[convex]"'

Solid = tuple[Array, Faces]
"""Vertices, shape (n, 3) [m], and faces, shape (m, 3)."""


class DecompositionError(Exception):
    """A mesh that is not taken apart; the text says why."""


# --- what is asked for -----------------------------------------------------------------------------------------------


def installed() -> bool:
    """Whether coacd is there."""
    return util.find_spec("coacd") is not None


def check_choice(choice: str, target: str) -> None:
    """Refuse a choice that there is not, or that cannot be met here.

    Raises:
        ValueError: if it is none of `CollisionMeshes`.
        ExportError: if meshes are to be taken apart and coacd is not installed.
    """
    known = get_args(CollisionMeshes)
    if choice not in known:
        raise ValueError(f"collision_meshes must be one of {', '.join(known)}, not {choice!r}")
    if choice == "decompose" and not installed():
        message = "taking meshes apart needs coacd, which is not installed"
        diagnostics = Diagnostics()
        diagnostics.add(Fate.INVALID, "mesh.no-coacd", message, target=target, hint=INSTALL)
        diagnostics.raise_for(ExportError, strict=False)


def as_asked(mesh: Mesh, choice: str) -> Mesh:
    """The mesh with the simplification that a choice stands for; one that the file declares convex stays so."""
    if choice == "hull" and mesh.decomposition == PARTS:
        return replace(mesh, decomposition=None)
    if choice == "decompose" and not mesh.convex and mesh.decomposition != PARTS:
        return replace(mesh, decomposition=PARTS, max_convex_hulls=MOST_PARTS)
    return mesh


def is_simplified(mesh: Mesh) -> bool:
    """Whether a mesh says of itself that it collides as its hull, or as convex parts that can be had here."""
    return mesh.convex or mesh.decomposition == HULL or (mesh.decomposition == PARTS and installed())


# --- parts -----------------------------------------------------------------------------------------------------------


def convex_parts(solid: Solid, mesh: Mesh, folder: Path) -> tuple[Solid, ...]:
    """The convex parts of a mesh: at most ``mesh.max_convex_hulls``, equal for equal arguments.

    A mesh of several pieces is taken apart piece by piece; those that are convex stay as they are.

    Args:
        solid: Vertices and faces of the mesh.
        mesh: What is asked for. ``voxel_resolution`` counts only if the mesh is open, and is rasterised to be closed.
        folder: Where parts are kept.

    Raises:
        DecompositionError: if coacd is not installed, or cannot do it in time.
        OSError: if nothing can be written to the folder.
    """
    vertices, faces = _welded(*solid)
    if not len(faces):
        raise DecompositionError("every triangle of it is a line or a point")
    if len(faces) > MAX_FACES:
        raise DecompositionError(f"it has {len(faces)} triangles, more than {MAX_FACES}")
    most, voxels = min(max(mesh.max_convex_hulls, 1), MAX_FACES), mesh.voxel_resolution
    pieces = _pieces(vertices, faces, most)
    if not pieces or any(normal_if_flat(piece[0]) is not None for piece in pieces):
        return _decomposed([(vertices, faces)], most, voxels, folder)
    whole, hollow = list[Solid](), list[Solid]()
    for piece in pieces:
        (whole if is_convex(*piece) else hollow).append(piece)
    if not hollow:
        return tuple(whole)
    return (*whole, *_decomposed(hollow, (most - len(whole)) // len(hollow), voxels, folder))


def _decomposed(solids: list[Solid], most: int, voxels: int, folder: Path) -> tuple[Solid, ...]:
    """The parts that coacd makes, or has made before: at most so many of each."""
    if not installed():
        raise DecompositionError("coacd is not installed")
    edge = min(max(round(max(voxels, 0) ** (1.0 / 3.0)), _FEWEST_VOXELS), _MOST_VOXELS)
    key = hashlib.sha256(f"{metadata.version('coacd')} {_CONCAVITY} {_SEED} {most} {edge}".encode())
    for vertices, faces in solids:
        key.update(f"{faces.shape}".encode() + vertices.tobytes() + faces.tobytes())
    kept = folder / f"{key.hexdigest()[:32]}.npz"
    failure = kept.with_suffix(".txt")
    if not kept.exists() and not failure.exists():
        _make(solids, (most, edge), kept, failure)
    if failure.exists():
        raise DecompositionError(failure.read_text(encoding="utf-8"))
    parts = tuple(part for part in _read(kept) if normal_if_flat(part[0]) is None)
    if not parts:
        raise DecompositionError("it is too thin")
    return parts


def _welded(vertices: Array, faces: Faces) -> Solid:
    """Equal positions as one vertex, without triangles that have no area: what coacd takes for a closed surface."""
    corners, index = np.unique(vertices, axis=0, return_inverse=True)
    faces = index.reshape(-1)[faces]
    a, b, c = (corners[faces[:, k]] for k in range(3))
    faces = faces[np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0.0]
    return _compact(corners, faces)


def _pieces(vertices: Array, faces: Faces, most: int) -> list[Solid]:
    """What hangs together by common vertices; nothing if that is more than ``most``."""
    of = _roots(len(vertices), faces)[faces[:, 0]]
    order = np.argsort(of, kind="stable")
    ends = np.flatnonzero(np.diff(of[order])) + 1
    return [_compact(vertices, piece) for piece in np.split(faces[order], ends)] if len(ends) < most else []


def _roots(number: int, faces: Faces) -> NDArray[np.int64]:
    """For each vertex one of its piece: vertices point to lower ones, until all of a piece point to the same."""
    root = np.arange(number)
    while True:
        corners = root[faces]
        lowest = corners.min(axis=1, keepdims=True)
        if np.array_equal(corners, np.broadcast_to(lowest, corners.shape)):
            return root
        np.minimum.at(root, corners, lowest)
        while not np.array_equal(root, root[root]):
            root = root[root]


def _compact(vertices: Array, faces: Faces) -> Solid:
    """Without the vertices that no triangle has."""
    used, faces = np.unique(faces, return_inverse=True)
    return np.ascontiguousarray(vertices[used]), faces.reshape(-1, 3).astype(np.int64)


def _make(solids: list[Solid], limits: tuple[int, int], kept: Path, failure: Path) -> None:
    """Write the parts, or why there are none."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as scratch:
        given, made = Path(scratch) / "mesh.npz", Path(scratch) / "parts.npz"
        _write(given, solids, limits)
        wrong = _run(given, made)
        if wrong:
            made.write_text(wrong, encoding="utf-8")
        os.replace(made, failure if wrong else kept)


def _run(given: Path, made: Path) -> str:
    """Let a child do it, which finds modules where this process does; what is wrong with the mesh.

    Raises:
        DecompositionError: if something else is wrong.
    """
    command = [sys.executable or "python", "-P", "-m", "bridge.geometry.convex_decomposition", str(given), str(made)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=TIME_LIMIT, check=False)  # noqa: S603
    except OSError as error:
        raise DecompositionError(f"Python cannot be started for it: {error.strerror}") from error
    except subprocess.TimeoutExpired:
        return f"coacd takes longer than {TIME_LIMIT:g} s"
    if done.returncode == 1:
        raise DecompositionError(done.stderr.decode(errors="replace").strip().rpartition("\n")[2])
    return f"coacd crashes on it, with exit status {done.returncode}" if done.returncode else ""


def _write(path: Path, solids: Sequence[Solid], limits: tuple[int, int]) -> None:
    """For `_read`."""
    vertices, faces = (np.concatenate(arrays) for arrays in zip(*solids, strict=True))
    counts = [(len(v), len(f)) for v, f in solids]
    np.savez(path, vertices=vertices, faces=faces.astype(np.int64), counts=counts, limits=limits)


def _read(kept: Path) -> Iterator[Solid]:
    with np.load(kept) as parts:
        vertices, faces, counts = parts["vertices"], parts["faces"], parts["counts"]
    ends = np.cumsum(counts, axis=0)[:-1]
    yield from zip(np.split(vertices, ends[:, 0]), np.split(faces, ends[:, 1]), strict=True)


def main(arguments: Sequence[str]) -> None:
    """In the child: take the pieces of one mesh apart, from file to file."""
    import coacd

    given, made = arguments
    with np.load(given) as arrays:
        most, edge = arrays["limits"].tolist()
    settings = {"threshold": _CONCAVITY, "max_convex_hull": most, "preprocess_resolution": edge, "seed": _SEED}
    surfaces = (coacd.Mesh(*solid) for solid in _read(Path(given)))
    parts = [part for surface in surfaces for part in coacd.run_coacd(surface, **settings)]
    _write(Path(made), parts, (most, edge))


# --- volume ----------------------------------------------------------------------------------------------------------


def hull_volume(solid: Solid) -> float | None:
    """The volume of the convex hull [m^3], as MuJoCo computes it; None without MuJoCo, or if it sees no volume."""
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
    spec.worldbody.add_body().add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="mesh", density=1.0)
    try:
        return float(spec.compile().body_mass[1]) * size**3
    except ValueError:
        return None


if __name__ == "__main__":
    main(sys.argv[1:])
