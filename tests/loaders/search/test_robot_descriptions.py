"""Robots of the package robot_descriptions, read from its cache."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import loaders


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
