"""The context of an export: order of sections and assets, time step, prefix of codes."""

from __future__ import annotations

import dataclasses

import pytest

from bridge import lower
from bridge.targets.mjcf.context import MjcfContext, MjcfDocument
from bridge.targets.options import MjcfExportOptions
from loaders.diagnostics import Code, Diagnostics, Fate
from loaders.model import Physics
from tests.support.mjcf_scenes import link, scene_of


def context(step: float = 0.001) -> MjcfContext:
    scene = dataclasses.replace(scene_of(link("a")), physics=Physics(time_step=step))
    return MjcfContext(
        mechanism=lower(scene),
        options=MjcfExportOptions(),
        diagnostics=Diagnostics(),
        document=MjcfDocument(scene.name),
    )


def test_sections_and_assets_have_mujocos_order_however_they_are_written() -> None:
    document = MjcfDocument("m")
    document["sensor"].add("gyro", site="s")
    document["asset"].add("mesh", file="a.obj")
    document["asset"].add("texture", file="a.png")
    document["worldbody"].add("body", name="b")
    root = document.root()
    assert [section.tag for section in root.children] == ["asset", "worldbody", "sensor"]
    assert [asset.tag for asset in root.children[0].children] == ["texture", "mesh"]


@pytest.mark.parametrize(
    ("stated", "used"), [(0.004, 0.004), (0.0, 0.001), (-1.0, 0.001), (float("inf"), 0.001)]
)
def test_the_time_step_is_the_scenes_if_it_is_positive_and_finite(
    stated: float, used: float
) -> None:
    assert context(stated).time_step == used


def test_a_finding_has_the_prefix_and_the_target() -> None:
    export = context()
    export.report(
        Code("mjcf.mjx", Fate.NOTED, "no {feature}", meaning=""), subjects=("a",), feature="wind"
    )
    (entry,) = export.diagnostics
    assert (entry.code, entry.target, entry.message, entry.subjects) == (
        "mjcf.mjx",
        "mjcf",
        "no wind",
        ("a",),
    )
