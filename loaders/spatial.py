"""Rigid transforms and spatial inertia, in monogram notation: ``X_AB @ X_BC`` is ``X_AC``."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from transforms3d.euler import euler2mat

Array = NDArray[np.float64]

_TOO_SMALL_TO_DIVIDE_BY = 1e-290
"""Below it numbers lose digits as they near the smallest that there is."""


def frozen(values: ArrayLike) -> Array:
    """Copy into a read-only float64 array."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def quaternion_to_matrix(wxyz: ArrayLike) -> Array:
    """Rotation matrix, shape (3, 3), of a quaternion ``w x y z`` of any length but zero."""
    w, x, y, z = (float(c) for c in np.asarray(wxyz, dtype=np.float64))
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return np.array(
        (
            (1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
            (s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)),
            (s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)),
        )
    )


def matrix_to_quaternion(R: Array) -> tuple[float, float, float, float]:
    """Unit quaternion ``w x y z``, w >= 0, of a rotation matrix.

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
    """Rotation matrix about a unit axis, shape (3,), by an angle [rad] (Rodrigues)."""
    x, y, z = (float(c) for c in np.asarray(axis, dtype=np.float64))
    s, c = math.sin(angle), math.cos(angle)
    t = 1.0 - c
    return np.array(
        (
            (t * x * x + c, t * x * y - s * z, t * x * z + s * y),
            (t * x * y + s * z, t * y * y + c, t * y * z - s * x),
            (t * x * z - s * y, t * y * z + s * x, t * z * z + c),
        )
    )


def rotation_to(direction: ArrayLike) -> Array:
    """The rotation nearest to the identity whose z axis is the given unit vector, shape (3,)."""
    x, y, z = (float(c) for c in np.asarray(direction, dtype=np.float64))
    sine = math.hypot(x, y)
    if sine < _TOO_SMALL_TO_DIVIDE_BY:
        return np.diag((1.0, 1.0 if z > 0 else -1.0, 1.0 if z > 0 else -1.0))
    return rotation_about((-y / sine, x / sine, 0.0), math.atan2(sine, z))


def skew(v: Array) -> Array:
    """The matrix of ``v x``, shape (3, 3)."""
    x, y, z = v.tolist()
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """The rigid transform ``X_AB``: frame B measured and expressed in A."""

    R: Array
    """Rotation matrix ``R_AB``, shape (3, 3)."""
    p: Array
    """Origin of B measured from A's, ``p_AB`` [m], shape (3,), expressed in A."""

    @classmethod
    def of(cls, R: ArrayLike | None = None, p: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """From a rotation matrix (the identity if None) and a position [m]."""
        return cls(IDENTITY.R if R is None else frozen(R), frozen(p))

    @classmethod
    def from_xyz_rpy(cls, xyz: ArrayLike, rpy: ArrayLike) -> Pose:
        """From a position [m] and fixed-axis roll, pitch, yaw [rad]: ``R = Rz Ry Rx``."""
        roll, pitch, yaw = (float(angle) for angle in np.asarray(rpy, dtype=np.float64))
        if roll == pitch == yaw == 0.0:
            return cls(IDENTITY.R, frozen(xyz))
        return cls(frozen(euler2mat(roll, pitch, yaw, "sxyz")), frozen(xyz))

    @classmethod
    def from_vector(cls, x_y_z_qw_qx_qy_qz: ArrayLike) -> Pose:
        """From a position [m] and a quaternion of any length but zero."""
        v = np.asarray(x_y_z_qw_qx_qy_qz, dtype=np.float64)
        return cls(frozen(quaternion_to_matrix(v[3:])), frozen(v[:3]))

    def to_vector(self) -> list[float]:
        """``[x, y, z, qw, qx, qy, qz]``, the quaternion of unit length and ``qw >= 0``."""
        return [*self.p.tolist(), *matrix_to_quaternion(self.R)]

    def __matmul__(self, other: Pose) -> Pose:
        if other is IDENTITY:
            return self
        if self is IDENTITY:
            return other
        R, p = self.R @ other.R, self.p + self.R @ other.p
        R.setflags(write=False)
        p.setflags(write=False)
        return Pose(R, p)

    def inverse(self) -> Pose:
        """``X_BA`` for ``X_AB``."""
        if self is IDENTITY:
            return self
        return Pose(self.R.T, frozen(-(self.R.T @ self.p)))

    def is_close(self, other: Pose, atol: float = 1e-12) -> bool:
        """Whether both agree within ``atol`` in every entry."""
        return bool(np.abs(self.R - other.R).max() <= atol and np.abs(self.p - other.p).max() <= atol)

    def __reduce__(self) -> tuple[type[Pose], tuple[Array, Array]]:
        return Pose, (self.R, self.p)


IDENTITY = Pose(frozen(np.eye(3)), frozen(np.zeros(3)))
_OFF_DIAGONAL = ~np.eye(3, dtype=bool)


@dataclass(frozen=True, slots=True, eq=False)
class SpatialInertia:
    """Mass properties of link L, about its centre of mass Lcm, expressed in L."""

    mass: float
    """Mass [kg]."""
    p_LLcm: Array
    """Centre of mass [m], shape (3,)."""
    I_Lcm: Array
    """Rotational inertia about Lcm [kg m^2], shape (3, 3), symmetric."""

    @classmethod
    def of(cls, mass: float, p_LLcm: ArrayLike = (0.0, 0.0, 0.0), I_Lcm: ArrayLike | None = None) -> SpatialInertia:
        """From a mass [kg], a centre of mass [m] and an inertia about it [kg m^2]."""
        return cls(mass, frozen(p_LLcm), frozen(np.zeros((3, 3)) if I_Lcm is None else I_Lcm))

    @classmethod
    def in_frame(cls, mass: float, X_LI: Pose, I_I: Array) -> SpatialInertia:
        """From an inertia given in an inertial frame I whose origin is the centre of mass."""
        return cls(mass, X_LI.p, frozen(X_LI.R @ I_I @ X_LI.R.T))

    def moved(self, X_AL: Pose) -> SpatialInertia:
        """The same body, measured and expressed in A."""
        return SpatialInertia(
            self.mass,
            frozen(X_AL.p + X_AL.R @ self.p_LLcm),
            frozen(X_AL.R @ self.I_Lcm @ X_AL.R.T),
        )

    def __add__(self, other: SpatialInertia) -> SpatialInertia:
        """Both bodies as one, by the parallel axis theorem; both in the same frame."""
        mass = self.mass + other.mass
        if mass == 0.0:
            return SpatialInertia(0.0, self.p_LLcm, frozen(self.I_Lcm + other.I_Lcm))
        com = (self.mass * self.p_LLcm + other.mass * other.p_LLcm) / mass
        return SpatialInertia(mass, frozen(com), frozen(self.about(com) + other.about(com)))

    def about(self, p_LQ: ArrayLike) -> Array:
        """Rotational inertia about a point Q [kg m^2], shape (3, 3)."""
        S = skew(np.asarray(p_LQ, dtype=np.float64) - self.p_LLcm)
        inertia: Array = self.I_Lcm - self.mass * S @ S
        return inertia

    def principal_axes(self) -> tuple[Array, Array]:
        """``(R_LI, moments)``: rotation to principal axes, shape (3, 3), and moments [kg m^2], shape (3,).

        A diagonal inertia keeps its axes, in their order, exactly.
        """
        if not self.I_Lcm[_OFF_DIAGONAL].any():
            return IDENTITY.R, frozen(np.diag(self.I_Lcm))
        moments, R = np.linalg.eigh(self.I_Lcm)
        if np.linalg.det(R) < 0.0:
            R = R * (1.0, 1.0, -1.0)
        return frozen(R), frozen(moments)

    def defects(self) -> list[str]:
        """Why no real body has this inertia; empty if one could.

        Tolerance as in libsdformat: ten units of rounding of half the trace.
        """
        if not (math.isfinite(self.mass) and np.all(np.isfinite(self.p_LLcm)) and np.all(np.isfinite(self.I_Lcm))):
            return ["not every value is finite"]
        found = []
        if self.mass < 0.0:
            found.append(f"the mass {self.mass:g} kg is negative")
        moments = np.linalg.eigvalsh(self.I_Lcm)
        tolerance = 10.0 * np.finfo(np.float64).eps * abs(float(np.trace(self.I_Lcm))) / 2.0
        if moments[0] < -tolerance:
            found.append(f"the principal moment {moments[0]:g} kg m^2 is negative")
        elif moments[0] + moments[1] < moments[2] - tolerance:
            a, b, c = moments
            found.append(f"the principal moments {a:g}, {b:g}, {c:g} kg m^2 break the triangle inequality")
        return found

    def repaired(self) -> SpatialInertia:
        """The nearest inertia that a body can have: moments moved by the least, axes and centre of mass kept.

        A mass or moment that is no number stays.
        """
        R, moments = self.principal_axes()
        order = np.argsort(moments)
        a, b, c = (max(float(m), 0.0) for m in moments[order])
        excess = max(c - a - b, 0.0) / 3.0
        mended = np.empty(3)
        mended[order] = (a + excess, b + excess, c - excess)
        return SpatialInertia(max(self.mass, 0.0), self.p_LLcm, frozen(R @ np.diag(mended) @ R.T))

    def __reduce__(self) -> tuple[type[SpatialInertia], tuple[float, Array, Array]]:
        return SpatialInertia, (self.mass, self.p_LLcm, self.I_Lcm)
