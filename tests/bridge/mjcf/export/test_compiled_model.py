"""Measurements of a compiled export, against closed forms."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import bridge
import loaders
from bridge.targets.mjcf.spec import measure
from loaders.pose import Pose

pytest.importorskip("mujoco")


def two_balls(folder: Path, distance: float) -> tuple[loaders.Scene, Any]:
    """Two free balls of radius 0.1 m at a distance [m], and their compiled export."""
    ball = (
        "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"
    )
    links = "".join(
        f"<link name='{name}'><pose>{x} 0 0 0 0 0</pose>{ball}</link>"
        for name, x in (("a", 0.0), ("b", distance))
    )
    scene = loaders.load_string(
        f"<sdf version='1.10'><model name='two'>{links}</model></sdf>", format="sdf"
    )
    return scene, bridge.export_mjcf(scene, folder / "two").model


def test_the_overlap_of_two_balls_is_twice_the_radius_minus_the_distance(tmp_path: Path) -> None:
    scene, model = two_balls(tmp_path, 0.15)
    compiled = measure(model, scene, None)
    assert compiled.overlaps == {("a", "b"): pytest.approx(0.05)}
    assert (compiled.bodies, compiled.joints) == (2, 2)
    assert compiled.pose_error < 1e-15


def test_balls_that_do_not_touch_do_not_overlap(tmp_path: Path) -> None:
    scene, model = two_balls(tmp_path, 0.21)
    assert measure(model, scene, None).overlaps == {}


def test_the_pose_error_is_the_largest_error_of_a_link(tmp_path: Path) -> None:
    scene, model = two_balls(tmp_path, 0.3)
    shifted = dataclasses.replace(
        scene.links[1], X_WL=Pose.of(scene.links[1].X_WL.R, (0.3, 0.0, 0.004))
    )
    wrong = dataclasses.replace(scene, links=(scene.links[0], shifted))
    assert measure(model, wrong, None).pose_error == pytest.approx(0.004)
