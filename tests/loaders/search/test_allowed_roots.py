"""The folders that a load may read."""

from __future__ import annotations

from pathlib import Path

import pytest

from loaders.files.folders import AllowedRoots


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_a_folder_its_packages_and_the_packages_beside_them_are_allowed(tmp_path: Path) -> None:
    put(tmp_path / "models" / "arm" / "model.config")
    put(tmp_path / "models" / "hand" / "model.config")
    allowed = AllowedRoots([tmp_path / "models" / "arm" / "deep"])
    assert allowed.allow(put(tmp_path / "models" / "arm" / "deep" / "a.stl"))
    assert allowed.allow(put(tmp_path / "models" / "arm" / "a.stl"))
    assert allowed.allow(put(tmp_path / "models" / "hand" / "a.stl"))
    assert not allowed.allow(put(tmp_path / "models" / "a.stl"))
    assert not allowed.allow(put(tmp_path / "models" / "private" / "a.stl"))
    assert not allowed.allow(tmp_path / "models")


def test_folders_given_as_more_bring_nothing_around_them(tmp_path: Path) -> None:
    put(tmp_path / "package.xml")
    allowed = AllowedRoots([], lambda: [tmp_path / "cache"])
    assert allowed.allow(put(tmp_path / "cache" / "a.stl"))
    assert not allowed.allow(put(tmp_path / "a.stl"))


def test_other_folders_are_looked_for_when_a_file_lies_outside_the_given_ones(
    tmp_path: Path,
) -> None:
    allowed = AllowedRoots(
        [tmp_path / "in"], lambda: pytest.fail("asked"), lambda: pytest.fail("asked")
    )
    assert allowed.allow(put(tmp_path / "in" / "a.stl"))
    with pytest.raises(pytest.fail.Exception, match="asked"):
        allowed.allow(put(tmp_path / "a.stl"))


def test_a_link_counts_where_it_leads(tmp_path: Path) -> None:
    put(tmp_path / "out" / "a.stl")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "file.stl").symlink_to(tmp_path / "out" / "a.stl")
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "out")
    allowed = AllowedRoots([tmp_path / "in"])
    assert not allowed.allow(tmp_path / "in" / "file.stl")
    assert not allowed.allow(tmp_path / "in" / "folder" / "a.stl")
    assert AllowedRoots([tmp_path / "in" / "folder"]).allow(tmp_path / "out" / "a.stl")
