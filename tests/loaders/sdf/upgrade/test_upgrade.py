"""The upgrade of a file: known, unknown and missing versions."""

from __future__ import annotations

import pytest

import loaders
from loaders import LoadError
from loaders.diagnostics import Fate
from loaders.sdf.upgrade import upgrade
from tests.support.sdf import (
    tree,
)

VERSIONS = ("1.0", *(f"1.{minor}" for minor in range(2, 13)))


@pytest.mark.parametrize("version", VERSIONS)
def test_every_released_version_is_known_and_returned(version: str) -> None:
    root, found = tree(f"<sdf version='{version}'><model name='m'/></sdf>")
    major, minor = version.split(".")
    assert upgrade(root) == (int(major), int(minor))
    assert [str(entry) for entry in found if entry.severity != "note"] == []


@pytest.mark.parametrize(
    "version", ["1.1", "1.13", "1.8.0", "2.0", "100", "newest", "1.٣", "9" * 9999]
)
def test_an_unknown_version_is_reported_and_read_as_the_newest(version: str) -> None:
    old = "<model name='m'><link name='l'><pose frame='x'/></link></model>"
    root, found = tree(f"<sdf version='{version}'>{old}</sdf>")
    upgrade(root)
    (entry,) = found
    assert (entry.code, entry.fate) == ("sdf.unknown-version", Fate.ASSUMED)
    assert root.children[0].children[0].children[0].attributes == {"frame": "x"}


@pytest.mark.parametrize("attribute", ["", " version=''", " version='  '"])
def test_a_missing_version_is_an_error(attribute: str) -> None:
    with pytest.raises(LoadError, match=r"sdf\.no-version"):
        loaders.load_string(
            f"<sdf{attribute}><model name='m'><link name='l'/></model></sdf>", format="sdf"
        )
