"""Joints, their axes, couplings and actuators."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from loaders.diagnostics import NOWHERE, Where
from loaders.pose import IDENTITY, Array, Pose

from .link import Sensor
from .settings import EngineSettings

UNLIMITED = 1e16
"""Limits in files of this magnitude or more are infinite: SDFormat 1.0 to 1.9 wrote 1e16 for
infinity."""


class JointType(StrEnum):
    """Joint types of SDFormat, with ``planar`` and ``floating`` of URDF and ``curvilinear`` of
    Drake.
    """

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

    @property
    def traits(self) -> JointTraits:
        """The properties of every joint of this type.

        Raises:
            NotImplementedError: if `TRAITS` has no row for the type.
        """
        try:
            return TRAITS[self]
        except KeyError:
            raise NotImplementedError(
                f"joint type {self.value!r} has no row in TRAITS of loaders.model.joint; add one,"
                " and support the type where mypy reports assert_never"
            ) from None


class Motion(StrEnum):
    """Motions that joints are composed of, from the parent outwards."""

    HINGE = "hinge"
    """Rotates about an axis."""
    SLIDE = "slide"
    """Translates along an axis."""
    SCREW = "screw"
    """Rotates about an axis and translates along it in proportion: a hinge and a slide with one
    velocity."""
    CURVE = "curve"
    """Translates along a curve: a slide on a line segment, a hinge on an arc."""
    BALL = "ball"
    """Rotates freely: position ``w x y z``, three velocities."""
    FREE = "free"
    """Moves freely: position ``x y z qw qx qy qz``, six velocities."""


_COMPONENTS = {Motion.BALL: (4, 3), Motion.FREE: (7, 6)}
"""Number of components of position and velocity of the motions that have more than one."""
_CLOSING_POINTS: Mapping[tuple[Motion, ...], int] = {(Motion.BALL,): 1, (Motion.HINGE,): 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class JointTraits:
    """The properties of every joint of a type: how it moves, and how each format names it.

    MuJoCo has no joint types: each motion becomes a ``<joint>`` of one body, or none where the type
    has no motion. A format that lacks a type has a replacement: SDFormat a link without a joint for
    a floating joint; URDF a chain of hinges for a revolute2 joint, and a coupling of two hinges for
    a gearbox.
    """

    axis_count: int = 0
    """Number of axes that a joint needs; ball and floating joints need none."""
    motions: tuple[Motion, ...] = ()
    """Its motions, from the parent outwards. A gearbox has none: it couples two other joints."""
    sdf_tag: str | None = "joint"
    """Tag in SDFormat, whose ``type`` is the value of the type; None if SDFormat lacks the type."""
    urdf_tag: str | None = None
    """Tag in URDF, whose ``type`` is the value of the type; None if URDF lacks the type."""
    urdf_aliases: tuple[str, ...] = ()
    """Further names of the type that readers of URDF accept."""
    suffixes: tuple[str, ...] = ()
    """Suffixes of the names of the joints, by axis, where one joint becomes one for each axis."""

    @property
    def position_count(self) -> int:
        """Number of position components."""
        return sum(_COMPONENTS.get(motion, (1, 1))[0] for motion in self.motions)

    @property
    def velocity_count(self) -> int:
        """Number of velocity components."""
        return sum(_COMPONENTS.get(motion, (1, 1))[1] for motion in self.motions)

    @property
    def is_series(self) -> bool:
        """True if each axis has a hinge or slide of its own; also for a weld, which has none."""
        return len(self.motions) == self.axis_count and {*self.motions} <= {
            Motion.HINGE,
            Motion.SLIDE,
        }

    @property
    def closing_points(self) -> int:
        """Number of points that solvers hold together to close a loop: one at the center of a ball
        joint, two on the axis of a hinge; 0 if points cannot close a loop at such a joint.
        """
        return _CLOSING_POINTS.get(self.motions, 0)


_DRAKE = "drake:joint"
TRAITS: Mapping[JointType, JointTraits] = {
    JointType.FIXED: JointTraits(urdf_tag="joint"),
    JointType.REVOLUTE: JointTraits(axis_count=1, motions=(Motion.HINGE,), urdf_tag="joint"),
    JointType.CONTINUOUS: JointTraits(axis_count=1, motions=(Motion.HINGE,), urdf_tag="joint"),
    JointType.PRISMATIC: JointTraits(axis_count=1, motions=(Motion.SLIDE,), urdf_tag="joint"),
    JointType.SCREW: JointTraits(axis_count=1, motions=(Motion.SCREW,), urdf_tag=_DRAKE),
    JointType.BALL: JointTraits(motions=(Motion.BALL,), urdf_tag=_DRAKE,
        urdf_aliases=("spherical",)),
    JointType.UNIVERSAL: JointTraits(axis_count=2, motions=(Motion.HINGE, Motion.HINGE),
        urdf_tag=_DRAKE, suffixes=("_1", "_2")),
    JointType.REVOLUTE2: JointTraits(axis_count=2, motions=(Motion.HINGE, Motion.HINGE),
        suffixes=("_1", "_2")),
    JointType.GEARBOX: JointTraits(axis_count=2),
    JointType.PLANAR: JointTraits(axis_count=3, motions=(Motion.SLIDE, Motion.SLIDE, Motion.HINGE),
        sdf_tag=_DRAKE, urdf_tag="joint", suffixes=("_x", "_y", "_theta")),
    JointType.CURVILINEAR: JointTraits(axis_count=1, motions=(Motion.CURVE,), sdf_tag=_DRAKE,
        urdf_tag=_DRAKE),
    JointType.FLOATING: JointTraits(motions=(Motion.FREE,), sdf_tag=None, urdf_tag="joint"),
}  # fmt: skip
"""The traits of each type, in the order in which messages list the types."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointAxis:
    """One axis of a joint. Units are rad and N m for a rotation, m and N for a translation."""

    xyz: Array
    """Unit direction in J, shape (3,)."""
    lower: float = -math.inf
    """Lower position limit [rad or m]."""
    upper: float = math.inf
    """Upper position limit [rad or m]."""
    effort: float = math.inf
    """Effort limit of an actuator [N m or N]."""
    velocity: float = math.inf
    """Velocity limit [rad/s or m/s]."""
    acceleration: float = math.inf
    """Acceleration limit [rad/s^2 or m/s^2]."""
    damping: float = 0.0
    """Viscous damping [N m s/rad or N s/m]."""
    friction: float = 0.0
    """Coulomb friction [N m or N]."""
    spring_stiffness: float = 0.0
    """Spring stiffness [N m/rad or N/m]."""
    spring_reference: float = 0.0
    """Position at which the spring exerts no force [rad or m]."""
    inertia: float = 0.0
    """Reflected inertia of the drive [kg m^2 or kg]."""
    limit_stiffness: float | None = None
    """Stiffness of the joint limits [N m/rad or N/m]; None is rigid."""
    limit_dissipation: float | None = None
    """Damping of the joint limits [N m s/rad or N s/m]; None is rigid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arc:
    """One piece of a planar curve, with ``length`` [m] and ``curvature`` [rad/m], which is 0 for a
    line segment.
    """

    length: float
    curvature: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
    """The path of a curvilinear joint, which starts at the origin of J."""

    initial_tangent: Array
    """Unit tangent at the start, in J, shape (3,)."""
    plane_normal: Array
    """Unit normal of the plane, in J, shape (3,)."""
    arcs: tuple[Arc, ...]
    """Pieces of the path, in order."""
    periodic: bool = False
    """Whether the path is closed."""

    @property
    def X_JS(self) -> Pose:
        """Pose of the frame at the start in J, as in Drake: x along the tangent, z along the
        normal; the identity if both are parallel.
        """
        y = np.cross(self.plane_normal, self.initial_tangent)
        length = float(np.linalg.norm(y))
        if length == 0.0:
            return IDENTITY
        y = y / length
        return Pose.of(np.column_stack((np.cross(y, self.plane_normal), y, self.plane_normal)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Joint:
    """A joint between a frame J on ``parent`` and a frame J on ``child``, which coincide at the
    zero configuration.
    """

    name: str
    """Scoped name."""
    type: JointType
    """Type of the joint."""
    parent: str
    """Name of the parent link, or `WORLD`."""
    child: str
    """Name of the child link, or `WORLD`."""
    X_PJ: Pose
    """Pose of frame J in the parent link."""
    X_CJ: Pose
    """Pose of frame J in the child link."""
    axes: tuple[JointAxis, ...] = ()
    """Axes in the order of the joint's positions: none for fixed joints, ``x, y, normal`` for a
    planar joint, and the axis of rotation for a screw joint. At most one for a ball joint and two
    for a floating joint, translation and rotation: these hold for every direction and have no
    limits, and a spring pulls to the default position."""
    pitch: float = 1.0
    """Translation of a screw joint per revolution [m], right-handed."""
    gear_ratio: float = 1.0
    """Ratio of a gearbox joint: the second angle is ``-gear_ratio`` times the first."""
    gear_reference: str | None = None
    """Reference link of a gearbox joint, from which both angles are measured."""
    curve: Curve | None = None
    """Path of a curvilinear joint."""
    default_position: tuple[float, ...] = ()
    """Initial position of the source; empty is zero."""
    sensors: tuple[Sensor, ...] = ()
    """Sensors on the joint."""
    provide_feedback: bool = False
    """Whether the source requests joint forces."""
    virtual: bool = False
    """Whether a reader made it: a fixed joint to the world, where the source says without a joint
    that the child is fixed there."""
    engine_settings: EngineSettings = ()
    """Settings of simulators that no other field holds."""
    where: Where = NOWHERE

    def __post_init__(self) -> None:
        if type(self.type) is str:  # a scene made in Python may name the type
            object.__setattr__(self, "type", JointType(self.type))


_SAMPLES = 1001
"""Number of positions at which a law is compared with a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CouplingLaw:
    """The law ``q(follower) = offset + multiplier * q + higher[0] * q**2 + ...``, where q is the
    position of the leader.
    """

    multiplier: float = 1.0
    """Coefficient of the position of the leader."""
    offset: float = 0.0
    """Position of the follower where that of the leader is zero."""
    higher: tuple[float, ...] = ()
    """Coefficients of the square and the higher powers; empty for a line."""

    @classmethod
    def of(cls, coefficients: ArrayLike) -> CouplingLaw:
        """Return the law with given coefficients of all powers, from the constant.

        Args:
            coefficients: The coefficients; zeros at the end count nothing.
        """
        numbers = np.trim_zeros(np.asarray(coefficients, dtype=np.float64), "b").tolist()
        numbers += [0.0] * (2 - len(numbers))
        offset, multiplier, *higher = numbers
        return CouplingLaw(offset=offset, multiplier=multiplier, higher=tuple(higher))

    @property
    def coefficients(self) -> tuple[float, ...]:
        """The coefficients of all powers, from the constant."""
        return (self.offset, self.multiplier, *self.higher)

    def at(self, leader: Array | float, derivative: int = 0) -> Array:
        """Return the position of the follower, or a derivative of it by that of the leader.

        Args:
            leader: Position of the leader, or n positions.
            derivative: Order of the derivative.
        """
        coefficients = self.coefficients
        for _ in range(derivative):
            coefficients = tuple(k * c for k, c in enumerate(coefficients))[1:]
        value: Array | float = 0.0
        for c in reversed(coefficients):
            value = value * leader + c
        return np.asarray(value, dtype=np.float64)

    def tangent_error(self, place: float, low: float, high: float) -> float:
        """Return the largest difference from the tangent at a position of the leader.

        Args:
            place: The position of the leader.
            low: Lowest position of the leader.
            high: Highest position of the leader.
        """
        q = np.linspace(low, high, _SAMPLES)
        tangent = self.at(place) + self.at(place, 1) * (q - place)
        return float(np.abs(self.at(q) - tangent).max())

    def closest_line(self, low: float, high: float) -> tuple[CouplingLaw, float]:
        """Return a line close to the law on a range, and the largest difference there: the line
        through the law at the two nodes of Chebyshev, moved so that the largest differences on both
        sides are equal.

        Args:
            low: Lowest position of the leader.
            high: Highest position of the leader.
        """
        q, center = np.linspace(low, high, _SAMPLES), (low + high) / 2.0
        reach = (high - low) / 2.0 * math.sqrt(0.5)
        a, b = self.at(np.array((center - reach, center + reach)))
        multiplier = float((b - a) / (2.0 * reach)) if reach else float(self.at(center, 1))
        rest = self.at(q) - multiplier * q
        offset = float(rest.max() + rest.min()) / 2.0
        line = CouplingLaw(multiplier=multiplier, offset=offset)
        return line, float(np.abs(rest - offset).max())

    def scaled(self, follower: float, leader: float) -> Self:
        """Return the law between other coordinates.

        Args:
            follower: The new coordinate of the follower divided by the old one.
            leader: The same of the leader.
        """
        offset, multiplier, *higher = (
            c * follower / leader**k for k, c in enumerate(self.coefficients)
        )
        return replace(self, offset=offset, multiplier=multiplier, higher=tuple(higher))


