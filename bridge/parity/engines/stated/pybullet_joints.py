"""Dry friction and enforced limits of speed of joints that run in PyBullet, which it does not report.

Dry friction is a motor that brakes with at most that force. In one very short step at a high speed every such motor
brakes with its largest impulse, which PyBullet reports, and a joint that has become slower than that was cut off.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

_SPEED = 1000.0
"""Speed of the joints before the step [rad/s or m/s]."""
_STEP = 1e-7
"""Time step [s], in which no other force changes the speeds much."""
_STOPPED = 1e-3
"""Fraction of the speed below which a motor may have stopped the joint, so that it did not need all of its force."""
_CUT_OFF = 0.5
"""Fraction of the speed that the fastest joint of a body has left unless PyBullet cuts off its speed."""
_SAME = 1e-9
"""Largest relative difference of speeds at which two joints are cut off alike."""
_UNLIMITED = 1e8
"""Position beyond which PyBullet means no limit [rad or m]."""
JointIndex = tuple[int, int]
"""PyBullet's body and joint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FastJoint:
    """The findings of one step at a high speed about a joint.

    Attributes:
        friction: Largest force of its motor [N m or N]; None if the motor has stopped it.
        speed_limit: The speed at which PyBullet cuts off the joints of its body [rad/s or m/s]; infinite without one,
            if stops hold all joints of the body, and if contacts hold those that are not cut off alike.
    """

    friction: float | None
    speed_limit: float


def fast_joints(pybullet: Any, client: int, joints: Iterable[JointIndex]) -> dict[JointIndex, FastJoint]:
    """Return what one step at a high speed shows; the positions and velocities of the bodies are changed.

    Args:
        pybullet: The module.
        client: The physics server.
        joints: Hinges and slides.
    """
    joints = list(joints)
    step: float = pybullet.getPhysicsEngineParameters(physicsClientId=client)["fixedTimeStep"]
    for body, index in joints:
        position = _between_stops(pybullet, client, body, index)
        pybullet.resetJointState(body, index, position, _SPEED, physicsClientId=client)
    with _without_constraints(pybullet, client):
        pybullet.setTimeStep(_STEP, physicsClientId=client)
        pybullet.stepSimulation(physicsClientId=client)
        pybullet.setTimeStep(step, physicsClientId=client)
    states = {joint: pybullet.getJointState(*joint, physicsClientId=client) for joint in joints}
    speeds: dict[int, list[float]] = {}
    for (body, index), state in states.items():
        if not _is_locked(pybullet, client, body, index):
            speeds.setdefault(body, []).append(abs(state[1]))
    limits = {body: _speed_limit(found, _touches(pybullet, client, body)) for body, found in speeds.items()}
    return {
        (body, index): FastJoint(
            friction=_friction(abs(state[1]), abs(state[3])),  # its impulse, divided by the time step at this call
            speed_limit=limits.get(body, math.inf),
        )
        for (body, index), state in states.items()
    }


@contextmanager
def _without_constraints(pybullet: Any, client: int) -> Iterator[None]:
    """Take the forces of all constraints away, such as those of screws, which slow joints down."""
    count = pybullet.getNumConstraints(physicsClientId=client)
    numbers = [pybullet.getConstraintUniqueId(i, physicsClientId=client) for i in range(count)]
    forces = {number: pybullet.getConstraintInfo(number, physicsClientId=client)[10] for number in numbers}
    for number in numbers:
        pybullet.changeConstraint(number, maxForce=0.0, physicsClientId=client)
    try:
        yield
    finally:
        for number, force in forces.items():
            pybullet.changeConstraint(number, maxForce=force, physicsClientId=client)


def _touches(pybullet: Any, client: int, body: int) -> bool:
    """Return whether a body touches something, itself included, so that contacts may slow its joints down."""
    return bool(pybullet.getContactPoints(bodyA=body, physicsClientId=client))


def _speed_limit(speeds: list[float], touches: bool) -> float:
    """Return the speed at which joints were cut off; infinite without a cut-off.

    Joints that contacts slow down have different speeds, joints that are cut off the same one.
    """
    fastest, *others = sorted(speeds, reverse=True)
    is_common = bool(others) and fastest > 0.0 and others[0] > (1.0 - _SAME) * fastest
    return fastest if fastest <= _CUT_OFF * _SPEED and (is_common or not touches) else math.inf


def _is_locked(pybullet: Any, client: int, body: int, index: int) -> bool:
    """Return whether both stops of a joint are at one position, where they hold it whatever its speed."""
    lower, upper = pybullet.getJointInfo(body, index, physicsClientId=client)[8:10]
    return bool(lower == upper)


def _between_stops(pybullet: Any, client: int, body: int, index: int) -> float:
    """The position in the middle between the stops of a joint, where no stop acts; its own one without stops."""
    lower, upper = pybullet.getJointInfo(body, index, physicsClientId=client)[8:10]
    if -_UNLIMITED < lower < upper < _UNLIMITED:
        return float(0.5 * (lower + upper))
    return float(pybullet.getJointState(body, index, physicsClientId=client)[0])


def _friction(speed: float, force: float) -> float | None:
    """The force of a motor; None if the joint is so slow that the motor may not have needed all of its force."""
    return force if speed > _STOPPED * _SPEED or not force else None
