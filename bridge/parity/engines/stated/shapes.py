"""The form of these readings, alike in all engines.

A shape is read as its support function in fixed directions of the link's frame: how far it reaches in each. That
compares type, size and pose of a convex shape, whatever an engine calls it. Two convex bodies whose supports differ by
less than e differ in volume by less than e times their surface.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from loaders.spatial import Array, Pose

Hull = Callable[[], Array | None]
"""Computes the triangles of a convex hull, which takes time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surfaces:
    """Shapes and surfaces of one engine, by link.

    Attributes:
        supports: Support of each collision shape in the directions of `bridge.geometry.support` [m], a row of each.
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


def stacked(parts: Sequence[tuple[str, Array]]) -> dict[str, Array]:
    """Return the supports of all shapes of each link, shape (n, `DIRECTIONS`).

    Args:
        parts: The link and the support of each shape.
    """
    by_link: dict[str, list[Array]] = {}
    for link, support in parts:
        by_link.setdefault(link, []).append(support)
    return {link: np.array(supports) for link, supports in by_link.items()}
