"""Plugins of Gazebo: controllers, followers and publishers in the running MuJoCo, and what they add
to a scene.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from loaders.diagnostics import Diagnostics
from loaders.gazebo.items import (
    AddedItems,
    effect_of,
    flag_of,
    label_of,
    number_of,
    text_of,
    vector_of,
    with_forces_and_sensors,
)
from loaders.model import Actuator, Buoyancy, Sensor
from loaders.node import Node
from loaders.pose import IDENTITY
from loaders.scene import Scene
from tests.support.scenes import joint, link, scene
from tests.support.xml_nodes import root_of

# Controllers and followers of Gazebo's plugins, in SDFormat and URDF, and in the running MuJoCo.

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
    assert driven.forcerange.tolist() == [-1000.0, 7.0]  # Gazebo's least effort


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


# Joint states and odometry that plugins publish are sensors, and MuJoCo measures them.

SOLID = "<inertial><mass>2</mass></inertial>"
ARM = (
    f"<link name='a'>{SOLID}</link><link name='b'>{SOLID}</link><link name='c'>{SOLID}</link>"
    "<joint name='turn' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 "
    "0</xyz></axis></joint>"
    "<joint name='swing' type='ball'><parent>b</parent><child>c</child></joint>"
)
STATES = (
    "<plugin filename='gz-sim-joint-state-publisher-system' "
    "name='gz::sim::systems::JointStatePublisher'>{}</plugin>"
)
ODOMETRY = (
    "<plugin filename='gz-sim-odometry-publisher-system' "
    "name='gz::sim::systems::OdometryPublisher'/>"
)


def publishers_model(plugin: str, pose: str = "0 0 0 0 0 0") -> loaders.Scene:
    text = f"<sdf version='1.9'><model name='m'><pose>{pose}</pose>{ARM}{plugin}</model></sdf>"
    return loaders.load_string(text, format="sdf", quiet=True)


def measured(scene: loaders.Scene) -> tuple[dict[str, np.ndarray], mujoco.MjData]:
    """What MuJoCo's sensors measure in a random state."""
    compiled = bridge.to_mjspec(scene, quiet=True).compile()
    data = mujoco.MjData(compiled)
    rng = np.random.default_rng(1)
    data.qvel[:] = rng.uniform(-1.0, 1.0, compiled.nv)
    mujoco.mj_integratePos(compiled, data.qpos, rng.uniform(-1.0, 1.0, compiled.nv), 1.0)
    mujoco.mj_forward(compiled, data)
    names = (compiled.sensor(i).name for i in range(compiled.nsensor))
    return {name: data.sensor(name).data.copy() for name in names}, data


def test_every_moving_joint_of_the_model_is_measured() -> None:
    readings, data = measured(publishers_model(STATES.format("")))
    assert list(readings) == [
        "turn_state_position",
        "turn_state_velocity",
        "swing_state_position",
        "swing_state_velocity",
    ]
    assert readings["turn_state_position"] == data.joint("turn").qpos
    assert readings["turn_state_velocity"] == data.joint("turn").qvel
    np.testing.assert_allclose(readings["swing_state_position"], data.joint("swing").qpos)
    np.testing.assert_allclose(readings["swing_state_velocity"], data.joint("swing").qvel)


def test_only_the_named_joints_are_measured() -> None:
    scene = publishers_model(
        STATES.format("<joint_name>turn</joint_name><update_rate>50</update_rate>")
    )
    ((sensor,),) = [joint.sensors for joint in scene.joints if joint.sensors]
    assert (sensor.joint, sensor.update_rate) == ("turn", 50.0)


@pytest.mark.parametrize(
    "plugin",
    [ODOMETRY, "<plugin name='p' filename='libgazebo_ros_p3d.so'><bodyName>a</bodyName></plugin>"],
)
def test_odometry_is_pose_and_velocity_of_the_link(plugin: str) -> None:
    """The model has the frame of its canonical link here; velocities are in its own axes."""
    readings, data = measured(publishers_model(plugin))
    position, orientation, velocity, rate = readings.values()
    body = data.body("a")
    np.testing.assert_allclose(position, body.xpos)
    np.testing.assert_allclose(orientation, body.xquat)
    R = body.xmat.reshape(3, 3)
    np.testing.assert_allclose(
        R @ velocity, data.qvel[:3], atol=1e-12
    )  # of a free body, in the world
    np.testing.assert_allclose(rate, data.qvel[3:6], atol=1e-12)


