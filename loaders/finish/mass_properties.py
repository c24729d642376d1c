"""Mass properties of shapes of uniform density, each in its own frame G."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from loaders.deferred import Deferred
from loaders.diagnostics import Diagnostics
from loaders.inertia import SpatialInertia
from loaders.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Polyline, Sphere
from loaders.pose import Array

if TYPE_CHECKING:
    from loaders.meshes import MeshData

_read_mesh: Callable[..., MeshData | None] = Deferred("loaders.meshes:read_mesh")


def shape_inertia(geometry: Geometry, density: float) -> SpatialInertia | None:
    """Return the mass properties of a shape in its frame G at a density [kg/m^3].

    The result is None for a shape without volume: a plane, a height map, an empty geometry, a mesh
    that cannot be read or whose triangles enclose no volume; and for a shape that is too large for
    finite numbers. For an open mesh the volume is that of the tetrahedra which its triangles form
    with their center.
    """
    compute = _SHAPES.get(type(geometry))
    if compute is None:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        inertia = compute(geometry, density)
    return inertia if inertia is None or _is_finite(inertia) else None


def _is_finite(inertia: SpatialInertia) -> bool:
    values = (inertia.mass, *inertia.p_LLcm, *inertia.I_Lcm.flat)
    return all(map(math.isfinite, values))


def _diagonal(mass: float, xx: float, yy: float, zz: float, z: float = 0.0) -> SpatialInertia:
    """Return the inertia with these moments about the center of mass, which lies at ``z`` on the z
    axis.
    """
    return SpatialInertia.of(mass, (0.0, 0.0, z), np.diag((xx, yy, zz)))


def _box(box: Box, density: float) -> SpatialInertia:
    x, y, z = box.size
    mass = density * x * y * z
    return _diagonal(
        mass,
        *(
            mass / 12.0 * sum_of_squares
            for sum_of_squares in (y * y + z * z, x * x + z * z, x * x + y * y)
        ),
    )


def _sphere(sphere: Sphere, density: float) -> SpatialInertia:
    r = sphere.radius
    return _ellipsoid(Ellipsoid(radii=(r, r, r)), density)


def _ellipsoid(ellipsoid: Ellipsoid, density: float) -> SpatialInertia:
    a, b, c = ellipsoid.radii
    mass = density * 4.0 / 3.0 * math.pi * a * b * c
    return _diagonal(
        mass,
        *(
            mass / 5.0 * sum_of_squares
            for sum_of_squares in (b * b + c * c, a * a + c * c, a * a + b * b)
        ),
    )


def _cylinder(cylinder: Cylinder, density: float) -> SpatialInertia:
    r, h = cylinder.radius, cylinder.length
    mass = density * math.pi * r * r * h
    across = mass * (3.0 * r * r + h * h) / 12.0
    return _diagonal(mass, across, across, mass * r * r / 2.0)


def _capsule(capsule: Capsule, density: float) -> SpatialInertia:
    """Return the inertia of a cylinder and two half spheres, whose centers of mass lie 3/8 r beyond
    its ends.
    """
    r, h = capsule.radius, capsule.length
    body = _cylinder(Cylinder(radius=r, length=h), density)
    caps = density * 4.0 / 3.0 * math.pi * (r * r * r)
    across = caps * (0.4 * r * r + h * h / 4.0 + 3.0 / 8.0 * h * r)
    total = body.I_Lcm + np.diag((across, across, caps * 0.4 * r * r))
    return SpatialInertia.of(body.mass + caps, I_Lcm=total)


def _cone(cone: Cone, density: float) -> SpatialInertia:
    r, h = cone.radius, cone.length
    mass = density * math.pi * r * r * h / 3.0
    across = mass * (0.15 * r * r + 0.0375 * h * h)
    return _diagonal(mass, across, across, 0.3 * mass * r * r, -h / 4.0)


def _polyline(polyline: Polyline, density: float) -> SpatialInertia | None:
    """Return the inertia of a prism; an outline inside another is a hole, and one inside a hole is
    filled.
    """
    outlines = [np.array(outline, dtype=np.float64) for outline in polyline.outlines if outline]
    if not outlines or polyline.height <= 0.0:
        return None
    center = np.concatenate(outlines).mean(axis=0)
    area, first, second = 0.0, np.zeros(2), np.zeros((2, 2))
    for outline in outlines:
        moments = _outline_moments(outline - center)
        sign = math.copysign(1.0, moments[0]) * (1.0 if _is_filled(outline, outlines) else -1.0)
        area, first, second = (
            area + sign * moments[0],
            first + sign * moments[1],
            second + sign * moments[2],
        )
    if area <= 0.0:
        return None
    mass, offset, h = density * area * polyline.height, first / area, polyline.height
    spread = np.zeros((3, 3))
    spread[:2, :2] = mass * (second / area - np.outer(offset, offset))
    spread[2, 2] = mass * h * h / 12.0
    return SpatialInertia.of(
        mass, (*(center + offset), h / 2.0), np.trace(spread) * np.eye(3) - spread
    )


def _outline_moments(a: Array) -> tuple[float, Array, Array]:
    """Return the area and the integrals of ``p`` and ``p p^T`` over it, all negative for a
    clockwise outline.
    """
    b = np.roll(a, -1, axis=0)
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    second = np.zeros((2, 2))
    for corner in (a, b, a + b):
        second += np.einsum("n,ni,nj->ij", cross, corner, corner)
    return float(cross.sum()) / 2.0, cross @ (a + b) / 6.0, second / 24.0


def _is_filled(outline: Array, outlines: list[Array]) -> bool:
    """Return whether an even number of the other outlines enclose this one."""
    return sum(_is_inside(outline[0], other) for other in outlines if other is not outline) % 2 == 0


def _is_inside(point: Array, a: Array) -> bool:
    """Return whether a point lies inside an outline: a ray in direction x crosses it an odd number
    of times.
    """
    b = np.roll(a, -1, axis=0)
    spans = (a[:, 1] > point[1]) != (b[:, 1] > point[1])
    (ax, ay), (bx, by) = a[spans].T, b[spans].T
    crossings = ax + (point[1] - ay) * (bx - ax) / (by - ay)
    return bool(np.count_nonzero(crossings > point[0]) % 2)


def _mesh(mesh: Mesh, density: float) -> SpatialInertia | None:
    data = _read_mesh(mesh, Diagnostics())  # reported where the shape itself is used
    return None if data is None else data.inertia(density)


_SHAPES: Mapping[type, Callable[[Any, float], SpatialInertia | None]] = {
    Box: _box,
    Sphere: _sphere,
    Ellipsoid: _ellipsoid,
    Cylinder: _cylinder,
    Capsule: _capsule,
    Cone: _cone,
    Polyline: _polyline,
    Mesh: _mesh,
}
