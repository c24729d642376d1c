"""Rollouts, and the order at which they approach the exact motion.

A difference that is due to the step alone has the form ``c1 h + c2 h^2 + ...``. Richardson's
extrapolation removes these terms one after another; what remains is a difference of the models.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import PrimitiveKind
from bridge.mechanism.coordinates import Position, default_position, kind_of
from loaders.deferred import cached_property
from loaders.diagnostics import Diagnostic
from loaders.pose import Array, matrix_to_quaternion

from .engine import (
    BaseEngine,
    ConstraintSoftness,
    DivergedError,
    Engine,
    Factory,
    constraint_subjects,
    is_slow,
    unit_roundoff,
)
from .quantity import WorstErrors, compare_readings, matrix, pose_distance
from .reference import accelerations
from .states import PERTURBATION, State, perturbed, random_states, time_step, without_solver_effects
from .verdict import EXACT_MOTION, Level, Outcome, Row

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
    """Return the condition number of the mass matrix, scaled to ones on its diagonal; one without
    velocities.
    """
    M = mechanism.mass_matrix(state[0])
    diagonal = np.diag(M)
    if not len(M):
        return 1.0
    if not (np.isfinite(M).all() and (diagonal > 0.0).all()):
        return float("inf")
    scale = np.sqrt(diagonal)
    scaled, sizes = M / np.outer(scale, scale), list[Array]()
    for tree in mechanism.trees.values():  # 550 free bodies take 1/100 of the time of one matrix
        bodies = (mechanism.bodies[i] for i in tree)
        dofs = [k for body in bodies for k in range(body.v_start, body.v_start + body.nv)]
        if dofs:
            sizes.append(np.linalg.svd(scaled[np.ix_(dofs, dofs)], compute_uv=False))
    least = min(each[-1] for each in sizes)
    return float(max(each[0] for each in sizes) / least) if least > 0.0 else float("inf")


def matrix_disagreement(one: Array, two: Array) -> float:
    """Return by how much two mass matrices of one model differ from rounding; 0 if they differ by
    more than that.

    Engines add inertias about different points. Where large terms cancel, as for a light link that
    is far from the center of mass of the robot, their sums differ by more than the last digits.

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
    """Return the relative rounding error of one step, which grows with the condition of the mass
    matrix.

    Args:
        mechanism: The mechanism.
        state: Positions and velocities before the step.
        disagreement: By how much the mass matrices of two engines differ, see
            `matrix_disagreement`.
    """
    return _BASE_ROUNDING + (_ROUNDING + disagreement) * condition(mechanism, state)


SAMPLES = 20
"""Number of times at which the engines are asked for link poses."""

