"""Robots for the codes of the checks of a robot: a sound arm, and what is wrong in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import loaders
from bridge.lowering.transform import mechanism_of
from bridge.robot_checks import check_robot
from loaders.diagnostics import Diagnostic, Diagnostics
from tests.support.code_example import Example

ARM = """<robot name='arm'>
  <link name='base'>{inertial}<visual><geometry><box size='0.3 0.3 0.1'/></geometry></visual>
    <collision><geometry><box size='0.3 0.3 0.1'/></geometry></collision></link>
  {arm}
</robot>"""
LINK = """<link name='{side}_{part}'>{inertial}
    <visual><origin xyz='0 0 -0.15'/><geometry><box size='0.05 0.05 0.3'/></geometry></visual>
    <collision><origin xyz='0 0 -0.15'/><geometry><box size='0.05 0.05 0.3'/></geometry></collision>
  </link>
  <joint name='{side}_{joint}' type='revolute'><parent link='{parent}'/>
    <child link='{side}_{part}'/><origin xyz='{xyz}'/><axis xyz='0 1 0'/>
    <limit lower='-1.5' upper='1.5' effort='60' velocity='3'/><dynamics damping='0.5'/></joint>"""
INERTIAL = """<inertial><origin xyz='0 0 {z}'/><mass value='2'/>
    <inertia ixx='0.0154' iyy='0.0154' izz='0.0008' ixy='0' ixz='0' iyz='0'/></inertial>"""


SIDES = {"left": (0, 0.2), "right": (0, -0.2)}
"""Places of arms on the base [m]."""


def robot(sides: Mapping[str, tuple[float, float]] = SIDES) -> str:
    """A robot with arms of two links, of the mass and moments of boxes of 2,670 kg/m^3."""
    parts = [
        LINK.format(
            side=side, part=part, joint=joint, parent=parent.format(side=side), xyz=xyz,
            inertial=INERTIAL.format(z=-0.15),
        )
        for side, (x, y) in sides.items()
        for part, joint, parent, xyz in (
            ("upper", "shoulder", "base", f"{x} {y} 0"),
            ("fore", "elbow", "{side}_upper", "0 0 -0.3"),
        )
    ]  # fmt: skip
    return ARM.format(inertial=INERTIAL.format(z=0), arm="\n  ".join(parts))


def found(text: str, folder: Path) -> Iterable[Diagnostic]:
    """The findings about a robot."""
    (folder / "robot.urdf").write_text(text)
    diagnostics = Diagnostics()
    check_robot(mechanism_of(loaders.load(folder / "robot.urdf", quiet=True)), diagnostics)
    return diagnostics


CHANGES = {
    "robot.axis": ("left_elbow", "xyz='0 0 -0.3'", "xyz='0.06 0 -0.28'"),
    "robot.center-of-mass": ("left_upper", "xyz='0 0 -0.15'/><mass", "xyz='0 0 0.3'/><mass"),
    "robot.collision-apart": (
        "left_upper", "<collision><origin xyz='0 0 -0.15'/>", "<collision><origin xyz='1 0 0'/>",
    ),
    "robot.collision-size": (
        "left_upper",
        "<collision><origin xyz='0 0 -0.15'/><geometry><box size='0.05 0.05 0.3'/>",
        "<collision><geometry><box size='0.2 0.2 1.2'/>",
    ),
    "robot.degrees": ("left_shoulder", "lower='-1.5' upper='1.5'", "lower='-86' upper='86'"),
    "robot.density": ("left_upper", "mass value='2'", "mass value='2000'"),
    "robot.gyration": ("left_upper", "ixx='0.0154' iyy='0.0154'", "ixx='15.4' iyy='15.4'"),
    "robot.no-collision": (
        "left_upper",
        "<collision><origin xyz='0 0 -0.15'/><geometry><box size='0.05 0.05 0.3'/></geometry>"
        "</collision>",
        "",
    ),
    "robot.no-effort": ("left_shoulder", "effort='60'", "effort='0'"),
    "robot.no-mass": ("left_upper", INERTIAL.format(z=-0.15), ""),
    "robot.no-moments": (
        "left_upper", "ixx='0.0154' iyy='0.0154' izz='0.0008'", "ixx='0' iyy='0' izz='0'",
    ),
    "robot.no-velocity": ("left_shoulder", "velocity='3'", "velocity='0'"),
    "robot.gap": ("left_elbow", "xyz='0 0 -0.3'", "xyz='0 0.6 -0.3'"),
    "robot.offset": ("left_elbow", "xyz='0 0 -0.3'", "xyz='0 0 -300'"),
    "robot.shape-unit": (
        "left_upper",
        "<collision><origin xyz='0 0 -0.15'/><geometry><box size='0.05 0.05 0.3'/>",
        "<collision><origin xyz='0 0 -0.15'/><geometry><box size='50 50 300'/>",
    ),
    "robot.slow": ("left_shoulder", "damping='0.5'", "damping='1e5'"),
    "robot.siblings": ("left_shoulder", "damping='0.5'", "damping='0'"),
    "robot.weak": ("left_shoulder", "<axis xyz='0 1 0'/>", "<axis xyz='0 1 0'/>"),
}  # fmt: skip
"""What is changed for each code: an item, and a text of it with its replacement."""


def changed(item: str, old: str, new: str, text: str = "") -> str:
    """Return the robot with one text of one item replaced."""
    text = text or robot()
    start = text.index(f"name='{item}'")
    assert old in text[start:], (item, old)
    return text[:start] + text[start:].replace(old, new, 1)


def weak() -> str:
    """The robot with an arm that is held level and cannot carry itself: 2 N m for 6 N m."""
    text = changed(
        "left_shoulder", "<origin xyz='0 0.2 0'/>", "<origin xyz='0 0.2 0' rpy='0 1.57 0'/>"
    )
    return changed("left_shoulder", "effort='60'", "effort='2'", text)


def _example(text: str, *subjects: str) -> Example:
    return Example(lambda folder: found(text, folder), subjects)


SUBJECTS = {
    "robot.siblings": ("left_shoulder", "right_shoulder"),
    "robot.shape-unit": ("left_upper", "left_upper::left_upper_collision"),
}
EXAMPLES = {
    code: _example(changed(*change), *SUBJECTS.get(code, (change[0],)))
    for code, change in CHANGES.items()
    if code != "robot.weak"
}
EXAMPLES["robot.size"] = _example(
    robot().replace("0.3 0.3 0.1", "300 300 100").replace("0.05 0.05 0.3", "50 50 300")
)
EXAMPLES["robot.travel"] = _example(
    changed(
        "left_shoulder",
        "lower='-1.5' upper='1.5'",
        "lower='-500' upper='500'",
        changed("left_shoulder", "type='revolute'", "type='prismatic'"),
    ),
    "left_shoulder",
)
EXAMPLES["robot.weak"] = _example(weak(), "left_shoulder")