def test_the_plugins_are_noted_by_name() -> None:
    entries = [
        entry
        for entry in publishers_model(STATES.format("") + ODOMETRY).diagnostics
        if entry.code == "gazebo.publisher"
    ]
    assert [entry.arguments["plugin"] for entry in entries] == [
        "gz-sim-joint-state-publisher-system",
        "gz-sim-odometry-publisher-system",
    ]
    assert [entry.subjects for entry in entries] == [("turn", "swing"), ("a",)]


def test_odometry_of_an_unknown_link_is_a_note_only() -> None:
    scene = publishers_model(
        "<plugin name='p' filename='libgazebo_ros_p3d.so'><bodyName>hull</bodyName></plugin>"
    )
    assert {entry.code for entry in scene.diagnostics if "plugin" in entry.arguments} == {
        "sdf.plugin"
    }


# What plugins add to a scene, beside what the source states: followers, forces and sensors.

URDF = """<robot name="r"><link name="base"/><link name="a"/><link name="b"/>
<joint name="ja" type="continuous"><parent link="base"/><child link="a"/></joint>
<joint name="jb" type="continuous"><parent link="base"/><child link="b"/>{mimic}</joint>
<gazebo><plugin name="p" filename="libroboticsgroup_gazebo_mimic_joint_plugin.so">
<joint>ja</joint><mimicJoint>jb</mimicJoint><multiplier>-2</multiplier><offset>0.5</offset></plugin></gazebo></robot>"""


@pytest.mark.parametrize(
    ("mimic", "multiplier"), [("", -2.0), ("<mimic joint='ja' multiplier='3'/>", 3.0)]
)
def test_a_follower_in_a_urdf_is_coupled_once_and_the_stated_coupling_wins(
    mimic: str, multiplier: float
) -> None:
    scene = loaders.load_string(URDF.format(mimic=mimic), format="urdf", quiet=True)
    (coupling,) = scene.couplings
    assert (coupling.follower, coupling.leader, coupling.multiplier) == ("jb", "ja", multiplier)


def test_a_controller_of_a_plugin_belongs_to_the_actuator_that_the_source_states_for_its_joint() -> (
    None
):
    driven = (
        "<transmission name='t{0}'><type>transmission_interface/SimpleTransmission</type>"
        "<joint name='j{0}'/><actuator name='m{0}'/></transmission>"
    )
    plugin = (
        "<gazebo><plugin filename='gz-sim-joint-position-controller-system' "
        "name='p'><joint_name>ja</joint_name>"
        "<p_gain>40</p_gain><d_gain>3</d_gain><i_gain>0</i_gain></plugin></gazebo>"
    )
    body = f"{driven.format('a')}{driven.format('b')}{plugin}</robot>"
    scene = loaders.load_string(
        URDF.format(mimic="").replace("</robot>", body), format="urdf", quiet=True
    )
    gains: dict[str, list[Actuator]] = {}
    for actuator in scene.actuators:
        gains.setdefault(actuator.joint, []).append(actuator)
    assert [(a.name, a.p_gain) for a in gains["ja"]] == [("ma", 40.0)]
    assert [(a.name, a.p_gain) for a in gains["jb"]] == [("mb", None)]


def sensor(name: str) -> Sensor:
    return Sensor(name=name, type="odometry", X_LS=IDENTITY)


def test_sensors_and_forces_follow_the_stated_ones() -> None:
    stated = scene([link("a", sensors=(sensor("s"),)), link("b")], [joint("j", "a", "b")])
    extras = AddedItems(stated, fluid_forces=[Buoyancy(link="b")])
    extras.link_sensors["a"].append(sensor("t"))
    extras.joint_sensors["j"].append(sensor("u"))
    found = with_forces_and_sensors(stated, extras)
    assert [[s.name for s in item.sensors] for item in (*found.links, *found.joints)] == [
        ["s", "t"],
        [],
        ["u"],
    ]
    assert [force.link for force in found.fluid_forces] == ["b"]


