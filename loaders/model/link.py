"""Link, Frame, Model, Light, Sensor, shapes and materials.

`look_of` is the one rule for the look of a visual in every simulator, viewer and picture.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from loaders.diagnostics import NOWHERE, Where
from loaders.inertia import SpatialInertia
from loaders.model.contact import Surface
from loaders.model.settings import EngineSettings, Rgba
from loaders.pose import Array, Pose


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
    """A cylinder along z with ``radius`` and ``length`` [m]."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Capsule:
    """A capsule along z with ``radius`` [m]; ``length`` [m] is the length of its cylindrical
    part.
    """

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cone:
    """A cone along z, apex up, with ``radius`` and ``length`` [m]; the origin is at half its
    height.
    """

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ellipsoid:
    """An ellipsoid with semi-axes ``radii`` [m]."""

    radii: tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """The half space below a plane through the origin with a unit ``normal``; only drawings use
    ``size`` [m].
    """

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    size: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh:
    """A mesh file, or a part of one."""

    uri: str
    """URI as the source has it."""
    path: str | None
    """File that the URI refers to, or None if it was not found."""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Scale factor in x, y and z."""
    submesh: str | None = None
    """Name of the part of the file that is used; None is the whole file."""
    center: bool = False
    """Whether the center of the submesh is moved to the origin."""
    convex: bool = False
    """Whether the source declares that the shape is the convex hull of the mesh."""
    decomposition: str | None = None
    """Requested simplification, a value of ``mesh/@optimization`` in SDFormat."""
    max_convex_hulls: int = 16
    """Maximum number of parts of a convex decomposition."""
    voxel_resolution: int = 200000
    """Number of voxels of a convex decomposition."""
    reference: Mesh | None = None
    """Mesh of the same shape at the same pose, which tells whether the up axis that a COLLADA file
    states is applied; without one, the name of its exporter decides."""
    data: bytes | None = None
    """Content of an OBJ file, if the source has the mesh in itself; then it counts instead of
    ``path``."""
    turned: bool | None = None
    """Whether the up axis that a COLLADA file states is applied; None if it is not decided here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heightmap:
    """Terrain from an image."""

    uri: str
    """URI as the source has it."""
    path: str | None
    """File that the URI refers to, or None if it was not found."""
    size: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Full extent in x, y and z [m]."""
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Offset [m]."""
    sampling: int = 1
    """Number of samples per pixel."""
    data: bytes | None = None
    """Content of a PNG file, if the source has the heights in itself; then it counts instead of
    ``path``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Polyline:
    """Closed outlines in the xy plane [m], extruded from z = 0 to ``height`` [m]."""

    outlines: tuple[tuple[tuple[float, float], ...], ...]
    height: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Empty:
    """No shape: it neither collides nor is visible."""


Geometry = (
    Box
    | Sphere
    | Cylinder
    | Capsule
    | Cone
    | Ellipsoid
    | Plane
    | Mesh
    | Heightmap
    | Polyline
    | Empty
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The appearance of a visual, with linear colors; None is not stated by the source."""

    name: str | None = None
    """Name in the source."""
    diffuse: Rgba | None = None
    """Diffuse color."""
    ambient: Rgba | None = None
    """Ambient color."""
    specular: Rgba | None = None
    """Specular color."""
    emissive: Rgba | None = None
    """Emitted color."""
    shininess: float | None = None
    """Specular exponent."""
    texture: str | None = None
    """File of the color texture; None also if it was not found."""
    metalness: float | None = None
    """Metalness of physically based rendering, from 0 to 1."""
    roughness: float | None = None
    """Roughness of physically based rendering, from 0 to 1."""
    maps: tuple[tuple[str, str], ...] = ()
    """Kind and file of each further texture of physically based rendering that was found."""
    engine_settings: EngineSettings = ()
    """How a picture is made and placed that only one simulator draws, such as one on a cube."""


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


