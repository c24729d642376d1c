"""A file of lines survives an interruption at any point."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.output import (
    FolderInUseError,
    Journal,
    exclusive_use,
    line_at,
    remove_aside,
    set_aside,
    whole_lines,
)

LINES = [b"first", b"", b"third " + b"x" * 100_000, b"fourth"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Journal(tmp_path / "lines", keep=False) as journal:
        for line in LINES:
            journal.append(line)
    return tmp_path / "lines"


def texts(path: Path) -> list[bytes]:
    return [line for _, line in whole_lines(path)]


def test_lines_are_read_as_they_were_appended(path: Path) -> None:
    assert texts(path) == LINES
    assert [line_at(path, begin) for begin, _ in whole_lines(path)] == LINES


def test_a_file_cut_at_any_place_keeps_its_whole_lines(path: Path) -> None:
    data = path.read_bytes()
    for size in [*range(12), len(data) // 2, *range(len(data) - 12, len(data))]:
        path.write_bytes(data[:size])
        whole = data[:size].split(b"\n")[:-1]
        assert texts(path) == whole
        with Journal(path, keep=True) as journal:
            journal.append(b"next")
        assert texts(path) == [*whole, b"next"]


def test_what_is_not_kept_is_gone(path: Path) -> None:
    Journal(path, keep=False).close()
    assert path.read_bytes() == b""


def test_append_says_where_the_line_begins(path: Path) -> None:
    with Journal(path, keep=True) as journal:
        assert line_at(path, journal.append(b"last")) == b"last"


def test_a_file_that_does_not_exist_has_no_lines(tmp_path: Path) -> None:
    assert texts(tmp_path / "none") == []


def test_a_folder_is_used_by_one_at_a_time(tmp_path: Path) -> None:
    with (
        exclusive_use(tmp_path / "new"),
        pytest.raises(FolderInUseError),
        exclusive_use(tmp_path / "new"),
    ):
        pass
    with exclusive_use(tmp_path / "new"):
        pass


def test_a_file_is_set_aside_once(path: Path) -> None:
    lines = path.read_bytes()
    set_aside(path, "aside")
    assert not path.exists()
    set_aside(path, "aside")
    path.write_bytes(b"torn")
    set_aside(path, "other")
    assert not path.with_name("other").exists()
    path.write_bytes(b"whole\n")
    set_aside(path, "aside")
    assert (path.with_name("aside").read_bytes(), path.read_bytes()) == (lines, b"whole\n")
    for _ in range(2):
        remove_aside(path, "aside")
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