def test_without_plugins_the_scene_is_the_same_object() -> None:
    stated = scene([link("a")])
    assert with_forces_and_sensors(stated, AddedItems(stated)) is stated


# The effect of plugins, by the names under which public files load them.


def plugin(filename: str, name: str = "p") -> Node:
    return Node("plugin", {"filename": filename, "name": name}, "a.sdf", 1, Diagnostics())


@pytest.mark.parametrize(
    ("filename", "word"),
    [
        ("gz-sim-buoyancy-system", "weight of the fluid"),
        ("libBuoyancyPlugin.so", "weight of the fluid"),
        ("libuuv_underwater_object_ros_plugin.so", "weight of the fluid"),
        ("gz-sim-hydrodynamics-system", "added mass"),
        ("libLiftDragPlugin.so", "lift and drag"),
        ("gz-sim-advanced-lift-drag-system", "lift and drag"),
        ("gz-sim-thruster-system", "propeller"),
        ("gz-sim-multicopter-motor-model-system", "propeller"),
        ("libgazebo_motor_model.so", "propeller"),
        ("libignition-gazebo-wind-effects-system.so", "wind"),
        ("gz-sim-track-controller-system", "track"),
        ("gz-sim-tracked-vehicle-system", "track"),
        ("ignition-gazebo-diff-drive-system", "wheels"),
        ("libgazebo_ros_diff_drive.so", "wheels"),
        ("libSkidSteerDrivePlugin.so", "wheels"),
        ("gz-sim-ackermann-steering-system", "drive the model"),
        ("gz-sim-velocity-control-system", "drive the model"),
        ("gz-sim-joint-position-controller-system", "drive joints"),
        ("gz-sim-joint-trajectory-controller-system", "drive joints"),
        ("gz-sim-apply-joint-force-system", "forces"),
        ("libBreakableJointPlugin.so", "remove a joint"),
        ("gz-sim-detachable-joint-system", "attach"),
        ("gz-sim-wheel-slip-system", "slip"),
        ("libroboticsgroup_gazebo_mimic_joint_plugin.so", "follow"),
    ],
)
def test_plugins_that_move_something(filename: str, word: str) -> None:
    assert word in effect_of(plugin(filename))


@pytest.mark.parametrize(
    "filename",
    [
        "gz-sim-physics-system", "gz-sim-contact-system", "gz-sim-sensors-system", "libgazebo_ros_imu_sensor.so",
        "gz-sim-joint-state-publisher-system", "gz-sim-odometry-publisher-system", "libgazebo_ros_control.so",
        "gz_ros2_control-system", "libgazebo_ros_ft_sensor.so", "libForceTorquePlugin.so", "libgazebo_ros_camera.so",
        "libunitreeDrawForcePlugin.so", "libLightBuoyPlugin.so", "MinimalScene", "dummy", "libmine.so",
    ],
)  # fmt: skip
def test_plugins_that_move_nothing(filename: str) -> None:
    assert effect_of(plugin(filename, "wind_and_lift")) == ""


def test_the_class_counts_where_no_file_is_named() -> None:
    assert "propeller" in effect_of(plugin("", "gz::sim::systems::Thruster"))


@pytest.mark.parametrize("where", ["world", "model"])
def test_a_lost_motion_is_reported_by_name_and_refused_by_strict_loading(where: str) -> None:
    text = """<sdf version="1.9"><world name="w">{world}<model name="m">{model}<link name="l"/></model>
    </world></sdf>"""
    tag = '<plugin name="wings" filename="libLiftDragPlugin.so"/>'
    text = text.format(**({"world": "", "model": ""} | {where: tag}))
    scene = loaders.load_string(text, format="sdf", quiet=True)
    (entry,) = [entry for entry in scene.diagnostics if entry.code == "gazebo.plugin-moves"]
    assert "libLiftDragPlugin.so" in entry.message
    assert "lift and drag" in entry.message
    with pytest.raises(loaders.LoadError, match="lift and drag"):
        loaders.load_string(text, format="sdf", strict=True)


