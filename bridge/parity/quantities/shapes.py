"""Quantities of shapes, friction and stops."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from weakref import WeakKeyDictionary

import numpy as np

from bridge import codes
from bridge.mechanism import Mechanism
from bridge.parity.causes import READ_OTHERWISE
from bridge.parity.engine import (
    Dof,
    Engine,
    Hull,
    NotReportedError,
    Surfaces,
    scalar_dofs,
    without_sentinel,
)
from bridge.parity.quantity import (
    FRICTION_OF_PAIRS,
    LOST_SHAPE,
    MAX_COLLIDING_LINKS,
    Place,
    Quantity,
    Readings,
    absolute,
    dof_place,
    relative,
)
from bridge.parity.readings import (
    PRIMITIVES,
    is_world,
    model_surfaces,
    shapes_of,
    volume_and_sensitivity,
)
from bridge.parity.verdict import Level
from bridge.targets.mjcf import codes as mjcf_codes
from bridge.targets.pybullet import codes as pybullet_codes
from loaders.collision_pairs import exerts_forces
from loaders.engine_settings import Grip, conventions_of
from loaders.model import JointAxis, Link, Mesh
from loaders.pose import Array
from loaders.scoped_names import root_model


def _compliance(engine: Engine, mechanism: Mechanism) -> Readings:
    """Read how far a limited joint yields beyond its stop per effort [rad/(N m) or m/N]; zero for a
    hard stop.
    """
    return _at_dofs(engine.stop_compliance(), _limited_axes(mechanism))


def _settings(engine: Engine, mechanism: Mechanism) -> Readings:
    """Read the limits and the softness of stops as MuJoCo has them, if the source states those."""
    found = engine.stop_settings()
    is_stated = conventions_of(mechanism.physics).has_solver_settings
    return {dof_place(dof): numbers for dof, numbers in found.items()} if is_stated else {}


def _at_dofs(found: Mapping[Dof, float], wanted: Iterable[Dof]) -> Readings:
    """Return the numbers of the wanted degrees of freedom, where there are any."""
    return {dof_place(dof): np.array([found[dof]]) for dof in wanted if dof in found}


def _limited_axes(mechanism: Mechanism) -> dict[Dof, JointAxis]:
    """Return the axes with a range; none if the source states stops by the settings of a solver."""
    if conventions_of(mechanism.physics).has_solver_settings:
        return {}
    axes = ((dof, scalar.primitive.limits) for dof, scalar in scalar_dofs(mechanism).items())
    return {
        dof: axis
        for dof, axis in axes
        if axis is not None
        and axis.lower < axis.upper
        and np.isfinite((without_sentinel(axis.lower), without_sentinel(axis.upper))).any()
    }


def _states_stops(mechanism: Mechanism) -> bool:
    return any(axis.limit_stiffness for joint in mechanism.scene.joints for axis in joint.axes)


def _velocity_limits(engine: Engine, mechanism: Mechanism) -> Readings:
    """Read the limits that the model states; an engine that reads the file must have no other."""
    axes = {dof: scalar.primitive.limits for dof, scalar in scalar_dofs(mechanism).items()}
    stated = [dof for dof, axis in axes.items() if axis is not None and np.isfinite(axis.velocity)]
    limits = engine.velocity_limits()
    more = [dof for dof in axes if engine.reads_file and np.isfinite(limits.get(dof, np.inf))]
    return _at_dofs(limits, dict.fromkeys((*stated, *more)))


def _enforced_limits(engine: Engine, _mechanism: Mechanism) -> Readings:
    """Read the speeds at which an engine cuts off joints; no model states any."""
    limits = engine.enforced_speed_limits()
    return _at_dofs(limits, limits)


STOP_QUANTITIES = (
    Quantity(
        level=Level.MODEL,
        name="compliance of stops",
        unit="rad/(N m) or m/N",
        error=absolute,
        read=_compliance,
        is_stated=_states_stops,
        causes=frozenset(
            {mjcf_codes.RIGID_STOPS, mjcf_codes.YIELDING_STOPS, mjcf_codes.EMPTY_RANGE}
        ),
    ),
    Quantity(
        level=Level.MODEL,
        name="settings of stops",
        error=relative,
        read=_settings,
        is_stated=lambda _mechanism: False,
    ),
    Quantity(
        level=Level.MODEL,
        name="velocity limits",
        error=relative,
        read=_velocity_limits,
        is_stated=lambda _mechanism: False,
    ),
    Quantity(
        level=Level.MODEL,
        name="enforced limits of speed",
        unit="rad/s or m/s",
        error=absolute,
        read=_enforced_limits,
        is_stated=lambda _mechanism: False,
    ),
)
"""The quantities in the order of the report.

