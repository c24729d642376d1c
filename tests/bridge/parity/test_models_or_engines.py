"""The second argument of `compare` says whether it is about engines or a second model."""

from __future__ import annotations

from pathlib import Path

import bridge
from bridge.diff import FileComparison
from bridge.parity import Comparison
from tests.support.scenes import link, scene

LEG = Path(__file__).parents[3] / "assets" / "leg.sdf"


def test_a_path_or_a_scene_is_a_second_model() -> None:
    assert isinstance(bridge.compare(LEG, LEG), FileComparison)
    assert isinstance(bridge.compare(scene([link("a")]), scene([link("a")])), FileComparison)
    assert isinstance(bridge.compare(str(LEG), str(LEG)), FileComparison)


def test_a_word_is_an_engine() -> None:
    given = scene([link("a")])
    assert isinstance(bridge.compare(given, "mujoco", levels="L0", configurations=1), Comparison)
    assert isinstance(
        bridge.compare(given, ["mujoco"], levels=["L0"], configurations=1), Comparison
    )
