"""Joint states and odometry that plugins publish are sensors, and MuJoCo measures them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import bridge
import loaders

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


def model(plugin: str, pose: str = "0 0 0 0 0 0") -> loaders.Scene:
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
    readings, data = measured(model(STATES.format("")))
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
    scene = model(STATES.format("<joint_name>turn</joint_name><update_rate>50</update_rate>"))
    ((sensor,),) = [joint.sensors for joint in scene.joints if joint.sensors]
    assert (sensor.joint, sensor.update_rate) == ("turn", 50.0)


@pytest.mark.parametrize(
    "plugin",
    [ODOMETRY, "<plugin name='p' filename='libgazebo_ros_p3d.so'><bodyName>a</bodyName></plugin>"],
)
def test_odometry_is_pose_and_velocity_of_the_link(plugin: str) -> None:
    """The model has the frame of its canonical link here; velocities are in its own axes."""
    readings, data = measured(model(plugin))
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
        for entry in model(STATES.format("") + ODOMETRY).diagnostics
        if entry.code == "gazebo.publisher"
    ]
    assert [entry.arguments["plugin"] for entry in entries] == [
        "gz-sim-joint-state-publisher-system",
        "gz-sim-odometry-publisher-system",
    ]
    assert [entry.subjects for entry in entries] == [("turn", "swing"), ("a",)]


def test_odometry_of_an_unknown_link_is_a_note_only() -> None:
    scene = model(
        "<plugin name='p' filename='libgazebo_ros_p3d.so'><bodyName>hull</bodyName></plugin>"
    )
    assert {entry.code for entry in scene.diagnostics if "plugin" in entry.arguments} == {
        "sdf.plugin"
    }
