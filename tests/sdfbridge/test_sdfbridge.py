"""The package `sdfbridge` offers what `loaders` and `bridge` offer, without importing either at
first.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bridge
import loaders
import sdfbridge

ROOT = Path(__file__).parents[2]


def test_it_offers_every_public_name_of_both_packages() -> None:
    """A name that is added to ``bridge.__all__`` or ``loaders.__all__`` is added to
    ``sdfbridge/__init__.py`` too.
    """
    names = {*bridge.__all__, *loaders.__all__} - {
        "mujoco_plugin"
    }  # a module that registers itself when imported
    assert set(sdfbridge.__all__) == names


@pytest.mark.parametrize("name", sdfbridge.__all__)
def test_a_name_is_that_of_its_package(name: str) -> None:
    package = bridge if name in bridge.__all__ else loaders
    assert getattr(sdfbridge, name) is getattr(package, name)


def test_completion_offers_the_public_names_and_the_version() -> None:
    assert set(dir(sdfbridge)) == {*sdfbridge.__all__, "__version__"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'sdfbridge' has no attribute 'lode'"):
        _ = sdfbridge.lode  # type: ignore[attr-defined]


def test_the_version_is_that_of_the_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert sdfbridge.__version__ == project["version"]


def test_importing_it_imports_no_code_and_nothing_heavy() -> None:
    code = (
        "import sys, sdfbridge; print(sorted({'bridge', 'loaders', 'numpy', 'lxml', 'mujoco'} "
        "& sys.modules.keys()))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True, cwd=ROOT) == "[]\n"
