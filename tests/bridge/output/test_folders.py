"""Output folders: the old content or the new one, never at the cost of foreign files."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.output import OutputFolderError, check_folder, write_folder
from bridge.output import folder as module
from bridge.output.folder import (
    MANIFEST,
    ExchangeUnsupportedError,
    discard,
    exchange,
    folder_state,
    new_hidden_folder,
    remove_leftovers,
)

# Output folders: the old content or the new one, and never at the cost of foreign files.

OLD = {"model.xml": b"old", "assets/a.obj": b"old mesh", "README.md": b"old text"}
NEW = {"model.xml": b"new", "assets/b.obj": b"new mesh", "README.md": b"new text"}


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder but the manifest."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_second_output_replaces_the_first_with_all_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_folder(folder, OLD)
    write_folder(folder, NEW)
    assert content(folder) == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("foreign", ["README.md", "assets/mine.obj", "notes/todo.txt", "link"])
def test_a_folder_with_foreign_files_is_refused_and_untouched(tmp_path: Path, foreign: str) -> None:
    path = tmp_path / "out" / foreign
    path.parent.mkdir(parents=True)
    if foreign == "link":
        path.symlink_to(tmp_path)
    else:
        path.write_bytes(b"mine")
    with pytest.raises(OutputFolderError, match=r"not written by sdfbridge: "):
        write_folder(tmp_path / "out", NEW)
    assert os.path.lexists(path)
    assert not (tmp_path / "out" / "model.xml").exists()


def test_a_file_that_was_edited_is_refused_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_folder(folder, OLD)
    (folder / "model.xml").write_bytes(b"tuned by hand")
    with pytest.raises(OutputFolderError, match=r"edited since it was written: model\.xml"):
        write_folder(folder, NEW)
    assert content(folder) == OLD | {"model.xml": b"tuned by hand"}


@pytest.mark.parametrize("below", ["sub", "sub/deeper"])
def test_a_folder_below_a_file_is_refused_with_the_name_of_the_file(
    tmp_path: Path, below: str
) -> None:
    (tmp_path / "file").write_bytes(b"mine")
    for check in (check_folder, lambda folder: write_folder(folder, NEW)):
        with pytest.raises(
            OutputFolderError,
            match=r"/file is a file, so that .* cannot be written; choose another",
        ):
            check(tmp_path / "file" / below)


def test_force_overwrites_what_stands_in_the_way_and_keeps_all_else(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_folder(folder, OLD)
    (folder / "model.xml").write_bytes(b"tuned by hand")
    (folder / "notes").mkdir()
    (folder / "notes" / "todo.txt").write_bytes(b"mine")
    write_folder(folder, NEW, force=True)
    assert content(folder) == NEW | {"notes/todo.txt": b"mine"}


def test_force_keeps_foreign_files_in_a_folder_that_the_output_needs(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    (folder / "assets").mkdir(parents=True)
    (folder / "assets" / "mine.obj").write_bytes(b"mine")
    (folder / "assets" / "b.obj").write_bytes(b"in the way")
    write_folder(folder, NEW, force=True)
    assert content(folder) == NEW | {"assets/mine.obj": b"mine"}


def test_no_folder_is_overwritten_by_a_file_even_by_force(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    (folder / "assets" / "b.obj").mkdir(parents=True)
    (folder / "assets" / "b.obj" / "mine.txt").write_bytes(b"mine")
    with pytest.raises(OutputFolderError, match=r"b\.obj is a folder where a file must be written"):
        write_folder(folder, NEW, force=True)
    assert content(folder) == {"assets/b.obj/mine.txt": b"mine"}


def test_where_files_have_no_second_names_foreign_files_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "mine.txt").write_bytes(b"mine")
    (folder / "link").symlink_to("mine.txt")
    monkeypatch.setattr(os, "link", unsupported)
    write_folder(folder, NEW, force=True)
    assert content(folder) == NEW | {"mine.txt": b"mine", "link": b"mine"}
    assert (folder / "link").is_symlink()


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that other users may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextlib.contextmanager
def unprivileged() -> Iterator[None]:
    """Act as a user whom permissions bind; root may do everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("old", [False, True])
