"""Versions are those that the packages state themselves."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.installed_packages import is_installed, version_of


def test_versions_are_found_by_the_name_that_is_imported() -> None:
    assert version_of("numpy") == np.__version__
    yaml = pytest.importorskip("yaml")
    assert version_of("yaml") == yaml.__version__, "the distribution is named PyYAML"


def test_a_package_that_is_not_installed_has_no_version() -> None:
    assert version_of("no_such_package") is None
    assert not is_installed("no_such_package")
    assert is_installed("numpy")
