"""Solver parameters of hard and soft constraints, shared by equalities, tendons, joint limits and default classes.

MuJoCo enforces equalities and limits by soft constraints. ``solref`` of two time steps and ``solimp`` of 0.9999 make
them as hard as its solver allows; the remaining error is stated in the diagnostics.
"""

from __future__ import annotations

HARD_SOLIMP = (0.9999, 0.9999, 0.001)
"""Impedance of a hard constraint; 0.9999 is the largest value that MuJoCo allows."""
DEFAULT_SOLREF, DEFAULT_SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001)
"""MuJoCo's default time constant [s], damping ratio and impedance, for constraints that cannot be satisfied."""
DEFAULT_SOLIMP_SHAPE = (0.5, 2.0)
"""MuJoCo's default of the last two numbers of ``solimp``, the midpoint and the power of its curve."""
UNLIMITED = 1e10
"""The missing bound of a range that has the other one; MuJoCo reads ``inf`` as unlimited on both sides."""


def hard_solref(time_step: float) -> tuple[float, float]:
    """Return time constant [s] and damping ratio of a hard constraint: MuJoCo's minimum is two time steps."""
    return (2.0 * time_step, 1.0)


HELD_WITHIN = "within {error} in 2 s of free motion at 1 ms for links of a few kilograms, more for heavier links"
"""End of the message about a soft constraint: its error, which the tests compare with MuJoCo's motion."""
