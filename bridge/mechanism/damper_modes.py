"""Rates and modes of the dampers and springs of a mechanism, which bound the time step of explicit integration."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from loaders.model import JointAxis
from loaders.spatial import Array

from .bodies import Body, PrimitiveKind

STABILITY_LIMIT = 2.0
"""Product of the time step and the fastest rate of dampers or springs beyond which explicit integration is unstable."""


def joint_coefficients(bodies: Sequence[Body], coefficient: Callable[[JointAxis], float]) -> Array:
    """Return a coefficient of the joints for each velocity, shape (nv,); zero for free joints and those without axis.

    Args:
        bodies: The bodies of the mechanism.
        coefficient: Function that returns the coefficient of an axis, such as its damping.
    """
    coefficients = np.zeros(sum(body.nv for body in bodies))
    for body in bodies:
        for p in body.primitives:
            if p.limits is not None and p.kind is not PrimitiveKind.FREE:
                start = body.v_start + p.dof_index
                coefficients[start : start + (3 if p.kind is PrimitiveKind.BALL else 1)] = coefficient(p.limits)
    return coefficients


def mode_rates(mobility: Array, coefficients: Array) -> Array:
    """Return the eigenvalues of ``mobility @ diag(coefficients)``, ascending, shape (nv,).

    For dampers they are the rates of the modes [1/s]: explicit integration is stable for time steps below two divided
    by the largest one. For springs they are the squares of the rates.

    Args:
        mobility: The inverse of the mass matrix, shape (nv, nv).
        coefficients: Damping or stiffness of each velocity, of which the magnitude counts, shape (nv,).
    """
    return np.asarray(np.linalg.eigvalsh(_symmetric(mobility, coefficients)), dtype=np.float64)


def modes(mobility: Array, coefficients: Array, rates: Array) -> Array:
    """Return the modes of some of `mode_rates` as columns, of which the squares are the parts of the joints.

    This is inverse iteration, since `numpy.linalg.eigh` starts threads for more than 25 rows: it then takes 5 to 20 ms
    where `mode_rates` and this function together take less than 1 ms.

    Args:
        mobility: The inverse of the mass matrix, shape (nv, nv).
        coefficients: Damping or stiffness of each velocity, as for `mode_rates`.
        rates: The rates, ascending, shape (n,).
    """
    A = _symmetric(mobility, coefficients)
    found = np.zeros((len(A), 0))
    offset = 8.0 * np.finfo(np.float64).eps * np.abs(rates).max(initial=0.0)  # so that the matrix can be inverted
    for rate in rates:
        shifted = A - (rate + offset) * np.eye(len(A))
        x = np.cos(np.arange(1.0, len(A) + 1.0))  # a start with a part in every mode, whatever symmetry A has
        for _ in range(3):
            x = np.linalg.solve(shifted, x - found @ (found.T @ x))
            x /= np.linalg.norm(x)
            if np.abs(shifted @ x).max() <= 2.0 * offset:
                break
        x -= found @ (found.T @ x)  # equal rates have orthogonal modes
        found = np.column_stack((found, x / np.linalg.norm(x)))
    return found


def _symmetric(mobility: Array, coefficients: Array) -> Array:
    """Return the symmetric matrix with the eigenvalues of ``mobility @ diag(coefficients)``."""
    root = np.sqrt(np.abs(coefficients))
    return np.asarray(root[:, np.newaxis] * mobility * root)
