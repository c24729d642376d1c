"""Written files: the old content or the new one at every moment, and no edited document is
replaced.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import io
import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from PIL import Image

from bridge.output import (
    Form,
    OutputFolderError,
    check_file,
    write_document,
    write_file,
    write_sealed,
)
from bridge.output.file import _sweep_once, sealed

# A document and the files beside it, by what somebody who follows its references reads at every
# moment.

OLD = {"part.obj": b"old mesh", "textures/part.png": b"old picture"}
NEW = {"part.obj": b"new mesh", "textures/part.png": b"new picture", "wheel.obj": b"wheel"}


def write(
    place: Path, files: dict[str, bytes], name: str = "x.sdf", *, force: bool = False
) -> tuple[Path, ...]:
    """Write a document that names these files."""
    folder = hashlib.sha256(repr(files).encode()).hexdigest()[:16]
    files = {f"{folder}/{file}": data for file, data in files.items()}
    text = "\n".join(f"x_assets/{file}" for file in files)
    document = place / name
    return write_document(
        document,
        f"<a>\n{text}\n</a>".encode(),
        place / "x_assets",
        files,
        form=Form.MARKUP,
        force=force,
    )


def read(place: Path, name: str = "x.sdf") -> dict[str, bytes]:
    """Every file that the document names, by its path in the folder of the content."""
    lines = [
        line for line in (place / name).read_text().splitlines() if line.startswith("x_assets/")
    ]
    return {line.split("/", 2)[2]: (place / line).read_bytes() for line in lines}


def files_below(place: Path) -> int:
    return sum(path.is_file() for path in place.rglob("*"))


def test_a_document_refers_to_its_own_files_and_nothing_else_is_left(tmp_path: Path) -> None:
    paths = write(tmp_path, OLD)
    assert read(tmp_path) == OLD
    assert [path.name for path in paths] == ["x.sdf", "part.obj", "part.png"]
    write(tmp_path, NEW)
    assert read(tmp_path) == NEW
    assert files_below(tmp_path / "x_assets") == len(NEW) + 1
    write(tmp_path, {})
    assert os.listdir(tmp_path) == ["x.sdf"]


def test_a_reader_finds_whole_files_after_each_step(tmp_path: Path) -> None:
    """Each operation on files raises an audit event; before each, the document is read as somebody
    else would.
    """
    write(tmp_path, OLD)
    seen: list[dict[str, bytes]] = []
    is_reading = is_watching = False

    def look(event: str, _arguments: tuple[object, ...]) -> None:
        nonlocal is_reading
        if is_watching and not is_reading and event.startswith(("os.", "open", "shutil.")):
            is_reading = True
            seen.append(read(tmp_path))
            is_reading = False

    sys.addaudithook(look)
    is_watching = True
    write(tmp_path, NEW)
    is_watching = False
    assert len(seen) > 20
    assert all(files in (OLD, NEW) for files in seen)
    assert seen[0] == OLD
    assert seen[-1] == NEW


def test_two_documents_of_one_name_do_not_take_each_others_files(tmp_path: Path) -> None:
    write(tmp_path, OLD, "x.sdf")
    write(tmp_path, NEW, "x.xml")
    assert (read(tmp_path, "x.sdf"), read(tmp_path, "x.xml")) == (OLD, NEW)
    write(tmp_path, {}, "x.xml")
    assert read(tmp_path, "x.sdf") == OLD


def test_the_files_of_a_document_that_was_renamed_stay(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    (tmp_path / "x.sdf").rename(tmp_path / "mine.sdf")
    write(tmp_path, NEW)
    assert (read(tmp_path, "mine.sdf"), read(tmp_path)) == (OLD, NEW)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda place: next(place.glob("x_assets/*/part.obj")).write_bytes(b"mine"),
            "edited since",
        ),
        (
            lambda place: (place / "x_assets" / "mine.txt").write_bytes(b"mine"),
            "not written by sdfbridge",
        ),
        (lambda place: (place / "x.sdf").write_bytes(b"mine"), "sdfbridge did not write it"),
    ],
)
def test_what_somebody_else_wrote_is_refused_before_anything_is_touched(
    tmp_path: Path, change: Callable[[Path], object], message: str
) -> None:
    write(tmp_path, OLD)
    change(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(OutputFolderError, match=message):
        write(tmp_path, NEW)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    write(tmp_path, NEW, force=True)
    assert read(tmp_path) == NEW


def test_another_export_in_the_place_of_the_files_is_refused(tmp_path: Path) -> None:
    from bridge.output import write_folder

    write_folder(tmp_path / "x_assets", {"scene.xml": b"another"})
    with pytest.raises(OutputFolderError, match=r"it is another export, with scene\.xml"):
        write(tmp_path, NEW)
    assert (tmp_path / "x_assets" / "scene.xml").read_bytes() == b"another"
    assert not (tmp_path / "x.sdf").exists()


@pytest.mark.parametrize("limit", [10, 60, 300])
def test_a_full_disk_leaves_the_old_document_with_its_files(tmp_path: Path, limit: int) -> None:
    write(tmp_path, OLD)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        with pytest.raises(OSError) as found:  # noqa: PT011  # its number is the fact
            write(tmp_path, NEW | {"large.bin": b"x" * 400})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert found.value.errno == errno.EFBIG
    assert read(tmp_path) == OLD


def test_a_document_that_cannot_be_written_leaves_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "x.sdf")

    monkeypatch.setattr("bridge.output.file.write_sealed", full)
    with pytest.raises(OSError, match=r"x\.sdf|output folder"):
        write(tmp_path, OLD)
    assert os.listdir(tmp_path) == []


# A document is replaced only if an export wrote it and nobody edited it since: its bytes are the
# witness.


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


# Single files: the old content or the new one.


def test_a_file_is_replaced_with_its_mode_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(b"old")
    path.chmod(0o640)
    assert write_file(path, b"new") == path
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_file(tmp_path / "pipe", b"new")
    reader.join()
    assert read == [b"new"]


@pytest.mark.parametrize("where", ["nowhere/report.html", "."])
def test_an_error_names_the_file(tmp_path: Path, where: str) -> None:
    with pytest.raises(OSError, match=r"No such file|Is a directory") as found:
        write_file(tmp_path / where, b"new")
    assert found.value.filename == str(tmp_path / where)


def test_a_file_that_grows_too_large_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_file(path, bytes(5000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["report.html"]


WRITER = """
import os, signal, sys
from bridge.output import file as output_file
def write_and_die(draft, place, pieces, private):
    draft.write_bytes(b"".join(pieces))
    os.kill(os.getpid(), signal.SIGKILL)
