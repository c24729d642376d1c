"""Checks of a robot against physics: whether its numbers can belong to the body that it draws.

A file may be valid and its robot wrong: a mass in grams, a limit in degrees, a mesh in millimeters.
Each check compares a number of the model with a closed form and a range. The ranges were chosen so
that of 161 robots in use at most a few fall outside, each of which is wrong indeed; beside each
stands what lies inside. A single file shows no sign of an exchanged name or of an axis that is
turned round: `bridge.diff` compares two files.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bridge import codes
from bridge.geometry.mesh import hulls
from bridge.geometry.overlap import has_volume
from bridge.geometry.shapes import FLAT_SOLIDS, directions
from bridge.mechanism import Mechanism
from loaders.code import Code
from loaders.deferred import cached_property
from loaders.diagnostics import Diagnostic, Diagnostics, limited
from loaders.finish.mesh_check import check_mesh_sizes
from loaders.limits import Limits, budgeted
from loaders.model import (
    WORLD,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Joint,
    JointType,
    Link,
    Mesh,
    Sphere,
    Visual,
)
from loaders.pose import Array, Pose
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR

from .joint_checks import UNLIMITED, check_drives, check_limits, check_siblings, check_weights

LIGHT = 0.005
"""Share of the mass of a robot below which a link is not judged: covers, frames of sensors. The
heaviest link counts at most ten times the next, since its mass may be in grams."""
DENSITIES = (1.0, 25_000.0)
"""Range of densities [kg/m^3]: a balloon of foam, and more than osmium (22,600)."""
OF_METALS = (100.0, 25_000.0)
"""Densities of parts of robots [kg/m^3], by which a mass in grams is recognized."""
MASS_IN_GRAMS = 50.0
"""Smallest mass that may be one in grams [kg]."""
GYRATION = 3.0
"""Largest radius of gyration over the distance from the center of mass to the farthest point of the
shapes; of a body within its shapes it is below 1."""
COMPACT = 0.03
"""Radius of gyration over that distance below which the moments are noted: of 1,905 links, 10 lie
below, half of them of mathematical pendulums."""
OUTSIDE, OUTSIDE_FAR, OUTSIDE_LENGTH = 0.5, 0.4, 0.05
"""Largest distance of a center of mass from the hull of the shapes over their extent, and a smaller
one where it exceeds a length [m]. Half of the extent is exceeded in 2 of 145 files, a third in 16.
"""
TRAVEL = 20.0
"""Largest travel of a prismatic joint over the size of the robot; it is at most 7 in 329 files."""
UNITS = {"millimeters": 1000.0, "inches": 1.0 / 0.0254}
"""Length of a meter in other units."""
LARGE = 5.0
"""Smallest size of a shape over the median of the links' extents at which other shapes of its link
tell its unit: a body may have small parts."""
UNIT_TOLERANCE = 1.5
"""Factor within which a ratio of lengths counts as one of units."""
OFFSET_OF_TYPICAL, OFFSET_OF_LARGEST = 100.0, 10.0
"""Largest offset of a joint over the median of the links' extents, and over the largest; the latter
is at most 2.9 in 161 files."""
ROBOT_SIZES = (0.005, 50.0)
"""Range of the largest link of a robot with joints [m]; it is 0.05 to 3 in 161 files."""
APART, MUCH_LARGER, LARGER = 0.75, 10.0, 3.0
"""Distance of the boxes of what collides and of what is drawn over the larger diagonal, and ratios
of their diagonals: what is reported, and what is noted."""
ALIKE, APART_ALIKE = 0.05, 0.25
"""Difference of the sides of two boxes over the larger diagonal up to which they are of the same
shape, and the distance of such over the diagonal that is reported: of 2,109 pairs, 10 are farther.
"""
GAP, TOUCHING = 0.5, 0.1
"""Distance of what two sides of a joint collide with and draw over the smaller extent: what is
reported if it is the only one, and what all others stay below."""
BESIDE, THROUGH = 0.05, 0.01
"""Distance of an axis of rotation from the hull of what it connects over its extent: what is
reported if it is the only one, and what all others stay below. Of 69 URDFs of robots none has one
such axis."""
PLACEHOLDER = 0.01
"""Extent of a shape below which it may stand for nothing [m]."""
_MAX_POINTS = 2_000_000
"""Number of points of both sides of all joints above which no joint is looked at alone."""
_TURN = np.stack([f(2.0 * np.pi * np.arange(32) / 32) for f in (np.cos, np.sin)])
"""Points on a circle of radius 1, shape (2, n)."""


_Box = tuple[Array, Array]
"""The lowest and the highest corner of a box [m]."""
_NOTHING: _Box = np.full(3, np.inf), np.full(3, -np.inf)
"""The box around nothing."""


@dataclass(frozen=True, eq=False)
class _Part:
    """A link with the points of its shapes.

    Attributes:
        link: The link.
        shapes: Each shape that has an end, with points on its hull in the frame of the link,
            shape (n, 3) [m].
        is_complete: Whether every mesh could be read.
    """

    link: Link
    shapes: tuple[tuple[Collision | Visual, Array], ...]
    is_complete: bool

    @cached_property
    def boxes(self) -> tuple[_Box, ...]:
        """The box around each shape."""
        return tuple(_box(points) for _, points in self.shapes)

    def box_of(self, kind: type[Collision | Visual]) -> _Box:
        """Return the box around what collides, or around what is drawn."""
        return _around(
            box
            for (shape, _), box in zip(self.shapes, self.boxes, strict=True)
            if isinstance(shape, kind)
        )

    @cached_property
    def points(self) -> Array:
        """Points of all shapes, shape (n, 3) [m]."""
        return np.concatenate([np.zeros((0, 3)), *(points for _, points in self.shapes)])

    @cached_property
    def extent(self) -> float:
        """Diagonal of the box around the shapes [m]; 0 without shapes."""
        return _diagonal(_around(self.boxes))

    @property
    def mass(self) -> float:
        """Mass of the link [kg]."""
        return 0.0 if self.link.inertia is None else self.link.inertia.mass


@dataclass(frozen=True)
class RobotSize:
    """The size of a robot with its joints at zero.

    Attributes:
        mass: Sum of the masses of its links [kg].
        height: Height of the box around its shapes [m]; 0 without shapes.
    """

    mass: float
    height: float

    def __str__(self) -> str:
        height = f", {self.height:.3g} m high" if self.height else ""
        return f"{self.mass:.4g} kg{height}"


def check_robot(mechanism: Mechanism, diagnostics: Diagnostics) -> RobotSize:
    """Report numbers of a robot that do not fit its shapes, its other parts or any robot, and
    return its size.

    Every mesh is read once; those that cannot be read are reported too.

    Args:
        mechanism: The robot.
        diagnostics: Record for the findings.

    Raises:
        LimitError: if the meshes have too many triangles.
    """
    parts = _check_numbers(mechanism, diagnostics)
    check_siblings(mechanism.scene, diagnostics)
    check_weights(mechanism, diagnostics)
    return _size(parts)


def _check_numbers(mechanism: Mechanism, diagnostics: Diagnostics) -> Sequence[_Part]:
    """Report all that may be a warning, and return the links with their points."""
    scene = mechanism.scene
    meshes = hulls(scene, diagnostics)
    parts = [_part(link, meshes) for link in scene.links]
    moving = _moving_links(mechanism)
    has_moments = _have_moments(mechanism)
    before = len(diagnostics)
    explained = _check_lengths(scene, parts, diagnostics)
    has_other_lengths = len(diagnostics) > before
    if explained or not has_other_lengths:
        check_mesh_sizes(scene, meshes, diagnostics, explained)
    total = _mass_of_a_robot(parts)
    left_out = explained | _held(mechanism)  # the mass of what is held acts on nothing
    judged = [p for p in parts if _is_judged(p, total) and p.link.name not in left_out]
    _check_densities(judged, diagnostics)
    _check_gyration(judged, parts, diagnostics)
    for part in judged:
        _check_center(part, diagnostics)
    for part in parts:
        if part.link.name in moving:
            _check_moving(part, part.link.name in has_moments, diagnostics)
        if part.link.name not in explained:
            _check_collision_place(part, diagnostics)
    in_mujoco = mechanism.default_policy == "mujoco"
    movers = [part for part in parts if part.link.name in moving]
    _check_collisions(movers, diagnostics, by_default=in_mujoco)
    if not has_other_lengths:
        _check_places(mechanism, parts, diagnostics)
    check_limits(scene, diagnostics)
    _check_travel(scene, parts, diagnostics)
    check_drives(scene, diagnostics)
    return parts


def doubts(mechanism: Mechanism, limits: Limits | None = None) -> tuple[Diagnostic, ...]:
    """Return the warnings of `check_robot` about numbers of the robot, all of which change motion
    or contact. They take 10 to 21 % of a load whose meshes are in the cache.

    Args:
        mechanism: The robot.
        limits: Limits on its meshes; None for the defaults. Past them nothing is returned.
    """
    found = Diagnostics()
    with budgeted(limits), limited(found, mechanism.scene.name):
        _check_numbers(mechanism, found)
    return tuple(entry for entry in found if entry.severity == "warning" and is_doubt(entry))


def is_doubt(entry: Diagnostic) -> bool:
    """Return whether a finding is about numbers of a robot that do not fit."""
    return entry.code.startswith("robot.")


def _size(parts: Sequence[_Part]) -> RobotSize:
    heights = [p.points @ p.link.X_WL.R[2] + p.link.X_WL.p[2] for p in parts if len(p.points)]
    mass, z = sum(part.mass for part in parts), np.concatenate([np.zeros(0), *heights])
    return RobotSize(mass, float(np.ptp(z)) if len(z) else 0.0)


def _mass_of_a_robot(parts: Sequence[_Part]) -> float:
    """Return the mass of all links, the heaviest with at most ten times that of the next one."""
    if len(parts) < 2:
        return 0.0
    *others, heaviest = sorted(part.mass for part in parts)
    return sum(others) + min(heaviest, 10.0 * others[-1])


def _is_judged(part: _Part, total: float) -> bool:
    return part.is_complete and part.extent > 0.0 and part.mass > LIGHT * total


def _moving_links(mechanism: Mechanism) -> frozenset[str]:
    """Return the links that move against the world, each alone: none is welded to another."""
    scene = mechanism.scene
    fixed = {joint.child for joint in scene.joints if joint.type is JointType.FIXED}
    return frozenset(link.name for link in scene.links if link.name not in fixed) - _held(mechanism)


def _held(mechanism: Mechanism) -> frozenset[str]:
    """Return the links that the world holds: static ones, and those welded to it."""
    world = mechanism.weld_group_of(WORLD)
    names = (link.name for link in mechanism.scene.links)
    return frozenset(name for name in names if mechanism.weld_group_of(name) == world)


# --- points of shapes -----------------------------------------------------------------------------


def _ring(radius: float, z: float) -> Array:
    return np.stack((*(radius * _TURN), np.full(_TURN.shape[1], z)), axis=1)


def _ends(shape: Cylinder) -> Array:
    half = shape.length / 2.0
    return np.concatenate((_ring(shape.radius, -half), _ring(shape.radius, half)))


def _caps(shape: Capsule) -> Array:
    ball, end = shape.radius * directions(), np.array([0.0, 0.0, shape.length / 2.0])
    return np.concatenate((ball - end, ball + end))


_ROUND: dict[type, Callable[[Any], Array]] = {
    Sphere: lambda shape: shape.radius * directions(),
    Ellipsoid: lambda shape: directions() * shape.radii,
    Cylinder: _ends,
    Capsule: _caps,
}
"""Points on the hull of each round shape that has an end [m]."""


def _part(link: Link, meshes: Mapping[Mesh, Array | None]) -> _Part:
    shapes: list[tuple[Collision | Visual, Array]] = []
    is_complete = True
    stated: tuple[Collision | Visual, ...] = (*link.collisions, *link.visuals)
    for shape in stated:
        points = _shape_points(shape, meshes)
        if points is not None:
            shapes.append((shape, points @ shape.X_LG.R.T + shape.X_LG.p))
        elif isinstance(shape.geometry, Mesh):
            is_complete = False
    return _Part(link, tuple(shapes), is_complete)


def _shape_points(shape: Collision | Visual, meshes: Mapping[Mesh, Array | None]) -> Array | None:
    geometry = shape.geometry
    if isinstance(geometry, Mesh):
        return meshes[geometry]
    kind = type(geometry)
    if kind in FLAT_SOLIDS:
        return np.concatenate([np.zeros((0, 3)), *FLAT_SOLIDS[kind](geometry)])
    return _ROUND[kind](geometry) if kind in _ROUND else None


def _box(points: Array) -> _Box:
    return (points.min(axis=0), points.max(axis=0)) if len(points) else _NOTHING


def _around(boxes: Iterable[_Box]) -> _Box:
    """Return the box around boxes."""
    lower, upper = zip(_NOTHING, *boxes, strict=True)
    return np.minimum.reduce(lower), np.maximum.reduce(upper)


def _diagonal(box: _Box) -> float:
    """Return the diagonal of a box [m]; 0 of one around nothing."""
    lower, upper = box
    return float(np.linalg.norm(upper - lower)) if lower[0] <= upper[0] else 0.0


def _diagonals_of_others(boxes: Sequence[_Box]) -> Array:
    """Return for each box the diagonal of the box around all others [m], 0 if there are none."""
    signs = np.array([[1.0], [-1.0]])  # of lower and upper corners: the least is the outer one
    corners = np.array([_NOTHING, *boxes, _NOTHING]) * signs
    before = np.minimum.accumulate(corners)[:-2]
    after = np.minimum.accumulate(corners[::-1])[::-1][2:]
    lower, upper = np.moveaxis(np.minimum(before, after) * signs, 1, 0)
    edges = np.where(np.isfinite(upper), upper - lower, 0.0)
    diagonals: Array = np.linalg.norm(edges, axis=1)
    return diagonals


# --- lengths --------------------------------------------------------------------------------------


def _check_lengths(
    scene: Scene, parts: Sequence[_Part], diagnostics: Diagnostics
) -> frozenset[str]:
    """Report lengths in other units: of the whole robot, of offsets of joints, or of shapes.

    One cause gives one finding: what explains the others comes first.

    Returns:
        The links whose shapes are in another unit.
    """
    extents = [part.extent for part in parts if part.extent > 0.0]
    if not extents or all(joint.virtual for joint in scene.joints):
        return frozenset()
    typical, (lower, upper) = sorted(extents)[(len(extents) - 1) // 2], ROBOT_SIZES
    if max(extents) < lower or typical > upper:
        diagnostics.add(codes.ROBOT_SIZE, size=typical, lower=lower, upper=upper)
        return frozenset(part.link.name for part in parts)
    most = min(OFFSET_OF_TYPICAL * typical, OFFSET_OF_LARGEST * max(extents))
    if _report_offsets(scene, typical, most, diagnostics):
        return frozenset()
    return _report_shapes(parts, typical, diagnostics)


def _report_offsets(scene: Scene, typical: float, most: float, diagnostics: Diagnostics) -> bool:
    """Report joints that lie farther than a length from their parents; return whether there is
    one.
    """
    inner = [joint for joint in scene.joints if WORLD not in (joint.parent, joint.child)]
    offsets = [(joint, float(np.linalg.norm(joint.X_PJ.p))) for joint in inner]
    far = [(joint, offset) for joint, offset in offsets if offset > most]
    if len(far) > len(scene.joints) // 2:  # links may be small things that lie far apart
        return False
    for joint, offset in far:
        diagnostics.add(
            codes.ROBOT_OFFSET,
            joint,
            joint=joint.name,
            offset=offset,
            typical=typical,
            ratio=offset / typical,
        )
    return bool(far)


def _report_shapes(
    parts: Sequence[_Part], typical: float, diagnostics: Diagnostics
) -> frozenset[str]:
    """Report shapes whose sizes are those of the robot or of their link in other units; return the
    links.

    `check_meshes` compares meshes with offsets of joints.
    """
    reported: set[object] = set()
    links: set[str] = set()
    for part in parts:
        if part.extent <= LARGE * typical:
            continue
        others = _diagonals_of_others(part.boxes)
        for (shape, _), box, rest in zip(part.shapes, part.boxes, others, strict=True):
            size, name = _diagonal(box), f"{part.link.name}{SEPARATOR}{shape.name}"
            found = _unit_of(size, typical, ("millimeters",))
            if found is None and rest > PLACEHOLDER and size > LARGE * typical:
                found = _unit_of(size, rest, tuple(UNITS))
            if found is None:
                continue
            links.add(part.link.name)
            if shape.geometry in reported:
                continue
            reported.add(shape.geometry)
            diagnostics.add(
                codes.ROBOT_SHAPE_UNIT,
                shape.where,
                subjects=(part.link.name, name),
                shape=name,
                size=size,
                typical=typical,
                unit=found,
            )
    return frozenset(links)


def _unit_of(size: float, usual: float, units: Sequence[str]) -> str | None:
    """Return the unit in which a length is written that should be like another; None if it is in
    meters, or much smaller than the other: a part of a link may be small.
    """
    for unit in units:
        if UNITS[unit] / UNIT_TOLERANCE <= size / usual <= UNITS[unit] * UNIT_TOLERANCE:
            return unit
    return None


# --- mass and inertia -----------------------------------------------------------------------------


def _hull_volumes(parts: Sequence[_Part]) -> list[float]:
    """Return the volume of the hull of each part [m^3], computed by MuJoCo; 0 for one that MuJoCo
    cannot tell from a flat one.
    """
    import mujoco

    spec = mujoco.MjSpec()
    named: list[int] = []
    for number, part in enumerate(parts):
        if not 0.0 < part.extent < np.inf:
            continue
        # in single precision far points become one, and MuJoCo refuses small volumes
        scaled = (part.points - part.points.mean(axis=0)) / part.extent
        if not has_volume(scaled):
            continue
        mesh = spec.add_mesh(name=str(number), uservert=scaled.ravel())
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
        body = spec.worldbody.add_body(name=str(number))
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=str(number), density=1.0)
        named.append(number)
    try:
        model = spec.compile()
    except ValueError:  # it refuses all meshes for one
        if len(parts) == 1:
            return [0.0]
        half = len(parts) // 2
        return _hull_volumes(parts[:half]) + _hull_volumes(parts[half:])
    volumes = [0.0] * len(parts)
    for number in named:
        volumes[number] = float(model.body(str(number)).mass[0]) * parts[number].extent ** 3
    return volumes


def _has_surely_a_density(part: _Part, lower: float, upper: float) -> bool:
    """Return whether bounds of the volume of the hull of a part show that its density is in a
    range: the box around it, and a third of the product of a chord and the area of its projection
    along the chord. The lengths of all parallel chords are a concave function on the projection.
    """
    points = part.points
    first = _farthest(points, points[0])
    chord = _farthest(points, first) - first
    length = math.sqrt(float(chord @ chord))
    if length == 0.0:
        return False
    x, y, z = (chord / length).tolist()
    u = np.array((0.0, z, -y) if abs(x) < 0.6 else (z, 0.0, -x))
    u /= math.sqrt(float(u @ u))
    (a, b, c) = u.tolist()
    across = points @ np.array((u, (y * c - z * b, z * a - x * c, x * b - y * a))).T
    corners = across[np.argmax(across @ _TURN, axis=0)]
    i, j = np.vstack((corners, corners[:1])).T
    area = 0.5 * abs(float(i[:-1] @ j[1:] - j[:-1] @ i[1:]))
    box = float(np.prod(np.ptp(points, axis=0)))
    least = 0.999 * length * area / 3.0  # MuJoCo computes volumes in single precision
    return part.mass >= lower * box and part.mass <= upper * least


def _farthest(points: Array, p: Array) -> Array:
    """Return the point that is farthest from another one."""
    farthest: Array = points[np.argmax(((points - p) ** 2).sum(axis=1))]
    return farthest


def _check_densities(parts: Sequence[_Part], diagnostics: Diagnostics) -> None:
    """Report masses that the hulls of the links cannot have; of most links as one finding."""
    lower, upper = DENSITIES
    unsure = [part for part in parts if not _has_surely_a_density(part, lower, upper)]
    if not unsure:
        return
    is_of_few = 2 * len(unsure) + 2 <= len(parts)  # the median density is in the range
    examined = unsure if is_of_few else parts
    measured = [
        (part, part.mass / volume)
        for part, volume in zip(examined, _hull_volumes(examined), strict=True)
        if volume > 0.0
    ]
    if not measured:
        return
    median = float(np.median([density for _, density in measured]))
    if not is_of_few and len(measured) > 1 and not lower <= median <= upper:
        diagnostics.add(codes.ROBOT_DENSITY_OF_MOST, density=median, lower=lower, upper=upper)
        return
    for part, density in measured:
        if lower <= density <= upper:
            continue
        in_grams = part.mass > MASS_IN_GRAMS and OF_METALS[0] <= density / 1e3 <= OF_METALS[1]
        diagnostics.add(
            codes.ROBOT_DENSITY_GRAMS if in_grams else codes.ROBOT_DENSITY,
            part.link,
            link=part.link.name,
            mass=part.mass,
            density=density,
            lower=lower,
            upper=upper,
        )


def _check_gyration(
    judged: Sequence[_Part], parts: Sequence[_Part], diagnostics: Diagnostics
) -> None:
    """Report moments of inertia that need mass far outside the shapes, or all of it in one point of
    them, each as one finding.
    """
    largest = max((part.extent for part in parts), default=0.0)
    found: list[tuple[_Part, float, float]] = []
    compact: list[tuple[_Part, float, float]] = []
    named = {name for entry in diagnostics for name in entry.subjects}  # one mistake, one finding
    for part in judged:
        inertia = part.link.inertia
        if inertia is None:
            continue
        moments = np.linalg.eigvalsh(inertia.I_Lcm)
        radius = math.sqrt(max(float(moments[-1]), 0.0) / part.mass)
        reach = float(np.linalg.norm(part.points - inertia.p_LLcm, axis=1).max())
        if radius > GYRATION * reach:
            found.append((part, radius, reach))
        elif 0.0 < radius < COMPACT * reach and part.link.name not in named:
            compact.append((part, radius, reach))
    is_huge = any(radius > largest for _, radius, _ in found)
    for entries, code in (
        (found, codes.ROBOT_GYRATION if is_huge else codes.ROBOT_GYRATION_SMALL),
        (compact, codes.ROBOT_GYRATION_COMPACT),
    ):
        if not entries:
            continue
        part, radius, reach = max(entries, key=lambda entry: abs(math.log(entry[1] / entry[2])))
        diagnostics.add(
            code,
            part.link.where,
            subjects=tuple(entry.link.name for entry, _, _ in entries),
            link=part.link.name,
            radius=radius,
            reach=reach,
            moment=radius**2 * part.mass,
            most=reach**2 * part.mass,
            others=len(entries) - 1,
        )


def _check_center(part: _Part, diagnostics: Diagnostics) -> None:
    """Report a center of mass far outside the hull of the shapes."""
    inertia = part.link.inertia
    if inertia is None:
        return
    far = max(OUTSIDE_FAR * part.extent, OUTSIDE_LENGTH)
    distance = _distance_to_hull(part.points - inertia.p_LLcm, min(far, OUTSIDE * part.extent))
    is_far = distance > far
    if is_far or distance > OUTSIDE * part.extent:
        diagnostics.add(
            codes.ROBOT_CENTER_OF_MASS,
            part.link,
            link=part.link.name,
            distance=distance,
            extent=part.extent,
        )


def _distance_to_hull(points: Array, enough: float = 0.0) -> float:
    """Return the distance of the origin from the hull of points [m]; see `_smallest_norm`."""
    nearest = points[np.argmin((points**2).sum(axis=1))]
    return _smallest_norm(nearest, lambda x: points[np.argmin(points @ x)], enough)


_STEPS = 100
"""Largest number of iterations; bodies need at most about ten."""
_ACCURACY = 1e-3
"""Relative accuracy of a distance."""


def _smallest_norm(x: Array, support: Callable[[Array], Array], enough: float = 0.0) -> float:
    """Return the smallest distance of a convex set from the origin [m], at most 0.1 % too large, or
    any that is small enough.

    Source: Wolfe (1976), Finding the nearest point in a polytope.

    Args:
        x: A point of the set.
        support: The point of the set that is farthest against a direction.
        enough: Distance below which no smaller one is searched [m].
    """
    corners, shares = x[None], np.ones(1)
    for _ in range(_STEPS):
        length = math.sqrt(float(x @ x))
        if not max(enough, 1e-9) < length < math.inf:
            break
        farthest = support(x)
        if length - float(farthest @ x) / length <= _ACCURACY * length:
            return length
        corners, shares = _nearest(np.vstack((corners, farthest)), np.append(shares, 0.0))
        x = shares @ corners
    return length if length > 1e-9 else 0.0


def _nearest(corners: Array, shares: Array) -> tuple[Array, Array]:
    """Return the corners of the face of a simplex on which the point nearest to the origin lies,
    and their shares of that point.

    Args:
        corners: The corners, shape (n, 3).
        shares: The shares of a point in the simplex, shape (n,).
    """
    while len(corners) > 1:
        edges = corners[1:] - corners[0]
        gram = edges @ edges.T
        gram.flat[:: len(edges) + 1] *= 1.0 + 1e-14  # so that a flat simplex has a solution
        others = np.linalg.solve(gram, -edges @ corners[0])
        wanted = np.array([1.0 - others.sum(), *others])
        falling = ~(wanted > 0.0)
        if not falling.any():
            return corners, wanted
        ratios = shares[falling] / np.maximum((shares - wanted)[falling], 1e-300)
        shares = shares + ratios.min() * (wanted - shares)
        kept = shares > 1e-12
        corners, shares = corners[kept], shares[kept] / shares[kept].sum()
    return corners, shares


# --- what moves, collides and is drawn ------------------------------------------------------------


def _check_moving(part: _Part, has_moments: bool, diagnostics: Diagnostics) -> None:
    """Report a moving link that lacks mass or moments of inertia.

    Args:
        part: The link.
        has_moments: Whether what is welded to it has moments.
        diagnostics: Record for the findings.
    """
    link, inertia = part.link, part.link.inertia
    arguments: dict[str, Any] = {"subjects": (link.name,), "link": link.name}
    if part.mass == 0.0 and part.extent > 0.0:
        diagnostics.add(codes.ROBOT_NO_MASS, link.where, **arguments)
    elif inertia is not None and part.mass > 0.0 and not inertia.I_Lcm.any():
        code = codes.ROBOT_NO_MOMENTS_NOTED if has_moments else codes.ROBOT_NO_MOMENTS
        diagnostics.add(code, link.where, **arguments, mass=part.mass)


def _have_moments(mechanism: Mechanism) -> frozenset[str]:
    """Return the links that are welded to one with moments of inertia."""
    groups = {link.name: mechanism.weld_group_of(link.name) for link in mechanism.scene.links}
    with_moments = {
        groups[link.name]
        for link in mechanism.scene.links
        if link.inertia is not None and link.inertia.I_Lcm.any()
    }
    return frozenset(name for name, group in groups.items() if group in with_moments)


def _check_collisions(
    moving: Sequence[_Part], diagnostics: Diagnostics, *, by_default: bool
) -> None:
    """Report what moves and is drawn but does not collide; as a note unless it is the only such
    link, and not the first: some robots leave out their base.

    Args:
        moving: The links that move.
        diagnostics: Record for the findings.
        by_default: Whether shapes collide unless they are told not to: then a sphere or a box that
            does not is a mark, such as the target of a task.
    """
    drawn = [part.link for part in moving if part.link.visuals and part.mass > 0.0]
    without = [link for link in drawn if not link.collisions]
    if 2 * len(without) > len(drawn) > 1:
        return
    visuals = [visual for link in without for visual in link.visuals]
    is_mark = by_default and not any(isinstance(visual.geometry, Mesh) for visual in visuals)
    is_first = len(drawn) > 1 and drawn[0] in without
    is_odd = len(without) == 1 and not is_first and not is_mark
    code = codes.ROBOT_NO_COLLISION if is_odd else codes.ROBOT_NO_COLLISION_NOTED
    for link in without:
        diagnostics.add(code, link, link=link.name)


def _check_collision_place(part: _Part, diagnostics: Diagnostics) -> None:
    """Report what collides far from what is drawn, or at another size."""
    if not part.is_complete or not (part.link.collisions and part.link.visuals):
        return
    collides, drawn = part.box_of(Collision), part.box_of(Visual)
    sizes = _diagonal(collides), _diagonal(drawn)
    if min(sizes) < PLACEHOLDER:
        return
    (low, high), (low_drawn, high_drawn) = collides, drawn
    distance = float(np.linalg.norm((low + high - low_drawn - high_drawn) / 2.0))
    is_inside = bool((low >= low_drawn).all() and (high <= high_drawn).all())
    ratio = max(sizes) / min(sizes)
    arguments: dict[str, Any] = {"subjects": (part.link.name,), "link": part.link.name}
    sides = np.abs((high - low) - (high_drawn - low_drawn)).max()
    apart = APART_ALIKE if sides <= ALIKE * max(sizes) else APART
    if distance > max(apart * max(sizes), PLACEHOLDER) and not is_inside:
        diagnostics.add(
            codes.ROBOT_COLLISION_APART,
            part.link.where,
            **arguments,
            distance=distance,
            size=max(sizes),
        )
    elif ratio > LARGER and not is_inside:
        much = ratio > MUCH_LARGER
        code = codes.ROBOT_COLLISION_SIZE if much else codes.ROBOT_COLLISION_SIZE_NOTED
        diagnostics.add(
            code, part.link.where, **arguments, collides=sizes[0], drawn=sizes[1], ratio=ratio
        )


def _check_places(mechanism: Mechanism, parts: Sequence[_Part], diagnostics: Diagnostics) -> None:
    """Report the only joint whose two sides lie apart, each with what is welded to it; or else the
    only one whose axis of rotation passes beside what it connects.
    """
    points: defaultdict[int, list[Array]] = defaultdict(list)
    for part in parts:
        if not part.is_complete:
            return
        X_WL = part.link.X_WL
        points[mechanism.weld_group_of(part.link.name)].append(part.points @ X_WL.R.T + X_WL.p)
    sides = {group: np.concatenate(found) for group, found in points.items()}
    widths = {group: _diagonal(_box(side)) for group, side in sides.items()}
    X_WL_of = {part.link.name: part.link.X_WL for part in parts}
    group_of = mechanism.weld_group_of
    joints = [
        (joint, group_of(joint.parent), group_of(joint.child))
        for joint in mechanism.scene.joints
        if not joint.virtual and WORLD not in (joint.parent, joint.child)
    ]
    if sum(len(sides[one]) + len(sides[two]) for _, one, two in joints) > _MAX_POINTS:
        return
    places: list[_Place] = []
    for joint, one, two in joints:
        extents = (widths[one], widths[two])
        if one != two and min(extents) > PLACEHOLDER:
            X_WJ = X_WL_of[joint.parent] @ joint.X_PJ
            places.append(_Place(joint, X_WJ, (sides[one], sides[two]), extents))
    if _report_odd(places, _Place.gap, GAP, TOUCHING, codes.ROBOT_GAP, diagnostics):
        return
    turning = [place for place in places if place.joint.type in _TURNING]
    _report_odd(turning, _Place.miss, BESIDE, THROUGH, codes.ROBOT_AXIS, diagnostics)


_TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS)
_Distance = tuple[float, float]
"""A distance over an extent, and the distance [m]."""


class _Place(NamedTuple):
    """A joint with what it connects: points in the world, and extents [m]."""

    joint: Joint
    X_WJ: Pose
    sides: tuple[Array, Array]
    extents: tuple[float, float]

    def gap(self, share: float) -> _Distance:
        """Return the distance of both sides, or any that is below a share of the extent."""
        extent = min(self.extents)
        distance = _distance_between(*self.sides, self.X_WJ.p, share * extent)
        return distance / extent, distance

    def miss(self, share: float) -> _Distance:
        """Return the larger distance of the axis of rotation from the sides, or any that is below a
        share of the extent.
        """
        axis = self.X_WJ.R @ np.asarray(self.joint.axes[0].xyz)
        found = []
        for points, extent in zip(self.sides, self.extents, strict=True):
            offsets = points - self.X_WJ.p
            across = offsets - np.outer(offsets @ axis, axis)
            distance = _distance_to_hull(across, share * extent)
            found.append((distance / extent, distance))
        return max(found)


def _report_odd(
    places: Sequence[_Place],
    measured: Callable[[_Place, float], _Distance],
    large: float,
    small: float,
    code: Code,
    diagnostics: Diagnostics,
) -> bool:
    """Report the only large distance if all others are small; return whether it is."""
    found = [(*measured(place, large), place) for place in places]
    far = [(distance, place.joint) for ratio, distance, place in found if ratio > large]
    if len(places) < 2 or len(far) != 1:
        return False
    ((distance, joint),) = far
    others = (place for place in places if place.joint is not joint)
    if any(measured(place, 0.5 * small)[0] >= small for place in others):
        return False
    diagnostics.add(
        code, joint, joint=joint.name, parent=joint.parent, child=joint.child, distance=distance
    )
    return True


def _distance_between(first: Array, second: Array, p: Array, enough: float) -> float:
    """Return the distance between the hulls of points [m]; see `_smallest_norm`.

    Args:
        first: Points, shape (n, 3) [m].
        second: Points, shape (n, 3) [m].
        p: A point near both [m].
        enough: Distance below which no smaller one is searched [m].
    """
    nearest = [side[np.argmin(((side - p) ** 2).sum(axis=1))] for side in (first, second)]
    return _smallest_norm(
        nearest[0] - nearest[1],
        lambda x: first[np.argmin(first @ x)] - second[np.argmax(second @ x)],
        enough,
    )


def _check_travel(scene: Scene, parts: Sequence[_Part], diagnostics: Diagnostics) -> None:
    """Report prismatic joints between two bodies that move much farther than the robot is large."""
    sliding = [joint for joint in scene.joints if joint.type is JointType.PRISMATIC]
    if not sliding:
        return
    extents = {part.link.name: part.extent for part in parts}
    places = [part.points @ part.link.X_WL.R.T + part.link.X_WL.p for part in parts]
    size = _diagonal(_around(map(_box, places)))
    for joint in sliding:
        if not all(extents.get(name) for name in (joint.parent, joint.child)):
            continue
        limits = [abs(x) for x in (joint.axes[0].lower, joint.axes[0].upper) if abs(x) < UNLIMITED]
        travel = max(limits, default=0.0)
        if travel > TRAVEL * size:
            diagnostics.add(
                codes.ROBOT_TRAVEL,
                joint,
                joint=joint.name,
                travel=travel,
                size=size,
                ratio=travel / size,
            )