# Values of a plugin's elements.

PLUGIN = (
    "<plugin filename=' a.so ' name='n'><x> 1.5 </x><v>1 2 3</v><w>1 "
    "2</w><t>True</t><s>word</s></plugin>"
)


@pytest.mark.parametrize(
    ("read", "tag", "value"),
    [
        (text_of, "s", "word"),
        (text_of, "none", ""),
        (number_of, "x", 1.5),
        (number_of, "s", None),
        (flag_of, "t", True),
        (flag_of, "s", False),
        (vector_of, "w", None),
        (vector_of, "s", None),
    ],
)
def test_a_value_is_read_or_unset(
    read: Callable[[Node, str], object], tag: str, value: object
) -> None:
    assert read(root_of(PLUGIN)[0], tag) == value


def test_a_vector_has_three_numbers() -> None:
    vector = vector_of(root_of(PLUGIN)[0], "v")
    assert vector is not None
    assert vector.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("attributes", "label"), [("filename=' a.so ' name='n'", "a.so"), ("name='n'", "n"), ("", "?")]
)
def test_a_plugin_is_called_by_its_file(attributes: str, label: str) -> None:
    assert label_of(root_of(f"<plugin {attributes}/>")[0]) == label


# --- settings that no reader knows ----------------------------------------------------------------

_HINGES = "".join(
    f"<link name='{c}'><inertial><mass>1</mass></inertial><collision name='c'><geometry><box><size>1 1 1</size></box></geometry>"
    f"</collision></link><joint name='{j}' type='revolute'><parent>{p}</parent><child>{c}</child><axis><xyz>0 0 1</xyz></axis></joint>"
    for j, p, c in (("ja", "world", "a"), ("jb", "a", "b"))
)
READ = {
    "gz-sim-joint-position-controller-system": "<joint_name>ja</joint_name>",
    "gz-sim-joint-trajectory-controller-system": "<joint_name>ja</joint_name>",
    "gz-sim-apply-joint-force-system": "<joint_name>ja</joint_name>",
    "gz-sim-diff-drive-system": "<left_joint>ja</left_joint><right_joint>jb</right_joint>",
    "gz-sim-joint-state-publisher-system": "",
    "gz-sim-odometry-publisher-system": "",
    "gz-sim-buoyancy-system": "",
    "gz-sim-hydrodynamics-system": "<link_name>a</link_name><xU>-1</xU><xUabsU>-1</xUabsU><nRR>-1</nRR>",
    "gz-sim-lift-drag-system": "<link_name>a</link_name><area>1</area><cla>1</cla><forward>1 0 0</forward><upward>0 0 1</upward>",
    "libroboticsgroup_gazebo_mimic_joint_plugin.so": "<joint>ja</joint><mimicJoint>jb</mimicJoint>",
    "libgazebo_ros_imu.so": "<bodyName>a</bodyName>",
    "libgazebo_ros_ft_sensor.so": "<jointName>ja</jointName>",
    "libhector_gazebo_ros_magnetic.so": "<bodyName>a</bodyName>",
}
"""A plugin of each kind that becomes actuators, couplings, forces or sensors, with what it needs."""


@pytest.mark.parametrize("filename", READ)
def test_a_setting_that_the_reader_of_a_plugin_does_not_know_is_named(filename: str) -> None:
    text = (
        f"<sdf version='1.9'><world name='w'><model name='m'>{_HINGES}<plugin filename='{filename}' name='p'>"
        f"{READ[filename]}{{}}</plugin></model></world></sdf>"
    )
    plain, more = (
        loaders.load_string(text.format(extra), format="sdf", quiet=True)
        for extra in ("", "<nonesuch>7.5</nonesuch>")
    )
    is_read = [s.actuators or s.couplings or s.fluid_forces or _sensors(s) for s in (plain, more)]
    assert all(is_read)
    assert not any("not used" in e.message for e in plain.diagnostics)
    named = [e.message for e in more.diagnostics if "nonesuch" in e.message]
    assert len(named) == 1
    assert "7.5" in named[0]


def _sensors(scene: Scene) -> list[object]:
    return [s for item in (*scene.links, *scene.joints) for s in item.sensors]
