"""Meshes in place of shapes that a document cannot state."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable

import numpy as np

from bridge.export.report import Report
from bridge.geometry.file_cache import stored_folder
from bridge.geometry.mesh_assets import shape_asset
from bridge.geometry.mesh_properties import Faces
from bridge.geometry.obj_format import obj
from bridge.geometry.tessellation.terrain import terrain_triangles
from loaders.diagnostics import Where
from loaders.model import Capsule, Cone, Ellipsoid, Geometry, Heightmap, Mesh, Polyline
from loaders.pictures.decoding import PictureError
from loaders.spatial import Array, frozen

SLICES = 48
"""Number of sides of a round shape, and twice the number of its rings; its surface lies up to 0.3 % inside."""


def meshes_of(geometry: Geometry, report: Report, where: Where) -> tuple[Mesh, ...]:
    """Return the meshes that have the surface of a shape; none if it has none, or cannot be read.

    Args:
        geometry: The shape.
        report: Receives the findings about the shape.
        where: The place in the source.

    Raises:
        OSError: if the cache of files cannot be written.
    """
    if isinstance(geometry, Cone | Polyline):
        assets = shape_asset(geometry, report.target, report.entries, where=where)
        parts: Iterable[tuple[Array, Faces]] = ((asset.vertices, asset.faces) for asset in assets)
    elif isinstance(geometry, Heightmap):
        try:
            parts = (_indexed(terrain_triangles(geometry)),)
        except PictureError:  # the caller reports that there is no mesh
            parts = ()
    elif isinstance(geometry, Capsule | Ellipsoid):
        return (round_mesh(geometry),)
    else:
        parts = ()
    word = type(geometry).__name__.lower()
    return tuple(_mesh(word, *part) for part in parts)


def round_mesh(geometry: Capsule | Ellipsoid) -> Mesh:
    """Return the mesh that has the surface of a round shape.

    Args:
        geometry: The shape.

    Raises:
        OSError: if the cache of files cannot be written.
    """
    if isinstance(geometry, Capsule):
        return _mesh("capsule", *_round(frozen((geometry.radius,) * 3), geometry.length / 2.0))
    return _mesh("ellipsoid", *_round(frozen(geometry.radii), 0.0))


def _mesh(word: str, vertices: Array, faces: Faces) -> Mesh:
    name = f"{word}.obj"
    data = obj(vertices, faces)
    family = hashlib.sha256(data).hexdigest()[:2]  # small, because each use of a family lists its folders
    folder = stored_folder({name: data}, f"shapes/{family}")
    return Mesh(uri=name, path=str(folder / name))


def _indexed(triangles: Array) -> tuple[Array, Faces]:
    """Return triangles, shape (n, 3, 3), as vertices and faces."""
    vertices, index = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    return vertices, index.reshape(-1, 3)


def _round(radii: Array, half_length: float) -> tuple[Array, Faces]:
    """Return an ellipsoid that is cut in half and pulled apart along z.

    Args:
        radii: Its radii [m].
        half_length: Distance of each half from the origin [m].
    """
    rings = SLICES // 2
    latitudes = [math.pi * i / rings - math.pi / 2.0 for i in range(1, rings)]
    middle = rings // 2 - 1
    bands = latitudes if half_length == 0.0 else [*latitudes[: middle + 1], *latitudes[middle:]]
    points = [(0.0, 0.0, -radii[2] - half_length)]
    for i, latitude in enumerate(bands):
        shift = half_length if i > middle else -half_length
        for k in range(SLICES):
            angle = math.tau * k / SLICES
            x, y = math.cos(latitude) * math.cos(angle), math.cos(latitude) * math.sin(angle)
            points.append((radii[0] * x, radii[1] * y, radii[2] * math.sin(latitude) + shift))
    points.append((0.0, 0.0, radii[2] + half_length))
    return np.array(points), _faces(len(bands))


def _faces(bands: int) -> Faces:
    """Return the triangles between a pole, rings of `SLICES` points, and the other pole."""
    top = bands * SLICES + 1
    faces = []
    for k in range(SLICES):
        n = (k + 1) % SLICES
        faces += [(0, n + 1, k + 1), (top, top - SLICES + k, top - SLICES + n)]
        for band in range(bands - 1):
            a, b = band * SLICES + 1, (band + 1) * SLICES + 1
            faces += [(a + k, a + n, b + n), (a + k, b + n, b + k)]
    return np.array(faces)
