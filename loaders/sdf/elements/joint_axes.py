"""The axes of a ``<joint>``: directions, limits and dynamics."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Set

from loaders.diagnostics import Fate
from loaders.drake.dialect import SDF
from loaders.drake.joints import read_acceleration
from loaders.model import JointAxis, JointType
from loaders.model.joints import UNLIMITED
from loaders.node import Node
from loaders.reading.makers import maker
from loaders.sdf.frames.frame_graph import FrameVertex
from loaders.spatial import Array, frozen, frozen_vector

AXES = ("axis", "axis2")
"""Tags of the axes, in order."""
AXIS_COUNT = {
    JointType.FIXED: 0,
    JointType.REVOLUTE: 1,
    JointType.CONTINUOUS: 1,
    JointType.PRISMATIC: 1,
    JointType.SCREW: 1,
    JointType.BALL: 0,
    JointType.UNIVERSAL: 2,
    JointType.REVOLUTE2: 2,
    JointType.GEARBOX: 2,
}
"""Number of axes that a joint of each type needs."""
_IN_AXIS = ("limit", "dynamics", "xyz")
_JointAxis = maker(JointAxis)
_Z_AXIS = frozen((0.0, 0.0, 1.0))


def read_axes(vertex: FrameVertex, joint_type: JointType) -> tuple[JointAxis, ...]:
    """Return the axes of a joint; a ball joint has at most one, for its damping."""
    node = vertex.node
    axes = {tag: _read_axis(child, vertex) for tag in AXES if (child := node.child(tag)) is not None}
    if joint_type is JointType.BALL:
        return tuple(axes.values())[:1]
    needed = AXES[: AXIS_COUNT[joint_type]]
    _check_axis_count(vertex, joint_type, axes.keys())
    used = tuple(axes.get(tag) or _JointAxis(xyz=_Z_AXIS) for tag in needed)
    if joint_type is JointType.CONTINUOUS:
        return tuple(dataclasses.replace(axis, lower=-math.inf, upper=math.inf) for axis in used)
    return used


def _check_axis_count(vertex: FrameVertex, joint_type: JointType, tags: Set[str]) -> None:
    """Report axes that a joint type does not use, then those that it lacks."""
    count = AXIS_COUNT[joint_type]
    for tag in AXES[count:]:
        if tag in tags:
            _report_extra_axis(vertex, joint_type, tag)
    for tag in AXES[:count]:
        if tag not in tags:
            _report_missing_axis(vertex, joint_type, tag)


def _report_extra_axis(vertex: FrameVertex, joint_type: JointType, tag: str) -> None:
    vertex.node.report(
        Fate.NOTED,
        "sdf.extra-axis",
        "{type} joint {joint} does not use <{tag}>",
        hint="remove the element",
        type=joint_type,
        joint=vertex.name,
        tag=tag,
    )


def _report_missing_axis(vertex: FrameVertex, joint_type: JointType, tag: str) -> None:
    vertex.node.report(
        Fate.ASSUMED,
        "sdf.no-axis",
        "{type} joint {joint} has no <{tag}>; using 0 0 1",
        hint="add the element",
        type=joint_type,
        joint=vertex.name,
        tag=tag,
    )


def _read_axis(node: Node, vertex: FrameVertex) -> JointAxis:
    limit, dynamics, xyz = node.firsts(_IN_AXIS)
    node.skip("mimic")  # read_couplings reads it when every joint is known
    return _JointAxis(
        xyz=_Z_AXIS if xyz is None else _read_direction(xyz, vertex),
        **({} if limit is None else _read_limit(limit)),
        **({} if dynamics is None else _read_dynamics(dynamics)),
    )


def _read_direction(node: Node, vertex: FrameVertex) -> Array:
    """Return the unit direction of an ``<xyz>`` in the joint frame J, shape (3,)."""
    x, y, z = node.numbers(".", 3, (0.0, 0.0, 1.0))
    length = 0.0 if x * x + y * y + z * z == 0.0 else math.hypot(x, y, z)
    expressed_in = node.word("@expressed_in", "")
    if length == 0.0:
        node.invalid("sdf.zero-axis", "joint {joint} has an axis of zero length", joint=vertex.name)
        return _Z_AXIS
    direction = frozen_vector(x / length, y / length, z / length)
    if not expressed_in:
        return direction
    frame = vertex.scope.find(expressed_in)
    if frame is None:
        _report_unknown_expressed_in(node, vertex, expressed_in)
        return direction
    return frozen(vertex.X_WV.R.T @ (frame.X_WV.R @ direction))


def _report_unknown_expressed_in(node: Node, vertex: FrameVertex, name: str) -> None:
    scope = vertex.scope
    hint = scope.suggestion(name)
    if scope.is_nested:
        node.report(
            Fate.ASSUMED,
            "sdf.nested-joint",
            "unknown frame {frame!r} in expressed_in of joint {joint} in nested model {model}; using the joint frame",
            hint=hint,
            frame=name,
            joint=vertex.name,
            model=scope.name,
        )
    elif node.diagnostics.lenient or not scope.misses(name):
        node.invalid(
            "sdf.axis-expressed-in",
            "unknown frame {frame!r} in expressed_in of joint {joint}; expected a name in the scope of {scope}",
            hint=hint,
            leniency="the joint frame is used instead" if scope.misses(name) else "",
            frame=name,
            joint=vertex.name,
            scope=scope.name,
        )


def _read_limit(node: Node) -> dict[str, float]:
    lower = node.number("lower", -math.inf, inf=True)
    upper = node.number("upper", math.inf, inf=True)
    if lower > upper:
        node.report(
            Fate.ASSUMED,
            "sdf.reversed-limit",
            "lower limit {lower:g} is above upper limit {upper:g}; keeping both, so that no position is allowed",
            hint="exchange the limits",
            lower=lower,
            upper=upper,
        )
    limits = {
        "lower": -math.inf if lower <= -UNLIMITED else lower,
        "upper": math.inf if upper >= UNLIMITED else upper,
        "effort": _read_magnitude(node, "effort"),
        "velocity": _read_magnitude(node, "velocity"),
        "acceleration": read_acceleration(node, SDF),
    }
    for key in ("stiffness", "dissipation"):
        value = node.maybe_number(key)
        if value is not None:
            limits[f"limit_{key}"] = value
    return limits


def _read_magnitude(node: Node, key: str) -> float:
    """Return the limit of a magnitude; infinite if it is missing or negative."""
    value = node.number(key, math.inf, inf=True)
    return math.inf if value < 0.0 or value >= UNLIMITED else value


def _read_dynamics(node: Node) -> dict[str, float]:
    values = {key: node.number(key, 0.0) for key in ("damping", "friction", "spring_stiffness", "spring_reference")}
    for key in ("damping", "friction", "spring_stiffness"):
        if values[key] < 0.0:
            node.report(
                Fate.ASSUMED,
                "sdf.negative-dynamics",
                "negative <{key}> {value:g} adds energy to the joint; kept as written",
                hint="make it positive",
                key=key,
                value=values[key],
            )
    return values
