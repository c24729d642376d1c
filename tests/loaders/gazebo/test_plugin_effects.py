"""The effect of plugins, by the names under which public files load them."""

from __future__ import annotations

import pytest

import loaders
from loaders.diagnostics import Diagnostics
from loaders.gazebo.items import effect_of
from loaders.node import Node


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
