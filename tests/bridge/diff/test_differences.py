"""Scenes are compared item by item, by name."""

from __future__ import annotations

import dataclasses

from bridge.diff import differences
from loaders.spatial import Pose
from tests.support.scenes import joint, link, scene

ARM = scene([link("a"), link("b")], [joint("j", "a", "b", axis={"lower": -1.0})])


def test_a_scene_does_not_differ_from_itself() -> None:
    assert differences(ARM, ARM) == ()


def test_a_limit_is_named_by_joint_and_field() -> None:
    axis = dataclasses.replace(ARM.joints[0].axes[0], lower=-2.0)
    other = dataclasses.replace(ARM, joints=(dataclasses.replace(ARM.joints[0], axes=(axis,)),))
    assert [str(d) for d in differences(ARM, other)] == ["joint j: axes[0].lower is -1.0 in A and -2.0 in B"]


def test_a_missing_link_is_named_once() -> None:
    assert [str(d) for d in differences(ARM, scene([link("a")]))][:1] == ["link b is only in A"]


def test_a_skipped_field_does_not_count() -> None:
    moved = dataclasses.replace(ARM, links=(ARM.links[0], link("b", X_WL=Pose.of(p=(1.0, 0.0, 0.0)))))
    assert [d.field for d in differences(ARM, moved)] == ["X_WL"]
    assert differences(ARM, moved, skip=[("link", "X_WL")]) == ()
