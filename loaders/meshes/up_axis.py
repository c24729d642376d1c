"""The up axis of a COLLADA file, decided by another mesh of the same shape: the collision mesh of its link.

A visual mesh and a collision mesh at one pose have nearly the same bounding box, if both are the right way up.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from loaders.model import Mesh
from loaders.safety.library_errors import raised_as
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


def is_turned(mesh: Mesh, data: bytes) -> bool | None:
    """Return whether the up axis that a COLLADA file states is applied, given its reference mesh.

    It stays undecided (None) for a file that states Z, for a mesh without a reference that can be read, and if no
    orientation fits clearly better than the other.

    Args:
        mesh: The mesh.
        data: Content of its file.
    """
    reference = mesh.reference
    stated = _STATED.search(data, 0, _HEAD) if reference is not None and mesh.submesh is None else None
    R = None if stated is None else R_ZX.get(stated[1].decode())
    if R is None or reference is None:
        return None
    seen, touched = _vertices(mesh, turned=False), _vertices(reference, turned=None)
    if seen is None or touched is None:
        return None
    plain, turned = (_difference(points * mesh.scale, touched * reference.scale) for points in (seen, seen @ R.T))
    if min(plain, turned) > _FITS or max(plain, turned) < _CLEARER * min(plain, turned):
        return None
    return turned < plain


def _vertices(mesh: Mesh, *, turned: bool | None) -> Array | None:
    """Return the positions in a file, without its scale; None if it cannot be read."""
    path = Path(str(mesh.path))
    suffix = path.suffix.lower()
    if mesh.submesh is not None or (suffix != ".dae" and suffix not in SUFFIXES):
        return None
    try:
        with raised_as(MeshError, "the mesh cannot be processed"):
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
