"""Minimal plugins of Gazebo, one for each code."""

from __future__ import annotations

from tests.support.code_example import Example, reading

LINKS = "<link name='a'/><link name='b'/>"
JOINT = "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis/></joint>"


def model(plugin: str) -> str:
    return f"<sdf version='1.9'><model name='m'>{LINKS}{JOINT}{plugin}</model></sdf>"


def controller(body: str) -> str:
    return model(f"<plugin name='p' filename='gz-sim-joint-position-controller-system'>{body}</plugin>")


TEXTS = {
    "gazebo.controller": controller("<joint_name>j</joint_name>"),
    "gazebo.gain": controller("<joint_name>j</joint_name><i_gain>2</i_gain>"),
    "gazebo.joint": controller("<joint_name>elbow</joint_name>"),
    "gazebo.plugin-moves": model("<plugin name='p' filename='gz-sim-thruster-system'/>"),
}
"""Text of a file for each code."""

SUBJECTS = {"gazebo.controller": ("j",), "gazebo.gain": ("m",), "gazebo.joint": ("m",), "gazebo.plugin-moves": ("m",)}

EXAMPLES: dict[str, Example] = {code: reading(text, *SUBJECTS.get(code, ())) for code, text in TEXTS.items()}
