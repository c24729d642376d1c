"""Volume of a shape below a plane, and its first moment: exact for boxes, spheres, ellipsoids and closed meshes.

Cylinders, cones and capsules are prisms and frustums of 64 sides with the exact volume.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Sphere
from loaders.spatial import Array

_SIDES = 64
_ARCS = 16
"""Number of rings of a half sphere."""
_BOX = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_BOX_FACES = np.array(
    ((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
     (1, 5, 7), (1, 7, 3))
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The part of a shape on one side of a plane."""

    volume: float
    """[m^3]."""
    moment: Array
    """Integral of the position over the volume [m^4], shape (3,)."""


class Solid(Protocol):
    """A shape with a volume."""

    @property
    def volume(self) -> float:
        """The volume [m^3]."""

    def below(self, normal: Array, height: float) -> Part:
        """Return the part with ``normal . p <= height``; ``normal`` is a unit vector."""


@dataclass(frozen=True, slots=True, eq=False)
class EllipsoidSolid:
    """An ellipsoid at the origin."""

    radii: Array
    """Its half axes [m], shape (3,)."""

    @property
    def volume(self) -> float:
        """The volume [m^3]."""
        return 4.0 / 3.0 * math.pi * float(np.prod(self.radii))

    def below(self, normal: Array, height: float) -> Part:
        """Return the part below a plane: that of the unit sphere, stretched."""
        stretched = self.radii * normal
        length = float(np.linalg.norm(stretched))
        t = min(max(height / length, -1.0), 1.0)
        stretch = float(np.prod(self.radii))
        depth = -0.25 * math.pi * (1.0 - t * t) ** 2
        volume = stretch * math.pi * (2.0 + 3.0 * t - t**3) / 3.0
        return Part(volume, stretch * depth / length * self.radii * stretched)


@dataclass(frozen=True, slots=True, eq=False)
class MeshSolid:
    """A closed surface of triangles that face outward."""

    corners: Array
    """Positions of the corners of each triangle [m], shape (n, 3, 3)."""

    @property
    def volume(self) -> float:
        """The volume [m^3]."""
        return _sum(self.corners, np.zeros(3)).volume

    def below(self, normal: Array, height: float) -> Part:
        """Return the part below a plane: tetrahedra from a point on it to the triangles below."""
        heights = self.corners @ normal - height
        if heights.max() <= 0.0:
            return _sum(self.corners, np.zeros(3))
        return _sum(_clipped(self.corners, heights), height * normal)


def _sum(corners: Array, apex: Array) -> Part:
    """Return the sum of the tetrahedra from an apex to triangles."""
    a, b, c = (corners[:, k] - apex for k in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    volume = float(volumes.sum())
    return Part(volume, volume * apex + volumes @ (a + b + c) / 4.0)


def _clipped(corners: Array, heights: Array) -> Array:
    """Return the triangles, and the pieces of those across the plane, that lie below it.

    Args:
        corners: The triangles, shape (n, 3, 3).
        heights: Height of each corner over the plane, shape (n, 3).
    """
    below = heights <= 0.0
    count = below.sum(axis=1)
    single, p = _apart(corners[count == 1], heights[count == 1], below[count == 1])
    double, q = _apart(corners[count == 2], heights[count == 2], ~below[count == 2])
    pieces = (
        corners[count == 3],
        np.stack((single[:, 0], p[:, 0], p[:, 1]), axis=1),
        np.stack((q[:, 0], double[:, 1], double[:, 2]), axis=1),
        np.stack((q[:, 0], double[:, 2], q[:, 1]), axis=1),
    )
    return np.concatenate(pieces)


def _apart(corners: Array, heights: Array, is_apart: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return triangles turned such that the corner apart is first, and where its two edges cross the plane."""
    order = (np.argmax(is_apart, axis=1)[:, None] + np.arange(3)) % 3
    corners = np.take_along_axis(corners, order[:, :, None], axis=1)
    h = np.take_along_axis(heights, order, axis=1)
    share = h[:, :1] / (h[:, :1] - h[:, 1:])
    return corners, corners[:, :1] + share[:, :, None] * (corners[:, 1:] - corners[:, :1])


@functools.singledispatch
def solid_of(geometry: Geometry) -> Solid | None:  # noqa: ARG001  # the other functions use it
    """Return the solid of a geometry; None for one without a volume."""
    return None


@solid_of.register
def _(geometry: Box) -> Solid:
    return MeshSolid((_BOX * np.array(geometry.size))[_BOX_FACES])


@solid_of.register
def _(geometry: Sphere) -> Solid:
    return EllipsoidSolid(np.full(3, geometry.radius))


@solid_of.register
def _(geometry: Ellipsoid) -> Solid:
    return EllipsoidSolid(np.array(geometry.radii))


@solid_of.register
def _(geometry: Cylinder) -> Solid:
    r, h = geometry.radius, geometry.length / 2.0
    return _revolved([(0.0, -h), (r, -h), (r, h), (0.0, h)], 2.0 * math.pi * r**2 * h)


@solid_of.register
def _(geometry: Cone) -> Solid:
    r, h = geometry.radius, geometry.length / 2.0
    return _revolved([(0.0, -h), (r, -h), (0.0, h)], 2.0 / 3.0 * math.pi * r**2 * h)


@solid_of.register
def _(geometry: Capsule) -> Solid:
    r, h = geometry.radius, geometry.length / 2.0
    angles = np.linspace(0.0, math.pi / 2.0, _ARCS + 1)
    upper = [(r * math.cos(a), h + r * math.sin(a)) for a in angles]
    profile = [*((x, -z) for x, z in reversed(upper)), *upper]
    return _revolved(profile, math.pi * r**2 * (2.0 * h + 4.0 / 3.0 * r))


@solid_of.register
def _(geometry: Mesh) -> Solid | None:
    data = read_mesh(geometry, Diagnostics())
    if data is None or not data.volume:
        return None
    corners = data.vertices[data.faces]
    return MeshSolid(corners if data.volume > 0.0 else corners[:, ::-1])


def _revolved(profile: list[tuple[float, float]], volume: float) -> Solid:
    """Return the solid of revolution of a profile about z, from the lowest to the highest point, of a given volume."""
    angles = 2.0 * math.pi * np.arange(_SIDES + 1) / _SIDES
    rings = np.array([[(x * math.cos(a), x * math.sin(a), z) for a in angles] for x, z in profile])
    a, b, c, d = rings[:-1, :-1], rings[:-1, 1:], rings[1:, 1:], rings[1:, :-1]
    corners = np.concatenate([np.stack(t, axis=-2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))])
    widening = math.sqrt(volume / MeshSolid(corners).volume)
    return MeshSolid(corners * np.array((widening, widening, 1.0)))
