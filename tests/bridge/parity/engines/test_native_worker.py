"""PyBullet's loaders run in a separate process, which may crash or take too long."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

import loaders
from bridge.parity import compare
from bridge.parity.engines.pybullet import native

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


ASSETS = Path(__file__).parents[4] / "assets"

STATIC = ("L0", "L1")


def static(path: Path, *engines: str) -> object:
    return compare(path, engines, levels=STATIC, configurations=3)


def test_a_file_that_crashes_loadsdf_does_not_end_this_process(tmp_path: Path) -> None:
    path = tmp_path / "no_link.sdf"
    path.write_text(
        "<sdf version='1.11'><model name='m'><link name='l'/><frame name='f'/></model></sdf>"
    )
    assert static(path, "pybullet-sdf").rows is not None


def test_a_loader_that_does_not_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "REPLY_TIMEOUT", 3.0)
    scene = loaders.load(ASSETS / "double_pendulum.urdf")
    pipe = tmp_path / "endless.urdf"
    os.mkfifo(pipe)
    found = compare(
        replace(scene, source=str(pipe)), ("pybullet-urdf",), levels=STATIC, configurations=1
    )
    assert "took more than 3 s for the file" in next(row.cause for row in found.failures)
