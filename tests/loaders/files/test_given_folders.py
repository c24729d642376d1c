"""Folders and files that the caller names must exist; robots of installed packages are read
from their folders and caches.
"""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import mujoco_menagerie
import pytest
from mujoco_menagerie._cache import SENTINEL

import loaders
from loaders.diagnostics import Diagnostics
from loaders.files.robot_descriptions import locate, robot_names

# Folders and files that the caller names must be there.

URDF = '<robot name="r"><link name="a"/></robot>'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "r.urdf"
    path.write_text(URDF, encoding="utf-8")
    return path


def test_a_package_that_is_not_there_is_refused_by_name(file: Path) -> None:
    missing = file.parent / "nowhere"
    with pytest.raises(
        ValueError, match=r"package_map\['arm'\]: .*nowhere does not exist; expected the folder of"
    ):
        loaders.load(file, package_map={"arm": missing})
    with pytest.raises(ValueError, match=r"package_map\['arm'\]: .*r\.urdf is not a folder"):
        loaders.resolve(file, package_map={"arm": file})


def test_a_search_path_that_is_not_there_is_refused(file: Path) -> None:
    with pytest.raises(
        ValueError, match=r"paths: .*nowhere does not exist; expected a folder to search"
    ):
        loaders.load_string(URDF, format="urdf", paths=[file.parent, file.parent / "nowhere"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"paths": "models"}, r"paths: expected a list of folders, as in \['models'\]"),
        ({"package_map": ["models"]}, "package_map: expected folders by package"),
    ],
)
def test_another_kind_of_value_is_refused(
    file: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        loaders.load(file, **options)


def test_none_stands_for_no_folders(file: Path) -> None:
    options: dict[str, Any] = {"paths": None, "package_map": None}
    assert loaders.load(file, **options).links[0].name == "a"


# --- the source of a load -------------------------------------------------------------------------


def test_a_document_in_place_of_a_path_is_named_as_such() -> None:
    with pytest.raises(ValueError, match="use load_string") as error:
        loaders.load("\n<robot name='r'><link name='secret'/></robot>")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("source", [b"x.urdf", 3, None])
def test_what_is_no_path_is_a_type_error(source: Any) -> None:
    with pytest.raises(
        TypeError, match=f"expected the path of a file, not {type(source).__name__}"
    ):
        loaders.load(source)


def test_a_relative_path_is_searched_in_the_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "model.urdf").write_text(
        "<robot name='r'><link name='a'/></robot>", encoding="utf-8"
    )
    assert loaders.load("arm/model.urdf", paths=[tmp_path]).name == "r"
    with pytest.raises(loaders.LoadError, match=r"arm/other\.urdf"):
        loaders.load("arm/other.urdf", paths=[tmp_path])
    (tmp_path / "here" / "arm").mkdir(parents=True)
    (tmp_path / "here" / "arm" / "model.urdf").write_text(
        "<robot name='h'><link name='a'/></robot>", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path / "here")
    assert loaders.load("arm/model.urdf", paths=[tmp_path]).name == "h"


# Robots of the package robot_descriptions, read from its cache.


@pytest.fixture
def descriptions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package laid out like robot_descriptions; the folder of its cache. Cloning fails the
    test.
    """
    package = tmp_path / "site" / "robot_descriptions"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "_cache.py").write_text(
        "def clone_to_cache(name, commit=None):\n    raise AssertionError('the network')\n"
    )
    (package / "_repositories.py").write_text(
        "class Repository:\n    cache_path = 'arms'\nREPOSITORIES = {'arms': Repository()}\n"
    )
    (package / "arm_description.py").write_text(
        "from os import path\nfrom ._cache import clone_to_cache\n"
        "URDF_PATH = path.join(clone_to_cache('arms', commit=None), 'arm.urdf')\n"
    )
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    for name in [name for name in sys.modules if name.partition(".")[0] == "robot_descriptions"]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path / "cache"


def test_a_robot_description_is_read_from_its_cache(descriptions: Path) -> None:
    (descriptions / "arms").mkdir(parents=True)
    (descriptions / "arms" / "arm.urdf").write_text("<robot name='arm'><link name='l'/></robot>")
    scene = loaders.load("rd://arm_description")
    assert scene.name == "arm"
    assert scene.source == str(descriptions / "arms" / "arm.urdf")


@pytest.mark.parametrize(
    ("name", "reason"),
    [("arm_description", "not in the cache"), ("leg", "no robot leg"), ("../x", "name")],
)
def test_a_robot_description_that_is_not_here_is_an_error_and_never_fetched(
    descriptions: Path, name: str, reason: str
) -> None:
    with pytest.raises(loaders.LoadError, match=reason):
        loaders.load(f"rd://{name}")


# Robots of example-robot-data and mujoco-menagerie.


def test_a_robot_of_example_robot_data_is_named_by_its_file(tmp_path: Path) -> None:
    files = metadata.files("example-robot-data") or []
    (panda,) = (file for file in files if file.name == "panda.urdf")
    scene = loaders.load("erd://panda", quiet=True)
    assert scene.source == str(panda.locate())
    assert loaders.load("erd://anymal_c_simple_description/anymal", quiet=True).joints
    with pytest.raises(loaders.LoadError, match="erd://anymal_b_simple_description/anymal or erd"):
        loaders.load("erd://anymal")
    with pytest.raises(loaders.LoadError, match="write erd://panda"):
        loaders.load("erd://pandda")


ARM = "<mujoco model='piper'><worldbody><body name='b'><geom size='1'/></body></worldbody></mujoco>"


def test_a_robot_of_menagerie_is_read_from_the_cache_of_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MENAGERIE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("MENAGERIE_BASE_URL", "http://127.0.0.1:1/nothing")
    robot = mujoco_menagerie.get("agilex_piper")
    with pytest.raises(loaders.LoadError, match="prefetch agilex_piper; sdfbridge does not downl"):
        loaders.load("menagerie://agilex_piper")
    folder = mujoco_menagerie.Cache().model_path(robot)
    folder.mkdir(parents=True)
    (folder / SENTINEL).write_text("")
    for entry in robot.entry_points:
        (folder / entry.file).write_text(ARM.replace("piper", entry.name))
    assert loaders.load("menagerie://agilex_piper").name == robot.default_model
    assert loaders.load("menagerie://agilex_piper/scene").name == "scene"
    with pytest.raises(loaders.LoadError, match="agilex_piper"):
        loaders.load("menagerie://agilex_pipr")
    with pytest.raises(loaders.LoadError, match="no robot agilex_piper/none"):
        loaders.load("menagerie://agilex_piper/none")


def test_the_names_of_robots_that_are_installed_all_lead_to_a_file_or_to_the_cache() -> None:
    names = robot_names()
    assert {"erd://panda", "menagerie://agilex_piper"} <= set(names)
    diagnostics = Diagnostics()
    found = [locate(name, diagnostics) for name in names]
    assert all(path is None or path.is_file() for path in found)
    assert {entry.code for entry in diagnostics} <= {"rd.not-found"}
