"""Findings as annotations of GitHub and as SARIF.

The form of annotations is that of GitHub's page "Workflow commands": ``::error
file=NAME,line=LINE,title=TITLE::MESSAGE``.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lxml import etree

from bridge import sarif
from bridge.cli.errors import UsageError
from bridge.cli.json_report import shown_path
from bridge.rules import Ignored
from loaders.diagnostics import Diagnostic
from loaders.text import printable

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


def failure(form: str, diagnostics: Sequence[Diagnostic], error: str, status: int) -> str:
    """Return what a command prints in a form for programs if it fails.

    Args:
        form: ``github``, ``sarif`` or ``junit``.
        diagnostics: The diagnostics that explain the failure.
        error: The failure itself, if it lies in no file.
        status: The exit status of the command.
    """
    if form == "sarif":
        return json.dumps(sarif_log(diagnostics, status=status, error=error), indent=1)
    if form == "github":
        own = [f"::error ::{_escaped(error, _ESCAPES)}"] if error else []
        return "\n".join((*workflow_commands(diagnostics, notes=False), *own))
    suite = etree.Element("testsuite", name="sdfbridge", tests="1", failures="0", errors="1")
    case = etree.SubElement(suite, "testcase", classname="sdfbridge", name="the files are read")
    text = "; ".join((*map(str, diagnostics), *([error] if error else [])))
    etree.SubElement(case, "error", message=printable(text))
    return etree.tostring(suite, pretty_print=True, encoding="unicode").rstrip()


def sarif_log(
    diagnostics: Iterable[Diagnostic],
    ignored: Iterable[Ignored] = (),
    *,
    status: int,
    error: str = "",
) -> dict[str, Any]:
    """Return a log with one run, one rule for each code, and one result for each diagnostic.

    Args:
        diagnostics: The diagnostics.
        ignored: Those that are ignored, which are results with a suppression.
        status: The exit status of the command.
        error: Why the command failed, if that lies in no file.
    """
    entries, suppressed = list(diagnostics), list(ignored)
    all_entries = (*entries, *(found.entry for found in suppressed))
    codes = list(dict.fromkeys(entry.code for entry in all_entries))
    results = [
        *(_result(entry, codes.index(entry.code)) for entry in entries),
        *(
            _result(found.entry, codes.index(found.entry.code)) | _suppression(found)
            for found in suppressed
        ),
    ]
    run = sarif.run(map(sarif.rule, codes), status, error) | {"results": results}
    return {"$schema": sarif.SCHEMA, "version": sarif.VERSION, "runs": [run]}


def _result(entry: Diagnostic, rule: int) -> dict[str, Any]:
    text = entry.message + (f" ({entry.hint})" if entry.hint else "")
    file = shown_path(entry.where.file) if entry.where.file else ""
    found = sarif.result(entry.code, entry.severity, text, file, entry.where.line)
    found["ruleIndex"] = rule
    found["properties"] = {"fate": str(entry.fate), "subjects": list(entry.subjects)}
    if file and entry.where.path:
        found["locations"][0]["logicalLocations"] = [{"fullyQualifiedName": entry.where.path}]
    return found


def _suppression(found: Ignored) -> dict[str, Any]:
    """Return why a result is ignored: by a comment in the file, or by an option or a baseline."""
    if not found.reason:
        return {"suppressions": [{"kind": "external"}]}
    return {"suppressions": [{"kind": "inSource", "justification": found.reason}]}


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
