"""Demonstration on the bundled arm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge.demo import demo
from bridge.demo.demo import run_demo
from bridge.parity import Verdict

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


def test_without_pictures_the_demonstration_still_compares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_picture(_scene: object) -> tuple[None, list[str]]:
        return None, ["no pictures"]

    monkeypatch.setattr(demo, "_picture", no_picture)
    steps: list[str] = []
    result = run_demo(tmp_path, progress=steps.append)
    assert result.comparison.verdict is Verdict.EQUIVALENT
    assert "no pictures" in result.notes
    assert {path.name for path in result.files} >= {"arm.xml", "results.json", "junit.xml"}
    assert all(path.is_file() for path in result.files)
    assert json.loads((tmp_path / "results.json").read_text())["verdict"] == "EQUIVALENT"
    assert steps[0].startswith("reading ")
    assert steps[1:] == ["writing MJCF", "drawing both simulators", "comparing MuJoCo and PyBullet"]
