"""One time step from many random states: the shortest motion, in which differences have no time to
grow.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from bridge.mechanism import Mechanism
from bridge.parity.bounds.constraint import screw_load, without_screw_forces
from bridge.parity.bounds.counterfactual import added_inertia, is_loaded, loaded_name
from bridge.parity.bounds.precision import DOUBLE, rounding_of_velocity, single_precision
from bridge.parity.causes import CHAOS, POINTS_OF_FREE_BODIES, SCREW, STEP_ORDER, Cause
from bridge.parity.convergence import (
    CONFIDENCE,
    HALVINGS,
    limit_at_zero,
    log_log_slope,
    matrix_disagreement,
    rounding_error,
)
from bridge.parity.engine import SOFTNESS, Engine, Factory, NotReportedError, has_free_or_ball
from bridge.parity.quantity import TOLERANCE, dof_place, names_at
from bridge.parity.states import (
    MAX_STEP,
    PERTURBATION,
    State,
    perturbed,
    random_states,
    time_step,
    without_solver_effects,
)
from bridge.parity.verdict import Level, Outcome, Row, explained, failed, undecided
from loaders.deferred import cached_property
from loaders.pose import Array

MAX_STATES, MIN_STATES = 20, 3
"""Largest and smallest number of states; a model with many degrees of freedom is compared in fewer
states."""
RESOLUTION = 1e-10
"""Uncertainty of the limit of a relative difference of velocities at which the limit is known."""
CHAOTIC = 1e-3
"""Largest relative difference of velocities that rounding may explain; beyond it a step shows
nothing."""
COARSE = 0.05
"""Largest relative difference of velocities that rounding in single precision may explain."""
MIN_PATTERN = 1e-12
"""Smallest length of a change of velocities that is compared with another."""
SHORTENINGS = (1, 8, 64)
"""Factors that shorten the steps until the limit is known."""
SCREW_MARGIN = 20.0
"""Factor of what a screw lets through, because all joints of its tree share the missing force."""


def step_rows(
    mechanism: Mechanism, factories: Sequence[tuple[str, Factory]], seed: int
) -> Iterator[Row]:
    """Yield one row for each pair of engines: the difference of velocities after one step from
    random states.

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
        steps = _Steps(moving, engines, dict(factories), states, time_step(moving) or MAX_STEP)
        for pair in combinations(dict(factories), 2):
            yield steps.row(pair)
    finally:
        for engine in engines.values():
            engine.close()


