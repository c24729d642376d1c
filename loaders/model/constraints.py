"""Constraints and force elements."""

from __future__ import annotations

import math
from dataclasses import dataclass

from loaders.diagnostics import NOWHERE, Where
from loaders.spatial import Array, Pose


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BallConstraint:
    """Point P of link A coincides with point Q of link B."""

    link_A: str
    link_B: str
    p_AP: Array
    p_BQ: Array
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DistanceConstraint:
    """Points P of link A and Q of link B stay ``distance`` [m] apart, by a stiff spring and damper."""

    link_A: str
    link_B: str
    p_AP: Array
    p_BQ: Array
    distance: float
    stiffness: float = math.inf
    damping: float = 0.0
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class TendonConstraint:
    """``lower <= sum(coefficient * q(joint)) + offset <= upper``."""

    joints: tuple[str, ...]
    coefficients: tuple[float, ...]
    offset: float = 0.0
    lower: float = -math.inf
    upper: float = math.inf
    stiffness: float = math.inf
    damping: float = 0.0
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpringDamper:
    """A straight spring and damper between point P of link A and point Q of link B."""

    link_A: str
    link_B: str
    p_AP: Array
    p_BQ: Array
    free_length: float
    stiffness: float
    damping: float
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bushing:
    """Drake's roll-pitch-yaw bushing between frame A on link A and frame C on link C."""

    link_A: str
    X_LA: Pose
    link_C: str
    X_LC: Pose
    torque_stiffness: Array
    torque_damping: Array
    force_stiffness: Array
    force_damping: Array
    where: Where = NOWHERE


Constraint = BallConstraint | DistanceConstraint | TendonConstraint
ForceElement = SpringDamper | Bushing
