"""Pose and rotations, in monogram notation.

transforms3d computes rotations, with two exceptions, which run several times for each link and
joint of a scene. Products and inverses of poses are in plain numbers, so that a scene has the same
bits on every machine: NumPy multiplies matrices with the machine's BLAS, which may round a product
and a sum at once, so that one in six scenes differed in a last digit. They take no longer: 1 % less
of the time to read 5,000 links.
`matrix_to_quaternion` takes 1.5 us where
`transforms3d.quaternions.mat2quat`, an eigenvalue problem, takes 18 us, and its largest error over
5,000 random rotations is 3.3e-16 against 7.8e-16. `Pose.from_xyz_rpy` has the formula of
`transforms3d.euler.euler2mat` for one sequence of axes, in plain numbers, and returns the same
bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from transforms3d.axangles import axangle2mat
from transforms3d.quaternions import quat2mat

Array = NDArray[np.float64]

_MIN_DIVISOR = 1e-290
"""Smallest divisor that keeps full precision: smaller numbers are nearly subnormal."""
_MIN_QUATERNION_LENGTH = 1e-7
"""Length below which a quaternion is normalized first: transforms3d returns the identity below
1.5e-8."""


def frozen(values: ArrayLike) -> Array:
    """Return a read-only float64 copy of the values."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def quaternion_to_matrix(wxyz: ArrayLike) -> Array:
    """Return the rotation matrix, shape (3, 3), of a quaternion ``w x y z`` of any length but zero.

    Raises:
        ZeroDivisionError: if the quaternion is zero.
    """
    q = np.asarray(wxyz, dtype=np.float64).tolist()
    length = math.hypot(*q)
    R: Array = quat2mat(q if length > _MIN_QUATERNION_LENGTH else [c / length for c in q])
    return R


def matrix_to_quaternion(R: Array) -> tuple[float, float, float, float]:
    """Return the unit quaternion ``w x y z``, w >= 0, of a rotation matrix.

    Source: Shepperd, "Quaternion from rotation matrix", 1978: divide by the largest component.
    """
    (a, b, c), (d, e, f), (g, h, i) = R.tolist()
    squares = (a + e + i, a - e - i, e - a - i, i - a - e)
    largest = squares.index(max(squares))
    t = 1.0 + squares[largest]
    w, x, y, z = (
        (t, h - f, c - g, d - b),
        (h - f, t, b + d, c + g),
        (c - g, b + d, t, f + h),
        (d - b, c + g, f + h, t),
    )[largest]
    scale = math.copysign(1.0 / math.sqrt(w * w + x * x + y * y + z * z), w)
    return w * scale, x * scale, y * scale, z * scale


def rotation_about(axis: ArrayLike, angle: float) -> Array:
    """Return the rotation matrix about a unit axis, shape (3,), by an angle [rad]."""
    R: Array = axangle2mat(np.asarray(axis, dtype=np.float64).tolist(), angle, is_normalized=True)
    return R


def rotation_to(direction: ArrayLike) -> Array:
    """Return the rotation nearest to the identity whose z axis is the given unit vector, shape
    (3,).
    """
    x, y, z = (float(c) for c in np.asarray(direction, dtype=np.float64))
    sine = math.hypot(x, y)
    if sine < _MIN_DIVISOR:
        return np.diag((1.0, 1.0 if z > 0 else -1.0, 1.0 if z > 0 else -1.0))
    return rotation_about((-y / sine, x / sine, 0.0), math.atan2(sine, z))


