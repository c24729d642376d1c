"""Load and run real models in both engines, each model in a separate process."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Comparison
from bridge.parity.verdict import Level, Outcome, Row
from loaders.diagnostics import Diagnostic, ExportError, Fate
from tests.corpora import robots_corpus
from tests.corpora.model_batch import do_all

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("SDFBRIDGE_CORPUS", ROOT.parent / "shared" / "corpus"))
STATES = 3
"""Number of random states in which engines are compared."""
POSES, MASSES = "link poses", "mass matrix"
FAULTS = {
    "drake/features/urdf/inertia_negative_mass.urdf": "a mass is negative",
    "libsdformat/sdformat/test/sdf/inertial_invalid.sdf": "a mass is negative",
}
"""Files that are wrong and fail in every engine, with the error."""
PIVOTED = "mjcf.pivoted-contact"
"""Code of the diagnostic that predicts a warning of MuJoCo's solver: contacts of links that turn
about their center.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A file and the folders that it needs."""

    name: str
    path: Path
    paths: tuple[Path, ...] = ()
    packages: dict[str, Path] = field(default_factory=dict)
    """Folders by name of the package."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """Results of a model in one engine."""

    refused: tuple[str, ...] = ()
    """Codes of the errors for which the engine refuses the model."""
    repaired: bool = False
    """Whether the engine accepts the model with ``inertia="repair"``."""
    defects: tuple[str, ...] = ()
    """Differences without a bounded cause, warnings of the engine, and positions that are not
    finite; with the code of the diagnostic that names the cause, if there is one.
    """
    errors: dict[str, float] = field(default_factory=dict)
    """The largest error of each compared quantity."""
    explained: tuple[str, ...] = ()
    """Quantities that differ for a known cause."""
    fates: dict[str, int] = field(default_factory=dict)
    """Number of diagnostics of each fate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Results of one model."""

    model: str
    invalid: tuple[str, ...] = ()
    """Errors that prevent loading."""
    links: int = 0
    joints: int = 0
    velocities: int = 0
    mujoco: Outcomes = Outcomes()
    pybullet: Outcomes = Outcomes()
    crash: str = ""
    """Traceback, exit code, or exceeded time limit of the process; empty if it succeeded."""
    leftover_files: tuple[str, ...] = ()
    """Files that remain in the temporary and working folder."""


# --- models ---------------------------------------------------------------------------------------


def models() -> list[Model]:
    """Return every model of the corpora and of the installed packages in SDFormat and URDF, in a
    fixed order.
    """
    return [*_gazebo(), *_libsdformat(), *_drake(), *_robots()]


def _gazebo() -> Iterator[Model]:
    folder = CORPUS / "gazebo_models"
    for path in sorted(folder.glob("*/model.sdf")):
        yield Model(name=f"gazebo_models/{path.parent.name}", path=path, paths=(folder,))


def _libsdformat() -> Iterator[Model]:
    folder = CORPUS / "libsdformat"
    if folder.is_dir():
        entries = json.loads((folder / "manifest.json").read_text())["shared"]
        paths_by_source = {entry["source"]: entry["paths"] for entry in entries}
        for source, paths in sorted(paths_by_source.items()):
            needed = tuple(folder / "inputs" / path for path in paths)
            yield Model(name=f"libsdformat/{source}", path=folder / "inputs" / source, paths=needed)


def _drake() -> Iterator[Model]:
    folder = CORPUS / "drake"
    if folder.is_dir():
        entries = json.loads((folder / "manifest.json").read_text())["entries"]
        packages = _packages(folder / "inputs")
        for entry in entries:
            path = folder / (entry["input"] or "")
            if (
                entry["pip_path"] is None and path.suffix != ".xml"
            ):  # robots of an installed package, and MJCF
                yield Model(name=f"drake/{entry['id']}", path=path, packages=packages)


def _packages(folder: Path) -> dict[str, Path]:
    """Return the packages in a folder by their stated names, without a test of Drake that repeats a
    name.
    """
    files = (path for path in sorted(folder.rglob("package.xml")) if "conflicting" not in str(path))
    named = ((re.search(r"<name>\s*([^<\s]+)", path.read_text()), path) for path in files)
    return {match[1]: path.parent for match, path in named if match}


def mjcf_models() -> list[Model]:
    """Return the files of MJCF of the corpus, in a fixed order."""
    folder = CORPUS / "mjcf"
    names = (folder / "files.txt").read_text(encoding="utf-8").split() if folder.is_dir() else []
    return [Model(name=f"mjcf/{name}", path=folder / "inputs" / name) for name in sorted(names)]


def _robots() -> Iterator[Model]:
    for robot in robots_corpus.robots():
        yield Model(name=str(robot), path=robot.path, paths=(robot.root,))


# --- separate processes ---------------------------------------------------------------------------


def examine_all(models: Sequence[Model]) -> list[Finding]:
    """Examine models, each in a separate process, which may crash."""
    return do_all(examine, models, lambda model, crash: Finding(model=model.name, crash=crash))


def examine(model: Model) -> Finding:
    """Examine a model, in a separate process that works in its temporary folder."""
    folder = Path(tempfile.gettempdir())
    os.chdir(folder)
    finding = _finding(model)
    left = (path.name for path in folder.rglob("*") if path.is_file())
    return replace(finding, leftover_files=tuple(sorted(left)))


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
        pybullet=_compare(mechanism, "pybullet"),
    )


def _reasons(diagnostics: tuple[Diagnostic, ...]) -> tuple[str, ...]:
    return tuple(
        f"{entry.message} [{entry.code}]" for entry in diagnostics if entry.fate is Fate.INVALID
    )


# --- in the engines -------------------------------------------------------------------------------


def _in_mujoco(mechanism: Mechanism) -> Outcomes:
    """Compare with the mechanism, then run with random efforts; repair the inertia if MuJoCo
    refuses the model.
    """
    with mujoco_warnings() as warnings:
        outcomes = _compare(mechanism, "mujoco")
        try:
            causes = _shake(mechanism, warnings, inertia="repair" if outcomes.refused else "keep")
        except ExportError:
            return outcomes
    cause = next((code for code in causes if code == PIVOTED), "")
    defects = (
        *outcomes.defects,
        *(_with_cause(warning, cause) for warning in dict.fromkeys(warnings)),
    )
    return replace(outcomes, repaired=bool(outcomes.refused), defects=defects)


def _compare(mechanism: Mechanism, engine: str) -> Outcomes:
    """Compare an engine with the mechanism in random states."""
    try:
        comparison = bridge.compare(
            mechanism,
            engines=(engine,),
            levels=(Level.MODEL, Level.OPERATORS),
            configurations=STATES,
        )
    except ExportError as error:
        return Outcomes(
            refused=tuple(entry.code for entry in error.diagnostics if entry.fate is Fate.INVALID)
        )
    rows = comparison.rows
    return Outcomes(
        defects=tuple(_difference(row) for row in rows if row.outcome is Outcome.FAILED),
        errors={row.quantity: row.error for row in rows},
        explained=tuple(row.quantity for row in rows if row.outcome is Outcome.EXPLAINED),
        fates=dict(Counter(entry.fate.value for entry in comparison.diagnostics)),
    )


def compare_or_repair(
    mechanism: Mechanism, engines: tuple[str, ...], **options: Any
) -> tuple[Comparison, bool]:
    """Compare engines, with repaired inertias if an engine refuses non-physical ones.

    Args:
        mechanism: The model.
        engines: Names of the engines.
        options: Options of `bridge.compare`.

    Returns:
        The comparison, and whether inertias were repaired.
    """
    try:
        return bridge.compare(mechanism, engines, **options), False
    except ExportError:
        return bridge.compare(mechanism, engines, inertia="repair", **options), True


def script_of_docs(name: str) -> Any:
    """Import one of the scripts that write pages."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def _difference(row: Row) -> str:
    return _with_cause(f"{row.quantity} differs by {row.error:.1e} at {row.where}", row.code)


