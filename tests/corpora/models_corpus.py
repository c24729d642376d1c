"""Real models, from the file to both running engines, each in a process of its own."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import re
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

import mujoco
import numpy as np

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Comparison
from bridge.parity.results.verdict import Level, Outcome, Row
from loaders.diagnostics import Diagnostic, ExportError, Fate
from tests.corpora import robots_corpus

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("SDFBRIDGE_CORPUS", ROOT.parent / "shared" / "corpus"))
SECONDS = 180.0
"""How long one model may take."""
MEMORY = 8 << 30
"""How many bytes of addresses one process may have."""
_DRAKE = ["pydrake.multibody.parsing", "pydrake.multibody.plant"] if importlib.util.find_spec("pydrake") else []
"""What takes long to import, and is imported once for all processes."""
STATES = 3
"""Random states in which engines are compared."""
POSES, MASSES = "link poses", "mass matrix"
FAULTS = {
    "drake/features/urdf/inertia_negative_mass.urdf": "a mass is negative",
    "libsdformat/sdformat/test/sdf/inertial_invalid.sdf": "a mass is negative",
}
"""Files with a fault of their own that no engine stands, each with what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One file, and the folders that it needs."""

    name: str
    path: Path
    paths: tuple[Path, ...] = ()
    packages: dict[str, Path] = field(default_factory=dict)
    """Folders by package."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """What came of a model in one engine."""

    refused: tuple[str, ...] = ()
    """Why the engine cannot hold it, each with its code; empty if it does."""
    repaired: bool = False
    """Whether it is held once ``inertia="repair"`` is asked for."""
    defects: tuple[str, ...] = ()
    """What nobody has announced: a difference, a warning, a position that is no number."""
    errors: dict[str, float] = field(default_factory=dict)
    """The worst error of each compared quantity."""
    explained: tuple[str, ...] = ()
    """Quantities that differ for a reason in the ledger."""
    fates: dict[str, int] = field(default_factory=dict)
    """How many entries of the ledger have each fate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What came of one model."""

    model: str
    invalid: tuple[str, ...] = ()
    """Why it does not load."""
    links: int = 0
    joints: int = 0
    velocities: int = 0
    mujoco: Outcomes = Outcomes()
    pybullet: Outcomes = Outcomes()
    crash: str = ""
    """A traceback, a signal, or how long it ran in vain."""
    left: tuple[str, ...] = ()
    """Files left in the temporary folder and in the working one."""
    seconds: float = 0.0


# --- which models ----------------------------------------------------------------------------------------------------


def models() -> list[Model]:
    """Every model of the corpora and of the installed packages, in a fixed order."""
    return [*_gazebo(), *_libsdformat(), *_drake(), *_robots()]


def _gazebo() -> Iterator[Model]:
    folder = CORPUS / "gazebo_models"
    for path in sorted(folder.glob("*/model.sdf")):
        yield Model(name=f"gazebo_models/{path.parent.name}", path=path, paths=(folder,))


def _libsdformat() -> Iterator[Model]:
    folder = CORPUS / "libsdformat"
    if folder.is_dir():
        entries = json.loads((folder / "manifest.json").read_text())["shared"]
        found = {entry["source"]: entry["paths"] for entry in entries}
        for source, paths in sorted(found.items()):
            needed = tuple(folder / "inputs" / path for path in paths)
            yield Model(name=f"libsdformat/{source}", path=folder / "inputs" / source, paths=needed)


def _drake() -> Iterator[Model]:
    folder = CORPUS / "drake"
    if folder.is_dir():
        entries = json.loads((folder / "manifest.json").read_text())["entries"]
        packages = _packages(folder / "inputs")
        for entry in entries:
            path = folder / (entry["input"] or "")
            if entry["pip_path"] is None and path.suffix != ".xml":  # robots of an installed package, and MJCF
                yield Model(name=f"drake/{entry['id']}", path=path, packages=packages)


def _packages(folder: Path) -> dict[str, Path]:
    """By the name that each states; one of Drake's tests has two that state one."""
    found = (path for path in sorted(folder.rglob("package.xml")) if "conflicting" not in str(path))
    named = ((re.search(r"<name>\s*([^<\s]+)", path.read_text()), path) for path in found)
    return {match[1]: path.parent for match, path in named if match}


def _robots() -> Iterator[Model]:
    for robot in robots_corpus.robots():
        yield Model(name=str(robot), path=robot.path, paths=(robot.root,))


# --- one process for each --------------------------------------------------------------------------------------------


T = TypeVar("T")


def examine(model: Model) -> Finding:
    """What comes of a model in a process of its own, whatever happens there."""
    begin = time.perf_counter()
    found, crash, left = alone(_finding, model)
    finding = Finding(model=model.name) if found is None else found
    return replace(finding, crash=crash, left=left, seconds=time.perf_counter() - begin)


