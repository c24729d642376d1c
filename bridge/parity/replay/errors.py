"""Errors of the motion of one engine against a log, and what step and rounding explain of them."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from bridge.mechanism import Mechanism
from bridge.parity.bounds.precision import DOUBLE
from bridge.parity.engine import NotReportedError
from bridge.parity.states import exported
from loaders.diagnostics import Diagnostic
from loaders.model import JointType
from loaders.pose import Array
from loaders.text import counted

from .rollout import Experiment, Open, ReplayedMotion, connected, roll_out, roll_out_all, running

SHIFT = 1e-6
"""Difference of the initial positions that shows how a motion amplifies it [rad or m]."""
SHIFT_IN_SINGLE = 1e-3
"""The same in engines that compute in single precision."""
STEP_MARGIN = 4.0
"""Factor of the change at half the step that bounds the distance of two simulators: each differs
from the exact motion by twice the change."""
CHAOTIC = 0.25
"""Bound of an error, as a part of the range of the motion, beyond which nothing follows from it."""
ROUNDING = 1e-10
"""Least rounding error of a state [rad or m]; each control period adds the unit roundoff."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointError:
    """Distance of the motion of one joint from what was measured.

    Attributes:
        joint: The joint.
        unit: ``rad`` or ``m``.
        rms: Root of the mean square.
        largest: The largest distance.
        at: Time of the largest distance [s].
        delay: Time by which the engine is later than the log, by correlation [s]; NaN if the joint
            does not move.
        bound: RMS that the step, rounding and the resolution of the log explain.
    """

    joint: str
    unit: str
    rms: float
    largest: float
    at: float
    delay: float
    bound: float

    @property
    def is_within_bound(self) -> bool:
        """True if nothing is left to explain."""
        return self.rms <= self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Starts:
    """Errors of the motions from many initial states.

    Attributes:
        count: Number of initial states.
        spread: Standard deviation of the initial positions about the measured ones [rad or m].
        seconds: Time that all motions took [s].
        rms: Least, median and largest RMS of each joint.
    """

    count: int
    spread: float
    seconds: float
    rms: Mapping[str, tuple[float, float, float]]

    def __str__(self) -> str:
        joints = ", ".join(
            f"{joint} {low:.3g} to {high:.3g}, median {middle:.3g}"
            for joint, (low, middle, high) in self.rms.items()
        )
        return (
            f"RMS from {counted(self.count, 'start')} scattered by {self.spread:g} about the "
            f"measured one: {joints}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineReplay:
    """The replay in one engine.

    Attributes:
        engine: The name of the engine.
        version: Its version.
        motion: The motion; None if the engine cannot replay.
        errors: The error of each joint with measured positions.
        step_change: Largest change at half the time step [rad or m].
        growth: Factor by which a small difference of the initial positions grows at most.
        spread: The largest bound of an error, as a part of the range of the measured motion.
        reason: Why there is no motion, or why it ends early.
        diagnostics: What the engine does not carry.
        starts: Errors from many initial states, if they were asked for.
    """

    engine: str
    version: str = ""
    motion: ReplayedMotion | None = None
    errors: tuple[JointError, ...] = ()
    step_change: float = math.nan
    growth: float = math.nan
    spread: float = 0.0
    reason: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    starts: Starts | None = None

    @property
    def is_chaotic(self) -> bool:
        """True if step or initial state change the motion so much that nothing follows from it."""
        return not self.spread <= CHAOTIC  # NaN where a motion diverges

    @property
    def is_within_bound(self) -> bool:
        """True if the log is explained without a change of the model."""
        known = bool(self.errors) and not self.is_chaotic
        return known and all(error.is_within_bound for error in self.errors)

    @property
    def sensitivity(self) -> str:
        """The effect of the step and of the initial state on the motion, in words."""
        if self.reason:
            return self.reason
        return (
            f"at half the step the motion changes by {self.step_change:.1e}; a difference of the "
            f"initial positions grows {self.growth:.3g} times"
            + ("; nothing follows from such a motion" if self.is_chaotic else "")
            + ("" if self.starts is None else f"; {self.starts}")
        )


def replay_in(
    name: str, open_engine: Open, mechanism: Mechanism, experiment: Experiment
) -> EngineReplay:
    """Return the replay in one engine, with its sensitivity to the step and to the initial state.

    Args:
        name: The name of the engine.
        open_engine: Opens it.
        mechanism: The mechanism.
        experiment: The experiment.
    """
    try:
        version, diagnostics, unit = _about(open_engine, mechanism, experiment)
        shift = SHIFT if unit <= DOUBLE else SHIFT_IN_SINGLE
        half = dataclasses.replace(experiment, step=experiment.step / 2.0)
        halved = roll_out(open_engine, mechanism, half)
        guess = dataclasses.replace(experiment, degree=experiment.degree + 1)
        lines = dataclasses.replace(experiment, log=connected(experiment.log))
        trials = ((experiment, 0.0), (experiment, shift), (guess, 0.0), (lines, 0.0))
        with running(open_engine, mechanism, experiment) as move:
            motion, shifted, guessed, between = (move(*trial) for trial in trials)
    except NotReportedError as error:
        return EngineReplay(engine=name, reason=str(error))
    growth = np.abs(shifted.q - motion.q) / shift
    extent = max(1.0, float(np.nanmax(np.abs(motion.q), initial=0.0)))
    rounding = max(ROUNDING, unit * len(motion.times) * extent)
    changes = np.abs(halved.q - motion.q)
    starts = 2.0 * np.abs(guessed.q - motion.q) + np.abs(between.q - motion.q)
    bounds = {
        joint: STEP_MARGIN * _rms(changes[:, k])
        + _rms(starts[:, k])
        + _rms(growth[:, k]) * (rounding + resolution(experiment.measured(joint)[1]))
        + _interpolation(motion, k, experiment.measured(joint)[0])
        for k, joint in enumerate(experiment.watched)
    }
    return EngineReplay(
        engine=name,
        version=version,
        motion=motion,
        errors=tuple(
            joint_error(mechanism, experiment, motion, joint, bounds[joint])
            for joint in experiment.watched
        ),
        step_change=float(np.max(changes, initial=0.0)),
        growth=float(np.max(growth, initial=0.0)),
        spread=max(bounds.values(), default=0.0) / _largest_range(experiment),
        reason=motion.reason,
        diagnostics=diagnostics,
    )


def with_starts(
    replay: EngineReplay,
    open_engine: Open,
    mechanism: Mechanism,
    experiment: Experiment,
    scatter: tuple[int, float],
) -> EngineReplay:
    """Return a replay with the errors from many initial states, in one call where the engine can.

    Args:
        replay: The replay from the measured state.
        open_engine: Opens the engine.
        mechanism: The mechanism.
        experiment: The experiment.
        scatter: Number of initial states, and the standard deviation of their positions about the
            measured ones [rad or m].
    """
    count, spread = scatter
    if not count or replay.motion is None:
        return replay
    offsets = spread * np.random.default_rng(0).standard_normal((count, len(experiment.watched)))
    begin = time.perf_counter()
    q = roll_out_all(open_engine, mechanism, experiment, offsets)
    seconds = time.perf_counter() - begin
    rms = {}
    for joint in experiment.watched:
        motions = (dataclasses.replace(replay.motion, q=each) for each in q)
        found = np.array([_rms(residuals(experiment, motion, joint)) for motion in motions])
        low, middle, high = np.quantile(found, (0.0, 0.5, 1.0)).tolist()
        rms[joint] = low, middle, high
    starts = Starts(count=count, spread=spread, seconds=seconds, rms=rms)
    return dataclasses.replace(replay, starts=starts)


def _about(
    open_engine: Open, mechanism: Mechanism, experiment: Experiment
) -> tuple[str, tuple[Diagnostic, ...], float]:
    """Return the version of an engine, what it does not carry, and its unit roundoff."""
    with closing(open_engine(exported(mechanism, experiment.step))) as engine:
        return engine.version, engine.diagnostics, engine.unit_roundoff


def _largest_range(experiment: Experiment) -> float:
    """Return the largest range of a measured position."""
    ranges = (float(np.ptp(experiment.measured(joint)[1])) for joint in experiment.watched)
    return max(1e-9, *ranges)


def resolution(values: Array) -> float:
    """Return half the last decimal of the values, as far as all have the same few decimals."""
    for digits in range(1, 13):
        if np.array_equal(np.round(values, digits), values):
            return 0.5 * 10.0**-digits
    return 0.0


def _interpolation(motion: ReplayedMotion, k: int, times: Array) -> float:
    """Return the error of linear interpolation, an eighth of the largest second difference; zero if
    all times are on the grid.
    """
    period = motion.times[1] - motion.times[0]
    phases = (times - motion.times[0]) / period
    if np.allclose(phases, np.round(phases), atol=1e-6):
        return 0.0
    return float(np.abs(np.diff(motion.q[:, k], 2)).max(initial=0.0)) / 8.0


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if values.size else 0.0


def residuals(experiment: Experiment, motion: ReplayedMotion, joint: str) -> Array:
    """Return the position of a joint in an engine minus the measured one, at its times.

    Args:
        experiment: The experiment.
        motion: The motion of the engine.
        joint: The joint.
    """
    times, measured = experiment.measured(joint)
    k = experiment.watched.index(joint)
    return np.interp(times, motion.times, motion.q[:, k]) - measured


def joint_error(
    mechanism: Mechanism, experiment: Experiment, motion: ReplayedMotion, joint: str, bound: float
) -> JointError:
    """Return the error of one joint.

    Args:
        mechanism: The mechanism.
        experiment: The experiment.
        motion: The motion of an engine.
        joint: The joint.
        bound: RMS that needs no explanation.
    """
    difference = residuals(experiment, motion, joint)
    times, measured = experiment.measured(joint)
    finite = np.isfinite(difference)
    worst = int(np.argmax(np.where(finite, np.abs(difference), -1.0)))
    complete = bool(finite.all())
    return JointError(
        joint=joint,
        unit=unit_of(mechanism, joint),
        rms=_rms(difference) if complete else math.inf,
        largest=float(abs(difference[worst])) if complete else math.inf,
        at=float(times[worst] - experiment.start),
        delay=delay_of(times, difference + measured, measured) if complete else math.nan,
        bound=bound if math.isfinite(bound) else 0.0,
    )


def unit_of(mechanism: Mechanism, joint: str) -> str:
    """Return the unit of the position of a joint."""
    kinds = {each.name: each.type for each in mechanism.scene.joints}
    return "m" if kinds[joint] is JointType.PRISMATIC else "rad"


def delay_of(times: Array, simulated: Array, measured: Array) -> float:
    """Return the time by which a curve is later than another one [s]: the shift, of at most a fifth
    of the motion, at which the correlation is largest; NaN if a curve is constant.

    Args:
        times: The times [s], which are resampled evenly.
        simulated: The curve that may be later.
        measured: The other curve.
    """
    count = len(times)
    even = np.linspace(times[0], times[-1], count)
    a, b = (np.interp(even, times, curve) for curve in (simulated, measured))
    if count < 5 or np.ptp(a) < 1e-12 or np.ptp(b) < 1e-12:
        return math.nan
    lags = np.arange(-(count // 5), count // 5 + 1)
    scores = np.array([_correlation(a, b, lag) for lag in lags.tolist()])
    best = int(np.argmax(scores))
    shift = float(lags[best])
    if 0 < best < len(lags) - 1:
        below, here, above = scores[best - 1 : best + 2]
        curvature = below - 2.0 * here + above
        shift += 0.5 * float(below - above) / float(curvature) if curvature < 0.0 else 0.0
    return shift * float(even[1] - even[0])


def _correlation(a: Array, b: Array, lag: int) -> float:
    """Return the correlation of a curve with another one that is a number of samples earlier."""
    late = a[max(0, lag) : len(a) + min(0, lag)]
    early = b[max(0, -lag) : len(b) + min(0, -lag)]
    late, early = late - late.mean(), early - early.mean()
    size = float(np.linalg.norm(late) * np.linalg.norm(early))
    return float(late @ early) / size if size > 0.0 else -1.0
