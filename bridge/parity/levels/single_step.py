"""One time step from many random states: the shortest motion, in which differences have no time to grow."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from bridge.mechanism import Mechanism
from bridge.parity.engines.dofs import has_free_or_ball, screw_like_joints
from bridge.parity.engines.protocol import Engine, Factory
from bridge.parity.results.verdict import Level, Outcome, Row, explained, explained_by
from loaders.spatial import Array

from .convergence import errors_over_steps, log_log_slope
from .quantities import TOLERANCE, dof_place
from .random_states import (
    MAX_STEP,
    PERTURBATION,
    State,
    perturbed,
    random_states,
    time_step,
    without_solver_effects,
)

MAX_STATES, MIN_STATES = 20, 3
"""Largest and smallest number of states; a model with many degrees of freedom is compared in fewer states."""
ROUNDING_ERROR = 1e-14
"""Relative rounding error of one step, for a sensitivity of one."""
MIN_SECOND_ORDER = 1.8
"""Smallest measured order of the difference of velocities after one step for which accelerations are equal."""
_GRAVITY = "pybullet.link-without-gravity"


def step_rows(mechanism: Mechanism, factories: Sequence[tuple[str, Factory]], seed: int) -> Iterator[Row]:
    """Yield one row for each pair of engines: the difference of velocities after one step from random states.

    Args:
        mechanism: The mechanism to simulate.
        factories: The engines by name.
        seed: Seed of the random states.
    """
    moving = without_solver_effects(mechanism)
    nv = len(moving.v_order)
    if not nv:
        return
    states = random_states(moving, max(MIN_STATES, min(MAX_STATES, 600 // nv)), seed)
    engines: dict[str, Engine] = {}
    try:
        for name, factory in factories:
            engines[name] = factory(moving)
        steps = _Steps(moving, engines, states, time_step(moving) or MAX_STEP)
        for pair in combinations(engines, 2):
            yield steps.row(pair)
    finally:
        for engine in engines.values():
            engine.close()


class _Steps:
    """Single steps of open engines from the same states."""

    def __init__(self, mechanism: Mechanism, engines: dict[str, Engine], states: Sequence[State], step: float) -> None:
        self._mechanism = mechanism
        self._engines = engines
        self._states = states
        self._step = step
        self._after = {name: self._velocities(name, states, step) for name in engines}

    def _velocities(self, engine: str, states: Sequence[State], step: float) -> Array:
        """The velocities after one step, shape (number of states, nv)."""
        opened, velocities = self._engines[engine], []
        opened.set_step(step)
        for state in states:
            opened.set_state(*state)
            opened.step(1)
            velocities.append(opened.velocities())
        return np.array(velocities)

    def row(self, pair: tuple[str, str]) -> Row:
        """Return the row of one pair of engines."""
        errors = _relative_differences(self._after[pair[0]], self._after[pair[1]])
        state, dof = np.unravel_index(int(np.argmax(errors)), errors.shape)
        place = dof_place(self._mechanism.v_order[dof])
        row = Row(
            level=Level.MOTION, quantity="one step", unit="", engines=pair, error=float(errors[state, dof]),
            tolerance=TOLERANCE, where=place, subjects=place.names, outcome=Outcome.PASSED,
            sensitivity=self._sensitivity(pair[1], int(state)),
        )  # fmt: skip
        return row if row.error <= TOLERANCE else self._judged(row)

    def _sensitivity(self, engine: str, state: int) -> float:
        """The ratio of the distances of two close states after and before the step, at least one."""
        neighbor = self._velocities(engine, [perturbed(self._states[state])], self._step)
        differences = _relative_differences(self._after[engine][state : state + 1], neighbor)
        return max(1.0, float(differences.max()) / PERTURBATION)

    def _judged(self, row: Row) -> Row:
        """The row of a difference beyond the tolerance, with its cause if that is known."""
        if not math.isfinite(row.error):
            return dataclasses.replace(row, outcome=Outcome.FAILED)
        if row.error <= ROUNDING_ERROR * (row.sensitivity or 1.0):
            cause = f"states that differ by 1e-10 differ by {row.sensitivity:.0e} times as much after one step"
            return explained(row, cause)
        diagnostics = (entry for name in row.engines for entry in self._engines[name].diagnostics)
        cause_entry = next((entry for entry in diagnostics if entry.code == _GRAVITY), None)
        if cause_entry is not None:
            return explained_by(row, cause_entry)
        screws = screw_like_joints(self._mechanism)
        if screws:
            return explained(
                row, f"the engines connect rotation and translation of {', '.join(screws)} by a constraint"
            )
        return self._judged_by_order(row)

    def _judged_by_order(self, row: Row) -> Row:
        """Explained if a body rotates freely and the difference shrinks at second order."""
        points = errors_over_steps(self._step, lambda step: self._error(row.engines, step))
        row = dataclasses.replace(row, convergence=points, order=log_log_slope(points))
        if has_free_or_ball(self._mechanism) and row.order is not None and row.order >= MIN_SECOND_ORDER:
            cause = (
                "the engines integrate different points of a free body; the difference is of order "
                f"{row.order:.2f} in the step"
            )
            return explained(row, cause)
        return dataclasses.replace(row, outcome=Outcome.FAILED)

    def _error(self, pair: tuple[str, str], step: float) -> float:
        one, two = (self._velocities(name, self._states, step) for name in pair)
        return float(_relative_differences(one, two).max())


def _relative_differences(one: Array, two: Array) -> Array:
    """Differences relative to the largest velocity in each state, at least one; shape (number of states, nv)."""
    scale = np.maximum(np.abs(one).max(axis=1, keepdims=True), 1.0)
    errors: Array = np.abs(one - two) / scale
    return np.where(np.isnan(errors), math.inf, errors)
