"""Reader of ``<transmission>`` and ``<ros2_control>``: actuators of joints, their gears and
interfaces.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from loaders import codes as loaders_codes
from loaders.drake.dialect import URDF
from loaders.drake.joint import Drive, read_drive
from loaders.gazebo.items import text_of
from loaders.model import Actuator, Coupling, Joint, JointAxis
from loaders.node import IgnoredElements, Node, mark_read, report_ignored
from loaders.numbers import plain_number
from loaders.scoped_names import UnusedNames, from_1
from loaders.urdf import codes

from .joint import can_mimic

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
    ("hardware", "gpio"), codes.CONTROLLER_SETTING_HARDWARE
)


@dataclass(frozen=True, slots=True)
class Drives:
    """Actuators, couplings and initial positions that the transmissions and the ``<ros2_control>``
    elements of a robot state.
    """

    actuators: tuple[Actuator, ...] = ()
    """One for each simple transmission, and for each commanded joint of ros2_control."""
    couplings: tuple[Coupling, ...] = ()
    """Those of the parameter ``mimic``."""
    positions: Mapping[str, float] = field(default_factory=dict)
    """Initial positions [rad or m], by joint."""


def read_drives(root: Node, joints: dict[str, Joint], followers: Iterable[str] = ()) -> Drives:
    """Return what the transmissions and the ``<ros2_control>`` elements of a robot state.

    Args:
        root: The ``<robot>``.
        joints: All joints, keyed by name.
        followers: The joints that mimic another one by a ``<mimic>``, which precedes.
    """
    actuators = _read_transmissions(root, joints)
    couplings: dict[str, Coupling] = {}
    positions: dict[str, float] = {}
    for control in root.all("ros2_control"):
        parts = _Controlled(control, joints, frozenset(followers), couplings, positions)
        actuators = parts.with_actuators(actuators)
    return Drives(tuple(_with_unique_names(actuators, root)), tuple(couplings.values()), positions)


def _report_sensors(control: Node) -> None:
    """Report the sensors of a ``<ros2_control>``, which are those of Gazebo with their names."""
    root = control.parent
    extensions = () if root is None else (c for c in root.children if c.tag == "gazebo")
    known = {
        child.attributes.get("name", "")
        for extension in extensions
        for child in extension.children
        if child.tag == "sensor"
    }
    for node in control.all("sensor"):
        mark_read(node)
        name = node.attributes.get("name", "")
        interfaces = tuple(
            child.attributes.get("name", "")
            for child in node.children
            if child.tag == "state_interface"
        )
        if name in known:
            node.report(codes.CONTROLLER_SETTING_READ, sensor=name)
        else:
            node.report(codes.CONTROLLER_SETTING_SENSOR, sensor=name, interfaces=interfaces)


def _read_transmissions(parent: Node, joints: dict[str, Joint]) -> list[Actuator]:
    found = [_read_transmission(node, joints) for node in parent.all("transmission")]
    return [actuator for actuator in found if actuator is not None]


def _read_transmission(node: Node, joints: dict[str, Joint]) -> Actuator | None:
    """Read a transmission from one actuator to one joint; return None, with a diagnostic, for any
    other.
    """
    kind = node.word("@type", "") or text_of(node, "type") or text_of(node, "plugin")
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


@dataclass(frozen=True, slots=True)
class _Controlled:
    """One ``<ros2_control>``, and what all of them state."""

    control: Node
    joints: dict[str, Joint]
    followers: frozenset[str]
    couplings: dict[str, Coupling]
    positions: dict[str, float]

    def with_actuators(self, actuators: list[Actuator]) -> list[Actuator]:
        """Return the actuators with those of the element: one for each joint with a command
        interface that mimics no other joint.
        """
        control, joints = self.control, self.joints
        control.mark(*("@" + name for name in control.attributes))
        report_ignored(control, _IGNORED_IN_ROS2_CONTROL)
        _report_sensors(control)
        transmissions = _read_transmissions(control, joints)
        merged = {actuator.joint: actuator for actuator in (*transmissions, *actuators)}
        extra = [actuator for actuator in actuators if merged[actuator.joint] is not actuator]
        for node in control.all("joint"):
            commands = self._read_joint(node)
            joint = _actuated_joint(node, joints) if commands else None
            if joint is None or joint.name in self.couplings:
                continue
            actuator = merged.get(joint.name)
            if actuator is None:
                effort = joint.axes[0].effort if joint.axes else math.inf
                actuator = Actuator(
                    name=joint.name, joint=joint.name, effort=effort, where=node.where
                )
            interfaces = tuple(dict.fromkeys((*actuator.interfaces, *commands)))
            merged[joint.name] = dataclasses.replace(
                _with_ranges(actuator, commands, joint.axes[0]),
                interfaces=interfaces,
                imposes_velocity=interfaces[0] == "velocity",
            )
        return [*merged.values(), *extra]

    def _read_joint(self, node: Node) -> dict[str, tuple[float, float]]:
        """Return the range of each command interface of a joint; keep its coupling and position."""
        node.mark("@mimic", "@type")
        name = node.word("@name")
        self._read_mimic(node, name)
        for state in node.all("state_interface"):
            kind = state.word("@name", "")
            values = _parameters(state, _OF_STATE)
            if (value := values.get("initial_value")) is None:
                continue
            if kind == _POSITION and name in self.joints:
                self.positions[name] = value
            elif value:
                state.report(codes.INITIAL_VALUE, interface=kind, value=value)
        commands = {}
        for command in node.all("command_interface"):
            values = _parameters(command, _OF_COMMAND)
            lower, upper = values.get("min", -math.inf), values.get("max", math.inf)
            commands[command.word("@name", "")] = (lower, upper)
        return commands

    def _read_mimic(self, node: Node, name: str) -> None:
        leader = _parameter(node, "mimic")
        values = _parameters(node, ("mimic", "multiplier", "offset"))
        follower = self.joints.get(name)
        if leader is None or follower is None or name in self.followers:
            return
        if can_mimic(node, follower, leader, self.joints):
            self.couplings[name] = Coupling(
                follower=name,
                leader=leader,
                multiplier=values.get("multiplier", 1.0),
                offset=values.get("offset", 0.0),
                where=node.where,
            )


_POSITION = "position"
_OF_STATE = ("initial_value",)
_OF_COMMAND = ("min", "max")


def _parameter(node: Node, name: str) -> str | None:
    """Return the text of the ``<param>`` of a name; None if there is none."""
    return next(
        (
            child.text.strip()
            for child in node.children
            if child.tag == "param" and child.attributes.get("name") == name
        ),
        None,
    )


def _parameters(node: Node, known: Iterable[str]) -> dict[str, float]:
    """Return the numbers in the ``<param>`` elements of known names; report the other ones, which
    are for controllers.
    """
    values = {}
    for child in node.all("param"):
        name = child.word("@name", "")
        if name not in known:
            mark_read(child)
            child.report(codes.CONTROLLER_SETTING_PARAMETER, name=name, tag=node.tag)
        elif name != "mimic":
            mark_read(child)
            value = plain_number(child.text.strip())
            if value is None:
                child.report(codes.CONTROLLER_VALUE, name=name, tag=node.tag, value=child.text)
            else:
                values[name] = value
        else:
            mark_read(child)
    return values


def _with_ranges(
    actuator: Actuator, commands: Mapping[str, tuple[float, float]], axis: JointAxis
) -> Actuator:
    """Return an actuator with the range of its control, that of the first command interface unless
    the limits of the joint say the same, and within the range of an effort.
    """
    first, control = next(iter(commands.items()))
    limit = axis.velocity if first == "velocity" else axis.effort
    stated = (axis.lower, axis.upper) if first == _POSITION else (-limit, limit)
    efforts = [commands[name] for name in _EFFORTS if name in commands]
    bounds = [max(abs(lower), abs(upper)) for lower, upper in efforts]
    return dataclasses.replace(
        actuator,
        control=(-math.inf, math.inf) if control == stated else control,
        effort=min((actuator.effort, *bounds)),
    )


_EFFORTS = ("effort", "force", "torque")
