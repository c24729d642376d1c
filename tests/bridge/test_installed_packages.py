"""Versions are those that the packages state themselves."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from bridge.installed_packages import is_installed, own_version, version_of

ROOT = Path(__file__).parents[2]


def test_versions_are_found_by_the_name_that_is_imported() -> None:
    assert version_of("numpy") == np.__version__
    yaml = pytest.importorskip("yaml")
    assert version_of("yaml") == yaml.__version__, "the distribution is named PyYAML"


def test_a_package_that_is_not_installed_has_no_version() -> None:
    assert version_of("no_such_package") is None
    assert not is_installed("no_such_package")
    assert is_installed("numpy")


def test_the_own_version_is_that_of_the_distribution_and_of_the_project_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert own_version() == metadata.version("sdfbridge") == project["version"]


def test_a_source_tree_that_is_not_installed_states_its_version() -> None:
    """``-S`` leaves out the installed packages; this module needs none of them."""
    code = "from bridge.installed_packages import own_version; print(own_version())"
    printed = subprocess.check_output([sys.executable, "-S", "-c", code], text=True, cwd=ROOT)
    assert printed.strip() == metadata.version("sdfbridge")
