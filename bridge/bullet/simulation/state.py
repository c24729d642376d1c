"""State of a PyBullet body: positions and velocities in the conventions of the model, poses in double precision.

PyBullet reports the pose of a link's frame in single precision but that of its inertial frame I in double precision,
hence ``X_WS = X_WI @ X_SI.inverse()``. It stores the quaternion and velocity of a ball joint in the inertial frame of
its link: ``R_SI.T @ R_FM @ R_SI``, and ``R_SI.T @ w_FM`` with the velocity expressed in M.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bridge.bullet.client.client import Client
from bridge.bullet.target import BASE
from bridge.bullet.urdf.articulation import Articulation
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import (
    Coordinates,
    Position,
    joint_index,
    joint_position,
    kind_of,
    primitive_positions,
    velocities_by_body,
)
from bridge.mechanism.couplings import with_followers
from bridge.mechanism.loop_closure import closing_position, parts
from loaders.safety.unknown_names import unknown_name
from loaders.spatial import IDENTITY, Array, Pose, matrix_to_quaternion, quaternion_to_matrix

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

    # --- frames ------------------------------------------------------------------------------------------------------

    def inertial_pose(self, index: int) -> Pose:
        """Return ``X_SI``, the inertial frame of a segment; PyBullet expresses poses, constraints and balls in it."""
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
        """Return position and velocity of a segment's center of mass, and its angular velocity, in the world."""
        if index == BASE:
            p, (v, w) = self.client.getBasePositionAndOrientation(self.body)[0], self.client.getBaseVelocity(self.body)
        else:
            state = self.client.getLinkState(self.body, index, computeLinkVelocity=True, computeForwardKinematics=True)
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

    # --- reading -----------------------------------------------------------------------------------------------------

    def positions(self) -> dict[str, Value]:
        """Return the position of every joint with degrees of freedom."""
        return self._by_joint(0, self._position)

    def velocities(self) -> dict[str, Value]:
        """Return the velocity of every joint with degrees of freedom."""
        return self._by_joint(1, self._velocity)

    def _by_joint(self, k: int, of_body: Callable[[Body, tuple[int, ...]], Coordinates]) -> dict[str, Value]:
        """Return a value of every joint with degrees of freedom; PyBullet is asked once for all hinges and slides.

        Args:
            k: Index of the value in PyBullet's state of a joint.
            of_body: Function that returns the value of a ball joint or a free base.
        """
        moving = self._moving()
        indices = [index for body, segments in moving if kind_of(body) is None for index in segments]
        states = iter(self.client.getJointStates(self.body, indices) if indices else ())
        values: dict[str, Value] = {}
        for body, segments in moving:
            is_scalar = kind_of(body) is None
            found = (
                joint_position(body, [(next(states)[k],) for _ in segments]) if is_scalar else of_body(body, segments)
            )
            values[str(body.joint)] = _value(found)
        return values

    def _moving(self) -> list[tuple[Body, tuple[int, ...]]]:
        bodies = zip(self.articulation.mechanism.bodies, self.articulation.joint_segments, strict=True)
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
        return joint_position(body, [(state[0],) for state in self.client.getJointStates(self.body, segments)])

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
        return joint_position(body, [(state[1],) for state in self.client.getJointStates(self.body, segments)])

    def _base_velocity(self) -> Coordinates:
        v_com, w = map(np.array, self.client.getBaseVelocity(self.body))
        v = v_com - np.cross(w, self._p_SIcm_W())
        return (*v.tolist(), *w.tolist())

    def _p_SIcm_W(self) -> Array:
        """Return the vector from the origin of the base to its center of mass, in the world."""
        p: Array = self.segment_pose(BASE).R @ self.inertial_pose(BASE).p
        return p

    # --- writing -----------------------------------------------------------------------------------------------------

    def set_positions(self, q: Mapping[str, Position]) -> None:
        """Set the positions of joints and of those coupled to them, at rest; close loops where possible.

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
                self._reset(mechanism.bodies[i], self.articulation.joint_segments[i], position, None)
        for part, link in parts(mechanism.bodies, mechanism.closures):
            if part not in moved:
                self._reset(
                    mechanism.bodies[part], self.articulation.joint_segments[part], self._closing(part, link), None
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
        self, body: Body, segments: tuple[int, ...], position: Coordinates, velocity: Coordinates | None
    ) -> None:
        rates = velocity or (0.0,) * body.nv
        kind = kind_of(body)
        if kind is PrimitiveKind.FREE:
            self._reset_base(Pose.from_vector(position), np.array(rates))
        elif kind is PrimitiveKind.BALL:
            self._reset_ball(body, segments[0], position, np.array(rates))
        else:
            steps = zip(segments, primitive_positions(body, position), primitive_positions(body, rates), strict=True)
            for index, (displacement,), (rate,) in steps:
                self.client.resetJointState(self.body, index, displacement, rate)

    def _reset_base(self, X_WS: Pose, velocity: Array) -> None:
        X_WI = X_WS @ self.inertial_pose(BASE)
        self.client.resetBasePositionAndOrientation(self.body, X_WI.p.tolist(), quaternion_of(X_WI.R))
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
