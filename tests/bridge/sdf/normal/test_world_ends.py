"""Links stand for the world where SDFormat needs a link."""

from __future__ import annotations

import bridge
from bridge.targets.report import Report
from bridge.targets.sdf.frame import free_name, with_anchors, with_world_link
from loaders import model as m
from loaders.pose import IDENTITY
from tests.support.scenes import joint, link, scene


def test_a_scene_without_such_ends_is_unchanged() -> None:
    given = scene([link("a")])
    assert with_world_link(given, Report("sdf")) == (given, "")
    assert with_anchors(given, Report("sdf")) is given
    assert free_name(given, "a") == "a_2"


def test_a_planar_joint_to_the_world_moves_on_an_anchor() -> None:
    given = scene([link("a")], [joint("j", m.WORLD, "a", m.JointType.PLANAR)])
    found = with_anchors(given, Report("sdf"))
    assert [item.parent for item in found.joints] == ["world_anchor", m.WORLD]
    moved = bridge.lower(found).link_poses({"j": (1.0, 2.0, 0.0)})["a"]
    assert moved.is_close(bridge.lower(given).link_poses({"j": (1.0, 2.0, 0.0)})["a"])
    assert found.links[-1].X_WL is IDENTITY
