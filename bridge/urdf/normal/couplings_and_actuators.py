"""Couplings and actuators as URDF can represent them: ``<mimic>`` and ``<transmission>``."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable

from bridge.export.report import Report
from bridge.urdf.options import Options
from loaders.diagnostics import Fate
from loaders.model import Actuator, Coupling, Joint, JointType, by_name
from loaders.scene import Scene

_TURNING = (JointType.BALL, JointType.FLOATING)
"""Joints of several degrees of freedom whose one axis holds what is common to all of them."""
COMMANDS = ("position", "velocity", "effort")
"""Interfaces that a ``<ros2_control>`` element may state."""


def with_representable_drives(scene: Scene, report: Report) -> Scene:
    """Return the scene with the couplings and actuators that a document can state.

    Args:
        scene: The scene.
        report: Receives the findings.
    """
    couplings = tuple(_couplings(scene, report))
    scene = dataclasses.replace(scene, couplings=couplings)
    joints = by_name(scene.joints)
    kept = []
    for actuator in scene.actuators:
        joint = joints.get(actuator.joint)
        if joint is None or actuator.tendon or not _has_driven_axis(joint):
            _add(actuator, "urdfout.actuator", "as it drives no joint with one axis that may exert effort", report)
        else:
            kept.append(actuator)
    limits = {actuator.joint: actuator.effort for actuator in reversed(kept)}
    limited = tuple(_limited(joint, limits.get(joint.name, math.inf)) for joint in scene.joints)
    efforts = {joint.name: joint.axes[0].effort for joint in limited if joint.axes}
    actuators = tuple(_said(actuator, efforts[actuator.joint], report) for actuator in kept)
    return dataclasses.replace(scene, joints=limited, actuators=actuators)


def _has_driven_axis(joint: Joint) -> bool:
    """Return whether a joint has one axis, of one degree of freedom, that may exert effort."""
    return joint.type not in _TURNING and len(joint.axes) == 1 and joint.axes[0].effort != 0.0


def without_couplings(scene: Scene, report: Report) -> Scene:
    """Return the scene without the couplings of chains, which the options exclude.

    Args:
        scene: The scene.
        report: Receives the findings.
    """
    for coupling in scene.couplings:
        _add_coupling(coupling, report)
    return dataclasses.replace(scene, couplings=())


def _limited(joint: Joint, effort: float) -> Joint:
    """Return a joint with the effort limit of its actuator, if it states none itself and may."""
    if joint.type.value not in ("revolute", "continuous", "prismatic") or joint.axes[0].effort < math.inf:
        return joint
    return dataclasses.replace(joint, axes=(dataclasses.replace(joint.axes[0], effort=effort or math.inf),))


def _said(actuator: Actuator, effort: float, report: Report) -> Actuator:
    has_gains = actuator.p_gain is not None and actuator.d_gain is not None
    said = dataclasses.replace(
        actuator,
        effort=effort,
        p_gain=actuator.p_gain if has_gains else None,
        d_gain=actuator.d_gain if has_gains else None,
        interfaces=tuple(dict.fromkeys(filter(None, map(str.strip, actuator.interfaces)))),
    )
    lost = [key for key in ("p_gain", "d_gain") if getattr(said, key) != getattr(actuator, key)]
    if actuator.effort < effort:  # above it, the limit of the joint holds in the source, too
        lost = ["effort", *lost]
    if lost:
        report.add(
            Fate.DROPPED,
            "urdfout.actuator-property",
            "the document cannot state {properties} of actuator {actuator} of joint {joint}",
            actuator.where,
            subjects=(actuator.name, actuator.joint),
            properties=tuple(name.replace("_", " ") for name in lost),
            actuator=actuator.name,
            joint=actuator.joint,
        )
    return said


def _add(actuator: Actuator, code: str, reason: str, report: Report) -> None:
    report.add(
        Fate.DROPPED,
        code,
        "URDF cannot state actuator {actuator}, {reason}; left it out",
        actuator.where,
        subjects=(actuator.name,),
        actuator=actuator.name,
        reason=reason,
    )


def _couplings(scene: Scene, report: Report) -> Iterable[Coupling]:
    joints = by_name(scene.joints)
    followers: set[str] = set()
    for coupling in scene.couplings:
        ends = [joints.get(name) for name in (coupling.follower, coupling.leader)]
        if coupling.follower not in followers and all(joint is not None and len(joint.axes) == 1 for joint in ends):
            followers.add(coupling.follower)
            yield coupling
        else:
            _add_coupling(coupling, report)


def _add_coupling(coupling: Coupling, report: Report) -> None:
    report.add(
        Fate.DROPPED,
        "urdfout.coupling",
        "URDF cannot couple joint {follower} to joint {leader}; left the coupling out",
        coupling.where,
        hint="couple each joint with one axis to one other",
        subjects=(coupling.follower, coupling.leader),
        follower=coupling.follower,
        leader=coupling.leader,
    )


def with_command_interfaces(scene: Scene, options: Options) -> Scene:
    """Return the scene with the interfaces of each driven joint as its ``<ros2_control>`` states them.

    An actuator whose source names no such interface is commanded by effort. Without ``<transmission>``, the document
    states which joints are driven, and neither names nor gears of their actuators.

    Args:
        scene: The scene.
        options: The options of the export.
    """
    if not options.ros2_control:
        return scene
    last = {actuator.joint: actuator for actuator in scene.actuators}
    if options.transmissions:
        actuators = (_commanded(a) if last[a.joint] is a else a for a in scene.actuators)
        return dataclasses.replace(scene, actuators=tuple(actuators))
    efforts = {joint.name: joint.axes[0].effort for joint in scene.joints if joint.axes}
    stated = (
        Actuator(name=joint, joint=joint, effort=efforts[joint], interfaces=commands_of(actuator))
        for joint, actuator in last.items()
    )
    return dataclasses.replace(scene, actuators=tuple(stated))


def commands_of(actuator: Actuator) -> tuple[str, ...]:
    """Return the interfaces by which an actuator is commanded, of which ROS 1 has longer names."""
    words = " ".join(actuator.interfaces).lower()
    return tuple(command for command in COMMANDS if command in words) or ("effort",)


def _commanded(actuator: Actuator) -> Actuator:
    others = tuple(name for name in actuator.interfaces if name not in COMMANDS)
    return dataclasses.replace(actuator, interfaces=(*others, *commands_of(actuator)))
