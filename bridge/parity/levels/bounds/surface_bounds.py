"""Largest errors of shapes, friction and stops that the approximations of an engine may explain."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping

import numpy as np

from bridge.geometry.convex_decomposition import grid_resolution
from bridge.mechanism import Mechanism
from loaders.diagnostics import Diagnostic, Diagnostics
from loaders.meshes import read_mesh
from loaders.model import Cone, Ellipsoid, Link, Mesh
from loaders.spatial import Array

_Bound = Callable[[Diagnostic, list[Link], Mechanism], float]


def surface_bound(entry: Diagnostic, names: Collection[str], mechanism: Mechanism) -> float | None:
    """Return the largest error that a diagnostic may explain; None if it is not about shapes, friction or stops.

    Args:
        entry: The diagnostic of an engine.
        names: The links or joints of the place of the error.
        mechanism: The mechanism.
    """
    bound = _BOUNDS.get(entry.code)
    if bound is None:
        return None
    return bound(entry, [link for link in mechanism.scene.links if link.name in names], mechanism)


def _hull(entry: Diagnostic, links: list[Link], _mechanism: Mechanism) -> float:
    """The distance of the faces from the surface, relative to the smallest ellipsoid."""
    shapes = [c.geometry for link in links for c in link.collisions]
    extents = [2.0 * max(shape.radii) for shape in shapes if isinstance(shape, Ellipsoid)]
    return float(str(entry.arguments["error"])) / min(extents, default=math.inf)


def _cone(entry: Diagnostic, links: list[Link], _mechanism: Mechanism) -> float:
    """The depth of the sides of the mesh below the cone, relative to the radius, which no extent is less than."""
    has_cone = any(isinstance(c.geometry, Cone) for link in links for c in link.collisions)
    return 1.0 - math.cos(math.pi / float(str(entry.arguments["sides"]))) if has_cone else 0.0


def _flat(entry: Diagnostic, links: list[Link], _mechanism: Mechanism) -> float:
    """Half of the thickness that a flat mesh gets, by which each side moves, relative to the extent in its link."""
    extents = [float(np.ptp(vertices, axis=0).max()) for vertices in _vertices(links)]
    return 0.5 * float(str(entry.arguments["thickness"])) / max(extents, default=math.inf)


def _parts(_entry: Diagnostic, links: list[Link], _mechanism: Mechanism) -> float:
    """The largest distance of convex parts from the surface that they are made of, relative to its extent.

    CoACD closes an open mesh on a grid with cells of the extent over the resolution; the surface lies within one
    diagonal of a cell of the mesh. Cuts by planes add nothing: all parts together reach as far as that surface.
    """
    resolutions = [g.voxel_resolution for link in links for c in link.collisions if isinstance(g := c.geometry, Mesh)]
    return math.sqrt(3.0) / min(map(grid_resolution, resolutions), default=math.inf)


def _vertices(links: list[Link]) -> list[Array]:
    """The vertices of the meshes that collide, in the frames of their links."""
    vertices: list[Array] = []
    for collision in (collision for link in links for collision in link.collisions):
        data = read_mesh(collision.geometry, Diagnostics()) if isinstance(collision.geometry, Mesh) else None
        if data is not None and len(data.vertices):
            vertices.append(data.vertices @ collision.X_LG.R.T)
    return vertices


def _friction_range(_entry: Diagnostic, links: list[Link], _mechanism: Mechanism) -> float:
    coefficients = [c.surface.friction.mu for link in links for c in link.collisions]
    return max(coefficients, default=0.0) - min(coefficients, default=0.0)


def _segment_friction(entry: Diagnostic, _links: list[Link], mechanism: Mechanism) -> float:
    """The range of the coefficients of all links that share one PyBullet link."""
    return _friction_range(entry, [k for k in mechanism.scene.links if k.name in entry.subjects], mechanism)


def _stated_difference(entry: Diagnostic, _links: list[Link], _mechanism: Mechanism) -> float:
    return float(str(entry.arguments["difference"]))


def _hard_stop(entry: Diagnostic, _links: list[Link], _mechanism: Mechanism) -> float:
    """The compliance that the model states."""
    stiffness = float(str(entry.arguments["stiffness"]))
    return 1.0 / stiffness if stiffness > 0.0 else 0.0


_BOUNDS: Mapping[str, _Bound] = {
    "pybullet.shape-as-hull": _hull,
    "mesh.cone": _cone,
    "mesh.flat": _flat,
    "mesh.convex-parts": _parts,
    "pybullet.surface-per-link": _segment_friction,
    "pybullet.friction-product": _stated_difference,
    "drake.friction": _stated_difference,
    "mjcf.friction-combination": _friction_range,
    "mjcf.rigid-stops": _hard_stop,
}
"""Bounds by code, relative to the extent of the shapes for meshes."""
