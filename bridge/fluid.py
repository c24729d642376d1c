"""Forces of a fluid on links: submerged volumes and force laws.

Cylinders, cones and capsules are prisms and frustums of 64 sides with the exact volume.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.model import (
    Box,
    Buoyancy,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    FluidDrag,
    FluidForce,
    Geometry,
    Link,
    Mesh,
    Sphere,
    Wing,
)
from loaders.pose import IDENTITY, Array, Pose

from .geometry.shapes import box_triangles
from .mechanism import Mechanism
from .mechanism.force_laws import FrameMotion, Wrench

_SIDES = 64
_ARCS = 16
"""Number of rings of a half sphere."""


@dataclass(frozen=True, slots=True, eq=False)
class ShapePart:
    """The part of a shape on one side of a plane."""

    volume: float
    """[m^3]."""
    moment: Array
    """Integral of the position over the volume [m^4], shape (3,)."""


class Solid(Protocol):
    """A shape with a volume."""

    @property
    def volume(self) -> float:
        """The volume [m^3]."""

    def below(self, normal: Array, height: float) -> ShapePart:
        """Return the part with ``normal . p <= height``; ``normal`` is a unit vector."""


@dataclass(frozen=True, slots=True, eq=False)
class EllipsoidSolid:
    """An ellipsoid at the origin."""

    radii: Array
    """Its half axes [m], shape (3,)."""

    @property
    def volume(self) -> float:
        """The volume [m^3]."""
        return 4.0 / 3.0 * math.pi * float(np.prod(self.radii))

    def below(self, normal: Array, height: float) -> ShapePart:
        """Return the part below a plane: that of the unit sphere, stretched."""
        stretched = self.radii * normal
        length = float(np.linalg.norm(stretched))
        t = min(max(height / length, -1.0), 1.0)
        stretch = float(np.prod(self.radii))
        depth = -0.25 * math.pi * (1.0 - t * t) ** 2
        volume = stretch * math.pi * (2.0 + 3.0 * t - t**3) / 3.0
        return ShapePart(volume, stretch * depth / length * self.radii * stretched)


@dataclass(frozen=True, slots=True, eq=False)
class MeshSolid:
    """A closed surface of triangles that face outward."""

    corners: Array
    """Positions of the corners of each triangle [m], shape (n, 3, 3)."""

    @property
    def volume(self) -> float:
        """The volume [m^3]."""
        return _sum(self.corners, np.zeros(3)).volume

    def below(self, normal: Array, height: float) -> ShapePart:
        """Return the part below a plane: tetrahedra from a point on it to the triangles below."""
        heights = self.corners @ normal - height
        if heights.max() <= 0.0:
            return _sum(self.corners, np.zeros(3))
        return _sum(_clipped(self.corners, heights), height * normal)


def _sum(corners: Array, apex: Array) -> ShapePart:
    """Return the sum of the tetrahedra from an apex to triangles."""
    a, b, c = (corners[:, k] - apex for k in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    volume = float(volumes.sum())
    return ShapePart(volume, volume * apex + volumes @ (a + b + c) / 4.0)


def _clipped(corners: Array, heights: Array) -> Array:
    """Return the triangles, and the pieces of those across the plane, that lie below it.

    Args:
        corners: The triangles, shape (n, 3, 3).
        heights: Height of each corner over the plane, shape (n, 3).
    """
    below = heights <= 0.0
    count = below.sum(axis=1)
    single, p = _apart(corners[count == 1], heights[count == 1], below[count == 1])
    double, q = _apart(corners[count == 2], heights[count == 2], ~below[count == 2])
    pieces = (
        corners[count == 3],
        np.stack((single[:, 0], p[:, 0], p[:, 1]), axis=1),
        np.stack((q[:, 0], double[:, 1], double[:, 2]), axis=1),
        np.stack((q[:, 0], double[:, 2], q[:, 1]), axis=1),
    )
    return np.concatenate(pieces)


def _apart(corners: Array, heights: Array, is_apart: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return triangles turned such that the corner apart is first, and where its two edges cross
    the plane.
    """
    order = (np.argmax(is_apart, axis=1)[:, None] + np.arange(3)) % 3
    corners = np.take_along_axis(corners, order[:, :, None], axis=1)
    h = np.take_along_axis(heights, order, axis=1)
    share = h[:, :1] / (h[:, :1] - h[:, 1:])
    return corners, corners[:, :1] + share[:, :, None] * (corners[:, 1:] - corners[:, :1])


