"""Data of a mesh file: triangles in meters, Z up.

Volume and inertia are computed here, not by trimesh, which takes longer to import than most meshes take to read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loaders.model import Rgba
from loaders.spatial import Array, SpatialInertia, frozen

Faces = NDArray[np.int64]
"""Vertex indices of triangles, shape (m, 3)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshPart:
    """Triangles of a mesh with the same appearance."""

    names: tuple[str, ...]
    """Names of this part in the file: of its geometry, then of the enclosing nodes, innermost first."""
    vertices: Array
    """Positions [m], shape (n, 3), in the mesh's frame G, Z up, scale applied."""
    faces: Faces
    """Vertex indices, shape (m, 3), counterclockwise seen from outside."""
    uv: Array | None = None
    """Texture coordinates of the vertices, shape (n, 2), v upward."""
    color: Rgba | None = None
    """Color of the material, or None."""
    texture: str | None = None
    """File of the color texture, or None."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshData:
    """A mesh as a list of parts."""

    parts: tuple[MeshPart, ...]
    """The parts, at least one."""

    @cached_property
    def vertices(self) -> Array:
        """The positions of all parts [m], shape (n, 3)."""
        return frozen(np.concatenate([part.vertices for part in self.parts]))

    @cached_property
    def faces(self) -> Faces:
        """The triangles of all parts, shape (m, 3), as indices into `vertices`."""
        starts = np.cumsum([0, *(len(part.vertices) for part in self.parts)])
        return np.concatenate([part.faces + start for part, start in zip(self.parts, starts, strict=False)])

    @cached_property
    def bounds(self) -> Array:
        """Lowest and highest corner of the bounding box [m], shape (2, 3)."""
        return frozen((self.vertices.min(axis=0), self.vertices.max(axis=0)))

    @cached_property
    def is_closed(self) -> bool:
        """Return whether every edge has two triangles of opposite orientation; equal positions are one vertex."""
        _, index = unique_rows(self.vertices)
        faces = index[self.faces]
        edges = np.concatenate((faces[:, (0, 1)], faces[:, (1, 2)], faces[:, (2, 0)]))
        edges = edges[edges[:, 0] != edges[:, 1]]
        keys = edges[:, 0] * (len(self.vertices) + 1) + edges[:, 1]
        mirrored = edges[:, 1] * (len(self.vertices) + 1) + edges[:, 0]
        return bool(np.array_equal(np.sort(keys), np.sort(mirrored)))

    @property
    def volume(self) -> float:
        """Enclosed volume [m^3], negative if the triangles face inward; meaningful only for a closed mesh."""
        return float(_moments(self.vertices, self.faces)[0])

    def inertia(self, density: float) -> SpatialInertia | None:
        """Return the mass properties in G at a density [kg/m^3]; None if the mesh encloses no volume.

        A mesh whose triangles face inward is treated as if they faced outward. Meaningful only for a closed mesh.
        """
        center = self.vertices.mean(axis=0)
        volume, first, second = _moments(self.vertices - center, self.faces)
        if volume == 0.0:
            return None
        com = first / volume
        spread = (second / volume - np.outer(com, com)) * abs(volume) * density
        return SpatialInertia.of(abs(volume) * density, center + com, np.trace(spread) * np.eye(3) - spread)


def parts_by_appearance(parts: Iterable[MeshPart]) -> list[MeshPart]:
    """Return the parts of a mesh, with those that look the same merged."""
    groups: dict[tuple[Rgba | None, str | None, bool], list[MeshPart]] = defaultdict(list)
    for part in parts:
        groups[part.color, part.texture, part.uv is None].append(part)
    return [_merged(group) for group in groups.values()]


def _merged(parts: list[MeshPart]) -> MeshPart:
    together = MeshData(parts=tuple(parts))
    uv = [part.uv for part in parts if part.uv is not None]
    return replace(parts[0], vertices=together.vertices, faces=together.faces, uv=np.concatenate(uv) if uv else None)


def unique_rows(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the different rows of numbers in lexicographic order, and the index of each row among them.

    ``numpy.unique`` gives the same, but compares rows as records; for 100,000 positions it takes ten times as long.

    Args:
        rows: Finite numbers, shape (n, k).
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    index = np.empty(len(rows), dtype=np.intp)
    index[order] = np.cumsum(is_first) - 1
    return ordered[is_first], index


def _moments(vertices: Array, faces: Faces) -> tuple[float, Array, Array]:
    """Return the volume and the integrals of ``p`` and ``p p^T`` over it, as sums over tetrahedra from the origin."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    six_volumes = np.einsum("ij,ij->i", a, np.cross(b, c))
    total = a + b + c
    second = np.einsum("n,ni,nj->ij", six_volumes, total, total)
    for corner in (a, b, c):
        second += np.einsum("n,ni,nj->ij", six_volumes, corner, corner)
    return float(six_volumes.sum() / 6.0), six_volumes @ total / 24.0, second / 120.0
