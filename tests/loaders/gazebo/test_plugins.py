"""Controllers and followers of Gazebo's plugins, in SDFormat and URDF, and in the running
MuJoCo.
"""

from __future__ import annotations

import math

import mujoco
import pytest

import bridge
import loaders

MASS = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
JOINTS = "".join(
    f"<link name='{side}'>{MASS}</link><joint name='{side}_wheel' "
    f"type='revolute'><parent>base</parent>"
    f"<child>{side}</child><axis><xyz>0 1 0</xyz></axis></joint>"
    for side in ("left", "right")
)


def model(plugin: str) -> loaders.Scene:
    text = (
        f"<sdf version='1.9'><model name='m'><link "
        f"name='base'>{MASS}</link>{JOINTS}{plugin}</model></sdf>"
    )
    return loaders.load_string(text, format="sdf", quiet=True)


def test_a_position_controller_is_an_actuator_with_its_gains() -> None:
    plugin = """<plugin filename="gz-sim-joint-position-controller-system" name="p"><joint_name>left_wheel</joint_name>
    <p_gain>40</p_gain><i_gain>0</i_gain><d_gain>3</d_gain><cmd_max>7</cmd_max></plugin>"""
    scene = model(plugin)
    (actuator,) = [a for a in scene.actuators if a.interfaces]
    assert (actuator.joint, actuator.p_gain, actuator.d_gain) == ("left_wheel", 40.0, 3.0)
    assert (actuator.effort, actuator.interfaces) == (7.0, ("position",))
    spec = bridge.to_mjspec(scene, actuators="position", quiet=True).compile()
    driven = spec.actuator("left_wheel")
    assert (driven.gainprm[0], -driven.biasprm[1], -driven.biasprm[2]) == (40.0, 40.0, 3.0)
    assert driven.forcerange.tolist() == [-7.0, 7.0]


def test_the_position_controller_moves_the_joint_in_mujoco_as_its_law_says() -> None:
    plugin = """<plugin filename="gz-sim-joint-position-controller-system" name="p"><joint_name>left_wheel</joint_name>
    <p_gain>4</p_gain><i_gain>0</i_gain><d_gain>4</d_gain></plugin>"""
    scene = model(
        plugin + "<joint name='f' type='fixed'><parent>world</parent><child>base</child></joint>"
    )
    compiled = bridge.to_mjspec(scene, actuators="position", quiet=True).compile()
    data = mujoco.MjData(compiled)
    data.ctrl[compiled.actuator("left_wheel").id] = 0.5
    while data.time < 1.0 - 1e-9:
        mujoco.mj_step(compiled, data)
    # Unit inertia, natural frequency 2 rad/s, critically damped: 0.5 (1 - (1 + 2 t) exp(-2 t)).
    assert data.joint("left_wheel").qpos[0] == pytest.approx(
        0.5 * (1.0 - 3.0 * math.exp(-2.0)), abs=1e-3
    )


def test_gains_have_the_defaults_of_gazebo_and_a_lost_gain_is_reported() -> None:
    name = "gz-sim-joint-position-controller-system"
    scene = model(
        f"<plugin filename='{name}' name='p'><joint_name>left_wheel</joint_name></plugin>"
    )
    (actuator,) = [a for a in scene.actuators if a.interfaces]
    assert (actuator.p_gain, actuator.d_gain) == (1.0, 0.01)
    (entry,) = [entry for entry in scene.diagnostics if entry.code == "gazebo.gain"]
    assert "integral gain of 0.1" in entry.message


@pytest.mark.parametrize(
    ("force", "gain"),
    [("<use_force_commands>true</use_force_commands><p_gain>2</p_gain>", 2.0), ("", None)],
)
def test_a_velocity_controller_has_its_gain_as_damping(force: str, gain: float | None) -> None:
    body = f"<joint_name>right_wheel</joint_name>{force}"
    plugin = f"<plugin filename='gz-sim-joint-controller-system' name='p'>{body}</plugin>"
    (actuator,) = [a for a in model(plugin).actuators if a.interfaces]
    assert (actuator.p_gain, actuator.d_gain, actuator.interfaces) == (None, gain, ("velocity",))


@pytest.mark.parametrize(
    "plugin",
    [
        """<plugin filename='gz-sim-diff-drive-system' name='gz::sim::systems::DiffDrive'>
        <left_joint>left_wheel</left_joint><right_joint>right_wheel</right_joint>
        <wheel_separation>1.25</wheel_separation><wheel_radius>0.3</wheel_radius></plugin>""",
        """<plugin filename='libgazebo_ros_diff_drive.so' name='d'>
        <leftJoint>left_wheel</leftJoint><rightJoint>right_wheel</rightJoint>
        <wheelSeparation>1.25</wheelSeparation><wheelDiameter>0.6</wheelDiameter></plugin>""",
    ],
)
def test_a_differential_drive_is_an_actuator_on_each_wheel_and_the_law_is_stated(
    plugin: str,
) -> None:
    scene = model(plugin)
    driven = [a for a in scene.actuators if a.interfaces == ("velocity",)]
    assert [a.joint for a in driven] == ["left_wheel", "right_wheel"]
    (entry,) = [entry for entry in scene.diagnostics if entry.code == "gazebo.controller"]
    assert "(v -+ 0.625 w) / 0.3" in entry.message
    assert not [entry for entry in scene.diagnostics if entry.code == "gazebo.plugin-moves"]


def test_a_controller_without_joints_is_lost_motion() -> None:
    codes = [
        entry.code
        for entry in model("<plugin filename='libDiffDrivePlugin.so' name='d'/>").diagnostics
    ]
    assert "gazebo.plugin-moves" in codes


def test_an_unknown_joint_is_reported() -> None:
    plugin = (
        "<plugin filename='gz-sim-joint-controller-system' "
        "name='p'><joint_name>elbow</joint_name></plugin>"
    )
    assert {"gazebo.joint", "gazebo.plugin-moves"} <= {
        entry.code for entry in model(plugin).diagnostics
    }


@pytest.mark.parametrize(
    ("leader", "follower"),
    [("left_wheel", "left_wheel"), ("none", "left_wheel"), ("left_wheel", "none"), ("table", "left_wheel"),
     ("left_wheel", "table")],
)  # fmt: skip
def test_a_joint_follows_only_another_joint_with_one_axis(leader: str, follower: str) -> None:
    table = (
        f"<link name='plate'>{MASS}</link><joint name='table' "
        f"type='universal'><parent>base</parent>"
        "<child>plate</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>"
    )
    ends = f"<joint>{leader}</joint><mimicJoint>{follower}</mimicJoint><multiplier>2</multiplier>"
    scene = model(
        f"{table}<plugin filename='libroboticsgroup_gazebo_mimic_joint_plugin.so' "
        f"name='p'>{ends}</plugin>"
    )
    assert scene.couplings == ()
    good = "<joint>left_wheel</joint><mimicJoint>right_wheel</mimicJoint><multiplier>2</multiplier>"
    (coupling,) = model(
        f"<plugin filename='libroboticsgroup_gazebo_mimic_joint_plugin.so' name='p'>{good}</plugin>"
    ).couplings
    assert (coupling.leader, coupling.follower, coupling.multiplier) == (
        "left_wheel",
        "right_wheel",
        2.0,
    )
