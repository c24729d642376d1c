"""Diagnostics as plain data."""

from __future__ import annotations

import json

from bridge.cli.json_report import diagnostic_entry, failure_report
from loaders.diagnostics import Diagnostic, Fate, Where


def test_a_diagnostic_keeps_every_field() -> None:
    where = Where("/a.sdf", 3, "/sdf/model[m]")
    arguments = {"names": ("a", "b"), "size": float("inf")}
    entry = Diagnostic(
        "a.b",
        Fate.DROPPED,
        "{names} {size}",
        where,
        "mujoco",
        "do it",
        arguments=arguments,
        subjects=("a",),
    )
    assert diagnostic_entry(entry) == {
        "code": "a.b",
        "fate": "dropped",
        "severity": "warning",
        "message": "a, b inf",
        "arguments": {"names": ["a", "b"], "size": "inf"},
        "subjects": ["a"],
        "file": "/a.sdf",
        "line": 3,
        "path": "/sdf/model[m]",
        "target": "mujoco",
        "hint": "do it",
    }


def test_a_failure_without_files_is_strict_json() -> None:
    report = failure_report("check", 2, error="no file")
    assert json.loads(json.dumps(report, allow_nan=False)) == {
        "sdfbridge": 1,
        "command": "check",
        "status": 2,
        "error": "no file",
        "files": [],
        "diagnostics": [],
    }
