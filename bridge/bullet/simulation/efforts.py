"""Forces and torques on joints and links for one step, and the motion of the points on which they act."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bridge.bullet.target import BASE
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, Primitive, PrimitiveKind
from bridge.mechanism.connections import BodyConnection
from bridge.mechanism.coordinates import Position, check_names, checked_numbers, joint_index, kind_of
from bridge.mechanism.force_laws import Motion
from loaders.model import WORLD, TendonConstraint
from loaders.spatial import IDENTITY, Array, Pose

from .state import State, Value


def apply_efforts(state: State, efforts: Mapping[str, Position], *, limited: bool = True) -> None:
    """Apply joint forces and torques for one step.

    Args:
        state: State of the body that has the joints.
        efforts: Force or torque by joint, in the convention of velocities [N or N m].
        limited: Whether to clip each effort to the limit of its joint and actuators.

    Raises:
        ValueError: for an unknown joint, and for an effort of the wrong size or that is not finite.
    """
    mechanism = state.articulation.mechanism
    index = joint_index(mechanism.bodies)
    check_names(efforts, index, mechanism.bodies)
    for name, effort in efforts.items():
        body, segments = mechanism.bodies[index[name]], state.articulation.joint_segments[index[name]]
        _apply(state, body, segments, np.array(checked_numbers(name, body.nv, effort)), limited=limited)


def _apply(state: State, body: Body, segments: tuple[int, ...], efforts: Array, *, limited: bool) -> None:
    kind = kind_of(body)
    if kind is PrimitiveKind.FREE:
        _apply_base_wrench(state, efforts)
    elif kind is PrimitiveKind.BALL:
        _apply_ball_torque(state, body, segments[0], efforts)
    else:
        for index, primitive in zip(segments, body.primitives, strict=True):
            if state.articulation.segments[index + 1].is_primary:
                _apply_joint_effort(state, body, index, primitive, efforts, limited=limited)


def _apply_joint_effort(
    state: State, body: Body, index: int, primitive: Primitive, efforts: Array, *, limited: bool
) -> None:
    limit = _effort_limit(state.articulation.mechanism, body, primitive) if limited else np.inf
    effort = float(np.clip(efforts[primitive.dof_index], -limit, limit))
    modes = state.client.modes
    state.client.setJointMotorControl2(state.body, index, modes.TORQUE_CONTROL, force=effort / primitive.ratio)


def _effort_limit(mechanism: Mechanism, body: Body, primitive: Primitive) -> float:
    """Return the smallest effort limit of a joint axis and of the actuators of the joint."""
    limits = (driven.actuator.effort for driven in mechanism.actuators if driven.actuator.joint == body.joint)
    return min((primitive.limits.effort if primitive.limits is not None else np.inf, *limits))


def _apply_base_wrench(state: State, wrench: Array) -> None:
    """Apply a force at the origin of the base and a torque, both in the world."""
    origin = state.segment_pose(BASE).p
    world = state.client.modes.WORLD_FRAME
    state.client.applyExternalForce(state.body, BASE, wrench[:3].tolist(), origin.tolist(), world)
    apply_torque(state, BASE, wrench[3:])


def _apply_ball_torque(state: State, body: Body, index: int, efforts: Array) -> None:
    """Apply the torque of a ball joint, given in its frame on the parent, and the opposite torque on the parent."""
    parent = state.articulation.segments[index + 1].parent
    X_WF = state.segment_pose(parent) @ state.articulation.segments[index + 1].X_PJ
    R_WJ = state.segment_pose(index).R if body.reversed else X_WF.R
    torque_W = (-1.0 if body.reversed else 1.0) * R_WJ @ efforts
    apply_torque(state, index, torque_W)
    apply_torque(state, parent, -torque_W)


def apply_torque(state: State, index: int, torque_W: Array) -> None:
    """Apply a torque to a segment for one step.

    Args:
        state: State of the body.
        index: PyBullet's index of the segment.
        torque_W: Torque in the world [N m], shape (3,).
    """
    state.client.applyExternalTorque(state.body, index, torque_W.tolist(), state.client.modes.WORLD_FRAME)


def apply_force(state: State, link: str, force_W: Array, p_WQ: Array) -> None:
    """Apply a force to a link for one step.

    Args:
        state: State of the body that has the link.
        link: Name of the link.
        force_W: Force in the world [N], shape (3,).
        p_WQ: Point of application in the world [m], shape (3,).
    """
    index, _ = state.articulation.link_segments[link]
    world = state.client.modes.WORLD_FRAME
    state.client.applyExternalForce(state.body, index, force_W.tolist(), p_WQ.tolist(), world)


def link_name(mechanism: Mechanism, body: int) -> str:
    """Return the name of a body, or ``world`` for `bridge.mechanism.bodies.ROOT`."""
    return WORLD if body == ROOT else mechanism.bodies[body].name


def motion_of(states: Sequence[State], link: str, X_LF: Pose) -> tuple[State | None, Motion]:
    """Return the body that has a link, or None for the world, and the motion of a frame F on the link.

    Args:
        states: States of all bodies.
        link: Name of the link, or ``world``.
        X_LF: Frame F on the link.
    """
    state = next((state for state in states if link in state.articulation.link_segments), None)
    if state is None:
        return None, Motion(X_LF, IDENTITY.p, IDENTITY.p)
    X_WF = state.link_pose(link) @ X_LF
    p_Wcm, v, w = state.segment_motion(state.articulation.link_segments[link][0])
    return state, Motion(X_WF, w, v + np.cross(w, X_WF.p - p_Wcm))


# --- tendons ---------------------------------------------------------------------------------------------------------


def coefficients_of(tendon: TendonConstraint) -> dict[str, float]:
    """Return the coefficients of a tendon, keyed by joint name."""
    return dict(zip(tendon.joints, tendon.coefficients, strict=True))


def tendon_length(tendon: TendonConstraint, values: Mapping[str, Value]) -> float:
    """Return ``sum(coefficient * value(joint))``: a tendon's length without offset, or its rate from velocities.

    Args:
        tendon: The tendon.
        values: Positions or velocities by joint.
    """
    return sum(a * float(np.atleast_1d(values[name])[0]) for name, a in coefficients_of(tendon).items())


def apply_tension(states: Iterable[State], tendon: TendonConstraint, force: float) -> None:
    """Apply a force along a tendon to each of its joints for one step.

    Args:
        states: States of the bodies that have the joints.
        tendon: The tendon.
        force: Force along the tendon; a negative one shortens it.
    """
    coefficients = coefficients_of(tendon)
    for state in states:
        joints = joint_index(state.articulation.mechanism.bodies).keys() & coefficients.keys()
        apply_efforts(state, {name: coefficients[name] * force for name in sorted(joints)}, limited=False)


# --- lines between two links -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """The straight line from a point P on body A to a point Q on body B."""

    P: Motion
    Q: Motion
    length: float
    """Distance of P and Q [m]."""
    direction: Array
    """Unit vector from P to Q in the world, shape (3,)."""
    pull: Callable[[float], None]
    """Function that applies a tension [N] between both bodies for one step; a negative one pushes them apart."""


def line_of(states: Sequence[State], mechanism: Mechanism, connection: BodyConnection) -> Line | None:
    """Return the line between the two points of a connection; None while they coincide.

    Args:
        states: States of all bodies.
        mechanism: The mechanism that has the connection.
        connection: A distance constraint or a spring between two points.
    """
    link_A, link_B = link_name(mechanism, connection.body_a), link_name(mechanism, connection.body_b)
    state_A, P = motion_of(states, link_A, connection.X_AP)
    state_B, Q = motion_of(states, link_B, connection.X_BQ)
    p_PQ = Q.X_WF.p - P.X_WF.p
    length = float(np.linalg.norm(p_PQ))
    if length == 0.0:
        return None
    direction = p_PQ / length

    def pull(tension: float) -> None:
        for state, link, force, end in ((state_A, link_A, tension, P), (state_B, link_B, -tension, Q)):
            if state is not None:
                apply_force(state, link, force * direction, end.X_WF.p)

    return Line(P=P, Q=Q, length=length, direction=direction, pull=pull)
