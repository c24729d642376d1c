"""Constraints and force elements."""

from __future__ import annotations

import math
from dataclasses import dataclass

from loaders.diagnostics import NOWHERE, Where
from loaders.spatial import Array, Pose

from .common import Settings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BallConstraint:
    """Constraint that point P of link A coincides with point Q of link B.

    Attributes:
        link_A: Name of link A.
        link_B: Name of link B.
        p_AP: Position of P in A [m], shape (3,).
        p_BQ: Position of Q in B [m], shape (3,).
        active: Whether it holds; one that does not may be switched on in MuJoCo.
        mujoco: Further settings of MuJoCo's ``<connect>``.
        where: Place in the source.
    """

    link_A: str
    link_B: str
    p_AP: Array
    p_BQ: Array
    active: bool = True
    mujoco: Settings = ()
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeldConstraint:
    """Constraint that frame P of link A coincides with frame Q of link B, softly.

    Attributes:
        link_A: Name of link A.
        link_B: Name of link B.
        X_AP: Pose of P in A.
        X_BQ: Pose of Q in B.
        active: Whether it holds; one that does not may be switched on in MuJoCo.
        mujoco: Further settings of MuJoCo's ``<weld>``.
        where: Place in the source.
    """

    link_A: str
    link_B: str
    X_AP: Pose
    X_BQ: Pose
    active: bool = True
    mujoco: Settings = ()
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DistanceConstraint:
    """Constraint on the distance of point P of link A and point Q of link B, by a stiff spring and damper.

    Attributes:
        link_A: Name of link A.
        link_B: Name of link B.
        p_AP: Position of P in A [m], shape (3,).
        p_BQ: Position of Q in B [m], shape (3,).
        distance: Distance [m].
        stiffness: Stiffness of the spring [N/m].
        damping: Damping [N s/m].
        where: Place in the source.
    """

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
    """Constraint ``lower <= sum(coefficient * q(joint)) + offset <= upper``.

    Attributes:
        joints: Names of the joints.
        coefficients: Coefficient of each joint.
        offset: Offset of the sum.
        lower: Lower limit.
        upper: Upper limit.
        stiffness: Stiffness of the limits.
        damping: Damping of the limits.
        where: Place in the source.
    """

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
    """A linear spring and damper between point P of link A and point Q of link B.

    Attributes:
        link_A: Name of link A.
        link_B: Name of link B.
        p_AP: Position of P in A [m], shape (3,).
        p_BQ: Position of Q in B [m], shape (3,).
        free_length: Length at which the spring exerts no force [m].
        stiffness: Stiffness [N/m].
        damping: Damping [N s/m].
        where: Place in the source.
    """

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
    """Drake's roll-pitch-yaw bushing between a frame A on one link and a frame C on another.

    Attributes:
        link_A: Name of the link of frame A.
        X_LA: Pose of frame A in its link.
        link_C: Name of the link of frame C.
        X_LC: Pose of frame C in its link.
        torque_stiffness: Stiffness in roll, pitch and yaw [N m/rad], shape (3,).
        torque_damping: Damping in roll, pitch and yaw [N m s/rad], shape (3,).
        force_stiffness: Stiffness in x, y and z [N/m], shape (3,).
        force_damping: Damping in x, y and z [N s/m], shape (3,).
        where: Place in the source.
    """

    link_A: str
    X_LA: Pose
    link_C: str
    X_LC: Pose
    torque_stiffness: Array
    torque_damping: Array
    force_stiffness: Array
    force_damping: Array
    where: Where = NOWHERE


Constraint = BallConstraint | WeldConstraint | DistanceConstraint | TendonConstraint
ForceElement = SpringDamper | Bushing
