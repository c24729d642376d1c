"""Diagnostics in SARIF 2.1.0."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema

from bridge.cli.commands.check import sarif_log
from bridge.diagnostic_codes import CODES
from loaders.diagnostics import Diagnostic, Fate, Where
from tests.support.command_line import ROOT
from tests.support.sarif_schema import SCHEMA

"""The part of OASIS's schema of SARIF 2.1.0 that states required properties and the values that are
used.
"""


def test_check_prints_a_log_with_a_rule_for_each_code_and_a_relative_path(broken: Path) -> None:
    command = [sys.executable, "-m", "bridge", "check", "-q", "--format", "sarif", str(broken)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=broken.parent, env=environment
    )
    assert done.returncode == 1
    log = json.loads(done.stdout)
    jsonschema.validate(log, SCHEMA)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) >= 3
    for result in run["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert rule["shortDescription"]["text"] == CODES[rule["id"]].meaning
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "broken.sdf", "uriBaseId": "%SRCROOT%"}
        assert place["region"]["startLine"] in {1, 2}


def test_a_path_elsewhere_is_a_uri_and_special_characters_are_quoted() -> None:
    places = (Where("/else where/a.sdf", 1), Where("a b.sdf"), Where())
    log = sarif_log(
        (Diagnostic("a.b", Fate.NOTED, "x", place) for place in places), successful=True
    )
    jsonschema.validate(log, SCHEMA)
    results = log["runs"][0]["results"]
    artifacts = [
        r["locations"][0]["physicalLocation"]["artifactLocation"]
        for r in results
        if "locations" in r
    ]
    assert [artifact["uri"] for artifact in artifacts] == [
        "file:///else%20where/a.sdf",
        "a%20b.sdf",
    ]
