"""Mass matrix and inverse dynamics as PyBullet itself computes them, never from our own equations.

PyBullet's queries answer for most bodies. They are wrong for ball joints that carry a chain, refuse inertias that
violate the triangle inequality by as little as a rounding error. PyBullet's steps are right in both cases and answer
instead. Where neither works, the result is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from bridge.bullet.client.stdout_capture import capture_stdout
from loaders.spatial import Array

from .dynamics_queries import DynamicsQueries
from .independent_axes import with_independent_axes
from .stepped_dynamics import stepped_accelerations, stepped_mass_matrix

OwnSource = Literal["query", "steps"]
"""``query`` for `calculateMassMatrix` and `calculateInverseDynamics`, ``steps`` for measured accelerations."""
_MAX_CONDITION = 1e13
"""Condition number above which a nominal mass matrix cannot be inverted."""


_MAX_ASYMMETRY = 1e-10
"""Asymmetry of a measured mass matrix, scaled to ones on its diagonal, from which rounding errors spoil it."""


class NoAnswerError(Exception):
    """PyBullet can neither be queried nor measured; the message states why."""


@dataclass(slots=True, eq=False)
class OwnDynamics:
    """The dynamics of one body that PyBullet computes."""

    queries: DynamicsQueries
    _source: OwnSource | None = None

    @property
    def source(self) -> OwnSource:
        """The way in which PyBullet is asked about this body."""
        if self._source is None:
            self._source = "query" if self._answers() else "steps"
        return self._source

    def mass_matrix(self) -> Array:
        """Return the mass matrix at the present position, shape (nv, nv), in ``v_order``, without reflected inertia.

        Raises:
            NoAnswerError: if PyBullet can neither be queried nor measured.
        """
        if self.source == "query":
            return self.queries.queried_mass_matrix()
        axes, G = self._axes()
        M: Array = G.T @ _stepped_mass_matrix(axes) @ G
        return M

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """Return the forces that cause accelerations in the present state, both shape (nv,), in ``v_order``.

        Raises:
            NoAnswerError: if PyBullet can neither be queried nor measured.
        """
        queries = self.queries
        if self.source == "query":
            return queries.inverse_dynamics(accelerations, trusted=True)
        axes, G = self._axes()
        gravity, wanted = queries.state.gravity(), G @ accelerations
        guess = axes.nominal_forces(wanted)
        remaining = wanted - stepped_accelerations(axes.state, guess, gravity)
        forces: Array = G.T @ (guess + _stepped_mass_matrix(axes) @ remaining)
        return forces

    def _answers(self) -> bool:
        """Return whether PyBullet's queries are valid for this body."""
        if self.queries.state.articulation.has_ball:
            return False
        try:
            with capture_stdout([]):
                self.queries.queried_mass_matrix()
        except (SystemError, TypeError, ValueError):  # PyBullet raises these, with its own error as the cause
            return False
        return True

    def _axes(self) -> tuple[DynamicsQueries, Array]:
        state, G = with_independent_axes(self.queries.state)
        return DynamicsQueries(state), G


def _stepped_mass_matrix(axes: DynamicsQueries) -> Array:
    nominal = axes.mechanism_from_pybullet().mass_matrix(axes.state.positions())
    if not np.linalg.cond(nominal) < _MAX_CONDITION:
        raise NoAnswerError("PyBullet's queries refuse the body, and a link without inertia cannot be accelerated")
    try:
        M = stepped_mass_matrix(axes.state, nominal)
    except np.linalg.LinAlgError as error:
        raise NoAnswerError("PyBullet's queries refuse the body, and it does not respond to forces") from error
    asymmetry = _asymmetry(M, nominal)
    if not asymmetry < _MAX_ASYMMETRY:
        raise NoAnswerError(
            "PyBullet's queries refuse the body, and a link has so little inertia that rounding errors spoil its "
            f"steps: the mass matrix that they give is asymmetric by {asymmetry:.0e}"
        )
    return M


def _asymmetry(M: Array, nominal: Array) -> float:
    """Return the largest difference between opposite entries, relative to the diagonal of the nominal mass matrix."""
    scale = np.sqrt(np.diag(nominal))
    return float(np.abs((M - M.T) / np.outer(scale, scale)).max(initial=0.0))
