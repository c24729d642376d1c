"""Where PyBullet has a body: positions and velocities in the model's terms, poses from its double precision state.

PyBullet reports the pose of a link's frame in single precision but that of its inertial frame I in double, hence
``X_WS = X_WI @ X_SI.inverse()``. It keeps a ball's quaternion and velocity in the inertial frame of its link:
``R_SI.T @ R_FM @ R_SI``, and ``R_SI.T @ w_FM`` with the velocity expressed in M.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bridge.bullet.client.client import Client
from bridge.bullet.urdf.articulation import Articulation
from bridge.bullet.urdf.segments import BASE
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
from loaders.spatial import IDENTITY, Array, Pose, matrix_to_quaternion, quaternion_to_matrix

Value = float | Coordinates
"""A position or velocity as users see it: a number where one is enough."""


def pose_from(position: Sequence[float], xyzw: Sequence[float]) -> Pose:
    """A pose as PyBullet gives it."""
    x, y, z, w = xyzw
    return Pose.of(quaternion_to_matrix((w, x, y, z)), position)


def quaternion_of(R: Array) -> tuple[float, float, float, float]:
    """A rotation as PyBullet takes it: ``x y z w``."""
    w, x, y, z = matrix_to_quaternion(R)
    return x, y, z, w


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The state of one body of PyBullet's."""

    client: Client
    body: int
    articulation: Articulation

    def gravity(self) -> list[float]:
        """Of PyBullet's world, at present [m/s^2]."""
        parameters = self.client.getPhysicsEngineParameters()
        return [parameters[f"gravityAcceleration{axis}"] for axis in "XYZ"]

    # --- frames ------------------------------------------------------------------------------------------------------

    def inertial_pose(self, index: int) -> Pose:
        """``X_SI``: the inertial frame of a segment, in which PyBullet has poses, constraints and balls."""
        info = self.client.getDynamicsInfo(self.body, index)
        return pose_from(info[3], info[4])

    def segment_pose(self, index: int) -> Pose:
        """``X_WS`` in double precision."""
        if index == BASE:
            X_WI = pose_from(*self.client.getBasePositionAndOrientation(self.body))
            return X_WI @ self.inertial_pose(BASE).inverse()
        state = self.client.getLinkState(self.body, index, computeForwardKinematics=True)
        return pose_from(state[0], state[1]) @ pose_from(state[2], state[3]).inverse()

    def segment_motion(self, index: int) -> tuple[Array, Array, Array]:
        """Position and velocity of a segment's centre of mass, and its angular velocity, in the world."""
        if index == BASE:
            p, (v, w) = self.client.getBasePositionAndOrientation(self.body)[0], self.client.getBaseVelocity(self.body)
        else:
            state = self.client.getLinkState(self.body, index, computeLinkVelocity=True, computeForwardKinematics=True)
            p, v, w = state[0], state[6], state[7]
        return np.array(p), np.array(v), np.array(w)

    def link_pose(self, name: str) -> Pose:
        """``X_WL`` of a link of the scene."""
        if name not in self.articulation.places:
            raise ValueError(f"there is no link {name!r}; there are: {', '.join(self.articulation.places)}")
        index, X_SL = self.articulation.places[name]
        return self.segment_pose(index) @ X_SL

    # --- reading -----------------------------------------------------------------------------------------------------

    def positions(self) -> dict[str, Value]:
        """The position of every joint that moves."""
        moving = self._moving()
        return {str(link.joint): _value(self._position(link, drives)) for link, drives in moving}

    def velocities(self) -> dict[str, Value]:
        """The velocity of every joint that moves."""
        moving = self._moving()
        return {str(link.joint): _value(self._velocity(link, drives)) for link, drives in moving}

    def _moving(self) -> list[tuple[Body, tuple[int, ...]]]:
        bodies = zip(self.articulation.mechanism.bodies, self.articulation.drives, strict=True)
        return [(link, drives) for link, drives in bodies if link.primitives]

    def _position(self, link: Body, drives: tuple[int, ...]) -> Coordinates:
        kind = kind_of(link)
        if kind is PrimitiveKind.FREE:
            return tuple(self.segment_pose(BASE).to_vector())
        if kind is PrimitiveKind.BALL:
            x, y, z, w = self.client.getJointStateMultiDof(self.body, drives[0])[0]
            R_SI = self.inertial_pose(drives[0]).R
            R_FM = R_SI @ quaternion_to_matrix((w, x, y, z)) @ R_SI.T
            return joint_position(link, (matrix_to_quaternion(R_FM),))
        return joint_position(link, [(state[0],) for state in self.client.getJointStates(self.body, drives)])

    def _velocity(self, link: Body, drives: tuple[int, ...]) -> Coordinates:
        kind = kind_of(link)
        if kind is PrimitiveKind.FREE:
            return self._base_velocity()
        if kind is PrimitiveKind.BALL:
            (x, y, z, w), w_I = self.client.getJointStateMultiDof(self.body, drives[0])[:2]
            R_SI = self.inertial_pose(drives[0]).R
            w_M = R_SI @ w_I
            R_FM = R_SI @ quaternion_to_matrix((w, x, y, z)) @ R_SI.T
            return tuple((-w_M if link.reversed else R_FM @ w_M).tolist())
        return joint_position(link, [(state[1],) for state in self.client.getJointStates(self.body, drives)])

    def _base_velocity(self) -> Coordinates:
        v_com, w = map(np.array, self.client.getBaseVelocity(self.body))
        v = v_com - np.cross(w, self._p_SIcm_W())
        return (*v.tolist(), *w.tolist())

    def _p_SIcm_W(self) -> Array:
        """From the base's origin to its centre of mass, in the world."""
        p: Array = self.segment_pose(BASE).R @ self.inertial_pose(BASE).p
        return p

    # --- writing -----------------------------------------------------------------------------------------------------

    def set_positions(self, q: Mapping[str, Position]) -> None:
        """Put the named joints, and what is coupled to them, where ``q`` says, at rest; loops close if they can."""
        mechanism = self.articulation.mechanism
        q = with_followers(mechanism, q)
        moved = _named(mechanism, q)
        for i, position in enumerate(mechanism.positions_by_body(q)):
            if i in moved:
                self._reset(mechanism.bodies[i], self.articulation.drives[i], position, None)
        for part, link in parts(mechanism.bodies, mechanism.closures):
            if part not in moved:
                self._reset(mechanism.bodies[part], self.articulation.drives[part], self._closing(part, link), None)

    def _closing(self, part: int, link: int) -> Coordinates:
        """Where the joint of a part of a link is to be, for the part to lie on the link."""
        bodies = self.articulation.mechanism.bodies
        body = bodies[part]
        X_WP = IDENTITY if body.parent == ROOT else self.link_pose(bodies[body.parent].name)
        return closing_position(body, X_WP.inverse() @ self.link_pose(bodies[link].name))

    def set_velocities(self, v: Mapping[str, Position]) -> None:
        """Give the named joints, and those that are coupled to them, these velocities where they are."""
        mechanism = self.articulation.mechanism
        v = with_followers(mechanism, v, rates=True)
        moved = _named(mechanism, v)
        for i, velocity in enumerate(velocities_by_body(mechanism.bodies, v)):
            link, drives = mechanism.bodies[i], self.articulation.drives[i]
            if i in moved and link.primitives:
                self._reset(link, drives, self._position(link, drives), velocity)

    def _reset(self, link: Body, drives: tuple[int, ...], position: Coordinates, velocity: Coordinates | None) -> None:
        rates = velocity or (0.0,) * link.nv
        kind = kind_of(link)
        if kind is PrimitiveKind.FREE:
            self._reset_base(Pose.from_vector(position), np.array(rates))
        elif kind is PrimitiveKind.BALL:
            self._reset_ball(link, drives[0], position, np.array(rates))
        else:
            steps = zip(drives, primitive_positions(link, position), primitive_positions(link, rates), strict=True)
            for index, (displacement,), (rate,) in steps:
                self.client.resetJointState(self.body, index, displacement, rate)

    def _reset_base(self, X_WS: Pose, velocity: Array) -> None:
        X_WI = X_WS @ self.inertial_pose(BASE)
        self.client.resetBasePositionAndOrientation(self.body, X_WI.p.tolist(), quaternion_of(X_WI.R))
        v, w = velocity[:3], velocity[3:]
        v_com = v + np.cross(w, X_WI.p - X_WS.p)
        self.client.resetBaseVelocity(self.body, v_com.tolist(), w.tolist())

    def _reset_ball(self, link: Body, index: int, position: Coordinates, w: Array) -> None:
        (wxyz,) = primitive_positions(link, position)
        R_FM, R_SI = quaternion_to_matrix(wxyz), self.inertial_pose(index).R
        w_M = -w if link.reversed else R_FM.T @ w
        self.client.resetJointStateMultiDof(
            self.body, index, quaternion_of(R_SI.T @ R_FM @ R_SI), (R_SI.T @ w_M).tolist()
        )


def joint_motion(states: Iterable[State]) -> tuple[dict[str, Value], dict[str, Value]]:
    """Positions and velocities of the joints of several bodies."""
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
