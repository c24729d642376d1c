"""Joints as URDF can represent them: the frame of the child link is that of the joint."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from bridge.export.report import Report
from loaders.diagnostics import ExportError, Fate
from loaders.model import X_AXIS, Y_AXIS, Z_AXIS, Curve, Joint, JointAxis, JointType
from loaders.scene import Scene
from loaders.scene_operations.link_frames import moved_frames
from loaders.spatial import IDENTITY, Pose, frozen

from .tree import unrepresentable

_CLOSE = 1e-12
_OF_DRAKE = frozenset({JointType.BALL, JointType.UNIVERSAL, JointType.SCREW, JointType.CURVILINEAR})
_AXES = {JointType.PLANAR: 3, JointType.UNIVERSAL: 2, JointType.FIXED: 0, JointType.FLOATING: 0}
_LIMITS = ("lower", "upper", "effort", "velocity", "acceleration")
_OPTIONAL = (*_LIMITS, "friction", "spring_stiffness", "spring_reference", "limit_stiffness", "limit_dissipation")
_DEFAULTS: dict[str, Any] = {
    field.name: field.default for field in dataclasses.fields(JointAxis) if field.name != "xyz"
}


def with_representable_joints(scene: Scene, report: Report, *, drake: bool) -> tuple[Scene, dict[str, Pose]]:
    """Return the scene with joints at the frames of their children, and the pose of each frame that moved in the old.

    Args:
        scene: The scene, a tree.
        report: Receives the findings.
        drake: Whether the document may use Drake's joints.

    Raises:
        ExportError: if URDF has no such joint.
    """
    errors = [unrepresentable(joint, reason) for joint in scene.joints if (reason := _obstacle(joint, drake=drake))]
    if errors:
        raise ExportError(tuple(errors))
    joints = tuple(_FRAMES[joint.type](_without_unused(_limited(joint, report))) for joint in scene.joints)
    joints = tuple(_with_said_axes(joint, report) for joint in joints)
    moved = {joint.child: _child_frame(joint) for joint in joints}
    moved = {name: X_LN for name, X_LN in moved.items() if not X_LN.is_close(IDENTITY, _CLOSE)}
    if moved:
        report.add(
            Fate.NOTED,
            "urdfout.link-frame",
            "URDF places the frame of a link at its joint; the frames of {links} moved there",
            subjects=tuple(moved),
            links=tuple(moved),
        )
    return moved_frames(dataclasses.replace(scene, joints=joints), moved), moved


def _obstacle(joint: Joint, *, drake: bool) -> str:
    """Return why a joint cannot be written; empty if it can."""
    if joint.type in _OF_DRAKE and not drake:
        return "the type is an extension of Drake, which the options exclude"
    return ""


# --- frames ----------------------------------------------------------------------------------------------------------


def _child_frame(joint: Joint) -> Pose:
    """Return the pose, in the child link, of the frame that the link must have."""
    return joint.X_CJ if joint.curve is None else joint.X_CJ @ start_frame(joint.curve)


def start_frame(curve: Curve) -> Pose:
    """Return the child's frame at the start of a curve, as in Drake: x along the tangent, z along the normal."""
    y = np.cross(curve.plane_normal, curve.initial_tangent)
    return Pose.of(np.column_stack((np.cross(y, curve.plane_normal), y, curve.plane_normal)))


def _at_child(joint: Joint) -> Joint:
    """Return a joint at the frame of its child, along the axis in that frame: for translations any frame will do."""
    return _turned(joint, joint.X_CJ.inverse())


def _on_axis(joint: Joint) -> Joint:
    """Return a joint whose frame has the directions of the child's, and its origin too if that is on the axis."""
    (axis,) = joint.axes
    direction = joint.X_CJ.R @ axis.xyz
    p = joint.X_CJ.p
    if float(np.linalg.norm(p - (p @ direction) * direction)) <= _CLOSE:
        return _at_child(joint)
    return _turned(joint, Pose.of(joint.X_CJ.R.T))


