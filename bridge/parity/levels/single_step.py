"""One step from many states: the shortest motion, in which nothing has had time to grow."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from bridge.mechanism import Mechanism
from bridge.parity.engines.dofs import has_free_or_ball, soft_joints
from bridge.parity.engines.protocol import Engine, Factory
from bridge.parity.results.verdict import Level, Outcome, Row
from loaders.spatial import Array

from .convergence import ladder, slope
from .quantities import EXACT
from .random_states import APART, MAX_STEP, State, neighbour, random_states, time_step, undisturbed

MOST, LEAST = 20, 3
"""States; where there are many freedoms, fewer."""
ROUNDING = 1e-14
"""What one step of one engine rounds away, relative, for each unit of its sensitivity."""
SECOND_ORDER = 1.8
"""Least order at which velocities after one step near each other: then accelerations are equal in the limit."""
_WEIGHTLESS = "pybullet.link-without-gravity"


def step_rows(mechanism: Mechanism, factories: Sequence[tuple[str, Factory]], seed: int) -> Iterator[Row]:
    """The velocities of every pair of engines after one step from each of some random states."""
    moving = undisturbed(mechanism)
    nv = len(moving.v_order)
    if not nv:
        return
    states = random_states(moving, max(LEAST, min(MOST, 600 // nv)), seed)
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
    """Single steps of opened engines from the same states."""

    def __init__(self, mechanism: Mechanism, engines: dict[str, Engine], states: Sequence[State], step: float) -> None:
        self._mechanism = mechanism
        self._engines = engines
        self._states = states
        self._step = step
        self._after = {name: self._velocities(name, states, step) for name in engines}

    def _velocities(self, engine: str, states: Sequence[State], step: float) -> Array:
        """After one step, shape (states, nv)."""
        opened, found = self._engines[engine], []
        opened.set_step(step)
        for state in states:
            opened.set_state(*state)
            opened.step(1)
            found.append(opened.velocities())
        return np.array(found)

    def row(self, pair: tuple[str, str]) -> Row:
        """One pair of engines, judged."""
        errors = _relative(self._after[pair[0]], self._after[pair[1]])
        state, freedom = np.unravel_index(int(np.argmax(errors)), errors.shape)
        joint, component = self._mechanism.v_order[freedom]
        row = Row(
            level=Level.MOTION, quantity="one step", unit="", engines=pair, error=float(errors[state, freedom]),
            tolerance=EXACT, where=f"{joint}[{component}]" if component else joint, outcome=Outcome.PASSED,
            sensitivity=self._sensitivity(pair[1], int(state)),
        )  # fmt: skip
        return row if row.error <= EXACT else self._judged(row)

    def _sensitivity(self, engine: str, state: int) -> float:
        """How much further apart two neighbouring states are after the step."""
        shadow = self._velocities(engine, [neighbour(self._states[state])], self._step)
        return max(1.0, float(_relative(self._after[engine][state : state + 1], shadow).max()) / APART)

    def _judged(self, row: Row) -> Row:
        if not math.isfinite(row.error):
            return dataclasses.replace(row, outcome=Outcome.FAILED)
        if row.error <= ROUNDING * (row.sensitivity or 1.0):
            return _explained(row, f"states 1e-10 apart are {row.sensitivity:.0e} times as far apart after one step")
        known = [
            entry for name in row.engines for entry in self._engines[name].diagnostics if entry.code == _WEIGHTLESS
        ]
        if known:
            return _explained(row, f"{known[0].message} [{known[0].code}]")
        if soft_joints(self._mechanism):
            joints = ", ".join(soft_joints(self._mechanism))
            return _explained(row, f"the engines hold hinge and slide of {joints} together by a constraint")
        points = ladder(self._step, lambda step: self._error(row.engines, step))
        row = dataclasses.replace(row, convergence=points, order=slope(points))
        if has_free_or_ball(self._mechanism) and row.order is not None and row.order >= SECOND_ORDER:
            cause = f"the engines integrate different points of a free body; order {row.order:.2f} in the step"
            return _explained(row, cause)
        return dataclasses.replace(row, outcome=Outcome.FAILED)

    def _error(self, pair: tuple[str, str], step: float) -> float:
        one, two = (self._velocities(name, self._states, step) for name in pair)
        return float(_relative(one, two).max())


def _relative(one: Array, two: Array) -> Array:
    """Differences over the largest velocity in each state, or over one where all are smaller."""
    scale = np.maximum(np.abs(one).max(axis=1, keepdims=True), 1.0)
    errors: Array = np.abs(one - two) / scale
    return np.where(np.isnan(errors), math.inf, errors)


def _explained(row: Row, cause: str) -> Row:
    return dataclasses.replace(row, outcome=Outcome.EXPLAINED, cause=cause)
