"""Level L2: the exported model while its actuators run, with commands that change over time.

First the joints get random efforts, some of them beyond their limits, then those with controllers get random targets.
Commands are constant for an eighth of the motion. As for the exported motion without commands, the distance of the
motions of two engines must shrink with the time step.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, Literal, cast

import numpy as np

from bridge.lowering.base import relowered
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.parity.engines.protocol import Engine, Factory
from bridge.parity.engines.stated.actuator_trials import ActuatorTrial, actuator_trials
from bridge.parity.results.verdict import Level, Outcome, Row
from loaders.model import JointAxis

from .exported_motion import MAX_WORK, SAMPLES, SHRINKS, Motions, start_of, work_of

EFFORTS, TARGETS = "motion with efforts", "motion with controllers"
ACCELERATION = 30.0
"""Acceleration of a joint alone that its largest commanded effort causes [rad/s^2 or m/s^2]."""
DISTANCE = 0.2
"""Largest distance of a target from the initial position [rad or m]."""
_CONSTANT = 3
"""Number of intervals in the beginning with the same command."""
_BEYOND = 1.5
"""Largest commanded effort relative to the limit."""
_Kind = Literal["motor", "position"]
Plan = Sequence[Mapping[str, float]]
"""The commands by joint, for each interval of the motion."""


def driven_rows(mechanism: Mechanism, factories: Sequence[tuple[str, Factory]], seed: int) -> Iterator[Row]:
    """Yield a row for each pair of simulators and each kind of command that the model has actuators for.

    Args:
        mechanism: The mechanism to simulate.
        factories: The engines by name; the reference, which has no actuators, takes no part.
        seed: Seed of the random initial state and of the commands.
    """
    engines = {name: getattr(factory, "as_exported", factory) for name, factory in factories if name != "reference"}
    trials = actuator_trials(mechanism)
    if not trials or len(engines) < 2 or work_of(mechanism) > MAX_WORK:
        return
    rng, q = np.random.default_rng(seed), start_of(mechanism, seed)[0]
    controlled = {joint: trial for joint, trial in trials.items() if trial.gains is not None}
    yield from _rows(mechanism, engines, seed, EFFORTS, "motor", _efforts(mechanism, trials, q, rng))
    if controlled:
        stiff = _with_gains(mechanism, controlled)
        yield from _rows(mechanism, engines, seed, TARGETS, "position", _targets(mechanism, controlled, q, rng), stiff)


def _rows(
    mechanism: Mechanism,
    engines: Mapping[str, Callable[[Mechanism], Engine]],
    seed: int,
    quantity: str,
    kind: _Kind,
    plan: Plan,
    stiff: Mechanism | None = None,
) -> Iterator[Row]:
    driven = {name: partial(_opened, opener=opener, kind=kind, plan=plan) for name, opener in engines.items()}
    motions = Motions(mechanism, driven, seed, stiffest=stiff)
    for pair in combinations(engines, 2):
        idle = [name for name in pair if not _has_actuators(engines[name])]
        row = _idle(pair, idle[0]) if idle else motions.row(pair)
        yield dataclasses.replace(row, quantity=quantity)


def _has_actuators(opener: Callable[[Mechanism], Engine]) -> bool:
    """Return whether the engine of a class, or of one of its class methods, runs actuators."""
    return hasattr(getattr(opener, "__self__", opener), "start_actuators")


def _idle(pair: tuple[str, str], name: str) -> Row:
    return Row(
        level=Level.MOTION, quantity="", unit="", engines=pair, error=0.0, tolerance=SHRINKS, where="",
        outcome=Outcome.UNKNOWN, cause=f"{name} does not run actuators",
    )  # fmt: skip


# --- commands --------------------------------------------------------------------------------------------------------


def _efforts(
    mechanism: Mechanism, trials: Mapping[str, ActuatorTrial], q: Mapping[str, Position], rng: np.random.Generator
) -> Plan:
    """Random efforts, the first ones as large as possible: beyond the limits of joints that are weak."""
    inertia = dict(zip(mechanism.v_order, np.diag(mechanism.mass_matrix(q)), strict=True))
    sizes = {joint: min(_BEYOND * t.limit, ACCELERATION * inertia[joint, 0]) for joint, t in trials.items()}
    first = {joint: float(rng.choice((-size, size))) for joint, size in sizes.items()}
    return _plan({joint: (-size, size) for joint, size in sizes.items()}, rng, first)


def _targets(
    mechanism: Mechanism, trials: Mapping[str, ActuatorTrial], q: Mapping[str, Position], rng: np.random.Generator
) -> Plan:
    """Random targets within the limits and near the initial position."""
    bodies = {body.joint: body for body in mechanism.bodies}
    ranges = {}
    for joint in trials:
        axis = bodies[joint].primitives[0].limits or JointAxis(xyz=bodies[joint].primitives[0].axis)
        here = float(np.atleast_1d(q.get(joint, 0.0))[0])
        low, high = sorted((axis.lower, axis.upper))
        ranges[joint] = float(np.clip(here - DISTANCE, low, high)), float(np.clip(here + DISTANCE, low, high))
    first = {joint: float(rng.uniform(*ends)) for joint, ends in ranges.items()}
    return _plan(ranges, rng, first)


def _plan(ranges: Mapping[str, tuple[float, float]], rng: np.random.Generator, first: Mapping[str, float]) -> Plan:
    later = [{joint: float(rng.uniform(*ends)) for joint, ends in ranges.items()} for _ in range(SAMPLES - _CONSTANT)]
    return [first] * _CONSTANT + later


def _with_gains(mechanism: Mechanism, trials: Mapping[str, ActuatorTrial]) -> Mechanism:
    """The mechanism with a spring and a damper in place of each controller, which act at the same rates."""
    joints = []
    for joint in mechanism.scene.joints:
        p, d = trials[joint.name].gains or (0.0, 0.0) if joint.name in trials else (0.0, 0.0)
        axes = tuple(
            dataclasses.replace(axis, damping=axis.damping + d, spring_stiffness=axis.spring_stiffness + p)
            for axis in joint.axes
        )
        joints.append(dataclasses.replace(joint, axes=axes))
    return relowered(mechanism, dataclasses.replace(mechanism.scene, joints=tuple(joints)))


# --- engines ---------------------------------------------------------------------------------------------------------


class _Driven:
    """An engine that gets the next commands of a plan at each advance."""

    def __init__(self, engine: Any, plan: Plan) -> None:
        self._engine = engine
        self._commands = iter(plan)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def step(self, count: int) -> None:
        if count:
            self._engine.set_controls(next(self._commands))
            self._engine.step(count)


def _opened(mechanism: Mechanism, opener: Callable[[Mechanism], Engine], kind: _Kind, plan: Plan) -> Engine:
    engine: Any = opener(mechanism)
    engine.start_actuators(kind, tuple(plan[0]))
    return cast(Engine, _Driven(engine, plan))
