"""The command doctor lists installed versions."""

from __future__ import annotations

import json
import platform
import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from bridge.cli import main

PROJECT = Path(__file__).parents[4] / "pyproject.toml"
USERS_EXTRAS = ("batch", "convex", "dart", "report", "view", "xacro")


def test_doctor_prints_the_installed_versions(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mujoco")
    pytest.importorskip("pybullet")
    assert main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["versions"]["python"] == platform.python_version()
    assert report["versions"]["numpy"] == metadata.version("numpy")
    assert {"mujoco", "pybullet"} <= set(report["engines"])


def test_a_missing_simulator_is_status_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def version(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", version)
    assert main(["doctor"]) == 3
    assert "not installed" in capsys.readouterr().out


def test_doctor_lists_the_packages_of_every_extra(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--json"])
    listed = json.loads(capsys.readouterr().out)["versions"]
    extras = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    names = {
        re.split(r"[><=!;\[ ]", package)[0] for extra in USERS_EXTRAS for package in extras[extra]
    }
    assert names | {"robot_descriptions"} <= listed.keys()
