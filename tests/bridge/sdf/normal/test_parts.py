"""Parts of links have legal names and values that do not exclude each other."""

from __future__ import annotations

from bridge.targets.report import Report
from bridge.targets.sdf.normal_form import with_representable_parts
from loaders import model as m
from loaders.pose import IDENTITY
from tests.support.scenes import UNIT_BOX, link, scene


def test_names_of_parts_are_unique_and_legal() -> None:
    shapes = tuple(
        m.Collision(name=name, X_LG=IDENTITY, geometry=UNIT_BOX)
        for name in ("c", "c", "", "a::b", "world")
    )
    (found,) = with_representable_parts(scene([link("a", collisions=shapes)]), Report("sdf")).links
    assert [part.name for part in found.collisions] == [
        "c",
        "c_2",
        "collision",
        "a__b",
        "world_part",
    ]


def test_a_link_without_inertia_is_massless() -> None:
    (found,) = with_representable_parts(scene([link("a", inertia=None)]), Report("sdf")).links
    assert found.inertia is not None
    assert found.inertia.mass == 0.0