@functools.singledispatch
def solid_of(geometry: Geometry) -> Solid | None:  # noqa: ARG001  # the other functions use it
    """Return the solid of a geometry; None for one without a volume."""
    return None


@solid_of.register
def _(geometry: Box) -> Solid:
    return MeshSolid(box_triangles(geometry))


@solid_of.register
def _(geometry: Sphere) -> Solid:
    return EllipsoidSolid(np.full(3, geometry.radius))


@solid_of.register
def _(geometry: Ellipsoid) -> Solid:
    return EllipsoidSolid(np.array(geometry.radii))


@solid_of.register
def _(geometry: Cylinder) -> Solid:
    r, h = geometry.radius, geometry.length / 2.0
    return _revolved([(0.0, -h), (r, -h), (r, h), (0.0, h)], 2.0 * math.pi * r**2 * h)


@solid_of.register
def _(geometry: Cone) -> Solid:
    r, h = geometry.radius, geometry.length / 2.0
    return _revolved([(0.0, -h), (r, -h), (0.0, h)], 2.0 / 3.0 * math.pi * r**2 * h)


@solid_of.register
def _(geometry: Capsule) -> Solid:
    r, h = geometry.radius, geometry.length / 2.0
    angles = np.linspace(0.0, math.pi / 2.0, _ARCS + 1)
    upper = [(r * math.cos(a), h + r * math.sin(a)) for a in angles]
    profile = [*((x, -z) for x, z in reversed(upper)), *upper]
    return _revolved(profile, math.pi * r**2 * (2.0 * h + 4.0 / 3.0 * r))


@solid_of.register
def _(geometry: Mesh) -> Solid | None:
    data = read_mesh(geometry, Diagnostics())
    if data is None or not data.volume:
        return None
    corners = data.vertices[data.faces]
    return MeshSolid(corners if data.volume > 0.0 else corners[:, ::-1])


def _revolved(profile: list[tuple[float, float]], volume: float) -> Solid:
    """Return the solid of revolution of a profile about z, from the lowest to the highest point, of
    a given volume.
    """
    angles = 2.0 * math.pi * np.arange(_SIDES + 1) / _SIDES
    rings = np.array([[(x * math.cos(a), x * math.sin(a), z) for a in angles] for x, z in profile])
    a, b, c, d = rings[:-1, :-1], rings[:-1, 1:], rings[1:, 1:], rings[1:, :-1]
    corners = np.concatenate(
        [np.stack(t, axis=-2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))]
    )
    widening = math.sqrt(volume / MeshSolid(corners).volume)
    return MeshSolid(corners * np.array((widening, widening, 1.0)))


_STILL = 0.01
"""Speed [m/s] up to which a wing has no forces."""
_NOTHING = Wrench(IDENTITY.p, IDENTITY.p, IDENTITY.p)


# --- buoyancy -------------------------------------------------------------------------------------


def buoyancy_wrench(
    buoyancy: Buoyancy, shapes: Sequence[tuple[Pose, Solid]], link: FrameMotion, gravity: Array
) -> Wrench:
    """Return the weight of the displaced fluid, upwards.

    Args:
        buoyancy: The fluid.
        shapes: Pose in the link, and solid, of each shape.
        link: Motion of the link.
        gravity: Acceleration of gravity in the world [m/s^2], shape (3,).
    """
    if buoyancy.volume is not None:
        p_WV = link.X_WF.p + link.X_WF.R @ buoyancy.p_LV
        return Wrench(-buoyancy.density * buoyancy.volume * gravity, IDENTITY.p, p_WV)
    mass, moment = 0.0, np.zeros(3)
    for X_LG, solid in shapes:
        displaced, first = _displaced(buoyancy, link.X_WF @ X_LG, solid)
        mass, moment = mass + displaced, moment + first
    return Wrench(-mass * gravity, IDENTITY.p, moment / mass) if mass else _NOTHING


