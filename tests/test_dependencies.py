"""The dependencies: every one has a lower bound, and known advisories about them are found."""

from __future__ import annotations

import importlib.util
import json
import tomllib
import urllib.request
from importlib import metadata
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
GROUPS = PROJECT["optional-dependencies"]
FOR_USERS = (
    "batch",
    "completion",
    "convex",
    "dart",
    "mjx",
    "pybullet",
    "report",
    "view",
    "warp",
    "xacro",
)
REQUIREMENTS = [
    Requirement(text)
    for text in (*PROJECT["dependencies"], *(text for name in FOR_USERS for text in GROUPS[name]))
]


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_a_dependency_has_a_lower_bound_that_what_is_tested_satisfies(
    requirement: Requirement,
) -> None:
    """A job of the workflow installs the lower bounds."""
    lowest = [Version(each.version) for each in requirement.specifier if each.operator == ">="]
    assert len(lowest) == 1
    if requirement.marker is None or requirement.marker.evaluate():
        assert Version(metadata.version(requirement.name)) in requirement.specifier


def script() -> Any:
    spec = importlib.util.spec_from_file_location("advisories", ROOT / ".ci" / "advisories.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_advisory_that_is_not_allowed_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    module = script()
    asked: list[str] = []

    def answer(request: Any, timeout: float) -> BytesIO:
        names = [query["package"]["name"] for query in json.loads(request.data)["queries"]]
        asked.extend(names)
        found = [{"vulns": [{"id": "PYSEC-1"}]} if name == "pillow" else {} for name in names]
        return BytesIO(json.dumps({"results": found}).encode())

    monkeypatch.setattr(urllib.request, "urlopen", answer)
    assert module.main() == 1
    assert "PYSEC-1 (not allowed)" in capsys.readouterr().out
    assert {"lxml", "mujoco", "numpy", "pillow", "trimesh"} <= set(asked)
    allowed = tmp_path / "allowed.txt"
    allowed.write_text("# reasons\nPYSEC-1 of a format that is not read\n")
    monkeypatch.setattr(module, "ALLOWED", allowed)
    assert module.main() == 0


def test_without_a_network_nothing_is_claimed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr(urllib.request, "urlopen", refused)
    assert script().main() == 0
    assert "cannot be reached: no network" in capsys.readouterr().out
