"""Hidden defaults of PyBullet, cleared so that a body moves as the model states."""

from __future__ import annotations

from bridge.bullet.client.client import Client
from bridge.bullet.target import BASE
from bridge.bullet.urdf.articulation import Articulation
from bridge.bullet.urdf.segments import Segment
from bridge.mechanism.bodies import PrimitiveKind

NO_VELOCITY_LIMIT = 1e9
"""Joint velocity limit that has no effect [rad/s or m/s]; PyBullet's default is 100 rad/s."""


def clear_pybullet_defaults(client: Client, body: int, articulation: Articulation) -> None:
    """Remove the damping, velocity limits and motors that PyBullet adds, and restore inertias that it sets to zero.

    Inertias are restored first, because PyBullet's inverse dynamics ignores later changes.

    Args:
        client: The physics server.
        body: PyBullet's id of the body.
        articulation: The articulation that the body was loaded from.
    """
    info_of = client.getDynamicsInfo
    for index, segment in enumerate(articulation.segments, start=BASE):
        if not (index == BASE and articulation.is_fixed):
            mass, _, moments, *_ = info_of(body, index)
            expected = segment.principal[1].tolist()
            if mass != segment.inertia.mass or list(moments) != expected:
                client.changeDynamics(body, index, mass=segment.inertia.mass, localInertiaDiagonal=expected)
    client.changeDynamics(body, BASE, linearDamping=0.0, angularDamping=0.0, maxJointVelocity=NO_VELOCITY_LIMIT)
    _disable_motors(client, body, articulation)


def _disable_motors(client: Client, body: int, articulation: Articulation) -> None:
    """Set the force of the motor that brakes every PyBullet joint to zero."""
    kinds = {i: segment.primitive.kind for i, segment in enumerate(articulation.segments[1:]) if segment.primitive}
    balls = [index for index, kind in kinds.items() if kind is PrimitiveKind.BALL]
    scalars = [index for index, kind in kinds.items() if kind is not PrimitiveKind.BALL]
    for index in balls:
        client.setJointMotorControlMultiDof(
            body, index, client.modes.POSITION_CONTROL, targetPosition=(0, 0, 0, 1), force=(0, 0, 0)
        )
    if scalars:
        client.setJointMotorControlArray(body, scalars, client.modes.VELOCITY_CONTROL, forces=(0.0,) * len(scalars))


def set_friction(client: Client, body: int, articulation: Articulation) -> float:
    """Give joints their dry friction, as a motor that brakes with that force: this is exactly Coulomb friction.

    PyBullet stores the impulse of this force over one step, so the friction is correct only for the present time step.

    Args:
        client: The physics server.
        body: PyBullet's id of the body.
        articulation: The articulation that the body was loaded from.

    Returns:
        The present time step [s].
    """
    time_step: float = client.getPhysicsEngineParameters()["fixedTimeStep"]
    for index, segment in enumerate(articulation.segments[1:]):
        friction = dry_friction(segment)
        if friction:
            client.setJointMotorControl2(body, index, client.modes.VELOCITY_CONTROL, targetVelocity=0.0, force=friction)
    return time_step


def dry_friction(segment: Segment) -> float:
    """Return the dry friction of a segment's joint, for PyBullet's joint coordinate [N m or N]."""
    primitive = segment.primitive
    if primitive is None or primitive.kind is PrimitiveKind.BALL or primitive.limits is None or not segment.is_primary:
        return 0.0
    return primitive.limits.friction / abs(primitive.ratio)
