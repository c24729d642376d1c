"""Run real models in MuJoCo under random full controls, and compare their mechanics with Drake and
the mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import mujoco
import numpy as np

import bridge
import loaders
from bridge.lowering.transform import mechanism_of
from bridge.mechanism import Mechanism
from bridge.parity.verdict import Level, Outcome, Row
from bridge.targets.mjcf import Actuators
from bridge.targets.mjcf.joint import ScalarJoint, joint_of_velocity
from loaders.diagnostics import Diagnostic, ExportError
from tests.corpora.model_batch import do_all
from tests.corpora.models_corpus import MASSES, PIVOTED, POSES, STATES, Model, mujoco_warnings

KINDS: tuple[Actuators, ...] = ("dcmotor", "position", "velocity", "motor")
WITHIN = KINDS[:3]
"""Actuators whose controls respect all limits of the file; a plain motor has no speed limit."""
HOLD = 0.05
"""Duration of each control [s]."""
UNBOUNDED = 1.0
"""The largest control of an actuator without a range [N m, rad, rad/s; for slides N, m, m/s]."""
TURN = 0.2
"""The largest commanded change of a position in a time step [rad or m]."""
FRACTIONS = (1, 4, 16)
"""Divisors of the time step of a model, tried in order until MuJoCo does not warn."""
CAUSES = ("mjcf.light-joint", "mjcf.massless-link", "lower.massless-free-link", PIVOTED)
"""Codes of diagnostics that predict warnings: of models that cannot bear full effort without a
speed limit, and of MuJoCo's solver.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Results of one second with one kind of actuators."""

    actuators: int
    warning: str = ""
    """MuJoCo's first warning at the time step of the model."""
    step: float = math.inf
    """The largest tested time step without a warning [s]; infinite if there is none."""
    overlap: tuple[float, str] = (0.0, "")
    """The deepest initial overlap of two links [m], and their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """Results of one model."""

    model: str
    invalid: str = ""
    repaired: tuple[str, ...] = ()
    """Messages about repaired inertias, which the export and the mechanism both use."""
    runs: dict[str, Run] = field(default_factory=dict)
    causes: tuple[str, ...] = ()
    """Codes of `CAUSES` among the diagnostics."""
    errors: dict[str, float] = field(default_factory=dict)
    """Errors of poses and mass matrix, MuJoCo against the mechanism."""
    drake: dict[str, float] = field(default_factory=dict)
    """Errors of poses and mass matrix, MuJoCo against Drake, if Drake reads the file."""
    explained: tuple[str, ...] = ()
    """Known causes of differences."""
    differs: tuple[str, ...] = ()
    crash: str = ""


def move_all(models: Sequence[Model]) -> list[Motion]:
    """Run models, each in a separate process."""
    return do_all(move, models, lambda model, crash: Motion(model=model.name, crash=crash))


def move(model: Model) -> Motion:
    """Run a model in this process."""
    search = {"paths": list(model.paths), "package_map": model.packages}
    try:
        mechanism = mechanism_of(
            _without_visuals(loaders.load(model.path, **search)), repair_inertia=True
        )
        with mujoco_warnings() as warnings:
            rows, diagnostics = _compare(mechanism, search)
            runs = {kind: _run(mechanism, kind, warnings) for kind in KINDS}
    except (loaders.LoadError, ExportError) as error:
        return Motion(model=model.name, invalid=str(error).partition("\n")[0])
    codes = {entry.code for entry in diagnostics}
    return Motion(
        model=model.name,
        repaired=tuple(
            entry.message
            for entry in mechanism.diagnostics
            if entry.code == "lower.repaired-inertia"
        ),
        runs=runs,
        causes=tuple(code for code in CAUSES if code in codes),
        errors=_errors(rows, ("reference", "mujoco")),
        drake=_errors(rows, ("mujoco", "drake")),
        explained=tuple(
            dict.fromkeys(row.cause for row in rows if row.outcome is Outcome.EXPLAINED)
        ),
        differs=tuple(
            f"{row.quantity} by {row.error:.1e}" for row in rows if row.outcome is Outcome.FAILED
        ),
    )


def _without_visuals(scene: loaders.Scene) -> loaders.Scene:
    """Return the scene without visuals."""
    return replace(scene, links=tuple(replace(link, visuals=()) for link in scene.links))


def _compare(
    mechanism: Mechanism, search: dict[str, Any]
) -> tuple[list[Row], tuple[Diagnostic, ...]]:
    comparison = bridge.compare(
        mechanism,
        engines=("mujoco", "drake"),
        levels=(Level.MODEL, Level.OPERATORS),
        configurations=STATES,
        **search,
    )
    rows = [
        row
        for row in comparison.rows
        if row.quantity in {POSES, MASSES} and "mujoco" in row.engines
    ]
    return rows, comparison.diagnostics


def _errors(rows: Iterable[Row], engines: tuple[str, str]) -> dict[str, float]:
    passed = (row for row in rows if row.engines == engines and row.outcome is Outcome.PASSED)
    return {row.quantity: row.error for row in passed}


# --- one second of motion -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """Range of the random controls of each actuator."""

    lower: Any
    upper: Any
    speeds: Any
    """Largest rate of change of a control [per second]; infinite if it may jump."""


def _run(mechanism: Mechanism, kind: Actuators, warnings: list[str]) -> Run:
    mjcf = bridge.to_mjcf(mechanism, actuators=kind)
    model = mujoco.MjModel.from_xml_string(str(mjcf), mjcf.assets)
    timestep, first, overlap = model.opt.timestep, "", _overlap(model)
    controls = _controls(model, mechanism, kind)
    for fraction in FRACTIONS:
        model.opt.timestep = timestep / fraction
        warning = run_for_a_second(model, controls, warnings)
        first = first or warning
        if not warning:
            return Run(actuators=model.nu, warning=first, step=model.opt.timestep, overlap=overlap)
    return Run(actuators=model.nu, warning=first, overlap=overlap)


def _controls(model: Any, mechanism: Mechanism, kind: Actuators) -> Controls:
    """Return controls within the range of each actuator and the speed limits of the file."""
    lower, upper = np.where(
        model.actuator_ctrllimited[:, None], model.actuator_ctrlrange, (-UNBOUNDED, UNBOUNDED)
    ).T
    limits = {
        carrier.joint: _speed_limit(mechanism, carrier)
        for carrier in joint_of_velocity(mechanism).values()
    }
    driven = [model.joint(joint).name for joint in model.actuator_trnid[:, 0]]
    speeds = np.minimum([limits[joint] for joint in driven], TURN / model.opt.timestep)
    if kind == "position":
        return Controls(lower=lower, upper=upper, speeds=speeds)
    most = speeds if kind == "velocity" else np.full(model.nu, np.inf)
    return Controls(
        lower=np.maximum(lower, -most),
        upper=np.minimum(upper, most),
        speeds=np.full(model.nu, np.inf),
    )


def _speed_limit(mechanism: Mechanism, carrier: ScalarJoint) -> float:
    axis = mechanism.bodies[carrier.body].primitives[carrier.primitive].limits
    return abs(carrier.ratio) * axis.velocity if axis is not None else math.inf


def run_for_a_second(model: Any, controls: Controls, warnings: list[str]) -> str:
    """Run a second with random controls, from the last key if there is one.

    Args:
        model: The compiled model.
        controls: Range of the controls.
        warnings: The list that collects MuJoCo's warnings; it is empty afterwards.

    Returns:
        MuJoCo's first warning; empty if there is none.
    """
    data, rng = _initial_state(model), np.random.default_rng(0)
    hold, most = max(1, round(HOLD / model.opt.timestep)), controls.speeds * model.opt.timestep
    data.ctrl[:] = data.qpos[model.jnt_qposadr[model.actuator_trnid[:, 0]]]
    target = data.ctrl.copy()
    for k in range(math.ceil(1.0 / model.opt.timestep)):
        if k % hold == 0:
            target = rng.uniform(controls.lower, controls.upper)
        data.ctrl[:] += np.clip(target - data.ctrl, -most, most)
        mujoco.mj_step(model, data)
        if warnings:
            break
    if not np.isfinite(data.qpos).all():
        warnings.append("a position is not finite")
    first = warnings[0] if warnings else ""
    warnings.clear()
    return first


def _initial_state(model: Any) -> Any:
    """Return the state at the last key, which is that of the initial position if there is one;
    without keys, zero.
    """
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, model.nkey - 1)
    return data


def _overlap(model: Any) -> tuple[float, str]:
    """Return the deepest initial overlap of two links [m], and their names."""
    data = _initial_state(model)
    mujoco.mj_fwdPosition(model, data)
    overlaps = [(0.0, "")]
    for contact in data.contact[: data.ncon]:
        names = [model.body(model.geom_bodyid[geom]).name for geom in contact.geom]
        if "world" not in names:
            overlaps.append((-float(contact.dist), " and ".join(names)))
    return max(overlaps)
