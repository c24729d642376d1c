"""Real models in MuJoCo under random controls of full size, and their mechanics against Drake and the mechanism."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import mujoco
import numpy as np

import bridge
import loaders
from bridge.lowering.inputs import mechanism_of
from bridge.mechanism import Mechanism
from bridge.mjcf import Actuators
from bridge.mjcf.body.joints import Carrier, carriers
from bridge.parity.results.verdict import Level, Outcome, Row
from loaders.diagnostics import Diagnostic, ExportError
from tests.corpora.models_corpus import MASSES, POSES, STATES, Model, alone, mujoco_warnings

KINDS: tuple[Actuators, ...] = ("dcmotor", "position", "velocity", "motor")
WITHIN = KINDS[:3]
"""Those whose controls keep within all the limits that the file states; a motor knows no limit of speed."""
HOLD = 0.05
"""How long each control is held [s]."""
UNBOUNDED = 1.0
"""The largest control of an actuator without a range [N m, rad, rad/s, or of a slide]."""
TURN = 0.2
"""The most that a position may be told to move in a time step [rad or m]."""
FRACTIONS = (1, 4, 16)
"""Parts of its own time step that a model is run with, until MuJoCo has nothing to say."""
CAUSES = ("mjcf.light-joint", "mjcf.massless-link", "lower.massless-free-link")
"""Codes of the ledger that foretell that a model cannot bear full effort without a limit of speed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A second with one kind of actuators."""

    actuators: int
    warning: str = ""
    """MuJoCo's first, at the model's own time step."""
    step: float = math.inf
    """The largest time step that was tried without a warning [s]; infinite if none was."""
    overlap: tuple[float, str] = (0.0, "")
    """How deep two links are in each other at the start [m], and their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """What came of one model."""

    model: str
    invalid: str = ""
    repaired: tuple[str, ...] = ()
    """What was said of each impossible inertia; that of the export and that of the mechanism are replaced."""
    runs: dict[str, Run] = field(default_factory=dict)
    causes: tuple[str, ...] = ()
    """Those of `CAUSES` that the ledger has."""
    errors: dict[str, float] = field(default_factory=dict)
    """Of poses and mass matrix, of MuJoCo against the mechanism."""
    drake: dict[str, float] = field(default_factory=dict)
    """The same of MuJoCo against Drake, where it reads the file."""
    explained: tuple[str, ...] = ()
    """Why either differs, as the ledger has it."""
    differs: tuple[str, ...] = ()
    crash: str = ""


def move(model: Model) -> Motion:
    """What comes of a model, in a process of its own."""
    found, crash, _ = alone(_motion, model)
    return replace(found or Motion(model=model.name), crash=crash.strip().rpartition("\n")[2])


def _motion(model: Model) -> Motion:
    search = {"paths": list(model.paths), "package_map": model.packages}
    try:
        mechanism = mechanism_of(_unseen(loaders.load(model.path, **search)), repair_inertia=True)
        with mujoco_warnings() as warnings:
            rows, ledger = _compared(mechanism, search)
            runs = {kind: _run(mechanism, kind, warnings) for kind in KINDS}
    except (loaders.LoadError, ExportError) as error:
        return Motion(model=model.name, invalid=str(error).partition("\n")[0])
    codes = {entry.code for entry in ledger}
    return Motion(
        model=model.name,
        repaired=tuple(entry.message for entry in mechanism.diagnostics if entry.code == "lower.repaired-inertia"),
        runs=runs,
        causes=tuple(code for code in CAUSES if code in codes),
        errors=_errors(rows, ("reference", "mujoco")),
        drake=_errors(rows, ("mujoco", "drake")),
        explained=tuple(dict.fromkeys(row.cause for row in rows if row.outcome is Outcome.EXPLAINED)),
        differs=tuple(f"{row.quantity} by {row.error:.1e}" for row in rows if row.outcome is Outcome.FAILED),
    )


