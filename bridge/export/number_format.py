"""Numbers as text: the shortest decimal that reads back as the same double, without the noise of arithmetic.

Numbers that the source states are written unchanged. Numbers that this package computes (the pose of one link in
another) carry rounding errors: `position` and `quaternion` remove them, so that ``0.30000000000000004`` is written
``0.3`` and a right angle ``1 0 1 0``. This changes no value by more than the rounding error of its computation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from loaders.spatial import Array, Pose, matrix_to_quaternion

_NOISE = 5e-16
"""Lengths [m] and direction cosines below this value are rounding errors."""
_CANCELLATION_ERROR = 2e-16
"""Largest error of a difference of two lengths below one meter [m]."""


def number(value: float) -> str:
    """Return the shortest decimal of a double: ``1`` for 1.0, ``0`` for -0.0."""
    value = float(value)
    if value == 0.0:
        return "0"
    text = repr(value)
    return text.removesuffix(".0")


def numbers(values: Iterable[float]) -> str:
    """Return numbers separated by spaces."""
    return " ".join(map(number, values))


def round_to_short(value: float) -> float:
    """Remove the rounding error of a short computation: return zero or a decimal of 12 digits if one is that close."""
    if abs(value) <= _NOISE:
        return 0.0
    short = float(f"{value:.12g}")
    return short if abs(short - value) <= max(4 * math.ulp(value), _CANCELLATION_ERROR) else value


def color(rgba: Iterable[float]) -> list[float]:
    """Return a color in single precision, as MuJoCo stores it, by the shortest decimals that read back the same."""
    return [float(str(np.float32(c))) for c in rgba]


def position(p: Iterable[float]) -> list[float] | None:
    """Return a computed position [m] or direction without rounding errors; None at the origin."""
    values = [round_to_short(float(x)) for x in p]
    return values if any(values) else None


def direction(axis: Iterable[float]) -> list[float] | None:
    """Return a computed unit direction without rounding errors; None along z."""
    values = [round_to_short(float(x)) for x in axis]
    return None if values == [0.0, 0.0, 1.0] else values


def quaternion(R: Array) -> Sequence[float] | None:
    """Return the quaternion ``w x y z`` of a rotation matrix; None for the identity.

    If all nonzero components have the same magnitude, they are whole numbers (``1 0 1 0``), which MuJoCo normalizes.
    """
    wxyz = matrix_to_quaternion(R)
    largest = max(map(abs, wxyz))
    whole = [round(c / largest) for c in wxyz]
    if all(abs(c / largest - w) <= 2 * _NOISE for c, w in zip(wxyz, whole, strict=True)):
        return None if whole == [1, 0, 0, 0] else whole
    return [0.0 if abs(c) <= _NOISE / 4 else c for c in wxyz]


def placement(X: Pose) -> dict[str, Sequence[float] | None]:
    """Return the attributes ``pos`` and ``quat`` of a computed pose, for `Element`; None where the default holds."""
    return {"pos": position(X.p), "quat": quaternion(X.R)}
