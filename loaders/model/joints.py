"""Joints, their axes, couplings and actuators."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from loaders.diagnostics import NOWHERE, Where
from loaders.spatial import Array, Pose

from .links import Sensor


class JointType(StrEnum):
    """SDFormat's names, with URDF's ``planar`` and ``floating`` and Drake's ``curvilinear``."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    BALL = "ball"
    UNIVERSAL = "universal"
    SCREW = "screw"
    PLANAR = "planar"
    REVOLUTE2 = "revolute2"
    GEARBOX = "gearbox"
    CURVILINEAR = "curvilinear"
    FLOATING = "floating"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointAxis:
    """One axis of a joint. Units are rad and N m where it turns, m and N where it slides."""

    xyz: Array
    """Unit direction in J, shape (3,)."""
    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    """Largest force or torque of an actuator."""
    velocity: float = math.inf
    acceleration: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    """Coulomb friction [N m or N]."""
    spring_stiffness: float = 0.0
    spring_reference: float = 0.0
    """Position at which the spring is at rest."""
    limit_stiffness: float | None = None
    limit_dissipation: float | None = None
    """Stiffness and damping of the stops; None is rigid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arc:
    """One piece of a planar curve: ``length`` [m] and turning rate ``curvature`` [rad/m], zero on a line."""

    length: float
    curvature: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
    """The path of a curvilinear joint, from the origin of J on."""

    initial_tangent: Array
    """Unit tangent at the start, in J, shape (3,)."""
    plane_normal: Array
    """Unit normal of the plane, in J, shape (3,)."""
    arcs: tuple[Arc, ...]
    periodic: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Joint:
    """Connects frame J on ``parent`` with frame J on ``child``; at the zero configuration both coincide."""

    name: str
    type: JointType
    parent: str
    """A link or `WORLD`."""
    child: str
    X_PJ: Pose
    X_CJ: Pose
    axes: tuple[JointAxis, ...] = ()
    """One for each degree of freedom, in the order of the joint's positions: none for fixed and floating; up to
    one for ball, which only damps; ``x, y, normal`` for planar; for screw the one that it turns about."""
    pitch: float = 1.0
    """Advance of a screw [m/rev], right-handed."""
    gear_ratio: float = 1.0
    """Of a gearbox: the second angle is ``-gear_ratio`` times the first."""
    gear_reference: str | None = None
    """Of a gearbox: the link that both angles are measured from."""
    curve: Curve | None = None
    default_position: tuple[float, ...] = ()
    """Position that the source starts from; empty is zero."""
    sensors: tuple[Sensor, ...] = ()
    provide_feedback: bool = False
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class Coupling:
    """``q(follower) = multiplier * q(leader) + offset``; an axis is counted from 0."""

    follower: str
    leader: str
    multiplier: float = 1.0
    offset: float = 0.0
    follower_axis: int = 0
    leader_axis: int = 0
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class Actuator:
    """What drives one joint. Efforts are on the joint's side of the gear."""

    name: str
    joint: str
    effort: float = math.inf
    gear_ratio: float = 1.0
    rotor_inertia: float = 0.0
    """Of the rotor, before the gear [kg m^2 or kg]; seen at the joint as ``gear_ratio**2 * rotor_inertia``."""
    p_gain: float | None = None
    d_gain: float | None = None
    """Gains of a position controller [N m/rad or N/m; N m s/rad or N s/m]."""
    interfaces: tuple[str, ...] = ()
    """Hardware interfaces that the source names."""
    where: Where = NOWHERE
