"""Demonstration on the bundled arm."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bridge.demo import demo
from bridge.demo.demo import run_demo
from bridge.parity import Verdict

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")

pytestmark = pytest.mark.slow


def test_without_pictures_the_demonstration_still_compares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_picture(_scene: object) -> tuple[None, list[str]]:
        return None, ["no pictures"]

    monkeypatch.setattr(demo, "_picture", no_picture)
    steps: list[str] = []
    result = run_demo(tmp_path, progress=steps.append)
    assert result.comparison.agreement is Verdict.EQUIVALENT
    assert "no pictures" in result.notes
    assert {path.name for path in result.files} >= {"arm.xml", "results.json", "junit.xml"}
    assert all(path.is_file() for path in result.files)
    assert json.loads((tmp_path / "results.json").read_text())["verdict"] == "EQUIVALENT"
    assert f"python -m mujoco.viewer --mjcf={tmp_path / 'arm' / 'scene.xml'}" in result.next_steps
    assert (tmp_path / "arm" / "scene.xml").is_file()
    assert steps[0].startswith("reading ")
    assert steps[1:] == ["writing MJCF", "drawing both simulators", "comparing MuJoCo and PyBullet"]


def test_without_the_packages_of_reports_no_report_is_promised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("jinja2", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    result = run_demo(tmp_path, progress=lambda step: None)
    assert not any("report.html" in step for step in result.next_steps)
    assert (
        "no pictures: matplotlib is not installed; try: pip install 'sdfbridge[report]'"
        in result.notes
    )
    assert (
        "the HTML report needs jinja2 and matplotlib: pip install 'sdfbridge[report]'"
        in result.notes
    )


def test_without_pybullet_the_demonstration_compares_mujoco_with_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pybullet", None)
    steps: list[str] = []
    result = run_demo(tmp_path, progress=steps.append)
    assert result.comparison.agreement is Verdict.EQUIVALENT
    assert result.comparison.engines == ("mujoco",)
    assert steps[-1] == "comparing MuJoCo with the reference"
    assert any("no pictures of PyBullet" in note for note in result.notes)
