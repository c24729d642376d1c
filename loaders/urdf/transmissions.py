"""``<transmission>`` and ``<ros2_control>``: which joints are driven, through which gear, by which interfaces."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

from loaders.diagnostics import Fate
from loaders.drake.dialect import URDF
from loaders.drake.joints import Drive, read_drive
from loaders.ignored_elements import IgnoredElements, mark_read, report_ignored
from loaders.model import Actuator, Joint
from loaders.node import Node

_SIMPLE = "SimpleTransmission"
_CONTROLLER = (
    Fate.NOTED,
    "urdf.controller-setting",
    "it is for controllers; the mechanics do not depend on it",
)
_HARDWARE = (Fate.NOTED, "urdf.controller-setting", "it is about hardware")
_JOINT_ASIDES: IgnoredElements = dict.fromkeys(
    ("offset", "role", "saturationLower", "saturationUpper", "deadBandUpper", "ignoreTransmissionAbsoluteEncoder"),
    _CONTROLLER,
)
_REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")
_ROS2_ASIDES: IgnoredElements = dict.fromkeys(("hardware", "sensor", "gpio"), _HARDWARE)


def read_actuators(root: Node, joints: dict[str, Joint]) -> tuple[Actuator, ...]:
    """What drives the joints: one actuator for each simple transmission, and for each joint of ros2_control."""
    actuators = [
        actuator for node in root.all("transmission") if (actuator := _read_transmission(node, joints)) is not None
    ]
    for control in root.all("ros2_control"):
        actuators = _with_ros2_control(control, joints, actuators)
    return tuple(_named_apart(actuators, root))


def _read_transmission(node: Node, joints: dict[str, Joint]) -> Actuator | None:
    """A transmission from one actuator to one joint; None, with a diagnostic, for any other."""
    kind = node.word("@type", "") or _text(node, "type") or _text(node, "plugin")
    node.skip("@name", "@type", "type", "plugin")
    if _SIMPLE not in kind:
        node.report(
            Fate.DROPPED,
            "urdf.transmission-type",
            "a transmission of type {kind!r} is left out: only a {simple} is read",
            kind=kind,
            simple=_SIMPLE,
        )
        mark_read(node)
        return None
    joint_node, motor = _first(node, "joint"), _first(node, "actuator")
    if joint_node is None or motor is None:
        return None
    for part in (joint_node, motor):
        report_ignored(part, _JOINT_ASIDES)
        part.skip("@role")
    name = motor.word("@name")
    reduction = _read_reduction((motor, node, joint_node))
    drive = read_drive(motor, URDF)
    interfaces = [child.text.strip() for part in (joint_node, motor) for child in part.all("hardwareInterface")]
    joint = _driven(joint_node, joints)
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
    found = node.all(tag)
    if not found:
        node.invalid("xml.missing", "<transmission> needs a <{tag}>", tag=tag)
        return None
    for extra in found[1:]:
        extra.report(
            Fate.DROPPED,
            "urdf.transmission-extra",
            "a {simple} has one <{tag}>; the first one counts",
            simple=_SIMPLE,
            tag=tag,
        )
        mark_read(extra)
    return found[0]


def _read_reduction(parts: tuple[Node, ...]) -> float:
    """The gear ratio, wherever it is written; 1 if it is nowhere, or no number."""
    written = [child for part in parts for child in part.all(*_REDUCTIONS)]
    if not written:
        return 1.0
    try:
        value = float(written[0].text)
    except ValueError:
        value = 0.0
    if value == 0.0 or not math.isfinite(value):
        written[0].report(
            Fate.ASSUMED,
            "urdf.reduction",
            "the mechanical reduction {value!r} is no ratio; 1 is taken",
            value=written[0].text.strip(),
        )
        return 1.0
    return value


def _driven(node: Node, joints: dict[str, Joint]) -> Joint | None:
    """The joint that an element names, if it can be driven."""
    name = node.word("@name")
    joint = joints.get(name)
    if joint is None:
        if name:
            node.report(Fate.DROPPED, "urdf.unknown-joint", "{name!r} is to be driven, and is no joint", name=name)
        return None
    if len(joint.axes) != 1:
        message = f"joint {name} has {len(joint.axes)} axes; nothing drives it"
    elif joint.axes[0].effort == 0.0:
        message = f"joint {name} has the effort limit 0; nothing drives it, as in Drake"
    else:
        return joint
    node.report(Fate.DROPPED, "urdf.actuator-ignored", message)
    return None


def _named_apart(actuators: list[Actuator], root: Node) -> Iterator[Actuator]:
    """The actuators with names that differ; a second one of a name is renamed."""
    taken: set[str] = set()
    for actuator in actuators:
        name, count = actuator.name, 0
        while name in taken:
            count += 1
            name = f"{actuator.name}_{count}"
        if count:
            root.diagnostics.add(
                Fate.ASSUMED,
                "urdf.duplicate-name",
                "a second actuator is called {actuator}; it is named {name}",
                actuator.where,
                actuator=actuator.name,
                name=name,
            )
        taken.add(name)
        yield dataclasses.replace(actuator, name=name)


# --- ros2_control ----------------------------------------------------------------------------------------------------


def _with_ros2_control(control: Node, joints: dict[str, Joint], actuators: list[Actuator]) -> list[Actuator]:
    """The actuators with those of a ``<ros2_control>``: a joint that takes commands is driven."""
    control.skip(*("@" + name for name in control.attributes))
    report_ignored(control, _ROS2_ASIDES)
    found = [a for node in control.all("transmission") if (a := _read_transmission(node, joints)) is not None]
    merged = {actuator.joint: actuator for actuator in (*found, *actuators)}
    extra = [actuator for actuator in actuators if merged[actuator.joint] is not actuator]
    for node in control.all("joint"):
        commands = tuple(dict.fromkeys(child.word("@name", "") for child in node.all("command_interface")))
        mark_read(node)
        joint = _driven(node, joints) if commands else None
        if joint is None:
            continue
        known = merged.get(joint.name)
        if known is None:
            effort = joint.axes[0].effort if joint.axes else math.inf
            known = Actuator(name=joint.name, joint=joint.name, effort=effort, where=node.where)
        interfaces = tuple(dict.fromkeys((*known.interfaces, *commands)))
        merged[joint.name] = dataclasses.replace(known, interfaces=interfaces)
    return [*merged.values(), *extra]
