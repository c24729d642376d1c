"""Resolution of symbolic links, against that of the operating system."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loaders.files.folders import RealPaths


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a folder with files, and links to files, to folders, out of it, and in a circle."""
    (tmp_path / "arm" / "meshes" / "fine").mkdir(parents=True)
    (tmp_path / "arm" / "meshes" / "fine" / "a.stl").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.stl").touch()
    (tmp_path / "arm" / "to_folder").symlink_to("meshes/fine")
    (tmp_path / "arm" / "to_other").symlink_to(tmp_path / "other")
    (tmp_path / "arm" / "meshes" / "to_file.stl").symlink_to("../../other/b.stl")
    (tmp_path / "arm" / "circle").symlink_to("circle")
    return tmp_path


PATHS = (
    "arm/meshes/fine/a.stl",
    "arm/meshes/fine",
    "arm/meshes/",
    "arm/to_folder/a.stl",
    "arm/to_other/b.stl",
    "arm/to_other/../b.stl",
    "arm/to_folder/../to_file.stl",
    "arm/meshes/../to_other/./b.stl",
    "arm/meshes/to_file.stl",
    "arm/missing/more/c.stl",
    "arm/circle/c.stl",
    "..",
)


@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_that_of_the_operating_system(tree: Path, path: str) -> None:
    """Whether or not its folders were looked up before."""
    text = os.path.join(tree, path)
    real = RealPaths()
    assert real(text) == os.path.realpath(text)
    assert [real(os.path.join(tree, other)) for other in PATHS] == [
        os.path.realpath(os.path.join(tree, other)) for other in PATHS
    ]


def test_what_exists_has_the_path_of_the_operating_system(tree: Path) -> None:
    """A link that leads nowhere does not exist."""
    paths = [os.path.join(tree, path) for path in PATHS]
    real = RealPaths()
    assert [real.of_existing(path) for path in paths] == [
        os.path.realpath(path) if os.path.exists(path) else None for path in paths
    ]
    assert real.of_existing("a\0b") is None


def test_a_link_to_the_top_of_the_file_system(tree: Path) -> None:
    """What lies in it has one separator at the front."""
    (tree / "top").symlink_to(os.sep)
    assert RealPaths()(os.path.join(tree, "top", "usr")) == os.path.realpath("/usr")


def test_a_relative_path_is_that_of_the_present_folder(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As everywhere in Python."""
    real = RealPaths()
    for folder in ("arm", "other", "."):
        monkeypatch.chdir(tree / folder)
        assert real("arm/to_other/b.stl") == os.path.realpath("arm/to_other/b.stl")


@pytest.mark.parametrize("folder", ["arm/meshes", "arm/to_other", "arm/to_folder"])
def test_a_relative_path_goes_up_from_the_folder_that_a_link_leads_to(
    tree: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``..`` at the front is that of the working folder itself, not of a link by which it was
    entered.
    """
    monkeypatch.chdir(tree / folder)
    ups = [
        os.path.join(up, path)
        for up in ("..", "../..", "../../..", "./..")
        for path in ("arm/x", *PATHS)
    ]
    real = RealPaths()
    assert [real(path) for path in ups] == [os.path.realpath(path) for path in ups]


def test_a_path_with_more_folders_than_the_stack_is_deep() -> None:
    """No path of a file may exhaust the stack."""
    path = "/" + "a/" * 5_000 + "b.stl"
    assert RealPaths()(path) == path


def test_the_top_of_the_file_system() -> None:
    """It has no folder around it."""
    assert RealPaths()(os.sep) == os.sep
