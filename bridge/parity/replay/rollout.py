"""Rollout: the motion of one engine under the commands of a log.

The engine steps on a uniform grid. Commands are held until the next sample, measured values are
interpolated. The controller acts once in each control period, on the state of the engine:
``effort = feedforward + P (q_d - q) + D (v_d - v)``, within the effort limits of the model.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

import numpy as np

from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position, initial_positions, with_followers
from bridge.parity.engine import DivergedError, Engine, NotReportedError
from bridge.parity.engines.mujoco.accelerated import AcceleratedEngine
from bridge.parity.states import State, exported
from loaders.model import Actuator
from loaders.pose import Array

from .log import Log, Role, slack

Open = Callable[[Mechanism], Engine]
"""Opens an engine with a mechanism."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """The controllers of the driven joints, as arrays of shape (n,).

    Attributes:
        p_gains: Gains of the position error; zero without commanded positions.
        d_gains: Gains of the velocity error.
        scales: Factor of each effort.
        command_delay: Control periods by which commands act later.
        effort_delay: Control periods by which efforts act later.
    """

    p_gains: Array
    d_gains: Array
    scales: Array
    command_delay: int = 0
    effort_delay: int = 0

    def efforts(
        self, commands: tuple[Array, Array, Array], q: Array, v: Array, limits: Array
    ) -> Array:
        """Return the efforts in one state, or in several that are rows.

        Args:
            commands: Commanded positions, velocities and efforts, shape (n,).
            q: Positions, shape (..., n).
            v: Velocities, of the same shape.
            limits: Effort limits, shape (n,).
        """
        q_d, v_d, feedforward = commands
        wanted = self.scales * (feedforward + self.p_gains * (q_d - q) + self.d_gains * (v_d - v))
        return np.minimum(np.maximum(wanted, -limits), limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """Experiment that a log states.

    Attributes:
        log: The log.
        driven: The joints that get efforts.
        watched: The joints with measured positions.
        controller: The controllers of the driven joints.
        start: Time at which the motion starts [s].
        duration: Duration [s].
        period: Control period [s].
        step: Time step [s], a part of the period.
        degree: Degree of the polynomial that gives an initial velocity that is not measured.
    """

    log: Log
    driven: tuple[str, ...]
    watched: tuple[str, ...]
    controller: Controller
    start: float
    duration: float
    period: float
    step: float
    degree: int = 2

    @property
    def times(self) -> Array:
        """The times at which the controller acts, and the end [s]."""
        count = round(self.duration / self.period) + 1
        return np.asarray(self.start + self.period * np.arange(count), dtype=np.float64)

    def commands(self, quantity: str, missing: float = 0.0) -> Array:
        """Return the commands at all `times`, shape (number of times, number of driven joints).

        Args:
            quantity: ``position``, ``velocity`` or ``effort``.
            missing: The value for a joint without this command.
        """
        times = self.times - self.controller.command_delay * self.period
        found = np.full((len(times), len(self.driven)), missing)
        for k, joint in enumerate(self.driven):
            series = self.log.get("command", quantity, joint)
            if series is not None:
                found[:, k] = series.held(times)
        return found

    def measured(self, joint: str) -> tuple[Array, Array]:
        """Return the times within the motion at which a position was measured, and the
        positions.
        """
        series = self.log.series["measured", "position", joint]
        end, near = self.start + self.duration, slack(series.times)
        inside = (series.times >= self.start - near) & (series.times <= end + near)
        return series.times[inside], series.values[inside]

    def start_state(self, mechanism: Mechanism) -> tuple[dict[str, Position], dict[str, Position]]:
        """Return the measured state at the start; joints that are not measured start as the model
        states, at rest.
        """
        at = np.array([self.start])
        q: dict[str, Position] = dict(initial_positions(mechanism))
        v: dict[str, Position] = {}
        for joint in self.watched:
            q[joint] = float(self.log.series["measured", "position", joint].at(at)[0])
            v[joint] = first_speed(self.log, joint, self.start, self.degree)
        return with_followers(mechanism, q), with_followers(mechanism, v, at=q)


ROUNDED = 1e-3
"""Part by which a control period may exceed the time step, since times of logs are rounded."""
WINDOWS = (4, 6, 10, 18, 34)
"""Numbers of positions from which an initial velocity that is not measured is computed."""


def first_speed(log: Log, joint: str, start: float, degree: int) -> float:
    """Return the measured velocity at the start; without one, that of a polynomial that fits the
    first positions, as many as make both its noise and its change with the degree small.

    Args:
        log: The log.
        joint: Name of a joint whose positions were measured.
        start: The time of the start [s].
        degree: Degree of the polynomial, 2 or 3.
    """
    measured = log.get("measured", "velocity", joint)
    if measured is not None:
        return float(measured.at(np.array([start]))[0])
    series = log.series["measured", "position", joint]
    first = int(np.searchsorted(series.times, start - slack(series.times)))
    times, values = series.times[first:] - start, series.values[first:]
    if len(times) < WINDOWS[0]:
        return float(np.polyfit(times, values, len(times) - 1)[-2]) if len(times) > 1 else 0.0
    noise = float(np.std(np.diff(values, 3))) / math.sqrt(20.0)
    found = []
    for count in WINDOWS:
        x, y = times[:count], values[:count]
        fits = {k: np.polyfit(x, y, k) for k in (2, 3)}
        missed = float(np.std(y - np.polyval(fits[2], x)))  # large where the motion is no parabola
        spread = noise * math.sqrt(192.0 / count) / count + 8.0 * missed / count
        spread /= float(times[1] - times[0])
        found.append((abs(float(fits[3][-2] - fits[2][-2])) + spread, float(fits[degree][-2])))
    return min(found)[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedMotion:
    """The motion in one engine.

    Attributes:
        times: The times [s], shape (n,).
        q: Positions of the watched joints [rad or m], shape (n, number of joints).
        v: Velocities of the watched joints, of the same shape.
        efforts: Efforts of the driven joints, shape (n, number of driven joints).
        reason: Why the motion ends early; empty if it does not.
    """

    times: Array
    q: Array
    v: Array
    efforts: Array
    reason: str = ""

    @property
    def is_complete(self) -> bool:
        """True if the motion has reached its end."""
        return not self.reason


def with_motors(mechanism: Mechanism, driven: tuple[str, ...]) -> Mechanism:
    """Return the mechanism in which each driven joint has one actuator, which takes efforts, and
    other joints have none.

    Inertias of rotors stay. Laws of actuators, such as those of an MJCF file, do not act.

    Args:
        mechanism: The mechanism.
        driven: The joints that get efforts.
    """
    scene = mechanism.scene
    axes = {joint.name: joint.axes[0] for joint in scene.joints if joint.axes}
    plain = {a.joint: a for a in reversed(scene.actuators) if a.joint and not a.engine_settings}
    motors = {}
    for joint in (*driven, *(name for name in plain if name not in driven)):
        known = plain.get(joint, Actuator(name=joint, joint=joint, effort=axes[joint].effort))
        motors[joint] = Actuator(
            name=known.name,
            joint=joint,
            effort=known.effort,
            min_effort=known.min_effort,
            gear_ratio=known.gear_ratio,
            rotor_inertia=known.rotor_inertia,
            where=known.where,
        )
    return relowered(mechanism, dataclasses.replace(scene, actuators=tuple(motors.values())))


def effort_limits(mechanism: Mechanism, joints: tuple[str, ...]) -> Array:
    """Return the effort limits of joints [N m or N], shape (n,).

    Args:
        mechanism: The mechanism, with motors.
        joints: The joints.
    """
    by_name = {joint.name: joint.axes[0].effort for joint in mechanism.scene.joints if joint.axes}
    motors = {actuator.joint: actuator.effort for actuator in mechanism.scene.actuators}
    limits = [min(by_name[name] or math.inf, motors[name]) for name in joints]
    return np.array(limits, dtype=np.float64)


def roll_out(
    open_engine: Open, mechanism: Mechanism, experiment: Experiment, offset: float | Array = 0.0
) -> ReplayedMotion:
    """Return the motion of a mechanism under the commands of a log.

    Args:
        open_engine: Opens the engine.
        mechanism: The mechanism; its contacts are left out.
        experiment: The commands.
        offset: Addition to the initial position of each watched joint [rad or m].

    Raises:
        NotReportedError: If the engine cannot simulate the mechanism or lacks actuators.
    """
    with running(open_engine, mechanism, experiment) as move:
        return move(experiment, offset)


Move = Callable[[Experiment, float | Array], ReplayedMotion]
"""Returns the motion of an experiment in an engine that is open, with an addition to the initial
position of each watched joint [rad or m]."""


@contextmanager
def running(open_engine: Open, mechanism: Mechanism, experiment: Experiment) -> Iterator[Move]:
    """Yield what moves a mechanism under commands, from one start after the other, with the model
    that is compiled once.

    Args:
        open_engine: Opens the engine.
        mechanism: The mechanism; its contacts are left out.
        experiment: The joints and the step; commands and controllers may be others.

    Raises:
        NotReportedError: If the engine cannot simulate the mechanism or lacks actuators.
    """
    driven = with_motors(mechanism, experiment.driven)
    limits = effort_limits(driven, experiment.driven)
    with _opened(open_engine, driven, experiment) as engine:
        if experiment.driven:
            engine.start_actuators("motor", experiment.driven)
        yield lambda given, offset: _follow(
            engine, given, limits, _shifted(given, mechanism, offset)
        )


@contextmanager
def _opened(open_engine: Open, driven: Mechanism, experiment: Experiment) -> Iterator[Engine]:
    """Open an engine of a mechanism with motors, at the step of an experiment.

    Raises:
        NotReportedError: If the engine cannot simulate the mechanism.
    """
    with closing(open_engine(exported(driven, experiment.step))) as engine:
        if engine.refusal:
            raise NotReportedError(engine.refusal)
        engine.set_step(experiment.step)
        yield engine


def _follow(engine: Engine, experiment: Experiment, limits: Array, start: State) -> ReplayedMotion:
    engine.set_state(*start)
    c, times = experiment.controller, experiment.times
    q_d, v_d, feedforward = (
        experiment.commands(quantity) for quantity in ("position", "velocity", "effort")
    )
    count, substeps = len(times), round(experiment.period / experiment.step)
    driven, watched = experiment.driven, experiment.watched
    joints = tuple(dict.fromkeys((*watched, *driven)))
    of_watched = [joints.index(joint) for joint in watched]
    of_driven = np.array([joints.index(joint) for joint in driven], dtype=np.intp)
    positions, speeds = (np.full((count, len(joints)), np.nan) for _ in range(2))
    efforts, reason = np.full((count, len(driven)), np.nan), ""
    for i in range(count):
        positions[i], speeds[i] = q, v = engine.joint_states(joints)
        commands = q_d[i], v_d[i], feedforward[i]
        efforts[i] = c.efforts(commands, q[of_driven], v[of_driven], limits)
        if i == count - 1:
            break
        if driven:
            now = efforts[max(0, i - c.effort_delay)]
            engine.set_controls(dict(zip(driven, now.tolist(), strict=True)))
        try:
            engine.step(substeps)
        except DivergedError as failure:
            reason = f"{failure} after {times[i] - times[0]:.3g} s"
            break
    q, v = positions[:, of_watched], speeds[:, of_watched]
    return ReplayedMotion(times=times, q=q, v=v, efforts=efforts, reason=reason)


def roll_out_all(
    open_engine: Open, mechanism: Mechanism, experiment: Experiment, offsets: Array
) -> Array:
    """Return the positions of the watched joints from many starts, shape (number of starts, number
    of times, number of joints); NaN after a motion has diverged.

    Engines that compute many states at once take all starts in one call for each control period;
    others move from one start after the other, with the model that is compiled once.

    Args:
        open_engine: Opens the engine.
        mechanism: The mechanism; its contacts are left out.
        experiment: The commands.
        offsets: Additions to the initial positions [rad or m], shape (number of starts, number of
            watched joints).

    Raises:
        NotReportedError: If the engine cannot simulate the mechanism or lacks actuators.
    """
    driven = with_motors(mechanism, experiment.driven)
    limits = effort_limits(driven, experiment.driven)
    starts = [_shifted(experiment, mechanism, offset) for offset in offsets]
    with _opened(open_engine, driven, experiment) as engine:
        if isinstance(engine, AcceleratedEngine):
            return _follow_all(engine, experiment, limits, starts)
        if experiment.driven:
            engine.start_actuators("motor", experiment.driven)
        return np.array([_follow(engine, experiment, limits, start).q for start in starts])


def _shifted(experiment: Experiment, mechanism: Mechanism, offset: float | Array) -> State:
    """Return the state at the start with additions to the positions of the watched joints."""
    q, v = experiment.start_state(mechanism)
    added = np.broadcast_to(offset, len(experiment.watched)).tolist()
    moved = {
        joint: float(np.ravel(q[joint])[0]) + x
        for joint, x in zip(experiment.watched, added, strict=True)
    }
    return with_followers(mechanism, q | moved), v


def _follow_all(
    engine: AcceleratedEngine, experiment: Experiment, limits: Array, starts: Sequence[State]
) -> Array:
    c, times = experiment.controller, experiment.times
    commands = [experiment.commands(name) for name in ("position", "velocity", "effort")]
    substeps = round(experiment.period / experiment.step)
    of_watched, _, watched_ratios = engine.addresses(experiment.watched)
    of_driven, rates, ratios = engine.addresses(experiment.driven)
    positions, velocities = engine.coordinates(starts)
    found = np.full((len(starts), len(times), len(experiment.watched)), np.nan)
    efforts: list[Array] = []
    for i in range(len(times)):
        found[:, i] = positions[:, of_watched] / watched_ratios
        q, v = positions[:, of_driven] / ratios, velocities[:, rates] / ratios
        now = commands[0][i], commands[1][i], commands[2][i]
        efforts.append(c.efforts(now, q, v, limits))
        if i < len(times) - 1:
            forces = np.zeros_like(velocities)
            forces[:, rates] = efforts[max(0, i - c.effort_delay)] / ratios
            positions, velocities = engine.advanced(positions, velocities, forces, substeps)
    return found


def grid_of(log: Log, watched: tuple[str, ...], longest: float) -> tuple[float, float, float]:
    """Return the start, the duration and the control period of a log: the longest part of the
    median interval of its measured positions that does not exceed a time step [s].

    Args:
        log: The log.
        watched: The joints with measured positions.
        longest: The largest time step [s].
    """
    series = [log.series["measured", "position", joint] for joint in watched]
    start, end = max(s.times[0] for s in series), min(s.times[-1] for s in series)
    interval = float(np.median(np.concatenate([np.diff(s.times) for s in series])))
    period = interval / math.ceil(interval / longest * (1.0 - ROUNDED))
    return start, math.floor((end - start) / period + 1e-6) * period, period


def connected(log: Log) -> Log:
    """Return the log whose commands are connected by lines instead of being held."""
    series = {
        key: dataclasses.replace(samples, is_path=True) if key[0] == "command" else samples
        for key, samples in log.series.items()
    }
    return dataclasses.replace(log, series=series)


def renamed(log: Log, change: Mapping[tuple[Role, str], tuple[str, float]]) -> Log:
    """Return the log in which series of some joints belong to others, or have other signs.

    Args:
        log: The log.
        change: The new joint and the factor by role and joint.
    """
    series = {}
    for (role, quantity, joint), samples in log.series.items():
        other, factor = change.get((role, joint), (joint, 1.0))
        values = samples.values * factor if factor != 1.0 else samples.values
        series[role, quantity, other] = dataclasses.replace(samples, values=values)
    return dataclasses.replace(log, series=series)


def in_radians(log: Log, roles: tuple[Role, ...], joints: tuple[str, ...]) -> Log:
    """Return the log of which the positions and velocities of some joints are in degrees.

    Args:
        log: The log.
        roles: Whether measured values or commands are in degrees.
        joints: The joints.
    """
    series = {
        key: dataclasses.replace(samples, values=np.radians(samples.values))
        if key[0] in roles and key[1] in {"position", "velocity"} and key[2] in joints
        else samples
        for key, samples in log.series.items()
    }
    return dataclasses.replace(log, series=series)
