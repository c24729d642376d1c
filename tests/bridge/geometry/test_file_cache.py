"""The cache of files for engines: several processes at once, full disks, and files that were cut or
altered.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import bridge
from bridge.geometry.cache import cache_folder, read_checked, stored, stored_folder, write_checked


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_stored_file_is_named_by_its_content_and_written_once(cache: Path) -> None:
    path = stored(b"abc", ".obj")
    before = path.stat().st_mtime_ns
    assert path.read_bytes() == b"abc"
    assert path.is_relative_to(cache)
    assert stored(b"abc", ".obj") == path
    assert path.stat().st_mtime_ns == before
    assert stored(b"abd", ".obj") != path
    assert len([p for p in cache.rglob("*") if p.is_file()]) == 2


def test_the_cache_follows_the_users_choice(cache: Path) -> None:
    assert cache_folder() == cache


@pytest.mark.parametrize("damage", [b"", b"ab", b"xyz"])
def test_a_stored_file_that_was_cut_or_altered_is_written_anew(cache: Path, damage: bytes) -> None:
    path = stored(b"abc", ".obj")
    path.write_bytes(damage)
    assert stored(b"abc", ".obj") == path
    assert path.read_bytes() == b"abc"


def test_a_checked_file_that_was_cut_or_altered_counts_as_missing(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "parts"
    assert read_checked(path) is None
    write_checked(path, b"many\nlines")
    assert read_checked(path) == b"many\nlines"
    for damage in (
        b"",
        path.read_bytes()[:-1],
        path.read_bytes().replace(b"many", b"some"),
        b"many\nlines",
    ):
        path.write_bytes(damage)
        assert read_checked(path) is None


def test_a_stored_folder_has_its_files_whatever_happened_to_it(cache: Path) -> None:
    files = {"model.xml": b"<mujoco/>", "assets/a.obj": b"v"}
    folder = stored_folder(files, "family")
    before = (folder / "model.xml").stat().st_ino
    assert stored_folder(files, "family") == folder
    assert (folder / "model.xml").stat().st_ino == before, "it is written once"
    (folder / "model.xml").write_bytes(b"altered")
    (folder / "assets" / "a.obj").unlink()
    assert stored_folder(files, "family") == folder
    assert {name: (folder / name).read_bytes() for name in files} == files
    other = stored_folder(files | {"model.xml": b"<mujoco />"}, "family")
    assert other != folder
    then = time.time() - 8 * 24 * 3600.0
    os.utime(folder, (then, then))
    stored_folder(files | {"model.xml": b"<mujoco />"}, "family")
    assert not folder.exists()
    assert other.exists()
    assert other.is_relative_to(cache)


AT_ONCE = """
import sys
from pathlib import Path
from bridge.geometry.cache import stored, stored_folder
for k in range(60):
    data = bytes([k]) * 5000
    path = stored(data, ".bin", "common")
    folder = stored_folder({"a": data, "b/c": data}, "family")
    if (k + int(sys.argv[1])) % 4 == 0:
        path.write_bytes(data[:100])  # what a file system without space leaves
        (folder / "a").write_bytes(b"")
"""


@pytest.mark.slow
def test_processes_that_write_and_damage_the_same_files_at_once_do_not_fail(cache: Path) -> None:
    command = [sys.executable, "-c", AT_ONCE]
    children = [
        subprocess.Popen([*command, str(k)], stderr=subprocess.PIPE, text=True) for k in range(4)
    ]
    ends = [(child.communicate()[1], child.returncode) for child in children]
    assert ends == [("", 0)] * 4
    for k in range(60):
        data = bytes([k]) * 5000
        assert stored(data, ".bin", "common").read_bytes() == data
        assert (stored_folder({"a": data, "b/c": data}, "family") / "a").read_bytes() == data
    assert [
        path.name for path in cache.rglob(".*sdfbridge-????*") if "manifest" not in path.name
    ] == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=16k", "none", str(place)]
    if (
        sys.platform != "linux"
        or os.geteuid() != 0
        or subprocess.run(command, capture_output=True, check=False).returncode != 0
    ):
        pytest.skip("no file system can be mounted")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_costs_time_and_nothing_else(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = Path(__file__).parents[3] / "assets" / "arm" / "model.sdf"
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(small_disk / "other"))
    (small_disk / "other").mkdir()
    (small_disk / "large").write_bytes(bytes(8192))
    full = bridge.to_mjcf(arm, quiet=True)
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(small_disk.parent / "cache"))
    assert (full, full.assets) == ((free := bridge.to_mjcf(arm, quiet=True)), free.assets)
    assert list(small_disk.rglob(".sdfbridge-*")) == []


def test_an_output_for_which_the_disk_has_no_room_leaves_the_old_one(small_disk: Path) -> None:
    old = {"model.xml": bytes(2000)}
    bridge.output.write_folder(small_disk / "out", old)
    with pytest.raises(
        OSError, match="the output folder cannot be written: No space left on device"
    ):
        bridge.output.write_folder(
            small_disk / "out", {"model.xml": bytes(2000), "large.bin": bytes(20_000)}
        )
    with pytest.raises(OSError, match="No space left on device"):
        bridge.output.write_file(small_disk / "out" / "model.xml", bytes(20_000))
    assert (small_disk / "out" / "model.xml").read_bytes() == bytes(2000)
    assert os.listdir(small_disk) == ["out"]
    assert sorted(os.listdir(small_disk / "out")) == [bridge.output.MANIFEST, "model.xml"]
