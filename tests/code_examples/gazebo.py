"""Minimal plugins of Gazebo, one for each code."""

from __future__ import annotations

from tests.support.code_example import Example, reading

LINKS = "<link name='a'/><link name='b'/>"
JOINT = "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis/></joint>"


def model(plugin: str) -> str:
    return f"<sdf version='1.9'><model name='m'>{LINKS}{JOINT}{plugin}</model></sdf>"


def controller(body: str) -> str:
    return model(
        f"<plugin name='p' filename='gz-sim-joint-position-controller-system'>{body}</plugin>"
    )


def fluid(body: str) -> str:
    return model(
        f"<plugin name='p' "
        f"filename='gz-sim-hydrodynamics-system'><link_name>a</link_name>{body}</plugin>"
    )


TEXTS = {
    "gazebo.added-mass": fluid("<xDotU>-1</xDotU>"),
    "gazebo.controller": controller("<joint_name>j</joint_name>"),
    "gazebo.fluid": fluid("<xU>-1</xU>"),
    "gazebo.gain": controller("<joint_name>j</joint_name><i_gain>2</i_gain>"),
    "gazebo.joint": controller("<joint_name>elbow</joint_name>"),
    "gazebo.setting": controller("<joint_name>j</joint_name><joint_index>1</joint_index>"),
    "gazebo.plugin-moves": model("<plugin name='p' filename='gz-sim-thruster-system'/>"),
    "gazebo.publisher": model("<plugin name='p' filename='gz-sim-joint-state-publisher-system'/>"),
}
"""Text of a file for each code."""

SUBJECTS = {
    "gazebo.added-mass": ("a",),
    "gazebo.controller": ("j",),
    "gazebo.fluid": ("a",),
    "gazebo.gain": ("m",),
    "gazebo.joint": ("m",),
    "gazebo.plugin-moves": ("m",),
    "gazebo.setting": ("m",),
    "gazebo.publisher": ("j",),
}

EXAMPLES: dict[str, Example] = {
    code: reading(text, *SUBJECTS.get(code, ())) for code, text in TEXTS.items()
}
