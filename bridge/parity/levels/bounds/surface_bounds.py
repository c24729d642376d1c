"""Largest errors of shapes, friction and stops that the approximations of an engine may explain."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping

from bridge.mechanism import Mechanism
from loaders.diagnostics import Diagnostic
from loaders.model import Cone, Ellipsoid, Link

_SIDES = 64
"""Number of sides of the mesh of a cone."""
_THICKNESS = 1e-3
"""Thickness that a flat mesh gets, relative to its extent."""
_DECOMPOSITION = 0.05
"""Largest distance of convex parts from a mesh, relative to its extent."""
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


def _cone(_entry: Diagnostic, links: list[Link], _mechanism: Mechanism) -> float:
    has_cone = any(isinstance(c.geometry, Cone) for link in links for c in link.collisions)
    return 1.0 - math.cos(math.pi / _SIDES) if has_cone else 0.0


def _friction_range(_entry: Diagnostic, links: list[Link], _mechanism: Mechanism) -> float:
    coefficients = [c.surface.friction.mu for link in links for c in link.collisions]
    return max(coefficients, default=0.0) - min(coefficients, default=0.0)


def _segment_friction(entry: Diagnostic, _links: list[Link], mechanism: Mechanism) -> float:
    """The range of the coefficients of all links that share one PyBullet link."""
    return _friction_range(entry, [k for k in mechanism.scene.links if k.name in entry.subjects], mechanism)


def _product(entry: Diagnostic, _links: list[Link], _mechanism: Mechanism) -> float:
    return float(str(entry.arguments["difference"]))


def _hard_stop(entry: Diagnostic, _links: list[Link], _mechanism: Mechanism) -> float:
    """The compliance that the model states."""
    stiffness = float(str(entry.arguments["stiffness"]))
    return 1.0 / stiffness if stiffness > 0.0 else 0.0


_BOUNDS: Mapping[str, _Bound] = {
    "pybullet.shape-as-hull": _hull,
    "mesh.cone": _cone,
    "mesh.flat": lambda _entry, _links, _mechanism: _THICKNESS,
    "mesh.convex-parts": lambda _entry, _links, _mechanism: _DECOMPOSITION,
    "pybullet.surface-per-link": _segment_friction,
    "pybullet.friction-product": _product,
    "mjcf.friction-combination": _friction_range,
    "mjcf.rigid-stops": _hard_stop,
}
"""Bounds by code, relative to the extent of the shapes for meshes."""