def test_a_read_only_place_is_a_clear_error(shared_folder: Path, old: bool) -> None:
    parent = shared_folder / "parent"
    parent.mkdir()
    if old:
        write_folder(parent / "out", OLD)
    parent.chmod(0o555)
    message = (
        "out is read-only"
        if old and os.geteuid() == 0
        else r"the output folder cannot be written: Permission"
    )
    with unprivileged(), pytest.raises(OSError, match=message) as found:
        write_folder(parent / "out", NEW)
    assert found.value.filename in (None, str(parent / "out"))
    assert os.listdir(parent) == (["out"] if old else [])
    parent.chmod(0o755)


@pytest.mark.parametrize("length", [200, 201, 240, 255])
def test_a_folder_may_have_the_longest_name_that_the_file_system_allows(
    tmp_path: Path, length: int
) -> None:
    folder = tmp_path / ("x" * length)
    write_folder(folder, OLD)
    write_folder(folder, NEW)
    assert content(folder) == NEW
    assert len(os.listdir(tmp_path)) == 1


def test_a_name_that_is_too_long_is_reported(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="the output folder cannot be written: File name too long"):
        write_folder(tmp_path / ("x" * 256), NEW)
    with pytest.raises(OSError, match="the output folder cannot be written: File name too long"):
        write_folder(tmp_path / "out", {"x" * 256: b""})
    assert os.listdir(tmp_path) == []


