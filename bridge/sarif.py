"""Results in the form of SARIF 2.1.0, which code scanning reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bridge.installed_packages import own_version
from bridge.rules import all_codes

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
VERSION = "2.1.0"


def result(code: str, level: str, text: str, file: str, line: int) -> dict[str, Any]:
    """Return a result.

    Args:
        code: The rule.
        level: ``error``, ``warning`` or ``note``.
        text: The message.
        file: The file; empty without one.
        line: The line; 0 without one.
    """
    found: dict[str, Any] = {"ruleId": code, "level": level, "message": {"text": text}}
    if file:
        path = Path(file)
        artifact = (
            {"uri": path.as_uri()}
            if path.is_absolute()
            else {"uri": quote(os.fsencode(path.as_posix())), "uriBaseId": "%SRCROOT%"}
        )
        physical: dict[str, Any] = {"artifactLocation": artifact}
        if line:
            physical["region"] = {"startLine": line}
        found["locations"] = [{"physicalLocation": physical}]
    return found


def rule(code: str) -> dict[str, Any]:
    """Return a rule, with its meaning and remedy if it is a code of a finding."""
    info = all_codes().get(code)
    found: dict[str, Any] = {"id": code}
    if info is not None:
        found["shortDescription"] = {"text": info.meaning}
        found["help"] = {"text": info.remedy or "Nothing needs to be done."}
    return found


def run(rules: Iterable[dict[str, Any]], status: int, error: str = "") -> dict[str, Any]:
    """Return a run without its results.

    Args:
        rules: The rules that the results name.
        status: The exit status of the command.
        error: Why the command failed, if no result says it.
    """
    invocation: dict[str, Any] = {"executionSuccessful": not error, "exitCode": status}
    if error:
        message = {"level": "error", "message": {"text": error}}
        invocation["toolExecutionNotifications"] = [message]
    driver = {"name": "sdfbridge", "version": own_version(), "rules": list(rules)}
    return {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
    }
