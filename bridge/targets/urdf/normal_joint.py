"""Joints, chains, gearboxes and couplings as URDF represents them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, assert_never

import numpy as np

from bridge.lowering.tree import gearbox_coupling
from bridge.targets.elements import child_frame, curve_range
from bridge.targets.options import UrdfExportOptions
from bridge.targets.report import Report
from bridge.targets.urdf import codes
from bridge.targets.urdf.tree import free_item_name
from loaders.diagnostics import ExportError
from loaders.finish.transform import moved_frames
from loaders.model import (
    WORLD,
    X_AXIS,
    Y_AXIS,
    Z_AXIS,
    Actuator,
    Coupling,
    Joint,
    JointAxis,
    JointType,
    Link,
    Motion,
    by_name,
)
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene

from .tree import unrepresentable

_HINGE, _SLIDE = JointType.REVOLUTE, JointType.PRISMATIC
_SKEW = 1e-12
Step = tuple[str, JointType, JointAxis]
"""Suffix of the name, type and axis of one joint of a chain."""


def with_chains(scene: Scene, report: Report, *, plain: bool) -> Scene:
    """Return the scene with chains in place of the joints that the document cannot state.

    A chain has the positions of the joint, in its order, except that of a ball joint: three angles
    about x, y and z take the place of a quaternion.

    Args:
        scene: The scene, whose joints lead away from its root.
        report: Receives the findings.
        plain: Whether joints of Drake's types, and planar ones, become chains too.
    """
    for joint in scene.joints:
        steps = _steps(joint, plain=plain)
        if steps:
            report.add(
                codes.CHAIN,
                joint,
                hint=""
                if joint.type is JointType.REVOLUTE2
                else 'use joints="all" with Drake\'s extensions',
                joint=joint.name,
                type=joint.type.value,
                count=len(steps),
            )
            scene = _replaced(scene, joint, steps)
    return scene


def _steps(joint: Joint, *, plain: bool) -> Sequence[Step]:
    """Return the joints of the chain of a joint; none if it stays."""
    if joint.type is JointType.REVOLUTE2 or (
        joint.type is JointType.UNIVERSAL and (plain or _is_skew(joint))
    ):
        return [(f"_axis{i}", _HINGE, axis) for i, axis in enumerate(joint.axes, 1)]
    motions = joint.type.traits.motions
    return _CHAINS[motions](joint) if plain and motions in _CHAINS else ()


def _is_skew(joint: Joint) -> bool:
    return abs(float(joint.axes[0].xyz @ joint.axes[1].xyz)) > _SKEW


def _of_ball(joint: Joint) -> Sequence[Step]:
    said = joint.axes[0] if joint.axes else JointAxis(xyz=X_AXIS)
    axes = (dataclasses.replace(said, xyz=xyz) for xyz in (X_AXIS, Y_AXIS, Z_AXIS))
    return [(f"_{letter}", _HINGE, axis) for letter, axis in zip("xyz", axes, strict=True)]


def _of_planar(joint: Joint) -> Sequence[Step]:
    motions = joint.type.traits.motions
    return [
        (f"_axis{i}", _SLIDE if motion is Motion.SLIDE else _HINGE, axis)
        for i, (motion, axis) in enumerate(zip(motions, joint.axes, strict=True), 1)
    ]


def _of_screw(joint: Joint) -> Sequence[Step]:
    (axis,) = joint.axes
    return [("", _HINGE, axis), ("_slide", _SLIDE, JointAxis(xyz=axis.xyz))]


_CHAINS: dict[tuple[Motion, ...], Callable[[Joint], Sequence[Step]]] = {
    (Motion.BALL,): _of_ball,
    (Motion.SLIDE, Motion.SLIDE, Motion.HINGE): _of_planar,
    (Motion.SCREW,): _of_screw,
}


def _replaced(scene: Scene, joint: Joint, steps: Sequence[Step]) -> Scene:
    """Return the scene with a chain in place of a joint, and the couplings of its axes on the
    joints of the chain.
    """
    chain: list[Joint] = []
    links: list[Link] = []
    others = dataclasses.replace(
        scene, joints=tuple(other for other in scene.joints if other is not joint)
    )
    child = next(link for link in scene.links if link.name == joint.child)
    for i, (suffix, kind, axis) in enumerate(steps):
        is_last = i == len(steps) - 1
        name = free_item_name(others, f"{joint.name}{suffix}") if suffix else joint.name
        end = joint.child if is_last else free_item_name(others, f"{joint.name}_link{i + 1}")
        if not is_last:
            links.append(
                Link(name=end, model=child.model, X_WL=child.X_WL @ joint.X_CJ, where=joint.where)
            )
        chain.append(
            Joint(
                name=name,
                type=kind,
                parent=chain[-1].child if chain else joint.parent,
                child=end,
                X_PJ=IDENTITY if chain else joint.X_PJ,
                X_CJ=joint.X_CJ if is_last else IDENTITY,
                axes=(dataclasses.replace(axis, xyz=np.array(axis.xyz)),),
                sensors=joint.sensors if is_last else (),
                provide_feedback=joint.provide_feedback,
                where=joint.where,
            )
        )
    return _with_chain(scene, joint, chain, links)


def _with_chain(scene: Scene, joint: Joint, chain: Sequence[Joint], links: Sequence[Link]) -> Scene:
    couplings = [_coupling(coupling, joint, chain) for coupling in scene.couplings]
    if joint.type is JointType.SCREW:
        pitch = joint.pitch / (2.0 * math.pi)
        couplings.append(
            Coupling(
                follower=chain[1].name, leader=chain[0].name, multiplier=pitch, where=joint.where
            )
        )
    joints: list[Joint] = []
    for other in scene.joints:
        joints.extend(chain if other is joint else (other,))
    return dataclasses.replace(
        scene, joints=tuple(joints), links=(*scene.links, *links), couplings=tuple(couplings)
    )


def _coupling(coupling: Coupling, joint: Joint, chain: Sequence[Joint]) -> Coupling:
    """Return a coupling with the joint of the chain in place of an axis of the joint."""
    changed: dict[str, str | int] = {}
    for end, axis in (("follower", "follower_axis"), ("leader", "leader_axis")):
        if getattr(coupling, end) == joint.name and getattr(coupling, axis) < len(chain):
            changed |= {end: chain[getattr(coupling, axis)].name, axis: 0}
    return dataclasses.replace(coupling, **changed) if changed else coupling  # type: ignore[arg-type]


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
            report.add(codes.ACTUATOR, actuator, actuator=actuator.name)
        else:
            kept.append(actuator)
    limits = {actuator.joint: actuator.effort for actuator in reversed(kept)}
    limited = tuple(
        _limited_coupling(joint, limits.get(joint.name, math.inf)) for joint in scene.joints
    )
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


def _limited_coupling(joint: Joint, effort: float) -> Joint:
    """Return a joint with the effort limit of its actuator, if it states none itself and may."""
    if (
        joint.type.value not in ("revolute", "continuous", "prismatic")
        or joint.axes[0].effort < math.inf
    ):
        return joint
    return dataclasses.replace(
        joint, axes=(dataclasses.replace(joint.axes[0], effort=effort or math.inf),)
    )


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
            codes.ACTUATOR_PROPERTY,
            actuator.where,
            subjects=(actuator.name, actuator.joint),
            properties=tuple(name.replace("_", " ") for name in lost),
            actuator=actuator.name,
            joint=actuator.joint,
        )
    return said


def _couplings(scene: Scene, report: Report) -> Iterable[Coupling]:
    joints = by_name(scene.joints)
    followers: set[str] = set()
    for coupling in scene.couplings:
        ends = [joints.get(name) for name in (coupling.follower, coupling.leader)]
        if coupling.follower not in followers and all(
            joint is not None and len(joint.axes) == 1 for joint in ends
        ):
            followers.add(coupling.follower)
            yield coupling
        else:
            _add_coupling(coupling, report)


def _add_coupling(coupling: Coupling, report: Report) -> None:
    report.add(
        codes.COUPLING,
        coupling.where,
        subjects=(coupling.follower, coupling.leader),
        follower=coupling.follower,
        leader=coupling.leader,
    )


def with_command_interfaces(scene: Scene, options: UrdfExportOptions) -> Scene:
    """Return the scene with the interfaces of each driven joint as its ``<ros2_control>`` states
    them.

    An actuator whose source names no such interface is commanded by effort. Without
    ``<transmission>``, the document states which joints are driven, and neither names nor gears of
    their actuators.

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
    """Return the command interfaces of an actuator; in ROS 1 their names are longer."""
    words = " ".join(actuator.interfaces).lower()
    return tuple(command for command in COMMANDS if command in words) or ("effort",)


