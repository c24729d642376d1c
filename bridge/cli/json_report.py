"""The report of a command as JSON, and paths as shown; imports no reader."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loaders.diagnostics import Diagnostic


STDIN = "<stdin>"
"""Name of standard input in diagnostics."""


def shown_path(file: str) -> str:
    """Return the path of a file, relative to the current folder if it lies there.

    Args:
        file: The path as a diagnostic has it.
    """
    if os.path.basename(file).startswith("<string>"):
        return STDIN
    path = Path(file)
    if not path.is_absolute():
        return file
    folder = Path.cwd()
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else file


VERSION = 1
"""Version of the form, the value of the key ``sdfbridge``."""


def failure_report(
    command: str,
    status: int,
    files: Iterable[str] = (),
    diagnostics: Iterable[Diagnostic] = (),
    error: str = "",
) -> dict[str, Any]:
    """Return what a command prints with ``--json`` if it fails.

    Args:
        command: Name of the command.
        status: Its exit status.
        files: The files of the command line.
        diagnostics: The diagnostics that explain the failure.
        error: The failure itself, if it lies in no file.
    """
    return {
        "sdfbridge": VERSION,
        "command": command,
        "status": status,
        "error": error or None,
        "files": list(files),
        "diagnostics": [diagnostic_entry(entry) for entry in diagnostics],
    }


def diagnostic_entry(entry: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic as plain data."""
    return {
        "code": entry.code,
        "fate": str(entry.fate),
        "severity": entry.severity,
        "message": entry.message,
        "arguments": {key: _plain(value) for key, value in entry.arguments.items()},
        "subjects": list(entry.subjects),
        "file": shown_path(entry.where.file) or None,
        "line": entry.where.line or None,
        "path": entry.where.path or None,
        "target": entry.target or None,
        "hint": entry.hint or None,
    }


def _plain(value: object) -> object:
    """Return the value, a tuple as a list; a number that JSON does not have becomes text."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, float) and not abs(value) < float("inf") else value
