"""Records of conversions and the cache of files: used while files are unchanged, safe with several
processes.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import bridge
from bridge.geometry import cache
from bridge.geometry.cache import (
    Conversion,
    cache_folder,
    has_members,
    is_look,
    read_checked,
    read_record,
    record_path,
    states_of,
    stored,
    stored_as,
    stored_folder,
    write_checked,
    write_record,
)
from loaders.diagnostics import Diagnostic, Fate, Where
from loaders.files.read_file import read, recorded

# Nobody else writes into the cache, or reads it.


def test_only_the_user_may_read_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "a" / "cache"))
    mask = os.umask(0)
    try:
        stored(b"x", ".obj")
        stored_as(b"x", "name.obj", "there")
        stored_folder({"a/b.txt": b"x"}, "family")
        write_checked(cache_folder() / "records" / "x.json", b"x")
    finally:
        os.umask(mask)
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "a").rglob("*")}
    assert modes == {0o600, 0o700}


def test_a_link_in_the_cache_is_replaced_and_never_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    made = (
        lambda: stored(b"x", ".obj"),
        lambda: stored_folder({"b.txt": b"x"}, "family") / "b.txt",
        lambda: stored_folder({"b.txt": b"x"}, "other"),
    )
    mine = tmp_path / "mine"
    for make in made:
        place = make()
        if place.is_dir():
            place.rename(tmp_path / "moved")
            mine.mkdir()
        else:
            place.unlink()
            mine.write_bytes(b"x")
        (mine / "kept.txt" if mine.is_dir() else mine).write_bytes(b"x")
        place.symlink_to(mine)
        assert make() == place
        assert not place.is_symlink()
        assert (mine / "kept.txt" if mine.is_dir() else mine).read_bytes() == b"x"
        mine.unlink() if mine.is_file() else None


def test_a_record_is_not_read_through_a_link(tmp_path: Path) -> None:
    write_checked(tmp_path / "a", b"x")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert (read_checked(tmp_path / "a"), read_checked(tmp_path / "b")) == (b"x", None)


@pytest.mark.parametrize("state", ["foreign", "open"])
def test_a_cache_that_others_can_write_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path))
    if state == "foreign":
        monkeypatch.setattr(cache, "_ROOT", -1)
        monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    else:
        tmp_path.chmod(0o777)
    with pytest.raises(PermissionError, match="cache"):
        cache_folder()


# Records of conversions: used while the files are unchanged, else made anew.

FINDINGS = (
    Diagnostic(
        "mesh.flat",
        Fate.APPROXIMATED,
        "it has {n}, {names}",
        arguments={"n": 0.1, "names": ("a", "b")},
    ),
    Diagnostic(
        "mesh.missing-texture", Fate.NOTED, "plain", Where("a.obj", 3, "/x"), "mjcf", "do this"
    ),
)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source.obj"
    path.write_text("one")
    os.utime(path, (1, 1))
    return path


@pytest.fixture
def record(tmp_path, source):
    path = record_path(str(tmp_path / "cache"), "key")
    states = states_of([str(source), str(tmp_path / "missing.mtl"), str(source)])
    write_record(Conversion(parts=({"name": "a"},), findings=FINDINGS, files=states), path)
    return path


def age(path, seconds=1.0):
    """Wait until the last change of a file lies back so long that its times are relied on."""
    while time.time_ns() - os.stat(path).st_ctime_ns < 1e8 * seconds:
        time.sleep(0.01)


def test_a_record_gives_back_what_was_recorded(record):
    conversion = read_record(record)
    assert conversion.parts == ({"name": "a"},)
    assert conversion.findings == FINDINGS
    assert [dict(found.arguments) for found in conversion.findings] == [
        dict(found.arguments) for found in FINDINGS
    ]
    assert len(conversion.files) == 2


def test_keys_that_differ_have_records_that_differ():
    assert record_path("f", "a", 1) != record_path("f", "a", 2)
    assert record_path("f", "a", 1) == record_path("f", "a", 1)


def test_changed_content_of_the_same_size_and_time_of_modification_is_noticed(source, record):
    source.write_text("two")
    os.utime(source, (1, 1))
    assert read_record(record) is None


def test_a_file_that_was_missing_and_now_exists_is_noticed(tmp_path, record):
    (tmp_path / "missing.mtl").write_text("")
    assert read_record(record) is None


def test_a_file_that_was_removed_is_noticed(source, record):
    source.unlink()
    assert read_record(record) is None


def test_a_touched_file_is_as_before_and_is_not_read_again(source, record):
    os.utime(source, (2, 2))
    age(source)
    assert read_record(record) is not None
    assert all(file.is_current() for file in read_record(record).files)


def test_the_times_of_a_file_that_changed_a_moment_ago_are_not_relied_on(source):
    source.write_text("new")
    if time.time_ns() - os.stat(source).st_ctime_ns < 2e7:
        assert states_of([str(source)])[0].stamp is None
    age(source)
    assert states_of([str(source)])[0].stamp is not None


@pytest.mark.parametrize(
    "spoil", [lambda b: b[:-1], lambda b: b"", lambda b: b.replace(b'"a"', b'"b"')]
)
def test_a_record_that_is_cut_or_altered_counts_as_missing(record, spoil):
    with open(record, "rb") as stream:
        content = stream.read()
    with open(record, "wb") as stream:
        stream.write(spoil(content))
    assert read_record(record) is None


@pytest.mark.parametrize(
    "body",
    [
        b'{"parts": 3}', b"3", b"[" * 100_000, *(
            json.dumps({"parts": [{"name": "a"}], "findings": [], "files": [], "costs": {}, **change}).encode()
            for change in (
                {"parts": []}, {"parts": [{}]}, {"costs": {"nothing": 1}}, {"costs": {"triangles": -1}}, {"costs": []},
                {"costs": {"triangles": math.inf}}, {"findings": [{}]}, {"files": [["a"]]},
            )
        ),
    ],
    ids=lambda body: body[:12].decode() + body[-40:].decode(),
)  # fmt: skip
def test_a_record_that_is_valid_in_form_only_counts_as_missing(tmp_path, body):
    write_checked(tmp_path / "r.json", body)
    assert read_record(str(tmp_path / "r.json")) is None


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"a": "x", "n": None}, True), ({"a": "x", "n": 3}, True), ({"a": 3, "n": 3}, False), ({"a": "x"}, False),
        ({"a": "\0", "n": 3}, False), ({"a": "x", "n": 3, "b": 1}, False), (3, False), (["a", "n"], False),
    ],
)  # fmt: skip
def test_a_part_has_all_its_members_each_of_its_kind(part, expected):
    assert has_members(part, a=str, n=(int, type(None))) is expected


@pytest.mark.parametrize("value", [[1], "red", [1, 2, 3, "4"], 5, {}])
def test_a_color_has_four_numbers(value):
    assert not is_look({"color": value})
    assert not is_look({"emissive": value})
    assert is_look({"color": [1, 0, 0.5, 1], "emissive": None, "texture": None})


def test_the_state_of_a_huge_file_is_known_without_reading_it(tmp_path):
    with open(tmp_path / "large", "wb") as stream:
        stream.truncate(1 << 40)
    assert states_of([str(tmp_path / "large")])[0].digest is None


def test_a_file_with_several_paths_is_read_once(tmp_path, source, monkeypatch):
    (tmp_path / "link.obj").symlink_to(source)
    opened = []
    monkeypatch.setattr(
        cache, "read", lambda path, **options: opened.append(path) or read(path, **options)
    )
    seen = []
    with recorded(lambda path, digest: seen.append(path)):
        states = states_of([str(source), f"{tmp_path}/./source.obj", str(tmp_path / "link.obj")])
    assert opened == [str(source)]
    assert {state.digest for state in states} == {hashlib.sha256(b"one").hexdigest()}
    assert set(seen) == {str(source), str(tmp_path / "link.obj")}


@pytest.mark.parametrize("name", ["source.obj", "missing.mtl"])
def test_a_path_that_has_come_to_lead_elsewhere_is_not_followed(
    name, tmp_path, record, monkeypatch
):
    secret = tmp_path / "secret"
    secret.write_text("one")
    (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / name).symlink_to(secret)
    monkeypatch.setattr(cache, "read", lambda path, **_: pytest.fail(f"opened {path}"))
    assert read_record(record) is None


# The cache of files for engines: several processes at once, full disks, and files that were cut or
# altered.


@pytest.fixture
def file_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_stored_file_is_named_by_its_content_and_written_once(file_cache: Path) -> None:
    path = stored(b"abc", ".obj")
    before = path.stat().st_mtime_ns
    assert path.read_bytes() == b"abc"
    assert path.is_relative_to(file_cache)
    assert stored(b"abc", ".obj") == path
    assert path.stat().st_mtime_ns == before
    assert stored(b"abd", ".obj") != path
    assert len([p for p in file_cache.rglob("*") if p.is_file()]) == 2


def test_the_cache_follows_the_users_choice(file_cache: Path) -> None:
    assert cache_folder() == file_cache


@pytest.mark.parametrize("damage", [b"", b"ab", b"xyz"])
def test_a_stored_file_that_was_cut_or_altered_is_written_anew(
    file_cache: Path, damage: bytes
) -> None:
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


def test_a_stored_folder_has_its_files_whatever_happened_to_it(file_cache: Path) -> None:
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
    assert other.is_relative_to(file_cache)


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
def test_processes_that_write_and_damage_the_same_files_at_once_do_not_fail(
    file_cache: Path,
) -> None:
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
        path.name for path in file_cache.rglob(".*sdfbridge-????*") if "manifest" not in path.name
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
