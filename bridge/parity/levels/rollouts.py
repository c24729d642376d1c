"""Rollouts: simulate a mechanism in an engine, keep the trajectory, and measure how far two trajectories diverge."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from bridge.mechanism import Mechanism
from bridge.parity.engines.protocol import Engine, Factory
from loaders.diagnostics import Diagnostic
from loaders.spatial import Array

from .quantities import WorstErrors, compare_readings, matrix, pose_distance
from .random_states import PERTURBATION, State, perturbed

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
        constraint_violation: Largest violation of each coupling, screw and loop at the sampled times [rad or m].
        diagnostics: The fidelity report of the engine.
    """

    poses: list[dict[str, Array]]
    constraint_violation: dict[str, float]
    diagnostics: tuple[Diagnostic, ...]


class RolloutCache:
    """Runs each rollout once in each engine, when it is first needed."""

    def __init__(self, factories: Mapping[str, Factory]) -> None:
        self.factories = factories
        self._trajectories: list[tuple[str, Rollout, Trajectory]] = []

    def trajectory(self, engine: str, rollout: Rollout) -> Trajectory:
        """Return the trajectory of one engine."""
        for name, known, trajectory in self._trajectories:
            if name == engine and _is_same(known, rollout):
                return trajectory
        trajectory = _simulate(self.factories[engine], rollout)
        self._trajectories.append((engine, rollout, trajectory))
        return trajectory

    def distance(self, engines: tuple[str, str], rollout: Rollout) -> tuple[WorstErrors, Series]:
        """Return the largest distance of each link between two engines, and that of all links at each time."""
        one, two = (self.trajectory(name, rollout) for name in engines)
        return _distance(one, two, rollout.duration)

    def sensitivity(self, engine: str, rollout: Rollout) -> float:
        """Return the ratio of final to initial distance of two trajectories with close initial states, at least one."""
        neighbor = dataclasses.replace(rollout, start=perturbed(rollout.start))
        worst, _ = _distance(self.trajectory(engine, rollout), self.trajectory(engine, neighbor), rollout.duration)
        return max(1.0, worst.error / PERTURBATION)


def _is_same(one: Rollout, two: Rollout) -> bool:
    return (
        one.mechanism is two.mechanism
        and one.start == two.start
        and (one.step, one.duration) == (two.step, two.duration)
    )


def _simulate(factory: Factory, rollout: Rollout) -> Trajectory:
    engine: Engine = factory(rollout.mechanism)
    try:
        engine.set_step(rollout.step)
        engine.set_state(*rollout.start)
        poses, violations = [], dict[str, float]()
        for _ in range(SAMPLES):
            engine.step(round(rollout.duration / rollout.step / SAMPLES))
            poses.append({link: matrix(X_WL) for link, X_WL in engine.link_poses().items()})
            for name, violation in engine.violations().items():
                violations[name] = max(violation, violations.get(name, 0.0))
        return Trajectory(poses=poses, constraint_violation=violations, diagnostics=engine.diagnostics)
    finally:
        engine.close()


def _distance(one: Trajectory, two: Trajectory, duration: float) -> tuple[WorstErrors, Series]:
    worst, series = WorstErrors(), []
    for k, (a, b) in enumerate(zip(one.poses, two.poses, strict=True), start=1):
        current = WorstErrors()
        compare_readings(a, b, pose_distance, current)
        worst.record(current.error, current.where)
        series.append((k * duration / SAMPLES, current.error))
    return worst, tuple(series)
