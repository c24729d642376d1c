"""State of a body, efforts for one step, and links split across bodies.

PyBullet reports the pose of a link's frame in single precision but that of its inertial frame I in
double precision, hence ``X_WS = X_WI @ X_SI.inverse()``. It stores the quaternion and velocity of a
ball joint in the inertial frame of its link: ``R_SI.T @ R_FM @ R_SI``, and ``R_SI.T @ w_FM`` with
the velocity expressed in M.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, BodyConnection, Primitive, PrimitiveKind
from bridge.mechanism.coordinates import (
    Coordinates,
    Position,
    check_names,
    checked_numbers,
    joint_index,
    joint_position,
    kind_of,
    primitive_positions,
    velocities_by_body,
    with_followers,
)
from bridge.mechanism.force_laws import FrameMotion
from bridge.mechanism.kinematics import closing_position, parts
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, TendonConstraint
from loaders.pose import IDENTITY, Array, Pose, matrix_to_quaternion, quaternion_to_matrix
from loaders.text import unknown_name

from .articulation import Articulation
from .client import BASE, Client

Value = float | Coordinates
"""Position or velocity of a joint: a number for a single degree of freedom, otherwise a tuple."""


def pose_from(position: Sequence[float], xyzw: Sequence[float]) -> Pose:
    """Return a pose from a position and a quaternion ``x y z w``, as PyBullet gives them."""
    x, y, z, w = xyzw
    return Pose.of(quaternion_to_matrix((w, x, y, z)), position)


def quaternion_of(R: Array) -> tuple[float, float, float, float]:
    """Return the quaternion ``x y z w`` of a rotation matrix, as PyBullet takes it."""
    w, x, y, z = matrix_to_quaternion(R)
    return x, y, z, w


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Reads and writes the state of one PyBullet body."""

    client: Client
    body: int
    articulation: Articulation

    def gravity(self) -> list[float]:
        """Return the present gravity of the physics server [m/s^2]."""
        parameters = self.client.getPhysicsEngineParameters()
        return [parameters[f"gravityAcceleration{axis}"] for axis in "XYZ"]

    # --- frames -----------------------------------------------------------------------------------

    def inertial_pose(self, index: int) -> Pose:
        """Return ``X_SI``, the inertial frame of a segment; PyBullet expresses poses, constraints
        and balls in it.
        """
        info = self.client.getDynamicsInfo(self.body, index)
        return pose_from(info[3], info[4])

    def segment_pose(self, index: int) -> Pose:
        """Return the pose ``X_WS`` of a segment in double precision."""
        if index == BASE:
            X_WI = pose_from(*self.client.getBasePositionAndOrientation(self.body))
            return X_WI @ self.inertial_pose(BASE).inverse()
        state = self.client.getLinkState(self.body, index, computeForwardKinematics=True)
        return pose_from(state[0], state[1]) @ pose_from(state[2], state[3]).inverse()

    def segment_motion(self, index: int) -> tuple[Array, Array, Array]:
        """Return position and velocity of a segment's center of mass, and its angular velocity, in
        the world.
        """
        if index == BASE:
            p, (v, w) = (
                self.client.getBasePositionAndOrientation(self.body)[0],
                self.client.getBaseVelocity(self.body),
            )
        else:
            state = self.client.getLinkState(
                self.body, index, computeLinkVelocity=True, computeForwardKinematics=True
            )
            p, v, w = state[0], state[6], state[7]
        return np.array(p), np.array(v), np.array(w)

    def link_pose(self, name: str) -> Pose:
        """Return the pose ``X_WL`` of a link of the scene.

        Raises:
            ValueError: if the body has no such link.
        """
        if name not in self.articulation.link_segments:
            raise unknown_name("link", name, self.articulation.link_segments)
        index, X_SL = self.articulation.link_segments[name]
        return self.segment_pose(index) @ X_SL

    # --- reading ----------------------------------------------------------------------------------

    def positions(self) -> dict[str, Value]:
        """Return the position of every joint with degrees of freedom."""
        return self._by_joint(0, self._position)

    def velocities(self) -> dict[str, Value]:
        """Return the velocity of every joint with degrees of freedom."""
        return self._by_joint(1, self._velocity)

    def _by_joint(
        self, k: int, of_body: Callable[[Body, tuple[int, ...]], Coordinates]
    ) -> dict[str, Value]:
        """Return a value of every joint with degrees of freedom; PyBullet is asked once for all
        hinges and slides.

        Args:
            k: Index of the value in PyBullet's state of a joint.
            of_body: Function that returns the value of a ball joint or a free base.
        """
        moving = self._moving()
        indices = [
            index for body, segments in moving if kind_of(body) is None for index in segments
        ]
        states = iter(self.client.getJointStates(self.body, indices) if indices else ())
        values: dict[str, Value] = {}
        for body, segments in moving:
            is_scalar = kind_of(body) is None
            found = (
                joint_position(body, [(next(states)[k],) for _ in segments])
                if is_scalar
                else of_body(body, segments)
            )
            values[str(body.joint)] = _value(found)
        return values

    def _moving(self) -> list[tuple[Body, tuple[int, ...]]]:
        bodies = zip(
            self.articulation.mechanism.bodies, self.articulation.joint_segments, strict=True
        )
        return [(body, segments) for body, segments in bodies if body.primitives]

    def _position(self, body: Body, segments: tuple[int, ...]) -> Coordinates:
        kind = kind_of(body)
        if kind is PrimitiveKind.FREE:
            return tuple(self.segment_pose(BASE).to_vector())
        if kind is PrimitiveKind.BALL:
            x, y, z, w = self.client.getJointStateMultiDof(self.body, segments[0])[0]
            R_SI = self.inertial_pose(segments[0]).R
            R_FM = R_SI @ quaternion_to_matrix((w, x, y, z)) @ R_SI.T
            return joint_position(body, (matrix_to_quaternion(R_FM),))
        return joint_position(
            body, [(state[0],) for state in self.client.getJointStates(self.body, segments)]
        )

    def _velocity(self, body: Body, segments: tuple[int, ...]) -> Coordinates:
        kind = kind_of(body)
        if kind is PrimitiveKind.FREE:
            return self._base_velocity()
        if kind is PrimitiveKind.BALL:
            (x, y, z, w), w_I = self.client.getJointStateMultiDof(self.body, segments[0])[:2]
            R_SI = self.inertial_pose(segments[0]).R
            w_M = R_SI @ w_I
            R_FM = R_SI @ quaternion_to_matrix((w, x, y, z)) @ R_SI.T
            return tuple((-w_M if body.reversed else R_FM @ w_M).tolist())
        return joint_position(
            body, [(state[1],) for state in self.client.getJointStates(self.body, segments)]
        )

    def _base_velocity(self) -> Coordinates:
        v_com, w = map(np.array, self.client.getBaseVelocity(self.body))
        v = v_com - np.cross(w, self._p_SIcm_W())
        return (*v.tolist(), *w.tolist())

    def _p_SIcm_W(self) -> Array:
        """Return the vector from the origin of the base to its center of mass, in the world."""
        p: Array = self.segment_pose(BASE).R @ self.inertial_pose(BASE).p
        return p

    # --- writing ----------------------------------------------------------------------------------

    def set_positions(self, q: Mapping[str, Position]) -> None:
        """Set the positions of joints and of those coupled to them, at rest; close loops where
        possible.

        Raises:
            ValueError: for an unknown joint or a position of the wrong size.
        """
        mechanism = self.articulation.mechanism
        q = with_followers(mechanism, q)
        if not q and not mechanism.closures:
            return
        moved = _named(mechanism, q)
        for i, position in enumerate(mechanism.positions_by_body(q)):
            if i in moved:
                self._reset(
                    mechanism.bodies[i], self.articulation.joint_segments[i], position, None
                )
        for part, link in parts(mechanism.bodies, mechanism.closures):
            if part not in moved:
                self._reset(
                    mechanism.bodies[part],
                    self.articulation.joint_segments[part],
                    self._closing(part, link),
                    None,
                )

    def _closing(self, part: int, link: int) -> Coordinates:
        """Return the joint position that makes a part of a link coincide with the link."""
        bodies = self.articulation.mechanism.bodies
        body = bodies[part]
        X_WP = IDENTITY if body.parent == ROOT else self.link_pose(bodies[body.parent].name)
        return closing_position(body, X_WP.inverse() @ self.link_pose(bodies[link].name))

    def set_velocities(self, v: Mapping[str, Position]) -> None:
        """Set the velocities of joints and of those coupled to them; positions stay.

        Raises:
            ValueError: for an unknown joint or a velocity of the wrong size.
        """
        mechanism = self.articulation.mechanism
        v = with_followers(mechanism, v, rates=True)
        moved = _named(mechanism, v)
        for i, velocity in enumerate(velocities_by_body(mechanism.bodies, v)):
            body, segments = mechanism.bodies[i], self.articulation.joint_segments[i]
            if i in moved and body.primitives:
                self._reset(body, segments, self._position(body, segments), velocity)

    def _reset(
        self,
        body: Body,
        segments: tuple[int, ...],
        position: Coordinates,
        velocity: Coordinates | None,
    ) -> None:
        rates = velocity or (0.0,) * body.nv
        kind = kind_of(body)
        if kind is PrimitiveKind.FREE:
            self._reset_base(Pose.from_vector(position), np.array(rates))
        elif kind is PrimitiveKind.BALL:
            self._reset_ball(body, segments[0], position, np.array(rates))
        else:
            steps = zip(
                segments,
                primitive_positions(body, position),
                primitive_positions(body, rates),
                strict=True,
            )
            for index, (displacement,), (rate,) in steps:
                self.client.resetJointState(self.body, index, displacement, rate)

    def _reset_base(self, X_WS: Pose, velocity: Array) -> None:
        X_WI = X_WS @ self.inertial_pose(BASE)
        self.client.resetBasePositionAndOrientation(
            self.body, X_WI.p.tolist(), quaternion_of(X_WI.R)
        )
        v, w = velocity[:3], velocity[3:]
        v_com = v + np.cross(w, X_WI.p - X_WS.p)
        self.client.resetBaseVelocity(self.body, v_com.tolist(), w.tolist())

    def _reset_ball(self, body: Body, index: int, position: Coordinates, w: Array) -> None:
        (wxyz,) = primitive_positions(body, position)
        R_FM, R_SI = quaternion_to_matrix(wxyz), self.inertial_pose(index).R
        w_M = -w if body.reversed else R_FM.T @ w
        self.client.resetJointStateMultiDof(
            self.body, index, quaternion_of(R_SI.T @ R_FM @ R_SI), (R_SI.T @ w_M).tolist()
        )


