"""``<joint>``: type, parent, child, gears and couplings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from loaders.diagnostics import Fate
from loaders.model import WORLD, Coupling, Joint, JointType
from loaders.node import Node
from loaders.reading.makers import maker
from loaders.sdf.frames.frame_graph import FrameVertex, VertexKind
from loaders.sdf.frames.solve import attached_link, pose_in
from loaders.sdf.unmodeled_elements import report_ignored

from .joint_axes import AXES, AXIS_COUNT, read_axes
from .sensors import read_sensors

_Joint = maker(Joint)
_ENGINE_SETTING = (Fate.NOTED, "sdf.engine-setting", "it is a solver parameter of one engine")
_PITCHES = ("thread_pitch", "screw_thread_pitch")
_GEARS = ("gearbox_reference_body", "gearbox_ratio")
_RARE = (*_PITCHES, *_GEARS, "sensor", "physics")
_TYPES = {str(joint_type): joint_type for joint_type in AXIS_COUNT}
_IGNORED_IN_PHYSICS = {"ode": _ENGINE_SETTING, "simbody": _ENGINE_SETTING}


def read_joint(vertex: FrameVertex) -> Joint | None:
    """Return the joint of a solved vertex, or None if its parent or child is wrong."""
    node = vertex.node
    joint_type = _read_type(node)
    parent, child = _read_parent(vertex), _read_child(vertex)
    axes = read_axes(vertex, joint_type)
    is_plain = node.lacks(_RARE) and joint_type is not JointType.GEARBOX
    rare = {} if is_plain else _read_rare(vertex, joint_type)
    _report_static_joint(vertex, joint_type)
    if parent is None or child is None or not _check_bodies(vertex, parent):
        return None
    parent_link = attached_link(parent)
    return _Joint(
        name=vertex.name,
        type=joint_type,
        parent=WORLD if parent_link is None else parent_link.name,
        child=child.name,
        X_PJ=vertex.X_WV if parent_link is None else pose_in(parent_link, vertex),
        X_CJ=pose_in(child, vertex),
        axes=axes,
        where=vertex.where,
        **rare,
    )


def _read_rare(vertex: FrameVertex, joint_type: JointType) -> dict[str, Any]:
    """Return what few joints have, by the names of the fields of `Joint`."""
    node = vertex.node
    pitch, sensors = _read_pitch(node), read_sensors(vertex)
    gear_reference, gear_ratio = _read_gear(vertex, joint_type)
    return {
        "pitch": pitch,
        "gear_ratio": gear_ratio,
        "gear_reference": gear_reference,
        "sensors": sensors,
        "provide_feedback": _read_physics(node),
    }


def _report_static_joint(vertex: FrameVertex, joint_type: JointType) -> None:
    if vertex.scope.static and joint_type is not JointType.FIXED:
        vertex.node.report(
            Fate.NOTED,
            "sdf.static-joint",
            "joint {joint} cannot move because model {model} is static",
            joint=vertex.name,
            model=vertex.scope.name,
        )


def _read_type(node: Node) -> JointType:
    word = node.word("@type")
    known = _TYPES.get(word.lower())
    if known is not None:
        return known
    if word:
        node.invalid(
            "sdf.joint-type",
            "unknown joint type {type!r}; expected one of: {types}",
            type=word,
            types=tuple(AXIS_COUNT),
        )
    return JointType.FIXED


# --- parent and child ------------------------------------------------------------------------------------------------

_LEFT_OUT = "joint {joint} is left out"

# In joints of nested models, libsdformat does not check names; there an unknown name is a warning, not an error.


def _read_parent(vertex: FrameVertex) -> FrameVertex | None:
    """Return the vertex of the parent; None if it is wrong."""
    node, scope = vertex.node, vertex.scope
    name = node.word("parent")
    parent = scope.find(name) if name else None
    if parent is vertex:
        node.invalid("sdf.joint-parent", "joint {joint} is its own parent", leniency=_LEFT_OUT, joint=vertex.name)
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
            Fate.ASSUMED,
            "sdf.nested-joint",
            "unknown parent {parent!r} of joint {joint} in nested model {model}; using the world",
            hint=hint,
            parent=name,
            joint=vertex.name,
            model=scope.name,
        )
        return FrameVertex(VertexKind.WORLD, WORLD, node, scope)
    if node.diagnostics.lenient or not scope.misses(name):
        node.invalid(
            "sdf.joint-parent",
            "unknown parent {parent!r} of joint {joint}; expected a link, joint, frame or model of {scope}",
            hint=hint,
            leniency=_LEFT_OUT,
            parent=name,
            joint=vertex.name,
            scope=scope.name,
        )
    return None


def _read_child(vertex: FrameVertex) -> FrameVertex | None:
    """Return the link that the joint moves; None if the child is wrong. `solve` has reported unknown names."""
    if vertex.attached_to_vertex is None or not vertex.attached_to or vertex.scope.find(vertex.attached_to) is None:
        return None
    link = attached_link(vertex)
    if link is None:
        vertex.node.invalid(
            "sdf.joint-child",
            "child {child!r} of joint {joint} is fixed to the world",
            hint="exchange parent and child, and reverse the axis",
            leniency=_LEFT_OUT,
            child=vertex.attached_to,
            joint=vertex.name,
        )
    return link


def _check_bodies(vertex: FrameVertex, parent: FrameVertex) -> bool:
    """Report a joint whose parent and child are attached to the same body; return whether they are not."""
    parent_body, child_body = (end.attached_to_vertex or end for end in (parent, vertex))
    if parent_body is not child_body:
        return True
    vertex.node.invalid(
        "sdf.joint-same-body",
        "parent and child of joint {joint} are both attached to {body}",
        subjects=(vertex.name, parent_body.name),
        leniency=_LEFT_OUT,
        joint=vertex.name,
        body=parent_body.name,
    )
    return False


# --- other properties ------------------------------------------------------------------------------------------------


def _read_pitch(node: Node) -> float:
    """Return the screw pitch [m/rev]; the older ``thread_pitch`` is in rad/m, with opposite sign."""
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
        Fate.ASSUMED,
        "sdf.gearbox-reference",
        "gearbox {joint} has no valid reference body in {scope} (got {body!r}); using the parent",
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


# --- couplings -------------------------------------------------------------------------------------------------------


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
    if problem or leader is None:
        if name and (node.diagnostics.lenient or not vertex.scope.misses(name)):
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


def _mimic_problem(leader: FrameVertex | None, axis: str, vertex: FrameVertex) -> str:
    """Return the template of the message for a joint that cannot be mimicked; empty if it can."""
    if leader is None or leader.kind is not VertexKind.JOINT:
        return "joint {joint} mimics unknown joint {leader!r}; expected a joint of {scope}"
    if leader is vertex:
        return "joint {joint} mimics itself"
    is_interface_joint = leader.node.tag != "joint"
    if axis not in AXES or not (is_interface_joint or leader.node.has(axis)):
        return "joint {joint} mimics <{axis}> of joint {leader}, which does not have this axis"
    return ""


def _report_mimic(node: Node, vertex: FrameVertex, problem: str, leader: str, axis: str) -> None:
    scope = vertex.scope
    hint = scope.suggestion(leader, vertex.name)
    if scope.is_nested:
        node.report(
            Fate.ASSUMED,
            "sdf.nested-joint",
            "joint {joint} mimics <{axis}> of {leader!r}, which nested model {model} does not have; ignoring <mimic>",
            hint=hint,
            joint=vertex.name,
            axis=axis,
            leader=leader,
            model=scope.name,
        )
    else:
        names = {"joint": vertex.name, "axis": axis, "leader": leader, "scope": scope.name}
        node.invalid("sdf.mimic", problem, hint=hint, leniency="the joint moves independently", **names)
