"""Files that PyBullet reads once: named by what they hold, and gone afterwards."""

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from bridge.targets.pybullet.mesh import temporary_files


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_same_content_has_the_same_name_each_time(folder):
    paths = []
    for _ in range(2):
        with temporary_files() as files:
            paths.append(files.write(b"abc", ".urdf"))
            assert Path(paths[-1]).read_bytes() == b"abc"
            assert files.write(b"abc", ".urdf") == paths[-1]
    assert paths[0] == paths[1]


def test_other_content_has_another_name(folder):
    with temporary_files() as files:
        assert files.write(b"abc", ".urdf") != files.write(b"abd", ".urdf")
        assert len(list(folder.iterdir())) == 2
    assert list(folder.iterdir()) == []


def test_files_are_gone_after_an_error(folder):
    with suppress(KeyError), temporary_files() as files:
        files.write(b"abc", ".urdf")
        raise KeyError
    assert list(folder.iterdir()) == []


def test_what_lies_there_already_is_neither_read_nor_written_nor_removed(folder):
    with temporary_files() as files:
        path = Path(files.write(b"abc", ".urdf"))
    target = folder / "precious"
    target.write_bytes(b"kept")
    path.symlink_to(target)
    with temporary_files() as files:
        other = Path(files.write(b"abc", ".urdf"))
        assert other != path
        assert other.read_bytes() == b"abc"
    assert target.read_bytes() == b"kept"
    assert path.is_symlink()
    assert not other.exists()


def test_a_file_that_is_gone_already_is_no_error(folder):
    with temporary_files() as files:
        Path(files.write(b"abc", ".urdf")).unlink()
