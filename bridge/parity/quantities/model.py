"""Quantities of settings and actuators, and of MuJoCo's own elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from bridge import codes
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, initial_positions, kind_of
from bridge.parity.causes import READ_OTHERWISE
from bridge.parity.engine import (
    Engine,
    NotReportedError,
    Settings,
    Statements,
    stated_frames,
)
from bridge.parity.quantity import (
    TOLERANCE,
    Place,
    Quantity,
    Readings,
    WorstErrors,
    absolute,
    compare_readings,
    dof_place,
    matrix,
    names_at,
    pose_distance,
    relative,
)
from bridge.parity.readings import actuator_trials, untried_actuators
from bridge.parity.reference import ReferenceEngine
from bridge.parity.verdict import REFERENCE, Level, Outcome, Row
from bridge.targets.mjcf import codes as mjcf_codes
from loaders import codes as loaders_codes
from loaders.engine_settings import MUJOCO, conventions_of
from loaders.model import WORLD, settings_of
from loaders.pose import IDENTITY, Array
from loaders.scoped_names import MODEL_FRAME, local_name

from .shapes import SHAPE_QUANTITIES

EFFORT_TOLERANCE = 1e-6
"""Relative tolerance of efforts: PyBullet's are measured in a step, MuJoCo's and the model's are
exact."""
_SHOWN = 3
"""Number of actuators that a reason names."""


def _actuator_efforts(engine: Engine, mechanism: Mechanism) -> Readings:
    """Return the efforts at the joints after the commands of their trials [N m or N]."""
    return engine.actuator_efforts(actuator_trials(mechanism))


def _laws(engine: Engine, mechanism: Mechanism) -> Readings:
    """Return the laws of actuators as compiled, if MuJoCo states them; all others cannot be
    compared.
    """
    untried = untried_actuators(mechanism)
    if not untried:
        return {}
    named = [
        item.actuator.name for item in mechanism.actuators if settings_of(item.actuator, MUJOCO)
    ]
    try:
        laws = engine.actuator_laws()
    except NotReportedError:
        laws = []
    if not laws or len(laws) != len(named):
        more = " and others" if len(untried) > _SHOWN else ""
        raise NotReportedError(
            f"the actuators of {', '.join(untried[:_SHOWN])}{more} are not tried in {engine.name}"
        )
    return {Place(name, name): np.asarray(law) for name, law in zip(named, laws, strict=True)}


def _servos(engine: Engine, mechanism: Mechanism) -> Readings:
    """Return effort limit, gains and range of the actuators of an MJCF file."""
    stated = [item for item in mechanism.actuators if settings_of(item.actuator, MUJOCO)]
    return dict(engine.servos()) if stated else {}


def scaled(a: Array, b: Array, _scale: float) -> float:
    """Return the largest difference of numbers, relative to those larger than one; infinities of
    the same sign are equal.

    Args:
        a: The numbers of one engine.
        b: The numbers of the other engine.
        _scale: Unused.
    """
    a, b = a[a != b], b[a != b]
    known = np.isfinite(a) & np.isfinite(b)
    worst = np.abs(a - b)[known] / np.maximum(1.0, np.abs(a[known]))
    return float(worst.max(initial=0.0)) if known.all() else math.inf


ACTUATOR_QUANTITIES = (
    Quantity(
        level=Level.MODEL,
        name="actuator efforts",
        error=relative,
        read=_actuator_efforts,
        tolerance=EFFORT_TOLERANCE,
        is_stated=lambda mechanism: bool(actuator_trials(mechanism)),
        causes=frozenset({mjcf_codes.ACTUATOR}),
    ),
    Quantity(
        level=Level.MODEL,
        name="actuator laws",
        error=relative,
        read=_laws,
        is_stated=lambda mechanism: bool(untried_actuators(mechanism)),
    ),
    Quantity(
        level=Level.MODEL,
        name="servos",
        error=scaled,
        read=_servos,
        is_stated=lambda _mechanism: False,
    ),
)
"""The quantities in the order of the report."""


FORM_TOLERANCE = 2e-5
"""Tolerance of meshes and height fields relative to their size: vertices have single precision,
heights 16 bits."""
_MISSING = frozenset(
    {
        loaders_codes.RESOURCE_NOT_FOUND,
        loaders_codes.MESH_MISSING,
        loaders_codes.MESH_UNREADABLE,
        mjcf_codes.EMPTY_SHAPE,
        mjcf_codes.NO_SHAPE,
    }
)
_FLOOR = 1e-3
"""Numbers below it are compared relative to it: zero has no relative error."""


def _statements(engine: Engine, mechanism: Mechanism) -> Readings:
    """Read the numbers of each element, if the source is MJCF."""
    return _at_elements(engine.compiled_statements()) if _is_mjcf(mechanism) else {}


def _forms(engine: Engine, mechanism: Mechanism) -> Readings:
    """Read the supports of each mesh and the heights of each height field, if the source is
    MJCF.
    """
    return _at_elements(engine.compiled_forms()) if _is_mjcf(mechanism) else {}


def _is_mjcf(mechanism: Mechanism) -> bool:
    return conventions_of(mechanism.physics).is_compiled


def _at_elements(statements: Statements) -> dict[str, Array]:
    return {Place(label, *names): numbers for (label, names), numbers in statements.items()}


def _distance(a: Array, b: Array, _scale: float) -> float:
    """Return the largest relative difference; infinite if there are more numbers on one side."""
    if a.shape != b.shape:
        return math.inf
    different = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    one, two = a[different], b[different]
    with np.errstate(invalid="ignore"):
        return float(
            np.nan_to_num(
                np.abs(one - two) / np.maximum(np.maximum(np.abs(one), np.abs(two)), _FLOOR),
                nan=math.inf,
                posinf=math.inf,
            ).max(initial=0.0)
        )


def _form_distance(a: Array, b: Array, _scale: float) -> float:
    """Return the largest difference relative to the largest number; infinite if there are more
    numbers on one side.
    """
    if a.shape != b.shape:
        return math.inf
    size = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    difference = float(np.abs(a - b).max(initial=0.0))
    return difference / size if difference else 0.0


ENGINE_QUANTITIES = (
    Quantity(
        level=Level.MODEL,
        name="compiled settings",
        error=_distance,
        read=_statements,
        is_stated=lambda _mechanism: False,
        causes=frozenset({mjcf_codes.MUJOCO_ELEMENT}),
    ),
    Quantity(
        level=Level.MODEL,
        name="compiled meshes",
        error=_form_distance,
        read=_forms,
        tolerance=FORM_TOLERANCE,
        is_stated=lambda _mechanism: False,
        causes=_MISSING | READ_OTHERWISE,
    ),
)
"""The quantities in the order of the report: other engines lack them, so that a row without them
leaves no gap."""


RUNNING = "running settings"
"""Name of the quantity of what acts in the running engine beside its mechanics."""


def running_rows(engines: Mapping[str, Engine]) -> Iterator[Row]:
    """Yield one row for each engine that tells its settings: whether those that act in it are those
    with which the model was loaded.

    Args:
        engines: The open engines by name.
    """
    for name, engine in engines.items():
        running, loaded = map(_at_elements, engine.running_statements())
        worst = WorstErrors()
        compare_readings(running, loaded, _distance, worst)
        if worst.where:
            yield Row(
                level=Level.MODEL,
                quantity=RUNNING,
                engines=(REFERENCE, name),
                error=worst.error,
                tolerance=TOLERANCE,
                where=worst.where,
                subjects=names_at(worst.where),
                outcome=Outcome.PASSED if worst.error <= TOLERANCE else Outcome.FAILED,
                is_stated=False,
            )


_WORLD = "world"
"""The place of gravity and of the time step."""
_Get = Callable[[Settings], Mapping[str, Array] | None]


def _quantity(get: _Get) -> Callable[[Engine, Mechanism], Readings]:
    """Read a quantity at the places where the model states it; a world without bodies states
    nothing.
    """

    def read(engine: Engine, mechanism: Mechanism) -> Readings:
        values = get(engine.settings())
        wanted = get(ReferenceEngine(mechanism).settings()) if mechanism.bodies else {}
        if values is None or wanted is None:
            return None
        return {place: values[place] for place in wanted if place in values}

    return read


def _initial_poses(engine: Engine, mechanism: Mechanism) -> Readings:
    """Return the poses of the links, each in its parent, except where a joint starts outside of its
    limits or in a loop.
    """
    poses = {WORLD: IDENTITY, **engine.settings().initial_poses}
    parents = {
        body.name: WORLD if body.parent == ROOT else mechanism.bodies[body.parent].name
        for body in mechanism.bodies
    }
    names = [
        name
        for name in _links_that_start_as_stated(mechanism)
        if name in poses and parents[name] in poses
    ]
    return {name: matrix(poses[parents[name]].inverse() @ poses[name]) for name in names}


def _zero_poses(engine: Engine, _mechanism: Mechanism) -> Readings:
    """Return the poses of the links with all joints at zero; those of the scene are numbers that
    the reader computed.
    """
    return {name: matrix(X_WL) for name, X_WL in engine.zero_poses().items()}


def _frame_poses(engine: Engine, mechanism: Mechanism, *, of_models: bool = False) -> Readings:
    """Return the poses of the frames that the source names, or of those of its models, each in its
    link.
    """
    if not stated_frames(mechanism.scene):
        return {}
    return {
        name: matrix(X_LF)
        for name, X_LF in engine.frame_poses().items()
        if (local_name(name) == MODEL_FRAME) is of_models
    }


def _links_that_start_as_stated(mechanism: Mechanism) -> Iterator[str]:
    """Yield the links whose joints towards the world all start within their limits; of loops only
    the bases.
    """
    positions = mechanism.positions_by_body(
        {} if mechanism.closures else initial_positions(mechanism)
    )
    stated: list[bool] = []
    for body, q in zip(mechanism.bodies, positions, strict=True):
        is_base = (
            body.parent == ROOT and kind_of(body) is PrimitiveKind.FREE
        ) or not body.primitives
        stays = is_base or (not mechanism.closures and _is_within_limits(body, q))
        stated.append(stays and (body.parent == ROOT or stated[body.parent]))
        if stated[-1]:
            yield body.name


def _is_within_limits(body: Body, q: Coordinates) -> bool:
    limits = [
        (p.limits, q[p.dof_index])
        for p in body.primitives
        if p.limits is not None and kind_of(body) is None
    ]
    return all(axis.lower <= x <= axis.upper for axis, x in limits)


def _gravity(settings: Settings) -> Mapping[str, Array] | None:
    return None if settings.gravity is None else {_WORLD: settings.gravity}


def _time_step(settings: Settings) -> Mapping[str, Array] | None:
    return None if settings.time_step is None else {_WORLD: np.array([settings.time_step])}


def _efforts(settings: Settings) -> Mapping[str, Array] | None:
    if settings.efforts is None:
        return None
    return {dof_place(dof): np.array([effort]) for dof, effort in settings.efforts.items()}


_ROUNDED_QUATERNION = 1e-5
"""Largest difference between poses of models that passes: libsdformat, by which a witness reads
the file, computes them with quaternions of six digits as they are stated, not of unit length."""

STATED_QUANTITIES = (
    Quantity(
        level=Level.MODEL, name="gravity", unit="m/s^2", error=absolute, read=_quantity(_gravity)
    ),
    Quantity(
        level=Level.MODEL, name="time step", unit="s", error=absolute, read=_quantity(_time_step)
    ),
    Quantity(
        level=Level.MODEL,
        name="initial poses",
        unit="m or rad",
        error=pose_distance,
        read=_initial_poses,
        causes=frozenset({codes.DRAKE_UNREAD}),
    ),
    Quantity(
        level=Level.MODEL,
        name="poses at zero",
        unit="m or rad",
        error=pose_distance,
        read=_zero_poses,
        causes=frozenset({loaders_codes.MODEL_POSE_AGAINST_JOINT}),
    ),
    Quantity(
        level=Level.MODEL,
        name="poses of frames",
        unit="m or rad",
        error=pose_distance,
        read=_frame_poses,
        causes=frozenset({codes.DRAKE_FRAME_ON_FRAME}),
        is_stated=lambda _mechanism: False,
    ),
    Quantity(
        level=Level.MODEL,
        name="frames of models",
        unit="m or rad",
        error=pose_distance,
        tolerance=_ROUNDED_QUATERNION,
        read=partial(_frame_poses, of_models=True),
        is_stated=lambda _mechanism: False,
    ),
    Quantity(
        level=Level.MODEL,
        name="effort limits",
        unit="N m or N",
        error=absolute,
        read=_quantity(_efforts),
        causes=frozenset({mjcf_codes.ZERO_EFFORT}),
    ),
    *ACTUATOR_QUANTITIES,
    *SHAPE_QUANTITIES,
    *ENGINE_QUANTITIES,
)
"""The quantities in the order of the report."""
