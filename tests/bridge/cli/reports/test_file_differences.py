"""The command compare with two files prints what differs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge.cli import main

ASSETS = Path(__file__).parents[4] / "assets"
X, Z = str(ASSETS / "orthogonal_x.sdf"), str(ASSETS / "orthogonal_z.sdf")


def test_a_file_is_equal_to_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", X, X, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"equal": True, "moves_alike": True, "differences": []}


def test_differences_are_listed_and_set_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", X, Z]) == 1
    printed = capsys.readouterr()
    assert "kind" in printed.out
    assert "different" in printed.err
