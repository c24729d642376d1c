"""The command compare prints the verdict and writes the report."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from bridge.cli import main
from bridge.cli.compare import _position

ARM = Path(__file__).parents[3] / "assets" / "arm" / "model.sdf"


def test_compare_prints_the_verdict_and_writes_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", str(ARM), "--level", "L0,L1", "--configurations", "2"]
    assert main([*words, "--report", str(tmp_path)]) == 0
    assert "arm: EQUIVALENT" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"report.html", "results.json", "junit.xml"}
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "EQUIVALENT"


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("elbow=0.5", ("elbow", 0.5)),
        ("elbow=30deg", ("elbow", math.radians(30.0))),
        ("a::ball=1,0,0,0", ("a::ball", (1.0, 0.0, 0.0, 0.0))),
    ],
)
def test_a_position_is_read_in_radians_degrees_or_several_numbers(text: str, position: tuple[str, object]) -> None:
    assert _position(text) == position


@pytest.mark.parametrize("text", ["elbow", "=1", "elbow=", "elbow=far"])
def test_an_invalid_position_is_wrong_usage(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(ARM), "--set", text]) == 2
    assert "expected JOINT=VALUE" in capsys.readouterr().err


def test_strict_refuses_what_an_engine_cannot_represent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "limited.urdf"
    path.write_text(
        "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/>"
        "<child link='b'/><limit lower='-1' upper='1' effort='5' velocity='2'/></joint></robot>",
        encoding="utf-8",
    )
    words = ["compare", str(path), "--level", "L0", "--configurations", "1"]
    assert main(words) == 0
    assert main([*words, "--strict"]) == 1
    assert "[pybullet.velocity-limit]" in capsys.readouterr().err


def test_strict_refuses_an_unread_element(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "unread.urdf"
    path.write_text("<robot name='r'><link name='a'/><nonsense/></robot>", encoding="utf-8")
    assert main(["compare", str(path), "--level", "L0", "--strict"]) == 1
    assert "[xml.unread]" in capsys.readouterr().err
