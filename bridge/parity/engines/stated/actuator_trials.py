"""Trials of the actuators that a model states: commands to a joint, and the effort that must follow."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body
from bridge.mechanism.connections import MechanismActuator
from bridge.mechanism.coordinates import kind_of
from loaders.model import JointAxis
from loaders.spatial import Array

_COMMANDS = (0.5, 2.0, -2.0)
"""Commanded efforts relative to the limit: the last two are beyond it."""
_DISPLACEMENT, _SPEED = 0.1, 0.3
"""Largest displacement from the target [rad or m] and speed [rad/s or m/s] of a controller's trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActuatorTrial:
    """Commands to one joint, and what the model states of its actuator.

    Attributes:
        limit: Effort limit [N m or N].
        commands: Commanded efforts [N m or N].
        gains: Gains of position and speed of the controller; None if the model states none.
        position: Position of the joint [rad or m].
        displacement: Distance of the target from the position, at rest [rad or m].
        speed: Speed of the joint at the target [rad/s or m/s].
    """

    limit: float
    commands: tuple[float, ...]
    gains: tuple[float, float] | None
    position: float
    displacement: float
    speed: float

    def efforts(self, limit: float, gains: tuple[float, float] | None) -> Array:
        """Return the effort after each command and, with gains, at the displacement and at the speed [N m or N].

        Args:
            limit: An effort limit.
            gains: Gains of position and speed, or None.
        """
        p, d = gains or (0.0, 0.0)
        controlled = () if gains is None else (p * self.displacement, -d * self.speed)
        return np.clip((*self.commands, *controlled), -limit, limit)


def actuator_trials(mechanism: Mechanism) -> dict[str, ActuatorTrial]:
    """Return the trial of each joint with one actuator, whose effort follows from its limit and gains, by joint.

    A joint that closes a loop moves only with the constraint of the loop, and trials are made without constraints.

    Args:
        mechanism: The mechanism.
    """
    closing = {closure.joint.name for closure in mechanism.closures}
    bodies = {body.joint: body for body in mechanism.bodies if body.joint is not None and body.joint not in closing}
    counts = Counter(item.actuator.joint for item in mechanism.actuators)
    trials: dict[str, ActuatorTrial] = {}
    for item in _acting(mechanism):
        joint = item.actuator.joint
        body = bodies.get(joint)
        if body is not None and counts[joint] == 1 and _is_plain(item, body) and _is_testable(body):
            trials[joint] = _trial(item, body)
    return trials


def untried_actuators(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the joints, or else the actuators, for which the model states an actuator and no trial exists.

    Args:
        mechanism: The mechanism.
    """
    tried = actuator_trials(mechanism)
    named = ((item.actuator.joint, item.actuator.name) for item in _acting(mechanism))
    return tuple(dict.fromkeys(joint or name for joint, name in named if joint not in tried))


def _acting(mechanism: Mechanism) -> Iterator[MechanismActuator]:
    """Yield the actuators with a law or gains, and those of joints that follow no other and have an effort."""
    followers = {mechanism.v_order[c.follower][0] for c in mechanism.couplings}
    bodies = {body.joint: body for body in reversed(mechanism.bodies)}
    for item in mechanism.actuators:
        actuator = item.actuator
        has_law = bool(actuator.mujoco) or actuator.p_gain is not None or actuator.d_gain is not None
        drives = item.dof is not None and actuator.joint not in followers
        if has_law or (drives and not _has_no_effort(item, bodies.get(item.actuator.joint))):
            yield item


def _has_no_effort(item: MechanismActuator, body: Body | None) -> bool:
    """Return whether a joint states an effort limit of zero, which states nothing that can be simulated."""
    axes = [p.limits for p in body.primitives if p.limits is not None] if body is not None else []
    return item.actuator.effort == 0.0 or any(axis.effort == 0.0 for axis in axes)


def _is_plain(item: MechanismActuator, body: Body | None) -> bool:
    """Return whether the effort of an actuator of a joint follows from a limit and, if stated, both gains."""
    gains = (item.actuator.p_gain, item.actuator.d_gain)
    is_stated = all(gain is None for gain in gains) or all(gain is not None for gain in gains)
    return item.dof is not None and not item.actuator.mujoco and is_stated and not _has_no_effort(item, body)


def _is_testable(body: Body | None) -> bool:
    """Return whether a joint is one hinge or one slide that moves as its coordinate does."""
    return (
        body is not None
        and kind_of(body) is None
        and len(body.primitives) == body.nv == 1
        and abs(body.primitives[0].ratio) == 1.0
    )


def _trial(item: MechanismActuator, body: Body) -> ActuatorTrial:
    actuator, axis = item.actuator, body.primitives[0].limits or JointAxis(xyz=body.primitives[0].axis)
    limit = min(actuator.effort, axis.effort)
    unit = limit if math.isfinite(limit) else 1.0
    p, d = actuator.p_gain, actuator.d_gain
    low, high = (axis.lower, axis.upper) if axis.lower <= axis.upper else (-math.inf, math.inf)
    return ActuatorTrial(
        limit=limit,
        commands=tuple(unit * factor for factor in _COMMANDS),
        gains=None if p is None or d is None else (p, d),
        position=float(np.clip(0.5 * (low + high) if math.isfinite(low + high) else 0.0, low, high)),
        displacement=min(_DISPLACEMENT, 0.25 * (high - low), 0.5 * unit / p if p else math.inf),
        speed=min(_SPEED, 0.5 * unit / d if d else math.inf),
    )