def _commanded(actuator: Actuator) -> Actuator:
    others = tuple(name for name in actuator.interfaces if name not in COMMANDS)
    return dataclasses.replace(actuator, interfaces=(*others, *commands_of(actuator)))


def without_gearboxes(scene: Scene, report: Report) -> Scene:
    """Return the scene with a coupling of the two hinges that each gearbox couples in its place.

    Args:
        scene: The scene.
        report: Receives a finding for each gearbox.
    """
    gearboxes = [joint for joint in scene.joints if joint.type is JointType.GEARBOX]
    if not gearboxes:
        return scene
    couplings = []
    for gearbox in gearboxes:
        coupling = gearbox_coupling(gearbox, scene)
        _report_gearbox(gearbox, coupling, report)
        couplings += [coupling] if coupling is not None else []
    joints = tuple(joint for joint in scene.joints if joint.type is not JointType.GEARBOX)
    return dataclasses.replace(scene, joints=joints, couplings=(*scene.couplings, *couplings))


def _report_gearbox(gearbox: Joint, coupling: Coupling | None, report: Report) -> None:
    if coupling is not None:
        report.add(
            codes.GEARBOX,
            gearbox.where,
            subjects=(gearbox.name, coupling.follower, coupling.leader),
            gearbox=gearbox.name,
            follower=coupling.follower,
            leader=coupling.leader,
            ratio=coupling.multiplier,
            parent=gearbox.parent,
            child=gearbox.child,
        )
        return
    report.add(
        codes.IDLE_GEARBOX,
        gearbox,
        gearbox=gearbox.name,
        reference=gearbox.gear_reference or WORLD,
        parent=gearbox.parent,
        child=gearbox.child,
    )


