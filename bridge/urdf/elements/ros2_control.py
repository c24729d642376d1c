"""``<ros2_control>``: the interfaces of the joints that ROS 2 drives."""

from __future__ import annotations

import math

from bridge.export.xml_text import Element, add
from bridge.urdf.normal.couplings_and_actuators import COMMANDS, commands_of
from loaders.model import JointAxis, by_name
from loaders.scene import Scene

_PLUGIN = "mock_components/GenericSystem"
"""Hardware of ros2_control that returns each command as the state; users replace it by that of their robot."""


def add_ros2_control(robot: Element, scene: Scene) -> None:
    """Add the interfaces of the driven joints; nothing if there is none.

    Args:
        robot: The ``<robot>``.
        scene: The scene.
    """
    actuators = {actuator.joint: actuator for actuator in scene.actuators}
    if not actuators:
        return
    control = add(robot, "ros2_control", name=f"{scene.name}_control", type="system")
    add(add(control, "hardware"), "plugin", _PLUGIN)
    joints = by_name(scene.joints)
    for name, actuator in actuators.items():
        element = add(control, "joint", name=name)
        for command in commands_of(actuator):
            interface = add(element, "command_interface", name=command)
            for end, limit in zip(("min", "max"), _limits(command, joints[name].axes[0]), strict=True):
                if math.isfinite(limit):
                    add(interface, "param", limit, name=end)
        for state in COMMANDS:
            add(element, "state_interface", name=state)


def _limits(command: str, axis: JointAxis) -> tuple[float, float]:
    if command == "position":
        return axis.lower, axis.upper
    limit = axis.velocity if command == "velocity" else axis.effort
    return -limit, limit
