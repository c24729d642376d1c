"""Motion: one step from many states, and a second of motion without contact, in every engine alike."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bridge.mechanism import Mechanism, Position
from loaders.diagnostics import Diagnostic
from loaders.spatial import Array

from .engines import Engine, Factory
from .freedoms import has_free_or_ball, soft_joints
from .quantities import EXACT, Worst, compare_readings, matrix, pose_distance
from .states import State, random_states, time_step, undisturbed
from .verdict import Level, Outcome, Row

DURATION = 1.0
"""Of a compared motion [s]."""
SAMPLES = 20
"""Times at which the engines are asked where they are."""
LARGEST_REFERENCE = 9
"""Degrees of freedom beyond which the reference, which is slow, is left out of a motion."""
_ROUNDING = 1e-14
"""What one step of one engine rounds away, relative; grows as a motion parts from its neighbours."""
LARGEST_SLIP = 1e-2
"""What a constraint within a joint may lose in a second [m or rad]."""
FIRST_ORDER = 0.8
"""Least order of convergence of a difference that shrinks with the step; what is missing to one, higher terms take."""
_EXPLICIT = frozenset({"pybullet.link-without-gravity"})

Track = list[dict[str, Array]]
"""The links' poses at the times of a motion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ride:
    """One motion: which mechanism, from where, in which steps."""

    mechanism: Mechanism
    start: State
    step: float


def motion_rows(mechanism: Mechanism, factories: Sequence[tuple[str, Factory]], seed: int) -> Iterator[Row]:
    """Compare the motion of every pair of engines, with the model's damping and without."""
    plain = undisturbed(mechanism, damped=False)
    damped = undisturbed(mechanism)
    start = random_states(plain, 1, seed)[0]
    yield from _rows("motion without damping", _ride(plain, start), factories)
    if time_step(damped) is None:
        yield _too_stiff(factories)
    elif _acts(damped):
        yield from _rows("motion with damping", _ride(damped, start), factories)


def _ride(mechanism: Mechanism, start: State) -> Ride:
    return Ride(mechanism=mechanism, start=start, step=time_step(mechanism) or math.nan)


def _acts(mechanism: Mechanism) -> bool:
    axes = [axis for joint in mechanism.scene.joints for axis in joint.axes]
    return any(axis.damping or axis.spring_stiffness for axis in axes)


def _too_stiff(factories: Sequence[tuple[str, Factory]]) -> Row:
    cause = "dampers or springs are so stiff that explicit steps of 1/16 ms would not follow them"
    return Row(
        level=Level.MOTION, quantity="motion with damping", unit="m or rad", engines=(factories[0][0], factories[1][0]),
        error=0.0, tolerance=EXACT, where="", outcome=Outcome.UNKNOWN, cause=cause,
    )  # fmt: skip


def _rows(quantity: str, ride: Ride, factories: Sequence[tuple[str, Factory]]) -> Iterator[Row]:
    if len(ride.mechanism.v_order) > LARGEST_REFERENCE:
        factories = [(name, factory) for name, factory in factories if name != "reference"]
    if not ride.mechanism.v_order:
        return
    tracks = _Tracks(dict(factories))
    for one, two in combinations(tracks.factories, 2):
        worst, series = _distance(tracks.of(one, ride), tracks.of(two, ride))
        row = Row(
            level=Level.MOTION, quantity=quantity, unit="m or rad", engines=(one, two), error=worst.error,
            tolerance=EXACT, where=worst.where, outcome=Outcome.PASSED, series=series,
        )  # fmt: skip
        yield row if worst.error <= EXACT else _judged(row, ride, tracks)


def _track(factory: Factory, ride: Ride) -> tuple[Track, tuple[Diagnostic, ...]]:
    engine: Engine = factory(ride.mechanism)
    try:
        engine.set_step(ride.step)
        engine.set_state(*ride.start)
        track = []
        for _ in range(SAMPLES):
            engine.step(round(DURATION / ride.step / SAMPLES))
            track.append({link: matrix(X_WL) for link, X_WL in engine.link_poses().items()})
        return track, engine.diagnostics
    finally:
        engine.close()


class _Tracks:
    """Runs each engine on each ride once, when it is first asked for."""

    def __init__(self, factories: Mapping[str, Factory]) -> None:
        self.factories = factories
        self.ledgers: dict[str, tuple[Diagnostic, ...]] = {}
        self._found: list[tuple[str, Ride, Track]] = []

    def of(self, engine: str, ride: Ride) -> Track:
        """The motion of one engine."""
        for name, same, track in self._found:
            if name == engine and _is_same(same, ride):
                return track
        track, self.ledgers[engine] = _track(self.factories[engine], ride)
        self._found.append((engine, ride, track))
        return track


def _is_same(one: Ride, two: Ride) -> bool:
    return one.mechanism is two.mechanism and one.start == two.start and one.step == two.step


def _distance(one: Track, two: Track) -> tuple[Worst, tuple[tuple[float, float], ...]]:
    worst, series = Worst(), []
    for k, (a, b) in enumerate(zip(one, two, strict=True), start=1):
        here = Worst()
        compare_readings(a, b, pose_distance, here)
        worst.see(here.error, here.where)
        series.append((k * DURATION / SAMPLES, here.error))
    return worst, tuple(series)


# --- what a difference means -----------------------------------------------------------------------------------------


def _judged(row: Row, ride: Ride, tracks: _Tracks) -> Row:
    """A difference beyond rounding: chaos, the order of the method, a known loss, or a fault."""
    if not math.isfinite(row.error):
        return _with(row, Outcome.FAILED, "")
    growth = _growth(row.engines[1], ride, tracks)
    if row.error <= _ROUNDING * growth:
        cause = f"motions that start 1e-10 apart are {growth:.0e} times as far apart at the end: rounding does the rest"
        return _with(row, Outcome.EXPLAINED, cause)
    known = [entry for name in row.engines for entry in tracks.ledgers[name] if entry.code in _EXPLICIT]
    if known:
        return _with(row, Outcome.EXPLAINED, f"{known[0].message} [{known[0].code}]")
    soft = soft_joints(ride.mechanism)
    if soft and row.error <= LARGEST_SLIP:
        cause = f"the engines hold the hinge and the slide of {', '.join(soft)} together by a constraint"
        return _with(row, Outcome.EXPLAINED, cause)
    order = math.log2(row.error / _half_as_long(row.engines, ride, tracks)) if has_free_or_ball(ride.mechanism) else 0.0
    if order > FIRST_ORDER:
        cause = f"the engines integrate different points of a free body; order {order:.2f} in the step"
        return _with(row, Outcome.EXPLAINED, cause)
    return _with(row, Outcome.FAILED, "")


def _growth(engine: str, ride: Ride, tracks: _Tracks) -> float:
    """How much further apart two motions end that start a little apart, in one engine."""
    apart = 1e-10
    q, v = ride.start
    moved: dict[str, Position] = {name: tuple((np.atleast_1d(rate) + apart).tolist()) for name, rate in v.items()}
    shadow = dataclasses.replace(ride, start=(q, moved))
    worst, _ = _distance(tracks.of(engine, ride), tracks.of(engine, shadow))
    return max(1.0, worst.error / apart)


def _half_as_long(engines: tuple[str, str], ride: Ride, tracks: _Tracks) -> float:
    finer = dataclasses.replace(ride, step=ride.step / 2.0)
    one, two = (tracks.of(name, finer) for name in engines)
    return max(_distance(one, two)[0].error, 1e-300)


def _with(row: Row, outcome: Outcome, cause: str) -> Row:
    return dataclasses.replace(row, outcome=outcome, cause=cause)
