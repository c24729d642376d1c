"""Normals for shading: smooth across shallow edges, sharp across creases."""

from __future__ import annotations

import math

import numpy as np

from loaders.meshes import Faces
from loaders.meshes.mesh_data import unique_rows
from loaders.spatial import Array

_CREASE = math.cos(math.radians(35.0))
"""Cosine of the angle between faces above which their edge is sharp."""
_MAX_FACES = 48
"""Largest number of faces around a vertex that are compared with each other."""


def shaded(vertices: Array, faces: Faces, uv: Array | None = None) -> tuple[Array, Faces, Array, Array]:
    """Return vertices, faces, normals and texture coordinates of the same surface.

    Vertices on creases, and on seams of the texture, are repeated for each side.

    Args:
        vertices: Positions, shape (n, 3).
        faces: Vertex indices, shape (m, 3).
        uv: Texture coordinates of the vertices, shape (n, 2); without them, those that are returned have the shape
            (k, 0).
    """
    points, index = unique_rows(np.asarray(vertices, dtype=np.float64))
    corners = index[np.asarray(faces)].reshape(-1)
    normals = np.repeat(_face_normals(points[corners].reshape(-1, 3, 3)), 3, axis=0)
    smooth = _averaged(corners, normals)
    seams = np.zeros((len(corners), 0)) if uv is None else np.asarray(uv)[np.asarray(faces).reshape(-1)]
    every, place = unique_rows(np.column_stack((points[corners], np.round(smooth, 3), seams)))
    return every[:, :3], place.reshape(-1, 3), every[:, 3:6], every[:, 6:]


def _face_normals(triangles: Array) -> Array:
    """Normals whose length is twice the area of their face."""
    normals: Array = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    return normals


def _averaged(corners: np.ndarray, normals: Array) -> Array:
    """The normal of each corner: the mean of the faces around its vertex that make no crease with its own face."""
    order = np.argsort(corners, kind="stable")
    weighted = normals[order]
    unit = _unit(weighted)
    _, starts, counts = np.unique(corners[order], return_index=True, return_counts=True)
    first, count = np.repeat(starts, counts), np.repeat(counts, counts)
    place = np.arange(len(order)) - first
    total = weighted.copy()
    for shift in range(1, min(int(counts.max(initial=0)), _MAX_FACES)):
        partner = first + (place + shift) % count
        is_smooth = (np.einsum("ij,ij->i", unit, unit[partner]) > _CREASE) & (shift < count)
        total += np.where(is_smooth[:, None], weighted[partner], 0.0)
    averaged = np.empty_like(total)
    averaged[order] = _unit(total)
    return averaged


def _unit(vectors: Array) -> Array:
    lengths: Array = np.linalg.norm(vectors, axis=1)[:, None]
    unit: Array = vectors / np.maximum(lengths, 1e-300)
    return unit
