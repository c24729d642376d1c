"""Folders with models to include."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.sdf import ARM, CRANE, HINGED, IDOL, PAIR, ROBOT


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A folder of models that can be included as ``model://NAME``."""
    for name, text in {"crane": CRANE, "gate": HINGED, "idol": IDOL, "pair": PAIR}.items():
        folder = tmp_path / "library" / name
        folder.mkdir(parents=True)
        (folder / "model.sdf").write_text(text)
        manifest = f"<model><name>{name}</name><sdf version='1.8'>model.sdf</sdf></model>"
        (folder / "model.config").write_text(manifest)
    return tmp_path / "library"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the model ``arm`` and the URDF file ``bot.urdf``."""
    arm = tmp_path / "arm"
    arm.mkdir()
    (arm / "model.config").write_text("<model><sdf version='1.9'>model.sdf</sdf></model>")
    (arm / "model.sdf").write_text(ARM)
    (tmp_path / "bot.urdf").write_text(ROBOT)
    return tmp_path
