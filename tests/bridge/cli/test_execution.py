"""With ``--json``, a command that fails prints one report, as the published schema describes it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import loaders
from bridge.cli import main
from tests.support.command_line import ROOT, call

ARM = ROOT / "assets" / "arm" / "model.sdf"
SCHEMA = json.loads((ROOT / "docs" / "schema" / "report.schema.json").read_text(encoding="utf-8"))


def report_of(*words: object) -> dict[str, Any]:
    """The JSON that a command prints; it satisfies the schema and repeats the exit status."""
    done = call(*words, "--json", DISPLAY="", WAYLAND_DISPLAY="")
    report: dict[str, Any] = json.loads(done.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    assert report["status"] == done.returncode
    assert report["command"] == words[0]
    return report


def test_the_schema_is_valid_and_refuses_an_unknown_key() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"sdfbridge": 1, "colour": "red"}, SCHEMA)


@pytest.mark.parametrize("command", ["check", "info", "graph", "convert", "compare"])
def test_a_broken_file_is_a_report_of_all_its_errors(
    command: str, broken: Path, tmp_path: Path
) -> None:
    report = report_of(command, broken, *([tmp_path / "out"] if command == "convert" else []))
    with pytest.raises(loaders.LoadError) as error:
        loaders.load(broken)
    expected = [(d.code, d.where.line, d.message) for d in error.value.diagnostics]
    assert [(d["code"], d["line"], d["message"]) for d in report["diagnostics"]] == expected
    assert report["files"] == [str(broken)]
    assert report["status"] == 1


def test_a_failure_outside_the_files_is_the_error_of_the_report() -> None:
    assert (
        "unknown joint 'elbo'"
        in report_of("compare", ARM, "--set", "elbo=1", "--level", "L0")["error"]
    )
    assert "needs a display" in report_of("view", ARM)["error"]


def test_a_missing_package_has_the_status_of_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "arm.urdf.xacro"
    file.write_text(
        '<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="b"/></robot>'
    )
    monkeypatch.setitem(sys.modules, "xacro", None)
    assert main(["info", str(file), "--xacro"]) == 3
    assert "[xacro.not-installed]" in capsys.readouterr().err
    assert main(["info", str(file)]) == 1, "without permission, the file is refused"


def test_check_prints_a_report_of_valid_files_too() -> None:
    report = report_of("check", ARM, ROOT / "assets" / "leg.sdf")
    assert (report["status"], report["valid"], report["error"]) == (0, True, None)
    assert [result["valid"] for result in report["results"]] == [True, True]
