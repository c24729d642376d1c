"""Readers of mesh files: triangles in meters, Z up, with outward normals, grouped in parts.

* COLLADA: the transforms of the nodes and the unit apply. The up axis applies if the file also
  states its unit, except for some exporters, or as the collision mesh of the link shows; see
  `loaders.meshes.collada.is_up_axis_trusted` and `loaders.meshes.collada`.
* glTF: Y is up, as its specification says, and is rotated to Z, as in Drake.
* OBJ, STL, PLY, OFF and MuJoCo's MSH state neither unit nor axes: meters, Z up.
* A scale or node that mirrors the mesh keeps the normals outward.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from loaders import codes as loaders_codes
from loaders.diagnostics import Diagnostics, Where
from loaders.limits import raised_as, refuse_past_limit, spend
from loaders.model import Mesh
from loaders.pose import frozen

from .collada import is_turned, read_collada
from .mesh_data import SUFFIX as MSH
from .mesh_data import Faces, MeshData, MeshPart, Remark, read_msh
from .precheck import MeshError, MeshLimitError, read_checked
from .trimesh_formats import SUFFIXES, group_of, read_with_trimesh

__all__ = ["Faces", "MeshData", "MeshPart", "read_mesh"]


_MAX_COORDINATE = 1e30
"""Largest coordinate [m] that engines with single precision can square and add up."""
_MIN_AREA = 1e-12
"""Twice the smallest area of a triangle, relative to the square of the size of its mesh."""
_MIN_SCALE = 1e-12
"""Smallest factor of a scale; below it a mesh is flat, a line or a point for an engine."""


def read_mesh(mesh: Mesh, diagnostics: Diagnostics) -> MeshData | None:
    """Return the triangles of a mesh, scaled; None if it has no file or cannot be read.

    A missing file was reported when its URI was resolved. Every call reads the file again.

    Args:
        mesh: The mesh.
        diagnostics: Record for the findings.

    Raises:
        LimitError: if the file exceeds a limit on one file, or the call that is running has read
        too many triangles.
    """
    if mesh.path is None:
        return None
    where = Where(mesh.path)
    try:
        with raised_as(MeshError, "the mesh cannot be processed"), np.errstate(all="ignore"):
            _check_scale(mesh.scale)
            parts, remarks = _read(Path(mesh.path), mesh)
            parts = _checked([_scaled(part, mesh.scale) for part in parts])
            if mesh.submesh is not None:
                parts = _selected(parts, mesh)
    except MeshError as error:
        if isinstance(error, MeshLimitError):
            refuse_past_limit(error.option, mesh.path)
        diagnostics.add(loaders_codes.MESH_UNREADABLE, where, reason=error)
        return None
    spend("triangles", sum(len(part.faces) for part in parts))
    for remark in remarks:
        diagnostics.add(remark.code, where, **remark.arguments)
    return MeshData(parts=tuple(parts))


def _read(path: Path, mesh: Mesh) -> tuple[list[MeshPart], list[Remark]]:
    suffix, submesh = path.suffix.lower(), mesh.submesh
    if suffix not in (known := (".dae", MSH, *SUFFIXES)):
        raise MeshError(
            f"unknown suffix {suffix or path.name!r}; expected one of: {', '.join(known)}"
        )
    data = read_checked(path)
    group = group_of(data, submesh) if suffix == ".obj" and submesh is not None else None
    if group is not None and submesh is not None:
        parts, remarks = read_with_trimesh(group, path)
        parts = [dataclasses.replace(part, names=(submesh,)) for part in parts]
    elif suffix == ".dae":
        parts, remarks = read_collada(
            data, path, turned=is_turned(mesh, data), by_robot=mesh.turned is not None
        )
    elif suffix == MSH:
        parts, remarks = read_msh(data, path), []
    else:
        parts, remarks = read_with_trimesh(data, path)
    if not parts:
        raise MeshError("the file has no triangles")
    return parts, remarks


def _check_scale(scale: tuple[float, float, float]) -> None:
    if not all(_MIN_SCALE <= abs(factor) <= _MAX_COORDINATE for factor in scale):
        stated = " ".join(f"{factor:g}" for factor in scale)
        raise MeshError(
            f"the scale {stated} leaves no shape; each factor must lie between {_MIN_SCALE:g} and "
            f"1e30"
        )


def _checked(parts: list[MeshPart]) -> list[MeshPart]:
    for part in parts:
        if not np.isfinite(part.vertices).all():
            raise MeshError("a coordinate is not finite")
        if np.abs(part.vertices).max(initial=0.0) > _MAX_COORDINATE:
            raise MeshError(
                f"a coordinate exceeds {_MAX_COORDINATE:g} m, too large for single precision"
            )
        if part.faces.min() < 0 or part.faces.max() >= len(part.vertices):
            raise MeshError("a triangle refers to a vertex that does not exist")
    if not any(_has_area(part) for part in parts):
        raise MeshError("all triangles are degenerate: the file has no surface")
    return parts


def _has_area(part: MeshPart) -> bool:
    """Return whether a triangle of a part has an area, relative to the size of the part."""
    a, b, c = (part.vertices[part.faces[:, k]] for k in range(3))
    size = float(np.ptp(part.vertices, axis=0).max(initial=0.0))
    if size == 0.0:
        return False
    normals = np.cross((b - a) / size, (c - a) / size)
    return bool(np.abs(normals).max(initial=0.0) > _MIN_AREA)


def _scaled(part: MeshPart, scale: tuple[float, float, float]) -> MeshPart:
    """Return the part with its scale; mirroring reverses the triangles, so that the normals stay
    outward.
    """
    faces = part.faces[:, ::-1] if np.prod(scale) < 0.0 else part.faces
    return dataclasses.replace(part, vertices=frozen(part.vertices * scale), faces=faces)


def _selected(parts: list[MeshPart], mesh: Mesh) -> list[MeshPart]:
    """Return the parts of the submesh, with the center of their bounding box at the origin if
    ``mesh.center``.
    """
    chosen = [part for part in parts if mesh.submesh in part.names]
    if not chosen:
        names = ", ".join(sorted({name for part in parts for name in part.names}))
        raise MeshError(f"unknown submesh {mesh.submesh!r}; expected one of: {names}")
    if not mesh.center:
        return chosen
    low, high = MeshData(parts=tuple(chosen)).bounds
    return [
        dataclasses.replace(part, vertices=frozen(part.vertices - (low + high) / 2.0))
        for part in chosen
    ]
