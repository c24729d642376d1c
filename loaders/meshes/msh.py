"""Reader of MSH files, the binary format of MuJoCo: counts, vertices, normals, texture coordinates and triangles."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loaders.spatial import frozen

from .mesh_data import MeshPart
from .precheck import MeshError, check_faces

SUFFIX = ".msh"
HEADER = struct.Struct("<4i")
"""Number of vertices, normals, texture coordinates and triangles."""


def read_msh(data: bytes, path: Path) -> list[MeshPart]:
    """Return the one part of a file; none if it has no triangles.

    Source: MuJoCo's XML reference, ``asset/mesh``. As in MuJoCo, ``v`` of texture coordinates points down.

    Args:
        data: Contents of the file.
        path: The file, whose name is that of the part.

    Raises:
        MeshError: if it is not as long as the counts that it declares, or has more triangles than the limit.
    """
    vertices, normals, coordinates, faces = _counts(data)
    check_faces(faces)
    if not faces:
        return []
    uv = _rows(data, "<f4", HEADER.size + 12 * (vertices + normals), coordinates, 2).astype(np.float64)
    uv[:, 1] = 1.0 - uv[:, 1]
    corners = _rows(data, "<i4", HEADER.size + 12 * (vertices + normals) + 8 * coordinates, faces, 3)
    return [
        MeshPart(
            names=(path.stem,),
            vertices=frozen(_rows(data, "<f4", HEADER.size, vertices, 3).astype(np.float64)),
            faces=corners.astype(np.int64),
            uv=frozen(uv) if coordinates == vertices else None,
        )
    ]


def has_triangles(start: bytes) -> bool:
    """Return whether a file declares triangles; of one without, MuJoCo takes the convex hull.

    Args:
        start: The first bytes of the file, at least those of its `HEADER`.
    """
    return len(start) >= HEADER.size and HEADER.unpack_from(start)[3] > 0


def _counts(data: bytes) -> tuple[int, int, int, int]:
    """Return the numbers of vertices, normals, texture coordinates and triangles that a file declares."""
    counts = HEADER.unpack_from(data) if len(data) >= HEADER.size else (-1, 0, 0, 0)
    vertices, normals, coordinates, faces = counts
    if min(counts) < 0 or len(data) != HEADER.size + 4 * (3 * vertices + 3 * normals + 2 * coordinates + 3 * faces):
        raise MeshError("the file is not valid MSH: its size is not that of the vertices and triangles it declares")
    return vertices, normals, coordinates, faces


def _rows(data: bytes, kind: str, start: int, count: int, width: int) -> NDArray[np.generic]:
    """Return some rows of numbers, shape (count, width), which begin at a byte."""
    return np.frombuffer(data, dtype=kind, count=count * width, offset=start).reshape(count, width)
