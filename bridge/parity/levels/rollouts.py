"""Rollouts: simulate a mechanism in an engine, keep the trajectory, and measure how far two trajectories diverge."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.parity.engines.constraint_violation import constraint_subjects
from bridge.parity.engines.protocol import DivergedError, Engine, Factory
from loaders.diagnostics import Diagnostic
from loaders.spatial import Array, matrix_to_quaternion

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
        states: Positions and velocities at the sampled times, if the mechanism has constraints.
        has_diverged: Whether the engine reports that the motion has left the finite numbers.
    """

    poses: list[dict[str, Array]]
    constraint_violation: dict[str, float]
    diagnostics: tuple[Diagnostic, ...]
    states: tuple[State, ...] = ()
    has_diverged: bool = False


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
        """Run the rollouts of a name in an engine that holds another mechanism with the same joints and links.

        Args:
            name: The name.
            engine: The engine.
            mechanism: The mechanism that it holds, whichever a rollout states.
        """
        self.factories[name] = lambda _: self.factories[engine](mechanism)

    def distance(self, engines: tuple[str, str], rollout: Rollout) -> tuple[WorstErrors, Series]:
        """Return the largest distance of each link between two engines, and that of all links at each time."""
        one, two = (self.trajectory(name, rollout) for name in engines)
        return _distance(one, two, rollout.duration)

    def displacement(self, engines: tuple[str, str], rollout: Rollout) -> Array:
        """Return the final difference of all link poses, as positions [m] and rotation vectors [rad]."""
        one, two = (self.trajectory(name, rollout).poses[-1] for name in engines)
        return np.concatenate([displacement(one[name], two[name]) for name in one])

    def extent(self, engine: str, rollout: Rollout) -> float:
        """Return how far the links move in one engine: the largest distance from the first sample [m or rad]."""
        first, *others = self.trajectory(engine, rollout).poses
        worst = WorstErrors()
        for poses in others:
            compare_readings(first, poses, pose_distance, worst)
        return worst.error

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


def displacement(one: Array, two: Array) -> Array:
    """Return the position [m] and rotation vector [rad] of one pose relative to another, shape (6,).

    Args:
        one: The pose to measure from, shape (4, 4).
        two: The pose to measure.
    """
    w, x, y, z = matrix_to_quaternion(one[:3, :3].T @ two[:3, :3])
    return np.array((*(two[:3, 3] - one[:3, 3]), *(2.0 * math.copysign(1.0, w) * np.array((x, y, z)))))


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
            for name, violation in engine.violations().items():
                violations[name] = max(violation, violations.get(name, 0.0))
            if is_constrained:
                states.append((engine.positions(), _by_joint(rollout.mechanism, engine.velocities())))
        return Trajectory(
            poses=poses,
            constraint_violation=violations,
            diagnostics=engine.diagnostics,
            states=tuple(states),
            has_diverged=has_diverged,
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
