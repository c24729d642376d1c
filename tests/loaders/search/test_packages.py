"""Package maps from folders, against Drake's."""

from __future__ import annotations

import os

import pytest

import loaders
from loaders.files.folders import packages

os.environ.setdefault("DRAKE_ALLOW_NETWORK", "package_map")

from pydrake.multibody.parsing import PackageMap


def package(folder, name):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.xml").write_text(f"<package><name>{name}</name></package>")
    return folder


def test_packages_are_those_that_drake_finds(tmp_path):
    package(tmp_path / "a", "one")
    package(tmp_path / "a" / "inner", "two")
    package(tmp_path / "deep" / "down", "three")
    package(tmp_path / ".hidden", "four")
    drake = PackageMap.MakeEmpty()
    drake.PopulateFromFolder(str(tmp_path))
    ours = packages(tmp_path)
    assert sorted(ours) == sorted(drake.GetPackageNames()) == ["one", "three", "two"]
    assert all(os.path.samefile(ours[name], drake.GetPath(name)) for name in ours)


def test_of_two_packages_with_one_name_the_first_counts(tmp_path):
    first = package(tmp_path / "a", "one")
    package(tmp_path / "b", "one")
    assert packages(tmp_path) == {"one": first}


def test_a_map_from_a_folder_serves_to_load(tmp_path):
    folder = package(tmp_path / "x", "robots")
    (folder / "ball.sdf").write_text(
        '<sdf version="1.11"><model name="m"><link name="l"/></model></sdf>'
    )
    scene = loaders.load_string(
        "directives: [{add_model: {name: a, file: 'package://robots/ball.sdf'}}]",
        format="directives",
        package_map=packages(tmp_path),
    )
    assert [link.name for link in scene.links] == ["a::l"]


def test_a_folder_that_is_none_is_a_mistake_of_the_caller(tmp_path):
    with pytest.raises(NotADirectoryError):
        packages(tmp_path / "none")
