"""The command resolve lists the files that a model refers to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge.cli import main

ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


def test_resolve_prints_where_each_mesh_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resolve", "--json", str(ARM)]) == 0
    lookups = json.loads(capsys.readouterr().out)
    assert lookups
    assert all(Path(lookup["path"]).exists() for lookup in lookups)


def test_resolve_prints_every_place_that_was_tried(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    mesh = "<visual><geometry><mesh filename='package://cups/cup.obj'/></geometry></visual>"
    (tmp_path / "cup.urdf").write_text(f"<robot name='r'><link name='a'>{mesh}</link></robot>")
    (tmp_path / "shelf").mkdir()
    assert main(["resolve", str(tmp_path / "cup.urdf"), "--path", str(tmp_path / "shelf")]) == 1
    text = capsys.readouterr().out
    assert "package://cups/cup.obj\tnot found" in text
    assert f"tried {tmp_path / 'shelf' / 'cups' / 'cup.obj'}" in text


def test_a_file_that_cannot_be_read_is_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["resolve", str(tmp_path / "nowhere.sdf")]) == 1
    assert "[file.unreadable]" in capsys.readouterr().err
    (tmp_path / "cut.sdf").write_text("<sdf version='1.11'>")
    assert main(["resolve", str(tmp_path / "cut.sdf"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["diagnostics"][0]["code"] == "xml.syntax"


def test_a_file_that_refers_to_no_other_is_fine(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "cup.urdf").write_text("<robot name='r'><link name='a'/></robot>")
    assert main(["resolve", str(tmp_path / "cup.urdf")]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "refers to no other file" in shown.err
