"""A document is replaced only if an export wrote it and nobody edited it since: its bytes are the witness."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from bridge.output import OutputFolderError, check_file, write_sealed


@pytest.mark.parametrize("text", [b"<robot/>", b"<robot/>\n", b"<?xml version='1.0'?>\n<robot/>\n"])
def test_an_unchanged_document_is_replaced_and_stays_xml(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "x.urdf"
    for document in (text, b"<robot name='new'/>\n", text):
        assert write_sealed(path, document, is_xml=True) == path
        assert path.read_bytes().startswith(document)
        ElementTree.fromstring(path.read_bytes())
    assert os.listdir(tmp_path) == ["x.urdf"]


def test_the_seal_is_a_comment_of_yaml_too(tmp_path: Path) -> None:
    path = write_sealed(tmp_path / "x.dmd.yaml", b"directives: []\n", is_xml=False)
    assert yaml.safe_load(path.read_bytes()) == {"directives": []}
    check_file(path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace(b"robot", b"thing"), "edited"),
        (lambda text: b"<!-- mine -->\n" + text, "edited"),
        (lambda text: text + b"<!-- mine -->\n", "did not write"),
        (lambda text: b"", "did not write"),
        (lambda text: b"<robot/>", "did not write"),
    ],
)
def test_a_file_of_somebody_else_is_kept_unless_forced(tmp_path: Path, change: object, reason: str) -> None:
    path = write_sealed(tmp_path / "x.urdf", b"<robot/>\n", is_xml=True)
    mine = change(path.read_bytes())
    path.write_bytes(mine)
    with pytest.raises(OutputFolderError, match=rf"{reason}.*--force"):
        write_sealed(path, b"<robot name='new'/>", is_xml=True)
    assert path.read_bytes() == mine
    write_sealed(path, b"<robot name='new'/>", is_xml=True, force=True)
    check_file(path)


def test_a_folder_is_refused_and_a_pipe_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x.urdf").mkdir()
    os.mkfifo(tmp_path / "pipe")
    check_file(tmp_path / "pipe")
    with pytest.raises(OutputFolderError, match="is a folder"):
        check_file(tmp_path / "x.urdf", force=True)
