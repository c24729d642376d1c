"""The canonical model: what a file means, whatever format it came from.

Flat, frozen and free of behaviour. SI units and radians; poses resolved, at the zero configuration; names scoped
with ``::``; infinite limits are ``inf``. Frames in monogram notation: W world, M model, L link, J joint, F frame,
G geometry, P and C the parent and child link of a joint. Every item carries the place it was read from.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from .diagnostics import NOWHERE, Diagnostic, Where
from .spatial import IDENTITY, Array, Pose, SpatialInertia, frozen

WORLD = "world"
"""The name of the world where a link is expected."""

X_AXIS = frozen((1.0, 0.0, 0.0))
Y_AXIS = frozen((0.0, 1.0, 0.0))
Z_AXIS = frozen((0.0, 0.0, 1.0))

Rgba = tuple[float, float, float, float]


# --- geometry, each in its own frame G, centred on the origin unless said otherwise ---------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A box; ``size`` holds the full edge lengths [m]."""

    size: tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sphere:
    """A sphere of ``radius`` [m]."""

    radius: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cylinder:
    """A cylinder along z, ``radius`` and ``length`` [m]."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Capsule:
    """A capsule along z; ``length`` [m] is that of the cylindrical part."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cone:
    """A cone along z, apex up, the origin half way up, ``radius`` and ``length`` [m]."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ellipsoid:
    """An ellipsoid with semi-axes ``radii`` [m]."""

    radii: tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """The half space below the plane through the origin with this unit ``normal``; ``size`` [m] is for drawing."""

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    size: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh:
    """A mesh file, or one of its parts."""

    uri: str
    """As written in the source."""
    path: str | None
    """The file that the URI names, or None if it was not found."""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    submesh: str | None = None
    center: bool = False
    """Whether the submesh is moved to the origin."""
    convex: bool = False
    """Whether the source declares the shape to be its convex hull."""
    decomposition: str | None = None
    """The simplification asked for, as in SDFormat's ``mesh/@optimization``."""
    max_convex_hulls: int = 16
    """Largest number of parts of a convex decomposition."""
    voxel_resolution: int = 200000
    """Number of voxels of a convex decomposition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heightmap:
    """Terrain from an image; ``size`` [m] is its full extent, ``position`` [m] its offset."""

    uri: str
    path: str | None
    size: tuple[float, float, float] = (1.0, 1.0, 1.0)
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    sampling: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Polyline:
    """Closed outlines in the xy plane [m], raised from z = 0 to ``height`` [m]."""

    outlines: tuple[tuple[tuple[float, float], ...], ...]
    height: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Empty:
    """No shape: it touches nothing and shows nothing."""


Geometry = Box | Sphere | Cylinder | Capsule | Cone | Ellipsoid | Plane | Mesh | Heightmap | Polyline | Empty


# --- surfaces and materials ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Friction:
    """Coulomb friction; None is what the source leaves to the engine."""

    mu: float = 1.0
    """Coefficient in the first direction, and in every direction unless ``mu2`` differs."""
    mu2: float = 1.0
    """Coefficient across the first direction."""
    mu_static: float | None = None
    """Coefficient at rest, where the source tells it apart from ``mu``."""
    fdir1: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """First friction direction in G; zero leaves it to the engine."""
    slip1: float = 0.0
    slip2: float = 0.0
    rolling: float | None = None
    torsional: float | None = None
    """Coefficient of torsional friction."""
    patch_radius: float = 0.0
    """Radius of the contact patch [m]."""
    surface_radius: float = 0.0
    """Radius of curvature at the contact [m], used where ``use_patch_radius`` is false."""
    use_patch_radius: bool = True
    torsional_slip: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hydroelastic:
    """Drake's pressure-field contact."""

    compliance: str | None = None
    """``rigid`` or ``compliant``."""
    resolution_hint: float | None = None
    """Edge length of the mesh [m]."""
    modulus: float | None = None
    """Elastic modulus [Pa]."""
    margin: float | None = None
    """Thickness of the margin [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """How a collision touches others; None is what the source leaves to the engine."""

    friction: Friction = Friction()
    restitution: float = 0.0
    restitution_threshold: float = 1e5
    """Speed [m/s] below which nothing bounces."""
    stiffness: float | None = None
    """Contact stiffness [N/m]."""
    damping: float | None = None
    """Contact damping [N s/m]."""
    dissipation: float | None = None
    """Hunt-Crossley dissipation [s/m]."""
    relaxation_time: float | None = None
    """Relaxation time of linear dissipation [s]."""
    max_velocity: float | None = None
    """Largest speed of penetration correction [m/s]."""
    min_depth: float | None = None
    """Penetration [m] that is not corrected."""
    soft_cfm: float | None = None
    soft_erp: float | None = None
    collide_bitmask: int = 0xFFFF
    """Two collisions touch if their masks share a bit."""
    category_bitmask: int | None = None
    collide_without_contact: bool = False
    hydroelastic: Hydroelastic | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """How a visual looks. Colours are linear red, green, blue, opacity in 0..1; None is not stated."""

    name: str | None = None
    diffuse: Rgba | None = None
    ambient: Rgba | None = None
    specular: Rgba | None = None
    emissive: Rgba | None = None
    shininess: float | None = None
    texture: str | None = None
    """File of the colour texture."""
    metalness: float | None = None
    roughness: float | None = None
    maps: tuple[tuple[str, str], ...] = ()
    """Further textures of physically based rendering: kind and file."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Collision:
    """A shape that touches others."""

    name: str
    X_LG: Pose
    geometry: Geometry
    surface: Surface = Surface()
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


