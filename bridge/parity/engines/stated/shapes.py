"""The form of these readings, alike in all engines.

A shape is read as its support function in fixed directions of the link's frame: how far it reaches in each. That
compares type, size and pose of a convex shape, whatever an engine calls it. Two convex bodies whose supports differ by
less than e differ in volume by less than e times their surface.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from bridge.geometry.support import SupportFunction
from loaders.spatial import Array, Pose

DIRECTIONS = 66
"""Number of directions in which a shape is measured."""
Hull = Callable[[], Array | None]
"""Computes the triangles of a convex hull, which takes time."""
_FAR = 1e6
"""Reach of a plane in the directions in which it has no end [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surfaces:
    """Shapes and surfaces of one engine, by link.

    Attributes:
        supports: Support of each collision shape in `directions` of the link's frame [m], shape (n, `DIRECTIONS`).
        visuals: Pose of each visual shape in the link; None if the engine does not show them.
        friction: Coefficient of sliding friction of each collision shape.
        restitution: Coefficient of restitution of each link; empty if the engine has no such parameter.
        contact: Torsional and rolling friction [m], stiffness [N/m] and damping [N s/m] of contacts of each link, where
            NaN leaves it to the engine; None if the engine has no such parameters.
        pair_friction: Coefficient of sliding friction of pairs of links, where the engine lists pairs.
        unread: Links with a mesh that the engine holds and does not show.
        hulls: Computes the triangles of the hull of each collision mesh, shape (m, 3, 3) [m]; None if it is flat.
    """

    supports: Mapping[str, Array]
    visuals: Mapping[str, Sequence[Pose]] | None
    friction: Mapping[str, Sequence[float]]
    restitution: Mapping[str, float] = field(default_factory=dict)
    contact: Mapping[str, Sequence[float]] | None = None
    hulls: Mapping[str, Sequence[Hull]] = field(default_factory=dict)
    pair_friction: Mapping[frozenset[str], float] = field(default_factory=dict)
    unread: Collection[str] = ()


@cache
def directions() -> Array:
    """Return unit vectors, shape (`DIRECTIONS`, 3): the six axes, then others spread over the sphere."""
    axes = np.vstack((np.eye(3), -np.eye(3)))
    k = np.arange(DIRECTIONS - len(axes)) + 0.5
    z = 1.0 - 2.0 * k / len(k)
    turn = np.pi * (1.0 + np.sqrt(5.0)) * k
    r = np.sqrt(1.0 - z**2)
    return np.vstack((axes, np.stack((r * np.cos(turn), r * np.sin(turn), z), axis=1)))


def supports_of(shape: Callable[[Array], float], X_LG: Pose) -> Array:
    """Return the support of a shape in `directions` of the link's frame [m], shape (`DIRECTIONS`,).

    Args:
        shape: The support function of the shape, in its own frame.
        X_LG: The pose of the shape in the link.
    """
    return np.array([float(d @ X_LG.p) + shape(X_LG.R.T @ d) for d in directions()])


def supports_of_points(points: Array, X_LG: Pose) -> Array:
    """Return the support of the convex hull of points in `directions` of the link's frame [m].

    Args:
        points: Points in the frame of the shape, shape (n, 3) [m].
        X_LG: The pose of the shape in the link.
    """
    reach = directions() @ X_LG.R @ points.T
    return np.asarray(reach.max(axis=1) + directions() @ X_LG.p, dtype=np.float64)


def half_space(normal: Array) -> SupportFunction:
    """Return the support function of all that is below a plane through the origin, as far as a plane reaches here.

    Args:
        normal: The unit normal of the plane.
    """

    def support(direction: Array) -> float:
        along, across = float(direction @ normal), float(np.linalg.norm(np.cross(direction, normal)))
        return _FAR * (across + max(0.0, -along))

    return support


def stacked(parts: Sequence[tuple[str, Array]]) -> dict[str, Array]:
    """Return the supports of all shapes of each link, shape (n, `DIRECTIONS`).

    Args:
        parts: The link and the support of each shape.
    """
    by_link: dict[str, list[Array]] = {}
    for link, support in parts:
        by_link.setdefault(link, []).append(support)
    return {link: np.array(supports) for link, supports in by_link.items()}
