"""Frames of links move to their joints only where URDF requires it."""

from __future__ import annotations

import pytest

import bridge
import loaders
from loaders import model as m
from loaders.diagnostics import ExportError
from loaders.pose import IDENTITY, Pose, frozen
from tests.support.scenes import joint, link, scene

T = m.JointType
TURN = Pose.from_xyz_rpy((0.0, 0.0, 0.0), (0.3, 0.2, 0.1))
UP = Pose.of(p=(0.0, 0.0, 1.0))
BESIDE = Pose.of(p=(0.5, 0.0, 0.0))


def moved(kind: T, X_CJ: Pose) -> dict[str, Pose]:
    given = scene([link("a"), link("b")], [joint("j", "a", "b", kind, X_CJ=X_CJ)])
    return bridge.to_urdf(given).frames


@pytest.mark.parametrize(
    ("kind", "X_CJ"),
    [(T.FIXED, BESIDE), (T.PRISMATIC, BESIDE), (T.REVOLUTE, UP), (T.REVOLUTE, TURN)],
)
def test_frames_stay_where_the_joint_may_be_there(kind: T, X_CJ: Pose) -> None:
    assert moved(kind, X_CJ) == {}


@pytest.mark.parametrize(("kind", "X_CJ"), [(T.REVOLUTE, BESIDE), (T.BALL, UP), (T.SCREW, BESIDE)])
def test_frames_move_onto_the_axis(kind: T, X_CJ: Pose) -> None:
    assert moved(kind, X_CJ)["b"].is_close(X_CJ)


def test_joints_that_urdf_lacks_are_refused() -> None:
    joints = [joint("j", "a", "b", T.BALL), joint("k", "b", "c", T.SCREW)]
    with pytest.raises(ExportError) as caught:
        bridge.to_urdf(scene([link(name) for name in "abc"], joints), extensions=())
    assert [entry.subjects for entry in caught.value.diagnostics] == [("j",), ("k",)]


def test_joints_of_drake_need_its_extensions() -> None:
    with pytest.raises(ExportError, match="an extension of Drake"):
        bridge.to_urdf(
            scene([link("a"), link("b")], [joint("j", "a", "b", T.BALL)]), extensions=("gazebo",)
        )


@pytest.mark.parametrize(("kind", "lost"), [(T.BALL, ["lower"]), (T.REVOLUTE, [])])
def test_what_a_joint_cannot_state_about_its_axes_is_reported(kind: T, lost: list[str]) -> None:
    given = joint("j", "a", "b", kind, axes=(m.JointAxis(xyz=m.X_AXIS, lower=-0.5, upper=1.0),))
    entries = bridge.to_urdf(scene([link("a"), link("b")], [given])).diagnostics
    named = [entry for entry in entries if "j" in entry.subjects and "lower" in entry.message]
    assert bool(named) == bool(lost)
    assert not any("xyz" in entry.message for entry in entries)


def test_a_universal_joint_moves_as_before_it_was_written() -> None:
    axes = tuple(m.JointAxis(xyz=frozen(xyz)) for xyz in ((0.0, 0.6, 0.8), (0.0, 0.8, -0.6)))
    source = scene(
        [link("a"), link("b")],
        [joint("j", "a", "b", T.UNIVERSAL, X_PJ=TURN, X_CJ=BESIDE @ TURN, axes=axes)],
    )
    urdf = bridge.to_urdf(source)
    q = {"j": (0.7, -0.4)}
    ours = bridge.lower(source).link_poses(q)["b"]
    theirs = bridge.lower(loaders.load_string(urdf, format="urdf", quiet=True)).link_poses(q)["b"]
    assert (theirs @ urdf.frames.get("b", IDENTITY).inverse()).is_close(ours, 1e-9)