Series = tuple[tuple[float, float], ...]
"""Times [s] and errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """A simulation to run.

    Attributes:
        mechanism: The mechanism to simulate.
        start: The initial state.
        step: Time step [s].
        duration: Simulated time [s], a multiple of the step and of `SAMPLES`.
    """

    mechanism: Mechanism
    start: State
    step: float
    duration: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """The result of a rollout in one engine.

    Attributes:
        poses: Pose of each link, shape (4, 4), at each sampled time.
        constraint_violation: Largest violation of each coupling, screw and loop at the sampled
            times [rad or m].
        diagnostics: The fidelity report of the engine.
        states: Positions and velocities at the sampled times, if the mechanism has constraints.
        has_diverged: Whether the engine reports that the motion has left the finite numbers.
        softness: How far constraints give way in the engine.
    """

    poses: list[dict[str, Array]]
    constraint_violation: dict[str, float]
    diagnostics: tuple[Diagnostic, ...]
    states: tuple[State, ...] = ()
    has_diverged: bool = False
    softness: ConstraintSoftness = field(default_factory=ConstraintSoftness)


class RolloutCache:
    """Runs each rollout once in each engine, when it is first needed."""

    def __init__(self, factories: Mapping[str, Factory]) -> None:
        self.factories = dict(factories)
        self._trajectories: list[tuple[str, Rollout, Trajectory]] = []

    def trajectory(self, engine: str, rollout: Rollout) -> Trajectory:
        """Return the trajectory of one engine."""
        for name, known, trajectory in self._trajectories:
            if name == engine and _is_same(known, rollout):
                return trajectory
        trajectory = _simulate(self.factories[engine], rollout)
        self._trajectories.append((engine, rollout, trajectory))
        return trajectory

    def open_as(self, name: str, engine: str, mechanism: Mechanism) -> None:
        """Run the rollouts of a name in an engine that holds another mechanism with the same joints
        and links.

        Args:
            name: The name.
            engine: The engine.
            mechanism: The mechanism that it holds, whichever a rollout states.
        """
        self.factories[name] = lambda _: self.factories[engine](mechanism)

    def distance(self, engines: tuple[str, str], rollout: Rollout) -> tuple[WorstErrors, Series]:
        """Return the largest distance of each link between two engines, and that of all links at
        each time.
        """
        one, two = (self.trajectory(name, rollout) for name in engines)
        return _distance(one, two, rollout.duration)

    def displacement(self, engines: tuple[str, str], rollout: Rollout) -> Array:
        """Return the final difference of all link poses, as positions [m] and rotation vectors
        [rad].
        """
        one, two = (self.trajectory(name, rollout).poses[-1] for name in engines)
        return np.concatenate([displacement(one[name], two[name]) for name in one])

    def extent(self, engine: str, rollout: Rollout) -> float:
        """Return how far the links move in one engine: the largest distance from the first sample
        [m or rad].
        """
        first, *others = self.trajectory(engine, rollout).poses
        worst = WorstErrors()
        for poses in others:
            compare_readings(first, poses, pose_distance, worst)
        return worst.error

    def sensitivity(self, engine: str, rollout: Rollout) -> float:
        """Return the ratio of final to initial distance of two trajectories with close initial
        states, at least one.
        """
        neighbor = dataclasses.replace(rollout, start=perturbed(rollout.start))
        worst, _ = _distance(
            self.trajectory(engine, rollout), self.trajectory(engine, neighbor), rollout.duration
        )
        return max(1.0, worst.error / PERTURBATION)


def _is_same(one: Rollout, two: Rollout) -> bool:
    return (
        one.mechanism is two.mechanism
        and one.start == two.start
        and (one.step, one.duration) == (two.step, two.duration)
    )


def displacement(one: Array, two: Array) -> Array:
    """Return the position [m] and rotation vector [rad] of one pose relative to another, shape
    (6,).

    Args:
        one: The pose to measure from, shape (4, 4).
        two: The pose to measure.
    """
    w, x, y, z = matrix_to_quaternion(one[:3, :3].T @ two[:3, :3])
    return np.array(
        (*(two[:3, 3] - one[:3, 3]), *(2.0 * math.copysign(1.0, w) * np.array((x, y, z))))
    )


def _simulate(factory: Factory, rollout: Rollout) -> Trajectory:
    engine: Engine = factory(rollout.mechanism)
    try:
        engine.set_step(rollout.step)
        engine.set_state(*rollout.start)
        poses, violations, states = list[dict[str, Array]](), dict[str, float](), list[State]()
        links, has_diverged = tuple(engine.link_poses()), False
        is_constrained = bool(constraint_subjects(rollout.mechanism))
        for _ in range(SAMPLES):
            try:
                engine.step(round(rollout.duration / rollout.step / SAMPLES))
            except DivergedError:
                poses += [dict.fromkeys(links, np.full((4, 4), np.nan))] * (SAMPLES - len(poses))
                has_diverged = True
                break
            poses.append({link: matrix(X_WL) for link, X_WL in engine.link_poses().items()})
            if is_constrained:
                for name, violation in engine.violations().items():
                    violations[name] = max(violation, violations.get(name, 0.0))
                states.append(
                    (engine.positions(), _by_joint(rollout.mechanism, engine.velocities()))
                )
        return Trajectory(
            poses=poses,
            constraint_violation=violations,
            diagnostics=engine.diagnostics,
            states=tuple(states),
            has_diverged=has_diverged,
            softness=engine.constraint_softness,
        )
    finally:
        engine.close()


def _by_joint(mechanism: Mechanism, velocities: Array) -> dict[str, Position]:
    by_joint: dict[str, list[float]] = {}
    for (joint, _), rate in zip(mechanism.v_order, velocities.tolist(), strict=True):
        by_joint.setdefault(joint, []).append(rate)
    return {joint: tuple(rates) for joint, rates in by_joint.items()}


def _distance(one: Trajectory, two: Trajectory, duration: float) -> tuple[WorstErrors, Series]:
    worst, series = WorstErrors(), []
    for k, (a, b) in enumerate(zip(one.poses, two.poses, strict=True), start=1):
        current = WorstErrors()
        compare_readings(a, b, pose_distance, current)
        worst.record(current.error, current.where)
        series.append((k * duration / SAMPLES, current.error))
    return worst, tuple(series)


Points = tuple[tuple[float, float], ...]
"""Time steps [s] and errors."""
HALVINGS = 4
"""Number of time steps in a convergence test, each half of the one before."""
STEPS = 40
"""Number of the longest steps in the motion of a convergence test."""
MIN_FIRST_ORDER = 0.9
"""Smallest measured order that counts as first order; terms of higher order may reduce the measured
order."""
MAX_EXACT_DOFS = 40
"""Degrees of freedom above which the exact motion, which is slow to compute, is left out."""
MAX_REFERENCE_DOFS = 9
"""Degrees of freedom above which the order of a slow engine, as the reference, is left out."""
MAX_FIRST_ORDER = 1.5
"""Largest measured order that a method of first order shows where the exact motion is exact."""
MAX_UNCERTAINTY = 0.1
"""Largest uncertainty of the exact motion as a fraction of the errors that are measured against
it."""
ROUNDING_ERROR = 1e-10
"""Error at the longest step below which only rounding is left, so that there is no order to
measure."""


def log_log_slope(points: Sequence[tuple[float, float]]) -> float | None:
    """Return the slope of errors over steps on logarithmic axes, by least squares; None if it is
    undefined.
    """
    if len(points) < 2 or not all(0.0 < error < math.inf for _, error in points):
        return None
    steps, errors = np.log(np.array(points)).T
    return float(np.polyfit(steps, errors, 1)[0])


def errors_over_steps(longest: float, error: Callable[[float], float]) -> Points:
    """Return the errors at steps that are halved repeatedly, from the longest step down."""
    return tuple((longest / 2**k, error(longest / 2**k)) for k in range(HALVINGS))


def order_rows(
    mechanism: Mechanism, factories: Sequence[tuple[str, Factory]], seed: int
) -> Iterator[Row]:
    """Yield one row for each engine with the order at which its motion converges to the exact
    motion.

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
        cause = (
            f"the exact motion is computed for at most {MAX_EXACT_DOFS} degrees of freedom; "
            f"the model has {size}"
        )
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
        if unit_roundoff(factory) > BaseEngine.unit_roundoff:
            continue  # rounding hides the order
        if is_slow(factory) and len(moving.v_order) > MAX_REFERENCE_DOFS:
            # the comparison of one step shows that it takes the same steps as others, only more
            # slowly
            continue
        points, where = convergence_to_exact(name, RolloutCache({name: factory}), rollout, exact)
        yield uncertainty.judged(
            order_row(Level.MOTION, "order of convergence", name, points, where)
        )


