"""Force laws of bushings and tendons, which no engine has: forces as functions of positions and velocities.

The caller, who applies them in each step or in a callback, reads the motion from the running engine.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from loaders.model import Bushing, TendonConstraint
from loaders.spatial import Array, Pose, matrix_to_quaternion, quaternion_to_matrix

_MIN_COSINE = 1e-6
"""Lower bound of the cosine of a bushing's pitch: at 90 degrees the rates of roll and yaw are singular."""


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
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


def bushing_wrench(bushing: Bushing, A: Motion, C: Motion) -> Wrench:
    """Return the wrench of a bushing on the link of frame C; the opposite acts on the link of frame A.

    The torque follows from the roll, pitch and yaw of C in A and their rates, the force from the position of C in frame
    B and its rate. B is halfway between A and C, in position and in angle.

    Args:
        bushing: The bushing.
        A: Motion of frame A.
        C: Motion of frame C.

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
    """Return whether each joint of a tendon has exactly one degree of freedom.

    Args:
        tendon: The tendon.
        v_order: Joint and component of each velocity of the mechanism.
    """
    dofs = Counter(name for name, _ in v_order)
    return all(dofs[name] == 1 for name in tendon.joints)


def tendon_force(tendon: TendonConstraint, length: float, rate: float) -> float:
    """Return the force along a tendon, which each joint feels times its coefficient; zero within the bounds.

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
    """Return the angles of ``R_AC = Rz Ry Rx``, and the matrix that takes ``w_AC`` in A to their rates."""
    cosine = math.hypot(R_AC[0, 0], R_AC[1, 0])
    yaw = math.atan2(R_AC[1, 0], R_AC[0, 0])
    angles = np.array((math.atan2(R_AC[2, 1], R_AC[2, 2]), math.atan2(-R_AC[2, 0], cosine), yaw))
    c, s, cosine = math.cos(yaw), math.sin(yaw), max(cosine, _MIN_COSINE)
    tangent = -R_AC[2, 0] / cosine
    return angles, np.array(((c / cosine, s / cosine, 0.0), (-s, c, 0.0), (c * tangent, s * tangent, 1.0)))


def _half(R: Array) -> Array:
    """Return the rotation by half the angle of ``R``."""
    w, x, y, z = matrix_to_quaternion(R)
    return quaternion_to_matrix((1.0 + w, x, y, z))