def test_a_full_disk_leaves_the_old_content(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk: both are errors of a write, after some
    of it is done.
    """
    folder = tmp_path / "out"
    write_folder(folder, OLD)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, hard))
    try:
        with pytest.raises(OSError, match="the output folder cannot be written: File too large"):
            write_folder(folder, NEW | {"large.bin": bytes(10_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert content(folder) == OLD
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("target", ["missing", "out", "a/file"])
def test_a_link_that_leads_nowhere(tmp_path: Path, target: str) -> None:
    """A link to a folder that is not there makes it; a link to itself, or below a file, is a clear
    error.
    """
    (tmp_path / "out").symlink_to(target)
    if target == "missing":
        write_folder(tmp_path / "out", NEW)
        assert content(tmp_path / "missing") == NEW
        return
    (tmp_path / "a").touch()
    with pytest.raises(OSError, match=r"out|file"):
        write_folder(tmp_path / "out", NEW)
    assert sorted(os.listdir(tmp_path)) == ["a", "out"]


def test_a_file_system_without_locks_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    write_folder(tmp_path / "out", OLD)
    write_folder(tmp_path / "out", NEW)
    assert content(tmp_path / "out") == NEW


def test_a_link_as_output_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "real")
    assert write_folder(tmp_path / "out", NEW) == tmp_path / "real"
    assert (tmp_path / "out").is_symlink()
    assert content(tmp_path / "real") == NEW


def test_the_current_folder_and_those_above_it_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    for folder in (".", "..", str(tmp_path)):
        with pytest.raises(OutputFolderError, match="current folder or above it"):
            write_folder(folder, NEW)


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"mine")
    with pytest.raises(OutputFolderError, match="is a file"):
        write_folder(tmp_path / "out", NEW)
    assert (tmp_path / "out").read_bytes() == b"mine"


@pytest.mark.parametrize("file", ["../x", "/etc/x", "a//b", "", ".", MANIFEST, "a/../../x"])
def test_no_path_leads_out_of_the_folder(tmp_path: Path, file: str) -> None:
    with pytest.raises(ValueError, match="invalid path"):
        write_folder(tmp_path / "out", {file: b""})
    assert not (tmp_path / "out").exists()


def test_an_error_while_writing_leaves_the_old_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    write_folder(folder, OLD)
    for error in (MemoryError, KeyboardInterrupt, OSError(28, "No space left on device")):
        monkeypatch.setattr(
            module, "_take_place", lambda *_, error=error: (_ for _ in ()).throw(error)
        )
        with pytest.raises(BaseException):  # noqa: B017, PT011
            write_folder(folder, NEW)
        assert content(folder) == OLD
        assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_file_that_is_edited_while_the_output_is_prepared_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    write_folder(folder, OLD)
    fill = module._fill

    def edit_and_fill(fresh: Path, files: dict[str, bytes], **how: bool) -> None:
        fill(fresh, files, **how)
        (folder / "model.xml").write_bytes(b"just now")

    monkeypatch.setattr(module, "_fill", edit_and_fill)
    with pytest.raises(OutputFolderError, match=r"model\.xml"):
        write_folder(folder, NEW)
    assert content(folder) == OLD | {"model.xml": b"just now"}


def test_where_folders_cannot_be_exchanged_a_kill_between_two_renames_is_made_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(a: Path, b: Path) -> None:
        raise ExchangeUnsupportedError

    folder = tmp_path / "out"
    write_folder(folder, OLD)
    monkeypatch.setattr(module, "exchange", unsupported)
    write_folder(folder, NEW)
    assert content(folder) == NEW
    folder.rename(tmp_path / ".out.sdfbridge-1f-12345678-old")  # as a kill leaves it
    write_folder(folder, OLD)
    assert content(folder) == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_outputs_at_once_wait_for_each_other(tmp_path: Path) -> None:
    outputs = [{"model.xml": str(i).encode(), f"{i}.txt": b""} for i in range(8)]
    threads = [
        threading.Thread(target=write_folder, args=(tmp_path / "out", files)) for files in outputs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert content(tmp_path / "out") in outputs
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


WRITER = """
import sys
from pathlib import Path
from bridge.output import write_folder
files = [{f"{i}.bin": bytes([k]) * 20_000 for i in range(20)} | {f"only{k}": b"x"} for k in (1, 2)]
print("ready", flush=True)
for k in range(10_000):
    write_folder(sys.argv[1], files[k % 2])
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT", "SIGTERM"])
def test_a_kill_at_any_moment_leaves_one_output_whole(tmp_path: Path, name: str) -> None:
    rng = random.Random(0)
    for _ in range(15):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "out")],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdout is not None
        try:
            process.stdout.readline()
            time.sleep(rng.uniform(0.0, 0.05))
            while (
                process.poll() is None
            ):  # Python discards an interruption that comes in a finalizer
                process.send_signal(getattr(signal, name))
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=5.0)
        finally:
            process.kill()
            process.communicate()
        if (tmp_path / "out").exists():
            files = content(tmp_path / "out")
            kind = {data[:1] for file, data in files.items() if file.endswith(".bin")}
            assert len(files) == 21
            assert len(kind) == 1
            assert not folder_state(tmp_path / "out").edited
    write_folder(tmp_path / "out", NEW)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


# Hidden folders that a kill leaves: drafts are removed, old content only if nothing of it would be
# lost.

HIDDEN_FOLDERS_OLD, HIDDEN_FOLDERS_NEW = {"a.xml": b"old", "deep/b": b"old"}, {"a.xml": b"new"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "out", HIDDEN_FOLDERS_OLD)


def exchanged(place: Path) -> Path:
    """The folders after a kill between the exchange and the removal of the old content."""
    hidden = new_hidden_folder(place)
    hidden.rmdir()
    write_folder(place.with_name("fresh"), HIDDEN_FOLDERS_NEW)
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
    write_folder(place, HIDDEN_FOLDERS_NEW)
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
    write_folder(place, HIDDEN_FOLDERS_NEW)
    assert sorted(os.listdir(place.parent)) == sorted(["out", name])


# The manifest of an output folder: what an export owns, what was edited, what is foreign.

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


# The exchange of two folders in one step of the file system.


def test_exchange_is_one_step_and_refuses_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "x").touch()
    exchange(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b" / "x").exists()
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "a", tmp_path / "nowhere")