output_file._write_draft = write_and_die
output_file.write_file(sys.argv[1], b"never")
"""


def test_the_draft_of_a_killed_process_is_swept_later(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(b"old")
    subprocess.run([sys.executable, "-c", WRITER, str(path)], check=False)
    (draft,) = (entry for entry in tmp_path.iterdir() if entry != path)
    _sweep_once.cache_clear()
    write_file(path, b"new")
    assert draft.exists(), "it is too young: its process may not have locked it yet"
    then = time.time() - 100.0
    os.utime(draft, (then, then))
    with draft.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        _sweep_once.cache_clear()
        write_file(path, b"new")
        assert draft.exists(), "somebody holds it"
    _sweep_once.cache_clear()
    write_file(path, b"newer")
    assert os.listdir(tmp_path) == ["report.html"]
    assert path.read_bytes() == b"newer"


def test_the_folder_of_a_file_is_made_on_request(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "report.html"
    assert write_file(path, b"new", make_folder=True).read_bytes() == b"new"


def test_threads_that_write_one_file_leave_one_content_whole(tmp_path: Path) -> None:
    path, contents = tmp_path / "report.html", [bytes([k]) * 100_000 for k in range(8)]
    threads = [threading.Thread(target=write_file, args=(path, data)) for data in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in contents
    assert os.listdir(tmp_path) == ["report.html"]
