"""A link whose frame alone differs is told from a link that is in another place."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import bridge
from bridge.diff.files import other_frames
from bridge.parity.two_models import errors_in_simulators
from loaders import model as m
from loaders.finish.transform import moved_frames
from loaders.inertia import SpatialInertia
from loaders.pose import Pose
from loaders.scene import Scene
from tests.support.scenes import UNIT_BOX, joint, link, random_pose, random_scene, scene
from tests.support.urdf_writer import with_poses

ASSETS = Path(__file__).parents[3] / "assets"
SHIFT = Pose.of(p=(0.1, 0.0, 0.0))


def _fields(comparison: bridge.FileComparison) -> set[tuple[str, str, str]]:
    return {(d.kind, d.name, d.field) for d in comparison.differences}


@pytest.mark.parametrize("fixed", [True, False])
def test_other_frames_of_every_link_are_one_difference_each_and_both_move_alike(
    fixed: bool,
) -> None:
    a = with_poses(random_scene(3, fixed=fixed))
    rng = np.random.default_rng(3)
    frames = {link.name: random_pose(rng) for link in a.links}
    comparison = bridge.compare_files(a, moved_frames(a, frames))
    assert _fields(comparison) == {("link", name, "X_WL") for name in frames}
    assert comparison.verdict == "ALIKE"
    for name, X_LN in frames.items():
        assert comparison.frames[name].is_close(X_LN, 1e-12)


def test_a_written_urdf_moves_as_its_source(tmp_path: Path) -> None:
    (tmp_path / "leg.urdf").write_text(bridge.to_urdf(ASSETS / "leg.sdf"))
    comparison = bridge.compare_files(ASSETS / "leg.sdf", tmp_path / "leg.urdf")
    assert comparison.verdict == "ALIKE"
    assert {name for kind, name, field in _fields(comparison) if field == "X_WL"} == {"pelvis"}


def test_simulators_are_asked_for_the_same_frames_under_other_names() -> None:
    inertia = SpatialInertia.of(2.0, (1.0, 0.0, 0.0), np.eye(3))
    a, b = (
        scene([link(bob, inertia=inertia)], [joint(hinge, "world", bob)])
        for bob, hinge in (("bob", "hinge"), ("x", "y"))
    )
    b = moved_frames(b, {"x": SHIFT})
    comparison = bridge.compare_files(a, b)
    assert set(comparison.frames) == {"bob"}
    assert errors_in_simulators(a, b, ["mujoco"], comparison)["mujoco"].is_within(1e-9)


def _box(X_WL: Pose, X_LG: Pose, p_LLcm: tuple[float, float, float]) -> Scene:
    body = link("box", X_WL=X_WL, inertia=SpatialInertia.of(1.0, p_LLcm, np.eye(3)), shape=UNIT_BOX)
    shapes = tuple(dataclasses.replace(shape, X_LG=X_LG) for shape in body.collisions)
    return scene(
        [dataclasses.replace(body, collisions=shapes)], [joint("j", "world", "box", X_PJ=X_WL)]
    )


IN_PLACE = _box(Pose.of(), Pose.of(), (0.0, 0.0, 0.0))
BACK = SHIFT.inverse()


@pytest.mark.parametrize(
    ("other", "only_frame"),
    [
        (_box(SHIFT, BACK, (-0.1, 0.0, 0.0)), True),
        (_box(SHIFT, Pose.of(), (0.0, 0.0, 0.0)), False),
        (_box(SHIFT, Pose.of(), (-0.1, 0.0, 0.0)), False),
        (_box(SHIFT, BACK, (0.0, 0.0, 0.0)), False),
        (IN_PLACE, False),
    ],
)
def test_mass_and_shapes_must_be_in_the_same_place(other: Scene, only_frame: bool) -> None:
    assert bool(other_frames(IN_PLACE, other, 1e-9)) is only_frame


def test_a_joint_that_moved_with_the_frame_is_still_a_difference() -> None:
    comparison = bridge.compare_files(IN_PLACE, _box(SHIFT, BACK, (-0.1, 0.0, 0.0)))
    assert ("joint", "j", "X_PJ") in _fields(comparison)
    assert comparison.verdict == "DIFFERENT"


def test_links_without_content_and_children_of_floating_joints_keep_their_frames() -> None:
    empty, moved = (scene([link("a", X_WL=X, inertia=None)]) for X in (Pose.of(), SHIFT))
    assert other_frames(empty, moved, 1e-9) == {}
    free = scene([link("a")], [joint("f", "world", "a", m.JointType.FLOATING, axes=())])
    assert other_frames(free, moved_frames(free, {"a": SHIFT}), 1e-9) == {}
