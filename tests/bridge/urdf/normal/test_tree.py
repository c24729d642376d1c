"""Joints lead away from one root; loops are cut, static models welded, several roots refused."""

from __future__ import annotations

import pytest

import bridge
import loaders
from bridge.targets.report import Report
from bridge.targets.urdf.tree import rooted, with_static_links_welded
from loaders import model as m
from loaders.diagnostics import ExportError
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import joint, link, scene
from tests.support.urdf_writer import read

T = m.JointType


def test_several_roots_are_named() -> None:
    with pytest.raises(ExportError, match="roots a, b") as caught:
        bridge.to_urdf(scene([link("a"), link("b")]))
    assert caught.value.diagnostics[0].code == "urdfout.several-roots"


def test_a_joint_towards_the_root_is_turned_around_and_keeps_its_position() -> None:
    given = scene([link("a"), link("b")], [joint("w", m.WORLD, "a", T.FIXED), joint("j", "b", "a")])
    (turned,) = [
        j
        for j in rooted(given, Report("urdf"), ball_constraints=True).scene.joints
        if j.name == "j"
    ]
    assert (turned.parent, turned.child, turned.axes[0].xyz.tolist()) == (
        "a",
        "b",
        [0.0, 0.0, -1.0],
    )


@pytest.mark.parametrize(("kind", "constraints"), [(T.BALL, 1), (T.REVOLUTE, 0)])
def test_a_loop_is_cut(kind: T, constraints: int) -> None:
    joints = [joint("ab", "a", "b"), joint("ac", "a", "c"), joint("bc", "b", "c", kind)]
    report = Report("urdf")
    found = rooted(
        scene([link(name) for name in "abc"], joints), report, ball_constraints=True
    ).scene
    assert [j.name for j in found.joints] == ["ab", "ac"]
    assert len(found.constraints) == constraints
    assert [entry.code for entry in report.entries] == ["urdfout.loop"]


def test_a_static_model_is_welded_where_it_stands() -> None:
    models = (m.Model(name="m", X_WM=IDENTITY, canonical_link="a", static=True),)
    given = scene(
        [link("a", X_WL=Pose.of(p=(1, 2, 3))), link("b")], [joint("ab", "a", "b")], models=models
    )
    found = with_static_links_welded(given, Report("urdf"))
    assert [(j.name, j.type) for j in found.joints] == [("ab", T.FIXED), ("a_weld", T.FIXED)]
    assert read(given).links[0].X_WL.p.tolist() == [1.0, 2.0, 3.0]


def test_a_free_root_keeps_its_pose_in_our_reader() -> None:
    given = scene([link("a", X_WL=Pose.of(p=(1, 2, 3)))])
    assert read(given).links[0].X_WL.p.tolist() == [1.0, 2.0, 3.0]
    assert [entry.code for entry in bridge.to_urdf(given).diagnostics] == ["urdfout.root-pose"]


def test_a_scene_without_models_and_without_a_name_is_a_robot_that_reads_back() -> None:
    again = loaders.load_string(
        str(bridge.to_urdf(loaders.Scene(name=""))), format="urdf", quiet=True
    )
    assert again.name == "model"
    assert "urdf.missing-name" not in {entry.code for entry in again.diagnostics}