def _unseen(scene: loaders.Scene) -> loaders.Scene:
    """Without what is only seen."""
    return replace(scene, links=tuple(replace(link, visuals=()) for link in scene.links))


def _compared(mechanism: Mechanism, search: dict[str, Any]) -> tuple[list[Row], tuple[Diagnostic, ...]]:
    found = bridge.compare(
        mechanism, engines=("mujoco", "drake"), levels=(Level.MODEL, Level.OPERATORS), configurations=STATES, **search
    )
    rows = [row for row in found.rows if row.quantity in {POSES, MASSES} and "mujoco" in row.engines]
    return rows, found.diagnostics


def _errors(rows: Iterable[Row], engines: tuple[str, str]) -> dict[str, float]:
    passed = (row for row in rows if row.engines == engines and row.outcome is Outcome.PASSED)
    return {row.quantity: row.error for row in passed}


# --- a second under controls -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """What controls are drawn from, for each actuator."""

    lower: Any
    upper: Any
    speeds: Any
    """How fast a control may change [per second]; infinite where it may jump."""


def _run(mechanism: Mechanism, kind: Actuators, warnings: list[str]) -> Run:
    mjcf = bridge.to_mjcf(mechanism, actuators=kind)
    model = mujoco.MjModel.from_xml_string(str(mjcf), mjcf.assets)
    own, first, overlap = model.opt.timestep, "", _overlap(model)
    controls = _controls(model, mechanism, kind)
    for fraction in FRACTIONS:
        model.opt.timestep = own / fraction
        warning = shaken(model, controls, warnings)
        first = first or warning
        if not warning:
            return Run(actuators=model.nu, warning=first, step=model.opt.timestep, overlap=overlap)
    return Run(actuators=model.nu, warning=first, overlap=overlap)


def _controls(model: Any, mechanism: Mechanism, kind: Actuators) -> Controls:
    """Within the range of each actuator; positions change, and velocities are, no faster than the file allows."""
    lower, upper = np.where(model.actuator_ctrllimited[:, None], model.actuator_ctrlrange, (-UNBOUNDED, UNBOUNDED)).T
    limits = {carrier.joint: _speed_limit(mechanism, carrier) for carrier in carriers(mechanism).values()}
    driven = [model.joint(joint).name for joint in model.actuator_trnid[:, 0]]
    speeds = np.minimum([limits[joint] for joint in driven], TURN / model.opt.timestep)
    if kind == "position":
        return Controls(lower=lower, upper=upper, speeds=speeds)
    most = speeds if kind == "velocity" else np.full(model.nu, np.inf)
    return Controls(lower=np.maximum(lower, -most), upper=np.minimum(upper, most), speeds=np.full(model.nu, np.inf))


def _speed_limit(mechanism: Mechanism, carrier: Carrier) -> float:
    axis = mechanism.bodies[carrier.body].primitives[carrier.primitive].limits
    return abs(carrier.ratio) * axis.velocity if axis is not None else math.inf


def shaken(model: Any, controls: Controls, warnings: list[str]) -> str:
    """MuJoCo's first warning in a second under random controls, from where its users start; or nothing."""
    data, rng = _started(model), np.random.default_rng(0)
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
        warnings.append("a position is no number")
    found = warnings[0] if warnings else ""
    warnings.clear()
    return found


def _started(model: Any) -> Any:
    """The state that a user of MuJoCo starts from: the first keyframe, or zero."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    return data


def _overlap(model: Any) -> tuple[float, str]:
    """The deepest contact between two links at the start [m], and which they are."""
    data = _started(model)
    mujoco.mj_fwdPosition(model, data)
    found = [(0.0, "")]
    for contact in data.contact[: data.ncon]:
        names = [model.body(model.geom_bodyid[geom]).name for geom in contact.geom]
        if "world" not in names:
            found.append((-float(contact.dist), " and ".join(names)))
    return max(found)