def skew(v: Array) -> Array:
    """Return the matrix of the cross product ``v x``, shape (3, 3)."""
    x, y, z = v.tolist()
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """The rigid transform ``X_AB``: frame B measured and expressed in A."""

    R: Array
    """Rotation matrix ``R_AB``, shape (3, 3)."""
    p: Array
    """Position ``p_AB`` of the origin of B [m], shape (3,), measured and expressed in A."""

    @classmethod
    def of(cls, R: ArrayLike | None = None, p: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """Make a pose from a rotation matrix (None is the identity) and a position [m]."""
        return cls(IDENTITY.R if R is None else frozen(R), frozen(p))

    @classmethod
    def from_xyz_rpy(cls, xyz: Sequence[float], rpy: Sequence[float]) -> Pose:
        """Make a pose from a position [m] and fixed-axis roll, pitch, yaw [rad]: ``R = Rz Ry
        Rx``.
        """
        (x, y, z), (roll, pitch, yaw) = xyz, rpy
        p = frozen((x, y, z)) if x or y or z else IDENTITY.p
        if not (roll or pitch or yaw):
            return IDENTITY if p is IDENTITY.p else Pose(IDENTITY.R, p)
        si, sj, sk = math.sin(roll), math.sin(pitch), math.sin(yaw)
        ci, cj, ck = math.cos(roll), math.cos(pitch), math.cos(yaw)
        cc, cs, sc, ss = ci * ck, ci * sk, si * ck, si * sk
        R = frozen(
            (
                (cj * ck, sj * sc - cs, sj * cc + ss),
                (cj * sk, sj * ss + cc, sj * cs - sc),
                (-sj, cj * si, cj * ci),
            )
        )
        return Pose(R, p)

    @classmethod
    def from_vector(cls, x_y_z_qw_qx_qy_qz: ArrayLike) -> Pose:
        """Make a pose from a position [m] and a quaternion ``w x y z`` of any length but zero."""
        x, y, z, *quaternion = np.asarray(x_y_z_qw_qx_qy_qz, dtype=np.float64).tolist()
        p = frozen((x, y, z)) if x or y or z else IDENTITY.p
        if not any(quaternion[1:]) and quaternion[0]:
            return IDENTITY if p is IDENTITY.p else cls(IDENTITY.R, p)
        return cls(frozen(quaternion_to_matrix(quaternion)), p)

    def to_vector(self) -> list[float]:
        """Return ``[x, y, z, qw, qx, qy, qz]``, with a unit quaternion and ``qw >= 0``."""
        return [*self.p.tolist(), *matrix_to_quaternion(self.R)]

    def __matmul__(self, other: Pose) -> Pose:
        if other is IDENTITY:
            return self
        if self is IDENTITY:
            return other
        u, v, w = self.p.tolist()
        x, y, z = other.p.tolist()
        if self.R is IDENTITY.R:
            return Pose(other.R, frozen((u + x, v + y, w + z)))
        (a, b, c), (d, e, f), (g, h, i) = self.R.tolist()
        p = frozen(
            (u + (a * x + b * y + c * z), v + (d * x + e * y + f * z), w + (g * x + h * y + i * z))
        )
        if other.R is IDENTITY.R:
            return Pose(self.R, p)
        (j, k, m), (n, o, q), (r, s, t) = other.R.tolist()
        R = frozen(
            (
                (a * j + b * n + c * r, a * k + b * o + c * s, a * m + b * q + c * t),
                (d * j + e * n + f * r, d * k + e * o + f * s, d * m + e * q + f * t),
                (g * j + h * n + i * r, g * k + h * o + i * s, g * m + h * q + i * t),
            )
        )
        return Pose(R, p)

    def inverse(self) -> Pose:
        """Return the inverse transform: ``X_BA`` for ``X_AB``."""
        if self is IDENTITY:
            return self
        x, y, z = self.p.tolist()
        if self.R is IDENTITY.R:
            return Pose(self.R, frozen((-x, -y, -z)))
        (a, b, c), (d, e, f), (g, h, i) = self.R.tolist()
        p = frozen((-(a * x + d * y + g * z), -(b * x + e * y + h * z), -(c * x + f * y + i * z)))
        return Pose(self.R.T, p)

    def is_close(self, other: Pose, atol: float = 1e-12) -> bool:
        """Return whether the matrices and positions of both differ by at most ``atol`` in every
        entry.
        """
        if self is other:
            return True
        return bool(
            np.abs(self.R - other.R).max() <= atol and np.abs(self.p - other.p).max() <= atol
        )

    def __reduce__(self) -> tuple[type[Pose], tuple[Array, Array]]:
        return Pose, (self.R, self.p)


IDENTITY = Pose(frozen(np.eye(3)), frozen(np.zeros(3)))
CAMERA_AXES = Pose.of(((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
"""Camera of MuJoCo and OpenGL, which looks along -z with y up, in that of SDFormat, which looks
along x with z up."""
_EQUAL_MOMENTS = 1e-14
"""Difference of two principal moments, relative to the largest one, below which they are equal but
for rounding."""
_SIGNED_AXES = [
    np.eye(3)[list(order)] * signs
    for order in permutations(range(3))
    for signs in product((1.0, -1.0), repeat=3)
]
_TURNS = np.array([R for R in _SIGNED_AXES if np.linalg.det(R) > 0.0])
"""The 24 rotations that only exchange axes and change their signs, shape (24, 3, 3)."""


def principal_axes_of(matrices: Array) -> tuple[Array, Array]:
    """Return the principal axes of rotational inertias and the moments about them.

    Of all principal axes they are those that a rotation by the smallest angle makes of the given
    axes. If two moments are equal but for rounding, every axis in their plane is one; if three are,
    the given axes are.

    Args:
        matrices: The rotational inertias [kg m^2], shape (n, 3, 3), symmetric and finite.

    Returns:
        Rotations, shape (n, 3, 3), and moments [kg m^2], shape (n, 3), both read-only.
    """
    moments, axes = np.linalg.eigh(matrices)
    axes[np.linalg.det(axes) < 0.0, :, 2] *= -1.0
    traces = np.einsum(
        "nij,kji->nk", axes, _TURNS
    )  # the angle is smallest where the trace is largest
    turns = _TURNS[
        np.argmax(traces.round(9), axis=1)
    ]  # rounding does not decide between equal angles
    nearest = axes @ turns
    ordered = np.einsum("ni,nij->nj", moments, np.abs(turns))
    is_repeated = np.diff(moments, axis=1) <= _EQUAL_MOMENTS * np.abs(moments).max(
        axis=1, keepdims=True
    )
    for i in np.flatnonzero(is_repeated.any(axis=1)):
        nearest[i], ordered[i] = _axes_of_repeated_moments(
            moments[i], axes[i], *is_repeated[i].tolist()
        )
    return frozen(nearest), frozen(ordered)


def _axes_of_repeated_moments(
    moments: Array, axes: Array, low: bool, high: bool
) -> tuple[Array, Array]:
    """Return the principal axes nearest to the given ones, and the moments about them, if two
    moments are equal.

    Args:
        moments: Principal moments in ascending order, shape (3,).
        axes: Principal axes in the order of the moments, as columns, shape (3, 3).
        low: Whether the two smallest moments are equal.
        high: Whether the two largest moments are equal.
    """
    if low and high:
        return IDENTITY.R, np.full(3, moments.mean())
    single, pair = (2, moments[:2]) if low else (0, moments[1:])
    axis = axes[:, single]
    k = int(np.argmax(np.abs(axis).round(9)))
    axis = axis * np.sign(axis[k])
    about = skew(np.cross(np.eye(3)[k], axis))
    R = (
        np.eye(3) + about + about @ about / (1.0 + axis[k])
    )  # the shortest rotation of axis k to the single axis
    ordered = np.full(3, pair.mean())
    ordered[k] = moments[single]
    return R, ordered


def roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """Return fixed-axis angles [rad] that reproduce a rotation matrix to rounding, also near a
    pitch of 90 degrees.

    The yaw is computed from the matrix with the roll undone, so that it compensates for an
    ill-defined roll. ``transforms3d.euler.mat2euler`` computes both angles independently. Measured
    with products of rotations 1e-12 rad from that pitch, where rounding errors make both angles
    uncertain, it reproduces the matrix to 9e-4 only, at 1e-6 rad to 1e-9, and this function to
    2e-15 everywhere; it also takes 1.9 us, and this function 0.6 us.
    """
    if R is IDENTITY.R:
        return 0.0, 0.0, 0.0
    (_, b, c), (_, e, f), (g, h, i) = R.tolist()
    roll = math.atan2(h, i)
    s, k = math.sin(roll), math.cos(roll)
    pitch = math.atan2(-g, math.hypot(h, i))
    yaw = math.atan2(s * c - k * b, k * e - s * f)
    return roll, pitch, yaw
