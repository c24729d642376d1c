"""Efforts of the actuators of bodies in PyBullet, measured by the change of velocity in one short step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from bridge.bullet.handle.body import PyBulletBody
from bridge.bullet.handle.body_sequence import Bodies
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.parity.engines.protocol import Engine
from loaders.spatial import Array

from .actuator_trials import ActuatorTrial

State = tuple[Mapping[str, Position], Mapping[str, Position]]
"""Positions and velocities by joint."""
_STEP = 1e-5
"""Longer time step of the measurement [s]: PyBullet cuts off speeds beyond 100 rad/s."""


def efforts_in_pybullet(
    engine: Engine, loaded: PyBulletBody | Bodies, mechanism: Mechanism, trials: Mapping[str, ActuatorTrial]
) -> dict[str, Array]:
    """Return the efforts at the joints after the commands of their trials: the mass matrix times the acceleration.

    The velocity of the origin of a free body follows from that of its center of mass with the rotation after the step.
    An acceleration turns the body by an angle that is quadratic in the step, and so is the error of the effort; it is
    removed by extrapolation from two steps.

    Args:
        engine: The engine, which holds the mechanism without constraints, stops and dry friction.
        loaded: Its bodies.
        mechanism: The mechanism.
        trials: The trials by joint.
    """
    start, sizes = engine.positions(), Counter(joint for joint, _ in mechanism.v_order)
    rest: dict[str, Position] = {joint: (0.0,) * size for joint, size in sizes.items()}
    found = {}
    for joint, trial in trials.items():
        q, acts = {**start, joint: trial.position}, _acts(loaded, joint, trial)
        engine.set_state(q, rest)
        row = engine.mass_matrix()[mechanism.dof_index[joint, 0]]
        coarse, fine = (
            np.array([row @ _acceleration(engine, (q, {**rest, joint: speed}), act, step) for act, speed in acts])
            for step in (_STEP, 0.5 * _STEP)
        )
        found[joint] = (4.0 * fine - coarse) / 3.0
    return found


def _acts(loaded: PyBulletBody | Bodies, joint: str, trial: ActuatorTrial) -> list[tuple[Callable[[], None], float]]:
    """The calls that command a joint, and its speed meanwhile."""
    acts: list[tuple[Callable[[], None], float]] = [
        (partial(loaded.apply_efforts, {joint: command}), 0.0) for command in trial.commands
    ]
    if trial.gains is not None:
        acts.append((partial(loaded.apply_control, {joint: trial.position + trial.displacement}), 0.0))
        acts.append((partial(loaded.apply_control, {joint: trial.position}), trial.speed))
    return acts


def _acceleration(engine: Engine, state: State, act: Callable[[], None], step: float) -> Array:
    """The difference that a call makes to the velocities after one step, divided by the step."""
    engine.set_step(step)
    engine.set_state(*state)
    engine.step(1)
    idle = engine.velocities()
    engine.set_state(*state)
    act()
    engine.step(1)
    return (engine.velocities() - idle) / step
