"""Versions of URDF: quaternions and capsules (1.1), limits of motion (1.2), and versions that do
not exist.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import loaders
from loaders import LoadError, Scene
from loaders.diagnostics import Fate
from loaders.pose import IDENTITY, Pose

BODY = """<robot name='r'{version}>
<link name='a'>
 <inertial><origin {pose}/><mass value='2'/><inertia ixx='.1' iyy='.2' izz='.25' ixy='0' ixz='0' iyz='0'/></inertial>
 <visual><origin {pose}/><geometry><sphere radius='1'/></geometry></visual>
 <collision><origin {pose}/><geometry><capsule radius='.1' length='.4'/></geometry></collision>
</link>
<link name='b'/>
<joint name='j' type='revolute'><origin {pose}/><parent link='a'/><child link='b'/><axis xyz='0 1 0'/>
 <limit lower='-1' upper='1' effort='3' velocity='2' {limits}/></joint>
</robot>"""
TURN = "xyz='0 0 1' quat_xyzw='0 0 0.6 0.8'"
COSINE, SINE = 0.8**2 - 0.6**2, 2 * 0.6 * 0.8
R_TURN = np.array(((COSINE, -SINE, 0.0), (SINE, COSINE, 0.0), (0.0, 0.0, 1.0)))
"""The rotation by twice the angle of which the sine is 0.6, about z."""


def load(version: str = "1.1", pose: str = TURN, limits: str = "", **options: Any) -> Scene:
    stated = f" version='{version}'" if version else ""
    return loaders.load_string(
        BODY.format(version=stated, pose=pose, limits=limits), format="urdf", quiet=True, **options
    )


def poses(scene: Scene) -> list[Pose]:
    link = scene.links[0]
    return [link.collisions[0].X_LG, link.visuals[0].X_LG, scene.joints[0].X_PJ]


def codes(scene: Scene) -> set[str]:
    return {entry.code for entry in scene.diagnostics}


@pytest.mark.parametrize("version", ["1.1", "1.2"])
def test_a_quaternion_turns_joints_inertias_and_shapes(version: str) -> None:
    scene = load(version)
    for pose in poses(scene):
        np.testing.assert_allclose(pose.R, R_TURN, atol=1e-15)
        assert pose.p.tolist() == [0.0, 0.0, 1.0]
    inertia = scene.links[0].inertia
    assert inertia is not None
    np.testing.assert_allclose(
        inertia.I_Lcm, R_TURN @ np.diag((0.1, 0.2, 0.25)) @ R_TURN.T, atol=1e-15
    )
    assert codes(scene) == set()


def test_a_quaternion_agrees_with_its_angles() -> None:
    roll, pitch, yaw = 0.3, -0.7, 1.9
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a / 2), math.sin(a / 2)) for a in (roll, pitch, yaw))
    x, y = sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy
    z, w = cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy
    turned = poses(load(pose=f"xyz='1 2 3' quat_xyzw='{x!r} {y!r} {z!r} {w!r}'"))
    stated = poses(load(pose=f"xyz='1 2 3' rpy='{roll} {pitch} {yaw}'"))
    for a, b in zip(turned, stated, strict=True):
        np.testing.assert_allclose(a.R, b.R, atol=1e-15)


@pytest.mark.parametrize("version", ["", "1.0"])
def test_a_quaternion_before_version_1_1_is_refused_and_ignored_as_in_urdfdom_if_lenient(
    version: str,
) -> None:
    with pytest.raises(LoadError, match=r"urdf\.quaternion-version"):
        load(version)
    scene = load(version, lenient=True)
    assert all(pose.R is IDENTITY.R for pose in poses(scene))
    assert codes(scene) == {"urdf.quaternion-version"}


def test_a_quaternion_beside_angles_is_an_error_as_in_urdfdom() -> None:
    pose = "rpy='0 0 0.5' quat_xyzw='0 0 0.6 0.8'"
    with pytest.raises(LoadError, match=r"urdf\.two-rotations"):
        load(pose=pose)
    for found in poses(load(pose=pose, lenient=True)):
        np.testing.assert_allclose(found.R, Pose.from_xyz_rpy((0, 0, 0), (0, 0, 0.5)).R)


def test_a_quaternion_of_another_length_is_normalized_and_a_zero_one_refused() -> None:
    scene = load(pose="xyz='0 0 1' quat_xyzw='0 0 3 4'")
    assert codes(scene) == {"urdf.quaternion-length"}
    for pose in poses(scene):
        np.testing.assert_allclose(pose.R, R_TURN, atol=1e-15)
    with pytest.raises(LoadError, match=r"urdf\.zero-quaternion"):
        load(pose="quat_xyzw='0 0 0 0'")
    assert all(
        pose.R is IDENTITY.R for pose in poses(load(pose="quat_xyzw='0 0 0 0'", lenient=True))[:1]
    )


def test_limits_of_version_1_2_are_read_or_named() -> None:
    scene = load("1.2", limits="acceleration='5' deceleration='6' jerk='7'")
    assert scene.joints[0].axes[0].acceleration == 5.0
    found = {entry.arguments["name"]: (entry.code, entry.fate) for entry in scene.diagnostics}
    assert found == dict.fromkeys(["deceleration", "jerk"], ("urdf.limit-ignored", Fate.DROPPED))
    with pytest.raises(LoadError, match="deceleration = 6"):
        load("1.2", limits="deceleration='6'", strict=True)
    assert not load("1.2", limits="deceleration='inf' jerk='INF'").diagnostics
    with pytest.raises(LoadError, match=r"xml\.not-a-number"):
        load("1.2", limits="jerk='much'")
    both = load("1.2", limits="acceleration='5' drake:acceleration='4' xmlns:drake='d'")
    assert both.joints[0].axes[0].acceleration == 4.0


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_limits_of_version_1_2_in_an_older_file_are_a_warning(version: str) -> None:
    scene = load(version, pose="", limits="acceleration='5' jerk='7'")
    assert scene.joints[0].axes[0].acceleration == 5.0
    (entry,) = (entry for entry in scene.diagnostics if entry.fate is Fate.ASSUMED)
    assert entry.code == "urdf.controller-setting"
    assert "acceleration and jerk" in entry.message


@pytest.mark.parametrize(
    ("version", "used", "is_turned"),
    [("2.0", "1.2", True), ("abc", "1.0", False), ("1", "1.0", False), ("0.9", "1.0", False)],
)
def test_an_unknown_version_is_refused_as_in_urdfdom(
    version: str, used: str, is_turned: bool
) -> None:
    with pytest.raises(LoadError, match=r"urdf\.version"):
        load(version, pose="")
    scene = load(version, lenient=True)
    (entry,) = (entry for entry in scene.diagnostics if entry.code == "urdf.version")
    assert (entry.arguments["version"], entry.arguments["used"]) == (version, used)
    assert all((pose.R is not IDENTITY.R) == is_turned for pose in poses(scene))


def test_a_newer_version_1_x_is_read_as_1_2_with_a_warning() -> None:
    scene = load("1.7", limits="acceleration='5'")
    (entry,) = (entry for entry in scene.diagnostics if entry.code == "urdf.version")
    assert entry.fate is Fate.ASSUMED
    assert poses(scene)[0].R is not IDENTITY.R
