"""Fixtures of the tests in this folder."""

from __future__ import annotations

import pytest

from tests.support.directives_files import ARM, BOX, ROBOT


@pytest.fixture
def folder(tmp_path):
    """A package called p with models."""
    (tmp_path / "package.xml").write_text("<package><name>p</name></package>")
    (tmp_path / "arm.sdf").write_text(ARM)
    (tmp_path / "box.sdf").write_text(BOX)
    (tmp_path / "robot.urdf").write_text(ROBOT)
    return tmp_path
