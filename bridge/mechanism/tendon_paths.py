"""Lengths of tendons and their gradients, for the inertia of tendons: sums of joint positions, and paths in space.

A path is straight between its points. MuJoCo allows no inertia of one that wraps around a surface, so that none is
needed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from loaders.model import WORLD, Tendon, TendonPart, TendonPartType
from loaders.spatial import IDENTITY, Array, Pose

_MIN_LENGTH = 1e-15


@dataclass(frozen=True, slots=True, eq=False)
class LinkMotion:
    """Pose and Jacobian of each link of a mechanism at one configuration."""

    poses: Mapping[str, Pose]
    """Pose in the world by link."""
    jacobians: Mapping[str, Array]
    """Angular velocity and velocity of the origin by link, shape (6, nv)."""
    nv: int
    """Number of velocities."""

    def pose(self, link: str) -> Pose:
        """Return the pose of a link in the world."""
        return IDENTITY if link == WORLD else self.poses[link]

    def velocity(self, link: str, p_WQ: Array) -> Array:
        """Return the Jacobian of a point that is fixed to a link, shape (3, nv)."""
        if link not in self.jacobians:
            return np.zeros((3, self.nv))
        J = self.jacobians[link]
        r = p_WQ - self.poses[link].p
        velocity: Array = J[3:] + np.cross(J[:3], r, axisa=0, axisb=0, axisc=0)
        return velocity


def is_path(tendon: Tendon) -> bool:
    """Return whether a tendon is a path in space."""
    return not any(part.type is TendonPartType.JOINT for part in tendon.parts)


def length_gradient(tendon: Tendon, motion: LinkMotion) -> Array:
    """Return the derivative of the length of a path by the velocities, shape (nv,).

    Args:
        tendon: A tendon that is a path in space.
        motion: The poses and Jacobians of the links.
    """
    gradient = np.zeros(motion.nv)
    for divisor, (link_A, p_WA), (link_B, p_WB) in _straight_pieces(tendon.parts, motion):
        r = p_WB - p_WA
        length = float(np.linalg.norm(r))
        if length > _MIN_LENGTH and link_A != link_B:
            gradient += (r / (length * divisor)) @ (motion.velocity(link_B, p_WB) - motion.velocity(link_A, p_WA))
    return gradient


_End = tuple[str, Array]


def _straight_pieces(parts: Sequence[TendonPart], motion: LinkMotion) -> Iterator[tuple[float, _End, _End]]:
    """Yield the divisor of its branch and both ends of each straight piece, a link and a point in the world."""
    divisor = 1.0
    last: _End | None = None
    for part in parts:
        if part.type is TendonPartType.PULLEY:
            divisor, last = part.value, None
        elif part.type is TendonPartType.POINT:
            end = part.link, (motion.pose(part.link) @ part.X_LP).p
            if last is not None:
                yield divisor, last, end
            last = end
