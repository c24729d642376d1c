"""Poses and names: formats, units, reserved and duplicate names, and errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loaders
from loaders import LoadError, Pose
from tests.support.sdf import X_WL, assert_pose, error_codes, link_with, read_sdf, transform

# Poses: formats, units and errors.


def test_poses_can_be_angles_degrees_and_quaternions_of_any_length_in_any_version() -> None:
    scene = read_sdf(
        """<model name='m'>
        <link name='quaternion'><pose rotation_format='quat_xyzw'>1 0 0 0.6 0 0 0.8</pose></link>
        <link name='long'><pose rotation_format='quat_xyzw'>0 1 0 0 3 0 4</pose></link>
        <link name='degrees'><pose degrees='true'>0 0 1 0 30 60</pose></link>
        <link name='angles'><pose>0 0 0 0.3 -0.2 0.1</pose></link>
        <link name='empty'><pose/></link>
        <link name='lines'><pose>
           4   5
           6 0 0 0 </pose></link></model>""",
        "1.5",
    )
    angle = 2 * math.atan2(0.6, 0.8)
    assert_pose(X_WL(scene, "quaternion"), transform(1, 0, 0, roll=angle))
    assert_pose(X_WL(scene, "long"), transform(0, 1, 0, pitch=angle))
    assert_pose(X_WL(scene, "degrees"), transform(0, 0, 1, 0, math.pi / 6, math.pi / 3))
    assert_pose(X_WL(scene, "angles"), transform(0, 0, 0, 0.3, -0.2, 0.1))
    assert_pose(X_WL(scene, "empty"), np.eye(4))
    assert_pose(X_WL(scene, "lines"), transform(4, 5, 6))


def turned(yaw: float, p: tuple[float, float, float]) -> Pose:
    return Pose.from_xyz_rpy(p, (0.0, 0.0, yaw))


def test_the_pose_formats_are_equivalent() -> None:
    angle = math.radians(30.0)
    scene = read_sdf(
        "<model name='m'>"
        f"<link name='rpy'><pose>1 2 3 0 0 {angle!r}</pose></link>"
        "<link name='deg'><pose degrees='true'>1 2 3 0 0 30</pose></link>"
        "<link name='quat'><pose rotation_format='quat_xyzw'>1 2 3 "
        f"0 0 {math.sin(angle / 2)!r} {math.cos(angle / 2)!r}</pose></link>"
        f"<link name='long'><pose rotation_format='quat_xyzw'>1 2 3 0 0 {3 * math.sin(angle / 2)!r}"
        f" {3 * math.cos(angle / 2)!r}</pose></link>"
        "<link name='explicit'><pose degrees='true'>\n1\t2 3\n 0 0 30 </pose></link></model>"
    )
    for link in scene.links:
        assert link.X_WL.is_close(turned(angle, (1, 2, 3)), 1e-15), link.name


@pytest.mark.parametrize(
    "pose",
    [
        "<pose>0 0 0 0 0</pose>",
        "<pose>0 0 0 0 0 nan</pose>",
        "<pose rotation_format='quat_xyzw'>0 0 0 0 0 1</pose>",
        "<pose rotation_format='quat_xyzw' degrees='true'>0 0 0 0 0 0 1</pose>",
        "<pose rotation_format='axis_angle'>0 0 0 0 0 0</pose>",
    ],
)
def test_a_malformed_pose_is_an_error(pose: str) -> None:
    assert error_codes(f"<model name='m'><link name='l'>{pose}</link></model>")


def test_numbers_can_have_every_format_of_c() -> None:
    inertia = link_with(
        "<inertial><mass> 0x10 </mass><pose>1e0 .5 +2. 0 0 0</pose></inertial>"
    ).inertia
    assert inertia is not None
    assert (inertia.mass, inertia.p_LLcm.tolist()) == (16, [1, 0.5, 2])
    with pytest.raises(LoadError, match=r"xml\.not-finite"):
        link_with("<pose>nan 0 0 0 0 0</pose>")


@pytest.mark.parametrize(
    ("pose", "values"),
    [
        ("0 -0.2515 0 0 0", (0, -0.2515, 0)),
        ("1 2", (1, 2, 0)),
        ("1 2 3", (1, 2, 3)),
        ("1 2 3 0 0 0.5 7", (1, 2, 3, 0, 0, 0.5)),
    ],
)
def test_lenient_takes_missing_numbers_as_zero_and_ignores_more_than_six(
    pose: str, values: tuple[float, ...]
) -> None:
    text = (
        f"<sdf version='1.7'><model name='m'><link "
        f"name='a'><pose>{pose}</pose></link></model></sdf>"
    )
    loaded = loaders.load_string(text, format="sdf", lenient=True, quiet=True)
    assert_pose(X_WL(loaded, "a"), transform(*values))
    assert [e.code for e in loaded.diagnostics if e.fate is loaders.Fate.SKIPPED] == [
        "sdf.pose-format"
    ]
    with pytest.raises(loaders.LoadError, match="lenient"):
        loaders.load_string(text, format="sdf")


# Names: missing, reserved, duplicate and scoped.

CLASH = """<model name='m'><link name='base'/><link name='tip'/>
  <joint name='tip' type='fixed'><parent>base</parent><child>tip</child></joint></model>"""


def test_before_1_7_a_joint_with_the_name_of_a_link_is_renamed_and_references_mean_the_link() -> (
    None
):
    scene = read_sdf(CLASH, "1.6")
    (only,) = scene.joints
    assert (only.name, only.parent, only.child) == ("tip_joint", "base", "tip")
    assert any(entry.code == "sdf.name-clash" for entry in scene.diagnostics)


def test_a_renamed_element_is_a_subject_under_both_names() -> None:
    (entry,) = [
        entry for entry in read_sdf(CLASH, "1.6").diagnostics if entry.code == "sdf.name-clash"
    ]
    assert entry.subjects == ("tip_joint", "tip")


def test_duplicate_names_are_errors_for_links_always_and_for_joints_from_1_7_on() -> None:
    assert "sdf.duplicate-name" in error_codes(CLASH, "1.7")
    for version in ("1.5", "1.7", "1.12"):
        assert "sdf.duplicate-name" in error_codes(
            "<model name='m'><link name='l'/><link name='l'/></model>", version
        )


def test_from_1_8_on_a_name_with_a_separator_is_an_error() -> None:
    flat = "<model name='m'><link name='arm::upper'/></model>"
    assert error_codes(flat, "1.8") == {"sdf.scoped-name"}
    assert [link.name for link in read_sdf(flat, "1.7").links] == ["arm::upper"]
