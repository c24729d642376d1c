"""Mass matrix and bias forces of a PyBullet body, in the mechanism's velocities.

The numbers are those of ``calculateMassMatrix`` and ``calculateInverseDynamics``; corrected is only how PyBullet is
asked, and how its answer is read:

* its velocities are ``w, v`` of the base's centre of mass in the base's inertial frame, then one for each joint;
* for a floating base it builds the orientation from Euler angles in the wrong order, so it is given the quaternion
  whose wrong reading is the right orientation;
* for a fixed base it forgets the base's orientation, so gravity is turned instead while it computes;
* both are wrong for a ball that carries a chain, both answer from a stale tree after another body was removed, and
  both refuse inertias that are unsymmetric by a rounding error. Then the masses and inertias that PyBullet holds are
  read back and computed with here; `Operators.source` says so.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from bridge.bullet.client.stdout_capture import capture_stdout
from bridge.bullet.urdf.inertia_guards import welded_pose
from bridge.bullet.urdf.segments import BASE
from bridge.mechanism import Mechanism
from loaders.spatial import Array, SpatialInertia, matrix_to_quaternion, rotation_about

from .state import State

AGREEMENT = 1e-6
"""Relative difference from the inertias that PyBullet holds beyond which its mass matrix is taken for stale."""


@dataclass(slots=True, eq=False)
class Operators:
    """Asks PyBullet for the dynamics of one body."""

    state: State
    _trusted: bool | None = None

    @property
    def source(self) -> str:
        """``pybullet`` if PyBullet computes the numbers, ``readback`` if they follow from inertias that it holds."""
        if self._trusted is None:
            self._trusted = self._is_trustworthy()
        return "pybullet" if self._trusted else "readback"

    def mass_matrix(self) -> Array:
        """The mass matrix at the present position, shape (nv, nv), in ``v_order``; without reflected inertia."""
        if self.source == "readback":
            return self.readback().mass_matrix(self.state.positions())
        return self._projected_mass_matrix()

    def bias_forces(self, gravity: Sequence[float] | None = None) -> Array:
        """The forces that hold the accelerations at zero in the present state, shape (nv,), in ``v_order``."""
        return self.inverse_dynamics(np.zeros(len(self.state.articulation.mechanism.v_order)), gravity)

    def inverse_dynamics(self, accelerations: Array, gravity: Sequence[float] | None = None) -> Array:
        """The forces that make these accelerations in the present state, both of shape (nv,), in ``v_order``."""
        with self._gravity(gravity) as g:
            if self.source == "readback":
                held, q = self.readback(), self.state.positions()
                bias = held.bias_forces(q, self.state.velocities(), g.tolist())
                return held.mass_matrix(q) @ accelerations + bias if accelerations.any() else bias
            return self._projected_forces(accelerations)

    def readback(self) -> Mechanism:
        """The mechanism with the masses and inertias that PyBullet holds, of which rotors are no part."""
        articulation = self.state.articulation
        bodies, counted = [], set[int]()
        for body in articulation.mechanism.bodies:
            index, X_SL = articulation.places[body.name]
            inertia = SpatialInertia.of(0.0)  # of a link that is one with another: that one has it all
            if index not in counted:
                inertia = self._own_inertia(index).moved(X_SL.inverse())
            counted.add(index)
            rotors = (0.0,) * body.nv
            bodies.append(dataclasses.replace(body, inertia=inertia, reflected_inertia=rotors))
        return dataclasses.replace(articulation.mechanism, bodies=tuple(bodies))

    def _own_inertia(self, index: int) -> SpatialInertia:
        """What PyBullet holds of a segment's own inertia, in the segment: that of a lender is held by the base."""
        segments = self.state.articulation.segments
        lender = segments[0].lender
        if lender is None or index not in {BASE, lender}:
            return self._held_inertia(index)
        X_BS = welded_pose(segments, lender)
        if index == BASE or X_BS is None:
            return SpatialInertia.of(0.0)
        return self._held_inertia(BASE).moved(X_BS.inverse())

    def _held_inertia(self, index: int) -> SpatialInertia:
        info = self.state.client.getDynamicsInfo(self.state.body, index)
        return SpatialInertia.in_frame(info[0], self.state.inertial_pose(index), np.diag(info[2]))

    # --- PyBullet's own ----------------------------------------------------------------------------------------------

    def _is_trustworthy(self) -> bool:
        if self.state.articulation.has_ball:
            return False
        held = self.readback().mass_matrix(self.state.positions())
        try:
            with capture_stdout([]):
                found = self._projected_mass_matrix()
        except (SystemError, TypeError, ValueError):  # what it raises, with its own error as the cause
            return False
        return found.shape == held.shape and bool(
            np.abs(found - held).max(initial=0.0) <= AGREEMENT * np.abs(held).max(initial=0.0)
        )

    def _projected_mass_matrix(self) -> Array:
        G = self._velocity_map()
        n = G.shape[0]
        if n == 0:
            return np.zeros((0, 0))
        M = np.array(self.state.client.calculateMassMatrix(self.state.body, self._joint_positions()), dtype=np.float64)
        projected: Array = G.T @ M.reshape(n, n) @ G
        return projected

    def _projected_forces(self, accelerations: Array) -> Array:
        G = self._velocity_map()
        if G.shape[0] == 0:
            return np.zeros(0)
        state, articulation = self.state, self.state.articulation
        v, a = G @ self._velocities(), G @ accelerations
        if articulation.is_fixed:
            q = self._joint_positions()
        else:
            q, a = [*self._base_coordinates(), *self._joint_positions()], a + self._base_acceleration(len(v))
        tau = np.array(state.client.calculateInverseDynamics(state.body, q, v.tolist(), a.tolist()))
        if not articulation.is_fixed:
            tau[:6] = np.roll(tau[:6], 3)
        forces: Array = G.T @ tau
        return forces

    def _joint_positions(self) -> list[float]:
        return [joint[0] for joint in self.state.client.getJointStates(self.state.body, self._joints())]

    def _joints(self) -> list[int]:
        return [i for drives in self.state.articulation.drives for i in drives]

    def _velocities(self) -> Array:
        v = self.state.velocities()
        numbers = [np.atleast_1d(v[name])[k] for name, k in self.state.articulation.mechanism.v_order]
        return np.array(numbers, dtype=np.float64)

    def _velocity_map(self) -> Array:
        """``G``: PyBullet's velocities are ``G @ v``; shape (those of PyBullet, nv)."""
        articulation = self.state.articulation
        joints = self._joints()
        row = {index: k + (0 if articulation.is_fixed else 6) for k, index in enumerate(sorted(joints))}
        G = np.zeros((len(joints) + (0 if articulation.is_fixed else 6), len(articulation.mechanism.v_order)))
        for body, drives in zip(articulation.mechanism.bodies, articulation.drives, strict=True):
            for index, primitive in zip(drives, body.primitives, strict=False):
                G[row[index], body.v_start + primitive.dof_index] = primitive.ratio
        if not articulation.is_fixed:
            start = articulation.mechanism.bodies[0].v_start
            G[:6, start : start + 6] = self._base_map()
        return G

    def _base_map(self) -> Array:
        """From ``v, w`` of the link's origin in the world to ``w, v`` of the centre of mass in the inertial frame."""
        X_WS, X_SI = self.state.segment_pose(BASE), self.state.inertial_pose(BASE)
        R_IW = (X_WS.R @ X_SI.R).T
        x, y, z = (X_WS.R @ X_SI.p).tolist()
        lever = np.array(((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0)))
        return np.block([[np.zeros((3, 3)), R_IW], [R_IW, R_IW @ lever]])

    def _base_acceleration(self, size: int) -> Array:
        """What PyBullet calls the acceleration of a base whose own velocities, of its link's origin, do not change."""
        X_WS, X_SI = self.state.segment_pose(BASE), self.state.inertial_pose(BASE)
        w = np.array(self.state.client.getBaseVelocity(self.state.body)[1])
        a = np.zeros(size)
        a[3:6] = (X_WS.R @ X_SI.R).T @ np.cross(w, np.cross(w, X_WS.R @ X_SI.p))
        return a

    def _base_coordinates(self) -> list[float]:
        """Position and quaternion that PyBullet misreads as the right orientation.

        With ``R = Rx(a) Ry(b) Rz(c)`` it needs the quaternion of ``Rz(c) Ry(b) Rx(a)``.
        """
        position, _ = self.state.client.getBasePositionAndOrientation(self.state.body)
        R = self.state.segment_pose(BASE).R @ self.state.inertial_pose(BASE).R
        a, b, c = _turns(R)
        w, x, y, z = matrix_to_quaternion(
            rotation_about((0, 0, 1), c) @ rotation_about((0, 1, 0), b) @ rotation_about((1, 0, 0), a)
        )
        return [*position, x, y, z, w]

    @contextmanager
    def _gravity(self, wanted: Sequence[float] | None) -> Iterator[Array]:
        """Gravity as PyBullet must have it while it computes; yields gravity in the world."""
        client, articulation = self.state.client, self.state.articulation
        present = self.state.gravity()
        g = np.array(present if wanted is None else wanted, dtype=np.float64)
        R_WS = articulation.X_WS.R if articulation.is_fixed else np.eye(3)
        client.setGravity(*(R_WS.T @ g).tolist())
        try:
            yield g
        finally:
            client.setGravity(*present)


def _turns(R: Array) -> tuple[float, float, float]:
    """Angles of ``R = Rx(a) Ry(b) Rz(c)``."""
    a = math.atan2(-R[1, 2], R[2, 2])
    s, k = math.sin(a), math.cos(a)
    b = math.atan2(R[0, 2], math.hypot(R[1, 2], R[2, 2]))
    c = math.atan2(s * R[2, 0] + k * R[1, 0], k * R[1, 1] + s * R[2, 1])
    return a, b, c
