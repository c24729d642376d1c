"""The command compare with two files prints what differs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bridge.cli import main

ASSETS = Path(__file__).parents[4] / "assets"
X, Z = str(ASSETS / "orthogonal_x.sdf"), str(ASSETS / "orthogonal_z.sdf")


def test_a_file_is_equal_to_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", X, X, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "equal": True,
        "moves_alike": True,
        "verdict": "EQUAL",
        "reasons": [],
        "differences": [],
    }


def test_differences_are_listed_and_set_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", X, Z]) == 1
    printed = capsys.readouterr().out
    assert "kind" in printed
    assert "different: " in printed


def test_the_verdict_is_data_also_with_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", X, X, "-q"]) == 0
    assert capsys.readouterr().out == "equal: no item differs\n"


def test_the_status_tells_whether_both_move_alike(tmp_path: Path) -> None:
    text = Path(X).read_text()
    name = re.search(r'<joint name="([^"]+)" type="revolute"', text)
    assert name is not None
    other = tmp_path / "other.sdf"
    other.write_text(text.replace(f'"{name[1]}"', '"hinge"'))
    assert main(["compare", X, str(other)]) == 5
    assert main(["compare", X, str(other), "--match", "name"]) == 1
    assert main(["compare", X, str(other), "--map", f"{name[1]}=hinge"]) == 0
    assert main(["compare", X, str(other), "--map", "elbow=hinge"]) == 2
    assert main(["compare", X, str(other), "--map", "elbow"]) == 2


def test_a_report_is_a_page_and_the_same_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", X, Z, "--report", str(tmp_path / "out"), "--json"]) == 1
    assert json.loads((tmp_path / "out" / "results.json").read_text()) == json.loads(
        capsys.readouterr().out
    )
    assert "DIFFERENT" in (tmp_path / "out" / "report.html").read_text()


def test_simulators_are_asked_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", X, X, "--engines", "reference,mujoco", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["simulators"]
    assert set(found) == {"reference", "mujoco"}
    assert found["mujoco"]["pose"] == 0.0
    assert main(["compare", X, Z, "--engines", "mujoco", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["simulators"]["mujoco"]["pose"] > 0.01


def test_a_simulator_that_cannot_read_a_file_leaves_the_comparison_incomplete(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["compare", X, X, "--engines", "mujoco,mujoco-native"]) == 4
    assert "not compared in mujoco-native: " in capsys.readouterr().out
    assert main(["compare", X, Z, "--engines", "mujoco-native", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["simulators"]["mujoco-native"]["refusal"]
