"""joint: type, parent, child, axes, gears and couplings."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Set
from typing import Any

from loaders.code import Code
from loaders.drake.dialect import SDF
from loaders.drake.joint import read_acceleration
from loaders.model import TRAITS, WORLD, Z_AXIS, Coupling, Joint, JointAxis, JointType
from loaders.model.joint import UNLIMITED
from loaders.node import Node
from loaders.pose import Array, frozen
from loaders.sdf import codes

from .frame import FrameVertex, VertexKind, attached_link, pose_in
from .link import read_sensors
from .unmodeled import report_ignored

AXES = ("axis", "axis2")
"""Tags of the axes, in order."""
AXIS_COUNT = {
    joint_type: traits.axis_count
    for joint_type, traits in TRAITS.items()
    if traits.sdf_tag == "joint"
}
"""Number of axes that a joint of each type needs."""


def read_axes(vertex: FrameVertex, joint_type: JointType) -> tuple[JointAxis, ...]:
    """Return the axes of a joint; a ball joint has at most one, for its damping."""
    node = vertex.node
    axes: dict[str, JointAxis] = {}
    for tag in AXES:
        child = node.child(tag)
        if child is not None:
            axes[tag] = _read_axis(child, vertex)
    if joint_type is JointType.BALL:
        return tuple(axes.values())[:1]
    needed = AXES[: AXIS_COUNT[joint_type]]
    _check_axis_count(vertex, joint_type, axes.keys())
    used = tuple(axes.get(tag) or JointAxis(xyz=Z_AXIS) for tag in needed)
    if joint_type is JointType.CONTINUOUS:
        return tuple(dataclasses.replace(axis, lower=-math.inf, upper=math.inf) for axis in used)
    return used


def _check_axis_count(vertex: FrameVertex, joint_type: JointType, tags: Set[str]) -> None:
    """Report axes that a joint type does not use, then those that it lacks."""
    count = AXIS_COUNT[joint_type]
    for tag in AXES[count:]:
        if tag in tags:
            vertex.node.report(codes.EXTRA_AXIS, type=joint_type, joint=vertex.name, tag=tag)
    for tag in AXES[:count]:
        if tag not in tags:
            vertex.node.report(codes.NO_AXIS, type=joint_type, joint=vertex.name, tag=tag)


def _read_axis(node: Node, vertex: FrameVertex) -> JointAxis:
    limit, dynamics, xyz = node.child("limit"), node.child("dynamics"), node.child("xyz")
    node.mark("mimic")  # read_couplings reads it when every joint is known
    values: dict[str, Any] = {"xyz": Z_AXIS if xyz is None else _read_direction(xyz, vertex)}
    if limit is not None:
        values |= _read_limit(limit)
    if dynamics is not None:
        values |= _read_dynamics(dynamics)
    return JointAxis(**values)


def _read_direction(node: Node, vertex: FrameVertex) -> Array:
    """Return the unit direction of an ``<xyz>`` in the joint frame J, shape (3,)."""
    x, y, z = node.numbers(".", 3, (0.0, 0.0, 1.0))
    length = 0.0 if x * x + y * y + z * z == 0.0 else math.hypot(x, y, z)
    expressed_in = node.word("@expressed_in", "")
    if length == 0.0:
        node.report(codes.ZERO_AXIS, joint=vertex.name)
        return Z_AXIS
    direction = frozen((x / length, y / length, z / length))
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
        node.report(codes.NESTED_JOINT, hint=hint, frame=name, joint=vertex.name, model=scope.name)
    elif node.diagnostics.lenient or not scope.misses(name):
        node.report(
            codes.AXIS_EXPRESSED_IN,
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
        node.report(codes.REVERSED_LIMIT, lower=lower, upper=upper)
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
    values = {
        key: node.number(key, 0.0)
        for key in ("damping", "friction", "spring_stiffness", "spring_reference")
    }
    for key in ("damping", "friction", "spring_stiffness"):
        if values[key] < 0.0:
            node.report(codes.NEGATIVE_DYNAMICS, key=key, value=values[key])
    return values


_PITCHES = ("thread_pitch", "screw_thread_pitch")
_GEARS = ("gearbox_reference_body", "gearbox_ratio")
_TYPES = {str(joint_type): joint_type for joint_type in AXIS_COUNT}
_IGNORED_IN_PHYSICS = {"ode": codes.ENGINE_SETTING, "simbody": codes.ENGINE_SETTING}


def read_joint(vertex: FrameVertex) -> Joint | None:
    """Return the joint of a solved vertex, or None if its parent or child is wrong."""
    node = vertex.node
    report_ignored(node, {"frame": codes.NOT_MECHANICAL_FRAME})
    joint_type = _read_type(node)
    parent, child = _read_parent(vertex), _read_child(vertex)
    axes = read_axes(vertex, joint_type)
    gear_reference, gear_ratio = _read_gear(vertex, joint_type)
    pitch, sensors, provide_feedback = _read_pitch(node), read_sensors(vertex), _read_physics(node)
    position = _read_initial_position(node, joint_type)
    if vertex.scope.static and joint_type is not JointType.FIXED:
        vertex.node.report(codes.STATIC_JOINT, joint=vertex.name, model=vertex.scope.name)
    if parent is None or child is None or not _check_bodies(vertex, parent):
        return None
    parent_link = attached_link(parent)
    return Joint(
        name=vertex.name,
        type=joint_type,
        parent=WORLD if parent_link is None else parent_link.name,
        child=child.name,
        X_PJ=vertex.X_WV if parent_link is None else pose_in(parent_link, vertex),
        X_CJ=pose_in(child, vertex),
        axes=axes,
        pitch=pitch,
        gear_ratio=gear_ratio,
        gear_reference=gear_reference,
        default_position=position,
        sensors=sensors,
        provide_feedback=provide_feedback,
        where=vertex.where,
    )


def _read_initial_position(node: Node, joint_type: JointType) -> tuple[float, ...]:
    """Return the ``<initial_position>`` of each axis, which SDFormat 1.6 to 1.8 have; empty if all
    are zero.
    """
    count = len(joint_type.traits.motions)
    axes = [node.peek(tag) for tag in AXES]
    values = [0.0 if axis is None else axis.number("initial_position", 0.0) for axis in axes]
    return tuple(values[:count]) if any(values[:count]) else ()


def _read_type(node: Node) -> JointType:
    word = node.word("@type")
    known = _TYPES.get(word.lower())
    if known is not None:
        return known
    if word:
        node.report(codes.JOINT_TYPE, type=word, types=tuple(AXIS_COUNT))
    return JointType.FIXED


# --- parent and child -----------------------------------------------------------------------------


# In joints of nested models, libsdformat does not check names; there an unknown name is a warning,
# not an error.


def _read_parent(vertex: FrameVertex) -> FrameVertex | None:
    """Return the vertex of the parent; None if it is wrong."""
    node, scope = vertex.node, vertex.scope
    name = node.word("parent")
    parent = scope.find(name) if name else None
    if parent is vertex:
        node.report(codes.JOINT_PARENT, joint=vertex.name)
        return None
    if parent is not None or not name:
        return parent
    if name == WORLD:
        return FrameVertex(VertexKind.WORLD, WORLD, node, scope)
    return _report_unknown_parent(vertex, name)


def _report_unknown_parent(vertex: FrameVertex, name: str) -> FrameVertex | None:
    """Report an unknown parent; return the world for a joint of a nested model."""
    node, scope = vertex.node, vertex.scope
    hint = scope.suggestion(name, node.attributes.get("name", "").strip())
    if scope.is_nested:
        node.report(
            codes.NESTED_JOINT_PARENT, hint=hint, parent=name, joint=vertex.name, model=scope.name
        )
        return FrameVertex(VertexKind.WORLD, WORLD, node, scope)
    if node.diagnostics.lenient or not scope.misses(name):
        node.report(
            codes.JOINT_PARENT_UNKNOWN, hint=hint, parent=name, joint=vertex.name, scope=scope.name
        )
    return None


def _read_child(vertex: FrameVertex) -> FrameVertex | None:
    """Return the link that the joint moves; None if the child is wrong. `solve` has reported
    unknown names.
    """
    if (
        vertex.attached_to_vertex is None
        or not vertex.attached_to
        or vertex.scope.find(vertex.attached_to) is None
    ):
        return None
    link = attached_link(vertex)
    if link is None:
        vertex.node.report(codes.JOINT_CHILD, child=vertex.attached_to, joint=vertex.name)
    return link


def _check_bodies(vertex: FrameVertex, parent: FrameVertex) -> bool:
    """Report a joint whose parent and child are attached to the same body; return whether they are
    not.
    """
    parent_body, child_body = (end.attached_to_vertex or end for end in (parent, vertex))
    if parent_body is not child_body:
        return True
    vertex.node.report(
        codes.JOINT_SAME_BODY,
        subjects=(vertex.name, parent_body.name),
        joint=vertex.name,
        body=parent_body.name,
    )
    return False


# --- other properties -----------------------------------------------------------------------------


def _read_pitch(node: Node) -> float:
    """Return the screw pitch [m/rev]; the older ``thread_pitch`` is in rad/m, with opposite
    sign.
    """
    if node.lacks(_PITCHES):
        return 1.0
    thread_pitch = node.maybe_number("thread_pitch")
    pitch = node.maybe_number("screw_thread_pitch")
    if pitch is not None:
        return pitch
    return 1.0 if not thread_pitch else -2.0 * math.pi / thread_pitch


def _read_gear(vertex: FrameVertex, joint_type: JointType) -> tuple[str | None, float]:
    """Return the reference link and the ratio of a gearbox."""
    if vertex.node.lacks(_GEARS) and joint_type is not JointType.GEARBOX:
        return None, 1.0
    return _read_gear_reference(vertex, joint_type), vertex.node.number("gearbox_ratio", 1.0)


def _read_gear_reference(vertex: FrameVertex, joint_type: JointType) -> str | None:
    """Return the reference link of a gearbox; None for other joints, or if it is unknown."""
    node, scope = vertex.node, vertex.scope
    name = node.word("gearbox_reference_body", "")
    if joint_type is not JointType.GEARBOX:
        return None
    body = scope.find(name) if name else None
    link = None if body is None else attached_link(body)
    if link is not None:
        return link.name
    node.report(
        codes.GEARBOX_REFERENCE,
        hint=scope.suggestion(name) or "set <gearbox_reference_body> to a link",
        joint=vertex.name,
        scope=scope.name,
        body=name,
    )
    return None


def _read_physics(node: Node) -> bool:
    """Return whether the joint provides feedback."""
    physics = node.child("physics")
    if physics is None:
        return False
    report_ignored(physics, _IGNORED_IN_PHYSICS)
    return physics.flag("provide_feedback", False)


# --- couplings ------------------------------------------------------------------------------------


def read_couplings(vertex: FrameVertex) -> Iterator[Coupling]:
    """Yield the couplings of the ``<mimic>`` elements of a joint."""
    for index, tag in enumerate(AXES):
        axis = vertex.node.peek(tag)
        mimic = None if axis is None else axis.child("mimic")
        coupling = None if mimic is None else _read_mimic(mimic, vertex, index)
        if coupling is not None:
            yield coupling


def _read_mimic(node: Node, vertex: FrameVertex, follower_axis: int) -> Coupling | None:
    name, axis = node.word("@joint"), node.word("@axis", "axis")
    multiplier = node.number("multiplier", 1.0)
    offset, reference = node.number("offset", 0.0), node.number("reference", 0.0)
    leader = vertex.scope.find(name)
    problem = _mimic_problem(leader, axis, vertex)
    if problem is not None or leader is None:
        is_own_error = node.diagnostics.lenient or not vertex.scope.misses(name)
        if problem is not None and name and is_own_error:
            _report_mimic(node, vertex, problem, name, axis)
        return None
    return Coupling(
        follower=vertex.name,
        leader=leader.name,
        multiplier=multiplier,
        offset=offset - multiplier * reference,
        follower_axis=follower_axis,
        leader_axis=AXES.index(axis),
        where=node.where,
    )


def _mimic_problem(leader: FrameVertex | None, axis: str, vertex: FrameVertex) -> Code | None:
    """Return why a joint cannot be mimicked; None if it can."""
    if leader is None or leader.kind is not VertexKind.JOINT:
        return codes.MIMIC
    if leader is vertex:
        return codes.MIMIC_ITSELF
    is_interface_joint = leader.node.tag != "joint"
    if axis not in AXES or not (is_interface_joint or leader.node.has(axis)):
        return codes.MIMIC_NO_AXIS
    return None


def _report_mimic(node: Node, vertex: FrameVertex, problem: Code, leader: str, axis: str) -> None:
    scope = vertex.scope
    hint = scope.suggestion(leader, vertex.name)
    if scope.is_nested:
        node.report(
            codes.NESTED_JOINT_MIMIC,
            hint=hint,
            joint=vertex.name,
            axis=axis,
            leader=leader,
            model=scope.name,
        )
    else:
        names = {"joint": vertex.name, "axis": axis, "leader": leader, "scope": scope.name}
        node.report(problem, hint=hint, **names)
