"""Files of lines that survive an interruption, and scratch files that are gone at the end."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from bridge.output import (
    FolderInUseError,
    Journal,
    create_scratch_file,
    exclusive_use,
    line_at,
    remove_aside,
    remove_unused,
    scratch_folder,
    scratch_path,
    scratch_place,
    set_aside,
    whole_lines,
)
from bridge.output.scratch import _sweep_once

# A file of lines survives an interruption at any point.

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


# Scratch files and folders: gone at the end, and swept later if their process was killed.

HOURS = 3600.0

KILLED = """
import os, signal
from bridge.output import create_scratch_file, scratch_folder, scratch_place
with scratch_folder() as folder:
    (folder / "part").write_bytes(b"x")
    create_scratch_file(f"{scratch_place()}/sdfbridge-{'0' * 32}-{os.getpid()}.urdf", b"x")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    _sweep_once.cache_clear()
    return tmp_path


def age(path: Path, hours: float) -> None:
    """Set back the times of a file or folder; the time of its change of status cannot be set."""
    then = time.time() - hours * HOURS
    os.utime(path, (then, then))


def swept_later(hours: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweep as a new process does, some time later."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + hours * HOURS)
    _sweep_once.cache_clear()
    scratch_place()


def test_the_path_of_the_place_is_that_of_its_folder(place: Path) -> None:
    assert scratch_path() == str(scratch_place()) == str(place)


def test_a_scratch_folder_is_private_and_gone_at_the_end(place: Path) -> None:
    with suppress(KeyError), scratch_folder() as folder:
        (folder / "deep").mkdir()
        (folder / "deep" / "file").write_bytes(b"x")
        assert folder.parent == place
        assert folder.stat().st_mode & 0o777 == 0o700
        raise KeyError
    assert list(place.iterdir()) == []


def test_what_a_killed_process_leaves_is_swept_an_hour_later(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = os.environ | {"TMPDIR": str(place)}
    done = subprocess.run([sys.executable, "-c", KILLED], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(place.iterdir())) == 2
    swept_later(0.9, monkeypatch)
    assert len(list(place.iterdir())) == 2
    swept_later(0.2, monkeypatch)
    assert list(place.iterdir()) == []


def test_scratch_of_running_processes_and_files_of_others_stay(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [
        f"sdfbridge-{os.getpid()}-0123456789abcdef",
        f"sdfbridge-{os.getppid()}.urdf",
        "sdfbridge-notes.txt",
        "sdfbridge-999999999-mine",
        "mine-999999999",
    ]
    for name in names:
        (place / name).write_bytes(b"x")
    swept_later(100.0, monkeypatch)
    assert sorted(path.name for path in place.iterdir()) == sorted(names)


def test_a_link_with_the_name_of_scratch_is_removed_but_not_followed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "precious").mkdir()
    (place / "precious" / "file").write_bytes(b"mine")
    (place / "sdfbridge-999999999-0123456789abcdef").symlink_to(place / "precious")
    swept_later(2.0, monkeypatch)
    assert [path.name for path in place.iterdir()] == ["precious"]
    assert (place / "precious" / "file").read_bytes() == b"mine"


def test_a_scratch_file_is_created_once_and_only_whole(place: Path) -> None:
    path = str(place / "file")
    assert create_scratch_file(path, b"abc")
    assert not create_scratch_file(path, b"abd")
    assert Path(path).read_bytes() == b"abc"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError, match=r"File too large.*large"):
            create_scratch_file(str(place / "large"), bytes(5000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert os.listdir(place) == ["file"]


def test_folders_of_a_cache_unused_for_a_week_are_removed(place: Path) -> None:
    for name in ("old", "recent", "used"):
        (place / name).mkdir()
    (place / "file").write_bytes(b"x")
    for name, hours in (
        ("old", 7.1 * 24),
        ("recent", 6.9 * 24),
        ("used", 30 * 24.0),
        ("file", 30 * 24.0),
    ):
        age(place / name, hours)
    remove_unused(place, place / "used")
    assert sorted(os.listdir(place)) == ["file", "recent", "used"]