def _displaced(buoyancy: Buoyancy, X_WG: Pose, solid: Solid) -> tuple[float, Array]:
    """Return the mass of the displaced fluid, and its first moment in the world."""
    if not buoyancy.layers:
        mass = buoyancy.density * solid.volume
        return mass, mass * X_WG.p
    up = buoyancy.X_WS.R[:, 2]
    normal, base = X_WG.R.T @ up, float(up @ (X_WG.p - buoyancy.X_WS.p))
    densities = [buoyancy.density, *(density for _, density in buoyancy.layers)]
    mass, moment, lower = 0.0, np.zeros(3), (0.0, np.zeros(3))
    for density, (height, _) in zip(densities, (*buoyancy.layers, (math.inf, 0.0)), strict=True):
        part = solid.below(normal, min(height - base, 1e12))
        mass += density * (part.volume - lower[0])
        moment += density * (part.moment - lower[1])
        lower = part.volume, part.moment
    return mass, mass * X_WG.p + X_WG.R @ moment


# --- drag -----------------------------------------------------------------------------------------


def drag_wrench(drag: FluidDrag, F: FrameMotion) -> Wrench:
    """Return the drag on a frame that moves in a fluid.

    Args:
        drag: The drag.
        F: Motion of its frame.
    """
    R = F.X_WF.R
    state = np.concatenate((R.T @ (F.v - drag.X_WS.R @ drag.current), R.T @ F.w))
    force = (drag.linear + drag.absolute @ np.abs(state) + drag.quadratic @ state) @ state
    return Wrench(R @ force[:3], R @ force[3:], F.X_WF.p)


# --- wings ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Flow:
    """The flow at a wing, without its part along the span."""

    speed: float
    alpha: float
    """Angle of attack [rad]."""
    squared_cosine: float
    """Squared cosine of the sweep."""
    lift: Array
    """Direction of the lift in the world."""
    drag: Array
    """Direction of the drag in the world."""
    span: Array
    """Direction of the span in the world."""


def wing_wrench(wing: Wing, F: FrameMotion, deflection: float = 0.0) -> Wrench:
    """Return lift, drag and moment of a wing.

    Args:
        wing: The wing.
        F: Motion of its frame.
        deflection: Position of the joint of its control surface.
    """
    flow = _flow(wing, F)
    if flow is None:
        return _NOTHING
    lift = _coefficient(wing, "lift", flow) + wing.lift_by_joint * deflection
    drag = abs(_coefficient(wing, "drag", flow))
    moment = _coefficient(wing, "moment", flow) + wing.moment_by_joint * deflection
    scale = 0.5 * wing.density * flow.speed**2 * wing.area
    return Wrench(
        scale * (lift * flow.lift + drag * flow.drag), scale * moment * flow.span, F.X_WF.p
    )


def _flow(wing: Wing, F: FrameMotion) -> _Flow | None:
    """Return the flow at a wing; None if it is too slow, or from behind."""
    R = F.X_WF.R
    v, forward = F.v - wing.X_WS.R @ wing.current, R @ wing.forward
    speed = float(np.linalg.norm(v))
    if speed <= _STILL or (not wing.reversible and forward @ v <= 0.0):
        return None
    upward = R @ wing.upward
    if wing.radial_symmetry:
        across = np.cross(forward, np.cross(forward, v / speed))
        upward = _unit(across) if np.linalg.norm(across) > 1e-9 else upward
    span = _unit(np.cross(forward, upward))
    along = float(span @ v)
    in_plane = v - along * span
    lift = _unit(np.cross(span, in_plane))
    angle = math.acos(min(max(float(lift @ upward), -1.0), 1.0))
    alpha = wing.alpha_0 + (angle if lift @ forward >= 0.0 else -angle)
    alpha -= math.pi * round(alpha / math.pi) if abs(alpha) > math.pi / 2.0 else 0.0
    squared_cosine = 1.0 - (along / speed) ** 2
    return _Flow(
        float(np.linalg.norm(in_plane)), alpha, squared_cosine, lift, -_unit(in_plane), span
    )


