"""``<geometry>`` and ``<surface>``: the shape of a collision or visual, and contact parameters."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

from loaders import codes as loaders_codes
from loaders.context import Context
from loaders.drake.link import declares_convex
from loaders.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Empty,
    Friction,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Polyline,
    Sphere,
    Surface,
)
from loaders.node import Node
from loaders.sdf import codes

from .unmodeled import mark_read, report_ignored

_IGNORED_IN_HEIGHTMAP = {
    "texture": codes.APPEARANCE_OF_TERRAIN,
    "blend": codes.APPEARANCE_OF_TERRAIN,
    "use_terrain_paging": codes.APPEARANCE_OF_TERRAIN,
}


def read_geometry(element: Node, context: Context) -> Geometry:
    """Return the shape of a collision or visual; `Empty` if it has no shape."""
    geometry = element.child("geometry")
    if geometry is None:
        return Empty()
    shapes = geometry.all(*_READERS)
    if not shapes:
        return Empty()
    if len(shapes) > 1:
        shapes.sort(key=lambda shape: _RANK[shape.tag])
        _report_further_shapes(shapes)
    return _READERS[shapes[0].tag](shapes[0], context)


def _report_further_shapes(shapes: list[Node]) -> None:
    """Report all shapes but the first; several polylines are the outlines of one shape."""
    first = shapes[0]
    for extra in shapes[1:]:
        if extra.tag != "polyline" or first.tag != "polyline":
            extra.report(codes.SECOND_SHAPE, used=first.tag, tag=extra.tag)
            mark_read(extra)


def _vector(
    node: Node, key: str, default: tuple[float, float, float]
) -> tuple[float, float, float]:
    x, y, z = node.numbers(key, 3, default)
    return x, y, z


def _extent(node: Node, key: str, default: float) -> float:
    """Return a length, which is not negative; newer versions of libsdformat use the default in
    place of one that is.
    """
    with node.diagnostics.tolerating("the default of SDFormat is used"):
        return node.number(key, default, minimum=0.0)


def _extents(node: Node, key: str) -> tuple[float, float, float]:
    """Return three lengths of default 1 m, as `_extent` does."""
    default = (1.0, 1.0, 1.0)
    extents = x, y, z = _vector(node, key, default)
    if min(extents) >= 0.0:
        return extents
    (node.peek(key) or node).report(
        loaders_codes.XML_OUT_OF_RANGE_VECTOR, key=key, tag=node.tag, x=x, y=y, z=z
    )
    return default


def _read_box(node: Node, _: Context) -> Geometry:
    return Box(size=_extents(node, "size"))


def _read_sphere(node: Node, _: Context) -> Geometry:
    return Sphere(radius=_extent(node, "radius", 1.0))


def _read_cylinder(node: Node, _: Context) -> Geometry:
    return Cylinder(radius=_extent(node, "radius", 1.0), length=_extent(node, "length", 1.0))


def _read_capsule(node: Node, _: Context) -> Geometry:
    return Capsule(radius=_extent(node, "radius", 0.5), length=_extent(node, "length", 1.0))


def _read_cone(node: Node, _: Context) -> Geometry:
    return Cone(radius=_extent(node, "radius", 1.0), length=_extent(node, "length", 1.0))


def _read_ellipsoid(node: Node, _: Context) -> Geometry:
    return Ellipsoid(radii=_extents(node, "radii"))


def _read_plane(node: Node, _: Context) -> Geometry:
    x, y, z = node.numbers("normal", 3, (0.0, 0.0, 1.0))
    width, depth = node.numbers("size", 2, (1.0, 1.0))
    if width < 0.0 or depth < 0.0:
        node.report(loaders_codes.XML_OUT_OF_RANGE_PLANE, width=width, depth=depth)
    length = math.hypot(x, y, z)
    if length == 0.0:
        node.report(codes.ZERO_NORMAL)
        x, y, z, length = 0.0, 0.0, 1.0, 1.0
    return Plane(normal=(x / length, y / length, z / length), size=(width, depth))


def _read_mesh(node: Node, context: Context) -> Geometry:
    uri = _uri(node)
    submesh, decomposition = node.child("submesh"), node.child("convex_decomposition")
    hulls, voxels = 16, 200000
    if decomposition is not None:
        hulls = decomposition.integer("max_convex_hulls", hulls)
        voxels = decomposition.integer("voxel_resolution", voxels)
    return Mesh(
        uri=uri,
        path=context.resources.find_file(uri, node) if uri else None,
        scale=_vector(node, "scale", (1.0, 1.0, 1.0)),
        submesh=submesh.word("name") if submesh is not None else None,
        center=submesh is not None and submesh.flag("center", False),
        convex=declares_convex(node),
        decomposition=node.maybe_word("@optimization") or None,
        max_convex_hulls=hulls,
        voxel_resolution=voxels,
    )


def _read_heightmap(node: Node, context: Context) -> Geometry:
    uri = _uri(node)
    report_ignored(node, _IGNORED_IN_HEIGHTMAP)
    size = _vector(node, "size", (1.0, 1.0, 1.0))
    if min(size[:2]) <= 0.0 or size[2] < 0.0:
        stated = " ".join(f"{s:g}" for s in size)
        node.report(loaders_codes.XML_OUT_OF_RANGE_HEIGHTMAP, size=stated)
    return Heightmap(
        uri=uri,
        path=context.resources.find_file(uri, node) if uri else None,
        size=size,
        position=_vector(node, "pos", (0.0, 0.0, 0.0)),
        sampling=node.integer("sampling", 1),
    )


def _read_polyline(node: Node, _: Context) -> Geometry:
    lines = [node] if node.parent is None else node.parent.all("polyline")
    heights = [_extent(line, "height", 1.0) for line in lines]
    for line, height in zip(lines, heights, strict=True):
        if height != heights[0]:
            line.report(codes.POLYLINE_HEIGHT, used=heights[0], height=height)
    return Polyline(outlines=tuple(_read_outline(line) for line in lines), height=heights[0])


def _read_outline(line: Node) -> tuple[tuple[float, float], ...]:
    points = []
    for point in line.all("point"):
        x, y = point.numbers(".", 2)
        points.append((x, y))
    if not points:
        line.report(codes.NO_POINTS)
    return tuple(points)


def _read_image(node: Node, _: Context) -> Geometry:
    node.report(codes.IMAGE_GEOMETRY)
    mark_read(node)
    return Empty()


def _read_empty(_: Node, __: Context) -> Geometry:
    return Empty()


def _uri(node: Node) -> str:
    uri = node.word("uri", "")
    if not uri:
        node.report(codes.NO_URI, tag=node.tag)
    return uri


_READERS: dict[str, Callable[[Node, Context], Geometry]] = {
    "box": _read_box,
    "capsule": _read_capsule,
    "cone": _read_cone,
    "cylinder": _read_cylinder,
    "ellipsoid": _read_ellipsoid,
    "plane": _read_plane,
    "sphere": _read_sphere,
    "mesh": _read_mesh,
    "heightmap": _read_heightmap,
    "polyline": _read_polyline,
    "image": _read_image,
    "empty": _read_empty,
}
"""Readers by tag, in the order of precedence if a geometry contains several shapes."""
_RANK = {tag: rank for rank, tag in enumerate(_READERS)}


# --- ``<surface>``: friction, restitution and parameters of contact -------------------------------

DEFAULT = Surface()


def read_surface(collision: Node) -> Surface:
    """Return the surface of a collision; the parameters of ODE have precedence over those of
    Bullet.
    """
    node = collision.child("surface")
    if node is None:
        return DEFAULT
    with node.diagnostics.tolerating("the default is used"):
        report_ignored(node, {"soft_contact": codes.ENGINE_SETTING})
        bounce, contact = node.child("bounce"), node.child("contact")
        restitution, threshold = (0.0, 1e5) if bounce is None else _read_bounce(bounce)
        friction = _read_friction(node.child("friction"))
        surface = Surface(
            friction=friction, restitution=restitution, restitution_threshold=threshold
        )
        return surface if contact is None else _with_contact(surface, contact)


def _with_contact(surface: Surface, contact: Node) -> Surface:
    """Return a surface with the parameters of a ``<contact>``."""
    ode, bullet = contact.child("ode"), contact.child("bullet")
    if bullet is not None:
        ignored = ("split_impulse", "split_impulse_penetration_threshold")
        report_ignored(bullet, dict.fromkeys(ignored, codes.ENGINE_SETTING))
    contact.maybe_number("poissons_ratio")
    if contact.number("elastic_modulus", -1.0) > 0.0:  # otherwise Gazebo uses neither
        elastic = ("elastic_modulus", "poissons_ratio")
        report_ignored(contact, dict.fromkeys(elastic, codes.ELASTIC_MODULUS))
    report_ignored(contact, {"collide_without_contact_bitmask": codes.ENGINE_SETTING})
    return dataclasses.replace(
        surface,
        stiffness=_first_number(ode, bullet, "kp"),
        damping=_first_number(ode, bullet, "kd"),
        max_velocity=_first_number(ode, None, "max_vel"),
        min_depth=_first_number(ode, None, "min_depth"),
        soft_cfm=_first_number(ode, bullet, "soft_cfm"),
        soft_erp=_first_number(ode, bullet, "soft_erp"),
        collide_bitmask=contact.integer("collide_bitmask", DEFAULT.collide_bitmask),
        category_bitmask=contact.integer("category_bitmask", 0)
        if contact.has("category_bitmask")
        else None,
        collide_without_contact=contact.flag("collide_without_contact", False),
    )


def _first_number(ode: Node | None, bullet: Node | None, key: str) -> float | None:
    """Return the value of ODE, else that of Bullet; both are read."""
    values = [node.maybe_number(key) for node in (ode, bullet) if node is not None]
    return next((value for value in values if value is not None), None)


def _read_bounce(node: Node) -> tuple[float, float]:
    restitution = node.number("restitution_coefficient", 0.0, minimum=0.0)
    if restitution > 1.0:
        node.report(loaders_codes.XML_OUT_OF_RANGE_RESTITUTION, restitution=restitution)
        restitution = 0.0
    return restitution, node.number("threshold", 1e5, inf=True)


def _read_friction(node: Node | None) -> Friction:
    if node is None:
        return DEFAULT.friction
    ode, bullet, torsional = node.child("ode"), node.child("bullet"), node.child("torsional")
    mu, mu2, slip1, slip2 = 1.0, 1.0, 0.0, 0.0
    rolling, fdir1 = None, (0.0, 0.0, 0.0)
    if bullet is not None:
        mu, mu2 = (
            bullet.number("friction", 1.0, minimum=0.0),
            bullet.number("friction2", 1.0, minimum=0.0),
        )
        rolling, fdir1 = bullet.maybe_number("rolling_friction"), _friction_direction(bullet)
    if ode is not None:
        mu, mu2 = ode.number("mu", mu, minimum=0.0), ode.number("mu2", mu2, minimum=0.0)
        slip1, slip2 = ode.number("slip1", 0.0), ode.number("slip2", 0.0)
        fdir1 = _friction_direction(ode) if ode.has("fdir1") else fdir1
    friction = Friction(mu=mu, mu2=mu2, fdir1=fdir1, slip1=slip1, slip2=slip2, rolling=rolling)
    return friction if torsional is None else _with_torsion(friction, torsional)


def _friction_direction(node: Node) -> tuple[float, float, float]:
    x, y, z = node.numbers("fdir1", 3, (0.0, 0.0, 0.0))
    return x, y, z


def _with_torsion(friction: Friction, node: Node) -> Friction:
    ode = node.child("ode")
    return dataclasses.replace(
        friction,
        torsional=node.number("coefficient", 1.0, minimum=0.0),
        use_patch_radius=node.flag("use_patch_radius", True),
        patch_radius=node.number("patch_radius", 0.0, minimum=0.0),
        surface_radius=node.number("surface_radius", 0.0, minimum=0.0),
        torsional_slip=0.0 if ode is None else ode.number("slip", 0.0),
    )
