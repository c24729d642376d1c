"""Shapes and surfaces as the scene states them."""

from __future__ import annotations

import numpy as np

from bridge.geometry.support import support_function
from bridge.mechanism import Mechanism
from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.model import Box, Capsule, Collision, Cylinder, Empty, Heightmap, Link, Mesh, Plane, Sphere
from loaders.spatial import Array

from .shapes import Surfaces, half_space, stacked, supports_of, supports_of_points

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
    supports = {link.name: [_supports(shape) for shape in shapes_of(link)] for link in links}
    known = [(name, s) for name, all_of in supports.items() if all(x is not None for x in all_of) for s in all_of]
    return Surfaces(
        supports=stacked([(name, support) for name, support in known if support is not None]),
        visuals={link.name: [visual.X_LG for visual in link.visuals] for link in links if has_drawn_poses(link)},
        friction={link.name: [s.surface.friction.mu for s in shapes_of(link)] for link in links if shapes_of(link)},
        restitution={link.name: shapes_of(link)[0].surface.restitution for link in links if shapes_of(link)},
    )


def shapes_of(link: Link) -> list[Collision]:
    """Return the collisions of a link that have a shape.

    Args:
        link: The link.
    """
    return [collision for collision in link.collisions if not isinstance(collision.geometry, Empty)]


def has_drawn_poses(link: Link) -> bool:
    """Return whether every visual of a link is a shape that engines draw in its own frame; a plane is drawn as a box.

    Args:
        link: The link.
    """
    drawn = not any(isinstance(visual.geometry, Plane | Heightmap | Empty) for visual in link.visuals)
    return bool(link.visuals) and drawn


def _supports(collision: Collision) -> Array | None:
    """The support of a shape in its link; None for height maps and meshes that cannot be read."""
    geometry = collision.geometry
    if isinstance(geometry, Plane):
        return supports_of(half_space(np.array(geometry.normal)), collision.X_LG)
    if isinstance(geometry, Mesh):
        data = read_mesh(geometry, Diagnostics())
        usable = data is not None and len(data.vertices)
        return supports_of_points(data.vertices, collision.X_LG) if data is not None and usable else None
    support = support_function(geometry)
    return None if support is None else supports_of(support, collision.X_LG)
