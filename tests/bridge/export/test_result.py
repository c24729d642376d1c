"""A folder is stale if a file differs, is missing or superfluous."""

from __future__ import annotations

from pathlib import Path

from bridge.targets.folder import Export, stale


def test_stale_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "x").write_bytes(b"1")
    assert stale({"a": b"1", "b": b"2"}, tmp_path) == ("b", "x")
    assert stale({"a": b"2", "x": b"1"}, tmp_path) == ("a",)
    assert str(Export(path=tmp_path, files=(), diagnostics=())) == str(tmp_path)
