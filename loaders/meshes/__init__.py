"""Readers of mesh files: triangles in meters, Z up, with outward normals, grouped in parts.

* COLLADA: the transforms of the nodes and the unit apply. The up axis applies if the file also states its unit; see
  `loaders.meshes.collada.is_up_axis_trusted`.
* glTF: Y is up, as its specification says, and is rotated to Z, as in Drake.
* OBJ, STL, PLY and OFF state neither unit nor axes: meters, Z up.
* A scale or node that mirrors the mesh keeps the normals outward.
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
from .precheck import MeshError, read_checked
from .textures import Remark
from .trimesh_formats import SUFFIXES, read_with_trimesh

__all__ = ["Faces", "MeshData", "MeshPart", "read_mesh"]


_MAX_COORDINATE = 1e30
"""Largest coordinate [m] that engines with single precision can square and add up."""


def read_mesh(mesh: Mesh, diagnostics: Diagnostics) -> MeshData | None:
    """Return the triangles of a mesh, scaled; None if it has no file or cannot be read.

    A missing file was reported when its URI was resolved. Every call reads the file again.

    Args:
        mesh: The mesh.
        diagnostics: Record for the findings.
    """
    if mesh.path is None:
        return None
    where = Where(mesh.path)
    try:
        parts, remarks = _read(Path(mesh.path))
        parts = _checked([_scaled(part, mesh.scale) for part in parts])
        if mesh.submesh is not None:
            parts = _selected(parts, mesh)
    except MeshError as error:
        diagnostics.add(Fate.DROPPED, "mesh.unreadable", "cannot read the mesh: {reason}", where, reason=error)
        return None
    for remark in remarks:
        diagnostics.add(remark.fate, remark.code, remark.template, where, **remark.arguments)
    return MeshData(parts=tuple(parts))


def _read(path: Path) -> tuple[list[MeshPart], list[Remark]]:
    suffix = path.suffix.lower()
    if suffix != ".dae" and suffix not in SUFFIXES:
        raise MeshError(f"unknown suffix {suffix or path.name!r}; expected one of: .dae, {', '.join(SUFFIXES)}")
    data = read_checked(path)
    parts, remarks = (read_collada if suffix == ".dae" else read_with_trimesh)(data, path)
    if not parts:
        raise MeshError("the file has no triangles")
    return parts, remarks


def _checked(parts: list[MeshPart]) -> list[MeshPart]:
    for part in parts:
        if not np.isfinite(part.vertices).all():
            raise MeshError("a coordinate is not finite")
        if np.abs(part.vertices).max(initial=0.0) > _MAX_COORDINATE:
            raise MeshError(f"a coordinate exceeds {_MAX_COORDINATE:g} m, too large for single precision")
        if part.faces.min() < 0 or part.faces.max() >= len(part.vertices):
            raise MeshError("a triangle refers to a vertex that does not exist")
    return parts


def _scaled(part: MeshPart, scale: tuple[float, float, float]) -> MeshPart:
    """Return the part with its scale; mirroring reverses the triangles, so that the normals stay outward."""
    faces = part.faces[:, ::-1] if np.prod(scale) < 0.0 else part.faces
    return dataclasses.replace(part, vertices=frozen(part.vertices * scale), faces=faces)


def _selected(parts: list[MeshPart], mesh: Mesh) -> list[MeshPart]:
    """Return the parts of the submesh, with the center of their bounding box at the origin if ``mesh.center``."""
    chosen = [part for part in parts if mesh.submesh in part.names]
    if not chosen:
        names = ", ".join(sorted({name for part in parts for name in part.names}))
        raise MeshError(f"unknown submesh {mesh.submesh!r}; expected one of: {names}")
    if not mesh.center:
        return chosen
    low, high = MeshData(parts=tuple(chosen)).bounds
    return [dataclasses.replace(part, vertices=frozen(part.vertices - (low + high) / 2.0)) for part in chosen]
