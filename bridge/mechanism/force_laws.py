"""Forces of bushings and tendons, and lengths of tendons.

The caller, who applies them in each step or in a callback, reads the motion from the running
engine.

A path is straight between its points. MuJoCo allows no inertia of one that wraps around a surface,
so that none is needed here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from loaders.model import WORLD, Bushing, Tendon, TendonConstraint, TendonPart, TendonPartType
from loaders.pose import IDENTITY, Array, Pose, matrix_to_quaternion, quaternion_to_matrix

_MIN_COSINE = 1e-6
"""Lower bound of the cosine of a bushing's pitch: at 90 degrees the rates of roll and yaw are
singular."""


@dataclass(frozen=True, slots=True, eq=False)
class FrameMotion:
    """Pose and velocity of a frame F in the world."""

    X_WF: Pose
    """Pose of F."""
    w: Array
    """Angular velocity [rad/s], shape (3,)."""
    v: Array
    """Velocity of its origin [m/s], shape (3,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Wrench:
    """A force at a point and a torque, in the world."""

    force: Array
    """[N], shape (3,)."""
    torque: Array
    """[N m], shape (3,)."""
    p_WQ: Array
    """Point at which the force acts, shape (3,)."""


def bushing_wrench(bushing: Bushing, A: FrameMotion, C: FrameMotion) -> Wrench:
    """Return the wrench of a bushing on the link of frame C; the opposite acts on the link of frame
    A.

    The torque follows from the roll, pitch and yaw of C in A and their rates, the force from the
    position of C in frame B and its rate. B is halfway between A and C, in position and in angle.

    Args:
        bushing: The bushing.
        A: Motion of frame A.
        C: Motion of frame C.

    Source: Drake, ``LinearBushingRollPitchYaw``.
    """
    R_WA, w_AC = A.X_WF.R, C.w - A.w
    R_AC = R_WA.T @ C.X_WF.R
    angles, rates_of = _roll_pitch_yaw(R_AC)
    torques = bushing.torque_stiffness * angles + bushing.torque_damping * (
        rates_of @ R_WA.T @ w_AC
    )
    p_AC = C.X_WF.p - A.X_WF.p
    R_WB = R_WA @ _half(R_AC)
    rate = C.v - A.v - np.cross(A.w + 0.5 * w_AC, p_AC)
    forces = bushing.force_stiffness * (R_WB.T @ p_AC) + bushing.force_damping * (R_WB.T @ rate)
    return Wrench(-(R_WB @ forces), -(R_WA @ rates_of.T @ torques), A.X_WF.p + 0.5 * p_AC)


def is_tendon_representable(tendon: TendonConstraint, v_order: Iterable[tuple[str, int]]) -> bool:
    """Return whether each joint of a tendon has exactly one degree of freedom.

    Args:
        tendon: The tendon.
        v_order: Joint and component of each velocity of the mechanism.
    """
    dofs = Counter(name for name, _ in v_order)
    return all(dofs[name] == 1 for name in tendon.joints)


def tendon_force(tendon: TendonConstraint, length: float, rate: float) -> float:
    """Return the force along a tendon, which each joint feels times its coefficient; zero within
    the bounds.

    Outside it only pushes back, as a joint limit does.

    Args:
        tendon: A tendon of finite stiffness.
        length: ``sum(coefficient * q(joint)) + offset``.
        rate: Rate of the length.
    """
    if length > tendon.upper:
        return -max(0.0, tendon.stiffness * (length - tendon.upper) + tendon.damping * rate)
    if length < tendon.lower:
        return max(0.0, tendon.stiffness * (tendon.lower - length) - tendon.damping * rate)
    return 0.0


def _roll_pitch_yaw(R_AC: Array) -> tuple[Array, Array]:
    """Return the angles of ``R_AC = Rz Ry Rx``, and the matrix that takes ``w_AC`` in A to their
    rates.
    """
    cosine = math.hypot(R_AC[0, 0], R_AC[1, 0])
    yaw = math.atan2(R_AC[1, 0], R_AC[0, 0])
    angles = np.array((math.atan2(R_AC[2, 1], R_AC[2, 2]), math.atan2(-R_AC[2, 0], cosine), yaw))
    c, s, cosine = math.cos(yaw), math.sin(yaw), max(cosine, _MIN_COSINE)
    tangent = -R_AC[2, 0] / cosine
    return angles, np.array(
        ((c / cosine, s / cosine, 0.0), (-s, c, 0.0), (c * tangent, s * tangent, 1.0))
    )


def _half(R: Array) -> Array:
    """Return the rotation by half the angle of ``R``."""
    w, x, y, z = matrix_to_quaternion(R)
    return quaternion_to_matrix((1.0 + w, x, y, z))


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
    """Angular acceleration and acceleration of the origin by link, where the velocities do not
    change, shape (6,)."""

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
        """Return the acceleration of a point that is fixed to a link where the velocities do not
        change, shape (3,).
        """
        if link not in self.bias_accelerations:
            return np.zeros(3)
        A, w, r = (
            self.bias_accelerations[link],
            self.jacobians[link][:3] @ self.rates,
            p_WQ - self.poses[link].p,
        )
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
        gradient += (r / (length * divisor)) @ (
            motion.velocity(link_B, p_WB) - motion.velocity(link_A, p_WA)
        )
    return gradient


def length_bias(tendon: Tendon, motion: LinkMotion) -> float:
    """Return the second derivative of the length of a path by time, where the velocities do not
    change [m/s^2].

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


def _straight_pieces(
    parts: Sequence[TendonPart], motion: LinkMotion
) -> Iterator[tuple[float, _End, _End]]:
    """Yield the divisor of its branch and both ends of each straight piece, a link and a point in
    the world.

    Pieces without length, and those between points of one link, are left out: no motion changes
    them.
    """
    divisor = 1.0
    last: _End | None = None
    for part in parts:
        if part.type is TendonPartType.PULLEY:
            divisor, last = part.value, None
        elif part.type is TendonPartType.POINT:
            end = part.link, (motion.pose(part.link) @ part.X_LP).p
            if (
                last is not None
                and last[0] != end[0]
                and np.linalg.norm(end[1] - last[1]) > _MIN_LENGTH
            ):
                yield divisor, last, end
            last = end
