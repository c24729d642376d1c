"""Properties of triangle meshes: extent, flatness, convexity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loaders.spatial import Array

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
    """Return the unit normal of the plane in which all vertices lie, shape (3,); None if they span a volume."""
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
