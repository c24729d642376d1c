"""One function for each command: options in, calls of the library, output; the exit status comes back."""

from __future__ import annotations

import platform
from argparse import Namespace
from importlib import metadata
from pathlib import Path
from typing import Any

import bridge
import loaders
from bridge.demo import run_demo
from bridge.mechanism import lower
from bridge.parity.engines import engine_names
from bridge.parity.verdict import Comparison, Outcome, Verdict, number
from loaders.diagnostics import Diagnostic, Diagnostics
from loaders.meshes.units import check_units

from . import trees
from .output import Output

_STYLES = {Outcome.PASSED: None, Outcome.EXPLAINED: "yellow", Outcome.FAILED: "bold red", Outcome.UNKNOWN: "dim"}
_WORDS = {Outcome.PASSED: "pass", Outcome.EXPLAINED: "explained", Outcome.FAILED: "FAIL", Outcome.UNKNOWN: "unknown"}
_VERDICTS = {Verdict.EQUIVALENT: "bold green", Verdict.AGREES: "bold yellow", Verdict.DIFFERS: "bold red"}
_PACKAGES = ("mujoco", "pybullet", "drake", "numpy", "lxml", "trimesh", "coacd", "matplotlib", "jinja2", "xacro")


def _search(options: Namespace) -> loaders.Search:
    return {
        "package_map": dict(_package(text) for text in options.package),
        "paths": options.path,
        "unsafe_paths": options.unsafe_paths,
    }


def _package(text: str) -> tuple[str, Path]:
    name, equals, folder = text.partition("=")
    if not (name and equals and folder):
        raise ValueError(f"--package takes NAME=DIR, not {text!r}")
    return name, Path(folder)


def _load(options: Namespace) -> loaders.Scene:
    srdf, xacro = options.srdf, options.xacro
    return loaders.load(options.file, strict=options.strict, srdf=srdf, allow_xacro=xacro, **_search(options))


def _plain(entries: tuple[Diagnostic, ...]) -> list[dict[str, Any]]:
    return [
        {"severity": d.severity, "code": d.code, "message": d.message, "file": d.where.file, "line": d.where.line}
        for d in entries
    ]


# --- reading ---------------------------------------------------------------------------------------------------------


def info(options: Namespace, output: Output) -> int:
    """Print the tree, or the conformance format."""
    scene = _load(options)
    if options.json:
        output.json(scene.to_dict())
    else:
        output.data(trees.tree(lower(scene)))
    output.diagnostics(scene.diagnostics)
    return 0


def check(options: Namespace, output: Output) -> int:
    """Report every problem of a file, and meshes whose units are hard to believe."""
    try:
        scene = _load(options)
        units = Diagnostics()
        check_units(scene, units)
        entries = (*scene.diagnostics, *lower(scene).diagnostics, *units)
        good = True
    except loaders.ModelError as error:
        entries, good = error.diagnostics, False
    if options.json:
        output.json({"file": str(options.file), "valid": good, "diagnostics": _plain(entries)})
    output.diagnostics(entries)
    if good and not options.json:
        output.data(f"{options.file}: valid")
    return 0 if good else 1


def graph(options: Namespace, output: Output) -> int:
    """Print links and joints as a graph."""
    scene = _load(options)
    if options.json:
        edges = [{"joint": j.name, "type": str(j.type), "parent": j.parent, "child": j.child} for j in scene.joints]
        output.json({"links": [link.name for link in scene.links], "joints": edges})
    else:
        output.data(trees.dot(scene))
    return 0


def resolve(options: Namespace, output: Output) -> int:
    """Print every file that a model names, where it was found or every place that was tried; 1 if one is missing."""
    lookups = loaders.resolve(options.file, allow_xacro=options.xacro, **_search(options))
    if options.json:
        output.json([_lookup(found) for found in lookups])
    else:
        output.data("\n".join(_told(found) for found in lookups))
    return 0 if all(found.path for found in lookups) else 1


def _lookup(found: loaders.Lookup) -> dict[str, Any]:
    path = str(found.path) if found.path else None
    tried = [str(place) for place in found.tried]
    place = {"file": found.file, "line": found.line}
    return {"uri": found.uri, **place, "path": path, "tried": tried, "problem": found.problem}


def _told(found: loaders.Lookup) -> str:
    if found.path:
        return f"{found.uri}\t{found.path}"
    return "\n    tried ".join((f"{found.uri}\tnot found: {found.file}:{found.line}", *map(str, found.tried)))