def _coefficient(wing: Wing, kind: str, flow: _Flow) -> float:
    """Return a coefficient: linear up to the stall, with another slope beyond; lift and moment keep
    their sign.
    """
    slope: float = getattr(wing.slopes, kind)
    beyond: float = getattr(wing.stalled, kind)
    excess = abs(flow.alpha) - wing.alpha_stall
    if excess <= 0.0:
        return slope * flow.alpha * flow.squared_cosine
    value = (slope * wing.alpha_stall + beyond * excess) * flow.squared_cosine
    return math.copysign(1.0, flow.alpha) * (value if kind == "drag" else max(value, 0.0))


def _unit(vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


@dataclass(frozen=True, slots=True, eq=False)
class LinkForce:
    """A force on a link."""

    link: str
    """Name of the link."""
    X_LF: Pose
    """Frame on the link whose motion the force depends on."""
    joint: str | None
    """Name of the joint whose position it depends on, or None."""
    wrench: Callable[[FrameMotion, Array, float], Wrench]
    """Returns the force from the motion of F, gravity in the world [m/s^2] and the position of the
    joint."""


@functools.lru_cache(maxsize=16)
def fluid_forces(mechanism: Mechanism) -> tuple[LinkForce, ...]:
    """Return the forces of a fluid on the links of a mechanism."""
    links = {body.name: body.link for body in mechanism.bodies}
    return tuple(
        _ready(force, links[force.link]) for force in mechanism.fluid_forces if force.link in links
    )


def _ready(force: FluidForce, link: Link) -> LinkForce:
    if isinstance(force, Buoyancy):
        shapes = displaced_shapes(link) if force.volume is None else ()
        wrench = functools.partial(_buoyancy, force, shapes)
        return LinkForce(link.name, IDENTITY, None, wrench)
    if isinstance(force, FluidDrag):
        return LinkForce(
            link.name, force.X_LF, None, lambda F, _gravity, _position: drag_wrench(force, F)
        )
    return LinkForce(
        link.name,
        force.X_LF,
        force.joint,
        lambda F, _gravity, position: wing_wrench(force, F, position),
    )


def _buoyancy(
    force: Buoyancy,
    shapes: tuple[tuple[Pose, Solid], ...],
    link: FrameMotion,
    gravity: Array,
    _position: float,
) -> Wrench:
    return buoyancy_wrench(force, shapes, link, gravity)


def displaced_shapes(link: Link) -> tuple[tuple[Pose, Solid], ...]:
    """Return pose in the link, and solid, of each collision shape with a volume."""
    solids = ((collision.X_LG, solid_of(collision.geometry)) for collision in link.collisions)
    return tuple((X_LG, solid) for X_LG, solid in solids if solid is not None)


def described(force: FluidForce) -> str:
    """Return the kind of a force and its values, without those that are zero or unset."""
    values = {field.name: getattr(force, field.name) for field in dataclasses.fields(force)}
    texts = {name: _text(value) for name, value in values.items() if name not in {"link", "where"}}
    arguments = ", ".join(f"{name}={text}" for name, text in texts.items() if text)
    return f"{type(force).__name__}({arguments})"


def _text(value: object) -> str:
    """Return a value of a force as text; of a large array only what is not zero, with its
    indices.
    """
    if isinstance(value, Pose):
        return "" if value.is_close(IDENTITY, 0.0) else _numbers(value.to_vector())
    if not isinstance(value, np.ndarray):
        return "" if value is None or value is False or value == () else str(value)
    if value.ndim == 1:
        return _numbers(value) if value.any() else ""
    found = zip(np.argwhere(value).tolist(), value[value != 0.0].tolist(), strict=True)
    entries = ", ".join(f"{''.join(map(str, index))}: {number:.17g}" for index, number in found)
    return f"{{{entries}}}" if entries else ""


def _numbers(values: Iterable[float]) -> str:
    return f"({' '.join(f'{value:.17g}' for value in values)})"
