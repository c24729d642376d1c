"""Readers of the children of ``<visual>`` and ``<collision>``: origin, geometry and material."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from loaders import codes as loaders_codes
from loaders.context import Context
from loaders.drake.dialect import PREFIX, URDF
from loaders.drake.link import declares_convex, diffuse_map
from loaders.model import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Material,
    Mesh,
    Plane,
    Rgba,
    Sphere,
)
from loaders.node import Node, mark_read
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
    path = find_file(node, uri, context) if uri else None
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


def find_file(node: Node, uri: str, context: Context) -> str | None:
    """Return the file that a URI refers to, or None, which is reported.

    Args:
        node: The element that has the URI.
        uri: The URI.
        context: The context of the load.
    """
    return context.resources.find_file(uri, node)


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
    return find_file(texture, uri, context)


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
