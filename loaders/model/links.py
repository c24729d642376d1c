"""Links and what they carry, frames, models and lights."""

from __future__ import annotations

from dataclasses import dataclass, field

from loaders.diagnostics import NOWHERE, Where
from loaders.spatial import Array, Pose, SpatialInertia

from .common import Rgba
from .geometry import Geometry
from .materials import Material
from .surfaces import Surface


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Collision:
    """A shape that touches others."""

    name: str
    X_LG: Pose
    geometry: Geometry
    surface: Surface = field(default_factory=Surface)
    density: float | None = None
    """Density [kg/m^3] for a mass computed from the shape."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Visual:
    """A shape that is seen."""

    name: str
    X_LG: Pose
    geometry: Geometry
    material: Material | None = None
    transparency: float = 0.0
    cast_shadows: bool = True
    roles: tuple[str, ...] = ("illustration", "perception")
    """The uses it has in Drake."""
    renderers: tuple[str, ...] = ()
    """The renderers that alone may draw it; empty is all."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sensor:
    """A sensor on a link. ``parameters`` are the leaves of its description: path below the sensor, and text."""

    name: str
    type: str
    X_LS: Pose
    joint: str | None = None
    """The joint that carries it; its pose is then given in the joint's child link."""
    update_rate: float = 0.0
    """Rate [Hz]; 0 is every step."""
    parameters: tuple[tuple[str, str], ...] = ()
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Light:
    """A lamp, fixed to a link or to the world."""

    name: str
    type: str
    """``point``, ``directional`` or ``spot``."""
    link: str
    X_LLight: Pose
    diffuse: Rgba = (1.0, 1.0, 1.0, 1.0)
    specular: Rgba = (0.1, 0.1, 0.1, 1.0)
    direction: tuple[float, float, float] = (0.0, 0.0, -1.0)
    """Direction of the beam in the light's frame."""
    range: float = 10.0
    """Reach [m]."""
    attenuation: tuple[float, float, float] = (1.0, 1.0, 0.0)
    """Constant, linear [1/m] and quadratic [1/m^2] attenuation."""
    inner_angle: float = 0.0
    outer_angle: float = 0.0
    """Cone of a spot light [rad]."""
    falloff: float = 0.0
    intensity: float = 1.0
    cast_shadows: bool = False
    on: bool = True
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Link:
    """A rigid body."""

    name: str
    model: str
    """Name of the model that it belongs to."""
    X_WL: Pose
    inertia: SpatialInertia | None = None
    """None if the source gives none; whoever needs a number decides, and says so."""
    collisions: tuple[Collision, ...] = ()
    visuals: tuple[Visual, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    gravity: bool = True
    """Whether gravity acts on it."""
    kinematic: bool = False
    """Whether it moves only as told, never by forces."""
    self_collide: bool | None = None
    """Whether it touches links of its own model; None is what the model says."""
    enable_wind: bool = False
    velocity_decay: tuple[float, float] = (0.0, 0.0)
    """Linear and angular velocity decay."""
    added_mass: Array | None = None
    """Fluid added mass about Lcm in the inertial frame, shape (6, 6), linear first."""
    surface_velocity_axis: tuple[float, float, float] | None = None
    """Axis, in L, of a conveyor's surface velocity."""
    deformable: tuple[tuple[str, str], ...] = ()
    """Properties of a deformable body: name and text."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """A named frame fixed to a link or to the world."""

    name: str
    link: str
    X_LF: Pose
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """A scope: what a ``<model>`` or a ``<robot>`` is."""

    name: str
    X_WM: Pose
    canonical_link: str | None
    """The link that the model's own frame is fixed to; None if it has none."""
    static: bool = False
    """Whether every link is fixed to the world."""
    self_collide: bool = False
    allow_auto_disable: bool = True
    """Whether the engine may put it to sleep."""
    enable_wind: bool = False
    placement_frame: str | None = None
    where: Where = NOWHERE
