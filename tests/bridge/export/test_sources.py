"""A source is a path, a scene or a mechanism."""

from __future__ import annotations

from pathlib import Path

import pytest

import bridge
from bridge.targets.folder import repaired, scene_of
from bridge.targets.report import Report
from tests.code_examples.scenes import IMPOSSIBLE
from tests.support.scenes import link, scene

LEG = Path(__file__).parents[3] / "assets" / "leg.sdf"


def test_every_source_gives_a_scene() -> None:
    given = scene([link("a")])
    assert scene_of(given, {}) is given
    assert scene_of(bridge.lower(given), {}).links[0].name == "a"
    assert scene_of(LEG, {}).links
    with pytest.raises(TypeError, match="expected a path"):
        scene_of(3, {})  # type: ignore[arg-type]


def test_inertias_are_repaired_on_request() -> None:
    given = scene([link("a", inertia=IMPOSSIBLE)])
    report = Report("sdf")
    assert repaired(given, report, wanted=False) is given
    assert repaired(given, report, wanted=True).links[0].inertia.defects() == []
    assert [entry.code for entry in report.entries] == ["lower.repaired-inertia"]
