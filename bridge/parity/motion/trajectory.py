"""Level L2: simulate a second of motion without contact in every engine, and explain the
differences that are known; and motions that are recorded to be shown.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import combinations
from typing import Unpack

import numpy as np

from bridge import codes
from bridge.lowering.transform import Source, mechanism_of
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position, all_positions, initial_positions
from bridge.parity.bounds.constraint import ROUNDING, bounds_of_loads, loads_in, violation_bounds
from bridge.parity.bounds.contact import stated_softness
from bridge.parity.bounds.counterfactual import added_inertia, is_loaded, loaded_name
from bridge.parity.bounds.precision import (
    DOUBLE,
    rounding_of_position,
    rounding_of_velocity,
    single_precision,
    unit_of_pair,
)
from bridge.parity.causes import (
    CHAOS,
    POINTS_OF_FREE_BODIES,
    ROTOR_INERTIA,
    SCREW,
    STEP_ORDER,
    Cause,
    cause_of,
)
from bridge.parity.convergence import (
    CONFIDENCE,
    HALVINGS,
    SINGULAR,
    STEPS,
    Rollout,
    RolloutCache,
    condition,
    limit_at_zero,
    log_log_slope,
    order_rows,
    rounding_error,
)
from bridge.parity.engine import (
    DivergedError,
    Factory,
    NotReportedError,
    as_exported,
    constraint_subjects,
    default_engines,
    factory_of,
    has_free_or_ball,
    is_slow,
    screw_like_joints,
    solves_constraints,
    unit_roundoff,
)
from bridge.parity.motion.model_motion import driven_rows, exported_rows
from bridge.parity.motion.step import COARSE, step_rows
from bridge.parity.quantity import TOLERANCE, names_at
from bridge.parity.states import State, at_zero, random_states, time_step, without_solver_effects
from bridge.parity.verdict import (
    COMPUTED_FROM_MODEL,
    REFERENCE,
    Level,
    Outcome,
    Row,
    explained,
    failed,
    undecided,
)
from bridge.targets.mjcf import codes as mjcf_codes
from bridge.targets.pybullet import codes as pybullet_codes
from bridge.viewer import Recording, Viewer
from bridge.viewer.viewer import DEFAULT_PORT
from loaders import LoadOptions
from loaders.diagnostics import Diagnostic
from loaders.pose import Array, Pose
from loaders.text import counted

CURVE_POINTS = 50
"""Number of intervals between the points of a curve of joint motion."""
DURATION = 1.0
"""Duration of a compared motion [s]."""
MAX_REFERENCE_WORK = 5000
"""Degrees of freedom times steps above which slow engines, such as the reference, do not simulate a
second of motion."""
FOLLOWED_HALVINGS = 3
"""Number of times at most that the step of a motion is halved if an engine diverges."""
CONSTRAINT_STEP = 1e-3
"""Time step for which the fidelity reports state how well constraints hold [s]."""
SHORTENINGS = (1, 8, 64)
"""Factors that shorten the short motion and its steps until the limit of a difference is known."""
RESOLUTION = 0.01
"""Uncertainty of the limit, relative to the difference at the longest step, at which the limit is
known."""
LIMIT_ROUNDING = 1e-11
"""Rounding error of the limit of a difference of poses [m or rad]."""
GROWTH_MARGIN = 2.0
"""Factor of the difference that a short motion predicts for a second, because its rate of growth
varies."""
KNOWN = 0.3
"""Uncertainty of the limit after the whole motion, relative to the difference at the longest step,
that shows it."""
MORE_HALVINGS = 2
"""Further halvings of the step, where the limit after the whole motion is not zero."""
CHAOTIC = 1e-3
"""Largest rounding error that is explained, relative to how far the links move; beyond it a motion
shows nothing."""
PARTS = (5, 25)
"""Divisors of the duration of a motion in single precision whose rounding errors grow too large."""
_SOFT_CONSTRAINTS = frozenset(
    {
        mjcf_codes.COUPLING_SOFT_CONSTRAINT,
        mjcf_codes.SCREW_SOFT_CONSTRAINT,
        mjcf_codes.LOOP_SOFT_CONSTRAINT,
        mjcf_codes.BALL_SOFT_CONSTRAINT,
        mjcf_codes.COUPLING,
        mjcf_codes.OPEN_AT_ZERO,
        pybullet_codes.GEAR,
        pybullet_codes.COUPLING,
        pybullet_codes.COUPLING_ACROSS_BODIES,
        pybullet_codes.LOOP,
        pybullet_codes.BALL_CONSTRAINT,
        pybullet_codes.CUT_LINKS,
        codes.DART_ONE_WAY_COUPLING,
    }
)
_SINGULAR_CAUSE = "the mass matrix is singular, so that the model does not determine its motion"
_Named = Sequence[tuple[str, Factory]]


def motion_rows(mechanism: Mechanism, factories: _Named, seed: int) -> Iterator[Row]:
    """Yield the rows of one step, order of convergence and a second of motion, and those of what is
    left out.

    Args:
        mechanism: The mechanism to simulate.
        factories: The engines by name.
        seed: Seed of the random initial states.
    """
    if not _determines_motion(mechanism, seed):
        yield _unknown("motion", (factories[0][0], factories[1][0]), _SINGULAR_CAUSE)
        return
    yield from step_rows(mechanism, factories, seed)
    yield from order_rows(mechanism, factories, seed)
    undamped, damped = (
        without_solver_effects(mechanism, damped=False),
        without_solver_effects(mechanism),
    )
    start = random_states(undamped, 1, seed)[0]
    yield from _rows("motion without damping", undamped, start, factories)
    if time_step(damped) is None:
        yield _too_stiff(factories)
    elif _has_dampers_or_springs(damped):
        yield from _rows("motion with damping", damped, start, factories)
    if any(rotor for body in mechanism.bodies for rotor in body.reflected_inertia):
        geared = without_solver_effects(mechanism, damped=False, rotors=True)
        yield from _rows("motion with rotors", geared, start, factories)
    yield from _constraint_rows(mechanism, factories, seed)
    yield from exported_rows(mechanism, factories, seed)
    yield from driven_rows(mechanism, factories, seed)


def joint_motion(
    mechanism: Mechanism, factories: _Named, seed: int
) -> tuple[list[float], dict[str, list[dict[str, Position]]]]:
    """Return the times [s] and, for each engine, the positions of all joints in a second of motion
    from a random state; no engine if they need long or cannot do it.

    Args:
        mechanism: The mechanism to simulate.
        factories: The engines by name.
        seed: Seed of the initial state.
    """
    moving = without_solver_effects(mechanism)
    step = time_step(moving)
    if step is None or not mechanism.v_order:
        return [], {}
    start = random_states(moving, 1, seed)[0]
    count = max(1, round(DURATION / step / CURVE_POINTS))
    found = {}
    for name, factory in factories:
        engine = factory(moving)
        try:
            engine.set_step(step)
            engine.set_state(*start)
            found[name] = [engine.positions()]
            for _ in range(CURVE_POINTS):
                engine.step(count)
                found[name].append(engine.positions())
        except (DivergedError, NotReportedError):
            found.pop(name, None)
        finally:
            engine.close()
    return [k * count * step for k in range(CURVE_POINTS + 1)], found


def _determines_motion(mechanism: Mechanism, seed: int) -> bool:
    """Return whether the mass matrix can be inverted."""
    moving = without_solver_effects(mechanism, damped=False)
    return condition(moving, random_states(moving, 1, seed)[0]) < SINGULAR


def _has_dampers_or_springs(mechanism: Mechanism) -> bool:
    axes = [axis for joint in mechanism.scene.joints for axis in joint.axes]
    return any(axis.damping or axis.spring_stiffness for axis in axes)


def _too_stiff(factories: _Named) -> Row:
    cause = (
        "dampers or springs are so stiff that explicit integration would be unstable at steps "
        "of 1/16 ms"
    )
    return _unknown("motion with damping", (factories[0][0], factories[1][0]), cause)


def _unknown(quantity: str, engines: tuple[str, str], cause: str, where: str = "") -> Row:
    return Row(
        level=Level.MOTION,
        quantity=quantity,
        unit="m or rad",
        engines=engines,
        tolerance=TOLERANCE,
        where=where,
        outcome=Outcome.UNKNOWN,
        cause=cause,
    )


def _rows(quantity: str, mechanism: Mechanism, start: State, factories: _Named) -> Iterator[Row]:
    """Yield the rows of one motion, for all pairs of engines."""
    if not mechanism.v_order or len(factories) < 2:
        return
    cache = RolloutCache(dict(factories))
    names = [name for name, _ in factories]
    fast = [name for name, factory in factories if not is_slow(factory)]
    rollout = Rollout(
        mechanism=mechanism, start=start, step=time_step(mechanism) or math.nan, duration=DURATION
    )
    rollout = _that_all_follow(rollout, cache, fast)
    work = round(len(mechanism.v_order) * rollout.duration / rollout.step)
    if work > MAX_REFERENCE_WORK and names != fast:
        yield from _too_long(quantity, names, fast, work)
        names = fast
    for engines in combinations(names, 2):
        yield _row(quantity, engines, rollout, cache)


def _too_long(quantity: str, names: Sequence[str], fast: Sequence[str], work: int) -> Iterator[Row]:
    """Yield a row for each slow engine, of which the reference is one; a pair of them has one."""
    slow = [name for name in names if name not in fast]
    first_slow: dict[tuple[str, str], str] = {}
    for name in slow:
        pair = next(pair for pair in combinations(names, 2) if name in pair)
        first_slow.setdefault(pair, name)
    for pair, name in first_slow.items():
        engine = "the reference" if name in COMPUTED_FROM_MODEL else f"the engine {name}"
        cause = (
            f"{engine} simulates a second of motion for at most "
            f"{MAX_REFERENCE_WORK} degrees of freedom times steps; the model has {work}"
        )
        yield _unknown(quantity, pair, cause)


def _that_all_follow(rollout: Rollout, cache: RolloutCache, engines: Sequence[str]) -> Rollout:
    """Return the motion at a step at which no engine diverges, as they do if joints turn much in a
    step; else as it is.
    """
    for k in range(FOLLOWED_HALVINGS + 1):
        shorter = dataclasses.replace(rollout, step=rollout.step / 2**k)
        if not any(cache.trajectory(name, shorter).has_diverged for name in engines):
            return shorter
    return rollout


def _row(quantity: str, engines: tuple[str, str], rollout: Rollout, cache: RolloutCache) -> Row:
    """Return the row of one motion in two engines; in single precision, of the longest part of it
    that shows something.
    """
    row = _row_of(quantity, engines, rollout, cache)
    if not unit_of_pair(*(unit_roundoff(cache.factories[name]) for name in engines)):
        return row
    for part in PARTS:
        if row.outcome is not Outcome.UNKNOWN:
            break
        shorter = dataclasses.replace(rollout, duration=rollout.duration / part)
        row = _row_of(quantity, engines, shorter, cache)
    return row


def _row_of(quantity: str, engines: tuple[str, str], rollout: Rollout, cache: RolloutCache) -> Row:
    diverging = [name for name in engines if cache.trajectory(name, rollout).has_diverged]
    if diverging:
        return _unknown(
            quantity, engines, f"the motion diverges at this time step in {' and '.join(diverging)}"
        )
    worst, series = cache.distance(engines, rollout)
    row = Row(
        level=Level.MOTION,
        quantity=quantity,
        unit="m or rad",
        engines=engines,
        error=worst.error,
        tolerance=TOLERANCE,
        where=worst.where,
        subjects=names_at(worst.where),
        outcome=Outcome.PASSED,
        series=series,
        sensitivity=cache.sensitivity(_most_exact(engines, cache), rollout),
    )
    return row if worst.error <= TOLERANCE else _judged(row, rollout, cache)


def _most_exact(engines: tuple[str, str], cache: RolloutCache) -> str:
    """Return the engine that rounds least, the second one if both round alike."""
    return min(reversed(engines), key=lambda name: unit_roundoff(cache.factories[name]))


def _in_single_precision(
    row: Row, rollout: Rollout, cache: RolloutCache, sensitivity: float
) -> Cause | None:
    """Return rounding in single precision as the cause, if an engine has it.

    The error of each step adds up: that of velocities moves the links until the end, that of
    positions is a rounding of each; both grow as that of the initial state does.
    """
    unit = unit_of_pair(*(unit_roundoff(cache.factories[name]) for name in row.engines))
    if not unit:
        return None
    model, start = rollout.mechanism, rollout.start
    velocity = float(rounding_of_velocity(model, start, rollout.step, unit).max(initial=0.0))
    position = rounding_of_position(model, start, unit)
    steps = round(rollout.duration / rollout.step)
    each = velocity * rollout.duration + 4.0 * unit
    bound = steps * each * sensitivity + position
    names = [name for name in row.engines if unit_roundoff(cache.factories[name]) > DOUBLE]
    cause = single_precision(row.quantity, row.subjects, bound, names)
    return dataclasses.replace(cause, text=f"{cause.text} in {rollout.duration:g} s")


# --- causes of a difference -----------------------------------------------------------------------


def _judged(row: Row, rollout: Rollout, cache: RolloutCache) -> Row:
    """Return the row of a difference beyond the tolerance.

    It is explained by rounding, by inertia that an engine adds, by the violation of a screw, or by
    the order of the integration method, each within its bound. A rotor that an engine lacks is the
    cause of a difference, but does not excuse it. If rounding errors grow to a visible part of the
    motion, nothing follows from a difference.
    """
    sensitivity = row.sensitivity or 1.0
    if not math.isfinite(row.error):
        return failed(row)
    single = _in_single_precision(row, rollout, cache, sensitivity)
    if single is not None:
        coarse = COARSE * max(cache.extent(name, rollout) for name in row.engines)
        return explained(row, single) if single.bound <= coarse else undecided(row, single, coarse)
    return _judged_in_double(row, rollout, cache, sensitivity)


def _judged_in_double(row: Row, rollout: Rollout, cache: RolloutCache, sensitivity: float) -> Row:
    """Return the row of a difference between engines that compute in double precision."""
    rounding = _rounding(row, rollout, sensitivity)
    limit = CHAOTIC * max(cache.extent(name, rollout) for name in row.engines)
    # The errors of steps have no common sign: their sum grows with the root of the number.
    steps = rollout.duration / rollout.step
    of_all_steps = dataclasses.replace(
        rounding, bound=min(limit, math.sqrt(steps) * rounding.bound)
    )
    if rounding.bound <= limit and of_all_steps.explains(row.error):
        return explained(row, of_all_steps)
    diagnostics = (
        entry for name in row.engines for entry in cache.trajectory(name, rollout).diagnostics
    )
    lost = next((entry for entry in diagnostics if entry.is_one_of(ROTOR_INERTIA)), None)
    if lost is not None:
        return explained(row, cause_of(lost, row.quantity, math.inf))
    if rounding.bound > limit:
        return undecided(row, rounding, limit)
    cause = _added_inertia(row, rollout, cache) or _screw(row, rollout, cache)
    has_order = has_free_or_ball(rollout.mechanism)
    if cause is not None and (cause.explains(row.error) or not has_order):
        return explained(row, cause)
    return _judged_by_order(row, rollout, cache) if has_order else failed(row)


def _rounding(row: Row, rollout: Rollout, sensitivity: float) -> Cause:
    """Return the rounding error of a step, which the motion amplifies."""
    rounding = rounding_error(rollout.mechanism, rollout.start)
    text = (
        f"rounding: a step is exact to {rounding:.0e} with this mass matrix, and an initial "
        f"difference of 1e-10 grows {sensitivity:.0e} times"
    )
    return Cause(
        code=CHAOS,
        subjects=row.subjects,
        quantity=row.quantity,
        bound=rounding * sensitivity,
        text=text,
    )


def _added_inertia(row: Row, rollout: Rollout, cache: RolloutCache) -> Cause | None:
    """Return the cause if an engine adds inertia to links and the other engine, given that inertia,
    moves alike.
    """
    for owner, other in (row.engines, row.engines[::-1]):
        added = added_inertia(rollout.mechanism, cache.trajectory(owner, rollout).diagnostics)
        if added is None or is_loaded(row.engines[1]):
            continue
        loaded = loaded_name(other, owner)
        cache.open_as(loaded, other, added.mechanism)
        change, _ = cache.distance((other, loaded), rollout)
        return added.cause(row, change.error, _row(row.quantity, (owner, loaded), rollout, cache))
    return None


def _screw(row: Row, rollout: Rollout, cache: RolloutCache) -> Cause | None:
    """Return the violation of a screw, within what the stiffness of its constraint allows; None
    without screws.
    """
    screws = screw_like_joints(rollout.mechanism)
    if not screws:
        return None
    ratios: dict[str, float] = {}
    for body in rollout.mechanism.bodies:
        if str(body.joint) in screws:
            # a screw without pitch does not move along its axis; its violation is a length
            moving = [abs(p.ratio) for p in body.primitives if p.ratio]
            ratios[str(body.joint)] = min(1.0, *moving)
    allowed = 0.0
    for name in row.engines:
        trajectory = cache.trajectory(name, rollout)
        bounds = violation_bounds(
            rollout.mechanism, trajectory.softness, trajectory.states, rollout.step
        )
        for joint, ratio in ratios.items():
            violation = trajectory.constraint_violation.get(joint, 0.0)
            allowed = max(allowed, min(violation, bounds.get(joint, 0.0)) / ratio)
    sensitivity = row.sensitivity or 1.0
    text = (
        f"the engines connect rotation and translation of {', '.join(screws)} by a constraint, "
        f"which is violated by {allowed:.0e} rad; this grows {sensitivity:.0e} times"
    )
    return Cause(
        code=SCREW,
        subjects=tuple(screws),
        quantity=row.quantity,
        bound=allowed * sensitivity,
        text=text,
    )


def _judged_by_order(row: Row, rollout: Rollout, cache: RolloutCache) -> Row:
    """Explained if the difference vanishes with the step, up to what its size in a short motion
    predicts.
    """
    short = dataclasses.replace(rollout, duration=STEPS * rollout.step)
    for shortening in SHORTENINGS:
        brief = dataclasses.replace(
            short, step=short.step / shortening, duration=short.duration / shortening
        )
        steps = [brief.step / 2**k for k in range(HALVINGS)]
        distances = [
            cache.displacement(row.engines, dataclasses.replace(brief, step=step)) for step in steps
        ]
        limit, uncertainty = limit_at_zero(distances)
        if uncertainty <= RESOLUTION * float(np.abs(distances[0]).max(initial=0.0)):
            break
    sizes = tuple(
        (step, float(np.abs(d).max(initial=0.0))) for step, d in zip(steps, distances, strict=True)
    )
    row = dataclasses.replace(row, convergence=sizes, order=log_log_slope(sizes))
    remaining, allowed = (
        float(np.abs(limit).max(initial=0.0)),
        CONFIDENCE * uncertainty + LIMIT_ROUNDING,
    )
    growth = DURATION / brief.duration * shortening * (row.sensitivity or 1.0)
    bound = GROWTH_MARGIN * sizes[0][1] * growth if remaining <= allowed else 0.0
    text = (
        f"{POINTS_OF_FREE_BODIES}; extrapolated to no time step, the engines differ in a short "
        f"motion by {remaining:.1e}, known to {allowed:.1e}"
    )
    cause = Cause(
        code=STEP_ORDER, subjects=row.subjects, quantity=row.quantity, bound=bound, text=text
    )
    return explained(
        row,
        cause if cause.explains(row.error) else _step_order_of_whole_motion(row, rollout, cache),
    )


def _step_order_of_whole_motion(row: Row, rollout: Rollout, cache: RolloutCache) -> Cause:
    """Return the cause if the difference after the whole motion vanishes with the step; its growth
    is not predicted then.

    Where four steps leave a limit that is not zero, but much less than the difference, shorter
    steps tell: the limit of a difference that is due to the step alone shrinks with each of them by
    a power of the step, that of two models does not. What the violation of a
    screw explains at the shortest step may remain.
    """
    rounding = _rounding(row, rollout, row.sensitivity or 1.0).bound
    steps = [rollout.step / 2**k for k in range(HALVINGS + MORE_HALVINGS)]
    distances: list[Array] = []
    for step in steps:
        distances.append(cache.displacement(row.engines, dataclasses.replace(rollout, step=step)))
        limit, uncertainty = limit_at_zero(distances)
        first, remaining = (float(np.abs(x).max(initial=0.0)) for x in (distances[0], limit))
        screw = _screw(row, dataclasses.replace(rollout, step=step), cache)
        allowed = CONFIDENCE * uncertainty + rounding + (0.0 if screw is None else screw.bound)
        is_zero = allowed <= KNOWN * first and remaining <= allowed
        if len(distances) >= HALVINGS and (is_zero or remaining > KNOWN * first):
            break
    text = (
        f"{POINTS_OF_FREE_BODIES}; extrapolated to no time step, the engines differ after the "
        f"motion by {remaining:.1e}, known to {allowed:.1e} from "
        f"{counted(len(distances), 'step')}, of which the longest gives {first:.1e}"
    )
    bound = GROWTH_MARGIN * first if is_zero else 0.0
    return Cause(
        code=STEP_ORDER, subjects=row.subjects, quantity=row.quantity, bound=bound, text=text
    )


# --- constraints, and what is left out ------------------------------------------------------------


def _constraint_rows(mechanism: Mechanism, factories: _Named, seed: int) -> Iterator[Row]:
    """Yield the largest violation of couplings, screws and loops in each engine while the model
    moves for a second.
    """
    constrained = without_solver_effects(mechanism, damped=False, constrained=True)
    has_loops = bool(constrained.closures or constrained.scene.constraints)
    if not (constrained.couplings or has_loops or screw_like_joints(constrained)):
        return
    start: State = (
        (at_zero(constrained), {}) if has_loops else random_states(constrained, 1, seed)[0]
    )  # loops are closed at zero
    rollout = Rollout(mechanism=constrained, start=start, step=CONSTRAINT_STEP, duration=DURATION)
    cache = RolloutCache(dict(factories))
    for name, factory in factories:
        if solves_constraints(factory):
            yield from _loaded_constraint_rows(name, factory, rollout, cache)


_MISSED = 0.1
"""Time in which a constraint that does not act must show: the acceleration that it takes up would
violate it beyond its bound [s]."""
_PUSH, _PUSHED, _LEFT, _SETTLED = 1.0, 0.2, 0.01, 6.0
"""Speed of a follower against its leader [rad/s or m/s], time until its coupling must have stopped
it [s], the part of their product that may be left, and the number of time constants of a coupling
in that time at least."""


def _loaded_constraint_rows(
    name: str, factory: Factory, rollout: Rollout, cache: RolloutCache
) -> Iterator[Row]:
    """Yield the row of the constraints in one engine, with the number of those that were loaded: by
    the motion, or by a push of the follower of a coupling; and a row of the others, which leaves a
    gap.
    """
    row = _constraint_row(name, rollout, cache)
    mechanism, subjects = rollout.mechanism, constraint_subjects(rollout.mechanism)
    trajectory = cache.trajectory(name, rollout)
    states = trajectory.states[:: max(1, len(trajectory.states) // _LOAD_STATES)]
    loads = list(loads_in(mechanism, states))
    bounds = bounds_of_loads(mechanism, trajectory.softness, loads, rollout.step)
    largest: dict[str, float] = {}
    for of_state in loads:
        for each, (foreseen, curvature, _) in of_state.items():
            largest[each] = max(largest.get(each, 0.0), foreseen, curvature)
    loaded = {
        each
        for each in subjects
        if largest.get(each, 0.0) * _MISSED**2 / 2.0 > bounds.get(each, ROUNDING)
    }
    followers = {coupling.name: coupling.follower for coupling in mechanism.couplings}
    stated = stated_softness(mechanism, rollout.step) if trajectory.softness.obeys_settings else {}
    slow = {each for each, soft in stated.items() if soft.stretch > (_PUSHED / _SETTLED) ** 2}
    for each in [each for each in subjects if each in followers and each not in loaded | slow]:
        left = _left_of_push(factory, rollout, each, mechanism.v_order[followers[each]])
        loaded.add(each)
        if row.passed and not left <= _LEFT * _PUSH * _PUSHED:
            where = subjects[each]
            row = failed(dataclasses.replace(row, error=left, where=each, subjects=where))
    yield dataclasses.replace(row, loaded=(len(loaded), len(subjects)))
    idle = [each for each in subjects if each not in loaded]
    if idle and row.outcome is not Outcome.UNKNOWN:
        cause = f"no load acts on {', '.join(idle)} in this motion"
        unknown = _unknown(row.quantity, row.engines, cause, idle[0])
        yield dataclasses.replace(unknown, subjects=subjects[idle[0]])


_LOAD_STATES = 10
"""Number of states of a motion in which loads are computed."""


def _left_of_push(
    factory: Factory, rollout: Rollout, name: str, follower: tuple[str, int]
) -> float:
    """Return the violation of a coupling after its follower got a speed against its leader."""
    joint, k = follower
    q = rollout.start[0]
    sizes = Counter(each for each, _ in rollout.mechanism.v_order)
    v = {each: np.zeros(size) for each, size in sizes.items()}
    v[joint][k] = _PUSH
    with closing(factory(rollout.mechanism)) as engine:
        try:
            engine.set_step(rollout.step)
            engine.set_state(q, {each: tuple(value.tolist()) for each, value in v.items()})
            engine.step(round(_PUSHED / rollout.step))
            return engine.violations().get(name, math.inf)
        except DivergedError:
            return math.inf


def _constraint_row(engine: str, rollout: Rollout, cache: RolloutCache) -> Row:
    """Return the row of the constraint that exceeds its bound most; if none does, of the largest
    violation.
    """
    subjects = constraint_subjects(rollout.mechanism)
    trajectory = cache.trajectory(engine, rollout)
    violations = trajectory.constraint_violation
    missing = next((name for name in subjects if name not in violations), None)
    bounds = violation_bounds(
        rollout.mechanism, trajectory.softness, trajectory.states, rollout.step
    )
    where = max(
        violations,
        key=lambda name: (violations[name] / bounds.get(name, ROUNDING), violations[name]),
        default="",
    )
    where = where if missing is None else missing
    row = Row(
        level=Level.MOTION,
        quantity="constraints in motion",
        unit="m or rad",
        engines=(REFERENCE, engine),
        error=violations.get(where, math.inf),
        tolerance=TOLERANCE,
        where=where,
        subjects=subjects.get(where, (where,)),
        outcome=Outcome.PASSED,
    )
    if row.error <= TOLERANCE:
        return row
    return explained(row, _softness(row, trajectory.diagnostics, bounds.get(where, ROUNDING)))


def _softness(row: Row, diagnostics: Sequence[Diagnostic], bound: float) -> Cause:
    """Return the cause of a violated constraint: the engine reports that it is soft or missing."""
    reported = (entry for entry in diagnostics if entry.is_one_of(_SOFT_CONSTRAINTS))
    entry = next((entry for entry in reported if set(row.subjects).issubset(entry.subjects)), None)
    if entry is not None:
        return cause_of(entry, row.quantity, bound, f"; the measured violation is {row.error:.0e}")
    return Cause(
        code=SCREW,
        subjects=row.subjects,
        quantity=row.quantity,
        bound=bound,
        text=f"a constraint of the solver holds {row.where}",
    )


_PICTURES = 60
"""Number of states that are recorded in a second."""


def record_motion(
    source: Source,
    engine: str = "mujoco",
    *,
    seconds: float = 2.0,
    positions: Mapping[str, Position] | None = None,
    **load_options: Unpack[LoadOptions],
) -> Recording:
    """Let a model move freely in a simulator, from rest, under gravity and its own springs and
    dampers, and return its motion.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        engine: Name of the simulator, as for `compare`.
        seconds: Duration [s].
        positions: Positions by joint at the start; those that are left out are the initial ones.
        load_options: Options of `loaders.load`, if ``source`` is a path.

    Raises:
        LoadError: if the file has errors.
        ValueError: for an unknown engine or joint, or a duration that is not positive.
        EngineMissingError: if the engine is not installed.
        DivergedError: if the motion leaves the finite numbers.
    """
    if not 0.0 < seconds < np.inf:
        raise ValueError(f"expected a positive number of seconds, not {seconds}")
    mechanism = mechanism_of(source, **load_options)
    running = as_exported(factory_of(engine))(mechanism)
    step = mechanism.physics.time_step
    count = max(round(1.0 / (_PICTURES * step)), 1)
    states: list[dict[str, Position]] = []
    poses: list[dict[str, Pose]] = []
    contacts: list[Array] = []
    try:
        start = initial_positions(mechanism) | dict(positions or {})
        running.set_step(step)
        running.set_state(all_positions(mechanism, start), {})
        pictures = int(np.ceil(seconds / (count * step)))
        for k in range(pictures + 1):
            if k:
                running.step(count)
            states.append(running.positions())
            poses.append(running.link_poses())
            contacts.append(running.contact_points())
    finally:
        running.close()
    times: Array = np.arange(pictures + 1, dtype=np.float64) * count * step
    return Recording(times=times, poses=poses, positions=states, contacts=contacts)


def view_motion(
    source: Source,
    engines: Sequence[str] | None = None,
    *,
    seconds: float = 2.0,
    positions: Mapping[str, Position] | None = None,
    overlay: bool = False,
    port: int = DEFAULT_PORT,
    dark: bool = False,
    **load_options: Unpack[LoadOptions],
) -> Viewer:
    """Show the motion of a model in several simulators in a web browser, beside each other, with
    one slider of time.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        engines: Names of the simulators, as for `compare`; None for MuJoCo and PyBullet, where
            installed.
        seconds: Duration [s].
        positions: Positions by joint at the start; those that are left out are the initial ones.
        overlay: Whether to draw the models in one place, all but the first in orange, half
            transparent.
        port: Port of the server; the next free one if it is taken, 0 for any.
        dark: Whether the page is dark at first.
        load_options: Options of `loaders.load`, if ``source`` is a path.

    Raises:
        ImportError: if viser is not installed.
        LoadError: if the file has errors.
        ValueError: for an unknown engine or joint, or a duration that is not positive.
        EngineMissingError: if an engine is not installed.
        DivergedError: if a motion leaves the finite numbers.
    """
    mechanism = mechanism_of(source, **load_options)
    motions = {
        engine: record_motion(mechanism, engine, seconds=seconds, positions=positions)
        for engine in engines or default_engines()
    }
    viewer = Viewer(port=port, dark=dark)
    first = ""
    for engine, motion in motions.items():
        over = first if overlay else ""
        added = viewer.add(mechanism, name=engine, over=over, motion=motion)
        first = first or added
    return viewer
