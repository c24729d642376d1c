"""``sdfbridge check``: read a file and report every problem."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from typing import Any

from bridge.lowering.inputs import mechanism_of
from loaders.diagnostics import Diagnostic, Diagnostics, ModelError
from loaders.meshes.mesh_units import check_units

from .options import load_scene
from .output import Output


def check(options: Namespace, output: Output) -> int:
    """Report every problem of a file, and meshes whose size suggests a wrong unit.

    Returns:
        1 if the file is invalid; with ``--strict`` also if there is a warning.
    """
    diagnostics, valid = _diagnose(options)
    if options.json:
        output.json({"file": str(options.file), "valid": valid, "diagnostics": _to_json(diagnostics)})
    output.diagnostics(diagnostics)
    if valid and not options.json:
        output.data(f"{options.file}: valid")
    return 0 if valid else 1


def _diagnose(options: Namespace) -> tuple[tuple[Diagnostic, ...], bool]:
    """All diagnostics of reading and lowering, and whether the file is valid."""
    try:
        scene = load_scene(options)
        units = Diagnostics()
        check_units(scene, units)
        diagnostics = (*scene.diagnostics, *mechanism_of(scene).diagnostics, *units)
    except ModelError as error:
        return error.diagnostics, False
    return diagnostics, not (options.strict and any(entry.severity == "warning" for entry in diagnostics))


def _to_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    return [
        {"severity": d.severity, "code": d.code, "message": d.message, "file": d.where.file, "line": d.where.line}
        for d in diagnostics
    ]
