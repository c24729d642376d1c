"""A missing file keeps its URI."""

from __future__ import annotations

from bridge.export.asset_files import AssetFiles
from bridge.export.report import Report
from bridge.sdf.files import Files


def test_a_missing_file_keeps_its_uri_and_is_reported() -> None:
    files = Files(Report("sdf"), AssetFiles())
    assert files.uri(None, "model://x/y.stl") == "model://x/y.stl"
    assert [entry.code for entry in files.report.entries] == ["sdfout.missing-file"]
