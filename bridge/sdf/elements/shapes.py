"""``<geometry>``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bridge.export.documents.files import Files
from bridge.export.pose_format import direction_text
from bridge.export.xml_text import Element, add
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

from .basics import add_if


def add_geometry(parent: Element, geometry: Geometry, files: Files) -> None:
    """Add the ``<geometry>`` of a collision or visual.

    Args:
        parent: The ``<collision>`` or ``<visual>``.
        geometry: The shape.
        files: The files of the export.
    """
    element = add(parent, "geometry")
    if isinstance(geometry, Mesh):
        _add_mesh(element, geometry, files)
    elif isinstance(geometry, Heightmap):
        shape = add(element, "heightmap")
        add(shape, "uri", files.uri(geometry.path, geometry.uri))
        add(shape, "size", geometry.size)
        add_if(shape, "pos", geometry.position, (0.0, 0.0, 0.0))
        add_if(shape, "sampling", geometry.sampling, 1)
    elif isinstance(geometry, Polyline):
        for outline in geometry.outlines:
            shape = add(element, "polyline")
            for point in outline:
                add(shape, "point", point)
            add(shape, "height", geometry.height)
    else:
        _SHAPES[type(geometry)](element, geometry)


def _add_mesh(parent: Element, mesh: Mesh, files: Files) -> None:
    shape = add(parent, "mesh", optimization=mesh.decomposition)
    add(shape, "uri", files.uri(mesh.path, mesh.uri))
    add_if(shape, "scale", mesh.scale, (1.0, 1.0, 1.0))
    if mesh.submesh is not None:
        part = add(shape, "submesh")
        add(part, "name", mesh.submesh)
        add_if(part, "center", mesh.center, False)
    if (mesh.max_convex_hulls, mesh.voxel_resolution) != (16, 200000):
        parts = add(shape, "convex_decomposition")
        add(parts, "max_convex_hulls", mesh.max_convex_hulls)
        add(parts, "voxel_resolution", mesh.voxel_resolution)
    if mesh.convex:
        add(shape, "drake:declare_convex")


def _add_plane(parent: Element, plane: Plane) -> None:
    shape = add(parent, "plane")
    add(shape, "normal", direction_text(plane.normal))
    add(shape, "size", plane.size)


def _with(tag: str, *keys: str) -> Callable[[Element, Any], None]:
    def write(parent: Element, shape: Any) -> None:
        element = add(parent, tag)
        for key in keys:
            add(element, key, getattr(shape, key))

    return write


_SHAPES: dict[type, Callable[[Element, Any], None]] = {
    Box: _with("box", "size"),
    Sphere: _with("sphere", "radius"),
    Cylinder: _with("cylinder", "radius", "length"),
    Capsule: _with("capsule", "radius", "length"),
    Cone: _with("cone", "radius", "length"),
    Ellipsoid: _with("ellipsoid", "radii"),
    Empty: _with("empty"),
    Plane: _add_plane,
}
