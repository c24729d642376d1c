"""The reference: kinematics and dynamics of the mechanism from first principles, as an engine.

It integrates by the semi-implicit Euler method, as the simulators do: first the velocities with the
accelerations of the old state, then the positions with the new velocities.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Position, initial_positions, kind_of
from bridge.mechanism.dynamics import damper_and_spring_forces, mass_matrix_and_bias_forces
from bridge.sensors import motion_messages, state_readings
from loaders.engine_settings import MUJOCO, Grip, friction_rule
from loaders.inertia import SpatialInertia
from loaders.model import CouplingLaw, JointAxis, settings_of
from loaders.pose import Array, Pose, matrix_to_quaternion, quaternion_to_matrix, rotation_about

from .engine import (
    ActuatorTrial,
    BaseEngine,
    DivergedError,
    Dof,
    JointParameters,
    Settings,
    Surfaces,
    constraint_violations,
    is_scalar,
    moving_links,
    positions_by_joint,
    scalar_dofs,
    stated_frames,
    without_sentinel,
)
from .readings import model_surfaces


class ReferenceEngine(BaseEngine):
    """A mechanism, computed by `bridge.mechanism` alone."""

    name = "reference"
    solves_constraints = False
    is_slow = True

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.diagnostics = mechanism.diagnostics
        self._q: dict[str, Position] = {}
        self._v: dict[str, Position] = {}
        self._dt = 1e-3

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        self._q, self._v = dict(q), dict(v)

    def link_poses(self) -> dict[str, Pose]:
        return self.mechanism.link_poses(self._q)

    def zero_poses(self) -> dict[str, Pose]:
        """See `Engine.zero_poses`; those of the scene are numbers that the reader computed."""
        return {body.name: body.link.X_WL for body in self.mechanism.bodies}

    def frame_poses(self) -> dict[str, Pose]:
        """See `Engine.frame_poses`; those of the scene."""
        return {frame.name: frame.X_LF for frame in stated_frames(self.mechanism.scene)}

    def jacobians(self) -> dict[str, Array]:
        return dict(self.mechanism.jacobians(self._q))

    def positions(self) -> dict[str, Position]:
        return positions_by_joint(self.mechanism, self.mechanism.positions_by_body(self._q))

    def velocities(self) -> Array:
        return self.mechanism.velocities(self._v)

    def inertias(self) -> dict[str, SpatialInertia]:
        moving = moving_links(self.mechanism)
        return {body.name: body.inertia for body in self.mechanism.bodies if body.name in moving}

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        parameters = {}
        for dof, scalar in scalar_dofs(self.mechanism).items():
            axis = scalar.primitive.limits
            parameters[dof] = JointParameters()
            if axis is not None:
                parameters[dof] = JointParameters(
                    lower=without_sentinel(axis.lower),
                    upper=without_sentinel(axis.upper),
                    damping=axis.damping,
                    friction=axis.friction,
                )
        return parameters

    def _axes(self) -> dict[Dof, JointAxis]:
        """Return the stated axis of each hinge and slide that has one."""
        axes = (
            (dof, scalar.primitive.limits) for dof, scalar in scalar_dofs(self.mechanism).items()
        )
        return {dof: axis for dof, axis in axes if axis is not None}

    def settings(self) -> Settings:
        scene = self.mechanism.scene
        return Settings(
            gravity=scene.gravity,
            time_step=scene.physics.time_step,
            initial_poses=self.mechanism.link_poses(initial_positions(self.mechanism)),
            efforts={dof: axis.effort for dof, axis in self._axes().items()},
        )

    def stop_compliance(self) -> dict[Dof, float]:
        stiffness = {dof: axis.limit_stiffness for dof, axis in self._axes().items()}
        return {dof: 1.0 / k if k else 0.0 for dof, k in stiffness.items()}

    def velocity_limits(self) -> dict[Dof, float]:
        return {dof: axis.velocity for dof, axis in self._axes().items()}

    def actuator_efforts(self, trials: Mapping[str, ActuatorTrial]) -> dict[str, Array]:
        return {joint: trial.efforts(trial.limit, trial.gains) for joint, trial in trials.items()}

    def servos(self) -> dict[str, Array]:
        """See `Engine.servos`; those of the scene."""
        stated = [
            item.actuator
            for item in self.mechanism.actuators
            if settings_of(item.actuator, MUJOCO)
            and item.dof is not None
            and is_scalar(self.mechanism, item.actuator.joint)
        ]
        return {
            a.name: np.array((a.effort, a.p_gain or 0.0, a.d_gain or 0.0, *a.control))
            for a in stated
        }

    def sensor_readings(self) -> dict[str, Array]:
        v = self.velocities()
        velocities = {name: J @ v for name, J in self.mechanism.jacobians(self._q).items()}
        return state_readings(motion_messages(self.mechanism, self.link_poses(), velocities))

    def surfaces(self) -> Surfaces:
        return model_surfaces(self.mechanism)

    def combined_friction(self, one: Grip, other: Grip) -> float:
        """See `Engine.combined_friction`; the rule is that of the source."""
        return friction_rule(self.mechanism.scene).of_grips(one, other)

    def couplings(self) -> dict[tuple[Dof, Dof], CouplingLaw]:
        order = self.mechanism.v_order
        return {(order[c.follower], order[c.leader]): c for c in self.mechanism.couplings}

    def violations(self) -> dict[str, float]:
        return constraint_violations(self.mechanism, self._q)

    def mass_matrix(self) -> Array:
        return self.mechanism.mass_matrix(self._q)

    def bias_forces(self) -> Array:
        return self.mechanism.bias_forces(self._q, self._v)

    def inverse_dynamics(self, accelerations: Array) -> Array:
        forces: Array = self.mass_matrix() @ accelerations + self.bias_forces()
        return forces

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        return self.mechanism.collidable_pairs()

    def set_step(self, seconds: float) -> None:
        self._dt = seconds

    def step(self, count: int) -> None:
        """See `Engine.step`.

        Raises:
            DivergedError: if the velocities are not finite any more.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in range(count):
                self._step()

    def _step(self) -> None:
        positions = self.mechanism.positions_by_body(self._q)
        velocities = self.velocities() + self._dt * accelerations(self.mechanism, self._q, self._v)
        if not np.isfinite(velocities).all():
            raise DivergedError("the motion of the reference diverges")
        for body, position in zip(self.mechanism.bodies, positions, strict=True):
            if body.joint is not None and body.primitives:
                rate = velocities[body.v_start : body.v_start + body.nv]
                self._v[body.joint] = tuple(rate.tolist())
                self._q[body.joint] = _integrated(body, np.array(position), rate, self._dt)


