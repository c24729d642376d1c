"""The laws of force elements that no engine has: the force on each end, from the motion of both.

Whoever applies them, by steps or in a callback, reads the motion from the running engine.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from loaders.model import Bushing, TendonConstraint
from loaders.spatial import Array, Pose, matrix_to_quaternion, quaternion_to_matrix

_LEAST_COSINE = 1e-6
"""Of the pitch of a bushing: at a right angle roll and yaw are one, and their rates have no bound."""


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Where a frame F is and how it moves, in the world."""

    X_WF: Pose
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
    """Where the force acts, shape (3,)."""


def bushing_wrench(bushing: Bushing, A: Motion, C: Motion) -> Wrench:
    """What a bushing exerts on the link of frame C; the link of frame A feels the opposite at the same point.

    The torque comes from the roll, pitch and yaw of C in A and their rates, the force from the position of C in frame B
    and its rate there. B is in the middle: its origin halfway between the others, turned by half the angle.

    Source: Drake, ``LinearBushingRollPitchYaw``.
    """
    R_WA, w_AC = A.X_WF.R, C.w - A.w
    R_AC = R_WA.T @ C.X_WF.R
    angles, rates_of = _roll_pitch_yaw(R_AC)
    torques = bushing.torque_stiffness * angles + bushing.torque_damping * (rates_of @ R_WA.T @ w_AC)
    p_AC = C.X_WF.p - A.X_WF.p
    R_WB = R_WA @ _half(R_AC)
    rate = C.v - A.v - np.cross(A.w + 0.5 * w_AC, p_AC)
    forces = bushing.force_stiffness * (R_WB.T @ p_AC) + bushing.force_damping * (R_WB.T @ rate)
    return Wrench(-(R_WB @ forces), -(R_WA @ rates_of.T @ torques), A.X_WF.p + 0.5 * p_AC)


def is_tendon_representable(tendon: TendonConstraint, v_order: Iterable[tuple[str, int]]) -> bool:
    """Whether each joint of a tendon is one freedom of a tree."""
    freedoms = Counter(name for name, _ in v_order)
    return all(freedoms[name] == 1 for name in tendon.joints)


def tendon_force(tendon: TendonConstraint, length: float, rate: float) -> float:
    """The tension along a tendon, to be multiplied by the coefficient of each joint: outside its bounds only.

    It pushes back only, as a stop does.

    Args:
        tendon: With a finite stiffness.
        length: ``sum(coefficient * q(joint)) + offset``.
        rate: Of that length.
    """
    if length > tendon.upper:
        return -max(0.0, tendon.stiffness * (length - tendon.upper) + tendon.damping * rate)
    if length < tendon.lower:
        return max(0.0, tendon.stiffness * (tendon.lower - length) - tendon.damping * rate)
    return 0.0


def _roll_pitch_yaw(R_AC: Array) -> tuple[Array, Array]:
    """The angles of ``R_AC = Rz Ry Rx``, and the matrix that takes ``w_AC`` in A to their rates."""
    cosine = math.hypot(R_AC[0, 0], R_AC[1, 0])
    yaw = math.atan2(R_AC[1, 0], R_AC[0, 0])
    angles = np.array((math.atan2(R_AC[2, 1], R_AC[2, 2]), math.atan2(-R_AC[2, 0], cosine), yaw))
    c, s, cosine = math.cos(yaw), math.sin(yaw), max(cosine, _LEAST_COSINE)
    tangent = -R_AC[2, 0] / cosine
    return angles, np.array(((c / cosine, s / cosine, 0.0), (-s, c, 0.0), (c * tangent, s * tangent, 1.0)))


def _half(R: Array) -> Array:
    """The rotation by half the angle."""
    w, x, y, z = matrix_to_quaternion(R)
    return quaternion_to_matrix((1.0 + w, x, y, z))
