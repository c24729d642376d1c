"""A document is replaced only if an export wrote it and nobody edited it since: its bytes are the
witness.
"""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from PIL import Image

from bridge.output import Form, OutputFolderError, check_file, write_sealed
from bridge.output.file import sealed


@pytest.mark.parametrize("text", [b"<robot/>", b"<robot/>\n", b"<?xml version='1.0'?>\n<robot/>\n"])
def test_an_unchanged_document_is_replaced_and_stays_xml(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "x.urdf"
    for document in (text, b"<robot name='new'/>\n", text):
        assert write_sealed(path, document, Form.MARKUP) == path
        assert path.read_bytes().startswith(document)
        ElementTree.fromstring(path.read_bytes())
    assert os.listdir(tmp_path) == ["x.urdf"]


def test_the_seal_is_a_comment_of_yaml_too(tmp_path: Path) -> None:
    path = write_sealed(tmp_path / "x.dmd.yaml", b"directives: []\n", Form.LINES)
    assert yaml.safe_load(path.read_bytes()) == {"directives": []}
    check_file(path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace(b"robot", b"thing"), "edited"),
        (lambda text: b"<!-- mine -->\n" + text, "edited"),
        (lambda text: text + b"<!-- mine -->\n", "did not write"),
        (lambda text: b"<robot/>", "did not write"),
    ],
)
def test_a_file_of_somebody_else_is_kept_unless_forced(
    tmp_path: Path, change: object, reason: str
) -> None:
    path = write_sealed(tmp_path / "x.urdf", b"<robot/>\n", Form.MARKUP)
    mine = change(path.read_bytes())
    path.write_bytes(mine)
    with pytest.raises(OutputFolderError, match=rf"{reason}.*--force"):
        write_sealed(path, b"<robot name='new'/>", Form.MARKUP)
    assert path.read_bytes() == mine
    write_sealed(path, b"<robot name='new'/>", Form.MARKUP, force=True)
    check_file(path)


def test_a_folder_is_refused_and_a_pipe_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x.urdf").mkdir()
    os.mkfifo(tmp_path / "pipe")
    check_file(tmp_path / "pipe")
    with pytest.raises(OutputFolderError, match="is a folder"):
        check_file(tmp_path / "x.urdf", force=True)


def test_an_empty_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "x.urdf").touch()
    assert (
        write_sealed(tmp_path / "x.urdf", b"<robot/>", Form.MARKUP)
        .read_bytes()
        .startswith(b"<robot/>")
    )


def picture() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (3, 2), (10, 20, 30)).save(stream, "PNG")
    return stream.getvalue()


CONTENTS = {
    Form.MARKUP: b"<!DOCTYPE html>\n<title>a</title>\n",
    Form.LINES: b"digraph {\n}\n",
    Form.JSON: json.dumps({"a": [1, 2], "b": "c"}, indent=1).encode() + b"\n",
    Form.SARIF: json.dumps({"version": "2.1.0", "runs": []}, indent=1).encode() + b"\n",
    Form.PNG: picture(),
}


@pytest.mark.parametrize("form", Form)
def test_each_form_tells_an_edit_from_its_own_file(tmp_path: Path, form: Form) -> None:
    """Each byte is changed in turn; the file as it is written is replaced, and no changed one
    is.
    """
    path = write_sealed(tmp_path / "report", CONTENTS[form], form)
    check_file(path)
    written = path.read_bytes()
    assert write_sealed(path, CONTENTS[form], form).read_bytes() == written
    for i in range(len(CONTENTS[form])):
        path.write_bytes(written[:i] + bytes([written[i] ^ 1]) + written[i + 1 :])
        with pytest.raises(OutputFolderError):
            check_file(path)


def test_a_sealed_picture_and_object_are_read_as_before(tmp_path: Path) -> None:
    path = write_sealed(tmp_path / "a.png", CONTENTS[Form.PNG], Form.PNG)
    with Image.open(path) as image:
        image.verify()
    with Image.open(path) as image:
        assert image.getpixel((2, 1)) == (10, 20, 30)
    found = json.loads(
        write_sealed(tmp_path / "a.json", CONTENTS[Form.JSON], Form.JSON).read_bytes()
    )
    assert {key: found[key] for key in ("a", "b")} == {"a": [1, 2], "b": "c"}


def test_pieces_are_sealed_like_the_whole(tmp_path: Path) -> None:
    whole = write_sealed(tmp_path / "a.html", b"<p>one</p>", Form.MARKUP).read_bytes()
    assert (
        write_sealed(
            tmp_path / "b.html", iter([b"<p>", b"", b"one", b"</p>"]), Form.MARKUP
        ).read_bytes()
        == whole
    )


@pytest.mark.parametrize("form", [Form.JSON, Form.SARIF, Form.PNG])
def test_what_is_not_of_its_form_is_refused(form: Form) -> None:
    with pytest.raises(ValueError, match="the content is not a"):
        sealed(b"{}", form)


@pytest.mark.parametrize("form", [Form.JSON, Form.SARIF])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_an_object_in_pieces_has_the_seal_of_the_whole(
    tmp_path: Path, form: Form, size: int
) -> None:
    text = CONTENTS[Form.SARIF]
    pieces = [text[begin : begin + size] for begin in range(0, len(text), size)]
    path = write_sealed(tmp_path / "x.json", pieces, form)
    check_file(path)
    assert path.read_bytes() == sealed(text, form)
    assert json.loads(path.read_bytes())["runs"] == []
    path.write_bytes(path.read_bytes().replace(b"2.1.0", b"2.1.1"))
    with pytest.raises(OutputFolderError, match="edited"):
        check_file(path)


def test_pieces_that_are_no_object_leave_the_old_file(tmp_path: Path) -> None:
    path = write_sealed(tmp_path / "x.sarif", CONTENTS[Form.SARIF], Form.SARIF)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="not a log in SARIF"):
        write_sealed(path, [b"{", b"}"], Form.SARIF)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["x.sarif"]
