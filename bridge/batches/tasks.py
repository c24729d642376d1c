"""The tasks of a batch. Each function runs in the process of its model and returns fields of a result."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import loaders
from bridge.lowering.inputs import mechanism_of
from bridge.mechanism import Mechanism
from bridge.mjcf import export_mjcf
from bridge.output import Form, write_folder, write_sealed
from bridge.parity import compare as compare_engines
from bridge.parity.comparison import REPORT, Comparison
from bridge.sdf import export_sdf
from bridge.urdf import export_urdf
from loaders import LoadOptions
from loaders.diagnostics import Diagnostics, ExportError, ModelError
from loaders.display.picture import picture
from loaders.loss_summary import limited
from loaders.safety.limits import budgeted
from loaders.scene_operations.mesh_checks import check_meshes

from .findings import summary
from .inputs import manifest_file
from .results import BatchOutcome

Fields = dict[str, Any]
"""Fields of `BatchResult`."""

_EXPORTS: Mapping[str, Callable[..., Any]] = {"mjcf": export_mjcf, "sdf": export_sdf, "urdf": export_urdf}

_OWN = frozenset({"to", "thumbnails", "force"})
"""Options of a batch that neither the load nor the export knows."""


def check(source: str, out: str, options: Mapping[str, Any]) -> Fields:
    """Read and lower a model.

    Args:
        source: The file, or a folder with ``model.config``.
        out: The output folder; empty if there is none.
        options: Options of `loaders.load`.
    """
    return _guarded(_check, source, out, options)


def convert(source: str, out: str, options: Mapping[str, Any]) -> Fields:
    """Write a model into a separate folder, ``models/NAME`` in the output folder.

    Args:
        source: The file, or a folder with ``model.config``.
        out: The output folder.
        options: Options of `loaders.load`, ``to`` (``mjcf``, ``sdf`` or ``urdf``), and options of the export.
    """
    return _guarded(_convert, source, out, options)


def compare(source: str, out: str, options: Mapping[str, Any]) -> Fields:
    """Compare engines on a model; the report is in ``reports/NAME`` in the output folder.

    Args:
        source: The file, or a folder with ``model.config``.
        out: The output folder; empty if there is none.
        options: Options of `bridge.compare`.
    """
    return _guarded(_compare, source, out, options)


def _guarded(task: Callable[..., Fields], source: str, out: str, options: Mapping[str, Any]) -> Fields:
    """Do a task; an error of the model is its result."""
    try:
        load_options = {key: value for key, value in options.items() if key in LoadOptions.__optional_keys__}
        scene = _load(source, load_options)
    except ModelError as error:
        return {"outcome": BatchOutcome.INVALID, "detail": _first(error), **summary(error.diagnostics)}
    try:
        shown = out and options.get("thumbnails", True)
        drawn = _thumbnail(scene, name_of(source), out, force=options.get("force", False)) if shown else ""
        return {"model": scene.name, "thumbnail": drawn, **task(scene, name_of(source), out, options)}
    except ExportError as error:
        refused = {"outcome": BatchOutcome.REFUSED, "detail": _first(error), "model": scene.name}
        return refused | summary((*scene.diagnostics, *error.diagnostics))


def _load(source: str, options: Mapping[str, Any]) -> loaders.Scene:
    unsafe = bool(options.get("unsafe_paths", False))
    path = manifest_file(Path(source), unsafe_paths=unsafe) if Path(source).is_dir() else source
    return loaders.load(path, **{**options, "quiet": True})


def _thumbnail(scene: loaders.Scene, name: str, out: str, *, force: bool) -> str:
    """Draw a model without an engine; return the path of the picture, empty if there is nothing to draw."""
    drawn = picture(scene)
    if drawn is None:
        return ""
    write_sealed(Path(out) / "thumbnails" / f"{name}.png", drawn, Form.PNG, force=force, make_folder=True)
    return f"thumbnails/{name}.png"


def _first(error: ModelError) -> str:
    first = next((entry for entry in error.diagnostics if entry.severity == "error"), error.diagnostics[0])
    return f"{first.message} [{first.code}]"


def _size(mechanism: Mechanism) -> dict[str, int]:
    scene = mechanism.scene
    return {"links": len(scene.links), "joints": len(scene.joints), "dofs": len(mechanism.v_order)}


def _check(scene: loaders.Scene, name: str, _out: str, options: Mapping[str, Any]) -> Fields:
    meshes = Diagnostics()
    with budgeted(options.get("limits"), lenient=options.get("lenient", False)), limited(meshes, name):
        check_meshes(scene, meshes)
    mechanism = mechanism_of(scene)
    found = summary((*scene.diagnostics, *mechanism.diagnostics, *meshes))
    refused = ("error", "warning") if options.get("strict") else ("error",)
    is_invalid = any(found["severities"].get(severity) for severity in refused)
    outcome = BatchOutcome.INVALID if is_invalid else BatchOutcome.VALID
    return {"outcome": outcome, "size": _size(mechanism), **found}


def _convert(scene: loaders.Scene, name: str, out: str, options: Mapping[str, Any]) -> Fields:
    target = options.get("to", "mjcf")
    own = {key: options[key] for key in options if key not in LoadOptions.__optional_keys__ and key not in _OWN}
    if "strict" in options:
        own["strict"] = options["strict"]
    mechanism = mechanism_of(scene)
    folder = Path(out) / "models" / name
    result = _EXPORTS[target](scene, folder, quiet=True, force=options.get("force", False), **own)
    found = summary((*scene.diagnostics, *result.diagnostics))
    report = f"models/{name}/FIDELITY.md"
    return {"outcome": BatchOutcome.CONVERTED, "size": _size(mechanism), "report": report, **found}


def _compare(scene: loaders.Scene, name: str, out: str, options: Mapping[str, Any]) -> Fields:
    own = {key: value for key, value in options.items() if key not in _OWN}
    comparison = compare_engines(scene, **own)
    found = summary((*scene.diagnostics, *comparison.diagnostics))
    report = _write_report(comparison, Path(out), name, force=options.get("force", False)) if out else ""
    first = next(iter(comparison.failures), None)
    where = f" at {first.where}" if first is not None and first.where else ""
    detail = "" if first is None else f"{first.quantity}{where}: {first.error:.1e}"
    size = _size(mechanism_of(scene))
    return {"outcome": BatchOutcome(comparison.verdict), "detail": detail, "size": size, "report": report, **found}


def _write_report(comparison: Comparison, out: Path, name: str, *, force: bool) -> str:
    """Write the report of a comparison, without HTML where jinja2 or matplotlib is missing; return its main file."""
    folder = out / "reports" / name
    with suppress(ImportError):
        comparison.to_folder(folder, force=force)
        return f"reports/{name}/{REPORT}"
    write_folder(folder, comparison.files(), force=force)
    return f"reports/{name}/results.json"


def name_of(source: str) -> str:
    """Return the name of a model's folder: readable, safe in any file system, and different for different sources."""
    words = [word for word in re.split(r"[^A-Za-z0-9_-]+", source) if word]
    readable = "-".join(words[-3:])[-60:].strip("-") or "model"
    return f"{readable}-{hashlib.sha256(source.encode(errors='surrogatepass')).hexdigest()[:8]}"


TASKS: Mapping[str, Callable[[str, str, Mapping[str, Any]], Fields]] = {
    "check": check,
    "convert": convert,
    "compare": compare,
}
MODULES: Mapping[str, tuple[str, ...]] = {
    "check": ("bridge.batches.tasks", "trimesh", "collada", "yaml"),
    "convert": ("bridge.batches.tasks", "trimesh", "collada", "yaml", "mujoco"),
    "compare": ("bridge.batches.tasks", "trimesh", "collada", "yaml", "mujoco", "pybullet", "jinja2"),
}
"""Modules that the warm process of each task imports."""