class _Steps:
    """Single steps of open engines from the same states."""

    def __init__(
        self,
        mechanism: Mechanism,
        engines: dict[str, Engine],
        factories: Mapping[str, Factory],
        states: Sequence[State],
        step: float,
    ) -> None:
        self._mechanism = mechanism
        self._engines = engines
        self._factories = factories
        self._states = states
        self._step = step
        self._after = {name: self._velocities(name, states, step) for name in engines}

    def _velocities(self, engine: str, states: Sequence[State], step: float) -> Array:
        """Return the velocities after one step, shape (number of states, nv)."""
        opened, velocities = self._engines[engine], []
        opened.set_step(step)
        for state in states:
            opened.set_state(*state)
            opened.step(1)
            velocities.append(opened.velocities())
        return np.array(velocities)

    def row(self, pair: tuple[str, str]) -> Row:
        """Return the row of one pair of engines."""
        errors = self._errors(pair)
        row = self._row_at(pair, errors, int(np.argmax(errors)))
        if row.error <= TOLERANCE:
            return row
        judged = self._judged(row, errors)
        return judged if judged.outcome is not Outcome.FAILED else self._located(judged)

    def _row_at(self, pair: tuple[str, str], errors: Array, index: int) -> Row:
        """Return the row of one difference, by its index among those of all states."""
        state, dof = divmod(index, errors.shape[1])
        place = dof_place(self._mechanism.v_order[dof])
        return Row(
            level=Level.MOTION,
            quantity="one step",
            engines=pair,
            error=float(errors[state, dof]),
            tolerance=TOLERANCE,
            where=place,
            subjects=place.names,
            outcome=Outcome.PASSED,
            sensitivity=self._sensitivity(self._most_exact(pair), state),
        )

    def _located(self, row: Row) -> Row:
        """Return the row of a difference, with the joint on which the force acts that explains it.

        A force moves the joints around its own as well, and lighter ones more. The inverse of the
        mass matrix tells how a force at each joint would change the velocities; the joint whose
        pattern is most like the difference is named.
        """
        differences = self._differences(row.engines, self._step / SHORTENINGS[-1])
        if not np.isfinite(differences).all():
            return row
        state = int(np.argmax(np.abs(differences).max(axis=1)))
        P = self._projections[state]
        patterns = P @ np.linalg.pinv(self._mechanism.mass_matrix(self._states[state][0]))
        likeness = np.abs(patterns.T @ P @ differences[state]) / np.maximum(
            np.linalg.norm(patterns, axis=0), MIN_PATTERN
        )
        place = dof_place(self._mechanism.v_order[int(np.argmax(likeness))])
        return dataclasses.replace(row, where=place, subjects=names_at(place))

    @cached_property
    def _projections(self) -> Array:
        return without_screw_forces(self._mechanism, self._states)

    def _errors(self, pair: tuple[str, str]) -> Array:
        return _relative_differences(*(self._after[name] for name in pair))

    def _most_exact(self, pair: tuple[str, str]) -> str:
        """Return the engine that rounds least, the second one if both round alike."""
        return min(reversed(pair), key=lambda name: self._engines[name].unit_roundoff)

    def _sensitivity(self, engine: str, state: int) -> float:
        """Return the ratio of the distances of two close states after and before the step, at least
        one.
        """
        neighbor = self._velocities(engine, [perturbed(self._states[state])], self._step)
        differences = _relative_differences(self._after[engine][state : state + 1], neighbor)
        return max(1.0, float(differences.max()) / PERTURBATION)

    def _judged(self, row: Row, errors: Array) -> Row:
        """Return the row of a difference beyond the tolerance, with its cause if that is known."""
        if not math.isfinite(row.error):
            return failed(row)
        rounded = [n for n in row.engines if self._engines[n].unit_roundoff > DOUBLE]
        if rounded:
            return self._in_single_precision(row.engines, rounded, errors)
        return self._in_double(row, self._states[int(np.argmax(errors.max(axis=1)))])

    def _in_single_precision(self, pair: tuple[str, str], rounded: list[str], errors: Array) -> Row:
        """Return the row of a pair of which some engines compute in single precision: of the
        difference that is the largest part of its bound; where a bound is coarse, nothing shows.
        """
        unit = sum(self._engines[name].unit_roundoff for name in rounded)
        found = [
            rounding_of_velocity(self._mechanism, state, self._step, unit) for state in self._states
        ]
        bounds = np.array(found) / _scales(self._after[self._most_exact(pair)])
        parts = np.where(bounds <= COARSE, errors / bounds, -1.0)
        is_coarse = bool((parts < 0.0).all())
        index = int(np.argmin(bounds) if is_coarse else np.argmax(parts))
        row = self._row_at(pair, errors, index)
        cause = single_precision(row.quantity, row.subjects, float(bounds.flat[index]), rounded)
        return undecided(row, cause, COARSE) if is_coarse else explained(row, cause)

    def _in_double(self, row: Row, state: State) -> Row:
        """Return the row of a difference in double precision."""
        rounding = self._rounding(row, state)
        if rounding.bound > CHAOTIC:
            return undecided(row, rounding, CHAOTIC)
        if rounding.explains(row.error):
            return explained(row, rounding)
        inertia = self._added_inertia(row)
        if inertia is not None:
            return explained(row, inertia)
        screws = screw_load(self._mechanism, state)
        if screws:
            return explained(row, self._screw(row, screws))
        return self._judged_by_order(row) if has_free_or_ball(self._mechanism) else failed(row)

    def _rounding(self, row: Row, state: State) -> Cause:
        rounding = rounding_error(self._mechanism, state, self._disagreement(row.engines, state))
        sensitivity = row.sensitivity or 1.0
        text = (
            f"rounding: a step is exact to {rounding:.0e} with this mass matrix, and states that "
            f"differ by 1e-10 differ by {sensitivity:.0e} times as much after it"
        )
        return Cause(
            code=CHAOS,
            subjects=row.subjects,
            quantity=row.quantity,
            bound=rounding * sensitivity,
            text=text,
        )

    def _disagreement(self, pair: tuple[str, str], state: State) -> float:
        """Return by how much rounding makes two mass matrices differ; 0 if an engine does not
        report its own.
        """
        matrices = []
        for name in pair:
            self._engines[name].set_state(*state)
            try:
                matrices.append(self._engines[name].mass_matrix())
            except NotReportedError:
                return 0.0
        return matrix_disagreement(*matrices)

    def _added_inertia(self, row: Row) -> Cause | None:
        """Return the cause if an engine adds inertia to links and the other engine, given that
        inertia, moves alike.
        """
        for owner, other in (row.engines, row.engines[::-1]):
            added = added_inertia(self._mechanism, self._engines[owner].diagnostics)
            if added is None or is_loaded(row.engines[1]):
                continue
            loaded = loaded_name(other, owner)
            if loaded not in self._engines:
                self._engines[loaded] = self._factories[other](added.mechanism)
                self._after[loaded] = self._velocities(loaded, self._states, self._step)
            return added.cause(
                row, float(self._errors((other, loaded)).max()), self.row((owner, loaded))
            )
        return None

    def _screw(self, row: Row, loads: Mapping[str, float]) -> Cause:
        """Return the cause of what the constraints of screws let through in one step; all joints of
        their tree share it.
        """
        bound = SCREW_MARGIN * SOFTNESS * self._step * max(loads.values()) + TOLERANCE
        _, _, limit, allowed = self._extrapolated(row.engines, self._projections)
        remaining = float(np.abs(limit).max()) * self._step
        text = (
            f"the engines connect rotation and translation of {', '.join(loads)} by a constraint; "
            "the part of the difference that no force of this constraint causes is "
            f"{remaining:.1e}, known to {allowed:.1e}"
        )
        bound = bound if remaining <= allowed else 0.0
        return Cause(
            code=SCREW, subjects=tuple(loads), quantity=row.quantity, bound=bound, text=text
        )

    def _judged_by_order(self, row: Row) -> Row:
        """Explained if the accelerations agree, up to what the terms of higher order in the step
        predict.
        """
        steps, differences, limit, allowed = self._extrapolated(row.engines)
        points = tuple((h, float(np.abs(d).max())) for h, d in zip(steps, differences, strict=True))
        first = self._differences(row.engines, self._step)
        bound = float(np.abs(first - limit * self._step).max()) + allowed
        remaining = float(np.abs(limit).max()) * self._step
        text = (
            f"{POINTS_OF_FREE_BODIES}; of the difference, accelerations cause {remaining:.1e}, "
            f"known to {allowed:.1e}"
        )
        cause = Cause(
            code=STEP_ORDER,
            subjects=row.subjects,
            quantity=row.quantity,
            bound=bound if remaining <= allowed else 0.0,
            text=text,
        )
        return explained(
            dataclasses.replace(row, convergence=points, order=log_log_slope(points)), cause
        )

    def _extrapolated(
        self, pair: tuple[str, str], projections: Array | None = None
    ) -> tuple[list[float], list[Array], Array, float]:
        """Return steps, differences of velocities, the difference of accelerations, and how well a
        step by it is known.
        """
        for shortening in SHORTENINGS:
            steps = [self._step / shortening / 2**k for k in range(HALVINGS)]
            differences = [self._differences(pair, step) for step in steps]
            if projections is not None:
                differences = [np.einsum("nij,nj->ni", projections, each) for each in differences]
            slopes = [
                difference / step for difference, step in zip(differences, steps, strict=True)
            ]
            limit, uncertainty = limit_at_zero(slopes)
            if uncertainty * self._step <= RESOLUTION:
                break
        return steps, differences, limit, CONFIDENCE * uncertainty * self._step + TOLERANCE

    def _differences(self, pair: tuple[str, str], step: float) -> Array:
        """Return the differences of velocities after one step, relative to the largest velocity in
        each state.
        """
        one, two = (self._velocities(name, self._states, step) for name in pair)
        differences: Array = (one - two) / _scales(self._after[pair[0]])
        return differences


def _relative_differences(one: Array, two: Array) -> Array:
    """Differences relative to the largest velocity in each state, at least one; shape (number of
    states, nv).
    """
    errors: Array = np.abs(one - two) / _scales(one)
    return np.where(np.isnan(errors), math.inf, errors)


def _scales(velocities: Array) -> Array:
    """Return the largest velocity in each state, at least one, shape (number of states, 1)."""
    scales: Array = np.maximum(np.abs(velocities).max(axis=1, keepdims=True), 1.0)
    return scales
