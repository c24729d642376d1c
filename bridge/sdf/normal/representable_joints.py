"""Joints as SDFormat can represent them: the same motion and positions, perhaps in other frames."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.model import WORLD, X_AXIS, Y_AXIS, Z_AXIS, Joint, JointAxis, JointType
from loaders.scene import Scene
from loaders.spatial import Pose, frozen

_UNSAID = {"lower", "upper", "effort", "velocity", "acceleration", "friction", "spring_stiffness", "spring_reference"}
_STOPS = {"limit_stiffness", "limit_dissipation"}
_COUNTS = {JointType.FIXED: 0, JointType.UNIVERSAL: 2, JointType.REVOLUTE2: 2, JointType.GEARBOX: 2}


def with_representable_joints(scene: Scene, report: Report) -> Scene:
    """Return the scene with the joints that SDFormat can represent; positions keep their meaning.

    Args:
        scene: The scene.
        report: Receives the findings.
    """
    joints = []
    for joint in scene.joints:
        if joint.type is JointType.FLOATING:
            _report_floating(joint, report)
            continue
        new = _away_from_world(joint, report)
        new = _without_unused(_FORMS.get(new.type, _plain)(new, report))
        if new.default_position and any(new.default_position):
            _report_default(new, report)
        joints.append(dataclasses.replace(new, default_position=()))
    return dataclasses.replace(scene, joints=tuple(joints))


def _report_floating(joint: Joint, report: Report) -> None:
    report.add(
        Fate.NOTED,
        "sdfout.floating-joint",
        "SDFormat has no floating joint; link {link} moves freely because no joint holds it, under its own name",
        joint.where,
        subjects=(joint.name, joint.child),
        link=joint.child,
    )
    if joint.default_position:
        _report_default(joint, report)


def _report_default(joint: Joint, report: Report) -> None:
    report.add(
        Fate.DROPPED,
        "sdfout.default-position",
        "SDFormat has no initial positions of joints; joint {joint} starts at zero instead of {position}",
        joint.where,
        hint="write a directives file with default_joint_positions beside the model",
        subjects=(joint.name,),
        joint=joint.name,
        position=joint.default_position,
    )


def _lost(joint: Joint, properties: Iterable[str], report: Report) -> None:
    names = tuple(properties)
    if names:
        report.add(
            Fate.DROPPED,
            "sdfout.joint-property",
            "a joint of type {type} cannot state {properties}; left out of joint {joint}",
            joint.where,
            subjects=(joint.name,),
            type=joint.type.value,
            properties=tuple(name.replace("_", " ") for name in names),
            joint=joint.name,
        )


# --- joints whose child is the world ---------------------------------------------------------------------------------


def _away_from_world(joint: Joint, report: Report) -> Joint:
    """Return a joint whose child is the world with parent and child exchanged, and its axes reversed and in order."""
    if joint.child != WORLD:
        return joint
    fate = Fate.NOTED
    if len(joint.axes) > 1 or joint.type is JointType.BALL:
        fate = Fate.APPROXIMATED
    report.add(
        fate,
        "sdfout.reversed-joint",
        "SDFormat does not allow the world as child of joint {joint}; exchanged parent and child"
        + ("" if fate is Fate.NOTED else ", so that its position is that of the inverse motion"),
        joint.where,
        subjects=(joint.name,),
        joint=joint.name,
    )
    axes = tuple(dataclasses.replace(axis, xyz=frozen(-axis.xyz)) for axis in reversed(joint.axes))
    return dataclasses.replace(
        joint, parent=joint.child, child=joint.parent, X_PJ=joint.X_CJ, X_CJ=joint.X_PJ, axes=axes
    )


def _without_unused(joint: Joint) -> Joint:
    """Return a joint with defaults for what its type does not use."""
    unused: dict[str, Any] = {}
    if joint.type is not JointType.SCREW:
        unused["pitch"] = 1.0
    if joint.type is not JointType.GEARBOX:
        unused |= {"gear_ratio": 1.0, "gear_reference": None}
    return dataclasses.replace(joint, **unused)


# --- joint types -----------------------------------------------------------------------------------------------------


def _plain(joint: Joint, report: Report) -> Joint:
    """Return a joint without what its type does not use."""
    count = _COUNTS.get(joint.type, 1)
    if joint.type in (JointType.FIXED, JointType.BALL) and len(joint.axes) > count:
        _lost(joint, ("further axes",), report)
        joint = dataclasses.replace(joint, axes=joint.axes[:count])
    return joint


def _continuous(joint: Joint, report: Report) -> Joint:
    if any(axis.lower > -math.inf or axis.upper < math.inf for axis in joint.axes):
        _lost(joint, ("lower", "upper"), report)
    axes = tuple(dataclasses.replace(axis, lower=-math.inf, upper=math.inf) for axis in joint.axes)
    return dataclasses.replace(joint, axes=axes)


def _gearbox(joint: Joint, _: Report) -> Joint:
    if joint.gear_reference is None and joint.parent != WORLD:
        return dataclasses.replace(joint, gear_reference=joint.parent)
    return joint


def _planar(joint: Joint, report: Report) -> Joint:
    """Return a planar joint in a frame along its axes, which ``<drake:joint>`` requires."""
    R = np.column_stack([axis.xyz for axis in joint.axes])
    turn = Pose.of(R)
    if np.linalg.norm(R - np.eye(3)) > 0.0:
        joint = dataclasses.replace(joint, X_PJ=joint.X_PJ @ turn, X_CJ=joint.X_CJ @ turn)
    lost = [name for name in sorted(_UNSAID | _STOPS) if any(_differs(axis, name) for axis in joint.axes)]
    _drake_joint(joint, lost, report)
    axes = zip((X_AXIS, Y_AXIS, Z_AXIS), joint.axes, strict=True)
    return _without_parts(joint, tuple(JointAxis(xyz=xyz, damping=axis.damping) for xyz, axis in axes))


def _curvilinear(joint: Joint, report: Report) -> Joint:
    (axis,) = joint.axes
    lost = [name for name in sorted((_UNSAID | _STOPS) - {"lower", "upper"}) if _differs(axis, name)]
    if joint.curve is not None and (axis.lower, axis.upper) != curve_range(joint):
        lost += ["lower", "upper"]
    _drake_joint(joint, lost, report)
    lower, upper = curve_range(joint)
    return _without_parts(joint, (JointAxis(xyz=axis.xyz, lower=lower, upper=upper, damping=axis.damping),))


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
    return bool(getattr(axis, name) != next(f.default for f in dataclasses.fields(axis) if f.name == name))


_FORMS: dict[JointType, Callable[[Joint, Report], Joint]] = {
    JointType.CONTINUOUS: _continuous,
    JointType.GEARBOX: _gearbox,
    JointType.PLANAR: _planar,
    JointType.CURVILINEAR: _curvilinear,
}
