"""The findings of a batch for code hosts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

from tests.support.sarif_schema import SCHEMA


def test_sarif_has_the_structure_of_version_2_1_0(folder: Path) -> None:
    log: dict[str, Any] = json.loads((folder / "results.sarif").read_text())
    jsonschema.validate(log, SCHEMA)
    assert log.keys() == {
        "$schema",
        "version",
        "runs",
        "properties",
    }  # the standard allows no other names
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["sdf.frame-cycle", "sdf.plugin", "batch.failed"]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    levels = [result["level"] for result in run["results"]]
    assert levels == ["error", "warning", "error", "warning"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 3}
    assert " " not in place["artifactLocation"]["uri"]
