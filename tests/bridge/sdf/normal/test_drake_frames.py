"""Frames stand at the ends of Drake's joints and bushings."""

from __future__ import annotations

from bridge.targets.sdf.frame import child_frame, frame_at, with_drake_frames, with_short_poses
from loaders import model as m
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import joint, link, scene

T = m.JointType
X = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))


def test_a_frame_is_added_once_and_an_existing_one_is_used() -> None:
    given = scene([link("a"), link("b")], [joint("j", "a", "b", T.PLANAR, X_PJ=X)])
    found = with_drake_frames(given)
    assert [(frame.name, frame.link) for frame in found.frames] == [("j_parent_frame", "a")]
    assert with_drake_frames(found) is found
    assert frame_at(list(found.frames), "a", X) == "j_parent_frame"
    assert frame_at([], "b", IDENTITY) == "b"
    assert child_frame(given.joints[0]) is given.joints[0].X_CJ


def test_poses_are_shortened_only_beside_such_joints() -> None:
    given = scene([link("a", X_WL=X @ X)])
    assert with_short_poses(given) is given
    planar = scene([link("a", X_WL=X @ X), link("b")], [joint("j", "a", "b", T.PLANAR)])
    short = with_short_poses(planar).links[0].X_WL
    assert short.is_close(X @ X, 1e-10)
    assert short.p.tolist() == [round(x, 11) for x in (X @ X).p.tolist()]
