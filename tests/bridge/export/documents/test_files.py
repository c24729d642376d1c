"""Files that a document names are copied beside it; one that is missing keeps its URI."""

from __future__ import annotations

from pathlib import Path

import pytest

import bridge
from bridge.diagnostic_codes import CODES
from bridge.targets.folder import AssetFiles, Files
from bridge.targets.report import Report

ASSETS = Path(__file__).parents[4] / "assets"


def test_a_mesh_is_copied() -> None:
    urdf = bridge.to_urdf(ASSETS / "arm" / "model.sdf", quiet=True)
    assert "finger.obj" in urdf.assets
    assert 'filename="assets/finger.obj"' in urdf


@pytest.mark.parametrize("code", ["sdfout.missing-file", "urdfout.missing-file"])
def test_a_missing_file_keeps_its_uri_and_is_reported(code: str) -> None:
    files = Files(Report("sdf"), AssetFiles(), CODES[code])
    assert files.uri(None, "model://x/y.stl") == "model://x/y.stl"
    assert [entry.code for entry in files.report.entries] == [code]
