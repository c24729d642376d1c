"""Joints and actuators as SDFormat represents them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any, assert_never

import numpy as np

from bridge.targets.elements import with_exchanged_links
from bridge.targets.report import Report
from bridge.targets.sdf import codes
from loaders.drake.joint import ACTUATED
from loaders.model import (
    WORLD,
    X_AXIS,
    Y_AXIS,
    Z_AXIS,
    Actuator,
    Joint,
    JointAxis,
    JointType,
    by_name,
)
from loaders.pose import Pose
from loaders.scene import Scene

from .scope import DocumentScope, by_prefix, innermost


def with_representable_actuators(scene: Scene, root: DocumentScope, report: Report) -> Scene:
    """Return the scene with the actuators that a reader of SDFormat gives its joints.

    Args:
        scene: The scene, with its names in the document.
        root: The outermost scope of the document.
        report: Receives the findings.
    """
    scopes = by_prefix(root)
    driven = {joint.name for joint in scene.joints if _is_driven(joint, scopes)}
    joints = by_name(scene.joints)
    drives: dict[str, Actuator] = {}
    for actuator in scene.actuators:
        joint = joints.get(actuator.joint)
        if joint is None or joint.name not in driven:
            _report_dropped(actuator, report)
        else:
            if joint.name in drives:
                _report_dropped(drives[joint.name], report)
            drives[joint.name] = actuator  # as in Drake, the inertia of the last rotor counts
    added = tuple(joint.name for joint in scene.joints if joint.name in driven - drives.keys())
    if added:
        report.add(codes.ADDED_ACTUATOR, subjects=added, joints=added)
    limited = tuple(_limited(joint, drives.get(joint.name)) for joint in scene.joints)
    actuators = tuple(
        _actuator(joint, drives.get(joint.name), report)
        for joint in limited
        if joint.name in driven
    )
    return dataclasses.replace(scene, joints=limited, actuators=actuators)


def _is_driven(joint: Joint, scopes: Mapping[str, DocumentScope]) -> bool:
    """Return whether a reader gives a joint an actuator: joints of static models have none."""
    if joint.type not in ACTUATED or not joint.axes or joint.axes[0].effort == 0.0:
        return False
    scope = innermost(scopes, joint.name)
    return scope.model is None or not scope.model.static


def _limited(joint: Joint, actuator: Actuator | None) -> Joint:
    """Return a joint with the effort limit of its actuator, if it states none itself."""
    if actuator is None or joint.axes[0].effort < math.inf:
        return joint
    axis = dataclasses.replace(joint.axes[0], effort=actuator.effort)
    return dataclasses.replace(joint, axes=(axis, *joint.axes[1:]))


def _actuator(joint: Joint, actuator: Actuator | None, report: Report) -> Actuator:
    effort = joint.axes[0].effort
    if actuator is None:
        return Actuator(name=joint.name, joint=joint.name, effort=effort)
    said = dataclasses.replace(actuator, name=joint.name, effort=effort, interfaces=())
    if actuator.p_gain is None or actuator.d_gain is None:
        said = dataclasses.replace(said, p_gain=None, d_gain=None)
    keys = ("name", "effort", "interfaces", "p_gain", "d_gain")
    lost = [key for key in keys if getattr(said, key) != getattr(actuator, key)]
    if lost:
        is_name = set(lost) <= {"name", "interfaces"}
        report.add(
            codes.ACTUATOR_PROPERTY_NAME if is_name else codes.ACTUATOR_PROPERTY,
            actuator.where,
            subjects=(actuator.name, joint.name),
            properties=tuple(name.replace("_", " ") for name in lost),
            actuator=actuator.name,
            joint=joint.name,
        )
    return said


def _report_dropped(actuator: Actuator, report: Report) -> None:
    report.add(
        codes.ACTUATOR,
        actuator.where,
        subjects=(actuator.name, actuator.joint),
        actuator=actuator.name,
        joint=actuator.joint,
    )


_UNSAID = {
    "lower", "upper", "effort", "velocity", "acceleration", "friction", "spring_stiffness",
    "spring_reference",
}  # fmt: skip
_STOPS = {"limit_stiffness", "limit_dissipation"}


def with_representable_joints(scene: Scene, report: Report) -> Scene:
    """Return the scene with the joints that SDFormat can represent; positions keep their meaning.

    Args:
        scene: The scene.
        report: Receives the findings.
    """
    joints = []
    for joint in scene.joints:
        if joint.type is JointType.FLOATING:
            report.add(
                codes.FLOATING_JOINT,
                joint.where,
                subjects=(joint.name, joint.child),
                link=joint.child,
            )
            if joint.default_position:
                _report_default(joint, report)
            continue
        new = _away_from_world(joint, report)
        new = _without_unused(_in_form(new, report))
        if new.default_position and any(new.default_position):
            _report_default(new, report)
        joints.append(dataclasses.replace(new, default_position=()))
    return dataclasses.replace(scene, joints=tuple(joints))


def _report_default(joint: Joint, report: Report) -> None:
    report.add(codes.DEFAULT_POSITION, joint, joint=joint.name, position=joint.default_position)


def _lost(joint: Joint, properties: Iterable[str], report: Report) -> None:
    names = tuple(properties)
    if names:
        report.add(
            codes.JOINT_PROPERTY,
            joint,
            type=joint.type.value,
            properties=tuple(name.replace("_", " ") for name in names),
            joint=joint.name,
        )


# --- joints whose child is the world --------------------------------------------------------------


def _away_from_world(joint: Joint, report: Report) -> Joint:
    """Return a joint whose child is the world with parent and child exchanged, and its axes
    reversed and in order.
    """
    if joint.child != WORLD:
        return joint
    exact = len(joint.axes) <= 1 and joint.type is not JointType.BALL
    report.add(
        codes.REVERSED_JOINT if exact else codes.REVERSED_JOINT_MOTION, joint, joint=joint.name
    )
    return with_exchanged_links(joint)


def _without_unused(joint: Joint) -> Joint:
    """Return a joint with defaults for what its type does not use."""
    unused: dict[str, Any] = {}
    if joint.type is not JointType.SCREW:
        unused["pitch"] = 1.0
    if joint.type is not JointType.GEARBOX:
        unused |= {"gear_ratio": 1.0, "gear_reference": None}
    return dataclasses.replace(joint, **unused)


# --- joint types ----------------------------------------------------------------------------------


def _in_form(joint: Joint, report: Report) -> Joint:
    """Return a joint in the form that SDFormat has for its type."""
    match joint.type:
        case JointType.FIXED:
            joint = _with_axes(joint, 0, report)
        case JointType.BALL:
            joint = _with_axes(joint, 1, report)
        case JointType.CONTINUOUS:
            if any(axis.lower > -math.inf or axis.upper < math.inf for axis in joint.axes):
                _lost(joint, ("lower", "upper"), report)
            axes = tuple(
                dataclasses.replace(axis, lower=-math.inf, upper=math.inf) for axis in joint.axes
            )
            joint = dataclasses.replace(joint, axes=axes)
        case JointType.GEARBOX:
            joint = _gearbox(joint)
        case JointType.PLANAR:
            joint = _planar(joint, report)
        case JointType.CURVILINEAR:
            joint = _curvilinear(joint, report)
        case (
            JointType.REVOLUTE
            | JointType.PRISMATIC
            | JointType.SCREW
            | JointType.UNIVERSAL
            | JointType.REVOLUTE2
        ):
            pass
        case JointType.FLOATING:
            raise ValueError("SDFormat has no floating joint")
        case _:
            assert_never(joint.type)
    return joint


def _with_axes(joint: Joint, count: int, report: Report) -> Joint:
    """Return a joint with so many axes at most."""
    if len(joint.axes) <= count:
        return joint
    _lost(joint, ("further axes",), report)
    return dataclasses.replace(joint, axes=joint.axes[:count])


def _gearbox(joint: Joint) -> Joint:
    if joint.gear_reference is None and joint.parent != WORLD:
        return dataclasses.replace(joint, gear_reference=joint.parent)
    return joint


def _planar(joint: Joint, report: Report) -> Joint:
    """Return a planar joint in a frame along its axes, which ``<drake:joint>`` requires."""
    R = np.column_stack([axis.xyz for axis in joint.axes])
    turn = Pose.of(R)
    if np.linalg.norm(R - np.eye(3)) > 0.0:
        joint = dataclasses.replace(joint, X_PJ=joint.X_PJ @ turn, X_CJ=joint.X_CJ @ turn)
    lost = [
        name
        for name in sorted(_UNSAID | _STOPS)
        if any(_differs(axis, name) for axis in joint.axes)
    ]
    _drake_joint(joint, lost, report)
    axes = zip((X_AXIS, Y_AXIS, Z_AXIS), joint.axes, strict=True)
    return _without_parts(
        joint, tuple(JointAxis(xyz=xyz, damping=axis.damping) for xyz, axis in axes)
    )


def _curvilinear(joint: Joint, report: Report) -> Joint:
    (axis,) = joint.axes
    lost = [
        name for name in sorted((_UNSAID | _STOPS) - {"lower", "upper"}) if _differs(axis, name)
    ]
    if joint.curve is not None and (axis.lower, axis.upper) != curve_range(joint):
        lost += ["lower", "upper"]
    _drake_joint(joint, lost, report)
    lower, upper = curve_range(joint)
    return _without_parts(
        joint, (JointAxis(xyz=axis.xyz, lower=lower, upper=upper, damping=axis.damping),)
    )


def curve_range(joint: Joint) -> tuple[float, float]:
    """Return the limits of a curvilinear joint, which follow from its curve [m]."""
    if joint.curve is None or joint.curve.periodic:
        return -math.inf, math.inf
    return 0.0, sum(arc.length for arc in joint.curve.arcs)


def _drake_joint(joint: Joint, lost: list[str], report: Report) -> None:
    parts = ["sensors"] if joint.sensors else []
    _lost(joint, (*lost, *parts, *(["provide_feedback"] if joint.provide_feedback else [])), report)


def _without_parts(joint: Joint, axes: tuple[JointAxis, ...]) -> Joint:
    return dataclasses.replace(joint, axes=axes, sensors=(), provide_feedback=False)


def _differs(axis: JointAxis, name: str) -> bool:
    return bool(
        getattr(axis, name) != next(f.default for f in dataclasses.fields(axis) if f.name == name)
    )
