"""Limits of differences for a time step of zero, with their uncertainty, and rounding errors of a step.

A difference that is due to the step alone has the form ``c1 h + c2 h^2 + ...``. Richardson's extrapolation removes
these terms one after another; what remains is a difference of the models.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bridge.mechanism import Mechanism
from bridge.parity.levels.random_states import State
from loaders.spatial import Array

CONFIDENCE = 3.0
"""Factor between the uncertainty of a limit and the distance from zero that it allows."""
SINGULAR = 1e14
"""Condition number of the scaled mass matrix from which accelerations are not determined."""
EQUAL = 1e-12
"""Largest difference of two scaled mass matrices that is taken for rounding."""
_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
_BASE_ROUNDING = 1e-14
"""Relative rounding error of one step of a well-conditioned model."""


def limit_at_zero(values: Sequence[Array]) -> tuple[Array, float]:
    """Return the limit of values at steps that are halved each time, and its uncertainty.

    Args:
        values: The values, those of the longest step first.
    """
    row = [np.asarray(values[0])]
    uncertainty = float("inf")
    for value in values[1:]:
        following = [np.asarray(value)]
        for power, previous in enumerate(row, start=1):
            following.append(following[-1] + (following[-1] - previous) / (2.0**power - 1.0))
        uncertainty = float(np.abs(following[-1] - following[-2]).max(initial=0.0))
        row = following
    return row[-1], uncertainty


def condition(mechanism: Mechanism, state: State) -> float:
    """Return the condition number of the mass matrix, scaled to ones on its diagonal; one without velocities."""
    M = mechanism.mass_matrix(state[0])
    diagonal = np.diag(M)
    if not len(M):
        return 1.0
    if not (np.isfinite(M).all() and (diagonal > 0.0).all()):
        return float("inf")
    scale = np.sqrt(diagonal)
    return float(np.linalg.cond(M / np.outer(scale, scale)))


def matrix_disagreement(one: Array, two: Array) -> float:
    """Return by how much two mass matrices of one model differ from rounding; 0 if they differ by more than that.

    Engines add inertias about different points. Where large terms cancel, as for a light link that is far from the
    center of mass of the robot, their sums differ by more than the last digits.

    Args:
        one: A mass matrix, shape (nv, nv); the result is relative to its diagonal.
        two: The mass matrix of the other engine.
    """
    diagonal = np.diag(one)
    if not (diagonal > 0.0).all():
        return 0.0
    scale = np.sqrt(diagonal)
    difference = float(np.abs((one - two) / np.outer(scale, scale)).max(initial=0.0))
    return difference if difference <= EQUAL else 0.0


def rounding_error(mechanism: Mechanism, state: State, disagreement: float = 0.0) -> float:
    """Return the relative rounding error of one step, which grows with the condition of the mass matrix.

    Args:
        mechanism: The mechanism.
        state: Positions and velocities before the step.
        disagreement: By how much the mass matrices of two engines differ, see `matrix_disagreement`.
    """
    return _BASE_ROUNDING + (_ROUNDING + disagreement) * condition(mechanism, state)
