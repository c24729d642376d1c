"""Primitives as triangle meshes with texture coordinates, because PyBullet draws textures on meshes only.

The texture is upright, with v along z. It appears once on each face of a box, once around a round surface, and once on
each flat end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from bridge.geometry.mesh_properties import Faces
from loaders.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Sphere
from loaders.spatial import Array

TexturedMesh = tuple[Array, Faces, Array]
"""Vertices, shape (n, 3) [m], faces, shape (m, 3), and texture coordinates, shape (n, 2)."""

_SIDES = 32
"""Number of sides of a round surface."""
_RINGS = 8
"""Number of rings from the equator of a ball to its pole."""


def textured_mesh(geometry: Geometry) -> TexturedMesh | None:
    """Return the surface of a primitive with texture coordinates; None for other geometry."""
    tessellate = _TESSELLATIONS.get(type(geometry))
    return tessellate(geometry) if tessellate is not None else None


# --- parts -----------------------------------------------------------------------------------------------------------


def _joined(parts: Iterable[TexturedMesh]) -> TexturedMesh:
    parts = list(parts)
    starts = np.cumsum([0, *(len(vertices) for vertices, _, _ in parts)])
    vertices, uv = (np.concatenate([part[k] for part in parts]) for k in (0, 2))
    return vertices, np.concatenate([part[1] + n for part, n in zip(parts, starts, strict=False)]), uv


def _revolved(profile: Sequence[tuple[float, float]]) -> TexturedMesh:
    """Return the surface of revolution about z of a profile ``(radius, z)``, going up; v is the arc length."""
    r, z = np.array(profile).T
    arc = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(r), np.diff(z)))))
    u = np.linspace(0.0, 1.0, _SIDES + 1)
    angles = math.tau * u
    vertices = np.stack(
        (np.outer(r, np.cos(angles)), np.outer(r, np.sin(angles)), np.outer(z, np.ones_like(u))), axis=2
    )
    uv = np.stack(np.broadcast_arrays(u, (arc / arc[-1])[:, None]), axis=2)
    row, column = (index.ravel() for index in np.mgrid[: len(profile) - 1, :_SIDES])
    a = row * (_SIDES + 1) + column
    b, c, d = a + 1, a + _SIDES + 2, a + _SIDES + 1
    faces = np.concatenate((np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)))
    return vertices.reshape(-1, 3), faces, uv.reshape(-1, 2)


def _disc(radius: float, z: float, *, up: bool) -> TexturedMesh:
    """Return a disc that faces up or down."""
    angles = np.linspace(0.0, math.tau, _SIDES, endpoint=False)
    ring = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    vertices = np.vstack((np.column_stack((radius * ring, np.full(_SIDES, z))), (0.0, 0.0, z)))
    uv = np.vstack((0.5 + 0.5 * ring * (1.0 if up else -1.0, 1.0), (0.5, 0.5)))
    i = np.arange(_SIDES)
    rim = (i, np.roll(i, -1)) if up else (np.roll(i, -1), i)
    return vertices, np.stack((*rim, np.full(_SIDES, _SIDES)), axis=1), uv


def _arc(radius: float, z: float, start: float, end: float, steps: int) -> list[tuple[float, float]]:
    """Return points on a circle about ``(0, z)`` between two elevation angles [rad]."""
    return [(radius * abs(math.cos(a)), z + radius * math.sin(a)) for a in np.linspace(start, end, steps + 1)]


# --- primitives ------------------------------------------------------------------------------------------------------


def _ball(radii: Sequence[float]) -> TexturedMesh:
    vertices, faces, uv = _revolved(_arc(1.0, 0.0, -math.pi / 2.0, math.pi / 2.0, 2 * _RINGS))
    return vertices * radii, faces, uv


def _capsule(capsule: Capsule) -> TexturedMesh:
    half = capsule.length / 2.0
    lower = _arc(capsule.radius, -half, -math.pi / 2.0, 0.0, _RINGS)
    return _revolved([*lower, *_arc(capsule.radius, half, 0.0, math.pi / 2.0, _RINGS)])


def _cylinder(cylinder: Cylinder) -> TexturedMesh:
    r, half = cylinder.radius, cylinder.length / 2.0
    return _joined((_revolved([(r, -half), (r, half)]), _disc(r, half, up=True), _disc(r, -half, up=False)))


def _cone(cone: Cone) -> TexturedMesh:
    r, half = cone.radius, cone.length / 2.0
    return _joined((_revolved([(r, -half), (0.0, half)]), _disc(r, -half, up=False)))


_CORNERS = np.array(((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)))
_RIGHT_AND_UP = (
    ((0, 1, 0), (0, 0, 1)), ((0, -1, 0), (0, 0, 1)), ((-1, 0, 0), (0, 0, 1)), ((1, 0, 0), (0, 0, 1)),
    ((1, 0, 0), (0, 1, 0)), ((-1, 0, 0), (0, 1, 0)),
)  # fmt: skip
"""Directions of u and v on each face of a box; their cross product points outwards."""


def _box(box: Box) -> TexturedMesh:
    faces = np.array(((0, 1, 2), (0, 2, 3)))
    sides = (
        (_CORNERS @ np.array((right, up)) + np.cross(right, up), faces, (_CORNERS + 1.0) / 2.0)
        for right, up in _RIGHT_AND_UP
    )
    vertices, faces, uv = _joined(sides)
    return vertices * box.size / 2.0, faces, uv


_TESSELLATIONS: dict[type, Callable[[Any], TexturedMesh]] = {
    Box: _box,
    Capsule: _capsule,
    Cone: _cone,
    Cylinder: _cylinder,
    Ellipsoid: lambda ellipsoid: _ball(ellipsoid.radii),
    Sphere: lambda sphere: _ball((sphere.radius,) * 3),
}
