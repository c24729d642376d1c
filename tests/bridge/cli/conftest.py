"""Files that the tests of several commands read."""

from __future__ import annotations

from pathlib import Path

import pytest

BROKEN = (
    "<sdf version='1.11'><model name='m'><link "
    "name='a'><inertial><mass>-x</mass></inertial></link><link name='a'/>\n"
    "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 "
    "1</xyz></axis></joint>"
    "</model></sdf>"
)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A file with an invalid mass, a duplicate link name, and an unknown child."""
    path = tmp_path / "broken.sdf"
    path.write_text(BROKEN, encoding="utf-8")
    return path


@pytest.fixture
def overlapping(tmp_path: Path) -> Path:
    """A model of two balls of radius 0.1 m that overlap by 0.05 m."""
    ball = (
        "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"
    )
    links = "".join(
        f"<link name='{n}'><pose>{x} 0 0 0 0 0</pose>{ball}</link>"
        for n, x in (("a", 0), ("b", 0.15))
    )
    path = tmp_path / "two.sdf"
    path.write_text(f"<sdf version='1.10'><model name='two'>{links}</model></sdf>")
    return path
