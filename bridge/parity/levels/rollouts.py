"""Motions as they are compared: who rode where from, what was seen on the way, and how sensitive it was."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from bridge.mechanism import Mechanism
from bridge.parity.engines.protocol import Engine, Factory
from loaders.diagnostics import Diagnostic
from loaders.spatial import Array

from .quantities import Worst, compare_readings, matrix, pose_distance
from .random_states import APART, State, neighbour

SAMPLES = 20
"""Times at which the engines are asked where they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ride:
    """One motion: which mechanism, from where, in which steps, for how long."""

    mechanism: Mechanism
    start: State
    step: float
    """[s]."""
    duration: float
    """[s], a multiple of the step and of `SAMPLES`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """What an engine did on a ride."""

    poses: list[dict[str, Array]]
    """Of the links, at the times of the motion."""
    slips: dict[str, float]
    """The worst violation of each coupling, screw and loop at those times [rad or m]."""
    ledger: tuple[Diagnostic, ...]


class Rides:
    """Sends each engine on each ride once, when it is first asked for."""

    def __init__(self, factories: Mapping[str, Factory]) -> None:
        self.factories = factories
        self._found: list[tuple[str, Ride, Track]] = []

    def track(self, engine: str, ride: Ride) -> Track:
        """What one engine did."""
        for name, same, track in self._found:
            if name == engine and _is_same(same, ride):
                return track
        track = _ridden(self.factories[engine], ride)
        self._found.append((engine, ride, track))
        return track

    def distance(self, engines: tuple[str, str], ride: Ride) -> tuple[Worst, tuple[tuple[float, float], ...]]:
        """How far two engines part: the worst of each link, and the worst at each time."""
        one, two = (self.track(name, ride) for name in engines)
        return _distance(one, two, ride.duration)

    def sensitivity(self, engine: str, ride: Ride) -> float:
        """How much further apart two motions of one engine end than they start, and no less than one."""
        shadow = dataclasses.replace(ride, start=neighbour(ride.start))
        worst, _ = _distance(self.track(engine, ride), self.track(engine, shadow), ride.duration)
        return max(1.0, worst.error / APART)


def _is_same(one: Ride, two: Ride) -> bool:
    return (
        one.mechanism is two.mechanism
        and one.start == two.start
        and (one.step, one.duration) == (two.step, two.duration)
    )


def _ridden(factory: Factory, ride: Ride) -> Track:
    engine: Engine = factory(ride.mechanism)
    try:
        engine.set_step(ride.step)
        engine.set_state(*ride.start)
        poses, slips = [], dict[str, float]()
        for _ in range(SAMPLES):
            engine.step(round(ride.duration / ride.step / SAMPLES))
            poses.append({link: matrix(X_WL) for link, X_WL in engine.link_poses().items()})
            for name, slip in engine.violations().items():
                slips[name] = max(slip, slips.get(name, 0.0))
        return Track(poses=poses, slips=slips, ledger=engine.diagnostics)
    finally:
        engine.close()


def _distance(one: Track, two: Track, duration: float) -> tuple[Worst, tuple[tuple[float, float], ...]]:
    worst, series = Worst(), []
    for k, (a, b) in enumerate(zip(one.poses, two.poses, strict=True), start=1):
        here = Worst()
        compare_readings(a, b, pose_distance, here)
        worst.see(here.error, here.where)
        series.append((k * duration / SAMPLES, here.error))
    return worst, tuple(series)
