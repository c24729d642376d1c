"""Followers of Gazebo's plugins in URDF, beside those that the robot states."""

from __future__ import annotations

import pytest

import loaders

URDF = """<robot name="r"><link name="base"/><link name="a"/><link name="b"/>
<joint name="ja" type="continuous"><parent link="base"/><child link="a"/></joint>
<joint name="jb" type="continuous"><parent link="base"/><child link="b"/>{mimic}</joint>
<gazebo><plugin name="p" filename="libroboticsgroup_gazebo_mimic_joint_plugin.so">
<joint>ja</joint><mimicJoint>jb</mimicJoint><multiplier>-2</multiplier><offset>0.5</offset></plugin></gazebo></robot>"""


@pytest.mark.parametrize(("mimic", "multiplier"), [("", -2.0), ("<mimic joint='ja' multiplier='3'/>", 3.0)])
def test_a_follower_in_a_urdf_is_coupled_once_and_the_stated_coupling_wins(mimic: str, multiplier: float) -> None:
    scene = loaders.load_string(URDF.format(mimic=mimic), format="urdf", quiet=True)
    (coupling,) = scene.couplings
    assert (coupling.follower, coupling.leader, coupling.multiplier) == ("jb", "ja", multiplier)
