"""Segments: the links of a PyBullet body, and the links of the scene that each of them carries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bridge.mechanism.bodies import Primitive
from loaders.model import Link
from loaders.spatial import Array, Pose, SpatialInertia, matrix_to_quaternion, principal_axes_of

LARGE_TURN = 1.0
"""Angle of the frame of PyBullet's base from that of the link, above which it is reported [degrees]."""


@dataclass(frozen=True, slots=True, eq=False)
class CarriedLink:
    """A link of the scene and its placement on the segment that carries it."""

    link: Link
    X_SL: Pose


@dataclass(frozen=True, kw_only=True, eq=False)
class Segment:
    """One link of a PyBullet body, together with its parent joint; the first segment is the base."""

    name: str
    joint: str
    """Name of the parent joint; empty for the base."""
    parent: int
    """PyBullet's index of the parent segment."""
    X_PJ: Pose
    """Joint frame in the parent segment; it coincides with the segment's frame at position zero."""
    primitive: Primitive | None
    """Degree of freedom of the parent joint; None if the joint is a weld."""
    is_primary: bool
    """Whether the limits, damping and friction of the joint axis act on this primitive."""
    inertia: SpatialInertia
    """Inertia given to PyBullet, in the segment's frame S."""
    links: tuple[CarriedLink, ...]
    own_moments: Array | None = None
    """Rotational inertia [kg m^2] that a base without mass has itself, in its own axes, if a segment lends it mass."""
    inertia_lender: int | None = None
    """PyBullet's index of the welded segment whose inertia this segment holds; None if it holds its own."""
    moved_products: Array | None = None
    """Products of inertia [kg m^2] that this base does not hold itself, in its own axes, shape (3, 3)."""
    products_holder: int | None = None
    """PyBullet's index of the welded segment that holds the moved products; None if there are none."""

    @cached_property
    def principal(self) -> tuple[Array, Array]:
        """Principal axes ``R_SI`` and moments of inertia, with negative rounding errors set to zero."""
        return _without_rounding_errors(*self.inertia.principal_axes())

    @property
    def turn(self) -> float:
        """Angle of the principal axes, which are PyBullet's inertial frame, from the segment's frame [degrees]."""
        w, *xyz = matrix_to_quaternion(self.principal[0])
        return math.degrees(2.0 * math.atan2(math.hypot(*xyz), abs(w)))


def diagonalize(segments: Sequence[Segment]) -> None:
    """Compute `Segment.principal` of all segments at once, which takes a fifth of the time.

    Args:
        segments: The segments.
    """
    coupled = [segment for segment in segments if _is_coupled(segment.inertia.I_Lcm)]
    matrices = np.array([segment.inertia.I_Lcm for segment in coupled])
    if not coupled or not np.isfinite(matrices).all():
        return
    for segment, R_SI, moments in zip(coupled, *principal_axes_of(matrices), strict=True):
        vars(segment)["principal"] = _without_rounding_errors(R_SI, moments)


def _is_coupled(inertia: Array) -> bool:
    """Return whether an inertia has an entry that is not on its diagonal."""
    (_, xy, xz), (yx, _, yz), (zx, zy, _) = inertia.tolist()
    return bool(xy or xz or yx or yz or zx or zy)


def _without_rounding_errors(R_SI: Array, moments: Array) -> tuple[Array, Array]:
    sizes = [abs(moment) for moment in moments.tolist()]
    if min(sizes) >= 1e-15 * max(sizes):
        return R_SI, moments
    return R_SI, np.where(np.array(sizes) < 1e-15 * max(sizes), 0.0, moments)
