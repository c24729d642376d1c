"""link: inertia, collisions, visuals and PyBullet's contact."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from loaders import codes as loaders_codes
from loaders.context import Context
from loaders.deferred import Deferred
from loaders.diagnostics import Where
from loaders.drake.dialect import URDF
from loaders.drake.link import read_display, read_surface_velocity_axis
from loaders.drake.link import read_surface as drake_surface
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Collision, Friction, Link, Surface, Visual
from loaders.model.contact import UNIT_PATCH_RADIUS
from loaders.node import IgnoredElements, Node, report_ignored
from loaders.pose import Pose
from loaders.urdf import codes

from .geometry import Materials, read_geometry, read_origin, shape_names

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
    parts = [
        inertia.moved(collision.X_LG)
        for collision in collisions
        if (inertia := _shape_inertia(collision.geometry, density)) is not None
    ]
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
