"""One function for each command: options in, calls of the library, output; the exit status comes back."""

from __future__ import annotations

import platform
from argparse import Namespace
from importlib import metadata
from typing import Any

import loaders
from bridge.demo.demo import run_demo
from bridge.lowering import lower
from bridge.lowering.inputs import mechanism_of
from bridge.parity.engines.protocol import engine_names
from bridge.parity.results.verdict import Verdict
from loaders.diagnostics import Diagnostic, Diagnostics
from loaders.meshes.mesh_units import check_units

from . import tree_output
from .compare import show
from .options import load, search
from .output import Output

_PACKAGES = ("mujoco", "pybullet", "drake", "numpy", "lxml", "trimesh", "coacd", "matplotlib", "jinja2", "xacro")


def _plain(entries: tuple[Diagnostic, ...]) -> list[dict[str, Any]]:
    return [
        {"severity": d.severity, "code": d.code, "message": d.message, "file": d.where.file, "line": d.where.line}
        for d in entries
    ]


# --- reading ---------------------------------------------------------------------------------------------------------


def info(options: Namespace, output: Output) -> int:
    """Print the tree, or the conformance format."""
    scene = load(options)
    if options.json:
        output.json(scene.to_dict())
    else:
        output.data(tree_output.tree(lower(scene)))
    output.diagnostics(scene.diagnostics)
    return 0


def check(options: Namespace, output: Output) -> int:
    """Report every problem of a file, and meshes whose units are hard to believe."""
    try:
        scene = load(options)
        units = Diagnostics()
        check_units(scene, units)
        entries = (*scene.diagnostics, *mechanism_of(scene).diagnostics, *units)
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
    scene = load(options)
    if options.json:
        edges = [{"joint": j.name, "type": str(j.type), "parent": j.parent, "child": j.child} for j in scene.joints]
        output.json({"links": [link.name for link in scene.links], "joints": edges})
    else:
        output.data(tree_output.dot(scene))
    return 0


def resolve(options: Namespace, output: Output) -> int:
    """Print every file that a model names, where it was found or every place that was tried; 1 if one is missing."""
    lookups = loaders.resolve(options.file, allow_xacro=options.xacro, **search(options))
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


# --- the rest --------------------------------------------------------------------------------------------------------


def demo(options: Namespace, output: Output) -> int:
    """Run the main job; 0 only if the engines are equivalent."""
    result = run_demo(options.folder or options.out, progress=output.progress)
    if options.json:
        output.json({"files": list(map(str, result.files)), **result.comparison.to_dict()})
    else:
        output.data(tree_output.tree(lower(result.scene)))
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
