"""A scene of several trees is exported as a URDF for each and directives that place them."""

from __future__ import annotations

from pathlib import Path

import pytest

import bridge
import loaders
from bridge.diff.mechanics import mechanical_error
from bridge.targets.target import BUILT_IN
from loaders.diagnostics import ExportError
from loaders.model import WORLD, JointType
from loaders.pose import Pose
from tests.support.scenes import joint, link, scene
from tests.support.urdf_writer import with_poses

AWAY = Pose.from_xyz_rpy((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
TREES = with_poses(
    scene(
        [link("a"), link("b"), link("c", X_WL=AWAY), link("d")],
        [joint("ab", "a", "b"), joint("cd", "c", "d", X_CJ=Pose.of(p=(0.1, 0.2, 0.0)))],
    )
)


def test_the_trees_move_as_the_scene(tmp_path: Path) -> None:
    result = bridge.export_urdf(TREES, tmp_path / "out")
    assert result.path.name == "test.dmd.yaml"
    assert {file for file in result.files if file.endswith(".urdf")} == {"a.urdf", "c.urdf"}
    found = loaders.load(result.path)
    names = {
        "a": "a::a",
        "b": "a::b",
        "c": "c::c",
        "d": "c::d_origin",
        "ab": "a::ab",
        "cd": "c::cd",
    }
    error = mechanical_error(TREES, found, names)
    assert not error.missing
    assert error.pose < 1e-9
    assert error.mass_matrix < 1e-9


def test_the_pose_of_a_free_root_is_not_lost(tmp_path: Path) -> None:
    result = bridge.export_urdf(TREES, tmp_path / "out")
    assert "default_free_body_pose" in result.path.read_text()
    assert "urdfout.root-pose" not in {entry.code for entry in result.diagnostics}


def test_one_document_cannot_state_several_trees() -> None:
    with pytest.raises(ExportError, match="a URDF has one tree"):
        bridge.to_urdf(TREES)


def test_the_folder_is_current_until_the_scene_changes(tmp_path: Path) -> None:
    bridge.export_urdf(TREES, tmp_path / "out")
    assert BUILT_IN["urdf"].stale_files(TREES, tmp_path / "out") == ()
    assert BUILT_IN["urdf"].stale_files(scene([link("a"), link("b")]), tmp_path / "out")


def test_a_root_that_is_held_has_no_pose_of_a_free_body(tmp_path: Path) -> None:
    held = joint("hold", WORLD, "c", JointType.FIXED, X_PJ=AWAY)
    result = bridge.export_urdf(
        with_poses(scene(TREES.links, (*TREES.joints, held))), tmp_path / "out"
    )
    poses = {each.name: each.X_WL for each in loaders.load(result.path).links}
    assert "default_free_body_pose" not in result.path.read_text()
    assert poses["c::c"].is_close(AWAY, 1e-9)
