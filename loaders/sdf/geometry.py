"""``<geometry>``: the shape of a collision or visual."""

from __future__ import annotations

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
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Polyline,
    Sphere,
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


def find_file(node: Node, uri: str, context: Context) -> str | None:
    """Return the file that a URI refers to; None after a diagnostic.

    Args:
        node: The element that contains the URI; relative URIs start from the folder of its file.
        uri: The URI.
        context: The places to search.
    """
    return context.resources.find_file(uri, node)


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


def _extents(
    node: Node, key: str, default: tuple[float, float, float]
) -> tuple[float, float, float]:
    """Return three lengths, as `_extent` does."""
    extents = x, y, z = _vector(node, key, default)
    if min(extents) >= 0.0:
        return extents
    (node.peek(key) or node).report(
        loaders_codes.XML_OUT_OF_RANGE_VECTOR, key=key, tag=node.tag, x=x, y=y, z=z
    )
    return default


def _read_box(node: Node, _: Context) -> Geometry:
    return Box(size=_extents(node, "size", (1.0, 1.0, 1.0)))


def _read_sphere(node: Node, _: Context) -> Geometry:
    return Sphere(radius=_extent(node, "radius", 1.0))


def _read_cylinder(node: Node, _: Context) -> Geometry:
    return Cylinder(radius=_extent(node, "radius", 1.0), length=_extent(node, "length", 1.0))


def _read_capsule(node: Node, _: Context) -> Geometry:
    return Capsule(radius=_extent(node, "radius", 0.5), length=_extent(node, "length", 1.0))


def _read_cone(node: Node, _: Context) -> Geometry:
    return Cone(radius=_extent(node, "radius", 1.0), length=_extent(node, "length", 1.0))


def _read_ellipsoid(node: Node, _: Context) -> Geometry:
    return Ellipsoid(radii=_extents(node, "radii", (1.0, 1.0, 1.0)))


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
        path=find_file(node, uri, context) if uri else None,
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
        path=find_file(node, uri, context) if uri else None,
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
