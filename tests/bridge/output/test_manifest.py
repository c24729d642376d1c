"""The manifest of an output folder: what an export owns, what was edited, what is foreign."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from bridge.output import write_folder
from bridge.output.folder import MANIFEST, folder_state

FILES = {"model.xml": b"old", "assets/a.obj": b"old mesh"}


def test_the_manifest_holds_the_hash_of_every_file(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", FILES)
    content = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert content["files"] == {
        file: hashlib.sha256(data).hexdigest() for file, data in FILES.items()
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"sdfbridge": 1, "files": ["model.xml"]}',
        '{"sdfbridge": 2, "files": {"model.xml": ""}}',
        "[]",
        "no JSON",
        "[" * 100_000,
    ],
)
def test_a_manifest_that_is_broken_owns_nothing(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "out"
    write_folder(folder, FILES)
    (folder / MANIFEST).write_text(text)
    assert folder_state(folder).foreign == ("assets", "model.xml")


def test_a_file_that_became_a_link_counts_as_edited(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_folder(folder, FILES)
    (tmp_path / "elsewhere").write_bytes(b"old")
    (folder / "model.xml").unlink()
    (folder / "model.xml").symlink_to(tmp_path / "elsewhere")
    assert folder_state(folder).edited == ("model.xml",)


def test_a_folder_of_the_export_that_became_a_link_is_foreign(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_folder(folder, FILES)
    os.rename(folder / "assets", tmp_path / "assets")
    (folder / "assets").symlink_to(tmp_path / "assets")
    assert folder_state(folder).foreign == ("assets",)
