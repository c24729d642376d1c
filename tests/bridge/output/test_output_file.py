"""Single files: the old content or the new one."""

from __future__ import annotations

import fcntl
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bridge.output import write_file
from bridge.output.file import _sweep_once


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
def write_and_die(draft, place, pieces):
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
