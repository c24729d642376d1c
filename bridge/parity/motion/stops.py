"""Joint limits in motion: whether the stops of the exported model hold, and states that are away
from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace

import numpy as np

from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position, with_followers
from bridge.mechanism.dynamics import STABILITY_LIMIT
from bridge.parity.bounds.contact import SoftStop
from bridge.parity.bounds.counterfactual import without_lost_rotors
from bridge.parity.causes import ITERATIONS, ROTOR_INERTIA, SOFT, STOP_FORCE, UNRESOLVED, Cause
from bridge.parity.engine import DivergedError, Dof, Engine, NotReportedError, scalar_dofs
from bridge.parity.quantity import dof_place
from bridge.parity.reference import accelerations
from bridge.parity.states import State, exported, fastest_rate, random_states
from bridge.parity.verdict import REFERENCE, Level, Outcome, Row, explained
from loaders.engine_settings import MUJOCO, conventions_of
from loaders.model import JointAxis, settings_of

QUANTITY = "stops in motion"
DURATION, SAMPLES = 0.4, 400
"""Duration of the motion into the stops [s], and the number of times at which the joints are read:
each millisecond, because the impact of one joint changes the speed of others."""
STEP = 1e-3
"""Time step of that motion [s]; stiff dampers need a fraction of it."""
MAX_HALVINGS = 5
"""Number of times that the step is halved at most."""
APPROACH = 0.25
"""Part of the range of a joint that it may pass in a motion that is to avoid the stops."""
MAX_SPEED = 20.0
"""Largest speed towards a stop [rad/s or m/s]."""
GIVES_WAY = 3.0
"""Travel of a stop, in steps at the speed of the impact: both engines stop a joint within two
steps."""
MAX_DOUBLINGS, MAX_ITERATIONS = 6, 1_280_000
"""Number of times that the iterations of a solver are doubled at most, to tell whether they are too
few, and the largest number of them in the whole motion."""
MISSING = 5.0
"""Multiple of the bound of a soft stop beyond which it does not act; up to it, other stops and
couplings may push."""
CLEAR = 1.1
"""Multiple of what is allowed by which a joint without its stop would pass it at least."""
PUSHED, PUSH = 40, 2.0
"""Number of milliseconds of the motion of a joint that is pushed into its stop, and its speed in
rad/s or m/s."""
MAX_TURN = 1.0
"""Turn or way of a joint in the last step beyond which a motion diverges [rad or m]."""
SETTLED = 1e-4
"""Overshoot that a stop under load may keep, times the speed of the impact or one [rad or m]."""


def limited_dofs(mechanism: Mechanism) -> dict[Dof, tuple[float, float]]:
    """Return the limits of each degree of freedom that has rigid stops, in order, by joint and
    component.
    """
    limits = {}
    for dof, scalar in scalar_dofs(mechanism).items():
        axis = scalar.primitive.limits
        if axis is None or axis.limit_stiffness is not None or not axis.lower < axis.upper:
            continue
        if math.isfinite(axis.lower) or math.isfinite(axis.upper):
            limits[dof] = (axis.lower, axis.upper)
    return limits


def away_from_stops(mechanism: Mechanism, state: State, duration: float) -> State:
    """Return a state nearer to the middle of all ranges, with speeds that need longer than a
    duration to a stop.

    Args:
        mechanism: The mechanism.
        state: A state within the limits.
        duration: The duration [s].
    """
    q, v = map(_as_arrays, state)
    for (joint, k), (lower, upper) in limited_dofs(mechanism).items():
        if math.isfinite(lower) and math.isfinite(upper):
            middle, reach = (lower + upper) / 2.0, APPROACH * (upper - lower)
            q[joint][k] = middle + 0.5 * (q[joint][k] - middle)
            v[joint][k] = np.clip(v[joint][k], -reach / duration, reach / duration)
    return _consistent(mechanism, q, v)


def _as_arrays(by_joint: Mapping[str, Position]) -> dict[str, np.ndarray]:
    return {joint: np.atleast_1d(value).astype(float) for joint, value in by_joint.items()}


def _consistent(
    mechanism: Mechanism, q: Mapping[str, np.ndarray], v: Mapping[str, np.ndarray]
) -> State:
    """Return the state with followers of couplings where their leaders put them."""
    followers = {mechanism.v_order[c.follower][0] for c in mechanism.couplings}
    positions: dict[str, Position] = {
        name: tuple(x.tolist()) for name, x in q.items() if name not in followers
    }
    rates: dict[str, Position] = {
        name: tuple(x.tolist()) for name, x in v.items() if name not in followers
    }
    positions = with_followers(mechanism, positions)
    return positions, with_followers(mechanism, rates, at=positions)


def is_free_of_stops(mechanism: Mechanism, engine: Engine, duration: float) -> bool:
    """Return whether no joint reaches a stop within a duration at its present velocity.

    Args:
        mechanism: The mechanism.
        engine: The engine that simulates it.
        duration: The duration [s].
    """
    q, v = engine.positions(), engine.velocities()
    for (joint, k), (lower, upper) in limited_dofs(mechanism).items():
        here = float(np.atleast_1d(q[joint])[k])
        there = here + 1.5 * duration * float(v[mechanism.dof_index[joint, k]])
        if not (lower < min(here, there) and max(here, there) < upper):
            return False
    return True


def stop_rows(
    mechanism: Mechanism, engines: Mapping[str, Callable[[Mechanism], Engine]], seed: int
) -> Iterator[Row]:
    """Yield one row for each engine: by how much joints that move into their stops pass them.

    Args:
        mechanism: The mechanism to simulate.
        engines: The engines, which open the model as it is exported.
        seed: Seed of the random initial state.
    """
    limits = limited_dofs(mechanism)
    if not limits or mechanism.closures or mechanism.scene.constraints:
        return
    model = exported(mechanism, STEP)
    start = _towards_stops(model, random_states(model, 1, seed)[0], limits)
    limits = _obeyed(limits, start)
    if not limits:
        return
    for name, opener in engines.items():
        with ExitStack() as stack:
            engine = stack.enter_context(closing(opener(model)))
            lost = [entry for entry in engine.diagnostics if entry.is_one_of(ROTOR_INERTIA)]
            held = without_lost_rotors(model, lost)
            rate = max(fastest_rate(held), fastest_rate(held, start[0]))
            step = _stable_step(rate)
            if step < STEP:
                model_at_step = exported(mechanism, step)
                held = without_lost_rotors(model_at_step, lost)
                engine = stack.enter_context(closing(opener(model_at_step)))
            is_stable = rate * step <= STABILITY_LIMIT
            reopened = None if is_stable else opener
            whole = _Motion(name, engine, held, limits, start, SAMPLES, reopened)
            if engine.steps_explicitly and not is_stable:
                cause = (
                    f"dampers or springs act at a rate of {rate:.1e} 1/s"
                    f"{' without the inertia of rotors' if lost else ''}, which explicit "
                    f"integration does not follow"
                )
                yield whole.row(0.0, 0.0, next(iter(limits)), Outcome.UNKNOWN, cause)
                continue
            yield from _loaded_rows(whole)


def _loaded_rows(whole: _Motion) -> Iterator[Row]:
    """Yield the worst row of the motion into the stops and of a push of each joint that this does
    not take there, with the number of stops that were loaded; and a row of those that were not,
    which leaves a gap.
    """
    limits, loads = whole.limits, _Loads(whole.mechanism, whole.limits)
    rows = [_judged(whole, loads)]
    for dof in [dof for dof in limits if dof not in loads.loaded]:
        pushed = _pushed(whole, dof)
        if pushed is not None:
            rows.append(_judged(pushed, loads))
    worst = max(rows, key=_severity)
    yield replace(worst, loaded=(len(loads.loaded), len(limits)))
    idle = [dof_place(dof) for dof in limits if dof not in loads.loaded]
    if idle and worst.outcome is not Outcome.UNKNOWN:
        text = f"no load takes {', '.join(idle)} to a stop that another joint does not reach first"
        row = whole.row(0.0, 0.0, next(iter(limits)), Outcome.UNKNOWN, text)
        subjects = tuple(dict.fromkeys(n for place in idle for n in place.names))
        yield replace(row, where=idle[0], subjects=subjects)


_SEVERITY = (Outcome.PASSED, Outcome.EXPLAINED, Outcome.UNKNOWN, Outcome.FAILED)


def _severity(row: Row) -> tuple[int, float]:
    """Return the place of the outcome in `_SEVERITY`, and how much of what is allowed is used."""
    return _SEVERITY.index(row.outcome), row.error / row.tolerance if row.tolerance else 0.0


@dataclass(frozen=True, slots=True)
class _Motion:
    """A motion into stops in one engine.

    Attributes:
        name: The name of the engine.
        engine: The engine.
        mechanism: The mechanism that it holds, without rotors that it does not have.
        limits: Lower and upper limit of each joint that is measured [rad or m].
        start: The initial state.
        samples: Number of milliseconds at which the joints are read.
        reopened: Opens a model in the same engine, if dampers are too fast for the step; else None.
        pushed: The joint that starts at its stop with the speed `PUSH`; None for none.
    """

    name: str
    engine: Engine
    mechanism: Mechanism
    limits: Mapping[Dof, tuple[float, float]]
    start: State
    samples: int
    reopened: Callable[[Mechanism], Engine] | None = None
    pushed: Dof | None = None

    def row(
        self, overshoot: float, allowed: float, dof: Dof, outcome: Outcome, cause: str = ""
    ) -> Row:
        """Return the row of this motion, at the joint that passes its stop the farthest."""
        place = dof_place(dof)
        return Row(
            level=Level.MOTION,
            quantity=QUANTITY,
            unit="rad or m",
            engines=(REFERENCE, self.name),
            error=overshoot,
            tolerance=allowed,
            where=place,
            subjects=place.names,
            outcome=outcome,
            cause=cause,
        )


def _judged(motion: _Motion, loads: _Loads) -> Row:
    row = _overshoot_row(motion, loads)
    if row.outcome is Outcome.FAILED and motion.reopened is not None:
        row = _with_slower_dampers(row, motion, motion.reopened)
    is_soft = (
        motion.engine.obeys_mjcf_settings
        and conventions_of(motion.mechanism.physics).has_solver_settings
        and row.outcome is Outcome.FAILED
    )
    return _soft_row(row, motion) if is_soft else row


class _Loads:
    """The stops that were loaded: at a time the joint would have passed the stop within a
    millisecond, and its dampers and dry friction would have let it go further than is allowed.
    """

    def __init__(self, mechanism: Mechanism, limits: Mapping[Dof, tuple[float, float]]) -> None:
        mobility, self.loaded = _mobilities(mechanism, {}), set[Dof]()
        axes = {
            dof: scalar.primitive.limits or JointAxis(xyz=np.zeros(3))
            for dof, scalar in scalar_dofs(mechanism).items()
        }
        inverse = {dof: float(mobility[mechanism.dof_index[dof]]) for dof in limits}
        self._rates = {dof: inverse[dof] * axes[dof].damping for dof in limits}
        self._decelerations = {dof: inverse[dof] * axes[dof].friction for dof in limits}

    def add(self, dof: Dof, distance: float, speed: float, allowed: float) -> None:
        """Take a joint at a time into account.

        Args:
            dof: The joint.
            distance: Its distance to the stop towards which it moves [rad or m].
            speed: Its speed [rad/s or m/s].
            allowed: The overshoot that is allowed [rad or m].
        """
        rate, deceleration = self._rates[dof], self._decelerations[dof]
        way = speed / rate if rate else math.inf
        way = min(way, speed**2 / (2.0 * deceleration)) if deceleration else way
        is_near = distance < speed * DURATION / SAMPLES
        if speed > 0.0 and is_near and way - distance > CLEAR * allowed:
            self.loaded.add(dof)


def _pushed(whole: _Motion, dof: Dof) -> _Motion | None:
    """Return the motion with one joint at its nearer stop with a speed towards it, while all others
    rest; None for a follower, which only its leader moves.
    """
    mechanism, start = whole.mechanism, whole.start
    joint, k = dof
    if joint in {mechanism.v_order[c.follower][0] for c in mechanism.couplings}:
        return None
    q = {name: np.atleast_1d(value).astype(float) for name, value in start[0].items()}
    v = {name: np.zeros_like(np.atleast_1d(value), float) for name, value in start[1].items()}
    lower, upper = whole.limits[dof]
    sign = 1.0 if upper - q[joint][k] < q[joint][k] - lower else -1.0
    q[joint][k] = upper if sign > 0.0 else lower
    v[joint][k] = sign * PUSH
    return replace(
        whole,
        limits={dof: whole.limits[dof]},
        start=_consistent(mechanism, q, v),
        samples=PUSHED,
        pushed=dof,
    )


def _obeyed(
    limits: Mapping[Dof, tuple[float, float]], start: State
) -> dict[Dof, tuple[float, float]]:
    """Return the limits without those of followers that their leaders put beyond them, where no
    position obeys both.
    """
    positions = {dof: float(np.atleast_1d(start[0][dof[0]])[dof[1]]) for dof in limits}
    return {
        dof: (lower, upper)
        for dof, (lower, upper) in limits.items()
        if lower - SETTLED <= positions[dof] <= upper + SETTLED
    }


def _stable_step(rate: float) -> float:
    """Return a step [s] at which dampers and springs of a rate [1/s] are stable in an engine that
    computes them explicitly.
    """
    halvings = max(0, math.ceil(math.log2(max(4.0 * rate * STEP, 1e-9))))
    return STEP / float(2 ** min(halvings, MAX_HALVINGS))


def _towards_stops(
    mechanism: Mechanism, state: State, limits: Mapping[Dof, tuple[float, float]]
) -> State:
    """Return the state with a speed of each limited joint that reaches the nearer stop in half of
    the duration.
    """
    q, v = map(_as_arrays, state)
    for (joint, k), (lower, upper) in limits.items():
        here = q[joint][k]
        way = upper - here if upper - here < here - lower else lower - here
        v[joint][k] = np.clip(2.0 * way / DURATION, -MAX_SPEED, MAX_SPEED)
    return _consistent(mechanism, q, v)


def _overshoot_row(motion: _Motion, loads: _Loads) -> Row:
    try:
        overshoot, allowed, dof = _overshoot(motion, loads=loads)
    except DivergedError as error:
        return motion.row(0.0, 0.0, next(iter(motion.limits)), Outcome.UNKNOWN, str(error))
    if overshoot <= allowed:
        return motion.row(overshoot, allowed, dof, Outcome.PASSED)
    row = motion.row(overshoot, allowed, dof, Outcome.FAILED)
    try:
        stated = motion.engine.solver_iterations()
    except NotReportedError:
        return row
    try:
        row = _with_more_iterations(row, motion, stated)
    finally:
        motion.engine.set_solver_iterations(stated)
    return _with_strong_stops(row, motion) if row.outcome is Outcome.FAILED else row


def _with_strong_stops(row: Row, motion: _Motion) -> Row:
    """Return the row, explained if all stops of the same running bodies hold once their force has
    no bound.
    """
    with motion.engine.with_strong_stops() as largest:
        reason = (
            f"a stop has an impulse of at most {largest:g} N m s or N s in a step; without that "
            "bound"
        )
        return _if_stops_hold(row, motion, STOP_FORCE, reason)


def _with_more_iterations(row: Row, motion: _Motion, stated: int) -> Row:
    """Return the row, explained if all stops of the same running bodies hold once the solver does
    more iterations.
    """
    steps = round(DURATION / motion.mechanism.scene.physics.time_step)
    for doubling in range(1, MAX_DOUBLINGS + 1):
        if stated * 2**doubling * steps > MAX_ITERATIONS:
            break
        motion.engine.set_solver_iterations(stated * 2**doubling)
        reason = (
            f"the solver does {stated} iterations in a step, in which the forces of stops that act "
            "on each other through links of little inertia do not converge; with "
            f"{stated * 2**doubling}"
        )
        judged = _if_stops_hold(row, motion, ITERATIONS, reason)
        if judged.outcome is not Outcome.FAILED:
            return judged
    return row


def _if_stops_hold(row: Row, changed: _Motion, code: str, reason: str) -> Row:
    """Return the row, explained by a reason if all stops hold in the changed motion."""
    try:
        overshoot, allowed, dof = _overshoot(changed)
    except DivergedError:
        return row
    if overshoot > allowed:
        return row
    text = (
        f"{reason}, the joint nearest to what is allowed, {dof_place(dof)}, passes its stop by "
        f"{overshoot:.1e} of {allowed:.1e}"
    )
    return _explained(row, code, row.error + allowed - overshoot, text)


def _with_slower_dampers(row: Row, motion: _Motion, reopened: Callable[[Mechanism], Engine]) -> Row:
    """Return the row, explained if all stops hold once rotors slow dampers and springs down:
    MuJoCo computes the force of a stop without dampers, which then take away what it does as well.
    """
    step = motion.mechanism.scene.physics.time_step
    rate = max(fastest_rate(motion.mechanism, q) for q in (None, motion.start[0]))
    model = _with_heavier_rotors(motion.mechanism, step)
    reason = (
        f"dampers or springs act at a rate of {rate:.1e} 1/s, which the step of {step:.1e} s does "
        "not follow; with rotors that slow them down"
    )
    with closing(reopened(model)) as engine:
        slowed = replace(motion, engine=engine, mechanism=model)
        return _if_stops_hold(row, slowed, UNRESOLVED, reason)


def _with_heavier_rotors(mechanism: Mechanism, step: float) -> Mechanism:
    """Return the mechanism with rotors that give each damper and spring a rate that a step [s]
    follows.
    """
    h = step / STABILITY_LIMIT

    def heavier(axis: JointAxis) -> JointAxis:
        added = h * axis.damping + h**2 * axis.spring_stiffness
        return replace(axis, inertia=axis.inertia + added)

    joints = tuple(
        replace(joint, axes=tuple(map(heavier, joint.axes))) for joint in mechanism.scene.joints
    )
    return relowered(mechanism, replace(mechanism.scene, joints=joints))


def _explained(row: Row, code: str, bound: float, text: str) -> Row:
    cause = Cause(code=code, subjects=row.subjects, quantity=QUANTITY, bound=bound, text=text)
    return explained(row, cause)


def _soft_row(hard: Row, motion: _Motion) -> Row:
    """Return the row of stops that yield as the source states; unknown where other forces may push
    a joint further.
    """
    mechanism, limits = motion.mechanism, motion.limits
    overshoot, allowed, dof = _overshoot(motion, SoftBounds(mechanism, limits))
    row = motion.row(overshoot, hard.tolerance, dof, Outcome.FAILED)
    text = (
        f"the stop is a spring and damper of MuJoCo, which the joint passes by at most "
        f"{allowed:.1e}"
    )
    if overshoot <= allowed:
        return _explained(row, SOFT, allowed, text)
    others = 1.0 if len(limits) == 1 else MISSING
    pushed = (
        mechanism.couplings
        or mechanism.tendons
        or mechanism.force_elements
        or mechanism.constraints
    )
    if overshoot > others * allowed and not pushed:
        return replace(row, cause=f"{text} where nothing else pushes it")
    return replace(
        row, outcome=Outcome.UNKNOWN, cause=f"{text}, unless other stops and couplings push it"
    )


class SoftBounds:
    """The bounds of how far joints pass their stops in a motion, by the largest speeds and
    accelerations until then.
    """

    def __init__(self, mechanism: Mechanism, limits: Mapping[Dof, tuple[float, float]]) -> None:
        self._mechanism = mechanism
        step = mechanism.scene.physics.time_step
        settings = {joint.name: settings_of(joint, MUJOCO) for joint in mechanism.scene.joints}
        self._stops = {dof: SoftStop.of(settings.get(dof[0], ()), step) for dof in limits}
        self._at_zero = _mobilities(mechanism, {})
        self._accelerations = np.zeros(len(mechanism.v_order))
        self._ratios = np.ones(len(mechanism.v_order))

    def add(self, q: Mapping[str, Position], v: np.ndarray) -> None:
        """Take a state of the motion into account.

        Args:
            q: Positions by joint.
            v: Velocities, in ``v_order``.
        """
        rates: dict[str, tuple[float, ...]] = {}
        for (joint, _), rate in zip(self._mechanism.v_order, v, strict=True):
            rates[joint] = (*rates.get(joint, ()), float(rate))
        self._accelerations = np.maximum(
            self._accelerations, np.abs(accelerations(self._mechanism, q, rates))
        )
        self._ratios = np.maximum(self._ratios, self._at_zero / _mobilities(self._mechanism, q))

    def overshoot(self, dof: Dof, speed: float) -> float:
        """Return the bound of a joint [rad or m].

        Args:
            dof: The joint.
            speed: Its largest speed so far [rad/s or m/s].
        """
        k = self._mechanism.dof_index[dof]
        return self._stops[dof].overshoot(
            speed, float(self._accelerations[k]), float(self._ratios[k])
        )


def _mobilities(mechanism: Mechanism, q: Mapping[str, Position]) -> np.ndarray:
    return np.diag(np.linalg.pinv(mechanism.mass_matrix(q), hermitian=True))


def _overshoot(
    motion: _Motion, soft: SoftBounds | None = None, loads: _Loads | None = None
) -> tuple[float, float, Dof]:
    """Return the overshoot that is largest relative to what is allowed, what is allowed there, and
    the joint.

    Raises:
        DivergedError: If the motion diverges, or a joint turns by more than `MAX_TURN` in the last
            step.
    """
    engine, mechanism, limits = motion.engine, motion.mechanism, motion.limits
    engine.set_state(*motion.start)
    step = mechanism.scene.physics.time_step
    worst: tuple[float, float, float, Dof] = (-math.inf, 0.0, 1.0, next(iter(limits)))
    speeds = {dof: PUSH if dof == motion.pushed else 0.0 for dof in limits}
    if loads is not None and motion.pushed is not None:
        loads.add(motion.pushed, 0.0, PUSH, GIVES_WAY * step * PUSH + SETTLED * PUSH)
    for _ in range(motion.samples):
        engine.step(round(DURATION / step / SAMPLES))
        q, v = engine.positions(), engine.velocities()
        if soft is not None:
            soft.add(q, v)
        for dof, (lower, upper) in limits.items():
            here = float(np.atleast_1d(q[dof[0]])[dof[1]])
            overshoot = max(lower - here, here - upper, 0.0)
            speed = float(v[mechanism.dof_index[dof]])
            speeds[dof] = max(speeds[dof], abs(speed))
            allowed = GIVES_WAY * step * speeds[dof] + SETTLED * max(1.0, speeds[dof])
            if loads is not None:
                distance = upper - here if speed > 0.0 else here - lower
                loads.add(dof, distance, abs(speed), allowed)
            allowed += 0.0 if soft is None else soft.overshoot(dof, speeds[dof])
            worst = max(worst, (overshoot / allowed, overshoot, allowed, dof))
    fastest = float(np.abs(engine.velocities()).max())
    if step * fastest > MAX_TURN:
        raise DivergedError(
            f"the motion in {motion.name} ends at {fastest:.1e} rad/s or m/s, more than "
            f"{MAX_TURN:g} rad or m in a step of {step:.1e} s"
        )
    return worst[1:]
