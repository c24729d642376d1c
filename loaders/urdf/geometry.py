"""link: inertia, collisions, visuals (origin, geometry, material) and PyBullet's contact."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from loaders import codes as loaders_codes
from loaders.context import Context
from loaders.deferred import Deferred
from loaders.diagnostics import Where
from loaders.drake.dialect import PREFIX, URDF
from loaders.drake.link import (
    declares_convex,
    diffuse_map,
    read_display,
    read_surface_velocity_axis,
)
from loaders.drake.link import read_surface as drake_surface
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Friction,
    Geometry,
    Link,
    Material,
    Mesh,
    Plane,
    Rgba,
    Sphere,
    Surface,
    Visual,
)
from loaders.model.contact import UNIT_PATCH_RADIUS
from loaders.node import IgnoredElements, Node, mark_read, report_ignored
from loaders.pose import IDENTITY, Pose
from loaders.scoped_names import UnusedNames, from_1
from loaders.urdf import codes

_ZERO, _ONES = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
_VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})")
_FIRST_VERSION, _QUATERNIONS, LAST_VERSION = (1, 0), (1, 1), (1, 2)
"""Versions of URDF: without quaternions, the first with them, and the newest one, which adds limits
of motion."""
_MAX_LENGTH_ERROR = 1e-6
"""Largest error of the length of a quaternion that is not reported."""


def read_origin(element: Node) -> Pose:
    """Return the pose in the ``<origin>`` of an element; the identity if it has none."""
    return pose_of(element.child("origin"))


def pose_of(origin: Node | None) -> Pose:
    """Return the pose that an ``<origin>`` states; the identity if there is none."""
    if origin is None:
        return IDENTITY
    xyz, rpy = origin.numbers("@xyz", 3, _ZERO), origin.numbers("@rpy", 3, _ZERO)
    if "quat_xyzw" not in origin.attributes:
        return Pose.from_xyz_rpy(xyz, rpy)
    origin.mark("@quat_xyzw")
    x, y, z, w = origin.numbers("@quat_xyzw", 4, (0.0, 0.0, 0.0, 1.0))
    if not _states_quaternion(origin, math.hypot(x, y, z, w)):
        return Pose.from_xyz_rpy(xyz, rpy)
    return Pose.from_vector((*xyz, w, x, y, z))


def _states_quaternion(origin: Node, length: float) -> bool:
    """Return whether the quaternion of an ``<origin>`` is its rotation; report why not, or that it
    is normalized.

    Args:
        origin: The ``<origin>``, with an attribute ``quat_xyzw``.
        length: The length of the quaternion.
    """
    stated, version = version_at(origin)
    if version < _QUATERNIONS:
        origin.report(loaders_codes.URDF_QUATERNION_VERSION, version=stated)
        return False
    if "rpy" in origin.attributes:
        origin.report(codes.TWO_ROTATIONS)
        return False
    if length == 0.0:
        origin.report(codes.ZERO_QUATERNION)
        return False
    if abs(length - 1.0) > _MAX_LENGTH_ERROR:
        origin.report(codes.QUATERNION_LENGTH, length=length)
    return True


def version_at(node: Node) -> tuple[str, tuple[int, int]]:
    """Return the version that the ``<robot>`` of an element states, in words and as two numbers.

    Args:
        node: The element.
    """
    root = node
    while root.parent is not None:
        root = root.parent
    text = root.attributes.get("version", "")
    return text or "not stated, which means 1.0", version_of(text) or _FIRST_VERSION


def version_of(text: str) -> tuple[int, int] | None:
    """Return the two numbers of the version of a ``<robot>``, 1.0 if it is empty; None if it is not
    of the form x.y.
    """
    if not text:
        return _FIRST_VERSION
    match = _VERSION.fullmatch(text.strip())
    return None if match is None else (int(match[1]), int(match[2]))


def check_version(root: Node) -> None:
    """Report a version of a ``<robot>`` that URDF does not have.

    Args:
        root: The ``<robot>``.
    """
    text = root.word("@version", "")
    version = version_of(text)
    if version is not None and _FIRST_VERSION <= version <= LAST_VERSION:
        return
    used = "1.2" if version is not None and version > LAST_VERSION else "1.0"
    is_minor = version is not None and version[0] == LAST_VERSION[0]
    code = codes.VERSION_MINOR if is_minor else codes.VERSION
    root.report(code, leniency=f"it is read as {used}", version=text, used=used)


def read_geometry(element: Node, geometry: Node | None, context: Context) -> Geometry | None:
    """Return the shape of a ``<visual>`` or ``<collision>``; None, with a diagnostic, if it has no
    known shape.

    Args:
        element: The element.
        geometry: Its ``<geometry>``.
        context: The context of the load.
    """
    shapes: Sequence[Node] = () if geometry is None else geometry.children
    if len(shapes) != 1 or shapes[0].tag not in SHAPES:
        shapes = _known_shapes(element, shapes)
    if geometry is not None:
        geometry.mark(*_IN_GEOMETRY)
    return SHAPES[shapes[0].tag](shapes[0], context) if shapes else None


def _known_shapes(element: Node, parts: Sequence[Node]) -> Sequence[Node]:
    """Return the shapes of a geometry; the first is used. Report the others, or that there is
    none.
    """
    for part in parts:
        if part.tag in _DRAKE_SHAPES:
            part.tag = part.tag.removeprefix(PREFIX)
    shapes = _by_precedence([part for part in parts if part.tag in SHAPES])
    for extra in shapes[1:]:
        extra.report(codes.SECOND_SHAPE, extra=extra.tag, first=shapes[0].tag)
        mark_read(extra)
    if not shapes:
        element.report(codes.NO_SHAPE, hint=f"use one of: {', '.join(SHAPES)}", tag=element.tag)
        mark_read(element)  # nothing in it has an effect
    return shapes


def _by_precedence(shapes: list[Node]) -> list[Node]:
    """Return the shapes of a geometry; of a mesh before a capsule, which stands for it in other
    readers, the latter.
    """
    if [shape.tag for shape in shapes] != ["mesh", "capsule"]:
        return shapes
    mark_read(shapes[0])
    return shapes[1:]


def _read_box(node: Node, _: Context) -> Geometry:
    x, y, z = node.numbers("@size", 3)
    if min(x, y, z) < 0.0:
        node.report(loaders_codes.XML_OUT_OF_RANGE_BOX, x=x, y=y, z=z)
    return Box(size=(x, y, z))


def _read_sphere(node: Node, _: Context) -> Geometry:
    return Sphere(radius=node.number("@radius", minimum=0.0))


def _read_cylinder(node: Node, _: Context) -> Geometry:
    return Cylinder(
        radius=node.number("@radius", minimum=0.0), length=node.number("@length", minimum=0.0)
    )


def _read_capsule(node: Node, _: Context) -> Geometry:
    return Capsule(
        radius=node.number("@radius", minimum=0.0), length=node.number("@length", minimum=0.0)
    )


def _read_ellipsoid(node: Node, _: Context) -> Geometry:
    a, b, c = (node.number("@" + key, minimum=0.0) for key in "abc")
    return Ellipsoid(radii=(a, b, c))


def _read_plane(node: Node, _: Context) -> Geometry:
    x, y, z = node.numbers("@normal", 3, (0.0, 0.0, 1.0))
    length = math.hypot(x, y, z)
    if length == 0.0:
        node.report(codes.ZERO_NORMAL)
        return Plane()
    return Plane(normal=(x / length, y / length, z / length))


def _read_mesh(node: Node, context: Context) -> Geometry:
    uri = node.word("@filename")
    path = context.resources.find_file(uri, node) if uri else None
    x, y, z = scale = _read_scale(node)
    if 0.0 in scale:
        node.report(codes.ZERO_SCALE, x=x, y=y, z=z)
    return Mesh(uri=uri, path=path, scale=(x, y, z), convex=declares_convex(node))


def _read_scale(node: Node) -> tuple[float, ...]:
    """Return the scale factors; a single number scales all axes, as in Drake and PyBullet."""
    stated = node.attributes.get("scale")
    if stated is not None and len(stated.split()) == 1:
        return (node.number("@scale", 1.0),) * 3
    return node.numbers("@scale", 3, _ONES)


SHAPES: dict[str, Callable[[Node, Context], Geometry]] = {
    "box": _read_box,
    "sphere": _read_sphere,
    "cylinder": _read_cylinder,
    "capsule": _read_capsule,
    "ellipsoid": _read_ellipsoid,
    "mesh": _read_mesh,
    "plane": _read_plane,
}
"""Reader of each shape, keyed by tag. Capsules and planes are common, though not in the
specification."""
_IN_GEOMETRY = ("@name", *SHAPES)
_DRAKE_SHAPES = frozenset({"drake:capsule", "drake:ellipsoid"})


# --- names ----------------------------------------------------------------------------------------


def shape_names(link: str, elements: Iterable[Node]) -> Iterator[tuple[str, Node]]:
    """Yield a unique name for each visual or collision of a link, with the element.

    Shapes without a name are called ``<link>_collision``, ``<link>_collision_1`` and so on, as in
    libsdformat.
    """
    unused = UnusedNames(form=from_1)
    for element in elements:
        given = element.word("@name", "")
        name = unused.claim(given or f"{link}_{element.tag}")
        if given and name != given:
            element.report(codes.DUPLICATE_NAME, link=link, tag=element.tag, given=given, name=name)
        yield name, element


# --- materials ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Materials:
    """The materials of a robot: those of the robot itself, then those that visuals define."""

    known: dict[str, Material]
    """Materials, keyed by name."""

    @classmethod
    def of(cls, root: Node, context: Context) -> Materials:
        """Return the materials of a ``<robot>``, wherever they are in the file."""
        known: dict[str, Material] = {}
        for node in root.all("material"):
            material = _read_material(node, context)
            if material.name in known:
                node.report(codes.REPEATED_MATERIAL, material=material.name)
            if _is_defined(material):
                _define(known, material, node)
            elif node.has("texture"):  # its file was not found, which is reported
                known.setdefault(material.name or "", material)
            else:
                node.report(codes.UNKNOWN_MATERIAL_DEFINED, material=material.name)
        return cls(known)

    def read(self, node: Node, context: Context) -> Material:
        """Return the material of a visual; a material that it defines is added to those known.

        Args:
            node: The ``<material>`` of the visual.
            context: The context of the load.
        """
        material = _read_material(node, context)
        if _is_defined(material):
            if material.name:
                _define(self.known, material, node)
            return material
        if material.name in self.known:
            return self.known[material.name]
        if material.name:
            node.report(codes.UNKNOWN_MATERIAL, material=material.name)
        return material


def _read_material(node: Node, context: Context) -> Material:
    name = node.word("@name", "") or None
    color, specular, texture = node.child("color"), node.child("specular"), node.child("texture")
    return Material(
        name=name,
        diffuse=None if color is None else _read_color(color),
        specular=None if specular is None else _read_specular(specular),
        texture=_read_texture(node, texture, context),
    )


def _read_texture(node: Node, texture: Node | None, context: Context) -> str | None:
    diffuse_map(node, URDF)
    if texture is None:
        return None
    uri = texture.word("@filename", "")
    if not uri:
        texture.report(codes.NO_TEXTURE)
        return None
    return context.resources.find_file(uri, texture)


def _read_color(color: Node) -> Rgba | None:
    if "rgba" not in color.attributes:
        return None
    r, g, b, a = color.numbers("@rgba", 4)
    if min(r, g, b, a) < 0.0 or max(r, g, b, a) > 1.0:
        color.report(codes.COLOUR_RANGE)
        r, g, b, a = (min(max(value, 0.0), 1.0) for value in (r, g, b, a))
    return r, g, b, a


def _read_specular(specular: Node) -> Rgba:
    """Return the color in ``<specular rgb="...">``, an extension of PyBullet."""
    r, g, b = specular.numbers("@rgb", 3, _ONES)
    return r, g, b, 1.0


def _is_defined(material: Material) -> bool:
    return not (material.diffuse is None and material.specular is None and material.texture is None)


def _define(known: dict[str, Material], material: Material, node: Node) -> None:
    """Add a material; a duplicate does not affect the visuals that only refer to the name."""
    name = material.name or ""
    first = known.setdefault(name, material)
    if first == material:
        return
    if dataclasses.replace(first, specular=None) != dataclasses.replace(material, specular=None):
        node.report(codes.DUPLICATE_MATERIAL, material=name)


_IGNORED: IgnoredElements = {
    "friction_anchor": codes.ENGINE_SETTING_OF_PYBULLET,
    "inertia_scaling": codes.INERTIA_SCALING,
}
_FRICTION = {
    "lateral_friction": ("mu", "mu2"),
    "rolling_friction": ("rolling",),
    "spinning_friction": ("torsional",),
}
_SURFACE = {
    "restitution": "restitution",
    "stiffness": "stiffness",
    "damping": "damping",
    "contact_cfm": "soft_cfm",
    "contact_erp": "soft_erp",
}


DEFAULT_SURFACE = Surface()
"""The surface of a collision without contact properties in the file."""


def read_contact(contact: Node) -> Surface:
    """Return the surface of all collisions of a link, with defaults for values that are not
    given.
    """
    report_ignored(contact, _IGNORED)
    stated = {tag: _value(contact, tag) for tag in (*_FRICTION, *_SURFACE)}
    values = {tag: value for tag, value in stated.items() if value is not None}
    friction: dict[str, Any] = {}
    for tag, fields in _FRICTION.items():
        if tag in values:
            friction |= dict.fromkeys(fields, values[tag])
    if friction.get("torsional"):
        friction["patch_radius"] = UNIT_PATCH_RADIUS  # PyBullet states a length
    surface: dict[str, Any] = {
        field: values[tag] for tag, field in _SURFACE.items() if tag in values
    }
    return dataclasses.replace(Surface(**surface), friction=Friction(**friction))


def _value(contact: Node, tag: str) -> float | None:
    child = contact.child(tag)
    return None if child is None else child.number("@value", minimum=0.0)


_shape_inertia: Callable[..., SpatialInertia | None] = Deferred(
    "loaders.finish.mass_properties:shape_inertia"
)
_IGNORED_IN_COLLISION: IgnoredElements = {
    "material": codes.APPEARANCE_OF_COLLISION,
    "verbose": codes.APPEARANCE_OF_COLLISION,
}
_MOMENTS = ("@ixx", "@ixy", "@ixz", "@iyy", "@iyz", "@izz")


@dataclass(frozen=True, slots=True)
class Robot:
    """The robot whose links are read."""

    name: str
    """Name of the robot."""
    where: Where
    """Place of the ``<robot>``."""
    materials: Materials
    """The materials of the robot."""
    context: Context
    """The context of the load."""


def read_link(node: Node, X_WL: Pose, robot: Robot) -> Link:
    """Read a link. The link ``world`` is the world, and has no inertia.

    Args:
        node: The ``<link>``.
        X_WL: Pose of the link at the zero configuration.
        robot: The robot.
    """
    node.mark("@drake_ignore")
    name = node.word("@name", "")
    inertial, velocity_axis = node.child("inertial"), node.child("drake:surface_velocity_axis")
    collisions = _read_collisions(node, name, robot)
    return Link(
        name=name,
        model=robot.name,
        X_WL=X_WL,
        inertia=None if inertial is None else _read_inertial(inertial, name, collisions),
        collisions=collisions,
        visuals=_read_visuals(node, name, robot),
        surface_velocity_axis=None
        if velocity_axis is None
        else read_surface_velocity_axis(velocity_axis, URDF),
        where=node.where,
    )


def _read_inertial(
    inertial: Node, name: str, collisions: Sequence[Collision]
) -> SpatialInertia | None:
    mass_node, moments = inertial.child("mass"), inertial.child("inertia")
    if mass_node is None:
        return _read_density(inertial, collisions)
    mass = mass_node.number("@value")
    xx = xy = xz = yy = yz = zz = 0.0
    if moments is not None:
        xx, xy, xz, yy, yz, zz = (moments.number(key, 0.0) for key in _MOMENTS)
    elif mass:
        inertial.report(codes.MISSING_INERTIA)
    X_LI = read_origin(inertial)
    if name == WORLD:
        inertial.report(codes.WORLD_INERTIAL)
        return None
    return SpatialInertia.in_frame(mass, X_LI, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def _read_density(inertial: Node, collisions: Sequence[Collision]) -> SpatialInertia | None:
    """Report that an ``<inertial>`` has no mass; return the inertia that its ``<density>`` gives,
    as in Isaac Gym.
    """
    node = inertial.child("density")
    density = None if node is None else node.maybe_number("@value")
    if density is None:
        inertial.report(loaders_codes.XML_MISSING_MASS)
        return None
    inertial.report(loaders_codes.XML_MISSING_MASS_OF_DENSITY)
    parts: list[SpatialInertia] = []
    for collision in collisions:
        inertia = _shape_inertia(collision.geometry, density)
        if inertia is not None:
            parts.append(inertia.moved(collision.X_LG))
    return sum(parts[1:], parts[0]) if parts else None


def _read_collisions(link: Node, name: str, robot: Robot) -> tuple[Collision, ...]:
    contact = link.child("contact")
    elements = link.all("collision")
    link_surface = DEFAULT_SURFACE if contact is None else read_contact(contact)
    collisions = []
    for label, element in shape_names(name, elements):
        report_ignored(element, _IGNORED_IN_COLLISION)
        X_LG = read_origin(element)
        geometry = read_geometry(element, element.child("geometry"), robot.context)
        surface = drake_surface(element, link_surface, URDF)
        if geometry is not None:
            collisions.append(
                Collision(
                    name=label, X_LG=X_LG, geometry=geometry, surface=surface, where=element.where
                )
            )
    return tuple(collisions)


def _read_visuals(link: Node, name: str, robot: Robot) -> tuple[Visual, ...]:
    elements = link.all("visual")
    visuals = []
    for label, element in shape_names(name, elements):
        X_LG = read_origin(element)
        material_node = element.child("material")
        material = (
            None if material_node is None else robot.materials.read(material_node, robot.context)
        )
        geometry = read_geometry(element, element.child("geometry"), robot.context)
        roles, renderers = read_display(element, URDF)
        if geometry is not None and roles:
            visuals.append(
                Visual(
                    name=label,
                    X_LG=X_LG,
                    geometry=geometry,
                    material=material,
                    roles=roles,
                    renderers=renderers,
                    where=element.where,
                )
            )
    return tuple(visuals)
