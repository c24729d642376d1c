"""Shapes that a document states, so that the readers for which it is written open it.

A reader refuses a file, or leaves the shape out, where it does not know the only shape of a ``<geometry>``. Readers of
URDF itself (urdfdom, yourdfpy) and PyBullet take the first shape there; Drake and MuJoCo look for each by its tag, a
capsule before a mesh.
"""

from __future__ import annotations

from collections.abc import Collection

from loaders.model import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Sphere
from loaders.spatial import Pose, frozen, rotation_to

_PLAIN = (Box, Sphere, Cylinder, Mesh)
_KNOWN: dict[type, frozenset[str]] = {
    Capsule: frozenset({"drake", "pybullet"}),
    Ellipsoid: frozenset({"drake"}),
    Plane: frozenset({"pybullet"}),
}
"""Extensions whose readers know a shape that URDF itself does not have."""
_GROUND = 200.0
"""Side of the box that stands for a plane [m]; that of the ground which PyBullet comes with, as a URDF."""
_DEPTH = 10.0
"""Its depth [m], which is that of the same file."""
_SHEET = 0.001
"""Thickness of a plane that is only drawn [m]."""


def is_stated(geometry: Geometry, extensions: Collection[str]) -> bool:
    """Return whether a document states a shape.

    A capsule is stated if any reader knows it, with a mesh for the others; other shapes only if all readers know them.

    Args:
        geometry: The shape.
        extensions: The extensions that the document may use.
    """
    if isinstance(geometry, Capsule):
        return not _KNOWN[Capsule].isdisjoint(extensions)
    kind = type(geometry)
    return kind in _PLAIN or (kind in _KNOWN and all_know(kind, extensions))


def all_know(kind: type[Geometry], extensions: Collection[str]) -> bool:
    """Return whether the readers of each extension know a kind of shape that URDF itself does not have.

    Args:
        kind: The kind of shape.
        extensions: The extensions that the document may use.
    """
    return bool(extensions) and _KNOWN[kind].issuperset(extensions)


def box_of_plane(plane: Plane, *, collides: bool) -> tuple[Box, Pose]:
    """Return the box that stands for a plane, and its pose in the frame of the plane; one of its sides is in the plane.

    Args:
        plane: The plane.
        collides: Whether it collides, rather than being drawn.
    """
    normal = frozen(plane.normal)
    x, y = (side or _GROUND for side in plane.size)
    size = (_GROUND, _GROUND, _DEPTH) if collides else (x, y, _SHEET)
    return Box(size=size), Pose.of(rotation_to(normal), normal * (-size[2] / 2.0))
