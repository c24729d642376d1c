"""The command doctor lists installed versions."""

from __future__ import annotations

import json
import platform
from importlib import metadata

import pytest

from bridge.cli import main


def test_doctor_prints_the_installed_versions(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mujoco")
    pytest.importorskip("pybullet")
    assert main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["versions"]["python"] == platform.python_version()
    assert report["versions"]["numpy"] == metadata.version("numpy")
    assert {"mujoco", "pybullet"} <= set(report["engines"])


def test_a_missing_simulator_is_status_3(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def version(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", version)
    assert main(["doctor"]) == 3
    assert "not installed" in capsys.readouterr().out
