"""PyBullet's hidden defaults, cleared until a body moves as its model says."""

from __future__ import annotations

import numpy as np

from bridge.bullet.urdf.articulation import Articulation
from bridge.bullet.urdf.segments import BASE, Segment
from bridge.mechanism.bodies import PrimitiveKind

from .client import Client

NO_VELOCITY_LIMIT = 1e9
"""PyBullet clamps every joint to 100 rad/s unless told otherwise."""


def clear_pybullet_defaults(client: Client, body: int, articulation: Articulation) -> None:
    """Undo the damping, velocity limits and motors that PyBullet invents, and the inertias that it zeroes.

    Inertias come first: PyBullet's inverse dynamics never notices a later change.
    """
    for index, segment in enumerate(articulation.segments, start=BASE):
        if not (index == BASE and articulation.is_fixed):
            _restore_inertia(client, body, index, segment)
    client.changeDynamics(body, BASE, linearDamping=0.0, angularDamping=0.0, maxJointVelocity=NO_VELOCITY_LIMIT)
    for index, segment in enumerate(articulation.segments[1:]):
        _still_motor(client, body, index, segment)


def _restore_inertia(client: Client, body: int, index: int, segment: Segment) -> None:
    mass, _, moments = client.getDynamicsInfo(body, index)[:3]
    wanted = segment.principal[1]
    if mass != segment.inertia.mass or not np.array_equal(moments, wanted):
        client.changeDynamics(body, index, mass=segment.inertia.mass, localInertiaDiagonal=wanted.tolist())


def _still_motor(client: Client, body: int, index: int, segment: Segment) -> None:
    """Every joint has a motor that brakes it; of no strength it is off."""
    step = segment.primitive
    if step is None:
        return
    if step.kind is PrimitiveKind.BALL:
        client.setJointMotorControlMultiDof(
            body, index, client.modes.POSITION_CONTROL, targetPosition=(0, 0, 0, 1), force=(0, 0, 0)
        )
    else:
        client.setJointMotorControl2(body, index, client.modes.VELOCITY_CONTROL, force=0.0)


def set_friction(client: Client, body: int, articulation: Articulation) -> float:
    """Give joints their dry friction: a motor that brakes with that force is exactly Coulomb's.

    PyBullet keeps the impulse that this force has in one step, so the friction is right only for the time step at
    this moment [s], which is returned.
    """
    time_step: float = client.getPhysicsEngineParameters()["fixedTimeStep"]
    for index, segment in enumerate(articulation.segments[1:]):
        friction = dry_friction(segment)
        if friction:
            client.setJointMotorControl2(body, index, client.modes.VELOCITY_CONTROL, targetVelocity=0.0, force=friction)
    return time_step


def dry_friction(segment: Segment) -> float:
    """Of a joint as PyBullet has it [N m or N]."""
    step = segment.primitive
    if step is None or step.kind is PrimitiveKind.BALL or step.limits is None or not segment.leads:
        return 0.0
    return step.limits.friction / abs(step.ratio)