Limits of speed, which no engine enforces, are conditions of the verdict, and only MuJoCo has its
settings of stops: a row without them leaves no gap."""


MESH_TOLERANCE = 2e-4
"""Tolerance of meshes relative to their extent: Bullet rounds the corners of a hull to a grid of
1e-4 of it."""
_HULLS = frozenset(
    {pybullet_codes.SHAPE_AS_HULL, codes.MESH_FLAT, codes.MESH_CONE, codes.MESH_CONVEX_PARTS}
)


def _surfaces(engine: Engine) -> Surfaces:
    """Return the surfaces of an engine, which are read once."""
    if engine not in _READ:
        _READ[engine] = engine.surfaces()
    return _READ[engine]


def _require(surfaces: Surfaces, field: str) -> None:
    """Raise the reason of an engine for which a field of its surfaces means nothing."""
    if field in surfaces.reasons:
        raise NotReportedError(surfaces.reasons[field])


_READ: WeakKeyDictionary[Engine, Surfaces] = WeakKeyDictionary()
"""The surfaces of open engines, which several quantities need."""


# --- shapes ---------------------------------------------------------------------------------------


def _shapes(*, of_primitives: bool) -> Callable[[Engine, Mechanism], Readings]:
    """Read the shapes of the links whose shapes are all primitives that engines have, or of the
    other links.
    """

    def read(engine: Engine, mechanism: Mechanism) -> Readings:
        surfaces, wanted = _surfaces(engine), model_surfaces(mechanism).supports
        links = [link for link in mechanism.scene.links if link.name in wanted]
        names = [link.name for link in links if _is_primitive(link) is of_primitives]
        _require_read(engine, surfaces, names)
        found = surfaces.supports
        more = _unstated(engine, mechanism, found) if of_primitives else []
        return {name: found[name] for name in (*names, *more) if name in found}

    return read


def _require_read(engine: Engine, surfaces: Surfaces, names: Iterable[str]) -> None:
    hidden = [name for name in names if name in surfaces.unread]
    if hidden:
        raise NotReportedError(
            f"{engine.name} shows no vertices of a mesh of {hidden[0]}, which stands still"
        )


def _unstated(engine: Engine, mechanism: Mechanism, found: Iterable[str]) -> list[str]:
    """Return the links of an engine that collide there, and for which the model has no shape; in
    an engine that reads the file, also those with a mesh that the model has lost without a finding.
    """
    scene = mechanism.scene
    without = {link.name for link in scene.links if not shapes_of(link)}
    if engine.reads_file:
        named = {str(x) for entry in scene.diagnostics for x in entry.arguments.values()}
        without |= {link.name for link in scene.links if _has_lost_mesh(link, named)}
    return [name for name in found if name in without]


def _has_lost_mesh(link: Link, named: Collection[str]) -> bool:
    """Return whether the file of a mesh was not found, and no finding names it."""
    shapes = [shape.geometry for shape in shapes_of(link)]
    lost = [each for each in shapes if isinstance(each, Mesh) and each.path is None]
    return any(mesh.uri and mesh.uri not in named for mesh in lost)


def _is_primitive(link: Link) -> bool:
    return all(isinstance(shape.geometry, PRIMITIVES) for shape in shapes_of(link))


def _states_shapes(*, of_primitives: bool) -> Callable[[Mechanism], bool]:
    def states(mechanism: Mechanism) -> bool:
        return any(
            shapes_of(link) and _is_primitive(link) is of_primitives
            for link in mechanism.scene.links
        )

    return states


def shape_distance(a: Array, b: Array, _scale: float) -> float:
    """Return the largest distance of the supports of shapes that belong together [m], shapes (n, m)
    and (k, m).

    Args:
        a: The shapes of one engine.
        b: The shapes of the other engine.
        _scale: Unused.
    """
    if len(a) != len(b):
        return math.inf
    left, worst = list(b), 0.0
    for support in a:
        distances = [float(np.abs(support - other).max()) for other in left]
        nearest = int(np.argmin(distances))
        worst = max(worst, distances[nearest])
        left.pop(nearest)
    return worst


def mesh_distance(a: Array, b: Array, _scale: float) -> float:
    """Return the distance of meshes relative to their extent; of all shapes together if a mesh
    became several.

    Args:
        a: The shapes of one engine.
        b: The shapes of the other engine.
        _scale: Unused.
    """
    together = a.max(axis=0), b.max(axis=0)
    extent = float((together[0][:3] + together[0][3:6]).max())
    distance = (
        shape_distance(a, b, 0.0)
        if len(a) == len(b)
        else float(np.abs(together[0] - together[1]).max())
    )
    return distance / extent if extent > 0.0 else math.inf


def _volumes(engine: Engine, mechanism: Mechanism) -> Readings:
    """Return the volume of the meshes of each link, and by how much it changes if each surface
    moves by its extent [m^3].
    """
    wanted = _stated_volumes(mechanism)
    surfaces = _surfaces(engine)
    _require_read(engine, surfaces, wanted)
    return _volumes_of(surfaces.hulls, wanted)


@lru_cache(maxsize=1)
def _stated_volumes(mechanism: Mechanism) -> Mapping[str, Array]:
    hulls = model_surfaces(mechanism).hulls
    return _volumes_of(hulls, hulls)


def _volumes_of(hulls: Mapping[str, Sequence[Hull]], names: Iterable[str]) -> Mapping[str, Array]:
    """Return the volume and its sensitivity of each link that has hulls, which are computed
    here.
    """
    volumes: dict[str, Array] = {}
    for name in names:
        computed = [hull() for hull in hulls.get(name, ())]
        solid = [triangles for triangles in computed if triangles is not None]
        if solid:
            volumes[name] = volume_and_sensitivity(solid)
    return volumes


def volume_distance(a: Array, b: Array, _scale: float) -> float:
    """Return how far surfaces must have moved for the difference of their volumes, relative to
    their extent.

    Args:
        a: The volume of one engine, and its change if each surface moves by its extent.
        b: The same of the other engine.
        _scale: Unused.
    """
    return float(abs(a[0] - b[0]) / max(a[1], b[1]))


def _visuals(engine: Engine, mechanism: Mechanism) -> Readings:
    """Return the poses of the visual shapes, shape (n, 7)."""
    surfaces, wanted = _surfaces(engine), model_surfaces(mechanism).visuals or {}
    found = surfaces.visuals
    _require(surfaces, "visuals")
    if found is None:
        raise NotReportedError(f"the engine {engine.name} does not report visuals")
    undrawn = {link.name for link in mechanism.scene.links if not link.visuals}
    more = [name for name in found if engine.reads_file and name in undrawn]
    names = [name for name in (*wanted, *more) if name in found]
    return {name: np.array([X.to_vector() for X in found[name]]) for name in names}


def drawn_distance(a: Array, b: Array, _scale: float) -> float:
    """Return the largest distance from a drawn shape to the nearest one of the other engine [m or
    rad].

    A mesh may be drawn as several shapes in the same pose.

    Args:
        a: The poses of one engine, shape (n, 7).
        b: The poses of the other engine, shape (k, 7).
        _scale: Unused.
    """
    distances = np.array([[_pose_error(x, y) for y in b] for x in a])
    return float(max(distances.min(axis=0).max(), distances.min(axis=1).max()))


def _pose_error(x: Array, y: Array) -> float:
    chord = min(float(np.linalg.norm(x[3:] - y[3:])), float(np.linalg.norm(x[3:] + y[3:])))
    return max(float(np.linalg.norm(x[:3] - y[:3])), 4.0 * math.asin(min(1.0, 0.5 * chord)))


# --- friction -------------------------------------------------------------------------------------


def _friction(engine: Engine, mechanism: Mechanism) -> Readings:
    """Return the coefficients of the shapes of each link, sorted."""
    surfaces, wanted = _surfaces(engine), model_surfaces(mechanism).friction
    _require(surfaces, "friction")
    found = surfaces.friction
    names = (*wanted, *_unstated(engine, mechanism, found))
    return {name: np.array(sorted(found[name])) for name in names if name in found}


def _may_slide(mechanism: Mechanism) -> bool:
    """Return whether links have friction, and in a world may touch."""
    is_alone = is_world(mechanism) and not mechanism.collidable_pairs()
    return bool(model_surfaces(mechanism).friction) and not is_alone


def coefficients_distance(a: Array, b: Array, _scale: float) -> float:
    """Return the largest difference of sorted coefficients; to the nearest one if a mesh became
    several.

    Args:
        a: The coefficients of one engine.
        b: The coefficients of the other engine.
        _scale: Unused.
    """
    return absolute(a, b, 0.0) if len(a) == len(b) else nearest_distance(a, b, 0.0)


def _pair_friction(engine: Engine, mechanism: Mechanism) -> Readings:
    """Return the different frictions of the shapes of every two links of a world that may touch."""
    if not is_world(mechanism):
        return {}
    surfaces, wanted = _surfaces(engine), model_surfaces(mechanism).friction
    if len(wanted) > MAX_COLLIDING_LINKS:
        raise NotReportedError(f"more than {MAX_COLLIDING_LINKS} links have shapes")
    group = {name: mechanism.weld_group_of(name) for name in wanted}
    allowed, listed = mechanism.collidable_pairs(), surfaces.pair_friction
    held = {link.name: _grips(surfaces, link) for link in mechanism.scene.links}
    found = {name: grips for name, grips in held.items() if grips}
    return {
        Place(f"{a} with {b}", a, b): np.unique(
            [
                listed.get(frozenset((s, t)), engine.combined_friction(one, other))
                for (s, one), (t, other) in product(found[a], found[b])
            ]
        )
        for a, b in combinations(wanted, 2)
        if group[a] != group[b] and frozenset((a, b)) in allowed and a in found and b in found
    }


def _grips(surfaces: Surfaces, link: Link) -> set[tuple[Hashable, Grip]]:
    """Return the different grips of the shapes of a link that exert forces, with the keys of those
    that are in listed pairs; all of a mesh that became several shapes, and of a link whose shapes
    exert forces in listed pairs only.
    """
    coefficients = enumerate(surfaces.friction.get(link.name, ()))
    held = surfaces.grips.get(link.name) or {k: Grip(mu) for k, mu in coefficients}
    acting = list(map(exerts_forces, shapes_of(link)))
    is_acting = acting if any(acting) and len(acting) == len(held) else [True] * len(held)
    paired = frozenset[Hashable]().union(*surfaces.pair_friction)
    return {
        (key if key in paired else None, grip)
        for (key, grip), acts in zip(held.items(), is_acting, strict=True)
        if acts or key in paired
    }


def nearest_distance(a: Array, b: Array, _scale: float) -> float:
    """Return the largest distance from a number of one engine to the nearest of the other one.

    Args:
        a: The numbers of one engine.
        b: The numbers of the other engine.
        _scale: Unused.
    """
    distances = np.abs(a[:, None] - b)
    return float(max(distances.min(axis=0).max(), distances.min(axis=1).max()))


def _contact_settings(engine: Engine, mechanism: Mechanism) -> Readings:
    """Torsional and rolling friction, stiffness and damping of the contacts of each shape, and in a
    file of one model restitution, shape (n, 5).
    """
    found = _surfaces(engine)
    _require(found, "contact")
    if found.contact is None:
        raise NotReportedError(f"the engine {engine.name} does not report settings of contact")
    bounce = {} if root_model(mechanism.scene) is None else found.restitution
    return {
        name: np.column_stack(
            (found.contact[name], bounce.get(name) or [0.0] * len(found.contact[name]))
        )
        for name in _links_with_own_settings(mechanism)
        if name in found.contact
    }


_SMALL = 120
"""Number of links and degrees of freedom up to which PyBullet merges none."""


@lru_cache(maxsize=1)
def _links_with_own_settings(mechanism: Mechanism) -> list[str]:
    """Return the links whose settings of contact PyBullet can hold: where a mechanism may be too
    large for a body, it has one set for links that are welded together.
    """
    stated, groups = model_surfaces(mechanism), dict[int, set[str]]()
    if len(mechanism.v_order) + len(mechanism.bodies) <= _SMALL:
        return list(stated.contact or {})
    for name, settings in (stated.contact or {}).items():
        groups.setdefault(mechanism.weld_group_of(name), set()).add(
            str((settings, stated.restitution[name]))
        )
    return [
        name for name in stated.contact or {} if len(groups[mechanism.weld_group_of(name)]) == 1
    ]


def settings_distance(a: Array, b: Array, _scale: float) -> float:
    """Return the largest relative difference of single numbers; two that are left to the engine are
    equal.

    Args:
        a: The numbers of one engine.
        b: The numbers of the other engine.
        _scale: Unused.
    """
    differing = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    change = np.abs(a - b)[differing] / np.maximum(np.abs(a), np.abs(b))[differing]
    return float(np.where(np.isnan(change), math.inf, change).max(initial=0.0))


SHAPE_QUANTITIES = (
    Quantity(
        level=Level.MODEL,
        name="shapes",
        unit="m",
        error=shape_distance,
        read=_shapes(of_primitives=True),
        is_stated=_states_shapes(of_primitives=True),
        causes=LOST_SHAPE,
    ),
    Quantity(
        level=Level.MODEL,
        name="meshes",
        error=mesh_distance,
        read=_shapes(of_primitives=False),
        tolerance=MESH_TOLERANCE,
        is_stated=_states_shapes(of_primitives=False),
        causes=LOST_SHAPE | _HULLS | READ_OTHERWISE,
    ),
    Quantity(
        level=Level.MODEL,
        name="mesh volumes",
        error=volume_distance,
        read=_volumes,
        tolerance=MESH_TOLERANCE,
        is_stated=lambda mechanism: bool(model_surfaces(mechanism).hulls),
        causes=LOST_SHAPE | READ_OTHERWISE | {codes.DRAKE_ONE_HULL},
    ),
    Quantity(
        level=Level.MODEL,
        name="visual shapes",
        unit="m or rad",
        error=drawn_distance,
        read=_visuals,
        is_stated=lambda mechanism: bool(model_surfaces(mechanism).visuals),
        causes=LOST_SHAPE | READ_OTHERWISE,
    ),
    Quantity(
        level=Level.MODEL,
        name="friction of shapes",
        error=coefficients_distance,
        read=_friction,
        is_stated=_may_slide,
        causes=LOST_SHAPE | {pybullet_codes.SURFACE_PER_LINK, codes.DRAKE_FRICTION},
    ),
    Quantity(
        level=Level.MODEL,
        name="friction of pairs",
        error=nearest_distance,
        read=_pair_friction,
        is_stated=is_world,
        causes=LOST_SHAPE | FRICTION_OF_PAIRS | {pybullet_codes.CONTACT_PAIR},
    ),
    Quantity(
        level=Level.MODEL,
        name="settings of contact",
        error=settings_distance,
        read=_contact_settings,
        is_stated=lambda _mechanism: False,
        causes=LOST_SHAPE | {pybullet_codes.SURFACE_PER_LINK},
    ),
    *STOP_QUANTITIES,
)
"""The quantities in the order of the report.

Only PyBullet has the settings of contact as numbers of the file: a row without them leaves no gap.
What the motion in contact is, L4 measures."""