def joint_motion(states: Iterable[State]) -> tuple[dict[str, Value], dict[str, Value]]:
    """Return positions and velocities of the joints of several bodies."""
    q: dict[str, Value] = {}
    v: dict[str, Value] = {}
    for state in states:
        q |= state.positions()
        v |= state.velocities()
    return q, v


def _value(coordinates: Coordinates) -> Value:
    return coordinates[0] if len(coordinates) == 1 else coordinates


def _named(mechanism: Mechanism, given: Mapping[str, Position]) -> set[int]:
    index = joint_index(mechanism.bodies)
    return {index[name] for name in given if name in index}


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
        body, segments = (
            mechanism.bodies[index[name]],
            state.articulation.joint_segments[index[name]],
        )
        _apply(
            state, body, segments, np.array(checked_numbers(name, body.nv, effort)), limited=limited
        )


def _apply(
    state: State, body: Body, segments: tuple[int, ...], efforts: Array, *, limited: bool
) -> None:
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
    state.client.setJointMotorControl2(
        state.body, index, modes.TORQUE_CONTROL, force=effort / primitive.ratio
    )


def _effort_limit(mechanism: Mechanism, body: Body, primitive: Primitive) -> float:
    """Return the smallest effort limit of a joint axis and of the actuators of the joint."""
    limits = (
        driven.actuator.effort
        for driven in mechanism.actuators
        if driven.actuator.joint == body.joint
    )
    return min((primitive.limits.effort if primitive.limits is not None else np.inf, *limits))


