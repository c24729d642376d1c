"""The exported README.md."""

from __future__ import annotations

import pytest

from bridge.mjcf import export_mjcf
from loaders.model import (
    WORLD,
    JointType,
)
from tests.support.mjcf_scenes import hinge, link, scene_of


@pytest.mark.parametrize("held", [False, True])
def test_the_readme_of_a_robot_says_that_nothing_holds_it(held, tmp_path):
    weld = [hinge("weld", WORLD, "a", JointType.FIXED)] if held else []
    export_mjcf(scene_of(link("a"), link("b"), joints=(*weld, hinge("j", "a", "b"))), tmp_path / "demo")
    assert ("The source does not fix `a` to the world" in (tmp_path / "demo" / "README.md").read_text()) is not held
