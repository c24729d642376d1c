"""Values of options that functions of several packages take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Base = Literal["as_is", "fixed", "free"]
"""The base of a model that no joint connects to the world: as the file states, fixed or free."""
Overlaps = Literal["exclude", "keep"]
"""Links that overlap initially, where the source does not state which links collide: excluded from
contact, or left to collide."""
CollisionMeshes = Literal["as_is", "hull", "decompose"]
"""The collision shape of meshes: as the file states, the convex hull, or convex parts."""
CollisionShape = Literal[
    "mesh", "hull", "parts", "decompose", "box", "capsule", "cylinder", "sphere", "none"
]
"""The shapes that a collision mesh may become: itself, its convex hull, its separate convex parts,
the convex parts that coacd makes, a primitive shape that is fitted to it, or nothing."""
Shapes = str | Mapping[str, CollisionShape] | None
"""The shape of the collision meshes of each link, by name or pattern of links; the last pattern
that matches counts. A word is the shape for all links, None leaves meshes as they are."""
Fit = Literal["contain", "closest"]
"""Whether a fitted shape contains the mesh, or is the closest to its surface."""
Exclude = Literal["as_is", "sampled"]
"""Pairs of links that do not collide: as the source and its rule state, or also those that random
positions show to be adjacent, to touch always, or never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """The choice of pairs of links that do not collide, and how they are found.

    Attributes:
        exclude: Whether random positions exclude any.
        samples: Number of random positions.
        seed: Seed of the random positions.
    """

    exclude: Exclude = "as_is"
    samples: int = 10_000
    seed: int = 0


AS_STATED = Exclusion()
"""Random positions exclude no pairs."""
