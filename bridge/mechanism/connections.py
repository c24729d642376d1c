"""Actuators, constraints and force elements of a mechanism: those of the scene, with links and joints as indices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from loaders.model import (
    Actuator,
    BallConstraint,
    Bushing,
    DistanceConstraint,
    SpringDamper,
    TendonConstraint,
    WeldConstraint,
)
from loaders.spatial import Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class MechanismActuator:
    """An actuator and the degree of freedom that it drives."""

    actuator: Actuator
    """The scene's actuator: name, effort limit, gains."""
    dof: int | None
    """Index in ``v_order`` of the first velocity of its joint; None if the joint has none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BodyConnection:
    """A constraint or force element between frame P on body A and frame Q on body B."""

    element: BallConstraint | WeldConstraint | DistanceConstraint | SpringDamper | Bushing
    """The scene's element: its law and parameters."""
    body_a: int
    """Index of body A, or `bridge.mechanism.bodies.ROOT`."""
    body_b: int
    """Index of body B, or `bridge.mechanism.bodies.ROOT`."""
    X_AP: Pose
    """Frame P on body A; for a point its rotation is the identity."""
    X_BQ: Pose
    """Frame Q on body B; for a point its rotation is the identity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TendonConnection:
    """A constraint on a weighted sum of joint positions."""

    element: TendonConstraint
    """The scene's constraint: coefficients, bounds, stiffness."""
    dofs: tuple[int | None, ...]
    """Index in ``v_order`` of the first velocity of each of its joints; None for a joint that has none."""


MechanismConstraint = BodyConnection | TendonConnection


def held_together(constraints: Iterable[MechanismConstraint]) -> Iterator[BodyConnection]:
    """Yield the constraints that hold points or frames of two bodies together, without those that are switched off.

    Args:
        constraints: The constraints of a mechanism.
    """
    for constraint in constraints:
        if isinstance(constraint, BodyConnection):
            element = constraint.element
            if isinstance(element, BallConstraint | WeldConstraint) and element.active:
                yield constraint