def alone(task: Callable[[Model], T], model: Model) -> tuple[T | None, str, tuple[str, ...]]:
    """What a task, a function of some module, makes of a model in a process of its own.

    With it come a traceback or how the process ended if that was not well, and the files that were left behind.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["models_corpus", "pybullet", *_DRAKE])
    receiver, sender = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as folder:
        process = context.Process(target=_child, args=(task, model, folder, sender))
        process.start()
        sender.close()
        found, crash = _received(receiver)
        process.join(1.0)
        process.kill()
        process.join()
        left = tuple(sorted(path.name for path in Path(folder).rglob("*") if path.is_file()))
    if not crash and process.exitcode not in {0, None}:
        crash = f"exit {process.exitcode}"
    return found, crash, left


def _received(receiver: Connection) -> tuple[Any, str]:
    if not receiver.poll(SECONDS):
        return None, f"not done in {SECONDS:g} s"
    try:
        found, crash = receiver.recv()
    except EOFError:
        return None, "the process died"
    return found, crash


def _child(task: Callable[[Model], Any], model: Model, folder: str, sender: Connection) -> None:
    os.chdir(folder)
    tempfile.tempdir = folder
    os.environ["TMPDIR"] = folder
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, sys.stdout.fileno())
    try:
        sender.send((task(model), ""))
    except Exception:  # noqa: BLE001 - whatever it is, the parent reports it
        sender.send((None, traceback.format_exc()))


def _finding(model: Model) -> Finding:
    try:
        scene = loaders.load(model.path, paths=list(model.paths), package_map=model.packages)
    except loaders.LoadError as error:
        return Finding(model=model.name, invalid=_reasons(error.diagnostics))
    try:
        mechanism = bridge.lower(scene)
    except ExportError as error:
        return Finding(model=model.name, invalid=_reasons(error.diagnostics))
    return Finding(
        model=model.name,
        links=len(scene.links),
        joints=len(scene.joints),
        velocities=len(mechanism.v_order),
        mujoco=_in_mujoco(mechanism),
        pybullet=_compared(mechanism, "pybullet"),
    )


def _reasons(diagnostics: tuple[Diagnostic, ...]) -> tuple[str, ...]:
    return tuple(f"{entry.message} [{entry.code}]" for entry in diagnostics if entry.fate is Fate.INVALID)


# --- in the engines --------------------------------------------------------------------------------------------------


def _in_mujoco(mechanism: Mechanism) -> Outcomes:
    """Compared, then shaken; with repaired inertia where nothing else helps."""
    with mujoco_warnings() as warnings:
        found = _compared(mechanism, "mujoco")
        try:
            _shake(mechanism, warnings, inertia="repair" if found.refused else "keep")
        except ExportError:
            return found
    defects = (*found.defects, *dict.fromkeys(warnings))
    return replace(found, repaired=bool(found.refused), defects=defects)


def _compared(mechanism: Mechanism, engine: str) -> Outcomes:
    """Held against the mechanism itself, in random states."""
    try:
        comparison = bridge.compare(
            mechanism, engines=(engine,), levels=(Level.MODEL, Level.OPERATORS), configurations=STATES
        )
    except ExportError as error:
        return Outcomes(refused=_reasons(error.diagnostics))
    rows = comparison.rows
    return Outcomes(
        defects=tuple(_difference(row) for row in rows if row.outcome is Outcome.FAILED),
        errors={row.quantity: row.error for row in rows},
        explained=tuple(row.quantity for row in rows if row.outcome is Outcome.EXPLAINED),
        fates=dict(Counter(entry.fate.value for entry in comparison.diagnostics)),
    )


def compared(mechanism: Mechanism, engines: tuple[str, ...], **options: Any) -> tuple[Comparison, bool]:
    """The comparison, and whether that is with inertias repaired that no body can have, and that MuJoCo refuses."""
    try:
        return bridge.compare(mechanism, engines, **options), False
    except ExportError:
        return bridge.compare(mechanism, engines, inertia="repair", **options), True


def script_of_docs(name: str) -> Any:
    """One of the scripts that write pages, as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def _difference(row: Row) -> str:
    return f"{row.quantity} differs by {row.error:.1e} at {row.where}"


def _shake(mechanism: Mechanism, warnings: list[str], **options: Any) -> None:
    """Compile the export and run it for a second under random efforts, or until MuJoCo complains.

    It starts within the joints' limits; each effort alone would accelerate its joint by at most 10 rad/s^2 or m/s^2.
    """
    mjcf = bridge.to_mjcf(mechanism, actuators="motor", **options)
    model = mujoco.MjModel.from_xml_string(str(mjcf), mjcf.assets)
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    _within_limits(model, data)
    effort = _mild_efforts(model)
    while data.time < 1.0 and not warnings:
        data.ctrl[:] = effort * rng.uniform(-1.0, 1.0, model.nu)
        mujoco.mj_step(model, data)
    if not np.isfinite(data.qpos).all():
        warnings.append("a position is no number")


def _within_limits(model: Any, data: Any) -> None:
    """Move every hinge and slide from zero to its nearest position within its limits."""
    scalar = model.jnt_limited.astype(bool) & (model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE))
    address = model.jnt_qposadr[scalar]
    data.qpos[address] = np.clip(data.qpos[address], *model.jnt_range[scalar].T)


def _mild_efforts(model: Any) -> Any:
    joint = model.actuator_trnid[:, 0]
    mobility = model.dof_invweight0[model.jnt_dofadr[joint]] * np.abs(model.actuator_gear[:, 0])
    return 10.0 / np.maximum(mobility, 1e-9)


@contextmanager
def mujoco_warnings() -> Iterator[list[str]]:
    """MuJoCo's warnings, as they come."""
    found: list[str] = []
    mujoco.set_mju_user_warning(lambda *text: found.append(" ".join(map(str, text))))
    try:
        yield found
    finally:
        mujoco.set_mju_user_warning(None)
