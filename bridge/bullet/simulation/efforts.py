"""Forces and torques on the joints and links of bodies, for one step; and how that moves on which they act."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bridge.bullet.urdf.segments import BASE
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, Primitive, PrimitiveKind
from bridge.mechanism.coordinates import Position, joint_index, kind_of
from bridge.mechanism.force_laws import Motion
from loaders.model import DistanceConstraint, SpringDamper, TendonConstraint
from loaders.spatial import IDENTITY, Array, Pose

from .state import State, Value


def apply_efforts(state: State, efforts: Mapping[str, Position], *, limited: bool = True) -> None:
    """Apply forces and torques of actuators for one step, each cut to the joint's effort limit.

    Raises:
        ValueError: for an unknown joint or an effort of the wrong size.
    """
    mechanism = state.articulation.mechanism
    index = joint_index(mechanism.bodies)
    for name, effort in efforts.items():
        if name not in index:
            raise ValueError(f"there is no joint {name!r} here; there are: {', '.join(sorted(index))}")
        link, drives = mechanism.bodies[index[name]], state.articulation.drives[index[name]]
        numbers = np.atleast_1d(np.asarray(effort, dtype=np.float64))
        if numbers.shape != (link.nv,):
            raise ValueError(f"joint {name!r} takes {link.nv} effort(s), not {effort!r}")
        _apply(state, link, drives, numbers, limited)


def _apply(state: State, link: Body, drives: tuple[int, ...], efforts: Array, limited: bool) -> None:
    kind = kind_of(link)
    if kind is PrimitiveKind.FREE:
        _push_base(state, efforts)
    elif kind is PrimitiveKind.BALL:
        _twist(state, link, drives[0], efforts)
    else:
        for index, primitive in zip(drives, link.primitives, strict=True):
            if state.articulation.segments[index + 1].leads:
                most = _effort_limit(state.articulation.mechanism, link, primitive) if limited else np.inf
                effort = float(np.clip(efforts[primitive.dof_index], -most, most))
                modes = state.client.modes
                state.client.setJointMotorControl2(
                    state.body, index, modes.TORQUE_CONTROL, force=effort / primitive.ratio
                )


def _effort_limit(mechanism: Mechanism, link: Body, primitive: Primitive) -> float:
    """Of the axis, and of what drives it."""
    actuators = (actuator.effort for actuator in mechanism.scene.actuators if actuator.joint == link.joint)
    return min((primitive.limits.effort if primitive.limits is not None else np.inf, *actuators))


def _push_base(state: State, wrench: Array) -> None:
    """A force at the link's origin and a torque, in the world."""
    origin = state.segment_pose(BASE).p
    world = state.client.modes.WORLD_FRAME
    state.client.applyExternalForce(state.body, BASE, wrench[:3].tolist(), origin.tolist(), world)
    torque(state, BASE, wrench[3:])


def _twist(state: State, link: Body, index: int, efforts: Array) -> None:
    """A torque of a ball joint on its child, in its frame on its parent, and the opposite on the parent."""
    parent = state.articulation.segments[index + 1].parent
    X_WF = state.segment_pose(parent) @ state.articulation.segments[index + 1].X_PJ
    R_WJ = state.segment_pose(index).R if link.reversed else X_WF.R
    torque_W = (-1.0 if link.reversed else 1.0) * R_WJ @ efforts
    torque(state, index, torque_W)
    torque(state, parent, -torque_W)


def torque(state: State, index: int, torque_W: Array) -> None:
    """A torque on a segment, in the world."""
    state.client.applyExternalTorque(state.body, index, torque_W.tolist(), state.client.modes.WORLD_FRAME)


def push(state: State, link: str, force_W: Array, p_WQ: Array) -> None:
    """A force on a link at a point of the world."""
    index, _ = state.articulation.places[link]
    world = state.client.modes.WORLD_FRAME
    state.client.applyExternalForce(state.body, index, force_W.tolist(), p_WQ.tolist(), world)


def motion_of(states: Sequence[State], link: str, X_LF: Pose) -> tuple[State | None, Motion]:
    """Who has a link, and how a frame on it moves; of the world nobody."""
    state = next((state for state in states if link in state.articulation.places), None)
    if state is None:
        return None, Motion(X_LF, IDENTITY.p, IDENTITY.p)
    X_WF = state.link_pose(link) @ X_LF
    p_Wcm, v, w = state.segment_motion(state.articulation.places[link][0])
    return state, Motion(X_WF, w, v + np.cross(w, X_WF.p - p_Wcm))


def coefficients_of(tendon: TendonConstraint) -> dict[str, float]:
    """By joint."""
    return dict(zip(tendon.joints, tendon.coefficients, strict=True))


def strung(tendon: TendonConstraint, values: Mapping[str, Value]) -> float:
    """``sum(coefficient * value(joint))``: of positions a tendon's length without offset, of velocities its rate."""
    return sum(a * float(np.atleast_1d(values[name])[0]) for name, a in coefficients_of(tendon).items())


def strain(states: Iterable[State], tendon: TendonConstraint, force: float) -> None:
    """Apply for one step a force along a tendon at each of its joints; a negative one shortens it."""
    coefficients = coefficients_of(tendon)
    for state in states:
        own = joint_index(state.articulation.mechanism.bodies).keys() & coefficients.keys()
        apply_efforts(state, {name: coefficients[name] * force for name in sorted(own)}, limited=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """The straight line from a point P on link A to a point Q on link B."""

    P: Motion
    Q: Motion
    length: float
    along: Array
    """Unit direction from P to Q in the world, shape (3,)."""
    pull: Callable[[float], None]
    """Pull both links together by a tension for one step; a negative one pushes them apart."""


def line_of(states: Sequence[State], element: SpringDamper | DistanceConstraint) -> Line | None:
    """The line between the two points that an element holds on to; None while they are one."""
    state_A, P = motion_of(states, element.link_A, Pose.of(p=element.p_AP))
    state_B, Q = motion_of(states, element.link_B, Pose.of(p=element.p_BQ))
    p_PQ = Q.X_WF.p - P.X_WF.p
    length = float(np.linalg.norm(p_PQ))
    if length == 0.0:
        return None
    along = p_PQ / length

    def pull(tension: float) -> None:
        for state, link, force, end in ((state_A, element.link_A, tension, P), (state_B, element.link_B, -tension, Q)):
            if state is not None:
                push(state, link, force * along, end.X_WF.p)

    return Line(P=P, Q=Q, length=length, along=along, pull=pull)
