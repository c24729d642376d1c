"""Reader of ``<link>``: mass properties, collisions and visuals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loaders.context import Context
from loaders.diagnostics import Fate
from loaders.drake.contact import read_surface as drake_surface
from loaders.drake.dialect import URDF
from loaders.drake.links import read_surface_velocity_axis
from loaders.drake.visuals import read_renderers, read_roles
from loaders.ignored_elements import IgnoredElements, report_ignored
from loaders.model import WORLD, Collision, Link, Visual
from loaders.node import Node
from loaders.reading.deferred import Deferred
from loaders.reading.makers import maker
from loaders.spatial import Pose, SpatialInertia, frozen_matrix

from .contact import read_contact
from .shapes import Materials, read_geometry, read_origin, shape_names

_shape_inertia: Callable[..., SpatialInertia | None] = Deferred(
    "loaders.scene_operations.mass_properties:shape_inertia"
)
_NOT_MECHANICAL = (Fate.NOTED, "urdf.appearance", "it has no effect on motion or contact")
_IGNORED_IN_COLLISION: IgnoredElements = {"material": _NOT_MECHANICAL, "verbose": _NOT_MECHANICAL}
_Link, _Collision, _Visual = maker(Link), maker(Collision), maker(Visual)
_MOMENTS = ("@ixx", "@ixy", "@ixz", "@iyy", "@iyz", "@izz")


def read_link(node: Node, model: str, X_WL: Pose, materials: Materials, context: Context) -> Link:
    """Read a link. The link ``world`` is the world, and has no inertia.

    Args:
        node: The ``<link>``.
        model: Name of the robot.
        X_WL: Pose of the link at the zero configuration.
        materials: The materials of the robot.
        context: The context of the load.
    """
    name = node.word("@name", "")
    collisions = _read_collisions(node, name, context)
    return _Link(
        name=name,
        model=model,
        X_WL=X_WL,
        inertia=_read_inertial(node, name, collisions),
        collisions=collisions,
        visuals=_read_visuals(node, name, materials, context),
        surface_velocity_axis=read_surface_velocity_axis(node, URDF),
        where=node.where,
    )


def _read_inertial(link: Node, name: str, collisions: Sequence[Collision]) -> SpatialInertia | None:
    inertial = link.child("inertial")
    if inertial is None:
        return None
    mass_node, moments = inertial.child("mass"), inertial.child("inertia")
    if mass_node is None:
        return _read_density(inertial, collisions)
    mass = mass_node.number("@value")
    xx = xy = xz = yy = yz = zz = 0.0
    if moments is not None:
        xx, xy, xz, yy, yz, zz = moments.numbers_of(_MOMENTS, 0.0)
    elif mass:
        message = "<inertial> requires an <inertia>; using a point mass"
        inertial.report(Fate.ASSUMED, "urdf.missing-inertia", message)
    X_LI = read_origin(inertial)
    if name == WORLD:
        inertial.report(Fate.ASSUMED, "urdf.world-inertial", "the link world is the world; ignored its mass")
        return None
    return SpatialInertia.in_frame(mass, X_LI, frozen_matrix(xx, xy, xz, xy, yy, yz, xz, yz, zz))


def _read_density(inertial: Node, collisions: Sequence[Collision]) -> SpatialInertia | None:
    """Report that an ``<inertial>`` has no mass; return the inertia that its ``<density>`` gives, as in Isaac Gym."""
    node = inertial.child("density")
    density = None if node is None else node.maybe_number("@value")
    leniency = "it is left out" if density is None else "the mass follows from the density of the collisions"
    inertial.invalid("xml.missing", "<inertial> requires a <mass>", leniency=leniency)
    if density is None:
        return None
    parts = [
        inertia.moved(collision.X_LG)
        for collision in collisions
        if (inertia := _shape_inertia(collision.geometry, density)) is not None
    ]
    return sum(parts[1:], parts[0]) if parts else None


def _read_collisions(link: Node, name: str, context: Context) -> tuple[Collision, ...]:
    elements = link.all("collision")
    surface = read_contact(link)
    collisions = []
    for label, element in zip(shape_names(name, elements), elements, strict=True):
        report_ignored(element, _IGNORED_IN_COLLISION)
        geometry = read_geometry(element, context)
        collision_surface = drake_surface(element, surface, URDF)
        if geometry is not None:
            X_LG = read_origin(element)
            collisions.append(
                _Collision(name=label, X_LG=X_LG, geometry=geometry, surface=collision_surface, where=element.where)
            )
    return tuple(collisions)


def _read_visuals(link: Node, name: str, materials: Materials, context: Context) -> tuple[Visual, ...]:
    elements = link.all("visual")
    visuals = []
    for label, element in zip(shape_names(name, elements), elements, strict=True):
        material = materials.read(element, context)
        geometry = read_geometry(element, context)
        roles = read_roles(element)
        renderers = read_renderers(element, roles, URDF)
        if geometry is not None and roles:
            visuals.append(
                _Visual(
                    name=label,
                    X_LG=read_origin(element),
                    geometry=geometry,
                    material=material,
                    roles=roles,
                    renderers=renderers,
                    where=element.where,
                )
            )
    return tuple(visuals)
