"""The order of the elements is that in which people write them; the world is a link if a joint
needs it.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import bridge
import loaders
from loaders import model as m
from loaders.pose import IDENTITY
from tests.support.scenes import UNIT_BOX, joint, link, scene


def tags(given: loaders.Scene) -> list[tuple[str, str | None]]:
    return [(child.tag, child.get("name")) for child in ET.fromstring(bridge.to_urdf(given))]


def test_materials_links_and_joints_in_order() -> None:
    red = m.Material(name="red", diffuse=(1.0, 0.0, 0.0, 1.0))
    visual = m.Visual(name="v", X_LG=IDENTITY, geometry=UNIT_BOX, material=red)
    given = scene(
        [link("a", visuals=(visual,)), link("b")], [joint("j", "a", "b"), joint("w", m.WORLD, "a")]
    )
    assert tags(given) == [
        ("material", "red"),
        *(("link", n) for n in ("world", "a", "b")),
        ("joint", "j"),
        ("joint", "w"),
    ]


def test_a_free_robot_has_no_link_for_the_world() -> None:
    assert tags(scene([link("a")])) == [("link", "a")]