def _apply_base_wrench(state: State, wrench: Array) -> None:
    """Apply a force at the origin of the base and a torque, both in the world."""
    origin = state.segment_pose(BASE).p
    world = state.client.modes.WORLD_FRAME
    state.client.applyExternalForce(state.body, BASE, wrench[:3].tolist(), origin.tolist(), world)
    apply_torque(state, BASE, wrench[3:])


def _apply_ball_torque(state: State, body: Body, index: int, efforts: Array) -> None:
    """Apply the torque of a ball joint, given in its frame on the parent, and the opposite torque
    on the parent.
    """
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
    state.client.applyExternalTorque(
        state.body, index, torque_W.tolist(), state.client.modes.WORLD_FRAME
    )


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


def motion_of(states: Sequence[State], link: str, X_LF: Pose) -> tuple[State | None, FrameMotion]:
    """Return the body that has a link, or None for the world, and the motion of a frame F on the
    link.

    Args:
        states: States of all bodies.
        link: Name of the link, or ``world``.
        X_LF: Frame F on the link.
    """
    state = next((state for state in states if link in state.articulation.link_segments), None)
    if state is None:
        return None, FrameMotion(X_LF, IDENTITY.p, IDENTITY.p)
    X_WF = state.link_pose(link) @ X_LF
    p_Wcm, v, w = state.segment_motion(state.articulation.link_segments[link][0])
    return state, FrameMotion(X_WF, w, v + np.cross(w, X_WF.p - p_Wcm))


# --- tendons --------------------------------------------------------------------------------------


