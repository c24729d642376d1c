"""Numbers and poses as text that reads back.

Numbers that the source states are written unchanged. Numbers that this package computes (the pose
of one link in another) carry rounding errors: `position` and `quaternion` remove them, so that
``0.30000000000000004`` is written ``0.3`` and a right angle ``1 0 1 0``. This changes no value by
more than the rounding error of its computation, and no rotation by more than 1e-12, the error of a
right angle that a file states with 12 decimals.

A computed pose carries rounding errors of some 1e-16, which differ each time that it is read and
written again. It is therefore rounded to 13 decimals [m, rad], more where the model lies far from
the origin: a second writing then finds the same decimals. This changes a pose by 5e-14 at most.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from loaders.model import Light, Material
from loaders.pose import (
    Array,
    Pose,
    matrix_to_quaternion,
    quaternion_to_matrix,
    roll_pitch_yaw,
)
from loaders.text import numbers

_NOISE = 5e-16
"""Lengths [m] and direction cosines below this value are rounding errors."""
_CANCELLATION_ERROR = 2e-16
"""Largest error of a difference of two lengths below one meter [m]."""
_DECIMALS = 16
"""Decimals of the components of a computed quaternion."""
_ROUNDED = 4e-13
"""Difference of a quaternion from one in whole numbers, such as that of a right angle stated with
12 decimals, below which it is written as that one."""
_MAX_ROUNDS = 64
_DIRECTION_DECIMALS = 15
_MAX_TURNS = 16
_POSITION_DECIMALS = 14
"""Decimals of a position below one meter that several readings and writings compute."""
_Colored = TypeVar("_Colored", Light, Material)
_COLORS = ("diffuse", "ambient", "specular", "emissive")
"""Fields with a color; a light has two of them."""
MOMENTS = tuple((f"i{'xyz'[i]}{'xyz'[j]}", i, j) for i in range(3) for j in range(i, 3))
"""The name, row and column of each entry of a rotational inertia in SDFormat and URDF."""
BEYOND_COLORS = "components of a color beyond 0 and 1"
"""Name for people of the colors that `with_colors_in_range` changes."""


def round_to_short(value: float) -> float:
    """Remove the rounding error of a short computation: return zero or a decimal of 12 digits if
    one is that close.
    """
    if abs(value) <= _NOISE:
        return 0.0
    short = float(f"{value:.12g}")
    return short if abs(short - value) <= max(4 * math.ulp(value), _CANCELLATION_ERROR) else value


def color(rgba: Iterable[float]) -> list[float]:
    """Return a color in single precision, as MuJoCo stores it, by the shortest decimals that read
    back the same.
    """
    return [float(str(np.float32(c))) for c in rgba]


def position(p: Iterable[float]) -> list[float] | None:
    """Return a computed position [m] or direction without rounding errors; None at the origin."""
    values = [round_to_short(float(x)) for x in p]
    return values if any(values) else None


def composed_position(p: Iterable[float]) -> list[float] | None:
    """Return a position that was composed of several poses, so that reading and writing finds the
    same decimals.
    """
    values = [float(x) for x in p]
    decimals = _POSITION_DECIMALS - max(0, math.ceil(math.log10(max(*map(abs, values), 1.0))))
    return position(round(x, decimals) for x in values)


def composed(X: Pose) -> Pose:
    """Return a pose that was composed of several, so that reading and writing finds the same
    decimals.
    """
    p = composed_position(X.p) or (0.0, 0.0, 0.0)
    wxyz = stable_direction(_positive(matrix_to_quaternion(X.R)), _POSITION_DECIMALS)
    return Pose.of(quaternion_to_matrix(wxyz), p)


def direction(axis: Iterable[float]) -> list[float] | None:
    """Return a computed unit direction without rounding errors; None along z."""
    values = [round_to_short(float(x)) for x in axis]
    if abs(math.hypot(*values) - 1.0) > _NOISE or max(map(abs, values)) < 1.0:
        values = [round_to_short(x) for x in stable_direction(values)]
    return None if values == [0.0, 0.0, 1.0] else values


def stable_direction(
    xyz: Sequence[float] | Array, decimals: int = _DIRECTION_DECIMALS
) -> list[float]:
    """Return a unit vector which, normalized and rounded again, is the same one.

    Args:
        xyz: The vector, of any length.
        decimals: Number of decimals.
    """
    unit = np.asarray(xyz, dtype=np.float64)
    seen: list[list[float]] = []
    while unit.tolist() not in seen and len(seen) < _MAX_TURNS:
        short = np.round(unit, decimals)
        if np.array_equal(np.round(short / _length(short), decimals), short):
            return [x + 0.0 for x in short.tolist()]
        seen.append(unit.tolist())
        unit = unit / _length(unit)
    first = seen.index(unit.tolist()) if unit.tolist() in seen else -1
    return min(
        seen[first:]
    )  # normalizing goes round these: the same one is chosen from each of them


def _length(v: Array) -> float:
    """Return the length of a vector, computed as the readers of this project do."""
    return math.hypot(*v.tolist())


def quaternion(R: Array) -> Sequence[float] | None:
    """Return the quaternion ``w x y z`` of a rotation matrix; None for the identity.

    If all nonzero components have the same magnitude, they are whole numbers (``1 0 1 0``), which
    MuJoCo normalizes.
    """
    wxyz = matrix_to_quaternion(R)
    if wxyz == (1.0, 0.0, 0.0, 0.0):
        return None
    short = whole_or(wxyz)
    if short is wxyz:
        return _stable(wxyz)
    return None if short == [1, 0, 0, 0] else _positive(short)


def whole_or(wxyz: Sequence[float]) -> Sequence[float]:
    """Return a quaternion in whole numbers, if all its nonzero components have the same magnitude,
    else itself.
    """
    largest = max(map(abs, wxyz))
    whole = [round(c / largest) for c in wxyz]
    has_right_angle = sum(map(abs, whole)) > 1
    error = _ROUNDED if has_right_angle else 2 * _NOISE
    is_whole = all(abs(c / largest - w) <= error for c, w in zip(wxyz, whole, strict=True))
    return whole if is_whole else wxyz


def _stable(wxyz: Sequence[float]) -> list[float]:
    """Return a quaternion of 16 decimals which, read as a matrix and written again, is the same
    one.

    Each reading and writing moves the last digits, until they go round some quaternions: the same
    one is chosen from each of these.
    """
    seen: list[list[float]] = []
    q = _rounded(wxyz)
    while q not in seen and len(seen) < _MAX_ROUNDS:
        seen.append(q)
        q = _rounded(matrix_to_quaternion(quaternion_to_matrix(q)))
    return min(seen[seen.index(q) :]) if q in seen else q


def _rounded(wxyz: Sequence[float]) -> list[float]:
    return _positive([round(c, _DECIMALS) + 0.0 for c in wxyz])


def _positive(wxyz: Sequence[float]) -> list[float]:
    """Return the quaternion of the same rotation whose first nonzero component is positive."""
    first = next((c for c in wxyz if c), 1.0)
    return [-c + 0.0 for c in wxyz] if first < 0.0 else list(wxyz)


def placement(X: Pose) -> dict[str, Sequence[float] | None]:
    """Return the attributes ``pos`` and ``quat`` of a computed pose, for `Element`; None where the
    default holds.
    """
    return {"pos": position(X.p), "quat": quaternion(X.R)}


def with_colors_in_range(item: _Colored) -> _Colored:
    """Return a material or a light with each component of its colors moved into the range from 0 to
    1.

    MuJoCo draws others; libsdformat and readers of URDF refuse a document with them.

    Args:
        item: The material or the light; it is returned as it is if all are in that range.
    """
    moved: dict[str, Any] = {}
    for key in _COLORS:
        color = getattr(item, key, None)
        if color is not None and not all(0.0 <= component <= 1.0 for component in color):
            moved[key] = tuple(min(max(component, 0.0), 1.0) for component in color)
    return dataclasses.replace(item, **moved) if moved else item


_POSE_DECIMALS = 13
_RIGHT_ANGLE = math.pi / 2
_SNAP = 10.0**-_POSE_DECIMALS
"""Distance from a multiple of a right angle below which an angle is written as that multiple
[rad]."""
_LOCKED = 1e-13
"""Cosine of a pitch below which roll and yaw turn about the same axis."""
_ILL_CONDITIONED = 0.02
"""Cosine of a pitch below which roll and yaw lose digits, so that a quaternion is written."""


def position_values(p: Iterable[float], scale: float = 1.0) -> list[float]:
    """Return a computed position [m] without rounding errors.

    Args:
        p: The position.
        scale: Largest distance that a reader's computation of it takes in [m]; 0 if a reader takes
            it as it is.
    """
    if scale == 0.0:
        return [round_to_short(float(x)) for x in p]
    decimals = _POSE_DECIMALS - max(0, math.ceil(math.log10(max(scale, 1.0))))
    return [round(float(x), decimals) + 0.0 for x in p]


def angle_values(R: Array) -> list[float]:
    """Return fixed-axis roll, pitch and yaw [rad] of a computed rotation, without rounding
    errors.
    """
    roll, pitch, yaw = roll_pitch_yaw(R)
    if math.hypot(float(R[2, 1]), float(R[2, 2])) < _LOCKED:
        roll, pitch = 0.0, math.copysign(_RIGHT_ANGLE, -float(R[2, 0]))
        yaw = math.atan2(-float(R[0, 1]), float(R[1, 1]))
    return [snapped_angle(value) for value in (roll, pitch, yaw)]


def snapped_angle(value: float) -> float:
    """Return an angle [rad] of 13 decimals, or the multiple of a right angle if it is one within
    rounding.
    """
    turns = round(value / _RIGHT_ANGLE)
    if abs(value - turns * _RIGHT_ANGLE) < _SNAP:
        return math.pi if turns == -2 else turns * _RIGHT_ANGLE + 0.0
    return round(value, _POSE_DECIMALS) + 0.0


def is_ill_conditioned(R: Array) -> bool:
    """Return whether angles describe a rotation badly, because its pitch is almost, not exactly, a
    right angle.
    """
    return _LOCKED <= math.hypot(float(R[2, 1]), float(R[2, 2])) < _ILL_CONDITIONED


def quaternion_values(R: Array) -> list[float]:
    """Return the quaternion ``x y z w`` of a computed rotation, without rounding errors."""
    w, x, y, z = matrix_to_quaternion(R)
    return [round(c, _POSE_DECIMALS) + 0.0 for c in (x, y, z, w)]


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
