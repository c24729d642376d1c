"""The up axis of COLLADA files, decided by the collision mesh of the same link.

A visual mesh and a collision mesh at one pose have nearly the same bounding box, if both are the right way up.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from loaders.model import Collision, Link, Mesh, Visual
from loaders.safety.fence import fenced
from loaders.spatial import Array

from .collada import R_ZX, read_collada
from .mesh_data import MeshData
from .precheck import MeshError, read_checked
from .trimesh_formats import SUFFIXES, read_with_trimesh

_STATED = re.compile(rb"<up_axis>\s*([XYZ]_UP)")
_HEAD = 1 << 16
"""Bytes at the beginning of a file that have its up axis."""
_FITS = 0.1
"""Largest difference of the bounding boxes of two meshes of one shape, over their extent."""
_CLEARER = 3.0
"""Least ratio of the differences of two orientations by which one is chosen."""


def with_decided_up_axes(links: Iterable[Link]) -> tuple[Link, ...]:
    """Return links with the up axis of each COLLADA visual as the collision mesh of the link tells.

    It stays undecided for files that state Z, for shapes without a collision mesh of another file at the same pose, and
    if no orientation fits clearly better than the other.

    Args:
        links: The links.
    """
    return tuple(_decided_link(link) if _is_open(link) else link for link in links)


def _is_open(link: Link) -> bool:
    return bool(_meshes(link.collisions)) and any(_is_collada(mesh) for _, mesh in _meshes(link.visuals))


def _meshes(shapes: Iterable[Collision | Visual]) -> list[tuple[Collision | Visual, Mesh]]:
    listed = ((shape, shape.geometry) for shape in shapes)
    return [(shape, mesh) for shape, mesh in listed if isinstance(mesh, Mesh) and mesh.path and mesh.turned is None]


def _is_collada(mesh: Mesh) -> bool:
    return str(mesh.path).lower().endswith(".dae")


def _decided_link(link: Link) -> Link:
    decided = {id(visual): _decided(visual, mesh, link) for visual, mesh in _meshes(link.visuals) if _is_collada(mesh)}
    visuals = (dataclasses.replace(v, geometry=decided[id(v)]) if id(v) in decided else v for v in link.visuals)
    return dataclasses.replace(link, visuals=tuple(visuals))


def _decided(visual: Collision | Visual, mesh: Mesh, link: Link) -> Mesh:
    partners = [
        other
        for collision, other in _meshes(link.collisions)
        if other.path != mesh.path and collision.X_LG.is_close(visual.X_LG, 1e-9)
    ]
    R = _stated_rotation(mesh) if len(partners) == 1 else None
    if R is None:
        return mesh
    seen, touched = _vertices(mesh, turned=False), _vertices(partners[0], turned=None)
    if seen is None or touched is None:
        return mesh
    plain, turned = (_difference(points * mesh.scale, touched * partners[0].scale) for points in (seen, seen @ R.T))
    if min(plain, turned) > _FITS or max(plain, turned) < _CLEARER * min(plain, turned):
        return mesh
    return dataclasses.replace(mesh, turned=turned < plain)


def _stated_rotation(mesh: Mesh) -> Array | None:
    """Return the rotation to Z up that a COLLADA file asks for; None if it states Z or none, or cannot be read."""
    try:
        found = _STATED.search(read_checked(Path(str(mesh.path))), 0, _HEAD)
    except MeshError:
        return None
    return None if found is None else R_ZX.get(found[1].decode())


def _vertices(mesh: Mesh, *, turned: bool | None) -> Array | None:
    """Return the positions in a file, without its scale; None if it cannot be read."""
    path = Path(str(mesh.path))
    suffix = path.suffix.lower()
    if mesh.submesh is not None or (suffix != ".dae" and suffix not in SUFFIXES):
        return None
    try:
        with fenced(MeshError, "the mesh cannot be processed"):
            data = read_checked(path)
            parts, _ = read_collada(data, path, turned=turned) if suffix == ".dae" else read_with_trimesh(data, path)
    except MeshError:
        return None
    return MeshData(parts=tuple(parts)).vertices if parts else None


def _difference(a: Array, b: Array) -> float:
    """Return the largest distance of the corners of two bounding boxes, over the extent of the second."""
    corners = (np.array((points.min(axis=0), points.max(axis=0))) for points in (a, b))
    first, second = corners
    extent = float(np.ptp(second, axis=0).max())
    return float(np.abs(first - second).max()) / extent if extent else np.inf
