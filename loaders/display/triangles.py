"""Shapes as colored triangles, for pictures and viewers; as accurate as a picture needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from loaders.diagnostics import Diagnostics
from loaders.files import status_of
from loaders.meshes import Faces, MeshData, MeshPart, read_mesh
from loaders.meshes.mesh_data import parts_by_appearance
from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Polyline,
    Rgba,
    Sphere,
    Visual,
)
from loaders.spatial import Array, rotation_to

DEFAULT_COLOR: Rgba = (0.72, 0.74, 0.77, 1.0)
"""Color of a shape that states none."""
_WHITE: Rgba = (1.0, 1.0, 1.0, 1.0)
"""Color that leaves a texture as it is."""
COLLISION_COLOR: Rgba = (0.90, 0.55, 0.20, 0.5)
"""Color of collisions."""
_SIDES = 32
"""Number of sides of round shapes."""
_MAX_PLANE = 50.0
"""Largest extent with which a plane is drawn [m]."""
_CACHED_MESHES = 256
"""Number of meshes that are kept in memory."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Surface:
    """Triangles of one appearance, in the frame of their shape."""

    vertices: Array
    """Positions [m], shape (n, 3)."""
    faces: Faces
    """Vertex indices, shape (m, 3)."""
    rgba: Rgba
    """Color; of a texture, its factor."""
    uv: Array | None = None
    """Texture coordinates of the vertices, shape (n, 2), v upward, if there is a texture."""
    texture: str | None = None
    """File of the color texture, or None."""


def surfaces(shape: Visual | Collision) -> Iterator[Surface]:
    """Yield the surfaces of a visual in its colors, or of a collision in the color of all collisions.

    A mesh that cannot be read has none; reading a scene and exporting it report why.
    """
    opacity = 1.0 - shape.transparency if isinstance(shape, Visual) else 1.0
    for part in _parts(shape.geometry):
        if len(part.faces) and np.isfinite(part.vertices).all():
            texture = _texture(shape, part)
            red, green, blue, alpha = _color(shape, part, texture)
            yield Surface(
                vertices=part.vertices,
                faces=part.faces,
                rgba=(red, green, blue, alpha * opacity),
                uv=part.uv if texture else None,
                texture=texture,
            )


def _color(shape: Visual | Collision, part: MeshPart, texture: str | None) -> Rgba:
    if isinstance(shape, Collision):
        return COLLISION_COLOR
    stated = shape.material
    own = None if stated and stated.texture and texture == stated.texture else part.color
    return (stated and stated.diffuse) or own or (_WHITE if texture else DEFAULT_COLOR)


def _texture(shape: Visual | Collision, part: MeshPart) -> str | None:
    """Return the texture of a part: that of the material, else of the mesh, which a color of SDFormat replaces."""
    if part.uv is None or isinstance(shape, Collision):
        return None
    material = shape.material
    if material is None or material.texture is not None:
        return material.texture if material is not None else part.texture
    return part.texture if material.diffuse is None or shape.where.path.startswith("/robot") else None


def _parts(geometry: Geometry) -> Iterator[MeshPart]:
    if isinstance(geometry, Mesh):
        data = _mesh(geometry)
        yield from parts_by_appearance(data.parts) if data else ()
    elif isinstance(geometry, Polyline):
        for outline in geometry.outlines:
            yield _plain(*_prism(np.array(outline), geometry.height))
    elif isinstance(geometry, Plane | Heightmap):
        yield _plain(*_rectangle(geometry))
    else:
        mesh = _primitive(geometry)
        if mesh is not None:
            yield _plain(np.asarray(mesh.vertices), np.asarray(mesh.faces))


def _plain(vertices: Array, faces: Faces) -> MeshPart:
    return MeshPart(names=(), vertices=vertices, faces=faces)


def _mesh(mesh: Mesh) -> MeshData | None:
    try:
        stamp = status_of(mesh.path).st_mtime_ns if mesh.path else 0
    except OSError:
        return None
    return _read(mesh, stamp)


@lru_cache(maxsize=_CACHED_MESHES)
def _read(mesh: Mesh, _stamp: int) -> MeshData | None:
    return read_mesh(mesh, Diagnostics())


def _primitive(geometry: Geometry) -> Any:
    """Return a convex shape as a mesh of trimesh, about the origin; None if it has no surface."""
    from trimesh import creation

    mesh: Any = None
    match geometry:
        case Box():
            mesh = creation.box(extents=geometry.size)
        case Sphere():
            mesh = creation.icosphere(subdivisions=3, radius=geometry.radius)
        case Ellipsoid():
            mesh = creation.icosphere(subdivisions=3).apply_scale(geometry.radii)
        case Cylinder():
            mesh = creation.cylinder(radius=geometry.radius, height=geometry.length, sections=_SIDES)
        case Capsule():
            mesh = creation.capsule(radius=geometry.radius, height=geometry.length, count=(_SIDES, _SIDES))
        case Cone():
            mesh = creation.cone(radius=geometry.radius, height=geometry.length, sections=_SIDES)
            mesh.apply_translation((0.0, 0.0, -geometry.length / 2.0))
    return mesh


def _rectangle(geometry: Plane | Heightmap) -> tuple[Array, Faces]:
    """Return the part of a plane that is drawn, or the ground of a height map."""
    x, y = (min(extent, _MAX_PLANE) / 2.0 for extent in geometry.size[:2])
    corners = np.array(((-x, -y, 0.0), (x, -y, 0.0), (x, y, 0.0), (-x, y, 0.0)))
    R = rotation_to(geometry.normal if isinstance(geometry, Plane) else (0.0, 0.0, 1.0))
    p = (0.0, 0.0, 0.0) if isinstance(geometry, Plane) else geometry.position
    return corners @ R.T + p, np.array(((0, 1, 2), (0, 2, 3)))


def _prism(outline: Array, height: float) -> tuple[Array, Faces]:
    """Return an extruded outline, whose lids are fans around its middle."""
    n = len(outline)
    middle = outline.mean(axis=0)
    z = np.concatenate((np.zeros(n), np.full(n, height), (0.0, height)))
    faces = []
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, j + n), (i, j + n, i + n), (j, i, 2 * n), (i + n, j + n, 2 * n + 1)]
    return np.column_stack((np.vstack((outline, outline, middle, middle)), z)), np.array(faces)
