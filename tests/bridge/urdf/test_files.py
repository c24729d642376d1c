"""Meshes are copied beside the document; one that is missing keeps its name."""

from __future__ import annotations

from pathlib import Path

import bridge
from bridge.export.asset_files import AssetFiles
from bridge.export.report import Report
from bridge.urdf.files import Files

ASSETS = Path(__file__).parents[3] / "assets"


def test_a_mesh_is_copied() -> None:
    urdf = bridge.to_urdf(ASSETS / "arm" / "model.sdf", quiet=True)
    assert set(urdf.assets) == {"finger.obj"}
    assert 'filename="assets/finger.obj"' in urdf


def test_a_missing_file_is_reported() -> None:
    files = Files(Report("urdf"), AssetFiles())
    assert files.uri(None, "no.stl") == "no.stl"
    assert [entry.code for entry in files.report.entries] == ["urdfout.missing-file"]