# --- writing ---------------------------------------------------------------------------------------------------------


def convert(options: Namespace, output: Output) -> int:
    """Write a folder of MJCF."""
    scene = _load(options)
    choices = {
        "actuators": options.actuators,
        "inertia": options.inertia,
        "collision_meshes": options.collision_meshes,
    }
    if options.check:
        from bridge.mjcf import stale_files

        stale = stale_files(scene, options.out, **choices)
        _list(options, output, "stale", stale)
        return 1 if stale else 0
    result = bridge.export_mjcf(scene, options.out, **choices)
    entries = (*scene.diagnostics, *result.diagnostics)
    lost = options.strict and any(entry.severity == "warning" for entry in entries)
    _list(options, output, "files", tuple(str(result.path.parent / file) for file in result.files))
    output.diagnostics(entries)
    return 1 if lost else 0


def _list(options: Namespace, output: Output, name: str, files: tuple[str, ...]) -> None:
    if options.json:
        output.json({name: list(files)})
    elif files:
        output.data("\n".join(files))


# --- comparing -------------------------------------------------------------------------------------------------------


def compare(options: Namespace, output: Output) -> int:
    """Compare engines; 1 if they differ."""
    output.progress(f"comparing {options.engines} on {options.file}")
    comparison = bridge.compare(
        _load(options),
        engines=[name for name in options.engines.split(",") if name],
        levels=[level for level in options.level.split(",") if level],
        seed=options.seed,
        configurations=options.configurations,
    )
    if options.report is not None:
        _report(comparison, options.report, output)
    if options.json:
        output.json(comparison.to_dict())
    else:
        show(comparison, output)
    output.diagnostics(comparison.diagnostics)
    differs = comparison.verdict is Verdict.DIFFERS
    return 1 if differs or (options.strict and comparison.verdict is not Verdict.EQUIVALENT) else 0


def _report(comparison: Comparison, folder: Path, output: Output) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    comparison.to_html(folder / "report.html")
    comparison.to_json(folder / "results.json")
    comparison.to_junit(folder / "junit.xml")
    output.progress(f"wrote {folder / 'report.html'}, results.json, junit.xml")


def show(comparison: Comparison, output: Output) -> None:
    """The table of all rows, the causes, and the verdict."""
    rows = [
        (
            str(row.level), row.quantity, " / ".join(row.engines), str(_short(row.error)), f"{row.tolerance:.0e}",
            row.where, _WORDS[row.outcome],
        )
        for row in comparison.rows
    ]  # fmt: skip
    columns = ("", "quantity", "engines", "worst", "tolerance", "where", "")
    output.table(columns, rows, [_STYLES[row.outcome] for row in comparison.rows])
    for cause in dict.fromkeys(f"{row.quantity}: {row.cause}" for row in comparison.rows if row.cause):
        output.data(cause)
    output.banner(f"{comparison.model}: {comparison.verdict}", _VERDICTS[comparison.verdict])
    for row in comparison.failures[:1]:
        output.data(f"first difference: {row.quantity} of {' and '.join(row.engines)} at {row.where}")
        output.data(f"again: {comparison.command}")


def _short(error: float) -> str:
    value = number(error)
    return value if isinstance(value, str) else f"{value:.1e}"


# --- the rest --------------------------------------------------------------------------------------------------------


def demo(options: Namespace, output: Output) -> int:
    """Run the main job; 0 only if the engines are equivalent."""
    result = run_demo(options.folder or options.out, progress=output.progress)
    if options.json:
        output.json({"files": list(map(str, result.files)), **result.comparison.to_dict()})
    else:
        output.data(trees.tree(lower(result.scene)))
        show(result.comparison, output)
        output.data("\n".join(map(str, result.files)))
    for note in result.notes:
        output.progress(note)
    return 0 if result.comparison.verdict is Verdict.EQUIVALENT else 1


def doctor(options: Namespace, output: Output) -> int:
    """Print versions of everything that matters; 3 if an engine is missing."""
    versions: dict[str, str | None] = {"python": platform.python_version()}
    versions |= {name: _version(name) for name in ("sdfbridge", *_PACKAGES)}
    if options.json:
        output.json({"versions": versions, "engines": list(engine_names())})
    else:
        output.table(("package", "version"), [(name, text or "not installed") for name, text in versions.items()])
    return 0 if versions["mujoco"] and versions["pybullet"] else 3


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
