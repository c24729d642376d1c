"""A document and the files beside it, by what somebody who follows its references reads at every
moment.
"""

from __future__ import annotations

import errno
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.output import CONTENT, Form, OutputFolderError, write_document

OLD = {"part.obj": b"old mesh", "textures/part.png": b"old picture"}
NEW = {"part.obj": b"new mesh", "textures/part.png": b"new picture", "wheel.obj": b"wheel"}


def write(
    place: Path, files: dict[str, bytes], name: str = "x.sdf", *, force: bool = False
) -> tuple[Path, ...]:
    """Write a document that names these files."""
    text = "\n".join(f"x_assets/{CONTENT}/{file}" for file in files)
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
