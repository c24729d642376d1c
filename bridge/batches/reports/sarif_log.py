"""``results.sarif``: errors and warnings of all models in SARIF 2.1.0, which code hosts show at the lines of files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bridge.batches.results import BatchResult
from bridge.diagnostic_codes import CODES
from bridge.installed_packages import own_version

from .totals import Totals

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_OWN = "batch.failed"
"""Rule of a model without an answer: a crash, a limit, or an engine that differs."""


def sarif_log(totals: Totals, results: Iterable[BatchResult]) -> Iterator[str]:
    """Yield the pieces of a log with one run: first the results, then the rules that they name.

    Args:
        totals: The numbers over all results.
        results: The results.
    """
    yield f'{{"$schema": {json.dumps(_SCHEMA)}, "version": "2.1.0", "runs": [{{"results": ['
    rules: dict[str, int] = {}
    separator = "\n"
    for finding in _findings(results):
        index = rules.setdefault(finding["ruleId"], len(rules))
        yield separator + json.dumps({**finding, "ruleIndex": index}, ensure_ascii=False)
        separator = ",\n"
    driver = {"name": "sdfbridge", "version": own_version(), "rules": [_rule(code) for code in rules]}
    rest = {
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": totals.status}],
        "tool": {"driver": driver},
    }
    yield "\n], " + json.dumps(rest, ensure_ascii=False).removeprefix("{") + "]\n}\n"


def _findings(results: Iterable[BatchResult]) -> Iterator[dict[str, Any]]:
    for result in results:
        errors = [entry for entry in result.diagnostics if entry["severity"] in {"error", "warning"}]
        for entry in errors:
            text = entry["message"] + (f" ({entry['hint']})" if entry.get("hint") else "")
            yield _finding(entry["code"], entry["severity"], text, entry.get("file"), entry.get("line"))
        if result.status and not any(entry["severity"] == "error" for entry in errors):
            text = f"{result.task} {result.source}: {result.outcome}"
            level = "error" if result.status == 1 else "warning"
            yield _finding(_OWN, level, f"{text}, {result.detail}" if result.detail else text, result.source, None)


def _finding(code: str, level: str, text: str, file: str | None, line: int | None) -> dict[str, Any]:
    finding: dict[str, Any] = {"ruleId": code, "level": level, "message": {"text": text}}
    if file and "://" not in file:
        path = Path(file)
        artifact = {"uri": path.as_uri()} if path.is_absolute() else {"uri": quote(file), "uriBaseId": "%SRCROOT%"}
        physical: dict[str, Any] = {"artifactLocation": artifact}
        if line:
            physical["region"] = {"startLine": line}
        finding["locations"] = [{"physicalLocation": physical}]
    return finding


def _rule(code: str) -> dict[str, Any]:
    info = CODES.get(code)
    if code == _OWN:
        text = "The batch has no good answer about the model; the message states why."
        return {"id": code, "shortDescription": {"text": text}}
    rule: dict[str, Any] = {"id": code}
    if info is not None:
        rule["shortDescription"] = {"text": info.meaning}
        rule["help"] = {"text": info.remedy or "Nothing needs to be done."}
    return rule
