"""What a PyBullet body is made of: a segment for each of its links, and the scene's links that each carries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bridge.mechanism.bodies import Primitive
from loaders.model import Link
from loaders.spatial import Array, Pose, SpatialInertia

TARGET = "pybullet"
BASE = -1
"""PyBullet's index of the base."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A link of the scene on the segment that carries it."""

    link: Link
    X_SL: Pose


@dataclass(frozen=True, kw_only=True, eq=False)
class Segment:
    """One link of a PyBullet body and the joint that holds it; the first segment is the base."""

    name: str
    joint: str
    """Name of the joint; empty for the base."""
    parent: int
    """PyBullet's index of the segment that carries it."""
    X_PJ: Pose
    """The joint's frame, hence the segment's at zero, in the parent segment."""
    primitive: Primitive | None
    """How it moves; None if it is welded."""
    leads: bool
    """Whether limits, damping and friction of the component act on this primitive."""
    inertia: SpatialInertia
    """What PyBullet is given, in S."""
    parts: tuple[Part, ...]
    lender: int | None = None
    """PyBullet's index of the welded segment whose inertia is part of this one's, which has none of its own."""

    @cached_property
    def principal(self) -> tuple[Array, Array]:
        """``R_SI`` and moments of inertia as PyBullet is given them: none is negative by rounding."""
        R_SI, moments = self.inertia.principal_axes()
        return R_SI, np.where(np.abs(moments) < 1e-15 * np.abs(moments).max(initial=0.0), 0.0, moments)