ROLES = ("illustration", "perception")
"""Roles that a visual may have in Drake."""


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
    roles: tuple[str, ...] = ROLES
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
    """Name of the link, or `WORLD`, at which a camera always looks; None for a camera that turns
    with its link."""
    engine_settings: EngineSettings = ()
    """Settings of simulators that no other field holds."""
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
    """Name of the link, or `WORLD`, to which the beam always points; None for a light that turns
    with its link."""
    engine_settings: EngineSettings = ()
    """Settings of simulators that no other field holds."""
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
    """Mass properties, or None if the source states none; a target that needs a number reports its
    choice."""
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
    """Fluid added mass about Lcm in the inertial frame, shape (6, 6), linear components first, or
    None."""
    surface_velocity_axis: tuple[float, float, float] | None = None
    """Unit axis, in L, of the surface velocity of a conveyor, or None."""
    deformable: tuple[tuple[str, str], ...] = ()
    """Name and text of each property of a deformable body; empty for a rigid one."""
    virtual: bool = False
    """Whether a reader made it to connect two joints of one body: it has neither inertia nor
    shapes, and its frame coincides with that of the body at the zero configuration."""
    engine_settings: EngineSettings = ()
    """Settings of simulators that no other field holds."""
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
    """Name of the frame, in the model, to which the pose of the model refers; None is the model
    frame."""
    where: Where = NOWHERE


DEFAULT_COLOR: Rgba = (0.7, 0.7, 0.7, 1.0)
"""Color of a visual where neither the source nor the mesh file states one: Gazebo's light gray."""
_WHITE: Rgba = (1.0, 1.0, 1.0, 1.0)
"""Color that leaves a texture as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartLook:
    """Look of a part of a mesh, as its file states it."""

    color: Rgba | None = None
    """Color, and factor of the texture."""
    texture: str | None = None
    """File of the color texture."""
    emissive: Rgba | None = None
    """Color of the light that it emits."""


UNSTATED = PartLook()
"""Look of a shape that is no mesh, or of a mesh file that states none."""


def tints(visual: Visual) -> bool:
    """Return whether the color of a visual tints the texture of the mesh file, as in URDF, rather
    than replaces it, as in SDFormat and MJCF.
    """
    return visual.where.path.startswith("/robot")


def look_of(visual: Visual, own: PartLook = UNSTATED) -> Material:
    """Return the look of a part of a visual; its color is always stated, with the transparency.

    The source has precedence over the mesh file: its texture replaces the whole look of the part,
    its color replaces the color of the part, and in SDFormat and MJCF also the texture. A material
    that only emits light has the color of its light. An ambient color without a diffuse one counts
    where the mesh file states no look, and tints a texture if it has a hue.

    Args:
        visual: The visual.
        own: What the mesh file states about the part.
    """
    stated = visual.material or Material()
    if stated.texture is not None or (stated.diffuse is not None and not tints(visual)):
        own = UNSTATED
    texture = stated.texture or own.texture
    color = stated.diffuse or own.color or (None if own.texture else _ambient(stated))
    red, green, blue, alpha = color or (_WHITE if texture else DEFAULT_COLOR)
    emissive = stated.emissive or (None if stated.diffuse else own.emissive)
    if emissive is not None and max(red, green, blue) == 0.0:
        red, green, blue = emissive[:3]
    diffuse = (red, green, blue, alpha * (1.0 - visual.transparency))
    return replace(stated, diffuse=diffuse, texture=texture, emissive=emissive)


def _ambient(stated: Material) -> Rgba | None:
    """Return the ambient color of a material, unless it is a gray that would darken its texture."""
    ambient = stated.ambient
    return ambient if ambient and (stated.texture is None or len(set(ambient[:3])) > 1) else None


def total_mass(links: Iterable[Link]) -> float:
    """Return the sum of the masses of links that have an inertia [kg]."""
    return sum(link.inertia.mass for link in links if link.inertia is not None)
