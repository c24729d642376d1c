"""Diagnostics in SARIF 2.1.0, the format of static analysis results that code hosts read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bridge.cli.displayed_paths import shown_path
from bridge.diagnostic_codes import CODES
from bridge.installed_packages import own_version
from loaders.diagnostics import Diagnostic, Where

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif_log(diagnostics: Iterable[Diagnostic], *, successful: bool) -> dict[str, Any]:
    """Return a log with one run, one rule for each code, and one result for each diagnostic.

    Args:
        diagnostics: The diagnostics.
        successful: Whether the tool found nothing that is an error.
    """
    entries = list(diagnostics)
    codes = list(dict.fromkeys(entry.code for entry in entries))
    driver = {
        "name": "sdfbridge",
        "version": own_version(),
        "rules": [_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": 0 if successful else 1}],
        "results": [_result(entry, codes.index(entry.code)) for entry in entries],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    info = CODES.get(code)
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


def _location(where: Where) -> dict[str, Any]:
    path = Path(shown_path(where.file))
    artifact = (
        {"uri": path.as_uri()} if path.is_absolute() else {"uri": quote(path.as_posix()), "uriBaseId": "%SRCROOT%"}
    )
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if where.line:
        physical["region"] = {"startLine": where.line}
    location: dict[str, Any] = {"physicalLocation": physical}
    if where.path:
        location["logicalLocations"] = [{"fullyQualifiedName": where.path}]
    return location
