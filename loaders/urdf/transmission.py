"""Reader of ``<transmission>`` and ``<ros2_control>``: actuators of joints, their gears and
interfaces.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

from loaders import codes as loaders_codes
from loaders.drake.dialect import URDF
from loaders.drake.joint import Drive, read_drive
from loaders.model import Actuator, Joint
from loaders.node import IgnoredElements, Node, mark_read, report_ignored
from loaders.numbers import plain_number
from loaders.scoped_names import UnusedNames, from_1
from loaders.urdf import codes

_SIMPLE = "SimpleTransmission"
_IGNORED_IN_JOINT: IgnoredElements = dict.fromkeys(
    (
        "offset",
        "role",
        "saturationLower",
        "saturationUpper",
        "deadBandUpper",
        "ignoreTransmissionAbsoluteEncoder",
    ),
    codes.CONTROLLER_SETTING,
)
_REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")
_IGNORED_IN_ROS2_CONTROL: IgnoredElements = dict.fromkeys(
    ("hardware", "sensor", "gpio"), codes.CONTROLLER_SETTING_HARDWARE
)


def read_actuators(
    root: Node, joints: dict[str, Joint]
) -> tuple[tuple[Actuator, ...], dict[str, float]]:
    """Return one actuator for each simple transmission and for each commanded joint of
    ros2_control, and the positions at which ros2_control starts, by joint.

    Args:
        root: The ``<robot>``.
        joints: All joints, keyed by name.
    """
    actuators = [
        actuator
        for node in root.all("transmission")
        if (actuator := _read_transmission(node, joints)) is not None
    ]
    starts: dict[str, float] = {}
    for control in root.all("ros2_control"):
        actuators = _with_ros2_control(control, joints, actuators, starts)
    return tuple(_with_unique_names(actuators, root)), starts


def _read_transmission(node: Node, joints: dict[str, Joint]) -> Actuator | None:
    """Read a transmission from one actuator to one joint; return None, with a diagnostic, for any
    other.
    """
    kind = node.word("@type", "") or _text(node, "type") or _text(node, "plugin")
    node.mark("@name", "@type", "type", "plugin")
    if _SIMPLE not in kind:
        node.report(codes.TRANSMISSION_TYPE, type=kind, supported=_SIMPLE)
        mark_read(node)
        return None
    joint_node, motor = _first(node, "joint"), _first(node, "actuator")
    if joint_node is None or motor is None:
        return None
    for part in (joint_node, motor):
        report_ignored(part, _IGNORED_IN_JOINT)
        part.mark("@role")
    name = motor.word("@name")
    reduction = _read_reduction((motor, node, joint_node))
    drive = read_drive(motor, URDF)
    interfaces = [
        child.text.strip()
        for part in (joint_node, motor)
        for child in part.all("hardwareInterface")
    ]
    joint = _actuated_joint(joint_node, joints)
    if joint is None:
        return None
    return Actuator(
        name=name,
        joint=joint.name,
        effort=joint.axes[0].effort,
        gear_ratio=reduction if drive == Drive() else drive.gear_ratio,
        rotor_inertia=drive.rotor_inertia,
        p_gain=drive.p_gain,
        d_gain=drive.d_gain,
        interfaces=tuple(dict.fromkeys(filter(None, interfaces))),
        where=node.where,
    )


def _text(node: Node, tag: str) -> str:
    child = node.peek(tag)
    return "" if child is None else child.text.strip()


def _first(node: Node, tag: str) -> Node | None:
    children = node.all(tag)
    if not children:
        node.report(loaders_codes.XML_MISSING_CHILD, tag="transmission", child=tag)
        return None
    for extra in children[1:]:
        extra.report(codes.TRANSMISSION_EXTRA, type=_SIMPLE, tag=tag)
        mark_read(extra)
    return children[0]


def _read_reduction(parts: tuple[Node, ...]) -> float:
    """Return the gear ratio from whichever element has it; 1 if there is none or it is invalid."""
    reductions = [child for part in parts for child in part.all(*_REDUCTIONS)]
    if not reductions:
        return 1.0
    try:
        value = float(reductions[0].text)
    except ValueError:
        value = 0.0
    if value == 0.0 or not math.isfinite(value):
        reductions[0].report(codes.REDUCTION, value=reductions[0].text.strip())
        return 1.0
    return value


def _actuated_joint(node: Node, joints: dict[str, Joint]) -> Joint | None:
    """Return the joint that an element refers to, if it can have an actuator."""
    name = node.word("@name")
    joint = joints.get(name)
    if joint is None:
        if name:
            node.report(codes.UNKNOWN_JOINT, joint=name)
        return None
    if len(joint.axes) != 1:
        count = len(joint.axes)
        node.report(codes.ACTUATOR_IGNORED, subjects=(name,), joint=name, count=count)
        return None
    if joint.axes[0].effort == 0.0:
        node.report(codes.ACTUATOR_IGNORED_NO_EFFORT, subjects=(name,), joint=name)
        return None
    return joint


def _with_unique_names(actuators: list[Actuator], root: Node) -> Iterator[Actuator]:
    """Yield the actuators with unique names; report those that are renamed."""
    unused = UnusedNames(form=from_1)
    for actuator in actuators:
        name = unused.claim(actuator.name)
        if name != actuator.name:
            root.diagnostics.add(
                codes.DUPLICATE_NAME_OF_ACTUATOR,
                actuator.where,
                subjects=(actuator.name, name, actuator.joint),
                actuator=actuator.name,
                name=name,
            )
        yield dataclasses.replace(actuator, name=name)


# --- ros2_control ---------------------------------------------------------------------------------


def _with_ros2_control(
    control: Node,
    joints: dict[str, Joint],
    actuators: list[Actuator],
    starts: dict[str, float],
) -> list[Actuator]:
    """Return the actuators with those of a ``<ros2_control>``: one for each joint with a command
    interface; add the positions at which joints start.
    """
    control.mark(*("@" + name for name in control.attributes))
    report_ignored(control, _IGNORED_IN_ROS2_CONTROL)
    transmissions = [
        a
        for node in control.all("transmission")
        if (a := _read_transmission(node, joints)) is not None
    ]
    merged = {actuator.joint: actuator for actuator in (*transmissions, *actuators)}
    extra = [actuator for actuator in actuators if merged[actuator.joint] is not actuator]
    for node in control.all("joint"):
        interfaces = {child.word("@name", ""): child for child in node.all("command_interface")}
        commands = tuple(interfaces)
        settings = _Params(set())
        start = next((settings.number(s, "initial_value") for s in _positions(node)), None)
        joint = _actuated_joint(node, joints) if commands else None
        started = joints.get(node.word("@name", "")) if start is not None else None
        if started is not None and len(started.axes) == 1:
            starts[started.name] = start or 0.0
        control_range = (-math.inf, math.inf)
        if commands:
            control_range = settings.range(interfaces[commands[0]])
        settings.report_rest(node)
        mark_read(node)
        if joint is None:
            continue
        actuator = merged.get(joint.name)
        if actuator is None:
            effort = joint.axes[0].effort if joint.axes else math.inf
            actuator = Actuator(name=joint.name, joint=joint.name, effort=effort, where=node.where)
        is_first = not actuator.interfaces
        merged[joint.name] = dataclasses.replace(
            actuator,
            interfaces=tuple(dict.fromkeys((*actuator.interfaces, *commands))),
            control=control_range if is_first else actuator.control,
            imposes_velocity=is_first and commands[0] == "velocity",
        )
    return [*merged.values(), *extra]


def _positions(joint: Node) -> list[Node]:
    return [s for s in joint.all("state_interface") if s.word("@name", "") == "position"]


@dataclasses.dataclass(slots=True)
class _Params:
    """The ``<param>`` of a joint of ros2_control, and which of them were read."""

    read: set[int]

    def number(self, interface: Node, name: str) -> float | None:
        """Return the number of a parameter; None if there is none."""
        for param in interface.children:
            value = plain_number(param.text) if param.attributes.get("name") == name else None
            if value is not None:
                self.read.add(id(param))
                return value
        return None

    def range(self, interface: Node) -> tuple[float, float]:
        """Return the range of the commands of an interface."""
        lower, upper = self.number(interface, "min"), self.number(interface, "max")
        return -math.inf if lower is None else lower, math.inf if upper is None else upper

    def report_rest(self, joint: Node) -> None:
        """Report the parameters that were not read."""
        for param in joint.walk():
            if param.tag == "param" and id(param) not in self.read:
                param.report(
                    codes.CONTROLLER_SETTING_PARAM,
                    name=param.attributes.get("name", ""),
                    value=param.text.strip(),
                )
