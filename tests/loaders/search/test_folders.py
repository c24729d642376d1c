"""Folders with packages and models."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loaders.files.folders import (
    declared_name,
    fuel_caches,
    fuel_places,
    is_package,
    is_plain_name,
    model_folder,
)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "*", "a?", "[a]", "a\0"])
def test_a_plain_name_is_no_path_and_no_pattern(name: str) -> None:
    assert not is_plain_name(name)
    assert is_plain_name("my robot-1.0_x")


def test_a_package_has_a_manifest(tmp_path: Path) -> None:
    assert not is_package(tmp_path)
    (tmp_path / "model.config").touch()
    assert is_package(tmp_path)


def test_a_declared_name_is_read_from_a_regular_file_of_moderate_size(tmp_path: Path) -> None:
    manifest = tmp_path / "package.xml"
    manifest.write_text("<package><name> arm </name></package>")
    assert declared_name(manifest) == "arm"
    manifest.write_bytes(b" " * (1 << 20) + b"<name>arm</name>")
    assert declared_name(manifest) is None
    manifest.unlink()
    manifest.symlink_to("/dev/zero")
    assert declared_name(manifest) is None
    manifest.unlink()
    os.mkfifo(manifest)
    assert declared_name(manifest) is None


def test_a_layout_folder_belongs_to_the_folder_around_it(tmp_path: Path) -> None:
    assert model_folder(str(tmp_path / "urdf")) == str(tmp_path)
    assert model_folder(str(tmp_path / "arm")) == str(tmp_path / "arm")


def test_a_user_without_a_home_folder_has_only_the_caches_in_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("GZ_FUEL_CACHE_PATH", raising=False)
    monkeypatch.setenv("IGN_FUEL_CACHE_PATH", "/fuel")
    monkeypatch.setattr("pwd.getpwuid", lambda _: (_ for _ in ()).throw(KeyError))
    assert fuel_caches() == [Path("/fuel")]


def test_a_version_of_many_digits_is_no_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GZ_FUEL_CACHE_PATH", str(tmp_path))
    model = tmp_path / "server" / "owner" / "models" / "cup"
    for version in ("9", "10", "1" * 200, "²"):
        (model / version).mkdir(parents=True)
    assert list(fuel_places("server/1.0/owner/models/cup"))[:2] == [model / "10", model / "9"]
