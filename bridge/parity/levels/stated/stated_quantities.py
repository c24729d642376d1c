"""Level L0: what a model states beside its mechanics: settings, shapes, friction, stops, read from running engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, kind_of, positions_by_body
from bridge.mechanism.couplings import initial_positions
from bridge.parity.engines.protocol import Engine, NotReportedError, Settings
from bridge.parity.engines.reference_engine import ReferenceEngine
from bridge.parity.levels.quantities import Quantity, Readings, absolute, dof_place, matrix, pose_distance
from bridge.parity.results.verdict import Level
from loaders.model import WORLD
from loaders.spatial import IDENTITY, Array

from .actuator_quantities import ACTUATOR_QUANTITIES
from .engine_quantities import ENGINE_QUANTITIES
from .shape_quantities import SHAPE_QUANTITIES

_WORLD = "world"
"""The place of gravity and of the time step."""
_Get = Callable[[Settings], Mapping[str, Array]]


def _settings(engine: Engine) -> Settings:
    read = getattr(engine, "settings", None)
    if read is None:
        raise NotReportedError(f"{engine.name} does not report it")
    settings: Settings = read()
    return settings


def _quantity(get: _Get) -> Callable[[Engine, Mechanism], Readings]:
    """Read a quantity at the places where the model states it; a world without bodies states nothing."""

    def read(engine: Engine, mechanism: Mechanism) -> Readings:
        values = get(_settings(engine))
        wanted = get(ReferenceEngine(mechanism).settings()) if mechanism.bodies else {}
        return {place: values[place] for place in wanted if place in values}

    return read


def _initial_poses(engine: Engine, mechanism: Mechanism) -> Readings:
    """The poses of the links, each in its parent, except where a joint starts outside of its limits or in a loop."""
    poses = {WORLD: IDENTITY, **_settings(engine).initial_poses}
    parents = {
        body.name: WORLD if body.parent == ROOT else mechanism.bodies[body.parent].name for body in mechanism.bodies
    }
    names = [name for name in _links_that_start_as_stated(mechanism) if name in poses and parents[name] in poses]
    return {name: matrix(poses[parents[name]].inverse() @ poses[name]) for name in names}


def _zero_poses(engine: Engine, mechanism: Mechanism) -> Readings:
    """The poses of the links with all joints at zero; those of the scene are numbers that the reader computed."""
    if engine.name == ReferenceEngine.name:
        return {body.name: matrix(body.link.X_WL) for body in mechanism.bodies}
    positions = positions_by_body(mechanism.bodies, {})
    q = {str(body.joint): q for body, q in zip(mechanism.bodies, positions, strict=True) if body.primitives}
    engine.set_state(q, {})
    return {name: matrix(X_WL) for name, X_WL in engine.link_poses().items()}


def _links_that_start_as_stated(mechanism: Mechanism) -> Iterator[str]:
    """Yield the links of which each joint towards the world starts within its limits; of loops only the bases."""
    positions = mechanism.positions_by_body({} if mechanism.closures else initial_positions(mechanism))
    stated: list[bool] = []
    for body, q in zip(mechanism.bodies, positions, strict=True):
        is_base = (body.parent == ROOT and kind_of(body) is PrimitiveKind.FREE) or not body.primitives
        stays = is_base or (not mechanism.closures and _is_within_limits(body, q))
        stated.append(stays and (body.parent == ROOT or stated[body.parent]))
        if stated[-1]:
            yield body.name


def _is_within_limits(body: Body, q: Coordinates) -> bool:
    limits = [(p.limits, q[p.dof_index]) for p in body.primitives if p.limits is not None and kind_of(body) is None]
    return all(axis.lower <= x <= axis.upper for axis, x in limits)


def _efforts(settings: Settings) -> Mapping[str, Array]:
    return {dof_place(dof): np.array([effort]) for dof, effort in settings.efforts.items()}


STATED_QUANTITIES = (
    Quantity(
        level=Level.MODEL, name="gravity", unit="m/s^2", error=absolute,
        read=_quantity(lambda settings: {_WORLD: settings.gravity}),
    ),
    Quantity(
        level=Level.MODEL, name="time step", unit="s", error=absolute,
        read=_quantity(lambda settings: {_WORLD: np.array([settings.time_step])}),
    ),
    Quantity(
        level=Level.MODEL, name="initial poses", unit="m or rad", error=pose_distance,
        read=_initial_poses,
    ),
    Quantity(
        level=Level.MODEL, name="poses at zero", unit="m or rad", error=pose_distance, read=_zero_poses,
        causes=frozenset({"model.pose-against-joint"}),
    ),
    Quantity(
        level=Level.MODEL, name="effort limits", unit="N m or N", error=absolute, read=_quantity(_efforts),
        causes=frozenset({"mjcf.zero-effort"}),
    ),
    *ACTUATOR_QUANTITIES,
    *SHAPE_QUANTITIES,
    *ENGINE_QUANTITIES,
)  # fmt: skip
"""The quantities in the order of the report."""
