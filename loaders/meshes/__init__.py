"""Mesh files to triangles: in metres, Z up, with outward normals, part by part.

* COLLADA: the transforms of nodes and the unit apply. The upward axis applies where the file also states its unit;
  see `loaders.meshes.collada.up_axis_counts`.
* glTF: Y points up, as its specification says, and is turned to Z, as Drake does.
* OBJ, STL, PLY and OFF have neither unit nor axes: metres, Z up.
* A mirroring scale or node keeps the outside outside.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.model import Mesh
from loaders.spatial import frozen

from .collada import read_collada
from .mesh_data import Faces, MeshData, MeshPart
from .precheck import MeshError, read_screened
from .textures import Remark
from .trimesh_formats import SUFFIXES, read_with_trimesh

__all__ = ["Faces", "MeshData", "MeshPart", "read_mesh"]


_FARTHEST = 1e30
"""What engines, which keep coordinates in single precision, can still square and add up [m]."""


def read_mesh(mesh: Mesh, diagnostics: Diagnostics) -> MeshData | None:
    """The triangles of a mesh, scaled; None if it has no file, which was reported, or one that cannot be read.

    The same file is read anew by every call.
    """
    if mesh.path is None:
        return None
    where = Where(mesh.path)
    try:
        parts, remarks = _read(Path(mesh.path))
        parts = _finite([_scaled(part, mesh.scale) for part in parts])
        if mesh.submesh is not None:
            parts = _selected(parts, mesh)
    except MeshError as error:
        diagnostics.add(Fate.DROPPED, "mesh.unreadable", "the mesh is left out: {error}", where, error=error)
        return None
    for fate, code, message in remarks:
        diagnostics.add(fate, code, message, where)
    return MeshData(parts=tuple(parts))


def _read(path: Path) -> tuple[list[MeshPart], list[Remark]]:
    suffix = path.suffix.lower()
    if suffix != ".dae" and suffix not in SUFFIXES:
        raise MeshError(f"{suffix or path.name} is none of .dae, {', '.join(SUFFIXES)}")
    data = read_screened(path)
    parts, remarks = (read_collada if suffix == ".dae" else read_with_trimesh)(data, path)
    if not parts:
        raise MeshError("it has no triangles")
    return parts, remarks


def _finite(parts: list[MeshPart]) -> list[MeshPart]:
    for part in parts:
        if not np.isfinite(part.vertices).all():
            raise MeshError("not every coordinate is finite")
        if np.abs(part.vertices).max(initial=0.0) > _FARTHEST:
            raise MeshError(f"a coordinate is beyond {_FARTHEST:g} m, which single precision cannot hold")
        if part.faces.min() < 0 or part.faces.max() >= len(part.vertices):
            raise MeshError("a triangle names a vertex that is not there")
    return parts


def _scaled(part: MeshPart, scale: tuple[float, float, float]) -> MeshPart:
    """The part with its scale; mirroring turns the triangles over, so that the outside stays outside."""
    faces = part.faces[:, ::-1] if np.prod(scale) < 0.0 else part.faces
    return dataclasses.replace(part, vertices=frozen(part.vertices * scale), faces=faces)


def _selected(parts: list[MeshPart], mesh: Mesh) -> list[MeshPart]:
    """The parts of this name, moved to the middle of their bounding box if asked for."""
    chosen = [part for part in parts if mesh.submesh in part.names]
    if not chosen:
        known = ", ".join(sorted({name for part in parts for name in part.names}))
        raise MeshError(f"it has no part called {mesh.submesh!r}; there are {known}")
    if not mesh.center:
        return chosen
    low, high = MeshData(parts=tuple(chosen)).bounds
    return [dataclasses.replace(part, vertices=frozen(part.vertices - (low + high) / 2.0)) for part in chosen]
