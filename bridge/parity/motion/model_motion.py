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
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeVar

import numpy as np

from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.mechanism.dynamics import STABILITY_LIMIT
from bridge.parity.bounds.counterfactual import AddedInertia, added_inertia, is_loaded, loaded_name
from bridge.parity.causes import SOFT_CONSTRAINTS, Cause, cause_of, is_lost
from bridge.parity.convergence import HALVINGS, log_log_slope
from bridge.parity.engine import (
    SOFTNESS,
    ActuatorKind,
    ActuatorTrial,
    DivergedError,
    Engine,
    Factory,
    NotReportedError,
    as_exported,
    scalar_dofs,
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
from bridge.parity.states import State, at_zero, exported, fastest_rate, random_states
from bridge.parity.verdict import REFERENCE, Level, Outcome, Row, explained
from bridge.targets.pybullet import codes as pybullet_codes
from loaders.diagnostics import Diagnostic
from loaders.engine_settings import MUJOCO, conventions_of
from loaders.model import (
    BallConstraint,
    Coupling,
    Joint,
    JointAxis,
    Tendon,
    WeldConstraint,
    of_engine,
    settings_of,
)
from loaders.pose import Array

from .stops import away_from_stops, is_free_of_stops, stop_rows

QUANTITY, EFFORTS, TARGETS = "exported motion", "motion with efforts", "motion with controllers"
STEPS, SAMPLES = 80, 8
"""Number of the longest steps of the motion, and of times at which link poses are compared."""
LONGEST_STEP = 2e-3
"""Largest time step [s]; a file may state a longer one."""
SHRINKS = 0.4
"""Ratio of the errors at the shortest and at the longest step at which the motions converge; 0.125
is first order."""
STAYS = 0.7
"""Ratio from which the error does not shrink."""
SHORTENINGS = (1, 8)
"""Factors that shorten the motion and its steps if the longest one shows no order."""
UNTIL_THEY_STOP = (8, 64)
"""Factors that shorten the motion and its steps if dry friction stops all links within the first
steps."""
APART = SHRINKS
"""Distance at the shortest step, relative to how far the links moved, beyond which a shrinking
distance shows nothing.

Two motions that have nothing in common are about as far apart as the links move, so that their
distance, which cannot grow further, would not show an order; it must shrink to `SHRINKS` of that as
well."""
MAX_WORK = 60_000
"""Degrees of freedom times steps above which the exported model is not moved."""
_HasSettings = TypeVar(
    "_HasSettings", bound=Joint | Tendon | Coupling | BallConstraint | WeldConstraint
)
_Engines = Mapping[str, Callable[[Mechanism], Engine]]
"""Functions that open an engine with the model as it is exported, by name."""


def exported_rows(
    mechanism: Mechanism, factories: Sequence[tuple[str, Factory]], seed: int
) -> Iterator[Row]:
    """Yield one row for each pair of simulators.

    Args:
        mechanism: The mechanism to simulate.
        factories: The engines by name; the reference, which has no stops and no friction, takes no
            part.
        seed: Seed of the random initial state.
    """
    engines = _simulators(factories)
    if not mechanism.v_order or not engines:
        return
    if len(engines) < 2:
        cause = "the reference has no stops and no friction; two simulators are needed"
        yield _unknown((REFERENCE, next(iter(engines))), cause)
        return
    work = _work(mechanism)
    if work > MAX_WORK:
        cause = (
            f"the exported model is moved up to {MAX_WORK} degrees of freedom times steps; "
            f"this one has {work}"
        )
        yield from (_unknown(pair, cause) for pair in combinations(engines, 2))
        return
    start = start_of(mechanism, seed)
    rates = _explicit_rates(engines, mechanism, mechanism, start)
    motions = Motions(mechanism=mechanism, start=start, engines=engines, explicit_rates=rates)
    for pair in combinations(engines, 2):
        yield from _felt_rows(mechanism, start, _converging_row(motions, pair))
    yield from stop_rows(mechanism, engines, seed)


FELT = 10.0
"""Multiple of the distance of two motions by which a friction or a spring must change them."""


def _felt_rows(mechanism: Mechanism, start: State, row: Row) -> Iterator[Row]:
    """Yield the row with the number of joints whose dry friction or spring changes the motion by
    more than the distance of the two motions, and a row of the others.
    """
    if not row.convergence or row.outcome is Outcome.UNKNOWN:
        yield row
        return
    longest, distance = row.convergence[0][0], row.convergence[-1][1]
    time = STEPS * longest
    mobility = np.diag(np.linalg.pinv(mechanism.mass_matrix(start[0]), hermitian=True))
    v = mechanism.velocities(start[1])
    changes: dict[str, float] = {}
    for (joint, k), scalar in scalar_dofs(mechanism).items():
        axis, dof = scalar.primitive.limits, mechanism.dof_index[joint, k]
        if axis is None or not (axis.friction or axis.spring_stiffness):
            continue
        here = float(np.atleast_1d(start[0].get(joint, np.zeros(k + 1)))[k])
        stretch = abs(here - axis.spring_reference) + abs(float(v[dof])) * time / 2.0
        force = axis.friction + axis.spring_stiffness * stretch
        changes[joint] = changes.get(joint, 0.0) + float(mobility[dof]) * force * time**2 / 2.0
    idle = [joint for joint, change in changes.items() if change <= FELT * max(distance, TOLERANCE)]
    count = (len(changes) - len(idle), len(changes))
    yield dataclasses.replace(row, loaded=count) if changes else row
    if idle:
        cause = (
            f"the dry friction and springs of {', '.join(idle)} change the motion by less than "
            f"{FELT:g} times the distance of the two motions, {distance:.1e}"
        )
        unknown = _unknown(row.engines, cause)
        yield dataclasses.replace(unknown, where=idle[0], subjects=tuple(idle), is_stated=False)


def driven_rows(
    mechanism: Mechanism, factories: Sequence[tuple[str, Factory]], seed: int
) -> Iterator[Row]:
    """Yield a row for each pair of simulators and each kind of command that the model has actuators
    for.

    Args:
        mechanism: The mechanism to simulate.
        factories: The engines by name; the reference, which has no actuators, is left out.
        seed: Seed of the random initial state and of the commands.
    """
    engines = _simulators(factories)
    trials = actuator_trials(mechanism)
    if not trials or len(engines) < 2 or _work(mechanism) > MAX_WORK:
        return
    rng, start = np.random.default_rng(seed), start_of(mechanism, seed)
    controlled = {joint: trial for joint, trial in trials.items() if trial.gains is not None}
    efforts = MotionDrive(kind="motor", plan=_efforts(mechanism, trials, start, rng))
    experiments = [(EFFORTS, efforts, mechanism)]
    if controlled:
        targets = MotionDrive(kind="position", plan=_targets(mechanism, controlled, start, rng))
        experiments.append((TARGETS, targets, _with_gains(mechanism, controlled)))
    for quantity, drive, stiffest in experiments:
        motions = Motions(
            mechanism=mechanism,
            start=start,
            engines=engines,
            explicit_rates=_explicit_rates(engines, mechanism, stiffest, start),
            drive=drive,
        )
        for pair in combinations(engines, 2):
            try:
                row = _converging_row(motions, pair)
            except NotReportedError as error:
                row = _unknown(pair, str(error))
            yield dataclasses.replace(row, quantity=quantity)


def _unknown(pair: tuple[str, str], cause: str) -> Row:
    return Row(
        level=Level.MOTION,
        quantity=QUANTITY,
        engines=pair,
        tolerance=SHRINKS,
        outcome=Outcome.UNKNOWN,
        cause=cause,
    )


def _simulators(factories: Sequence[tuple[str, Factory]]) -> _Engines:
    return {
        name: as_exported(factory) for name, factory in factories if solves_constraints(factory)
    }


def _work(mechanism: Mechanism) -> int:
    """Return the degrees of freedom times the steps of the motion at all time steps."""
    return int(len(mechanism.v_order) * STEPS * 2**HALVINGS)


def _explicit_rates(
    engines: _Engines, mechanism: Mechanism, stiffest: Mechanism, start: State
) -> dict[str, float]:
    """Return the fastest rate at the start [1/s] for each engine that integrates dampers and
    springs explicitly; those of the stiffest mechanism, with all that acts as dampers and springs.
    """
    model, rates = exported(mechanism, LONGEST_STEP), {}
    for name, open_engine in engines.items():
        with closing(open_engine(model)) as engine:
            if engine.steps_explicitly:
                rates[name] = fastest_rate(stiffest, start[0])
    return rates


def start_of(mechanism: Mechanism, seed: int) -> State:
    """Return a random state; a model with loops starts at rest at the zero position, where its
    loops are closed, with followers of couplings where these put them.

    Args:
        mechanism: The complete mechanism.
        seed: Seed of the state.
    """
    if mechanism.closures or mechanism.scene.constraints:
        return at_zero(mechanism), {}
    return away_from_stops(mechanism, random_states(mechanism, 1, seed)[0], STEPS * LONGEST_STEP)


# --- motions --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionDrive:
    """Commands to actuators.

    Attributes:
        kind: The kind of the actuators.
        plan: The efforts or targets by joint, for each interval of the motion.
    """

    kind: ActuatorKind
    plan: Sequence[Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedMotion:
    """The motion of the exported model in one engine.

    Attributes:
        poses: The link poses at the start and at the sampled times, each of shape (4, 4).
        before_stops: The number of sampled times before the first stop is near.
        diagnostics: The fidelity report of the engine.
    """

    poses: Sequence[Mapping[str, Array]]
    before_stops: int
    diagnostics: tuple[Diagnostic, ...]

    def until(self, count: int) -> ExportedMotion:
        """Return the motion until a number of sampled times."""
        return dataclasses.replace(self, poses=self.poses[: 1 + count])


def simulate(
    open_engine: Callable[[Mechanism], Engine],
    mechanism: Mechanism,
    start: State,
    step: float,
    duration: float,
    drive: MotionDrive | None = None,
) -> ExportedMotion:
    """Return the motion of the exported model in one engine.

    Args:
        open_engine: A function that opens the engine.
        mechanism: The complete mechanism.
        start: The initial state.
        step: Time step [s].
        duration: Simulated time [s].
        drive: The commands to actuators; None for a motion without.
    """
    with closing(open_engine(exported(mechanism, step))) as engine:
        if drive is not None:
            engine.start_actuators(drive.kind, tuple(drive.plan[0]))
        engine.set_state(*start)
        poses = [_poses_after(engine, 0)]
        before_stops = 0
        for k in range(SAMPLES):
            if drive is not None:
                engine.set_controls(drive.plan[k])
            poses.append(_poses_after(engine, round(duration / step / SAMPLES)))
            if before_stops == k and is_free_of_stops(mechanism, engine, duration / SAMPLES):
                before_stops += 1
        return ExportedMotion(
            poses=poses, before_stops=before_stops, diagnostics=engine.diagnostics
        )


def _poses_after(engine: Engine, count: int) -> dict[str, Array]:
    try:
        engine.step(count)
    except DivergedError:
        return dict.fromkeys(engine.link_poses(), np.full((4, 4), np.nan))
    return {link: matrix(X_WL) for link, X_WL in engine.link_poses().items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Motions:
    """The motions of one model from one state, each of which is simulated once.

    Attributes:
        mechanism: The complete mechanism.
        start: The initial state.
        engines: Functions that open an engine, by name.
        explicit_rates: The fastest rate of dampers and springs [1/s], for each engine that
            integrates them explicitly.
        drive: The commands to actuators; None for a motion without.
        simulated: The motions so far, by engine, step [s] and duration [s].
    """

    mechanism: Mechanism
    start: State
    engines: _Engines
    explicit_rates: Mapping[str, float] = field(default_factory=dict)
    drive: MotionDrive | None = None
    simulated: dict[tuple[str, float, float], ExportedMotion] = field(default_factory=dict)

    def _motion(self, name: str, step: float, duration: float) -> ExportedMotion:
        """Return the motion in an engine with a time step [s] and a duration [s]."""
        key = name, step, duration
        if key not in self.simulated:
            self.simulated[key] = simulate(
                self.engines[name], self.mechanism, self.start, step, duration, self.drive
            )
        return self.simulated[key]

    def at_halved_steps(
        self, pair: tuple[str, str], longest: float
    ) -> list[tuple[float, tuple[ExportedMotion, ExportedMotion]]]:
        """Return the steps [s] from the longest on, with the motions of two engines until the first
        stop is near in any of them; none if one is near at the first sampled time.
        """
        at_steps = []
        for step in (longest / 2**k for k in range(HALVINGS)):
            one, two = (self._motion(name, step, STEPS * longest) for name in pair)
            at_steps.append((step, (one, two)))
        count = min(motion.before_stops for _, both in at_steps for motion in both)
        if not count:
            return []
        return [(step, (one.until(count), two.until(count))) for step, (one, two) in at_steps]


# --- judgment -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """The distance of the motions of two engines while the step is halved.

    Attributes:
        row: The row; its error is the ratio of the distances at the shortest and longest step.
        shortest: The motions at the shortest step.
    """

    row: Row
    shortest: tuple[ExportedMotion, ExportedMotion]

    @property
    def distance(self) -> float:
        """The distance of the motions at the shortest step [m or rad]."""
        return self.row.convergence[-1][1]

    @property
    def extent(self) -> float:
        """The largest motion of a link [m or rad], in the engine in which that is less."""
        return min(_extent(motion.poses) for motion in self.shortest)

    @property
    def is_resolved(self) -> bool:
        """True if the motions are near each other, relative to how far the links move."""
        return self.distance <= max(APART * self.extent, TOLERANCE)

    @property
    def stops_at_once(self) -> bool:
        """True if the links of one engine rest after the first sampled time.

        Shorter steps would not help where the motions are far apart for another reason, such as
        chaos.
        """
        later = [motion.poses[1:] for motion in self.shortest]
        return any(len(poses) > 1 and _extent(poses) <= self.distance for poses in later)


def _extent(poses: Sequence[Mapping[str, Array]]) -> float:
    """Return the largest motion of a link from its first pose [m or rad]."""
    first, *others = poses
    return max(pose_distance(first[link], X, 1.0) for moved in others for link, X in moved.items())


def _convergence(motions: Motions, pair: tuple[str, str], longest: float) -> Convergence | None:
    """Return the distances of the motions of two engines, the longest step [s] first; None where a
    stop is near at once.
    """
    at_steps = motions.at_halved_steps(pair, longest)
    if not at_steps:
        return None
    points = []
    for step, (one, two) in at_steps:
        worst = WorstErrors()
        for a, b in zip(one.poses[1:], two.poses[1:], strict=True):
            compare_readings(a, b, pose_distance, worst)
        points.append((step, worst.error))
    row = Row(
        level=Level.MOTION,
        quantity=QUANTITY,
        engines=pair,
        error=shrinkage(points[0][1], points[-1][1]),
        tolerance=SHRINKS,
        where=worst.where,
        subjects=names_at(worst.where) if worst.where else (),
        outcome=Outcome.PASSED,
        convergence=tuple(points),
        order=log_log_slope(points),
    )
    return Convergence(row=row, shortest=at_steps[-1][1])


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


STOP_IS_NEAR = "a joint reaches a stop before its motion without one can be compared"


def _converging_row(motions: Motions, pair: tuple[str, str]) -> Row:
    """Return the row of two engines, whose motions must approach each other."""
    longest = min(motions.mechanism.scene.physics.time_step, LONGEST_STEP)
    rate = max(motions.explicit_rates.get(name, 0.0) for name in pair)
    steps = [longest / shortening for shortening in SHORTENINGS]
    stable = [step for step in steps if rate * step <= STABILITY_LIMIT]
    if not stable:
        return _unknown(pair, _unstable(rate, longest))
    found: list[Convergence] = []
    for step in stable:
        convergence = _convergence(motions, pair, step)
        if convergence is None:
            continue
        found.append(convergence)
        if convergence.row.error <= SHRINKS:
            break
    if not found:
        return _unknown(pair, STOP_IS_NEAR)
    return _judged(motions, found)


def _judged(motions: Motions, found: Sequence[Convergence]) -> Row:
    """Return the row of the first motion, which is the longest; the others judge it, too."""
    first, last = found[0], found[-1]
    if first.row.error <= SHRINKS:
        return first.row if first.is_resolved else _until_they_stop(motions, first)
    if min(convergence.row.error for convergence in found) < STAYS:
        cause = (
            f"the motions show no order in the step: at the shortest step the error is "
            f"{first.row.error:.2f} of that "
            f"at the longest one, and {last.row.error:.2f} in an eighth of the time"
        )
        return dataclasses.replace(first.row, outcome=Outcome.UNKNOWN, cause=cause)
    return _failed(motions, first)


def _until_they_stop(motions: Motions, found: Convergence) -> Row:
    """Return the row of a shorter motion, with steps in which the links do not stop at once;
    unknown without one.
    """
    longest, shortest = found.row.convergence[0][0], found.row.convergence[-1][0]
    for shortening in UNTIL_THEY_STOP if found.stops_at_once else ():
        shorter = _convergence(motions, found.row.engines, longest / shortening)
        if shorter is None:
            continue
        if shorter.row.error >= STAYS:
            return _failed(motions, shorter)
        if shorter.row.error <= SHRINKS and shorter.is_resolved:
            return shorter.row
    cause = (
        f"the motions are {found.distance:.1e} m or rad apart at a step of {1e3 * shortest:g} ms, "
        f"in which links move by {found.extent:.1e}; so far apart they show no order"
    )
    return dataclasses.replace(found.row, outcome=Outcome.UNKNOWN, cause=cause)


def _failed(motions: Motions, found: Convergence) -> Row:
    """Return the row of motions that do not approach each other: explained by soft constraints, by
    what an engine lacks, which may do nothing here, or by inertia that it adds, or failed.
    """
    by_cause = (
        _with_rigid_constraints(motions, found)
        or lost_by(found.row, found.shortest)
        or _with_added_inertia(motions, found)
    )
    if by_cause is not None:
        return by_cause
    cause = (
        f"the motions do not converge: {found.distance:.1e} m or rad apart at a step of "
        f"{1e3 * found.row.convergence[-1][0]:g} ms"
    )
    return dataclasses.replace(found.row, outcome=Outcome.FAILED, cause=cause)


def lost_by(row: Row, motions: Iterable[ExportedMotion]) -> Row | None:
    """Return the row of a difference with what an engine lacks as its cause, if it lacks several
    things one that always acts; None if no engine lacks anything.
    """
    entries = (entry for motion in motions for entry in motion.diagnostics)
    lost = min(filter(is_lost, entries), key=_acts_at_times, default=None)
    return None if lost is None else explained(row, cause_of(lost, row.quantity, math.inf))


def _acts_at_times(entry: Diagnostic) -> bool:
    """Return whether a loss acts at stops, in contact or on commands, as settings of MuJoCo may."""
    return entry.is_one_of(_SETTINGS)


_SETTINGS = frozenset({pybullet_codes.MUJOCO_SETTINGS})


def _with_added_inertia(motions: Motions, found: Convergence) -> Row | None:
    """Return the row explained by inertia that an engine adds, if the motions converge once both
    engines have it.
    """
    row, (one, two) = found.row, found.row.engines
    if is_loaded(two):
        return None
    for owner, other, motion in ((one, two, found.shortest[0]), (two, one, found.shortest[1])):
        added = added_inertia(motions.mechanism, motion.diagnostics)
        if added is not None:
            loaded = loaded_name(other, owner)
            more = _with_loaded(motions, loaded, other, motion.diagnostics)
            change = _converging_row(more, (other, loaded))
            remaining = _converging_row(more, (owner, loaded))
            return _explained(row, added, change, remaining)
    return None


def _with_loaded(
    motions: Motions, loaded: str, other: str, diagnostics: Sequence[Diagnostic]
) -> Motions:
    """Return the motions with those of a further engine, which holds the inertia that diagnostics
    report.
    """

    def open_loaded(mechanism: Mechanism) -> Engine:
        added = added_inertia(mechanism, diagnostics)
        return motions.engines[other](mechanism if added is None else added.mechanism)

    rates = dict(motions.explicit_rates)
    if other in rates:
        rates[loaded] = rates[other]
    engines = {**motions.engines, loaded: open_loaded}
    return dataclasses.replace(motions, engines=engines, explicit_rates=rates)


def _explained(row: Row, added: AddedInertia, change: Row, remaining: Row) -> Row | None:
    """Return the row with its cause: at the shortest step, the sum of the two distances in place of
    the measured one.
    """
    first = row.convergence[0][1]
    distances = (change.convergence[-1][1], max(remaining.convergence[-1][1], TOLERANCE))
    cause = added.cause(row, distances[0] / first, remaining)
    if cause is None:
        return None
    return explained(row, dataclasses.replace(cause, bound=sum(distances) / first))


_RIGID = " with rigid constraints"
"""Part of the name of an engine whose dry friction and couplings are as rigid as a step allows."""


def _with_rigid_constraints(motions: Motions, found: Convergence) -> Row | None:
    """Return the row explained by dry friction and constraints of an MJCF source, which MuJoCo
    makes soft, if the motions converge once they are rigid.
    """
    row, pair = found.row, found.row.engines
    soft = _soft(motions.mechanism)
    if not soft or any(_RIGID in name for name in pair):
        return None
    owner = next((name for name in pair if _obeys_mjcf_settings(motions, name)), None)
    if owner is None:
        return None
    rigid, other = f"{owner}{_RIGID}", next(name for name in pair if name != owner)

    def open_rigid(mechanism: Mechanism) -> Engine:
        return motions.engines[owner](_rigid(mechanism))

    more = dataclasses.replace(motions, engines={**motions.engines, rigid: open_rigid})
    remaining = _converging_row(more, (other, rigid))
    change = _converging_row(more, (owner, rigid))
    if remaining.outcome not in {Outcome.PASSED, Outcome.EXPLAINED} or not change.convergence:
        return None
    distance, left = change.convergence[-1][1], remaining.convergence[-1][1]
    text = (
        f"MJCF states dry friction that acts as a damper at low speed, or couplings and loops that "
        f"are springs, which makes a difference of {distance:.1e} m or rad; {left:.1e} remains if "
        f"they are rigid"
    )
    bound = (distance + max(left, TOLERANCE)) / row.convergence[0][1]
    cause = Cause(
        code=SOFT_CONSTRAINTS, subjects=soft, quantity=row.quantity, bound=bound, text=text
    )
    return explained(row, cause)


def _soft(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the joints and tendons with dry friction, and the followers of couplings and the links
    of constraints, that the settings of a solver make soft.
    """
    scene = mechanism.scene
    if not conventions_of(mechanism.physics).has_solver_settings:
        return ()
    joints = (joint.name for joint in scene.joints if any(axis.friction for axis in joint.axes))
    tendons = (tendon.name for tendon in scene.tendons if tendon.friction)
    followers = (coupling.follower for coupling in scene.couplings)
    held = (
        each.link_A
        for each in scene.constraints
        if isinstance(each, BallConstraint | WeldConstraint)
    )
    return tuple(dict.fromkeys((*joints, *tendons, *followers, *held)))


def _obeys_mjcf_settings(motions: Motions, name: str) -> bool:
    with closing(motions.engines[name](exported(motions.mechanism, LONGEST_STEP))) as engine:
        return engine.obeys_mjcf_settings


def _rigid(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with dry friction, couplings and constraints that act within two
    steps.
    """
    impedance = f"{1.0 - SOFTNESS:.17g}"
    solver = {
        "solref": f"{2.0 * mechanism.physics.time_step:.17g} 1",
        "solimp": f"{impedance} {impedance} 0.001",
    }
    friction = {f"{name}friction": text for name, text in solver.items()}

    def with_settings(item: _HasSettings, settings: dict[str, str]) -> _HasSettings:
        stated = dict(settings_of(item, MUJOCO)) | settings
        return dataclasses.replace(item, engine_settings=of_engine(MUJOCO, tuple(stated.items())))

    scene = mechanism.scene
    changed = dataclasses.replace(
        scene,
        joints=tuple(with_settings(each, friction) for each in scene.joints),
        tendons=tuple(with_settings(each, friction) for each in scene.tendons),
        couplings=tuple(with_settings(each, solver) for each in scene.couplings),
        constraints=tuple(
            with_settings(each, solver)
            if isinstance(each, BallConstraint | WeldConstraint)
            else each
            for each in scene.constraints
        ),
    )
    return relowered(mechanism, changed)


def _unstable(rate: float, longest: float) -> str:
    step = longest / SHORTENINGS[-1]
    return (
        f"dampers or springs act at a rate of {rate:.1e} 1/s; PyBullet integrates them explicitly, "
        f"which is unstable at steps above {1e3 * STABILITY_LIMIT / rate:.1e} ms, and the motion "
        f"was to be compared at {1e3 * step:g} ms"
    )


# --- commands -------------------------------------------------------------------------------------

ACCELERATION = 30.0
"""Acceleration of a joint alone that its largest commanded effort causes [rad/s^2 or m/s^2]."""
DISTANCE = 0.2
"""Largest distance of a target from the initial position [rad or m]."""
_CONSTANT = 3
"""Number of intervals in the beginning with the same command."""
_BEYOND = 1.5
"""Largest commanded effort relative to the limit."""


def _efforts(
    mechanism: Mechanism,
    trials: Mapping[str, ActuatorTrial],
    start: State,
    rng: np.random.Generator,
) -> list[dict[str, float]]:
    """Return random efforts, the first ones as large as possible: beyond the limits of joints that
    are weak.
    """
    inertia = dict(zip(mechanism.v_order, np.diag(mechanism.mass_matrix(start[0])), strict=True))
    ranges, first = {}, {}
    for joint, trial in trials.items():
        size = min(_BEYOND * trial.limit, ACCELERATION * inertia[joint, 0])
        ranges[joint] = -size, size
        first[joint] = float(rng.choice((-size, size)))
    return _plan(first, ranges, rng)


def _targets(
    mechanism: Mechanism,
    trials: Mapping[str, ActuatorTrial],
    start: State,
    rng: np.random.Generator,
) -> list[dict[str, float]]:
    """Return random targets within the limits and near the initial position."""
    primitives = {body.joint: body.primitives[0] for body in mechanism.bodies if body.primitives}
    ranges, first = {}, {}
    for joint in trials:
        axis = primitives[joint].limits or JointAxis(xyz=primitives[joint].axis)
        here = float(np.atleast_1d(start[0].get(joint, 0.0))[0])
        lower, upper = sorted((axis.lower, axis.upper))
        low = min(max(here - DISTANCE, lower), upper)
        high = min(max(here + DISTANCE, lower), upper)
        ranges[joint] = low, high
        first[joint] = float(rng.uniform(low, high))
    return _plan(first, ranges, rng)


def _plan(
    first: dict[str, float], ranges: Mapping[str, tuple[float, float]], rng: np.random.Generator
) -> list[dict[str, float]]:
    """Return the first commands, which stay for `_CONSTANT` intervals, and random ones for each
    interval after them.
    """
    plan = [first] * _CONSTANT
    while len(plan) < SAMPLES:
        plan.append({joint: float(rng.uniform(*ends)) for joint, ends in ranges.items()})
    return plan


def _with_gains(mechanism: Mechanism, trials: Mapping[str, ActuatorTrial]) -> Mechanism:
    """Return the mechanism with a spring and a damper in place of each controller, which act at the
    same rates.
    """
    joints = []
    for joint in mechanism.scene.joints:
        trial = trials.get(joint.name)
        gains = None if trial is None else trial.gains
        p, d = gains or (0.0, 0.0)
        axes = tuple(
            dataclasses.replace(
                axis, damping=axis.damping + d, spring_stiffness=axis.spring_stiffness + p
            )
            for axis in joint.axes
        )
        joints.append(dataclasses.replace(joint, axes=axes))
    return relowered(mechanism, dataclasses.replace(mechanism.scene, joints=tuple(joints)))
