"""Diagnostics as workflow commands of GitHub Actions, which become annotations of the files.

The form is that of GitHub's page "Workflow commands": ``::error file=NAME,line=LINE,title=TITLE::MESSAGE``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bridge.cli.displayed_paths import shown_path
from loaders.diagnostics import Diagnostic

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY_ESCAPES = {**_ESCAPES, ":": "%3A", ",": "%2C"}


def workflow_commands(diagnostics: Iterable[Diagnostic], *, notes: bool) -> Iterator[str]:
    """Yield one workflow command for each diagnostic.

    Args:
        diagnostics: The diagnostics.
        notes: Whether notes are included.
    """
    for entry in diagnostics:
        if notes or entry.severity != "note":
            text = entry.message + (f" ({entry.hint})" if entry.hint else "")
            yield f"::{_COMMANDS[entry.severity]} {_properties(entry)}::{_escaped(text, _ESCAPES)}"


def _properties(entry: Diagnostic) -> str:
    properties = {
        "file": shown_path(entry.where.file),
        "line": str(entry.where.line) if entry.where.line else "",
        "title": entry.code,
    }
    return ",".join(f"{name}={_escaped(value, _PROPERTY_ESCAPES)}" for name, value in properties.items() if value)


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)
