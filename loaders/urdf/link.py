"""link: inertia, collisions, visuals and PyBullet's contact."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from loaders import codes as loaders_codes
from loaders.context import Context
from loaders.diagnostics import Where
from loaders.drake.dialect import URDF
from loaders.drake.link import ELEMENTS_OF_URDF as DRAKE_SURFACE
from loaders.drake.link import read_display, read_surface_velocity_axis
from loaders.drake.link import read_surface as drake_surface
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Collision, Friction, Link, Surface, Visual
from loaders.model.contact import UNIT_PATCH_RADIUS
from loaders.node import IgnoredElements, Node, report_ignored
from loaders.numbers import KeyGroup
from loaders.pose import Pose, frozen_matrix
from loaders.speed import Deferred, maker
from loaders.urdf import codes

from .geometry import Materials, pose_of, read_geometry, shape_names

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
"""The surface of a collision of which the file says nothing."""


def read_contact(contact: Node) -> Surface:
    """Return the surface of all collisions of a link, with defaults for values that are not
    given.
    """
    report_ignored(contact, _IGNORED)
    values = {
        tag: value for tag in (*_FRICTION, *_SURFACE) if (value := _value(contact, tag)) is not None
    }
    friction: dict[str, Any] = {
        field: values[tag] for tag, fields in _FRICTION.items() if tag in values for field in fields
    }
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
_WORDS = ("@name", "@drake_ignore")
_PARTS = ("inertial", "contact", "drake:surface_velocity_axis")
_INERTIAL = ("mass", "inertia", "origin")
_SHAPE = ("origin", "geometry")
_SHAPE_AND_MATERIAL = (*_SHAPE, "material")
_IGNORED_IN_COLLISION: IgnoredElements = {
    "material": codes.APPEARANCE_OF_COLLISION,
    "verbose": codes.APPEARANCE_OF_COLLISION,
}
_RARE_IN_COLLISION = (*_IGNORED_IN_COLLISION, *DRAKE_SURFACE)
_Link, _Collision, _Visual = maker(Link), maker(Collision), maker(Visual)
_MOMENTS = KeyGroup("@ixx", "@ixy", "@ixz", "@iyy", "@iyz", "@izz")


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
    name, _ = node.words(_WORDS)
    where = node.where_in(robot.where)
    inertial, contact, velocity_axis = node.firsts(_PARTS)
    collisions = _read_collisions(node, name, where, contact, robot)
    return _Link(
        name=name,
        model=robot.name,
        X_WL=X_WL,
        inertia=None if inertial is None else _read_inertial(inertial, name, collisions),
        collisions=collisions,
        visuals=_read_visuals(node, name, where, robot),
        surface_velocity_axis=None
        if velocity_axis is None
        else read_surface_velocity_axis(velocity_axis, URDF),
        where=where,
    )


def _read_inertial(
    inertial: Node, name: str, collisions: Sequence[Collision]
) -> SpatialInertia | None:
    mass_node, moments, origin = inertial.firsts(_INERTIAL)
    if mass_node is None:
        return _read_density(inertial, collisions)
    mass = mass_node.number("@value")
    xx = xy = xz = yy = yz = zz = 0.0
    if moments is not None:
        xx, xy, xz, yy, yz, zz = moments.numbers_of(_MOMENTS, 0.0)
    elif mass:
        inertial.report(codes.MISSING_INERTIA)
    X_LI = pose_of(origin)
    if name == WORLD:
        inertial.report(codes.WORLD_INERTIAL)
        return None
    return SpatialInertia.in_frame(mass, X_LI, frozen_matrix(xx, xy, xz, xy, yy, yz, xz, yz, zz))


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
    parts = [
        inertia.moved(collision.X_LG)
        for collision in collisions
        if (inertia := _shape_inertia(collision.geometry, density)) is not None
    ]
    return sum(parts[1:], parts[0]) if parts else None


def _read_collisions(
    link: Node, name: str, where: Where, contact: Node | None, robot: Robot
) -> tuple[Collision, ...]:
    elements = link.all("collision")
    link_surface = DEFAULT_SURFACE if contact is None else read_contact(contact)
    collisions = []
    for label, element in shape_names(name, elements):
        origin, shape = element.firsts(_SHAPE)
        is_plain = element.lacks(_RARE_IN_COLLISION)
        if not is_plain:
            report_ignored(element, _IGNORED_IN_COLLISION)
        geometry = read_geometry(element, shape, robot.context)
        surface = link_surface if is_plain else drake_surface(element, link_surface, URDF)
        if geometry is not None:
            place = element.where_in(where)
            collisions.append(
                _Collision(
                    name=label,
                    X_LG=pose_of(origin),
                    geometry=geometry,
                    surface=surface,
                    where=place,
                )
            )
    return tuple(collisions)


def _read_visuals(link: Node, name: str, where: Where, robot: Robot) -> tuple[Visual, ...]:
    elements = link.all("visual")
    visuals = []
    for label, element in shape_names(name, elements):
        origin, shape, material_node = element.firsts(_SHAPE_AND_MATERIAL)
        material = (
            None if material_node is None else robot.materials.read(material_node, robot.context)
        )
        geometry = read_geometry(element, shape, robot.context)
        roles, renderers = read_display(element, URDF)
        if geometry is not None and roles:
            visuals.append(
                _Visual(
                    name=label,
                    X_LG=pose_of(origin),
                    geometry=geometry,
                    material=material,
                    roles=roles,
                    renderers=renderers,
                    where=element.where_in(where),
                )
            )
    return tuple(visuals)
