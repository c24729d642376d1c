"""Lengths of tendons and their derivatives, for the inertia of tendons: sums of joint positions, and paths in space.

A path is straight between its points. MuJoCo allows no inertia of one that wraps around a surface, so that none is
needed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

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
    rates: Array
    """Velocities in ``v_order``, shape (nv,)."""
    bias_accelerations: Mapping[str, Array] = field(default_factory=dict)
    """Angular acceleration and acceleration of the origin by link, where the velocities do not change, shape (6,)."""

    def pose(self, link: str) -> Pose:
        """Return the pose of a link in the world."""
        return IDENTITY if link == WORLD else self.poses[link]

    def velocity(self, link: str, p_WQ: Array) -> Array:
        """Return the Jacobian of a point that is fixed to a link, shape (3, nv)."""
        if link not in self.jacobians:
            return np.zeros((3, len(self.rates)))
        J = self.jacobians[link]
        r = p_WQ - self.poses[link].p
        velocity: Array = J[3:] + np.cross(J[:3], r, axisa=0, axisb=0, axisc=0)
        return velocity

    def bias_acceleration(self, link: str, p_WQ: Array) -> Array:
        """Return the acceleration of a point that is fixed to a link where the velocities do not change, shape (3,)."""
        if link not in self.bias_accelerations:
            return np.zeros(3)
        A, w, r = self.bias_accelerations[link], self.jacobians[link][:3] @ self.rates, p_WQ - self.poses[link].p
        acceleration: Array = A[3:] + np.cross(A[:3], r) + np.cross(w, np.cross(w, r))
        return acceleration


def is_path(tendon: Tendon) -> bool:
    """Return whether a tendon is a path in space."""
    return not any(part.type is TendonPartType.JOINT for part in tendon.parts)


def length_gradient(tendon: Tendon, motion: LinkMotion) -> Array:
    """Return the derivative of the length of a path by the velocities, shape (nv,).

    Args:
        tendon: A tendon that is a path in space.
        motion: The poses and Jacobians of the links.
    """
    gradient = np.zeros(len(motion.rates))
    for divisor, (link_A, p_WA), (link_B, p_WB) in _straight_pieces(tendon.parts, motion):
        r = p_WB - p_WA
        length = float(np.linalg.norm(r))
        gradient += (r / (length * divisor)) @ (motion.velocity(link_B, p_WB) - motion.velocity(link_A, p_WA))
    return gradient


def length_bias(tendon: Tendon, motion: LinkMotion) -> float:
    """Return the second derivative of the length of a path by time, where the velocities do not change [m/s^2].

    Args:
        tendon: A tendon that is a path in space.
        motion: The poses, Jacobians, velocities and accelerations of the links.
    """
    bias = 0.0
    for divisor, (link_A, p_WA), (link_B, p_WB) in _straight_pieces(tendon.parts, motion):
        length = float(np.linalg.norm(p_WB - p_WA))
        u = (p_WB - p_WA) / length
        v = (motion.velocity(link_B, p_WB) - motion.velocity(link_A, p_WA)) @ motion.rates
        a = motion.bias_acceleration(link_B, p_WB) - motion.bias_acceleration(link_A, p_WA)
        bias += float(u @ a + (v @ v - (u @ v) ** 2) / length) / divisor
    return bias


_End = tuple[str, Array]


def _straight_pieces(parts: Sequence[TendonPart], motion: LinkMotion) -> Iterator[tuple[float, _End, _End]]:
    """Yield the divisor of its branch and both ends of each straight piece, a link and a point in the world.

    Pieces without length, and those between points of one link, are left out: no motion changes them.
    """
    divisor = 1.0
    last: _End | None = None
    for part in parts:
        if part.type is TendonPartType.PULLEY:
            divisor, last = part.value, None
        elif part.type is TendonPartType.POINT:
            end = part.link, (motion.pose(part.link) @ part.X_LP).p
            if last is not None and last[0] != end[0] and np.linalg.norm(end[1] - last[1]) > _MIN_LENGTH:
                yield divisor, last, end
            last = end
