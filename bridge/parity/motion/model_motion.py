"""Motion of the exported model, free and driven.

First the joints get random efforts, some of them beyond their limits, then those with controllers
get random targets. Commands are constant for an eighth of the motion. As for the exported motion
without commands, the distance of the motions of two engines must shrink with the time step.

Only shapes are removed, because contact is compared at L4. The engines solve friction and
constraints by different methods, which must lead to the same motion when the time step becomes
small: the distance of the two motions must shrink. The motion starts away from the stops and ends
where the first stop is near; `stops` has the motion into them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.mechanism.dynamics import STABILITY_LIMIT
from bridge.parity.bounds.counterfactual import AddedInertia, added_inertia, is_loaded, loaded_name
from bridge.parity.causes import cause_of, is_lost
from bridge.parity.convergence import HALVINGS, log_log_slope
from bridge.parity.engine import (
    ActuatorKind,
    ActuatorTrial,
    DivergedError,
    Engine,
    Factory,
    NotReportedError,
    as_exported,
    solves_constraints,
)
from bridge.parity.quantity import (
    TOLERANCE,
    WorstErrors,
    compare_readings,
    matrix,
    names_at,
    pose_distance,
)
from bridge.parity.readings import actuator_trials
from bridge.parity.states import State, exported, fastest_rate, random_states
from bridge.parity.verdict import REFERENCE, Level, Outcome, Row, explained
from loaders.diagnostics import Diagnostic
from loaders.model import JointAxis
from loaders.pose import Array

from .stops import away_from_stops, is_free_of_stops, stop_rows

QUANTITY = "exported motion"
STEPS, SAMPLES = 80, 8
"""Number of the longest steps of the motion, and of times at which link poses are compared."""
LONGEST_STEP = 2e-3
"""Largest time step [s]; a file may state a longer one."""
SHRINKS = 0.4
"""Ratio of the errors at the shortest and at the longest step at which the motions converge; 0.125
is first order.
"""
STAYS = 0.7
"""Ratio from which the error does not shrink."""
SHORTENINGS = (1, 8)
"""Factors that shorten the motion and its steps if the longest one shows no order."""
UNTIL_THEY_STOP = (8, 64)
"""Factors that shorten the motion and its steps if dry friction stops all links within the first
steps.
"""
APART = SHRINKS
"""Distance at the shortest step, relative to how far the links moved, beyond which a shrinking
distance shows nothing.

Two motions that have nothing in common are about as far apart as the links move, so that their
distance, which cannot grow further, would not show an order; it must shrink to `SHRINKS` of that as
well.
"""
MAX_WORK = 60_000
"""Degrees of freedom times steps above which the exported model is not moved."""
_Named = Sequence[tuple[str, Factory]]
_Poses = list[dict[str, Array]]
Motion = tuple[_Poses, int]
"""Link poses at the sampled times, and the number of them before the first stop is near."""


def exported_rows(mechanism: Mechanism, factories: _Named, seed: int) -> Iterator[Row]:
    """Yield one row for each pair of simulators.

    Args:
        mechanism: The mechanism to simulate.
        factories: The engines by name; the reference, which has no stops and no friction, takes no
            part.
        seed: Seed of the random initial state.
    """
    engines = {
        name: as_exported(factory) for name, factory in factories if solves_constraints(factory)
    }
    if not mechanism.v_order or not engines:
        return
    if len(engines) < 2:
        cause = "the reference has no stops and no friction; two simulators are needed"
        yield _row((REFERENCE, next(iter(engines))), Outcome.UNKNOWN, cause=cause)
        return
    work = work_of(mechanism)
    if work > MAX_WORK:
        cause = (
            f"the exported model is moved up to {MAX_WORK} degrees of freedom times steps; "
            f"this one has {work}"
        )
        yield from (_row(pair, Outcome.UNKNOWN, cause=cause) for pair in combinations(engines, 2))
        return
    motions = Motions(mechanism, engines, seed)
    for pair in combinations(engines, 2):
        yield motions.row(pair)
    yield from stop_rows(mechanism, engines, seed)


def work_of(mechanism: Mechanism) -> int:
    """Return the degrees of freedom times the steps of the motion at all time steps."""
    return int(len(mechanism.v_order) * STEPS * 2**HALVINGS)


Plan = Sequence[Mapping[str, float]]
"""The commands by joint, for each interval of the motion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionDrive:
    """Commands to actuators.

    Attributes:
        kind: The kind of the actuators.
        plan: The efforts or targets by joint, for each interval of the motion.
    """

    kind: ActuatorKind
    plan: Plan


