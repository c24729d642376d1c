"""Collision shapes of a mechanism in DART, and the filter of pairs that never collide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from loaders.model import Box, Capsule, Collision, Cone, Cylinder, Ellipsoid, Plane, Sphere

from .dart_skeleton import BuiltSkeleton, isometry

_SHAPES: dict[type, Callable[[Any, Any], Any]] = {
    Box: lambda d, g: d.BoxShape(np.array(g.size)),
    Sphere: lambda d, g: d.SphereShape(g.radius),
    Cylinder: lambda d, g: d.CylinderShape(g.radius, g.length),
    Capsule: lambda d, g: d.CapsuleShape(g.radius, g.length),
    Ellipsoid: lambda d, g: d.EllipsoidShape(2.0 * np.array(g.radii)),
    Cone: lambda d, g: d.ConeShape(g.radius, g.length),
    Plane: lambda d, g: d.PlaneShape(np.array(g.normal), 0.0),
}
"""DART's shape of each kind of geometry."""


def is_supported(collision: Collision) -> bool:
    """Return whether DART gets the shape of a collision; meshes need files that it reads itself."""
    return type(collision.geometry) in _SHAPES


def add_shapes(dartpy: Any, world: Any, built: BuiltSkeleton, mechanism: Mechanism) -> None:
    """Add the collision shapes with their friction and restitution, and filter all pairs that never collide.

    Args:
        dartpy: The module.
        world: The world.
        built: The skeleton.
        mechanism: The mechanism.
    """
    nodes = {
        body.name: built.skeleton.getBodyNode(at.body) for body, at in zip(mechanism.bodies, built.bodies, strict=True)
    }
    for body in mechanism.bodies:
        for collision in filter(is_supported, body.link.collisions):
            _add_shape(dartpy, nodes[body.name], collision)
    solver = world.getConstraintSolver()
    solver.setCollisionDetector(dartpy.collision.OdeCollisionDetector())
    built.skeleton.enableSelfCollisionCheck()
    built.skeleton.enableAdjacentBodyCheck()
    collidable = mechanism.collidable_pairs()
    collision_filter = solver.getCollisionOption().collisionFilter
    for one, two in combinations(colliding_links(mechanism), 2):
        if frozenset((one, two)) not in collidable:
            collision_filter.addBodyNodePairToBlackList(nodes[one], nodes[two])


def colliding_links(mechanism: Mechanism) -> Iterator[str]:
    """Yield the links with shapes that DART has."""
    return (body.name for body in mechanism.bodies if any(map(is_supported, body.link.collisions)))


def _add_shape(dartpy: Any, node: Any, collision: Collision) -> None:
    shape = _SHAPES[type(collision.geometry)](dartpy.dynamics, collision.geometry)
    frame = node.createShapeNode(shape)
    frame.setRelativeTransform(isometry(dartpy, collision.X_LG))
    frame.createCollisionAspect()
    if collision.surface.collide_without_contact:
        frame.getCollisionAspect().setCollidable(False)
    frame.createDynamicsAspect()
    dynamics = frame.getDynamicsAspect()
    dynamics.setFrictionCoeff(collision.surface.friction.mu)
    dynamics.setRestitutionCoeff(collision.surface.restitution)
