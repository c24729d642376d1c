"""Shapes and surfaces as the scene states them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

from bridge.geometry.collision_meshes import CollisionMesh, Solid, collision_parts
from bridge.geometry.convex_decomposition import PARTS
from bridge.geometry.mesh_properties import normal_if_flat
from bridge.geometry.support import supports_of_collision
from bridge.mechanism import Mechanism
from loaders.diagnostics import Diagnostics, Where
from loaders.meshes import MeshData, read_mesh
from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Empty,
    Geometry,
    Heightmap,
    Link,
    Mesh,
    Plane,
    Sphere,
    Surface,
)
from loaders.scene_queries.torsional_friction import torsional_length
from loaders.spatial import Array

from .hulls import hull_of_points
from .shapes import Hull, Surfaces, stacked

PRIMITIVES = (Box, Sphere, Cylinder, Capsule, Plane)
"""Shapes that every engine has as they are."""


def model_surfaces(mechanism: Mechanism) -> Surfaces:
    """Return what the scene of a mechanism states.

    A shape that cannot be read, or a height map, has no support; its link is left out.

    Args:
        mechanism: The mechanism.
    """
    bodies = {body.name for body in mechanism.bodies}
    links = [link for link in mechanism.scene.links if link.name in bodies]
    meshes = {link.name: [_data(shape.geometry) for shape in shapes_of(link)] for link in links}
    colliding = {link.name: shapes for link in links if (shapes := shapes_of(link))}
    return Surfaces(
        supports=stacked([(name, s) for name, shapes in colliding.items() for s in _supports(shapes, meshes[name])]),
        visuals={link.name: [visual.X_LG for visual in link.visuals] for link in links if has_drawn_poses(link)},
        friction={name: [shape.surface.friction.mu for shape in shapes] for name, shapes in colliding.items()},
        restitution={name: shapes[0].surface.restitution for name, shapes in colliding.items()},
        contact={name: _contact(shapes[0].surface) for name, shapes in colliding.items()},
        hulls={link.name: _hulls(link, meshes[link.name]) for link in links if _has_volumes(link)},
    )


def shapes_of(link: Link) -> list[Collision]:
    """Return the collisions of a link that have a shape.

    Args:
        link: The link.
    """
    return [collision for collision in link.collisions if not isinstance(collision.geometry, Empty)]


def _contact(surface: Surface) -> tuple[float, ...]:
    """Torsional and rolling friction [m], and stiffness and damping of contacts; NaN leaves both to the engine."""
    friction = surface.friction
    torsional = torsional_length(friction) if friction.use_patch_radius else 0.0
    spring = (math.nan, math.nan) if surface.stiffness is None else (surface.stiffness, surface.damping or 0.0)
    return (torsional, friction.rolling or 0.0, *spring)


def has_drawn_poses(link: Link) -> bool:
    """Return whether every visual of a link is a shape that engines draw in its own frame; a plane is drawn as a box.

    Args:
        link: The link.
    """
    drawn = not any(isinstance(visual.geometry, Plane | Heightmap | Empty) for visual in link.visuals)
    return bool(link.visuals) and drawn


def _has_volumes(link: Link) -> bool:
    """Return whether a link has meshes, and no shape that some engines take for a mesh."""
    kinds = {type(shape.geometry) for shape in shapes_of(link)}
    return Mesh in kinds and kinds <= {Mesh, *PRIMITIVES}


def _data(geometry: Geometry) -> MeshData | None:
    """The triangles of a mesh; None for other shapes, and for a mesh that cannot be read or has none."""
    data = read_mesh(geometry, Diagnostics()) if isinstance(geometry, Mesh) else None
    return data if data is not None and len(data.vertices) else None


def _hulls(link: Link, meshes: Iterable[MeshData | None]) -> list[Hull]:
    """The convex hulls of the solids that collide for the meshes of a link."""
    shapes = zip((shape.geometry for shape in shapes_of(link)), meshes, strict=True)
    read = [(shape, data) for shape, data in shapes if isinstance(shape, Mesh) and data is not None]
    return [partial(hull_of_points, vertices) for shape, data in read for vertices, _ in _solids(shape, data)]


def _solids(mesh: Mesh, data: MeshData) -> Iterable[Solid]:
    """The solids whose hulls collide for a mesh; to name and report them is the task of exporters."""
    if mesh.decomposition != PARTS and normal_if_flat(data.vertices) is None:
        return [(data.vertices, data.faces)]
    return collision_parts(CollisionMesh(mesh, data, mesh.uri, "", Diagnostics(), Where())).values()


def _supports(shapes: Iterable[Collision], meshes: Iterable[MeshData | None]) -> list[Array]:
    """Return the supports of the shapes of a link; none if one is a height map or a mesh that cannot be read."""
    supports: list[Array] = []
    for shape, data in zip(shapes, meshes, strict=True):
        support = supports_of_collision(shape, None if data is None else data.vertices)
        if support is None:
            return []
        supports.append(support)
    return supports
