"""Poses and values, which many elements have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from bridge.export.number_format import numbers
from bridge.export.pose_format import angle_values, direction_text, position_values, snapped_angle
from bridge.export.xml_text import Element, Value, add
from loaders.spatial import Array, Pose

_WELL_CONDITIONED = 0.02
"""Cosine of a pitch above which roll and yaw have all their digits."""
_LOCKED = 1e-13
_DECIMALS = 13
_MAX_ROUNDS = 8


def add_origin(parent: Element, X: Pose) -> None:
    """Add an ``<origin>``, unless it is the identity.

    Args:
        parent: The element that has the pose.
        X: The pose.
    """
    attributes = pose_attributes(X)
    if attributes:
        add(parent, "origin", None, **attributes)


def pose_attributes(X: Pose) -> dict[str, Value | None]:
    """Return the attributes ``xyz`` and ``rpy`` of a pose; those that are zero are left out."""
    values = {"xyz": position_values(X.p, 0.0), "rpy": _angles(X.R)}
    return {key: numbers(value) for key, value in values.items() if any(value)}


def _angles(R: Array) -> list[float]:
    """Return roll, pitch and yaw that a reader turns into a matrix with the same angles, near a pitch of 90° too."""
    cosine = math.hypot(float(R[2, 1]), float(R[2, 2]))
    if not _LOCKED <= cosine < _WELL_CONDITIONED:
        return angle_values(R)
    # rounding errors of the matrix change the roll by up to 1e-15 / cosine: it keeps fewer digits, and yaw follows
    digits = max(0, min(_DECIMALS, math.floor(-math.log10(4e-15 / cosine))))
    roll = round(math.atan2(float(R[2, 1]), float(R[2, 2])), digits)
    if abs(roll) > math.pi - 10.0**-digits:  # either sign is the same rotation
        roll = math.pi
    s, k = math.sin(roll), math.cos(roll)
    pitch = math.atan2(-float(R[2, 0]), s * float(R[2, 1]) + k * float(R[2, 2]))
    yaw = math.atan2(s * float(R[0, 2]) - k * float(R[0, 1]), k * float(R[1, 1]) - s * float(R[1, 2]))
    return [roll + 0.0, round(pitch, _DECIMALS), snapped_angle(yaw)]


def vector(values: Array | Iterable[float]) -> tuple[float, ...]:
    """Return a computed position or direction without rounding errors."""
    return tuple(position_values(np.asarray(values, dtype=np.float64), 0.0))


def axis_text(xyz: Sequence[float] | Array) -> str:
    """Return a direction as text that stays the same when a reader of URDF normalizes it and it is written again."""
    text = direction_text(xyz)
    for _ in range(_MAX_ROUNDS):
        values = [float(word) for word in text.split()]
        length = math.hypot(*values)
        again = direction_text([value / length for value in values])
        if again == text:
            break
        text = again
    return text