def accelerations(
    mechanism: Mechanism, q: Mapping[str, Position], v: Mapping[str, Position]
) -> Array:
    """Return the accelerations under gravity, dampers and springs, shape (nv,).

    Args:
        mechanism: The mechanism.
        q: Positions by joint.
        v: Velocities by joint.
    """
    positions = mechanism.positions_by_body(q)
    velocities = mechanism.velocities(v)
    if not len(velocities):
        return velocities
    gravity = np.asarray(mechanism.gravity, dtype=np.float64)
    M, bias = mass_matrix_and_bias_forces(mechanism.bodies, positions, velocities, gravity)
    return solved(M, damper_and_spring_forces(mechanism.bodies, positions, velocities) - bias)


def solved(M: Array, forces: Array) -> Array:
    """Return the accelerations that forces cause, shape (nv,).

    Args:
        M: The mass matrix, shape (nv, nv).
        forces: Forces without those of inertia, shape (nv,).

    Raises:
        LinAlgError: If the mass matrix is singular.
    """
    scale = 1.0 / np.sqrt(
        np.maximum(np.diag(M), np.finfo(float).tiny)
    )  # mass and moments may differ by 1e9
    return np.asarray(
        scale * np.linalg.solve(M * np.outer(scale, scale), scale * forces), dtype=np.float64
    )


def _integrated(body: Body, position: Array, rate: Array, dt: float) -> tuple[float, ...]:
    """Return the position of a joint after one step with constant velocity."""
    kind = kind_of(body)
    if kind is PrimitiveKind.FREE:
        return (*(position[:3] + dt * rate[:3]).tolist(), *_rotated(position[3:], dt * rate[3:]))
    if kind is PrimitiveKind.BALL:
        return _rotated(position, dt * rate)
    return tuple((position + dt * rate).tolist())


def _rotated(wxyz: Array, rotation: Array) -> tuple[float, ...]:
    """Return the quaternion after a rotation vector [rad] in the parent frame."""
    angle = float(np.linalg.norm(rotation))
    if angle == 0.0:
        return tuple(wxyz.tolist())
    return matrix_to_quaternion(
        rotation_about(rotation / angle, angle) @ quaternion_to_matrix(wxyz)
    )