_CLOSE = 1e-12
_LIMITS = ("lower", "upper", "effort", "velocity", "acceleration")
_OPTIONAL = (
    *_LIMITS,
    "friction",
    "spring_stiffness",
    "spring_reference",
    "limit_stiffness",
    "limit_dissipation",
)
_DEFAULTS: dict[str, Any] = {
    field.name: field.default for field in dataclasses.fields(JointAxis) if field.name != "xyz"
}


def with_representable_joints(
    scene: Scene, report: Report, *, drake: bool
) -> tuple[Scene, dict[str, Pose]]:
    """Return the scene with joints at the frames of their children, and the pose of each frame that
    moved in the old.

    Args:
        scene: The scene, a tree.
        report: Receives the findings.
        drake: Whether the document may use Drake's joints.

    Raises:
        ExportError: if URDF has no such joint.
    """
    reasons = [(joint, _obstacle(joint, drake=drake)) for joint in scene.joints]
    errors = [unrepresentable(joint, reason) for joint, reason in reasons if reason]
    if errors:
        raise ExportError(tuple(errors))
    joints = tuple(_in_frame(_without_unused(_limited(joint, report))) for joint in scene.joints)
    joints = tuple(_with_said_axes(joint, report) for joint in joints)
    moved = {joint.child: child_frame(joint) for joint in joints}
    moved = {name: X_LN for name, X_LN in moved.items() if not X_LN.is_close(IDENTITY, _CLOSE)}
    if moved:
        report.add(codes.LINK_FRAME, subjects=tuple(moved), links=tuple(moved))
    return moved_frames(dataclasses.replace(scene, joints=joints), moved), moved


def _obstacle(joint: Joint, *, drake: bool) -> str:
    """Return why a joint cannot be written; empty if it can."""
    if joint.type.traits.urdf_tag == "drake:joint" and not drake:
        return "the type is an extension of Drake, which the options exclude"
    return ""


# --- frames ---------------------------------------------------------------------------------------


def _at_child(joint: Joint) -> Joint:
    """Return a joint at the frame of its child, along the axis in that frame: for translations any
    frame will do.
    """
    return _turned(joint, joint.X_CJ.inverse())


def _on_axis(joint: Joint) -> Joint:
    """Return a joint whose frame has the directions of the child's, and its origin too if that is
    on the axis.
    """
    (axis,) = joint.axes
    direction = joint.X_CJ.R @ axis.xyz
    p = joint.X_CJ.p
    if float(np.linalg.norm(p - (p @ direction) * direction)) <= _CLOSE:
        return _at_child(joint)
    return _turned(joint, Pose.of(joint.X_CJ.R.T))


def _turned(joint: Joint, X_JK: Pose) -> Joint:
    """Return a joint in another frame K, with its axes in that frame."""
    axes = tuple(dataclasses.replace(axis, xyz=frozen(X_JK.R.T @ axis.xyz)) for axis in joint.axes)
    return _snapped(
        dataclasses.replace(joint, X_PJ=joint.X_PJ @ X_JK, X_CJ=joint.X_CJ @ X_JK, axes=axes)
    )


