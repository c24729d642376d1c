"""The mechanism itself as an engine: kinematics and dynamics from first principles, integrated like the others.

Semi-implicit Euler: velocities first, by the accelerations at the old state; then positions, by the new velocities.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, Position, kind_of
from loaders.diagnostics import Diagnostic
from loaders.spatial import Array, Pose, SpatialInertia, matrix_to_quaternion, quaternion_to_matrix, rotation_about

from .constraint_violation import violations
from .dofs import bound, moving_links, named_positions, single_freedoms
from .protocol import Freedom, JointParameters


class ReferenceEngine:
    """Computes with a mechanism alone."""

    name = "reference"
    version = ""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.diagnostics: tuple[Diagnostic, ...] = mechanism.diagnostics
        self._q: dict[str, Position] = {}
        self._v: dict[str, Position] = {}
        self._dt = 1e-3

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """See `Engine.set_state`."""
        self._q, self._v = dict(q), dict(v)

    def link_poses(self) -> dict[str, Pose]:
        """See `Engine.link_poses`."""
        return self.mechanism.link_poses(self._q)

    def jacobians(self) -> dict[str, Array]:
        """See `Engine.jacobians`."""
        return self.mechanism.jacobians(self._q)

    def positions(self) -> dict[str, Position]:
        """See `Engine.positions`."""
        return named_positions(self.mechanism, self.mechanism.positions_by_body(self._q))

    def velocities(self) -> Array:
        """See `Engine.velocities`."""
        return self.mechanism.velocities(self._v)

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`."""
        moving = moving_links(self.mechanism)
        return {body.name: body.inertia for body in self.mechanism.bodies if body.name in moving}

    def joint_parameters(self) -> dict[Freedom, JointParameters]:
        """See `Engine.joint_parameters`."""
        found = {}
        for freedom, single in single_freedoms(self.mechanism).items():
            axis = single.primitive.limits
            found[freedom] = JointParameters() if axis is None else JointParameters(
                lower=bound(axis.lower), upper=bound(axis.upper), damping=axis.damping, friction=axis.friction
            )  # fmt: skip
        return found

    def couplings(self) -> dict[tuple[Freedom, Freedom], tuple[float, float]]:
        """See `Engine.couplings`."""
        order = self.mechanism.v_order
        return {(order[c.follower], order[c.leader]): (c.multiplier, c.offset) for c in self.mechanism.couplings}

    def violations(self) -> dict[str, float]:
        """See `Engine.violations`."""
        return violations(self.mechanism, self._q)

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`."""
        return self.mechanism.mass_matrix(self._q)

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`."""
        return self.mechanism.bias_forces(self._q, self._v)

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`."""
        forces: Array = self.mass_matrix() @ accelerations + self.bias_forces()
        return forces

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`."""
        return self.mechanism.collidable_pairs()

    def set_step(self, seconds: float) -> None:
        """See `Engine.set_step`."""
        self._dt = seconds

    def step(self, count: int) -> None:
        """See `Engine.step`."""
        for _ in range(count):
            self._step()

    def close(self) -> None:
        """See `Engine.close`."""

    def _step(self) -> None:
        positions = self.mechanism.positions_by_body(self._q)
        velocities = self.velocities() + self._dt * accelerations(self.mechanism, self._q, self._v)
        for body, position in zip(self.mechanism.bodies, positions, strict=True):
            if body.joint is not None and body.primitives:
                rate = velocities[body.v_start : body.v_start + body.nv]
                self._v[body.joint] = tuple(rate.tolist())
                self._q[body.joint] = _moved(body, np.array(position), rate, self._dt)


def accelerations(mechanism: Mechanism, q: Mapping[str, Position], v: Mapping[str, Position]) -> Array:
    """Of every freedom, under gravity, dampers and springs, shape (nv,)."""
    positions = mechanism.positions_by_body(q)
    velocities = mechanism.velocities(v)
    if not len(velocities):
        return velocities
    forces = _passive_forces(mechanism, positions, velocities) - mechanism.bias_forces(q, v)
    return np.asarray(np.linalg.solve(mechanism.mass_matrix(q), forces), dtype=np.float64)


def _passive_forces(mechanism: Mechanism, positions: list[Coordinates], velocities: Array) -> Array:
    """Of dampers and springs."""
    forces = np.zeros(len(velocities))
    for body, position in zip(mechanism.bodies, positions, strict=True):
        for p in body.primitives:
            if p.limits is None or p.kind is PrimitiveKind.FREE:
                continue
            size = 3 if p.kind is PrimitiveKind.BALL else 1
            k = slice(body.v_start + p.dof_index, body.v_start + p.dof_index + size)
            forces[k] = -p.limits.damping * velocities[k]
            if size == 1 and p.limits.spring_stiffness:
                forces[k] -= p.limits.spring_stiffness * (position[p.dof_index] - p.limits.spring_reference)
    return forces


def _moved(body: Body, position: Array, rate: Array, dt: float) -> tuple[float, ...]:
    kind = kind_of(body)
    if kind is PrimitiveKind.FREE:
        return (*(position[:3] + dt * rate[:3]).tolist(), *_turned(position[3:], dt * rate[3:]))
    if kind is PrimitiveKind.BALL:
        return _turned(position, dt * rate)
    return tuple((position + dt * rate).tolist())


def _turned(wxyz: Array, turn: Array) -> tuple[float, ...]:
    """A quaternion after a turn [rad] about an axis of the outer frame."""
    angle = float(np.linalg.norm(turn))
    if angle == 0.0:
        return tuple(wxyz.tolist())
    return matrix_to_quaternion(rotation_about(turn / angle, angle) @ quaternion_to_matrix(wxyz))
