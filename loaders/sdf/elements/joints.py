"""``<joint>``: parent, child, axes, limits and dynamics."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

from loaders.diagnostics import Fate
from loaders.drake.dialect import SDF
from loaders.drake.joints import read_acceleration
from loaders.model import WORLD, Coupling, Joint, JointAxis, JointType
from loaders.node import Node
from loaders.sdf.frames.frame_graph import FrameVertex, Scope, VertexKind
from loaders.sdf.frames.solve import carrier
from loaders.spatial import Array, frozen

from .ignored_elements import report_ignored
from .sensors import read_sensors

UNLIMITED = 1e16
"""From here on a limit is none: what specification 1.0 to 1.9 wrote for infinity."""
_AXES = ("axis", "axis2")
_AXIS_COUNT = {
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
_ENGINE = (Fate.NOTED, "sdf.engine-setting", "it tunes one engine's solver")
_JOINT_PHYSICS = {"ode": _ENGINE, "simbody": _ENGINE}


def read_joint(vertex: FrameVertex) -> Joint | None:
    """The joint of a solved vertex, or None if its ends are wrong."""
    node, scope = vertex.node, vertex.scope
    kind = _read_type(node)
    parent = _read_parent(vertex, scope)
    body = _read_child(vertex)
    axes = _read_axes(vertex, kind)
    pitch = _read_pitch(node)
    sensors = read_sensors(vertex, node, scope)
    reference = _read_gear_reference(node, scope, kind)
    ratio = node.number("gearbox_ratio", 1.0)
    feedback = _read_physics(node)
    if scope.static and kind is not JointType.FIXED:
        node.report(
            Fate.NOTED, "sdf.static-joint", "the joint {vertex} cannot move: its model is static", vertex=vertex.name
        )
    if parent is None or body is None or not _are_two_bodies(vertex, parent):
        return None
    parent_link = carrier(parent)
    X_WJ = vertex.X_WV
    X_PW = None if parent_link is None else parent_link.X_WV.inverse()
    return Joint(
        name=vertex.name,
        type=kind,
        parent=WORLD if parent_link is None else parent_link.name,
        child=body.name,
        X_PJ=X_WJ if X_PW is None else X_PW @ X_WJ,
        X_CJ=body.X_WV.inverse() @ X_WJ,
        axes=axes,
        pitch=pitch,
        gear_ratio=ratio,
        gear_reference=reference,
        sensors=sensors,
        provide_feedback=feedback,
        where=node.where,
    )


def _read_type(node: Node) -> JointType:
    word = node.word("@type")
    kind = word.lower()
    if kind in _AXIS_COUNT:
        return JointType(kind)
    if word:
        known = ", ".join(_AXIS_COUNT)
        node.invalid("sdf.joint-type", "the joint type {word!r} is none of {known}", word=word, known=known)
    return JointType.FIXED


def _tolerate(node: Node, message: str, hint: str) -> None:
    """Report what libsdformat checks in the joints of outermost models only, and lets pass in nested ones."""
    node.report(Fate.ASSUMED, "sdf.nested-joint", message, hint=hint)


# --- ends ------------------------------------------------------------------------------------------------------------


def _read_parent(vertex: FrameVertex, scope: Scope) -> FrameVertex | None:
    node = vertex.node
    name = node.word("parent")
    found = scope.find(name) if name else None
    if found is vertex:
        node.invalid("sdf.joint-parent", "the joint {vertex} has itself as its parent", vertex=vertex.name)
        return None
    if found is not None or not name:
        return found
    if name == WORLD:
        return FrameVertex(VertexKind.WORLD, WORLD, node, scope)
    message = f"the parent {name!r} is no link, joint, frame or model of {scope.name}"
    if scope.is_nested:
        _tolerate(node, f"{message}; the world is taken", scope.suggestion(name))
        return FrameVertex(VertexKind.WORLD, WORLD, node, scope)
    node.invalid("sdf.joint-parent", message, hint=scope.suggestion(name))
    return None


def _read_child(vertex: FrameVertex) -> FrameVertex | None:
    """The link that the joint carries; None if the child is wrong, which `frames` mostly reported."""
    scope = vertex.scope
    if vertex.anchor is None or not vertex.attached_to or scope.find(vertex.attached_to) is None:
        return None
    link = carrier(vertex)
    if link is None:
        hint = "exchange parent and child, and turn the axis round"
        vertex.node.invalid(
            "sdf.joint-child",
            "the child {attached_to!r} is fixed to the world",
            hint=hint,
            attached_to=vertex.attached_to,
        )
    return link


def _are_two_bodies(vertex: FrameVertex, parent: FrameVertex) -> bool:
    """Whether the parent and the joint itself are fixed to different bodies."""
    first, second = (end.anchor or end for end in (parent, vertex))
    if first is not second:
        return True
    vertex.node.invalid(
        "sdf.joint-same-body",
        "parent and child of the joint {vertex} are both fixed to {first}",
        vertex=vertex.name,
        first=first.name,
    )
    return False


# --- axes ------------------------------------------------------------------------------------------------------------


def _read_axes(vertex: FrameVertex, kind: JointType) -> tuple[JointAxis, ...]:
    node = vertex.node
    count = _AXIS_COUNT[kind]
    read = {tag: _read_axis(child, vertex) for tag in _AXES if (child := node.child(tag)) is not None}
    if kind is JointType.BALL:
        return tuple(read.values())[:1]
    for tag in _AXES[count:]:
        if tag in read:
            node.report(
                Fate.NOTED,
                "sdf.extra-axis",
                "the {kind} joint {vertex} does not move along its <{tag}>",
                kind=kind,
                vertex=vertex.name,
                tag=tag,
            )
    for tag in _AXES[:count]:
        if tag not in read:
            node.report(
                Fate.ASSUMED,
                "sdf.no-axis",
                "the {kind} joint {vertex} has no <{tag}>; 0 0 1 is taken",
                hint=f"add an <{tag}>",
                kind=kind,
                vertex=vertex.name,
                tag=tag,
            )
            read[tag] = JointAxis(xyz=frozen((0.0, 0.0, 1.0)))
    axes = tuple(read[tag] for tag in _AXES[:count])
    if kind is JointType.CONTINUOUS:
        return tuple(dataclasses.replace(axis, lower=-math.inf, upper=math.inf) for axis in axes)
    return axes


def _read_axis(node: Node, vertex: FrameVertex) -> JointAxis:
    limit, dynamics = node.child("limit"), node.child("dynamics")
    node.skip("mimic")  # read_couplings reads it when every joint is known
    return JointAxis(
        xyz=_read_direction(node, vertex),
        **({} if limit is None else _read_limit(limit)),
        **({} if dynamics is None else _read_dynamics(dynamics)),
    )


def _read_direction(axis: Node, vertex: FrameVertex) -> Array:
    """The unit direction in J."""
    node = axis.child("xyz")
    if node is None:
        return frozen((0.0, 0.0, 1.0))
    x, y, z = node.numbers(".", 3, (0.0, 0.0, 1.0))
    length = math.sqrt(x * x + y * y + z * z)
    base = node.word("@expressed_in", "")
    if length == 0.0:
        node.invalid("sdf.zero-axis", "an axis of the joint {vertex} is zero", vertex=vertex.name)
        return frozen((0.0, 0.0, 1.0))
    direction = frozen((x / length, y / length, z / length))
    if not base:
        return direction
    scope = vertex.scope
    frame = scope.find(base)
    if frame is None:
        message = f"expressed_in names {base!r}, which is no link, joint, frame or model of {scope.name}"
        if scope.is_nested:
            _tolerate(node, f"{message}; the joint's own frame is taken", scope.suggestion(base))
        else:
            node.invalid("sdf.axis-expressed-in", message, hint=scope.suggestion(base))
        return direction
    return frozen(vertex.X_WV.R.T @ (frame.X_WV.R @ direction))


def _read_limit(node: Node) -> dict[str, float]:
    lower = node.number("lower", -math.inf, inf=True)
    upper = node.number("upper", math.inf, inf=True)
    if lower > upper:
        node.report(
            Fate.ASSUMED,
            "sdf.reversed-limit",
            "lower {lower:g} is above upper {upper:g}; both are kept, and no position is within them",
            hint="exchange them",
            lower=lower,
            upper=upper,
        )
    return {
        "lower": -math.inf if lower <= -UNLIMITED else lower,
        "upper": math.inf if upper >= UNLIMITED else upper,
        "effort": _read_bound(node, "effort"),
        "velocity": _read_bound(node, "velocity"),
        "acceleration": read_acceleration(node, SDF),
        **{
            f"limit_{key}": value
            for key in ("stiffness", "dissipation")
            if (value := node.maybe_number(key)) is not None
        },
    }


def _read_bound(node: Node, key: str) -> float:
    """A bound on a magnitude: negative is none."""
    value = node.number(key, math.inf, inf=True)
    return math.inf if value < 0.0 or value >= UNLIMITED else value


def _read_dynamics(node: Node) -> dict[str, float]:
    read = {key: node.number(key, 0.0) for key in ("damping", "friction", "spring_stiffness", "spring_reference")}
    for key in ("damping", "friction", "spring_stiffness"):
        if read[key] < 0.0:
            node.report(
                Fate.ASSUMED,
                "sdf.negative-dynamics",
                "<{key}> is {read:g}, which drives the joint instead of holding it; it is kept",
                hint="make it positive",
                key=key,
                read=read[key],
            )
    return read


# --- the rest --------------------------------------------------------------------------------------------------------


def _read_pitch(node: Node) -> float:
    """Advance [m/rev]; the older ``thread_pitch`` is [rad/m] with the sign turned round."""
    old = node.maybe_number("thread_pitch")
    pitch = node.maybe_number("screw_thread_pitch")
    if pitch is not None:
        return pitch
    return 1.0 if not old else -2.0 * math.pi / old


def _read_gear_reference(node: Node, scope: Scope, kind: JointType) -> str | None:
    name = node.word("gearbox_reference_body", "")
    if kind is not JointType.GEARBOX:
        return None
    found = scope.find(name) if name else None
    link = None if found is None else carrier(found)
    if link is not None:
        return link.name
    node.report(
        Fate.ASSUMED,
        "sdf.gearbox-reference",
        "the reference body {name!r} of a gearbox is no link of {scope}; the parent is taken",
        hint=scope.suggestion(name),
        name=name,
        scope=scope.name,
    )
    return None


def _read_physics(node: Node) -> bool:
    physics = node.child("physics")
    if physics is None:
        return False
    report_ignored(physics, _JOINT_PHYSICS)
    return physics.flag("provide_feedback", False)


# --- couplings -------------------------------------------------------------------------------------------------------


def read_couplings(vertex: FrameVertex) -> Iterator[Coupling]:
    """What the ``<mimic>`` elements of a joint say."""
    for index, tag in enumerate(_AXES):
        axis = vertex.node.peek(tag)
        mimic = None if axis is None else axis.child("mimic")
        coupling = None if mimic is None else _read_mimic(mimic, vertex, index)
        if coupling is not None:
            yield coupling


def _read_mimic(node: Node, vertex: FrameVertex, index: int) -> Coupling | None:
    scope = vertex.scope
    name, axis = node.word("@joint"), node.word("@axis", "axis")
    multiplier = node.number("multiplier", 1.0)
    offset, reference = node.number("offset", 0.0), node.number("reference", 0.0)
    leader = scope.find(name)
    problem = ""
    if leader is None or leader.kind is not VertexKind.JOINT:
        problem = f"{name!r} is no joint of {scope.name}"
    elif leader is vertex:
        problem = "a joint cannot mimic itself"
    elif axis not in _AXES or not (leader.node.has(axis) or leader.node.tag != "joint"):
        problem = f"the joint {name} has no {axis}"
    if problem or leader is None:
        if name and scope.is_nested:
            _tolerate(node, f"{problem}; nothing is coupled", scope.suggestion(name))
        elif name:
            node.invalid("sdf.mimic", problem, hint=scope.suggestion(name))
        return None
    return Coupling(
        follower=vertex.name,
        leader=leader.name,
        multiplier=multiplier,
        offset=offset - multiplier * reference,
        follower_axis=index,
        leader_axis=_AXES.index(axis),
        where=node.where,
    )