def _snapped(joint: Joint) -> Joint:
    return (
        dataclasses.replace(joint, X_CJ=IDENTITY)
        if joint.X_CJ.is_close(IDENTITY, _CLOSE)
        else joint
    )


def _along_axes(joint: Joint) -> Joint:
    """Return a joint in a frame whose x and y are its first two axes."""
    x, y = joint.axes[0].xyz, joint.axes[1].xyz
    joint = _turned(joint, Pose.of(np.column_stack((x, y, np.cross(x, y)))))
    axes = zip(joint.axes, (X_AXIS, Y_AXIS, Z_AXIS), strict=False)
    return dataclasses.replace(
        joint, axes=tuple(dataclasses.replace(axis, xyz=xyz) for axis, xyz in axes)
    )


def _in_frame(joint: Joint) -> Joint:
    """Return a joint in the frame that URDF has for its type."""
    match joint.type:
        case JointType.FIXED | JointType.PRISMATIC:
            return _at_child(joint)
        case JointType.REVOLUTE | JointType.CONTINUOUS | JointType.SCREW:
            return _on_axis(joint)
        case JointType.UNIVERSAL | JointType.PLANAR:
            return _along_axes(joint)
        case JointType.BALL | JointType.FLOATING | JointType.CURVILINEAR:
            return _snapped(joint)
        case JointType.REVOLUTE2 | JointType.GEARBOX:
            raise ValueError(f"URDF has no {joint.type} joint")
        case _:
            assert_never(joint.type)


# --- limits and dynamics --------------------------------------------------------------------------


def _limited(joint: Joint, report: Report) -> Joint:
    """Return a joint with limits in order; a revolute joint without limits is continuous."""
    if joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC):
        return joint
    (axis,) = joint.axes
    unlimited = axis.lower == -math.inf and axis.upper == math.inf
    if not unlimited and (joint.type is JointType.CONTINUOUS or axis.lower > axis.upper):
        _lost(joint, ("lower", "upper"), report)
        axis = dataclasses.replace(axis, lower=-math.inf, upper=math.inf)
        unlimited = True
    kind = JointType.CONTINUOUS if unlimited and joint.type is JointType.REVOLUTE else joint.type
    return dataclasses.replace(joint, type=kind, axes=(axis,))


def _without_unused(joint: Joint) -> Joint:
    return dataclasses.replace(
        joint,
        pitch=joint.pitch if joint.type is JointType.SCREW else 1.0,
        curve=joint.curve if joint.type is JointType.CURVILINEAR else None,
        gear_ratio=1.0,
        gear_reference=None,
    )


def _with_said_axes(joint: Joint, report: Report) -> Joint:
    """Return a joint with the axes that a reader finds; what they lack is reported."""
    is_ball = joint.type is JointType.BALL  # its axis holds what is common to all directions
    axes = joint.axes[: 1 if is_ball else joint.type.traits.axis_count]
    kept = _said_fields(joint)
    said = []
    changed: dict[str, Any]
    lost = {"axes"} if len(axes) < len(joint.axes) else set()
    for axis in axes:
        changed = {name: _DEFAULTS[name] for name in _OPTIONAL if name not in kept}
        if joint.type is JointType.CURVILINEAR and joint.curve is not None:
            changed |= dict(zip(("lower", "upper"), curve_range(joint), strict=True))
            changed["xyz"] = joint.curve.initial_tangent
        if joint.type in (JointType.PLANAR, JointType.UNIVERSAL):
            changed["friction"] = axes[0].friction
        if joint.type is JointType.UNIVERSAL:
            changed["damping"] = axes[0].damping
        lost |= {
            name
            for name, value in changed.items()
            if name != "xyz" and getattr(axis, name) != value
        }
        said.append(dataclasses.replace(axis, **changed))
    _lost(joint, sorted(lost), report)
    if is_ball:  # its direction means nothing
        said = [dataclasses.replace(axis, xyz=X_AXIS) for axis in said]
    return dataclasses.replace(joint, axes=tuple(said))


def _said_fields(joint: Joint) -> set[str]:
    if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC):
        return set(_OPTIONAL)
    return set(_OPTIONAL) - set(_LIMITS)


def _lost(joint: Joint, properties: Iterable[str], report: Report) -> None:
    names = tuple(name.replace("_", " ") for name in properties)
    if names:
        report.add(
            codes.JOINT_PROPERTY, joint, type=joint.type.value, properties=names, joint=joint.name
        )