class Motions:
    """The motions of the exported model in each engine, computed when they are first needed.

    Args:
        mechanism: The complete mechanism.
        engines: Functions that open an engine, by name.
        seed: Seed of the random initial state.
        stiffest: The mechanism with all that acts explicitly in PyBullet as dampers and springs, if
            that is more.
        drive: The commands to actuators; None for a motion without.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        engines: Mapping[str, Callable[[Mechanism], Engine]],
        seed: int,
        *,
        stiffest: Mechanism | None = None,
        drive: MotionDrive | None = None,
    ) -> None:
        self._mechanism = mechanism
        self._stiffest = stiffest or mechanism
        self._drive = drive
        self._engines = dict(engines)
        self._is_explicit: dict[str, bool] = {}
        self._start = start_of(mechanism, seed)
        self._known: dict[tuple[str, float, float], Motion] = {}
        self._initial: dict[str, dict[str, Array]] = {}
        self._diagnostics: dict[str, tuple[Diagnostic, ...]] = {}

    def row(self, pair: tuple[str, str]) -> Row:
        """Return the row of a pair of engines."""
        longest = min(self._mechanism.scene.physics.time_step, LONGEST_STEP)
        rate = self._explicit_rate(pair)
        rows = []
        for shortening in (s for s in SHORTENINGS if rate * longest / s <= STABILITY_LIMIT):
            rows.append(self._measured(pair, longest / shortening))
            if rows[-1].error <= SHRINKS:
                break
        return (
            self._judged(rows)
            if rows
            else _row(pair, Outcome.UNKNOWN, cause=_unstable(rate, longest))
        )

    def rate(self) -> float:
        """Return the fastest rate of dampers and springs at the start [1/s]."""
        return fastest_rate(exported(self._stiffest, LONGEST_STEP), self._start[0])

    def _explicit_rate(self, pair: tuple[str, str]) -> float:
        """Return the fastest rate at the start [1/s]; zero if no engine integrates dampers and
        springs explicitly.
        """
        return self.rate() if any(self._steps_explicitly(name) for name in pair) else 0.0

    def _steps_explicitly(self, name: str) -> bool:
        if name not in self._is_explicit:
            engine = self._engines[name](exported(self._mechanism, LONGEST_STEP))
            self._is_explicit[name] = engine.steps_explicitly
            engine.close()
        return self._is_explicit[name]

    def _judged(self, rows: Sequence[Row]) -> Row:
        first, last = rows[0], rows[-1]
        if first.error <= SHRINKS:
            return first if self._is_resolved(first) else self._until_they_stop(first)
        if min(row.error for row in rows) < STAYS:
            cause = (
                f"the motions show no order in the step: at the shortest step the error is "
                f"{first.error:.2f} of that "
                f"at the longest one, and {last.error:.2f} in an eighth of the time"
            )
            return dataclasses.replace(first, outcome=Outcome.UNKNOWN, cause=cause)
        return self._failed(first)

    def _is_resolved(self, row: Row) -> bool:
        """Return whether the motions are near each other at the shortest step, relative to how far
        the links move.
        """
        return row.convergence[-1][1] <= max(APART * self._extent(row), TOLERANCE)

    def _until_they_stop(self, row: Row) -> Row:
        """Return the row of a shorter motion, with steps in which the links do not stop at once;
        unknown without one.
        """
        longest = row.convergence[0][0]
        for shortening in UNTIL_THEY_STOP if self._stop_at_once(row) else ():
            shorter = self._measured(row.engines, longest / shortening)
            if shorter.error >= STAYS:
                return self._failed(shorter)
            if shorter.error <= SHRINKS and self._is_resolved(shorter):
                return shorter
        (step, distance), moved = row.convergence[-1], self._extent(row)
        cause = (
            f"the motions are {distance:.1e} m or rad apart at a step of {1e3 * step:g} ms, in "
            f"which links move by {moved:.1e}; so far apart they show no order"
        )
        return dataclasses.replace(row, outcome=Outcome.UNKNOWN, cause=cause)

    def _measured(self, pair: tuple[str, str], longest: float) -> Row:
        motions = [
            (step, [self.motion(name, step, STEPS * longest) for name in pair])
            for step in (longest / 2**k for k in range(HALVINGS))
        ]
        before_stops = max(1, min(count for _, both in motions for _, count in both))
        worst, points = WorstErrors(), []
        for step, ((one, _), (two, _)) in motions:
            worst = WorstErrors()
            for a, b in zip(one[:before_stops], two[:before_stops], strict=True):
                compare_readings(a, b, pose_distance, worst)
            points.append((step, worst.error))
        first, last = points[0][1], points[-1][1]
        ratio = shrinkage(first, last)
        return _row(
            pair,
            Outcome.PASSED,
            error=ratio,
            where=worst.where,
            convergence=tuple(points),
            order=log_log_slope(points),
        )

    def _extent(self, row: Row) -> float:
        """Return the largest motion of a link in the motion of a row [m or rad], in the engine in
        which that is less.
        """
        return min(_extent(self._initial[name], poses) for name, poses in self._shortest_steps(row))

    def _stop_at_once(self, row: Row) -> bool:
        """Return whether the links of one engine rest after the first sampled time, at the shortest
        step.

        Shorter steps would not help where the motions are far apart for another reason, such as
        chaos.
        """
        motions = self._shortest_steps(row)
        return any(
            len(poses) > 1 and _extent(poses[0], poses[1:]) <= row.convergence[-1][1]
            for _, poses in motions
        )

    def _shortest_steps(self, row: Row) -> list[tuple[str, _Poses]]:
        """Return the link poses of each engine at the shortest step of a row, before the first stop
        is near.
        """
        steps = [step for step, _ in row.convergence]
        motions = [self.motion(name, steps[-1], STEPS * steps[0]) for name in row.engines]
        counted = max(1, min(free for _, free in motions))
        return [
            (name, poses[:counted]) for name, (poses, _) in zip(row.engines, motions, strict=True)
        ]

    def motion(self, name: str, step: float, duration: float) -> Motion:
        """Return the link poses at the sampled times, and the number of them before the first stop
        is near.

        Args:
            name: The engine.
            step: Time step [s].
            duration: Simulated time [s].
        """
        key = name, step, duration
        if key not in self._known:
            engine = self._engines[name](exported(self._mechanism, step))
            try:
                self._diagnostics[name] = engine.diagnostics
                if self._drive is not None:
                    engine.start_actuators(self._drive.kind, tuple(self._drive.plan[0]))
                engine.set_state(*self._start)
                self._initial[name] = _poses_after(engine, 0)
                poses: _Poses = []
                free = 0
                for k in range(SAMPLES):
                    if self._drive is not None:
                        engine.set_controls(self._drive.plan[k])
                    poses.append(_poses_after(engine, round(duration / step / SAMPLES)))
                    free += free == k and is_free_of_stops(
                        self._mechanism, engine, duration / SAMPLES
                    )
                self._known[key] = poses, free
            finally:
                engine.close()
        return self._known[key]

    def with_loss(self, row: Row) -> Row | None:
        """Return the difference with what an engine lacks as its cause; None if no engine lacks
        anything.
        """
        entries = (entry for name in row.engines for entry in self._diagnostics[name])
        lost = next(filter(is_lost, entries), None)
        if lost is not None:
            return explained(row, cause_of(lost, row.quantity, math.inf))
        return None

    def _failed(self, row: Row) -> Row:
        lost = self.with_loss(row)
        if lost is not None:
            return lost
        added = self._with_added_inertia(row)
        if added is not None:
            return added
        (step, error) = row.convergence[-1]
        cause = (
            f"the motions do not converge: {error:.1e} m or rad apart at a step of "
            f"{1e3 * step:g} ms"
        )
        return dataclasses.replace(row, outcome=Outcome.FAILED, cause=cause)

    def _with_added_inertia(self, row: Row) -> Row | None:
        """Return the row explained by inertia that an engine adds, if the motions converge once
        both engines have it.
        """
        for owner, other in (row.engines, row.engines[::-1]):
            added = added_inertia(self._mechanism, self._diagnostics[owner])
            if added is None or is_loaded(row.engines[1]):
                continue
            loaded = loaded_name(other, owner)
            self._engines[loaded] = self._with_inertia_of(owner, other)
            return self._explained(row, added, self.row((other, loaded)), self.row((owner, loaded)))
        return None

    def _with_inertia_of(self, owner: str, other: str) -> Callable[[Mechanism], Engine]:
        def opened(mechanism: Mechanism) -> Engine:
            added = added_inertia(mechanism, self._diagnostics[owner])
            return self._engines[other](mechanism if added is None else added.mechanism)

        return opened

    @staticmethod
    def _explained(row: Row, added: AddedInertia, change: Row, remaining: Row) -> Row | None:
        """Return the row with its cause: at the shortest step, the sum of the two distances in
        place of the measured one.
        """
        first = row.convergence[0][1]
        distances = (change.convergence[-1][1], max(remaining.convergence[-1][1], TOLERANCE))
        cause = added.cause(row, distances[0] / first, remaining)
        if cause is None:
            return None
        return explained(row, dataclasses.replace(cause, bound=sum(distances) / first))


def _extent(start: Mapping[str, Array], poses: _Poses) -> float:
    """Return the largest motion of a link from its pose at the start [m or rad]."""
    return max(pose_distance(start[link], X, 1.0) for moved in poses for link, X in moved.items())


def _unstable(rate: float, longest: float) -> str:
    step = longest / SHORTENINGS[-1]
    return (
        f"dampers or springs act at a rate of {rate:.1e} 1/s; PyBullet integrates them explicitly, "
        f"which is unstable at steps above {1e3 * STABILITY_LIMIT / rate:.1e} ms, and the motion "
        f"was to be compared at {1e3 * step:g} ms"
    )


def shrinkage(first: float, last: float) -> float:
    """Return the ratio of the errors at the shortest and at the longest step; zero if both are
    within the tolerance.

    Args:
        first: The error at the longest step.
        last: The error at the shortest step.
    """
    if max(first, last) <= TOLERANCE:
        return 0.0
    ratio = last / first if 0.0 < first < math.inf else math.inf
    return math.inf if math.isnan(ratio) else ratio


def start_of(mechanism: Mechanism, seed: int) -> State:
    """Return a random state; a model with loops starts at rest at the zero position, where its
    loops are closed.

    Args:
        mechanism: The complete mechanism.
        seed: Seed of the state.
    """
    if mechanism.closures or mechanism.scene.constraints:
        return {}, {}
    return away_from_stops(mechanism, random_states(mechanism, 1, seed)[0], STEPS * LONGEST_STEP)


def _poses_after(engine: Engine, count: int) -> dict[str, Array]:
    try:
        engine.step(count)
    except DivergedError:
        return dict.fromkeys(engine.link_poses(), np.full((4, 4), np.nan))
    return {link: matrix(X_WL) for link, X_WL in engine.link_poses().items()}


def _row(
    pair: tuple[str, str],
    outcome: Outcome,
    *,
    error: float = 0.0,
    where: str = "",
    cause: str = "",
    convergence: tuple[tuple[float, float], ...] = (),
    order: float | None = None,
) -> Row:
    return Row(
        level=Level.MOTION,
        quantity=QUANTITY,
        unit="",
        engines=pair,
        error=error,
        tolerance=SHRINKS,
        where=where,
        subjects=names_at(where) if where else (),
        outcome=outcome,
        cause=cause,
        convergence=convergence,
        order=order,
    )


EFFORTS, TARGETS = "motion with efforts", "motion with controllers"
ACCELERATION = 30.0
"""Acceleration of a joint alone that its largest commanded effort causes [rad/s^2 or m/s^2]."""
DISTANCE = 0.2
"""Largest distance of a target from the initial position [rad or m]."""
_CONSTANT = 3
"""Number of intervals in the beginning with the same command."""
_BEYOND = 1.5
"""Largest commanded effort relative to the limit."""


def driven_rows(
    mechanism: Mechanism, factories: Sequence[tuple[str, Factory]], seed: int
) -> Iterator[Row]:
    """Yield a row for each pair of simulators and each kind of command that the model has actuators
    for.

    Args:
        mechanism: The mechanism to simulate.
        factories: The engines by name; the reference, which has no actuators, takes no part.
        seed: Seed of the random initial state and of the commands.
    """
    engines = {
        name: as_exported(factory) for name, factory in factories if solves_constraints(factory)
    }
    trials = actuator_trials(mechanism)
    if not trials or len(engines) < 2 or work_of(mechanism) > MAX_WORK:
        return
    rng, q = np.random.default_rng(seed), start_of(mechanism, seed)[0]
    controlled = {joint: trial for joint, trial in trials.items() if trial.gains is not None}
    efforts = MotionDrive(kind="motor", plan=_efforts(mechanism, trials, q, rng))
    yield from _rows(EFFORTS, Motions(mechanism, engines, seed, drive=efforts), engines)
    if controlled:
        targets = MotionDrive(kind="position", plan=_targets(mechanism, controlled, q, rng))
        stiff = _with_gains(mechanism, controlled)
        motions = Motions(mechanism, engines, seed, stiffest=stiff, drive=targets)
        yield from _rows(TARGETS, motions, engines)


def _rows(quantity: str, motions: Motions, engines: Iterable[str]) -> Iterator[Row]:
    """Yield the rows of all pairs; unknown if an engine does not run actuators."""
    for pair in combinations(engines, 2):
        try:
            row = motions.row(pair)
        except NotReportedError as error:
            row = _row(pair, Outcome.UNKNOWN, cause=str(error))
        yield dataclasses.replace(row, quantity=quantity)


# --- commands -------------------------------------------------------------------------------------


def _efforts(
    mechanism: Mechanism,
    trials: Mapping[str, ActuatorTrial],
    q: Mapping[str, Position],
    rng: np.random.Generator,
) -> Plan:
    """Random efforts, the first ones as large as possible: beyond the limits of joints that are
    weak.
    """
    inertia = dict(zip(mechanism.v_order, np.diag(mechanism.mass_matrix(q)), strict=True))
    sizes = {
        joint: min(_BEYOND * t.limit, ACCELERATION * inertia[joint, 0])
        for joint, t in trials.items()
    }
    first = {joint: float(rng.choice((-size, size))) for joint, size in sizes.items()}
    return _plan({joint: (-size, size) for joint, size in sizes.items()}, rng, first)


def _targets(
    mechanism: Mechanism,
    trials: Mapping[str, ActuatorTrial],
    q: Mapping[str, Position],
    rng: np.random.Generator,
) -> Plan:
    """Random targets within the limits and near the initial position."""
    bodies = {body.joint: body for body in mechanism.bodies}
    ranges = {}
    for joint in trials:
        axis = bodies[joint].primitives[0].limits or JointAxis(xyz=bodies[joint].primitives[0].axis)
        here = float(np.atleast_1d(q.get(joint, 0.0))[0])
        low, high = sorted((axis.lower, axis.upper))
        ranges[joint] = (
            float(np.clip(here - DISTANCE, low, high)),
            float(np.clip(here + DISTANCE, low, high)),
        )
    first = {joint: float(rng.uniform(*ends)) for joint, ends in ranges.items()}
    return _plan(ranges, rng, first)


def _plan(
    ranges: Mapping[str, tuple[float, float]], rng: np.random.Generator, first: Mapping[str, float]
) -> Plan:
    later = [
        {joint: float(rng.uniform(*ends)) for joint, ends in ranges.items()}
        for _ in range(SAMPLES - _CONSTANT)
    ]
    return [first] * _CONSTANT + later


def _with_gains(mechanism: Mechanism, trials: Mapping[str, ActuatorTrial]) -> Mechanism:
    """Return the mechanism with a spring and a damper in place of each controller, which act at the
    same rates.
    """
    joints = []
    for joint in mechanism.scene.joints:
        p, d = trials[joint.name].gains or (0.0, 0.0) if joint.name in trials else (0.0, 0.0)
        axes = tuple(
            dataclasses.replace(
                axis, damping=axis.damping + d, spring_stiffness=axis.spring_stiffness + p
            )
            for axis in joint.axes
        )
        joints.append(dataclasses.replace(joint, axes=axes))
    return relowered(mechanism, dataclasses.replace(mechanism.scene, joints=tuple(joints)))