class _Uncertainty:
    """The change of the exact motion when its step is halved, computed only where an order is not
    the first.
    """

    def __init__(self, rollout: Rollout, exact: dict[str, Array]) -> None:
        self._rollout, self._exact = rollout, exact

    def judged(self, row: Row) -> Row:
        """Return a row, as unknown if its order is not the first and the exact motion is too
        uncertain to show it.
        """
        is_plain = row.outcome is Outcome.PASSED and (
            row.order is None or row.order <= MAX_FIRST_ORDER
        )
        smallest = min(error for _, error in row.convergence)
        if (
            is_plain
            or row.convergence[0][1] < ROUNDING_ERROR
            or self._distance <= MAX_UNCERTAINTY * smallest
        ):
            return row
        cause = (
            f"the exact motion is uncertain by {self._distance:.1g} m or rad, and the "
            f"smallest error is {smallest:.1g}"
        )
        return _unknown(row.engines[1], cause)

    @cached_property
    def _distance(self) -> float:
        """The distance of the final poses from those at half of the step; infinite if that motion
        diverges.
        """
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
        level=Level.MOTION,
        quantity="order of convergence",
        engines=(EXACT_MOTION, engine),
        tolerance=1.0 - MIN_FIRST_ORDER,
        outcome=Outcome.UNKNOWN,
        cause=cause,
    )


def convergence_to_exact(
    engine: str, cache: RolloutCache, rollout: Rollout, exact: dict[str, Array]
) -> tuple[Points, str]:
    """Return the distances from the exact final poses over the step, and the link with the largest
    distance.

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
    """Return the row of errors that must shrink at first order; its error is by how much the order
    is below one.

    Args:
        level: The level of the row.
        quantity: The name of the quantity.
        engine: The name of the engine.
        points: Steps and errors, the longest step first.
        where: The link with the largest error.
    """
    order = log_log_slope(points)
    missing = math.inf if order is None else max(0.0, 1.0 - order)
    if points[0][1] < ROUNDING_ERROR:
        missing = 0.0
    outcome = Outcome.PASSED if missing <= 1.0 - MIN_FIRST_ORDER else Outcome.FAILED
    return Row(
        level=level,
        quantity=quantity,
        engines=(EXACT_MOTION, engine),
        error=missing,
        tolerance=1.0 - MIN_FIRST_ORDER,
        where=where,
        outcome=outcome,
        convergence=points,
        order=order,
    )


# --- the exact motion -----------------------------------------------------------------------------


def exact_motion(
    mechanism: Mechanism, start: State, step: float, count: int
) -> dict[str, Position]:
    """Return the positions after a number of steps of the classical Runge-Kutta method of fourth
    order.

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
                raise DivergedError(
                    f"the exact motion diverges in steps of {1e3 * step:.2g} ms"
                ) from error
    return _positions_by_joint(mechanism, q)


def _runge_kutta_step(mechanism: Mechanism, q: Array, v: Array, h: float) -> tuple[Array, Array]:
    def rate(dq: Array, dv: Array, part: float) -> tuple[Array, Array]:
        position, velocity = q + part * h * dq, v + part * h * dv
        by_joint = (
            _positions_by_joint(mechanism, position),
            _velocities_by_joint(mechanism, velocity),
        )
        return _position_rates(mechanism, position, velocity), accelerations(mechanism, *by_joint)

    k1 = rate(np.zeros_like(q), np.zeros_like(v), 0.0)
    k2 = rate(*k1, 0.5)
    k3 = rate(*k2, 0.5)
    k4 = rate(*k3, 1.0)
    dq, dv = ((a + 2.0 * b + 2.0 * c + d) / 6.0 for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
    return q + h * dq, v + h * dv


def _position_rates(mechanism: Mechanism, q: Array, v: Array) -> Array:
    """Return the rates of the positions; that of a quaternion is half the angular velocity times
    the quaternion.
    """
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
