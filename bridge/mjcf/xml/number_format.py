"""Numbers as text: the shortest decimal that reads back as the same double, without the noise of arithmetic.

Numbers that the source states are written as they are. Numbers that this package computed (the pose of one link in
another) carry rounding: `position` and `quaternion` drop what lies below it, so that ``0.30000000000000004`` is
written ``0.3`` and a right angle ``1 0 1 0``. Neither changes a value by more than the rounding of the computation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from loaders.spatial import Array, Pose, matrix_to_quaternion

_NOISE = 5e-16
"""Lengths [m] and direction cosines below this are rounding."""
_CANCELLED = 2e-16
"""What a difference of two lengths below a metre may be wrong by [m]."""


def number(value: float) -> str:
    """The shortest decimal of a double: ``1`` for 1.0, ``0`` for -0.0."""
    value = float(value)
    if value == 0.0:
        return "0"
    text = repr(value)
    return text.removesuffix(".0")


def numbers(values: Iterable[float]) -> str:
    """Numbers separated by space."""
    return " ".join(map(number, values))


def snapped(value: float) -> float:
    """The value without the rounding of a short computation: zero, or the short decimal that it must have been."""
    if abs(value) <= _NOISE:
        return 0.0
    short = float(f"{value:.12g}")
    return short if abs(short - value) <= max(4 * math.ulp(value), _CANCELLED) else value


def color(rgba: Iterable[float]) -> list[float]:
    """A colour as MuJoCo keeps it, in single precision, by the shortest decimals that read back as that."""
    return [float(str(np.float32(c))) for c in rgba]


def position(p: Iterable[float]) -> list[float] | None:
    """A computed position [m] or direction, snapped; None at the origin."""
    values = [snapped(float(x)) for x in p]
    return values if any(values) else None


def direction(axis: Iterable[float]) -> list[float] | None:
    """A computed unit direction, snapped; None along z."""
    values = [snapped(float(x)) for x in axis]
    return None if values == [0.0, 0.0, 1.0] else values


def quaternion(R: Array) -> Sequence[float] | None:
    """The quaternion ``w x y z`` of a rotation matrix; None for the identity.

    Where every component is zero or of one size, whole numbers, which MuJoCo normalises: ``1 0 1 0``.
    """
    wxyz = matrix_to_quaternion(R)
    largest = max(map(abs, wxyz))
    whole = [round(c / largest) for c in wxyz]
    if all(abs(c / largest - w) <= 2 * _NOISE for c, w in zip(wxyz, whole, strict=True)):
        return None if whole == [1, 0, 0, 0] else whole
    return [0.0 if abs(c) <= _NOISE / 4 else c for c in wxyz]


def placement(X: Pose) -> dict[str, Sequence[float] | None]:
    """``pos`` and ``quat`` of a computed pose, for `Element`; each None where it is the default."""
    return {"pos": position(X.p), "quat": quaternion(X.R)}