def _turned(joint: Joint, X_JK: Pose) -> Joint:
    """Return a joint in another frame K, with its axes in that frame."""
    axes = tuple(dataclasses.replace(axis, xyz=frozen(X_JK.R.T @ axis.xyz)) for axis in joint.axes)
    return _snapped(dataclasses.replace(joint, X_PJ=joint.X_PJ @ X_JK, X_CJ=joint.X_CJ @ X_JK, axes=axes))


def _snapped(joint: Joint) -> Joint:
    return dataclasses.replace(joint, X_CJ=IDENTITY) if joint.X_CJ.is_close(IDENTITY, _CLOSE) else joint


def _along_axes(joint: Joint) -> Joint:
    """Return a joint in a frame whose x and y are its first two axes."""
    x, y = joint.axes[0].xyz, joint.axes[1].xyz
    joint = _turned(joint, Pose.of(np.column_stack((x, y, np.cross(x, y)))))
    axes = zip(joint.axes, (X_AXIS, Y_AXIS, Z_AXIS), strict=False)
    return dataclasses.replace(joint, axes=tuple(dataclasses.replace(axis, xyz=xyz) for axis, xyz in axes))


def _as_it_is(joint: Joint) -> Joint:
    return _snapped(joint)


_FRAMES: dict[JointType, Callable[[Joint], Joint]] = {
    JointType.FIXED: _at_child,
    JointType.PRISMATIC: _at_child,
    JointType.REVOLUTE: _on_axis,
    JointType.CONTINUOUS: _on_axis,
    JointType.SCREW: _on_axis,
    JointType.UNIVERSAL: _along_axes,
    JointType.PLANAR: _along_axes,
    JointType.BALL: _as_it_is,
    JointType.FLOATING: _as_it_is,
    JointType.CURVILINEAR: _as_it_is,
}


# --- limits and dynamics ---------------------------------------------------------------------------------------------


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
    axes = joint.axes[: _AXES.get(joint.type, 1)]
    kept = _said_fields(joint)
    said = []
    changed: dict[str, Any]
    lost = {"axes"} if len(axes) < len(joint.axes) else set()
    for axis in axes:
        changed = {name: _DEFAULTS[name] for name in _OPTIONAL if name not in kept}
        if joint.type is JointType.CURVILINEAR and joint.curve is not None:
            changed |= dict(zip(("lower", "upper"), _curve_range(joint.curve), strict=True))
            changed["xyz"] = joint.curve.initial_tangent
        if joint.type in (JointType.PLANAR, JointType.UNIVERSAL):
            changed["friction"] = axes[0].friction
        if joint.type is JointType.UNIVERSAL:
            changed["damping"] = axes[0].damping
        lost |= {name for name, value in changed.items() if name != "xyz" and getattr(axis, name) != value}
        said.append(dataclasses.replace(axis, **changed))
    _lost(joint, sorted(lost), report)
    return dataclasses.replace(joint, axes=_ball_axes(said) if joint.type is JointType.BALL else tuple(said))


def _said_fields(joint: Joint) -> set[str]:
    if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC):
        return set(_OPTIONAL)
    return set(_OPTIONAL) - set(_LIMITS)


def _ball_axes(axes: list[JointAxis]) -> tuple[JointAxis, ...]:
    """Return the axis of a ball joint, whose direction means nothing, if it says something."""
    return tuple(dataclasses.replace(axis, xyz=X_AXIS) for axis in axes)


def _curve_range(curve: Curve) -> tuple[float, float]:
    return (-math.inf, math.inf) if curve.periodic else (0.0, sum(arc.length for arc in curve.arcs))


def _lost(joint: Joint, properties: Iterable[str], report: Report) -> None:
    names = tuple(name.replace("_", " ") for name in properties)
    if names:
        report.add(
            Fate.DROPPED,
            "urdfout.joint-property",
            "joint {joint} of type {type} cannot state {properties}; left out",
            joint.where,
            subjects=(joint.name,),
            type=joint.type.value,
            properties=names,
            joint=joint.name,
        )
