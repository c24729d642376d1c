"""Minimal URDF inputs, one for each code of the reader."""

from __future__ import annotations

from tests.support.code_example import Example, reading

BALL = "<geometry><sphere radius='1'/></geometry>"
LINK = "<link name='a'/>"
TWO = "<link name='a'/><link name='b'/>"
RED = "<color rgba='1 0 0 1'/>"
BLUE = "<color rgba='0 0 1 1'/>"
LIMIT = "<limit lower='-1' upper='1' effort='1' velocity='1'/>"


def joint(
    inside: str = "", kind: str = "continuous", name: str = "j", parent: str = "a", child: str = "b"
) -> str:
    return (
        f"<joint name='{name}' type='{kind}'><parent link='{parent}'/><child "
        f"link='{child}'/>{inside}</joint>"
    )


def visual(inside: str) -> str:
    return f"<link name='a'><visual name='v'>{inside}</visual></link>"


def painted(inside: str, name: str = "m") -> str:
    return visual(f"{BALL}<material name='{name}'>{inside}</material>")


def shape(inside: str) -> str:
    return visual(f"<geometry>{inside}</geometry>")


def gazebo(inside: str) -> str:
    return f"{LINK}<gazebo>{inside}</gazebo>"


def transmission(inside: str, kind: str = "SimpleTransmission") -> str:
    return f"{TWO}{joint()}<transmission type='{kind}'>{inside}</transmission>"


DRIVEN = "<joint name='j'/><actuator name='m'>{}</actuator>"

BODIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "urdf.controller-value": (
        f"{TWO}{joint()}<ros2_control name='c' type='system'><joint name='j'><command_interface "
        "name='position'><param name='min'>low</param></command_interface></joint></ros2_control>",
        ("j",),
    ),
    "urdf.initial-value": (
        f"{TWO}{joint()}<ros2_control name='c' type='system'><joint name='j'><state_interface "
        "name='velocity'><param name='initial_value'>2</param></state_interface></joint></ros2_control>",
        ("j",),
    ),
    "urdf.robot-origin": ("<origin xyz='1 0 0'/>" + LINK, ()),
    "urdf.actuator-ignored": (
        f"{TWO}{joint(LIMIT.replace('effort=' + repr('1'), 'effort=' + repr('0')))}"
        f"<transmission type='SimpleTransmission'>{DRIVEN.format('')}</transmission>",
        (),
    ),
    "urdf.appearance": (
        "<link name='a'/><gazebo reference='a'><material>Red</material></gazebo>",
        (),
    ),
    "urdf.canonical-body": (gazebo("<canonicalBody>a</canonicalBody>"), ()),
    "urdf.colour-range": (painted("<color rgba='2 0 0 1'/>"), ("a::v",)),
    "urdf.continuous-limit": (TWO + joint(LIMIT), ("j",)),
    "urdf.controller-setting": (TWO + joint("<calibration rising='0'/>"), ("j",)),
    "urdf.duplicate-material": (
        f"<material name='m'>{RED}</material><material name='m'>{BLUE}</material>{LINK}",
        (),
    ),
    "urdf.duplicate-name": (LINK + LINK, ("a",)),
    "urdf.embedded-sdf": (gazebo("<light name='x'/>"), ()),
    "urdf.engine-setting": (
        "<link name='a'/><gazebo reference='a'><maxContacts>3</maxContacts></gazebo>",
        (),
    ),
    "urdf.gazebo-pose": (gazebo("<pose>0 0 1 0 0 0</pose>"), ()),
    "urdf.held-root": (
        "<link name='a'><inertial><mass value='0'/><inertia/></inertial></link>",
        ("a",),
    ),
    "urdf.inertia-scaling": (
        "<link name='a'><contact><inertia_scaling value='3'/></contact></link>",
        ("a",),
    ),
    "urdf.infinite-limit": (
        TWO + joint(LIMIT.replace("effort='1'", "effort='inf'"), "revolute"),
        ("j",),
    ),
    "urdf.joint-type": (TWO + joint(kind="elbow"), ("j",)),
    "urdf.joint-type-extension": (TWO + joint(kind="spherical"), ("j",)),
    "urdf.limit-ignored": (TWO + joint("<limit effort='1' velocity='1'/>", "planar"), ("j",)),
    "urdf.negative-dynamics": (TWO + joint("<dynamics damping='-1'/>"), ("j",)),
    "urdf.loop": (TWO + joint() + joint(name="k", parent="b", child="a"), ("k",)),
    "urdf.mimic": (TWO + joint("<mimic joint='j'/>"), ("j",)),
    "urdf.mimic-ignored": (
        TWO
        + "<link name='c'/>"
        + joint("<mimic joint='k'/>", "fixed")
        + joint(name="k", parent="b", child="c"),
        ("j",),
    ),
    "urdf.missing-inertia": (
        "<link name='a'><inertial><mass value='1'/></inertial></link>",
        ("a",),
    ),
    "urdf.missing-limit": (TWO + joint(kind="revolute"), ("j",)),
    "urdf.missing-name": (LINK, ()),
    "urdf.mujoco-options": (LINK + "<mujoco><worldbody/></mujoco>", ()),
    "urdf.no-links": ("", ()),
    "urdf.srdf": ("<group name='g'/>", ()),
    "urdf.no-shape": (shape("<blob/>"), ("a::v",)),
    "urdf.no-texture": (painted(RED + "<texture/>"), ("a::v",)),
    "urdf.planar-damping": (TWO + joint("<dynamics damping='1'/>", "planar"), ("j",)),
    "urdf.planar-friction": (TWO + joint("<dynamics friction='1'/>", "planar"), ("j",)),
    "urdf.plugin": (gazebo("<plugin name='p' filename='p.so'/>"), ()),
    "urdf.quaternion-length": (visual(f"{BALL}<origin quat_xyzw='0 0 1 1'/>"), ("a::v",)),
    "urdf.quaternion-version": (visual(f"{BALL}<origin quat_xyzw='0 0 0.6 0.8'/>"), ("a::v",)),
    "urdf.reduction": (
        transmission(DRIVEN.format("<mechanicalReduction>0</mechanicalReduction>")),
        (),
    ),
    "urdf.repeated-material": (
        f"{LINK}<material name='m'>{RED}</material><material name='m'>{RED}</material>",
        (),
    ),
    "urdf.reversed-limit": (
        TWO + joint("<limit lower='1' upper='-1' effort='1' velocity='1'/>", "revolute"),
        ("j",),
    ),
    "urdf.second-shape": (shape("<sphere radius='1'/><box size='1 1 1'/>"), ("a::v",)),
    "urdf.several-roots": (TWO, ("a", "b")),
    "urdf.transmission-extra": (
        transmission("<joint name='j'/><actuator name='m'/><actuator name='n'/>"),
        (),
    ),
    "urdf.transmission-type": (transmission(DRIVEN.format(""), "DifferentialTransmission"), ()),
    "urdf.two-parents": (f"{TWO}<link name='c'/>" + joint() + joint(name="k", parent="c"), ("b",)),
    "urdf.two-rotations": (
        visual(f"{BALL}<origin rpy='0 0 1' quat_xyzw='0 0 0.6 0.8'/>"),
        ("a::v",),
    ),
    "urdf.unknown-joint": (transmission("<joint name='none'/><actuator name='m'/>"), ()),
    "urdf.unknown-link": (LINK + joint(), ("j",)),
    "urdf.unknown-material": (painted("", "none"), ("a::v",)),
    "urdf.unknown-reference": (f"{LINK}<gazebo reference='none'/>", ()),
    "urdf.version": (LINK, ()),
    "urdf.world-inertial": (
        (
            f"<link name='world'><inertial><mass value='1'/></inertial></link><link "
            f"name='b'/>{joint(parent='world')}"
        ),
        (),
    ),
    "urdf.zero-axis": (TWO + joint("<axis xyz='0 0 0'/>"), ("j",)),
    "urdf.zero-normal": (
        (
            "<link name='a'><collision name='c'><geometry><plane normal='0 0 "
            "0'/></geometry></collision></link>"
        ),
        ("a::c",),
    ),
    "urdf.zero-quaternion": (visual(f"{BALL}<origin quat_xyzw='0 0 0 0'/>"), ("a::v",)),
    "urdf.zero-scale": (shape("<mesh filename='x.stl' scale='1 0 1'/>"), ("a::v",)),
}
"""What is in the robot, and the subjects of the finding."""
ATTRIBUTES = {
    "urdf.missing-name": "",
    "urdf.version": " name='r' version='one'",
    **dict.fromkeys(
        ("urdf.quaternion-length", "urdf.two-rotations", "urdf.zero-quaternion"),
        " name='r' version='1.1'",
    ),
}
"""Attributes of the robot, where they are not only its name."""


def robot(body: str, name: str = " name='r'") -> str:
    return f"<robot{name}>{body}</robot>"


EXAMPLES: dict[str, Example] = {
    code: reading(robot(body, ATTRIBUTES.get(code, " name='r'")), *subjects, name="r.urdf")
    for code, (body, subjects) in BODIES.items()
}
