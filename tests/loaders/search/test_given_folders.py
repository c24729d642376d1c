"""Folders that the caller names must be there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import loaders

URDF = '<robot name="r"><link name="a"/></robot>'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "r.urdf"
    path.write_text(URDF, encoding="utf-8")
    return path


def test_a_package_that_is_not_there_is_refused_by_name(file: Path) -> None:
    missing = file.parent / "nowhere"
    with pytest.raises(ValueError, match=r"package_map\['arm'\]: .*nowhere does not exist; expected the folder of"):
        loaders.load(file, package_map={"arm": missing})
    with pytest.raises(ValueError, match=r"package_map\['arm'\]: .*r\.urdf is not a folder"):
        loaders.resolve(file, package_map={"arm": file})


def test_a_search_path_that_is_not_there_is_refused(file: Path) -> None:
    with pytest.raises(ValueError, match=r"paths: .*nowhere does not exist; expected a folder to search"):
        loaders.load_string(URDF, format="urdf", paths=[file.parent, file.parent / "nowhere"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"paths": "models"}, r"paths: expected a list of folders, as in \['models'\]"),
        ({"package_map": ["models"]}, "package_map: expected folders by package"),
    ],
)
def test_another_kind_of_value_is_refused(file: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        loaders.load(file, **options)


def test_none_stands_for_no_folders(file: Path) -> None:
    options: dict[str, Any] = {"paths": None, "package_map": None}
    assert loaders.load(file, **options).links[0].name == "a"
