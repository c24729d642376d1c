"""Findings as annotations of GitHub and as SARIF.

The form of annotations is that of GitHub's page "Workflow commands": ``::error
file=NAME,line=LINE,title=TITLE::MESSAGE``.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bridge.cli.errors import UsageError
from bridge.cli.json_report import shown_path
from bridge.installed_packages import own_version
from bridge.rules import Ignored, all_codes
from loaders.diagnostics import Diagnostic, Where

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
    return ",".join(
        f"{name}={_escaped(value, _PROPERTY_ESCAPES)}"
        for name, value in properties.items()
        if value
    )


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)


SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif_log(
    diagnostics: Iterable[Diagnostic], ignored: Iterable[Ignored] = (), *, status: int
) -> dict[str, Any]:
    """Return a log with one run, one rule for each code, and one result for each diagnostic.

    Args:
        diagnostics: The diagnostics.
        ignored: Those that are ignored, which are results with a suppression.
        status: The exit status of the command.
    """
    entries, suppressed = list(diagnostics), list(ignored)
    all_entries = (*entries, *(found.entry for found in suppressed))
    codes = list(dict.fromkeys(entry.code for entry in all_entries))
    driver = {
        "name": "sdfbridge",
        "version": own_version(),
        "rules": [_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": status}],
        "results": [
            *(_result(entry, codes.index(entry.code)) for entry in entries),
            *(
                _result(found.entry, codes.index(found.entry.code)) | _suppression(found)
                for found in suppressed
            ),
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    info = all_codes().get(code)
    rule: dict[str, Any] = {"id": code}
    if info is not None:
        rule["shortDescription"] = {"text": info.meaning}
        rule["help"] = {"text": info.remedy or "Nothing needs to be done."}
    return rule


def _result(entry: Diagnostic, rule: int) -> dict[str, Any]:
    text = entry.message + (f" ({entry.hint})" if entry.hint else "")
    result: dict[str, Any] = {
        "ruleId": entry.code,
        "ruleIndex": rule,
        "level": entry.severity,
        "message": {"text": text},
        "properties": {"fate": str(entry.fate), "subjects": list(entry.subjects)},
    }
    if entry.where.file:
        result["locations"] = [_location(entry.where)]
    return result


def _suppression(found: Ignored) -> dict[str, Any]:
    """Return why a result is ignored: by a comment in the file, or by an option or a baseline."""
    if not found.reason:
        return {"suppressions": [{"kind": "external"}]}
    return {"suppressions": [{"kind": "inSource", "justification": found.reason}]}


def _location(where: Where) -> dict[str, Any]:
    path = Path(shown_path(where.file))
    artifact = (
        {"uri": path.as_uri()}
        if path.is_absolute()
        else {"uri": quote(os.fsencode(path.as_posix())), "uriBaseId": "%SRCROOT%"}
    )
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if where.line:
        physical["region"] = {"startLine": where.line}
    location: dict[str, Any] = {"physicalLocation": physical}
    if where.path:
        location["logicalLocations"] = [{"fullyQualifiedName": where.path}]
    return location


def form_of(options: Namespace) -> str:
    """Return the form of a report: that of ``--format``, or ``json``, or ``text``.

    Raises:
        UsageError: if two are asked for.
    """
    if options.json and options.format not in (None, "json"):
        raise UsageError(
            f"--json and --format {options.format} exclude each other; expected one of them"
        )
    return "json" if options.json else options.format or "text"
