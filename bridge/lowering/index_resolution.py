"""Resolve the names in actuators, constraints and force elements to indices of bodies and velocities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bridge.mechanism.connections import BodyConnection, MechanismActuator, MechanismConstraint, TendonConnection
from loaders.model import (
    Actuator,
    BallConstraint,
    Bushing,
    Constraint,
    DistanceConstraint,
    SpringDamper,
    TendonConstraint,
    WeldConstraint,
)
from loaders.spatial import Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class Indices:
    """Indices of the bodies and velocities of a mechanism in the making."""

    bodies: Mapping[str, int]
    """Body index of each link; `bridge.mechanism.bodies.ROOT` for the world."""
    dofs: Mapping[tuple[str, int], int]
    """Index in ``v_order`` of each joint and component."""

    def actuator(self, actuator: Actuator) -> MechanismActuator:
        """Return an actuator with the index of the velocity that it drives."""
        return MechanismActuator(actuator=actuator, dof=self.dofs.get((actuator.joint, 0)))

    def constraint(self, element: Constraint) -> MechanismConstraint:
        """Return a constraint with the indices of its bodies or velocities."""
        if isinstance(element, TendonConstraint):
            return TendonConnection(element=element, dofs=tuple(self.dofs.get((name, 0)) for name in element.joints))
        if isinstance(element, WeldConstraint):
            return BodyConnection(
                element=element,
                body_a=self.bodies[element.link_A],
                body_b=self.bodies[element.link_B],
                X_AP=element.X_AP,
                X_BQ=element.X_BQ,
            )
        return self.between_points(element)

    def force_element(self, element: SpringDamper | Bushing) -> BodyConnection:
        """Return a force element with the indices of its bodies."""
        if isinstance(element, Bushing):
            return BodyConnection(
                element=element,
                body_a=self.bodies[element.link_A],
                body_b=self.bodies[element.link_C],
                X_AP=element.X_LA,
                X_BQ=element.X_LC,
            )
        return self.between_points(element)

    def between_points(self, element: BallConstraint | DistanceConstraint | SpringDamper) -> BodyConnection:
        """Return an element between two points with the indices of its bodies."""
        return BodyConnection(
            element=element,
            body_a=self.bodies[element.link_A],
            body_b=self.bodies[element.link_B],
            X_AP=Pose.of(p=element.p_AP),
            X_BQ=Pose.of(p=element.p_BQ),
        )