# --- links, frames, models -------------------------------------------------------------------------------------------


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


# --- joints and what acts along them ---------------------------------------------------------------------------------


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


# --- constraints and force elements ----------------------------------------------------------------------------------


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


# --- collision filters -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterGroup:
    """A named set of links."""

    name: str
    links: tuple[str, ...]
    groups: tuple[str, ...] = ()
    """Further groups whose links belong to it; empty in a scene that is loaded to the end."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterRule:
    """No link of group ``a`` touches a link of group ``b``; the same group twice: none touches another."""

    a: str
    b: str
    where: Where = NOWHERE


# --- the whole -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Physics:
    """Hints for the integrator and the solver."""

    time_step: float = 0.001
    """[s]"""
    real_time_factor: float = 1.0
    real_time_update_rate: float = 1000.0
    max_contacts: int = 20
    engine: str = "ode"
    """The engine that the source was written for."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Settings of that engine: path below the physics, and text."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """Everything that one file means, with what it includes."""

    name: str
    source: str = ""
    """The file that it was read from."""
    gravity: Array = field(default_factory=lambda: frozen((0.0, 0.0, -9.8)))
    """[m/s^2], shape (3,), in W."""
    physics: Physics = Physics()
    wind: Array = field(default_factory=lambda: IDENTITY.p)
    """Velocity of the air [m/s], shape (3,), in W."""
    magnetic_field: Array = field(default_factory=lambda: frozen((5.5645e-6, 22.8758e-6, -42.3884e-6)))
    """[T], shape (3,), in W."""
    models: tuple[Model, ...] = ()
    links: tuple[Link, ...] = ()
    joints: tuple[Joint, ...] = ()
    frames: tuple[Frame, ...] = ()
    lights: tuple[Light, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    forces: tuple[ForceElement, ...] = ()
    filter_groups: tuple[FilterGroup, ...] = ()
    filter_rules: tuple[FilterRule, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data in the conformance format: what ``sdfbridge info --json`` prints."""
        from .conformance import to_dict

        return to_dict(self)

    def excluded_collision_pairs(self, policy: str = "drake") -> frozenset[frozenset[str]]:
        """Pairs of links, of those with collisions, that never touch; see `loaders.filters`.

        Raises:
            ValueError: for a policy that is not one of `loaders.filters.POLICIES`.
        """
        from .filters import excluded_pairs

        return excluded_pairs(self, policy)


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name."""


N = TypeVar("N", bound=Named)


def by_name(items: Iterable[N]) -> dict[str, N]:
    """The items by their names."""
    return {item.name: item for item in items}
