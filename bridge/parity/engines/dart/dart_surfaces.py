"""Shapes and surfaces of a skeleton that runs in DART, and the pairs of links that its filter lets collide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from bridge.geometry.support import SupportFunction, half_space, support_function, supports_of
from bridge.parity.engines.stated.shapes import Surfaces, stacked
from loaders.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Sphere
from loaders.spatial import Array

from .dart_skeleton import pose_of

_MAX_CONTACTS = 1_000_000
_REACH = 1e3
"""Radius of the spheres that show which pairs of links the filter lets collide [m]."""
_GEOMETRIES: Mapping[str, Callable[[Any], Geometry]] = {
    "BoxShape": lambda shape: Box(size=_three(shape.getSize())),
    "SphereShape": lambda shape: Sphere(radius=shape.getRadius()),
    "CylinderShape": lambda shape: Cylinder(radius=shape.getRadius(), length=shape.getHeight()),
    "CapsuleShape": lambda shape: Capsule(radius=shape.getRadius(), length=shape.getHeight()),
    "EllipsoidShape": lambda shape: Ellipsoid(radii=_three(shape.getRadii())),
    "ConeShape": lambda shape: Cone(radius=shape.getRadius(), length=shape.getHeight()),
}
"""The geometry of each type of shape in DART."""


def surfaces_in_dart(nodes: Mapping[str, Any]) -> Surfaces:
    """Return the shapes that collide, as DART holds them, and their friction.

    Args:
        nodes: The body node of each link.
    """
    supports: list[tuple[str, Array]] = []
    friction: dict[str, list[float]] = {}
    for link, node in nodes.items():
        for frame in _solid(node):
            form, X_LG = _form(frame.getShape()), pose_of(frame.getRelativeTransform())
            if form is not None:
                supports.append((link, supports_of(form, X_LG)))
            friction.setdefault(link, []).append(float(frame.getDynamicsAspect().getFrictionCoeff()))
    return Surfaces(supports=stacked(supports), visuals=None, friction=friction)


def _solid(node: Any) -> Iterator[Any]:
    """Yield the shape frames of a body node that collide."""
    return (frame for frame in node.getShapeNodes() if frame.hasCollisionAspect())


def _form(shape: Any) -> SupportFunction | None:
    """The support function of a shape."""
    kind = str(shape.getType())
    if kind == "PlaneShape":
        normal, offset = np.asarray(shape.getNormal(), dtype=np.float64), float(shape.getOffset())
        below = half_space(normal)
        return lambda direction: below(direction) + offset * float(direction @ normal)
    return support_function(_GEOMETRIES[kind](shape)) if kind in _GEOMETRIES else None


def _three(numbers: Any) -> tuple[float, float, float]:
    x, y, z = np.asarray(numbers, dtype=np.float64).tolist()
    return x, y, z


def colliding_pairs(dartpy: Any, world: Any, nodes: Mapping[str, Any]) -> frozenset[frozenset[str]]:
    """Return the pairs of links that the filter of a running world lets collide if all of them overlap.

    A sphere that reaches all other links is added to each link with shapes, and collides no more afterwards.

    Args:
        dartpy: The module.
        world: The world.
        nodes: The body node of each link.
    """
    solver = world.getConstraintSolver()
    group = dartpy.collision.OdeCollisionDetector().createCollisionGroup()
    spheres = []
    for node in nodes.values():
        solid = list(_solid(node))
        if solid:
            sphere = node.createShapeNode(dartpy.dynamics.SphereShape(_REACH))
            sphere.createCollisionAspect()
            sphere.getCollisionAspect().setCollidable(any(f.getCollisionAspect().isCollidable() for f in solid))
            group.addShapeFrame(sphere)
            spheres.append(sphere)
    option = dartpy.collision.CollisionOption(True, _MAX_CONTACTS, solver.getCollisionOption().collisionFilter)
    result = dartpy.collision.CollisionResult()
    group.collide(option, result)
    names = {node.getName(): link for link, node in nodes.items()}
    touching = [{_node_of(c.collisionObject1), _node_of(c.collisionObject2)} for c in result.getContacts()]
    group.removeAllShapeFrames()
    for sphere in spheres:
        sphere.removeCollisionAspect()
    return frozenset(frozenset(names[name] for name in pair) for pair in touching)


def _node_of(collision_object: Any) -> str:
    return str(collision_object.getShapeFrame().getBodyNodePtr().getName())
