"""Reading of files: what is opened, what is refused without blocking, and on which files a load
depends.
"""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path

import pytest

import loaders
from bridge.targets.mjcf import to_mjcf
from loaders.files.read_file import (
    direct_path,
    is_inside,
    is_readable,
    note_file,
    note_files,
    note_read,
    read,
    read_end,
    read_start,
    real_path,
    recorded,
    regular_files,
)
from loaders.limits import FileError, Limits, budgeted

# Reading of files: what is opened, and what is refused without blocking. The operating system is
# the reference.


def within(limit: int, path: str | os.PathLike[str]) -> bytes:
    """Read a file of at most so many bytes."""
    with budgeted(Limits(text_file_bytes=limit)):
        return read(path)


def refusal(path: Path, **options: object) -> str:
    with pytest.raises(FileError) as caught:
        read(path, **options)  # type: ignore[arg-type]
    return caught.value.code.name


def test_a_regular_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert within(5, tmp_path / "a") == b"12345"
    with pytest.raises(FileError) as caught:
        within(4, tmp_path / "a")
    assert (caught.value.code.name, "text_file_bytes" in caught.value.hint) == (
        "file.too-large",
        True,
    )


def test_the_first_and_the_last_bytes_of_a_file_within_the_limit_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    for read_part, expected in (
        (read_start, (b"", b"12", b"12345")),
        (read_end, (b"", b"45", b"12345")),
    ):
        assert (
            tuple(read_part(tmp_path / "a", n, option="text_file_bytes") for n in (0, 2, 9))
            == expected
        )
        with budgeted(Limits(text_file_bytes=4)), pytest.raises(FileError) as caught:
            read_part(tmp_path / "a", 2, option="text_file_bytes")
        assert caught.value.code.name == "file.too-large"


def test_a_named_pipe_a_socket_and_a_device_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(tmp_path)  # the path of a socket is short
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
        assert [refusal(tmp_path / name) for name in ("pipe", "zero", "socket")] == [
            "file.not-regular"
        ] * 3


@pytest.mark.parametrize("name", ["none", "a\0b", "x" * 5000, "."])
def test_what_cannot_be_opened_is_unreadable(name: str, tmp_path: Path) -> None:
    assert refusal(tmp_path / name) == "file.unreadable"


def test_a_cycle_of_links_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert refusal(tmp_path / "a") == "file.unreadable"


def test_no_descriptor_stays_open_after_a_refusal(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    before = len(os.listdir("/proc/self/fd"))
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "none"):
        refusal(path)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_folder_is_inside_itself_but_not_inside_one_whose_name_is_longer() -> None:
    assert is_inside("/a/b", ["/a/b"])
    assert is_inside("/a/b/c", ["/x", "/a/b/"])
    assert is_inside("/a", ["/"])
    assert not is_inside("/a/bc", ["/a/b"])


def test_an_impossible_path_has_a_real_path() -> None:
    assert "\0" not in real_path("a\0b")


def test_the_files_of_a_folder_are_sorted_and_a_missing_folder_has_none(tmp_path: Path) -> None:
    for name in ("b.material", "a.MATERIAL", "c.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in regular_files(tmp_path, ".material")] == [
        "a.MATERIAL",
        "b.material",
    ]
    assert list(regular_files(tmp_path / "none", ".material")) == []


def test_a_sparse_file_of_a_terabyte_is_refused_without_being_read(tmp_path: Path) -> None:
    with open(tmp_path / "large", "wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(FileError, match="larger than") as caught:
        within((1 << 40) - 1, tmp_path / "large")
    assert caught.value.code.name == "file.too-large"


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="only Linux has /proc")
def test_a_file_whose_size_is_stated_as_zero_is_read_to_its_end() -> None:
    assert os.stat("/proc/self/maps").st_size == 0
    assert len(read("/proc/self/maps").splitlines()) > 10
    with pytest.raises(FileError, match="larger than"):
        within(100, "/proc/self/maps")


@pytest.mark.parametrize("size", [0, 1, 4096, 100_000])
def test_a_file_is_read_whole_or_refused(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(range(256)) * (size // 256 + 1))
    os.truncate(path, size)
    assert within(size, path) == path.read_bytes()
    if size:
        with pytest.raises(FileError, match="larger than"):
            within(size - 1, path)


def test_what_cannot_be_read_is_not_readable(tmp_path: Path) -> None:
    """The functions that open a file are the reference."""
    (tmp_path / "small.stl").write_bytes(b"x" * 10)
    (tmp_path / "large.stl").write_bytes(b"x" * 11)
    os.mkfifo(tmp_path / "pipe.stl")
    (tmp_path / "link.stl").symlink_to("small.stl")
    (tmp_path / "broken.stl").symlink_to("none.stl")
    names = (
        "small.stl",
        "large.stl",
        "pipe.stl",
        "link.stl",
        "broken.stl",
        "none.stl",
        ".",
        "nul\0l.stl",
    )
    with budgeted(Limits(mesh_file_bytes=10)):
        found = [is_readable(tmp_path / name, option="mesh_file_bytes") for name in names]
        assert found == [_is_read(tmp_path / name) for name in names]
    assert found == [True, False, False, True, False, False, False, False]


def _is_read(path: Path) -> bool:
    try:
        read(path, option="mesh_file_bytes")
    except FileError:
        return False
    return True


def test_a_direct_path_leads_to_the_same_file_without_two_dots(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "a" / "b")
    assert direct_path(f"{tmp_path}/a/b/../x") == f"{tmp_path}/a/x"
    assert direct_path(f"{tmp_path}/link/../x") == f"{tmp_path}/a/x"
    assert direct_path(f"{tmp_path}/link/x") == f"{tmp_path}/link/x"
    assert direct_path(f"{tmp_path}/r.mjz/../x") == f"{tmp_path}/r.mjz/../x"


# The files on which a load depends.

ASSETS = Path(__file__).parents[3] / "assets"


def dependencies(path: Path) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    with recorded(lambda file, digest: found.update({file: digest or found.get(file)})):
        to_mjcf(loaders.load(path, quiet=True), quiet=True)
    return found


def test_every_file_of_a_model_is_told_with_its_content() -> None:
    found = dependencies(ASSETS / "arm" / "model.sdf")
    names = {
        "arm/model.sdf",
        "gripper/model.config",
        "gripper/model.sdf",
        "gripper/meshes/finger.obj",
    }
    paths = {str(ASSETS / name) for name in names}
    assert paths <= found.keys()
    for path in paths:
        assert found[path] in {None, hashlib.sha256(Path(path).read_bytes()).hexdigest()}
    assert found[str(ASSETS / "arm" / "model.sdf")] is not None


def test_the_places_where_a_file_is_missing_are_told(tmp_path: Path) -> None:
    path = tmp_path / "m.sdf"
    shape = (
        "<visual "
        "name='v'><geometry><mesh><uri>model://other/part.obj</uri></mesh></geometry></visual>"
    )
    path.write_text(
        f"<sdf version='1.11'><model name='m'><link name='a'>{shape}</link></model></sdf>"
    )
    assert str(tmp_path / "other" / "part.obj") in dependencies(path)


def test_nothing_is_told_outside_of_a_block(tmp_path: Path) -> None:
    found: list[str] = []
    with recorded(lambda file, digest: found.append(file)):
        note_read(tmp_path / "a", b"")
        note_file(str(tmp_path / "b\0"))
        note_files([tmp_path / "d", str(tmp_path / "e")])
    note_file(tmp_path / "c")
    assert found == [str(tmp_path / name) for name in ("a", "b", "d", "e")]
