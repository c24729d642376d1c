"""Constraints, force elements, tendons and fluid forces."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from loaders.diagnostics import NOWHERE, Where
from loaders.pose import IDENTITY, Array, Pose, frozen

from .settings import WORLD, EngineSettings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BallConstraint:
    """Constraint that point P of link A coincides with point Q of link B.

    Attributes:
        link_A: Name of link A.
        link_B: Name of link B.
        p_AP: Position of P in A [m], shape (3,).
        p_BQ: Position of Q in B [m], shape (3,).
        active: Whether it holds; one that does not may be switched on in MuJoCo.
        engine_settings: Settings of simulators that no other field holds.
        where: Place in the source.
    """

    link_A: str
    link_B: str
    p_AP: Array
    p_BQ: Array
    active: bool = True
    engine_settings: EngineSettings = ()
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
        engine_settings: Settings of simulators that no other field holds.
        where: Place in the source.
    """

    link_A: str
    link_B: str
    X_AP: Pose
    X_BQ: Pose
    active: bool = True
    engine_settings: EngineSettings = ()
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DistanceConstraint:
    """Constraint on the distance of point P of link A and point Q of link B, by a stiff spring and
    damper.

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


_MATRIX, _CUBE = frozen(np.zeros((6, 6))), frozen(np.zeros((6, 6, 6)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Buoyancy:
    """The weight of the fluid that a link displaces, upwards at the center of the displaced volume.

    The displaced volume is that of the link's collision shapes, each counted by itself.

    Attributes:
        link: Name of the link.
        density: Density of the fluid, below the first layer if there are layers [kg/m^3].
        layers: Height above which another density holds, and that density, from the lowest to the
            highest.
        volume: Displaced volume [m^3], if it is not that of the shapes.
        p_LV: Center of that volume in the link [m], shape (3,).
        X_WS: Frame S of the fluid, in whose z the layers are measured.
        where: Place in the source.
    """

    link: str
    density: float = 1000.0
    layers: tuple[tuple[float, float], ...] = ()
    volume: float | None = None
    p_LV: Array = field(default_factory=lambda: IDENTITY.p)
    X_WS: Pose = IDENTITY
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FluidDrag:
    """Drag on a link, from its velocity relative to the fluid at the origin of a frame F on it.

    With the velocity ``v = (linear, angular)`` of F in the axes of F, force and torque at the
    origin of F are ``f_i = sum_j (linear_ij + sum_k (absolute_ijk |v_k| + quadratic_ijk v_k))
    v_j``.

    Attributes:
        link: Name of the link.
        linear: Linear coefficients, shape (6, 6); those of a drag are negative.
        absolute: Coefficients of products with magnitudes, shape (6, 6, 6).
        quadratic: Coefficients of signed products, shape (6, 6, 6).
        current: Velocity of the fluid in S [m/s], shape (3,).
        X_LF: Frame F on the link.
        X_WS: Frame S of the fluid.
        where: Place in the source.

    Source: Fossen, "Guidance and Control of Ocean Vehicles" (1994).
    """

    link: str
    linear: Array = field(default_factory=lambda: _MATRIX)
    absolute: Array = field(default_factory=lambda: _CUBE)
    quadratic: Array = field(default_factory=lambda: _CUBE)
    current: Array = field(default_factory=lambda: IDENTITY.p)
    X_LF: Pose = IDENTITY
    X_WS: Pose = IDENTITY
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class Slopes:
    """Slopes of the coefficients of a wing over the angle of attack [1/rad]."""

    lift: float = 1.0
    drag: float = 0.01
    moment: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wing:
    """Lift, drag and moment of a wing at its center of pressure, the origin of a frame F on its
    link.

    Each coefficient is linear in the angle of attack up to the stall, and has another slope beyond
    it. They count for the flow without its part along the span, and are multiplied by the squared
    cosine of the sweep.

    Attributes:
        link: Name of the link.
        X_LF: Frame F on the link.
        forward: Direction of flight at zero angle of attack, in F.
        upward: Direction of positive lift, in F.
        area: Area [m^2].
        density: Density of the fluid [kg/m^3].
        alpha_0: Angle of attack in flight along ``forward`` [rad].
        alpha_stall: Angle of the stall [rad].
        slopes: Slopes below the stall.
        stalled: Slopes beyond the stall.
        radial_symmetry: Whether the upward direction follows the flow.
        reversible: Whether flow from behind has forces too.
        joint: Name of the joint of a control surface, or None.
        lift_by_joint: Change of the lift coefficient by the position of that joint.
        moment_by_joint: Change of the moment coefficient by the position of that joint.
        current: Velocity of the fluid in S [m/s], shape (3,).
        X_WS: Frame S of the fluid.
        where: Place in the source.

    Source: the system LiftDrag of gz-sim.
    """

    link: str
    X_LF: Pose = IDENTITY
    forward: Array = field(default_factory=lambda: frozen((1.0, 0.0, 0.0)))
    upward: Array = field(default_factory=lambda: frozen((0.0, 0.0, 1.0)))
    area: float = 1.0
    density: float = 1.2041
    alpha_0: float = 0.0
    alpha_stall: float = math.pi / 2.0
    slopes: Slopes = Slopes()
    stalled: Slopes = Slopes(lift=0.0, drag=1.0)
    radial_symmetry: bool = False
    reversible: bool = False
    joint: str | None = None
    lift_by_joint: float = 4.0
    moment_by_joint: float = 0.0
    current: Array = field(default_factory=lambda: IDENTITY.p)
    X_WS: Pose = IDENTITY
    where: Where = NOWHERE


FluidForce = Buoyancy | FluidDrag | Wing


class TendonPartType(StrEnum):
    """Parts of a tendon."""

    JOINT = "joint"
    """Term ``value * q(joint)`` of a sum of joint positions."""
    POINT = "point"
    """Point through which the path leads: the origin of the frame on the link."""
    SPHERE = "sphere"
    """Sphere of radius ``value`` around which the path wraps."""
    CYLINDER = "cylinder"
    """Cylinder of radius ``value``, along z of the frame, around which the path wraps."""
    PULLEY = "pulley"
    """End of a branch; the length of the next branch is divided by ``value``."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TendonPart:
    """One part of a tendon; fields that its type does not need have their defaults."""

    type: TendonPartType
    """Type of the part."""
    value: float = 1.0
    """Coefficient, radius [m] or divisor."""
    joint: str = ""
    """Name of the joint."""
    link: str = WORLD
    """Name of the link."""
    X_LP: Pose = IDENTITY
    """Frame of the part on the link."""
    p_LS: Array | None = None
    """Point S on link_S [m], shape (3,), on whose side the path wraps; None if the side is free."""
    link_S: str = WORLD
    """Name of the link of S."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tendon:
    """A tendon, as in MuJoCo: a weighted sum of joint positions, or a path in space. Units are m
    and N for a path.
    """

    name: str
    """Scoped name."""
    parts: tuple[TendonPart, ...]
    """Joints, or the parts of the path in order."""
    lower: float = -math.inf
    """Lower limit of the length."""
    upper: float = math.inf
    """Upper limit of the length."""
    stiffness: float = 0.0
    """Stiffness of the spring."""
    rest: tuple[float, float] = (0.0, 0.0)
    """Range of lengths in which the spring exerts no force."""
    damping: float = 0.0
    """Viscous damping."""
    friction: float = 0.0
    """Coulomb friction."""
    inertia: float = 0.0
    """Inertia of the change of length."""
    engine_settings: EngineSettings = ()
    """Settings of simulators that no other field holds."""
    where: Where = NOWHERE

    @property
    def carriers(self) -> tuple[str, ...]:
        """Scoped names of the joints and links of its parts, each once, without the world."""
        names = dict.fromkeys(part.joint or part.link for part in self.parts)
        return tuple(name for name in names if name != WORLD)
