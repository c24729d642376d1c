"""Checks that apply to every scene, whatever its source format."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from operator import attrgetter, not_
from typing import Any

import numpy as np

from loaders.diagnostics import Diagnostics, Fate
from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Heightmap,
    JointType,
    Link,
    Sphere,
    Visual,
)
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.spatial import are_physical

_CROSSED = frozenset({JointType.UNIVERSAL, JointType.REVOLUTE2})
MAX_SIZE = 1e12
"""Largest dimension of a shape [m]; its square and cube must fit into single precision."""
_PARALLEL = 1e-9
"""Sine of an angle below which two axes are parallel."""
_SKEW = 1e-9
"""Cosine of an angle above which two axes are not perpendicular."""


_DIMENSIONS: dict[type, Callable[[Any], tuple[float, ...]]] = {
    Box: attrgetter("size"),
    Heightmap: attrgetter("size"),
    Ellipsoid: attrgetter("radii"),
    Sphere: lambda sphere: (sphere.radius,),
    **dict.fromkeys((Cylinder, Capsule, Cone), attrgetter("radius", "length")),
}
"""Lengths that a shape of the file states, by its type; those of planes, which are unbounded, do not matter."""


def check_scene(scene: Scene, diagnostics: Diagnostics) -> None:
    """Report non-physical inertias, too large and flat shapes, and pairs of joint axes that are parallel or skew.

    Args:
        scene: The scene to check.
        diagnostics: Record for the findings.
    """
    _check_inertias(scene, diagnostics)
    _check_sizes(scene, diagnostics)
    _check_axes(scene, diagnostics)


def _check_inertias(scene: Scene, diagnostics: Diagnostics) -> None:
    links = [(link, link.inertia) for link in scene.links if link.inertia is not None]
    physical = are_physical([inertia for _, inertia in links])
    for link, inertia in compress(links, map(not_, physical)):
        for defect in inertia.defects():
            diagnostics.add(
                Fate.ASSUMED,
                "model.impossible-inertia",
                "the inertia of link {link} is not physically valid: {defect}",
                link.where,
                hint="correct the inertia, or let the export repair it",
                subjects=(link.name,),
                link=link.name,
                defect=defect,
            )


def _check_sizes(scene: Scene, diagnostics: Diagnostics) -> None:
    measure_of = _DIMENSIONS.get
    for link in scene.links:
        shapes: tuple[Collision | Visual, ...] = (*link.collisions, *link.visuals)
        for shape in shapes:
            measure = measure_of(type(shape.geometry))
            sizes = () if measure is None else measure(shape.geometry)
            for size in sizes:  # `min` and `max` take three times as long
                if not 0.0 < size <= MAX_SIZE:
                    _check_size(link, shape, sizes, diagnostics)
                    break


def _check_size(link: Link, shape: Collision | Visual, sizes: tuple[float, ...], diagnostics: Diagnostics) -> None:
    """Report the dimensions of a shape if one is too large or zero; they may be negative."""
    name, largest = f"{link.name}{SEPARATOR}{shape.name}", max(map(abs, sizes))
    if largest > MAX_SIZE:
        diagnostics.add(
            Fate.INVALID,
            "model.shape-size",
            "shape {shape} measures {size:g} m; engines compute with up to {limit:g} m",
            shape.where,
            hint="state the size in meters",
            subjects=(link.name, name),
            shape=name,
            size=largest,
            limit=MAX_SIZE,
        )
    elif 0.0 in sizes and not isinstance(shape.geometry, Heightmap):  # which may be flat
        diagnostics.add(
            Fate.ASSUMED,
            "model.zero-size",
            "shape {shape} has a dimension of 0: {sizes}; used as given, but MuJoCo leaves it out",
            shape.where,
            hint="give it a positive size, or remove it",
            subjects=(link.name, name),
            shape=name,
            sizes=" ".join(f"{size:g}" for size in sizes),
        )


def _check_axes(scene: Scene, diagnostics: Diagnostics) -> None:
    for joint in scene.joints:
        if joint.type not in _CROSSED or len(joint.axes) != 2:
            continue
        first, second = (axis.xyz for axis in joint.axes)
        if float(np.linalg.norm(np.cross(first, second))) < _PARALLEL:
            diagnostics.add(
                Fate.ASSUMED,
                "model.parallel-axes",
                "the two axes of {type} joint {joint} are parallel; the mass matrix is singular",
                joint.where,
                hint="choose different directions for axis and axis2",
                subjects=(joint.name,),
                type=joint.type.value,
                joint=joint.name,
            )
        elif joint.type is JointType.UNIVERSAL and abs(float(first @ second)) > _SKEW:
            diagnostics.add(
                Fate.ASSUMED,
                "model.skew-axes",
                "the axes of universal joint {joint} are not perpendicular; used as given",
                joint.where,
                hint="make the axes perpendicular, or use a revolute2 joint",
                subjects=(joint.name,),
                joint=joint.name,
            )