@dataclass(frozen=True, slots=True, kw_only=True)
class Coupling(CouplingLaw):
    """Coupling of the positions of two joints by a law; axes are counted from 0."""

    follower: str
    leader: str
    follower_axis: int = 0
    leader_axis: int = 0
    engine_settings: EngineSettings = ()
    """Settings of simulators that no other field holds."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class Actuator:
    """An actuator of one joint or tendon. Efforts are those at the joint, after the gear."""

    name: str
    """Scoped name."""
    joint: str
    """Name of the joint; empty if it drives something else."""
    tendon: str = ""
    """Name of the tendon; empty if it drives something else."""
    control: tuple[float, float] = (-math.inf, math.inf)
    """Range of the control, which is what the first of the interfaces says, if there are any."""
    target: float | None = None
    """Control at the start, such as the first target of a controller."""
    effort: float = math.inf
    """Effort limit [N m or N]."""
    min_effort: float | None = None
    """Least effort [N m or N]; None is ``-effort``."""
    feedforward: float = 0.0
    """Constant effort that a controller adds to that of its gains [N m or N]."""
    imposes_velocity: bool = False
    """Whether the source sets the velocity of the joint, whatever effort that takes."""
    gear_ratio: float = 1.0
    """Ratio of the rotor velocity to the joint velocity."""
    rotor_inertia: float = 0.0
    """Inertia of the rotor, before the gear [kg m^2 or kg]; the joint has ``gear_ratio**2 *
    rotor_inertia`` more."""
    p_gain: float | None = None
    """Position gain of a controller [N m/rad or N/m]."""
    d_gain: float | None = None
    """Velocity gain of a controller [N m s/rad or N s/m]."""
    interfaces: tuple[str, ...] = ()
    """Hardware interfaces that the source lists."""
    engine_settings: EngineSettings = ()
    """The law of the actuator in the words of a simulator; empty if the source states none."""
    where: Where = NOWHERE
