"""Computed poses and directions as text that reads back as the same text.

A computed pose carries rounding errors of some 1e-16, which differ each time that it is read and written again. It is
therefore rounded to 13 decimals [m, rad], more where the model lies far from the origin: a second writing then finds
the same decimals. This changes a pose by 5e-14 at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from loaders.spatial import IDENTITY, Array, Pose, matrix_to_quaternion

from .number_format import numbers, round_to_short, stable_direction

_DECIMALS = 13
_RIGHT_ANGLE = math.pi / 2
_SNAP = 10.0**-_DECIMALS
"""Distance from a multiple of a right angle below which an angle is written as that multiple [rad]."""
_LOCKED = 1e-13
"""Cosine of a pitch below which roll and yaw turn about the same axis."""
_ILL_CONDITIONED = 0.02
"""Cosine of a pitch below which roll and yaw lose digits, so that a quaternion is written."""


def roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """Return fixed-axis angles [rad] that reproduce a rotation matrix to rounding, also near a pitch of 90 degrees.

    The yaw is computed from the matrix with the roll undone, so that it compensates for an ill-defined roll.
    ``transforms3d.euler.mat2euler`` computes both angles independently. Measured with products of rotations 1e-12 rad
    from that pitch, where rounding errors make both angles uncertain, it reproduces the matrix to 9e-4 only, at 1e-6
    rad to 1e-9, and this function to 2e-15 everywhere; it also takes 1.9 us, and this function 0.6 us.
    """
    if R is IDENTITY.R:
        return 0.0, 0.0, 0.0
    (_, b, c), (_, e, f), (g, h, i) = R.tolist()
    roll = math.atan2(h, i)
    s, k = math.sin(roll), math.cos(roll)
    pitch = math.atan2(-g, math.hypot(h, i))
    yaw = math.atan2(s * c - k * b, k * e - s * f)
    return roll, pitch, yaw


def position_values(p: Iterable[float], scale: float = 1.0) -> list[float]:
    """Return a computed position [m] without rounding errors.

    Args:
        p: The position.
        scale: Largest distance that a reader's computation of it takes in [m]; 0 if a reader takes it as it is.
    """
    if scale == 0.0:
        return [round_to_short(float(x)) for x in p]
    decimals = _DECIMALS - max(0, math.ceil(math.log10(max(scale, 1.0))))
    return [round(float(x), decimals) + 0.0 for x in p]


def angle_values(R: Array) -> list[float]:
    """Return fixed-axis roll, pitch and yaw [rad] of a computed rotation, without rounding errors."""
    roll, pitch, yaw = roll_pitch_yaw(R)
    if math.hypot(float(R[2, 1]), float(R[2, 2])) < _LOCKED:
        roll, pitch = 0.0, math.copysign(_RIGHT_ANGLE, -float(R[2, 0]))
        yaw = math.atan2(-float(R[0, 1]), float(R[1, 1]))
    return [snapped_angle(value) for value in (roll, pitch, yaw)]


def snapped_angle(value: float) -> float:
    """Return an angle [rad] of 13 decimals, or the multiple of a right angle if it is one within rounding."""
    turns = round(value / _RIGHT_ANGLE)
    if abs(value - turns * _RIGHT_ANGLE) < _SNAP:
        return math.pi if turns == -2 else turns * _RIGHT_ANGLE + 0.0
    return round(value, _DECIMALS) + 0.0


def is_ill_conditioned(R: Array) -> bool:
    """Return whether angles describe a rotation badly, because its pitch is almost, not exactly, a right angle."""
    return _LOCKED <= math.hypot(float(R[2, 1]), float(R[2, 2])) < _ILL_CONDITIONED


def quaternion_values(R: Array) -> list[float]:
    """Return the quaternion ``x y z w`` of a computed rotation, without rounding errors."""
    w, x, y, z = matrix_to_quaternion(R)
    return [round(c, _DECIMALS) + 0.0 for c in (x, y, z, w)]


def pose_text(X: Pose, scale: float = 1.0) -> str | None:
    """Return ``x y z roll pitch yaw``; None for the identity.

    Args:
        X: The pose.
        scale: See `position_values`.
    """
    values = [*position_values(X.p, scale), *angle_values(X.R)]
    return numbers(values) if any(values) else None


def direction_text(xyz: Sequence[float] | Array) -> str:
    """Return a unit direction whose text, read and normalized, gives the same text."""
    return numbers(stable_direction(xyz))
