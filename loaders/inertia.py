"""Rigid transforms and spatial inertia, in monogram notation: ``X_AB @ X_BC`` is ``X_AC``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .pose import IDENTITY, Array, Pose, frozen, principal_axes_of, skew

_TOLERANCE = 5.0 * np.finfo(np.float64).eps
"""Tolerance of principal moments relative to the trace, that of libsdformat."""
_PLAIN_MARGIN = 1e-10
"""Margin of the leading minors of a matrix, relative to powers of its trace, that rounding cannot
reach."""


@dataclass(frozen=True, slots=True, eq=False)
class SpatialInertia:
    """Mass properties of link L, about its center of mass Lcm, expressed in L."""

    mass: float
    """Mass [kg]."""
    p_LLcm: Array
    """Center of mass [m], shape (3,)."""
    I_Lcm: Array
    """Rotational inertia about Lcm [kg m^2], shape (3, 3), symmetric."""

    @classmethod
    def of(
        cls, mass: float, p_LLcm: ArrayLike = (0.0, 0.0, 0.0), I_Lcm: ArrayLike | None = None
    ) -> SpatialInertia:
        """Make an inertia from a mass [kg], a center of mass [m] and a rotational inertia about it
        [kg m^2].

        Args:
            mass: Mass [kg].
            p_LLcm: Center of mass [m], shape (3,).
            I_Lcm: Rotational inertia about the center of mass [kg m^2], shape (3, 3); None is zero.
        """
        return cls(mass, frozen(p_LLcm), frozen(np.zeros((3, 3)) if I_Lcm is None else I_Lcm))

    @classmethod
    def in_frame(cls, mass: float, X_LI: Pose, I_I: ArrayLike) -> SpatialInertia:
        """Make an inertia from one that is given in an inertial frame I at the center of mass.

        Args:
            mass: Mass [kg].
            X_LI: Pose of the inertial frame, whose origin is the center of mass.
            I_I: Rotational inertia about the origin of I, expressed in I [kg m^2], shape (3, 3).
        """
        I_Lcm = I_I if X_LI.R is IDENTITY.R else X_LI.R @ np.asarray(I_I) @ X_LI.R.T
        return cls(mass, X_LI.p, frozen(I_Lcm))

    def moved(self, X_AL: Pose) -> SpatialInertia:
        """Return the inertia of the same body, measured and expressed in A."""
        if X_AL.R is IDENTITY.R:
            p = self.p_LLcm if X_AL.p is IDENTITY.p else frozen(X_AL.p + self.p_LLcm)
            return SpatialInertia(self.mass, p, self.I_Lcm)
        p, rotational = X_AL.p + X_AL.R @ self.p_LLcm, X_AL.R @ self.I_Lcm @ X_AL.R.T
        return SpatialInertia(self.mass, frozen(p), frozen(rotational))

    def __add__(self, other: SpatialInertia) -> SpatialInertia:
        """Return the inertia of both bodies welded together (parallel axis theorem); both are in
        the same frame.
        """
        mass = self.mass + other.mass
        if mass == 0.0:
            return SpatialInertia(0.0, self.p_LLcm, frozen(self.I_Lcm + other.I_Lcm))
        com = (self.mass * self.p_LLcm + other.mass * other.p_LLcm) / mass
        return SpatialInertia(mass, frozen(com), frozen(self.about(com) + other.about(com)))

    def about(self, p_LQ: ArrayLike) -> Array:
        """Return the rotational inertia about a point Q [kg m^2], shape (3, 3)."""
        S = skew(np.asarray(p_LQ, dtype=np.float64) - self.p_LLcm)
        inertia: Array = self.I_Lcm - self.mass * S @ S
        return inertia

    def smallest_moment_about_origin(self) -> float:
        """Return the smallest moment about the link's origin [kg m^2]; infinity if that is too far
        for a number.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            moments = self.about(np.zeros(3))
        return float(np.linalg.eigvalsh(moments)[0]) if np.isfinite(moments).all() else math.inf

    def principal_axes(self) -> tuple[Array, Array]:
        """Return the principal axes ``R_LI``, shape (3, 3), and the principal moments [kg m^2],
        shape (3,).

        Of all principal axes they are those nearest to the axes of L; those of a diagonal inertia
        are exactly the axes of L.
        """
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = self.I_Lcm.tolist()
        if not (xy or xz or yx or yz or zx or zy):
            return IDENTITY.R, frozen((xx, yy, zz))
        axes, moments = principal_axes_of(self.I_Lcm[np.newaxis])
        return axes[0], moments[0]

    def defects(self) -> list[str]:
        """Return the reasons why no rigid body can have this inertia; empty if it is physically
        valid.

        The tolerance is that of libsdformat: ten times the machine epsilon times half the trace.
        """
        if _is_plainly_physical(self):
            return []
        if not (
            math.isfinite(self.mass)
            and np.all(np.isfinite(self.p_LLcm))
            and np.all(np.isfinite(self.I_Lcm))
        ):
            return ["not every value is finite"]
        defects = []
        if self.mass < 0.0:
            defects.append(f"the mass {self.mass:g} kg is negative")
        moments = np.linalg.eigvalsh(self.I_Lcm)
        tolerance = _TOLERANCE * abs(float(np.trace(self.I_Lcm)))
        if moments[0] < -tolerance:
            defects.append(f"the principal moment {moments[0]:g} kg m^2 is negative")
        elif moments[0] + moments[1] < moments[2] - tolerance:
            a, b, c = moments
            defects.append(
                f"the principal moments {a:g}, {b:g}, {c:g} kg m^2 violate the triangle inequality"
            )
        return defects

    def repaired(self) -> SpatialInertia:
        """Return the nearest physically valid inertia: same axes and center of mass, least change
        of the moments.

        A mass or moment that is NaN stays NaN.
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


def exceeds(matrix: Array, bound: float) -> bool:
    """Return whether all eigenvalues of a symmetric matrix exceed a bound by a margin that rounding
    cannot reach.

    False decides nothing. No principal moment is computed, which would take ten times as long.

    Args:
        matrix: The matrix, shape (3, 3).
        bound: The bound, not negative.
    """
    (xx, _, _), (yx, yy, _), (zx, zy, zz) = matrix.tolist()
    return _is_plainly_definite(xx - bound, yy - bound, zz - bound, yx, zx, zy)


def _is_plainly_definite(a: float, b: float, c: float, yx: float, zx: float, zy: float) -> bool:
    """Return whether a symmetric matrix with a, b, c on its diagonal is positive definite, by its
    leading minors.

    The margin is relative to powers of the trace; False decides nothing.
    """
    trace = a + b + c
    minor = a * b - yx * yx
    determinant = c * minor - a * zy * zy - b * zx * zx + 2.0 * yx * zx * zy
    margin = _PLAIN_MARGIN * trace
    return bool(
        a > margin > 0.0 and minor > margin * trace and determinant > margin * trace * trace
    )


def are_physical(inertias: Sequence[SpatialInertia]) -> list[bool]:
    """Return, for each inertia, whether `SpatialInertia.defects` is empty.

    Nearly every inertia is plainly physical. Only for the others principal moments are computed,
    all at once.
    """
    physical = [_is_plainly_physical(inertia) for inertia in inertias]
    if not all(physical):
        doubtful = [i for i, is_plain in enumerate(physical) if not is_plain]
        for i, has_valid_moments in zip(
            doubtful, _have_valid_moments([inertias[i] for i in doubtful]), strict=True
        ):
            physical[i] = has_valid_moments
    return physical


def _is_plainly_physical(inertia: SpatialInertia) -> bool:
    """Return whether an inertia is physical by a margin that rounding cannot reach, or exactly so
    if it is diagonal.

    An inertia I is physical if ``trace(I) / 2 - I``, the second moments of the mass, is positive
    definite.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = inertia.I_Lcm.tolist()
    trace = xx + yy + zz
    if inertia.mass < 0.0 or not math.isfinite(inertia.mass + trace + sum(inertia.p_LLcm.tolist())):
        return False
    if not (xy or xz or yx or yz or zx or zy):
        return bool(min(xx, yy, zz) >= 0.0 and 2.0 * max(xx, yy, zz) <= trace)
    return _is_plainly_definite(trace / 2.0 - xx, trace / 2.0 - yy, trace / 2.0 - zz, -yx, -zx, -zy)


def _have_valid_moments(inertias: Sequence[SpatialInertia]) -> list[bool]:
    masses = np.array([inertia.mass for inertia in inertias])
    centers = np.array([inertia.p_LLcm for inertia in inertias])
    matrices = np.array([inertia.I_Lcm for inertia in inertias])
    finite = (
        np.isfinite(masses)
        & np.isfinite(centers).all(axis=1)
        & np.isfinite(matrices).all(axis=(1, 2))
    )
    matrices[~finite] = 0.0
    a, b, c = np.linalg.eigvalsh(matrices).T
    tolerance = _TOLERANCE * np.abs(np.trace(matrices, axis1=1, axis2=2))
    physical: list[bool] = (
        finite & (masses >= 0.0) & (a >= -tolerance) & (a + b >= c - tolerance)
    ).tolist()
    return physical
