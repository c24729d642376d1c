"""Links with their collisions, visuals and sensors; frames, models and lights."""

from __future__ import annotations

from dataclasses import dataclass, field

from loaders.diagnostics import NOWHERE, Where
from loaders.spatial import Array, Pose, SpatialInertia

from .common import Rgba, Settings
from .geometry import Geometry
from .materials import Material
from .surfaces import Surface


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Collision:
    """A shape for contact."""

    name: str
    """Name within the link."""
    X_LG: Pose
    """Pose of the geometry in the link."""
    geometry: Geometry
    """Shape."""
    surface: Surface = field(default_factory=Surface)
    """Contact properties."""
    density: float | None = None
    """Density [kg/m^3] from which the source computes the mass; None if not stated."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Visual:
    """A shape for display."""

    name: str
    """Name within the link."""
    X_LG: Pose
    """Pose of the geometry in the link."""
    geometry: Geometry
    """Shape."""
    material: Material | None = None
    """Material, or None for the default."""
    transparency: float = 0.0
    """Transparency, from 0 (opaque) to 1."""
    cast_shadows: bool = True
    """Whether the visual casts shadows."""
    roles: tuple[str, ...] = ("illustration", "perception")
    """Roles of the visual in Drake."""
    renderers: tuple[str, ...] = ()
    """Names of the only renderers that may draw it; empty is all."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sensor:
    """A sensor on a link or a joint."""

    name: str
    """Name within the link or joint."""
    type: str
    """Type in SDFormat, such as ``imu``."""
    X_LS: Pose
    """Pose in the link; for a sensor of a joint, in the child link of that joint."""
    joint: str | None = None
    """Name of the joint that has the sensor, or None."""
    update_rate: float = 0.0
    """Update rate [Hz]; 0 is every step."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Path, below the sensor, and text of every other element."""
    target: str | None = None
    """Name of the link, or `WORLD`, at which a camera always looks; None for a camera that turns with its link."""
    mujoco: Settings = ()
    """Further settings of MuJoCo's ``<camera>``."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Light:
    """A light source, fixed to a link or to the world."""

    name: str
    """Scoped name."""
    type: str
    """``point``, ``directional`` or ``spot``."""
    link: str
    """Name of the link, or `WORLD`."""
    X_LLight: Pose
    """Pose of the light in the link."""
    diffuse: Rgba = (1.0, 1.0, 1.0, 1.0)
    """Diffuse color."""
    specular: Rgba = (0.1, 0.1, 0.1, 1.0)
    """Specular color."""
    direction: tuple[float, float, float] = (0.0, 0.0, -1.0)
    """Direction of the beam in the light's frame."""
    range: float = 10.0
    """Largest distance of lit points [m]."""
    attenuation: tuple[float, float, float] = (1.0, 1.0, 0.0)
    """Constant, linear [1/m] and quadratic [1/m^2] attenuation."""
    inner_angle: float = 0.0
    """Inner angle of the cone of a spot light [rad]."""
    outer_angle: float = 0.0
    """Outer angle of the cone of a spot light [rad]."""
    falloff: float = 0.0
    """Falloff between the inner and the outer cone."""
    intensity: float = 1.0
    """Intensity, a factor of the colors."""
    cast_shadows: bool = False
    """Whether the light casts shadows."""
    on: bool = True
    """Whether the light is on."""
    target: str | None = None
    """Name of the link, or `WORLD`, to which the beam always points; None for a light that turns with its link."""
    mujoco: Settings = ()
    """Further settings of MuJoCo's ``<light>``."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Link:
    """A rigid body."""

    name: str
    """Scoped name."""
    model: str
    """Scoped name of the model that contains it."""
    X_WL: Pose
    """Pose in the world at the zero configuration."""
    inertia: SpatialInertia | None = None
    """Mass properties, or None if the source states none; a target that needs a number reports its choice."""
    collisions: tuple[Collision, ...] = ()
    """Shapes for contact."""
    visuals: tuple[Visual, ...] = ()
    """Shapes for display."""
    sensors: tuple[Sensor, ...] = ()
    """Sensors."""
    gravity: bool = True
    """Whether gravity acts on the link."""
    kinematic: bool = False
    """Whether forces do not move the link; its motion is prescribed."""
    self_collide: bool | None = None
    """Whether it collides with links of its own model; None is the setting of the model."""
    enable_wind: bool = False
    """Whether wind acts on the link."""
    velocity_decay: tuple[float, float] = (0.0, 0.0)
    """Linear and angular velocity decay."""
    added_mass: Array | None = None
    """Fluid added mass about Lcm in the inertial frame, shape (6, 6), linear components first, or None."""
    surface_velocity_axis: tuple[float, float, float] | None = None
    """Unit axis, in L, of the surface velocity of a conveyor, or None."""
    deformable: tuple[tuple[str, str], ...] = ()
    """Name and text of each property of a deformable body; empty for a rigid one."""
    virtual: bool = False
    """Whether a reader made it to connect two joints of one body: it has neither inertia nor shapes, and its frame
    coincides with that of the body at the zero configuration."""
    mujoco: Settings = ()
    """Further settings of MuJoCo's ``<body>``."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """A named frame fixed to a link or to the world."""

    name: str
    """Scoped name."""
    link: str
    """Name of the link, or `WORLD`."""
    X_LF: Pose
    """Pose of the frame in the link."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """A scope of names: a ``<model>`` or a ``<robot>``."""

    name: str
    """Scoped name."""
    X_WM: Pose
    """Pose of the model frame in the world at the zero configuration."""
    canonical_link: str | None
    """Name of the link to which the model frame is fixed, or None if the model has no link."""
    static: bool = False
    """Whether every link is fixed to the world."""
    self_collide: bool = False
    """Whether its links collide with each other; see `Link.self_collide`."""
    allow_auto_disable: bool = True
    """Whether the engine may deactivate the model while it rests."""
    enable_wind: bool = False
    """Whether wind acts on its links."""
    placement_frame: str | None = None
    """Name of the frame, in the model, to which the pose of the model refers; None is the model frame."""
    where: Where = NOWHERE
