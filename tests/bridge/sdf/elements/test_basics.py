"""Flat parameters become the elements that they were read from."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from bridge.targets.elements import add_if, add_parameters, add_pose, scale_of
from bridge.targets.xml import root_element, write
from loaders.pose import Pose


def test_repeated_paths_begin_a_new_element() -> None:
    root = root_element("sensor")
    add_parameters(root, [("a/b", "1"), ("a/c", "2"), ("a/b", "3"), ("a@x", "4"), ("a/b", "5")])
    parts = [[(child.tag, child.text) for child in part] for part in ET.fromstring(write(root))]
    assert parts == [[("b", "1"), ("c", "2"), ("b", "3")], [("b", "5")]]


def test_defaults_and_the_identity_are_left_out() -> None:
    root = root_element("link")
    add_if(root, "gravity", True, True)
    add_if(root, "mass", None)
    add_pose(root, Pose.of())
    assert len(root) == 0
    add_pose(root, Pose.from_xyz_rpy((0, 0, 0), (0, 1.57, 0.5)))
    assert root[0].get("rotation_format") == "quat_xyzw"
    assert scale_of(Pose.of(p=(-7.0, 0.0, 0.0))) == 7.0
