"""Order of convergence: how the distance from the exact motion shrinks with the time step."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import PrimitiveKind
from bridge.mechanism.coordinates import Position, default_position, kind_of
from bridge.parity.engines.protocol import DivergedError, Factory
from bridge.parity.engines.reference_engine import accelerations
from bridge.parity.results.verdict import Level, Outcome, Row
from loaders.spatial import Array

from .quantities import WorstErrors, compare_readings, matrix, pose_distance
from .random_states import State, random_states, time_step, without_solver_effects
from .rollouts import Rollout, RolloutCache

Points = tuple[tuple[float, float], ...]
"""Time steps [s] and errors."""
HALVINGS = 4
"""Number of time steps in a convergence test, each half of the one before."""
STEPS = 40
"""Number of the longest steps in the motion of a convergence test."""
MIN_FIRST_ORDER = 0.9
"""Smallest measured order that counts as first order; terms of higher order may reduce the measured order."""
MAX_EXACT_DOFS = 40
"""Degrees of freedom above which the exact motion, which is slow to compute, is left out."""
EXACT_MOTION = "exact"
"""The name of the exact motion in rows, in place of an engine."""
MAX_REFERENCE_DOFS = 9
"""Degrees of freedom above which the order of the reference itself is left out."""
MAX_FIRST_ORDER = 1.5
"""Largest measured order that a method of first order shows where the exact motion is exact."""
MAX_UNCERTAINTY = 0.1
"""Largest uncertainty of the exact motion as a fraction of the errors that are measured against it."""
ROUNDING_ERROR = 1e-10
"""Error at the longest step below which only rounding is left, so that there is no order to measure."""


def log_log_slope(points: Sequence[tuple[float, float]]) -> float | None:
    """Return the slope of errors over steps on logarithmic axes, by least squares; None if it is undefined."""
    if len(points) < 2 or not all(0.0 < error < math.inf for _, error in points):
        return None
    steps, errors = np.log(np.array(points)).T
    return float(np.polyfit(steps, errors, 1)[0])


def errors_over_steps(longest: float, error: Callable[[float], float]) -> Points:
    """Return the errors at steps that are halved repeatedly, from the longest step down."""
    return tuple((longest / 2**k, error(longest / 2**k)) for k in range(HALVINGS))


def order_rows(mechanism: Mechanism, factories: Sequence[tuple[str, Factory]], seed: int) -> Iterator[Row]:
    """Yield one row for each engine with the order at which its motion converges to the exact motion.

    Args:
        mechanism: The mechanism to simulate.
        factories: The engines by name.
        seed: Seed of the random initial state.
    """
    moving = without_solver_effects(mechanism)
    step = time_step(moving)
    if step is None:
        moving = without_solver_effects(mechanism, damped=False)
        step = time_step(moving)
    if not moving.v_order or step is None:
        return
    if len(moving.v_order) > MAX_EXACT_DOFS:
        size = len(moving.v_order)
        cause = f"the exact motion is computed for at most {MAX_EXACT_DOFS} degrees of freedom; the model has {size}"
        yield _unknown(factories[0][0], cause)
        return
    start = random_states(moving, 1, seed)[0]
    try:
        final = moving.link_poses(exact_motion(moving, start, step, STEPS))
    except DivergedError as error:
        yield _unknown(factories[0][0], str(error))
        return
    exact = {link: matrix(X_WL) for link, X_WL in final.items()}
    rollout = Rollout(mechanism=moving, start=start, step=step, duration=STEPS * step)
    uncertainty = _Uncertainty(rollout, exact)
    for name, factory in factories:
        if name == "reference" and len(moving.v_order) > MAX_REFERENCE_DOFS:
            continue  # the comparison of one step shows that it takes the same steps as MuJoCo, only more slowly
        points, where = convergence_to_exact(name, RolloutCache({name: factory}), rollout, exact)
        yield uncertainty.judged(order_row(Level.MOTION, "order of convergence", name, points, where))


class _Uncertainty:
    """The change of the exact motion when its step is halved, computed only where an order is not the first."""

    def __init__(self, rollout: Rollout, exact: dict[str, Array]) -> None:
        self._rollout, self._exact = rollout, exact

    def judged(self, row: Row) -> Row:
        """Return a row, as unknown if its order is not the first and the exact motion is too uncertain to show it."""
        is_plain = row.outcome is Outcome.PASSED and (row.order is None or row.order <= MAX_FIRST_ORDER)
        smallest = min(error for _, error in row.convergence)
        if is_plain or row.convergence[0][1] < ROUNDING_ERROR or self._distance <= MAX_UNCERTAINTY * smallest:
            return row
        cause = (
            f"the exact motion is uncertain by {self._distance:.1g} m or rad, and the smallest error is {smallest:.1g}"
        )
        return _unknown(row.engines[1], cause)

    @cached_property
    def _distance(self) -> float:
        """The distance of the final poses from those at half of the step; infinite if that motion diverges."""
        moving, half = self._rollout.mechanism, 0.5 * self._rollout.step
        try:
            final = moving.link_poses(exact_motion(moving, self._rollout.start, half, 2 * STEPS))
        except DivergedError:
            return math.inf
        worst = WorstErrors()
        poses = {link: matrix(X_WL) for link, X_WL in final.items()}
        compare_readings(self._exact, poses, pose_distance, worst)
        return worst.error


def _unknown(engine: str, cause: str) -> Row:
    return Row(
        level=Level.MOTION, quantity="order of convergence", unit="", engines=(EXACT_MOTION, engine), error=0.0,
        tolerance=1.0 - MIN_FIRST_ORDER, where="", outcome=Outcome.UNKNOWN, cause=cause,
    )  # fmt: skip


def convergence_to_exact(
    engine: str, cache: RolloutCache, rollout: Rollout, exact: dict[str, Array]
) -> tuple[Points, str]:
    """Return the distances from the exact final poses over the step, and the link with the largest distance.

    Args:
        engine: The name of the engine.
        cache: Runs the rollouts.
        rollout: The rollout with the longest step.
        exact: The exact pose of each link at the end, shape (4, 4).
    """
    worst = WorstErrors()

    def error(step: float) -> float:
        trajectory = cache.trajectory(engine, dataclasses.replace(rollout, step=step))
        current = WorstErrors()
        compare_readings(exact, trajectory.poses[-1], pose_distance, current)
        worst.record(current.error, current.where)
        return current.error

    return errors_over_steps(rollout.step, error), worst.where


def order_row(level: Level, quantity: str, engine: str, points: Points, where: str) -> Row:
    """Return the row of errors that must shrink at first order; its error is by how much the order is below one.

    Args:
        level: The level of the row.
        quantity: The name of the quantity.
        engine: The name of the engine.
        points: Steps and errors, the longest step first.
        where: The link with the largest error.
    """
    order = log_log_slope(points)
    missing = 0.0 if points[0][1] < ROUNDING_ERROR else math.inf if order is None else max(0.0, 1.0 - order)
    outcome = Outcome.PASSED if missing <= 1.0 - MIN_FIRST_ORDER else Outcome.FAILED
    return Row(
        level=level, quantity=quantity, unit="", engines=(EXACT_MOTION, engine), error=missing,
        tolerance=1.0 - MIN_FIRST_ORDER, where=where, outcome=outcome, convergence=points, order=order,
    )  # fmt: skip


# --- the exact motion ------------------------------------------------------------------------------------------------


def exact_motion(mechanism: Mechanism, start: State, step: float, count: int) -> dict[str, Position]:
    """Return the positions after a number of steps of the classical Runge-Kutta method of fourth order.

    Args:
        mechanism: The mechanism to integrate.
        start: The initial state.
        step: Time step [s].
        count: Number of steps.

    Raises:
        DivergedError: if the motion leaves the finite numbers.
    """
    q = np.concatenate([np.zeros(0), *mechanism.positions_by_body(start[0])])
    v = mechanism.velocities(start[1])
    with np.errstate(over="raise", invalid="raise"):
        for _ in range(count):
            try:
                q, v = _runge_kutta_step(mechanism, q, v, step)
            except FloatingPointError as error:
                raise DivergedError(f"the exact motion diverges in steps of {1e3 * step:.2g} ms") from error
    return _positions_by_joint(mechanism, q)


def _runge_kutta_step(mechanism: Mechanism, q: Array, v: Array, h: float) -> tuple[Array, Array]:
    def rate(dq: Array, dv: Array, part: float) -> tuple[Array, Array]:
        position, velocity = q + part * h * dq, v + part * h * dv
        by_joint = _positions_by_joint(mechanism, position), _velocities_by_joint(mechanism, velocity)
        return _position_rates(mechanism, position, velocity), accelerations(mechanism, *by_joint)

    k1 = rate(np.zeros_like(q), np.zeros_like(v), 0.0)
    k2 = rate(*k1, 0.5)
    k3 = rate(*k2, 0.5)
    k4 = rate(*k3, 1.0)
    dq, dv = ((a + 2.0 * b + 2.0 * c + d) / 6.0 for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
    return q + h * dq, v + h * dv


def _position_rates(mechanism: Mechanism, q: Array, v: Array) -> Array:
    """The rates of the positions; that of a quaternion is half the angular velocity times the quaternion."""
    rates, start = np.zeros_like(q), 0
    for body in mechanism.bodies:
        kind, k = kind_of(body), body.v_start
        size = len(default_position(body))
        end = start + size
        if kind is None:
            rates[start:end] = v[k : k + size]
        else:
            angular = k + 3 if kind is PrimitiveKind.FREE else k
            rates[start : end - 4] = v[k:angular]
            rates[end - 4 : end] = _quaternion_rate(q[end - 4 : end], v[angular : angular + 3])
        start = end
    return rates


def _quaternion_rate(wxyz: Array, w: Array) -> Array:
    scalar, vector = wxyz[0], wxyz[1:]
    return 0.5 * np.concatenate(([-w @ vector], scalar * w + np.cross(w, vector)))


def _positions_by_joint(mechanism: Mechanism, q: Array) -> dict[str, Position]:
    positions: dict[str, Position] = {}
    start = 0
    for body, default in zip(mechanism.bodies, mechanism.positions_by_body(), strict=True):
        if default:
            positions[str(body.joint)] = q[start : start + len(default)].tolist()
        start += len(default)
    return positions


def _velocities_by_joint(mechanism: Mechanism, v: Array) -> dict[str, Position]:
    return {
        str(body.joint): v[body.v_start : body.v_start + body.nv].tolist()
        for body in mechanism.bodies
        if body.primitives
    }