def coefficients_of(tendon: TendonConstraint) -> dict[str, float]:
    """Return the coefficients of a tendon, keyed by joint name."""
    return dict(zip(tendon.joints, tendon.coefficients, strict=True))


def tendon_length(tendon: TendonConstraint, values: Mapping[str, Value]) -> float:
    """Return ``sum(coefficient * value(joint))``: a tendon's length without offset, or its rate
    from velocities.

    Args:
        tendon: The tendon.
        values: Positions or velocities by joint.
    """
    return sum(
        a * float(np.atleast_1d(values[name])[0]) for name, a in coefficients_of(tendon).items()
    )


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
        apply_efforts(
            state, {name: coefficients[name] * force for name in sorted(joints)}, limited=False
        )


# --- lines between two links ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """The straight line from a point P on body A to a point Q on body B."""

    P: FrameMotion
    Q: FrameMotion
    length: float
    """Distance of P and Q [m]."""
    direction: Array
    """Unit vector from P to Q in the world, shape (3,)."""
    pull: Callable[[float], None]
    """Function that applies a tension [N] between both bodies for one step; a negative one pushes
    them apart.
    """


def line_of(
    states: Sequence[State], mechanism: Mechanism, connection: BodyConnection
) -> Line | None:
    """Return the line between the two points of a connection; None while they coincide.

    Args:
        states: States of all bodies.
        mechanism: The mechanism that has the connection.
        connection: A distance constraint or a spring between two points.
    """
    link_A, link_B = (
        link_name(mechanism, connection.body_a),
        link_name(mechanism, connection.body_b),
    )
    state_A, P = motion_of(states, link_A, connection.X_AP)
    state_B, Q = motion_of(states, link_B, connection.X_BQ)
    p_PQ = Q.X_WF.p - P.X_WF.p
    length = float(np.linalg.norm(p_PQ))
    if length == 0.0:
        return None
    direction = p_PQ / length

    def pull(tension: float) -> None:
        for state, link, force, end in (
            (state_A, link_A, tension, P),
            (state_B, link_B, -tension, Q),
        ):
            if state is not None:
                apply_force(state, link, force * direction, end.X_WF.p)

    return Line(P=P, Q=Q, length=length, direction=direction, pull=pull)


class Separation(NamedTuple):
    """Distance and angle between the two halves of a split link."""

    distance: float
    """Distance between their origins [m]."""
    angle: float
    """Angle between their orientations [rad]."""


def align_split_links(states: Sequence[State]) -> None:
    """Give every base that is half of a link the pose and velocity of the other half."""
    for state, link, base in _split_links(states):
        _, motion = motion_of(states, link, IDENTITY)
        state.set_positions({base: tuple(motion.X_WF.to_vector())})
        state.set_velocities({base: (*motion.v.tolist(), *motion.w.tolist())})


def link_separation(states: Sequence[State]) -> dict[str, Separation]:
    """Return the separation of the halves of split links, by the name of the half that is a
    base.
    """
    separations = {}
    for state, link, base in _split_links(states):
        X = motion_of(states, link, IDENTITY)[1].X_WF.inverse() @ state.link_pose(base)
        chord = float(np.linalg.norm(X.R - np.eye(3))) / math.sqrt(8.0)
        separations[base] = Separation(float(np.linalg.norm(X.p)), 2.0 * math.asin(min(1.0, chord)))
    return separations


def _split_links(states: Sequence[State]) -> Iterator[tuple[State, str, str]]:
    """Yield each body whose base is half of a link, with the names of the link and of the base."""
    for state in states:
        if state.articulation.split_link is not None:
            yield state, state.articulation.split_link, state.articulation.mechanism.bodies[0].name


def merge_partitions(
    mechanism: Mechanism, partitions: Iterable[tuple[str | None, Mechanism]]
) -> Mechanism:
    """Return a mechanism with the inertias of its partitions and without rotor inertia.

    The inertia of a split link is the sum of those of its halves.

    Args:
        mechanism: The whole mechanism.
        partitions: The partitions, each with the name of the link whose other half is its base, or
            None.
    """
    inertias: dict[str, SpatialInertia] = {}
    for split_link, part in partitions:
        for i, body in enumerate(part.bodies):
            name = split_link if split_link is not None and i == 0 else body.name
            inertias[name] = inertias[name] + body.inertia if name in inertias else body.inertia
    bodies = tuple(
        dataclasses.replace(body, inertia=inertias[body.name], reflected_inertia=(0.0,) * body.nv)
        for body in mechanism.bodies
    )
    return dataclasses.replace(mechanism, bodies=bodies)
