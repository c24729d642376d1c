"""Poses of links that contradict their joints: MuJoCo, which places links by joints, shows by how
much.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome, compare
from loaders import Scene
from loaders.diagnostics import Diagnostics
from loaders.finish.validation import report_contradictions
from loaders.model import WORLD, JointType, Link
from loaders.pose import Pose, rotation_about
from tests.support.running_faults import faulty_mujoco
from tests.support.scenes import joint, link, scene

CODE = "model.pose-against-joint"
X_WB = Pose.of(p=(0.0, 0.0, 1.0))
CHAIN = scene(
    [link("a"), link("b", X_WL=X_WB), link("c", X_WL=Pose.of(p=(0.0, 0.0, 3.0)))],
    [
        joint("j", WORLD, "a"),
        joint("k", "a", "b", X_PJ=X_WB),
        joint("l", "b", "c", X_PJ=Pose.of(p=(0.0, 0.0, 2.0))),
    ],
)


def with_pose(name: str, X_WL: Pose, source: Scene = CHAIN) -> Scene:
    """A scene with another pose of a link."""
    links: list[Link] = [
        dataclasses.replace(x, X_WL=X_WL) if x.name == name else x for x in source.links
    ]
    return dataclasses.replace(source, links=tuple(links))


def findings(source: Scene) -> list[tuple[Any, ...]]:
    """The joint, the link, the distance and the angle of each finding."""
    diagnostics = Diagnostics()
    report_contradictions(source, diagnostics)
    return [
        tuple(entry.arguments[key] for key in ("joint", "link", "distance", "angle"))
        for entry in diagnostics
    ]


def test_the_joint_and_the_distance_from_where_mujoco_has_the_link() -> None:
    moved = with_pose(
        "c", Pose.of(rotation_about(np.array((0.0, 1.0, 0.0)), 0.25), (0.003, 0.004, 3.0))
    )
    model = bridge.to_mjspec(moved, quiet=True).compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    distance = float(np.linalg.norm(data.body("c").xpos - (0.003, 0.004, 3.0)))
    assert distance == pytest.approx(0.005)
    assert findings(moved) == [("l", "c", pytest.approx(distance), pytest.approx(0.25))]


def test_a_link_between_two_joints_is_off_at_both_and_what_it_carries_is_not_named() -> None:
    assert [found[:2] for found in findings(with_pose("b", Pose.of(p=(0.1, 0.0, 1.0))))] == [
        ("k", "b"),
        ("l", "c"),
    ]
    both = with_pose("c", Pose.of(p=(0.1, 0.0, 3.0)), with_pose("b", Pose.of(p=(0.1, 0.0, 1.0))))
    assert [found[:2] for found in findings(both)] == [("k", "b")]


def test_a_joint_that_is_open_at_zero_in_a_loop_is_no_contradiction() -> None:
    closing = joint("m", WORLD, "c", X_PJ=Pose.of(p=(0.5, 0.0, 3.0)))
    assert findings(dataclasses.replace(CHAIN, joints=(closing, *CHAIN.joints))) == []


@pytest.mark.parametrize("x", [0.0, 1e6, -4e9])
def test_rounding_is_no_contradiction(x: float) -> None:
    R = rotation_about(np.array((0.6, 0.0, 0.8)), 1.1)
    X_WA, X_PJ, X_CJ = (
        Pose.of(R, (x, 1.0, x)),
        Pose.of(R.T, (0.1, 0.2, 0.3)),
        Pose.of(R @ R, (0.3, 0.0, 0.1)),
    )
    links = [link("a", X_WL=X_WA), link("b", X_WL=X_WA @ X_PJ @ X_CJ.inverse())]
    assert findings(scene(links, [joint("k", "a", "b", X_PJ=X_PJ, X_CJ=X_CJ)])) == []


def test_a_floating_joint_has_no_pose_to_contradict() -> None:
    assert (
        findings(scene([link("a", X_WL=X_WB)], [joint("f", WORLD, "a", JointType.FLOATING)])) == []
    )


@pytest.mark.parametrize("path", sorted(Path("assets").rglob("*.[su]*d[f]")), ids=str)
def test_files_have_none(path: Path) -> None:
    assert findings(loaders.load(path, quiet=True)) == []


@pytest.mark.parametrize(
    "export", [bridge.to_mjcf, bridge.to_sdf, bridge.to_urdf], ids=lambda f: f.__name__
)
def test_every_export_reports_it(export: Any) -> None:
    moved = with_pose("b", Pose.of(p=(0.1, 0.0, 1.0)), scene(CHAIN.links[:2], CHAIN.joints[:2]))
    assert [
        entry.subjects[:2] for entry in export(moved, quiet=True).diagnostics if entry.code == CODE
    ] == [("b", "k")]


def moved_by(distance: float) -> Any:
    """MuJoCo with the last link elsewhere."""

    def change(model: Any) -> None:
        model.body("c").pos[0] += distance

    return faulty_mujoco(change)


@pytest.mark.parametrize("turn", [0.0, math.radians(3.0)])
def test_a_comparison_names_the_joint_and_no_engine_and_still_finds_a_wrong_engine(
    turn: float,
) -> None:
    moved = with_pose(
        "b", Pose.of(rotation_about(np.array((1.0, 0.0, 0.0)), turn), (0.01, 0.0, 1.0))
    )
    moved = with_pose("c", Pose.of(p=(0.01, 0.0, 3.0)), moved)
    found = compare(moved, "mujoco", levels=("L0",), configurations=1)
    rows = [row for row in found.rows if row.outcome in {Outcome.EXPLAINED, Outcome.FAILED}]
    assert {(row.quantity, row.outcome) for row in rows} == {("poses at zero", Outcome.EXPLAINED)}
    assert all(row.known_cause is not None and row.known_cause.code == CODE for row in rows)
    found = compare(moved, (moved_by(-0.1),), levels=("L0",), configurations=1)
    assert {row.outcome for row in found.rows if row.quantity == "poses at zero" and row.error} >= {
        Outcome.FAILED
    }