def _with_cause(defect: str, code: str) -> str:
    """Return a defect with the code of the diagnostic that names its cause, if there is one."""
    return f"{defect} [{code}]" if code else defect


def _shake(mechanism: Mechanism, warnings: list[str], **options: Any) -> set[str]:
    """Compile the export and run it for a second with random efforts, or until MuJoCo warns.

    The initial positions are within the limits; each effort alone accelerates its joint by at most
    10 rad/s^2 or m/s^2.

    Returns:
        Codes of the diagnostics of the export.
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
        warnings.append("a position is not finite")
    return {entry.code for entry in mjcf.diagnostics}


def _within_limits(model: Any, data: Any) -> None:
    """Set every hinge and slide to the position within its limits that is nearest to zero."""
    scalar = model.jnt_limited.astype(bool) & (model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE))
    address = model.jnt_qposadr[scalar]
    data.qpos[address] = np.clip(data.qpos[address], *model.jnt_range[scalar].T)


def _mild_efforts(model: Any) -> Any:
    joint = model.actuator_trnid[:, 0]
    mobility = model.dof_invweight0[model.jnt_dofadr[joint]] * np.abs(model.actuator_gear[:, 0])
    return 10.0 / np.maximum(mobility, 1e-9)


@contextmanager
def mujoco_warnings() -> Iterator[list[str]]:
    """Collect MuJoCo's warnings in a list."""
    warnings: list[str] = []
    mujoco.set_mju_user_warning(lambda *text: warnings.append(" ".join(map(str, text))))
    try:
        yield warnings
    finally:
        mujoco.set_mju_user_warning(None)
