"""Hidden folders that a kill leaves: drafts are removed, old content only if nothing of it would be
lost.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bridge.output import write_folder
from bridge.output.folder import (
    ExchangeUnsupportedError,
    discard,
    exchange,
    new_hidden_folder,
    remove_leftovers,
)

OLD, NEW = {"a.xml": b"old", "deep/b": b"old"}, {"a.xml": b"new"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "out", OLD)


def exchanged(place: Path) -> Path:
    """The folders after a kill between the exchange and the removal of the old content."""
    hidden = new_hidden_folder(place)
    hidden.rmdir()
    write_folder(place.with_name("fresh"), NEW)
    place.with_name("fresh").rename(hidden)
    #        hidden =
    # hidden.rename(hidden.with_name(f".out.sdfbridge-{hidden.stat().st_ino:x}-01234567"))
    try:
        exchange(hidden, place)
    except ExchangeUnsupportedError:
        pytest.skip("this file system cannot exchange folders")
    return hidden


def test_a_draft_is_removed_whatever_is_in_it(place: Path) -> None:
    hidden = new_hidden_folder(place)
    (hidden / "half").write_bytes(b"x")
    remove_leftovers(place)
    assert os.listdir(place.parent) == ["out"]


def test_old_content_as_it_was_written_is_removed(place: Path) -> None:
    hidden = exchanged(place)
    assert (hidden / "a.xml").read_bytes() == b"old"
    remove_leftovers(place)
    assert os.listdir(place.parent) == ["out"]
    assert (place / "a.xml").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["a.xml", "mine.txt", "deep/mine.txt"])
def test_old_content_with_a_file_of_the_last_moment_stays(place: Path, name: str) -> None:
    """The file was edited or added after the check, and a kill prevented the check after the
    exchange.
    """
    (place / name).write_bytes(b"mine")
    hidden = exchanged(place)
    write_folder(place, NEW)
    assert (hidden / name).read_bytes() == b"mine"
    assert (place / "a.xml").read_bytes() == b"new"


def test_foreign_files_that_are_in_place_too_do_not_keep_old_content(place: Path) -> None:
    (place / "mine.txt").write_bytes(b"mine")
    (place / "dir").mkdir()
    (place / "dir" / "link").symlink_to("nowhere")
    hidden = exchanged(place)
    (place / "dir").mkdir()
    os.link(hidden / "mine.txt", place / "mine.txt")
    (place / "dir" / "link").symlink_to("nowhere")
    discard(hidden, place)
    assert os.listdir(place.parent) == ["out"]


@pytest.mark.parametrize(
    "name", [".out.sdfbridge-notes", ".out.sdfbridge-", ".other.sdfbridge-01234567", "out-old"]
)
def test_folders_with_similar_names_stay(place: Path, name: str) -> None:
    (place.parent / name).mkdir()
    write_folder(place, NEW)
    assert sorted(os.listdir(place.parent)) == sorted(["out", name])
