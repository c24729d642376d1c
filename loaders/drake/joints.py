"""What Drake adds to ``<joint>``, and its own types of joints."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from loaders.diagnostics import Fate
from loaders.model import X_AXIS, Y_AXIS, Z_AXIS, Actuator, Arc, Coupling, Curve, Joint, JointAxis, JointType
from loaders.node import Node
from loaders.spatial import IDENTITY, Array, Pose

from .dialect import PREFIX, SDF, URDF, Dialect, Element, Names, direction, number

ACTUATED = frozenset({JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.SCREW})
"""The types of SDFormat's joints that Drake drives."""


def read_acceleration(limit: Node, dialect: Dialect) -> float:
    """The acceleration limit in a ``<limit>``; infinite if there is none."""
    key = "drake:acceleration"
    if dialect is URDF:
        return limit.number("@" + key, math.inf, minimum=0.0, inf=True)
    node = limit.child(key)
    return math.inf if node is None else number(node, ".", minimum=0.0, inf=True)


# --- actuators -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """What Drake says of an actuator beside its limits."""

    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0
    p_gain: float | None = None
    d_gain: float | None = None


def read_drive(node: Node, dialect: Dialect) -> Drive:
    """Rotor, gear and controller: in SDFormat in a ``<joint>``, in URDF in the ``<actuator>`` of a transmission."""
    element = Element(node, dialect)
    p_gain, d_gain = _read_gains(node)
    rotor_inertia, gear_ratio = element.maybe("rotor_inertia"), element.maybe("gear_ratio")
    return Drive(
        rotor_inertia=0.0 if rotor_inertia is None else rotor_inertia,
        gear_ratio=1.0 if gear_ratio is None else gear_ratio,
        p_gain=p_gain,
        d_gain=d_gain,
    )


def _read_gains(node: Node) -> tuple[float | None, float | None]:
    gains = node.child("drake:controller_gains")
    if gains is None:
        return None, None
    return number(gains, "@p", minimum=0.0), number(gains, "@d", minimum=0.0)


def read_sdf_actuator(node: Node, joint: Joint) -> Actuator | None:
    """The actuator of an SDFormat joint, as Drake has it.

    Each revolute, continuous, prismatic and screw joint has one, unless its effort limit is zero.
    """
    drive = read_drive(node, SDF)
    if joint.type in ACTUATED and joint.axes and joint.axes[0].effort != 0.0:
        return Actuator(
            name=joint.name,
            joint=joint.name,
            effort=joint.axes[0].effort,
            gear_ratio=drive.gear_ratio,
            rotor_inertia=drive.rotor_inertia,
            p_gain=drive.p_gain,
            d_gain=drive.d_gain,
            where=node.where,
        )
    if drive != Drive():
        reason = "its effort limit is 0" if joint.type in ACTUATED else f"a {joint.type} joint has none"
        node.report(
            Fate.DROPPED,
            "drake.idle-actuator",
            "joint {joint} has no actuator, since {reason}; its rotor, gear and gains are not used",
            joint=joint.name,
            reason=reason,
        )
    return None


# --- couplings -------------------------------------------------------------------------------------------------------


def read_mimic(node: Node, follower: Joint, names: Names) -> Coupling | None:
    """The ``drake:mimic`` of an SDFormat joint, or None if it has none that can hold."""
    mimic = node.child("drake:mimic")
    if mimic is None:
        return None
    name = mimic.word("@joint")
    multiplier, offset = mimic.number("@multiplier"), mimic.number("@offset")
    leader = names.joint(name)
    if leader is None or leader.name == follower.name:
        problem = f"{name!r}, which is no joint of {names.model}" if leader is None else "itself"
        mimic.invalid("drake.mimic", "joint {follower} mimics {problem}", follower=follower.name, problem=problem)
        return None
    many = next((joint for joint in (follower, leader) if len(joint.axes) != 1), None)
    if many is not None:
        mimic.report(
            Fate.DROPPED,
            "drake.mimic-ignored",
            "only joints with one degree of freedom can mimic one another; {many} has {count}",
            many=many.name,
            count=len(many.axes),
        )
        return None
    return Coupling(follower=follower.name, leader=leader.name, multiplier=multiplier, offset=offset, where=mimic.where)


# --- joints that only Drake has --------------------------------------------------------------------------------------

URDF_TYPES = {kind: JointType(kind) for kind in ("universal", "screw", "curvilinear")}
"""The types of a URDF's joints that `complete_urdf_joint` understands, beside those of URDF itself."""


def complete_urdf_joint(node: Node, joint: Joint) -> Joint:
    """A joint of one of `URDF_TYPES`, read so far with one axis and its damping; any other as it is."""
    if joint.type not in URDF_TYPES:
        return joint
    (axis,) = joint.axes
    if joint.type is JointType.UNIVERSAL:  # Drake does not look at <axis>
        return replace(joint, axes=(replace(axis, xyz=X_AXIS), replace(axis, xyz=Y_AXIS)))
    if joint.type is JointType.SCREW:
        return replace(joint, pitch=Element(node, URDF).number("screw_thread_pitch"))
    curve = _read_curve(node, URDF)
    return replace(joint, axes=(_along(curve, axis.damping),), curve=curve, X_CJ=joint.X_CJ @ _start(curve).inverse())


def read_sdf_joints(model: Node, names: Names) -> list[Joint]:
    """The ``drake:joint`` elements of an SDFormat model."""
    found: dict[str, Joint] = {}
    for node in model.all("drake:joint"):
        joint = _read_sdf_joint(node, names)
        name = node.word("@name", "")
        if joint is None:
            continue
        if joint.name in found or names.joint(name) is not None:
            node.invalid(
                "drake.duplicate-joint", "a second joint is called {joint}", hint="rename it", joint=joint.name
            )
        found.setdefault(joint.name, joint)
    return list(found.values())


def _read_sdf_joint(node: Node, names: Names) -> Joint | None:
    name, kind = node.word("@name"), node.word("@type")
    parent, child = (_read_end(node, tag, names) for tag in ("drake:parent", "drake:child"))
    if (pose := node.child("pose")) is not None:
        hint = "pose the frames that it connects"
        pose.invalid("drake.joint-pose", "a <drake:joint> has no <pose>", hint=hint)
    if kind not in _SDF_TYPES:
        node.invalid("drake.joint-type", "a <drake:joint> is planar or curvilinear, not {kind!r}", kind=kind)
        return None
    axes, curve = _SDF_TYPES[kind](node)
    if parent is None or child is None:
        return None
    if parent[0] == child[0]:
        node.invalid(
            "drake.same-body", "both ends of the joint {name} are on the link {child}", name=name, child=child[0]
        )
        return None
    return Joint(
        name=names.prefix + name,
        type=JointType(kind),
        parent=parent[0],
        child=child[0],
        X_PJ=parent[1],
        X_CJ=child[1] if curve is None else child[1] @ _start(curve).inverse(),
        axes=axes,
        curve=curve,
        where=node.where,
    )


def _read_planar(node: Node) -> tuple[tuple[JointAxis, ...], Curve | None]:
    damping = Element(node, SDF).vector("damping", minimum=0.0).tolist()
    axes = zip((X_AXIS, Y_AXIS, Z_AXIS), damping, strict=True)
    return tuple(JointAxis(xyz=xyz, damping=c) for xyz, c in axes), None


def _read_curvilinear(node: Node) -> tuple[tuple[JointAxis, ...], Curve | None]:
    curve = _read_curve(node, SDF)
    return (_along(curve, Element(node, SDF).maybe("damping", minimum=0.0) or 0.0),), curve


_SDF_TYPES: dict[str, Callable[[Node], tuple[tuple[JointAxis, ...], Curve | None]]] = {
    "planar": _read_planar,
    "curvilinear": _read_curvilinear,
}


def _read_end(node: Node, tag: str, names: Names) -> tuple[str, Pose] | None:
    child = node.child(tag)
    if child is None:
        node.invalid("drake.missing", "<{tag}> needs a <{tag_2}>", tag=node.tag, tag_2=tag)
        return None
    found = names.frame(child.word("."))
    if found is None:
        child.invalid(
            "drake.unknown-frame",
            "{value!r} is no frame or link of {model}",
            value=child.text.strip(),
            model=names.model,
        )
    return found


# --- curves ----------------------------------------------------------------------------------------------------------


_SKEW = 1e-6
"""Cosine of the angle between tangent and normal beyond which the one is not in the other's plane."""


def _along(curve: Curve, damping: float) -> JointAxis:
    length = sum(arc.length for arc in curve.arcs)
    lower, upper = (-math.inf, math.inf) if curve.periodic else (0.0, length)
    return JointAxis(xyz=curve.initial_tangent, lower=lower, upper=upper, damping=damping)


def _start(curve: Curve) -> Pose:
    """Where Drake has the child's frame at the start: x along the tangent, z along the normal."""
    y = np.cross(curve.plane_normal, curve.initial_tangent)
    length = float(np.linalg.norm(y))
    if length == 0.0:
        return IDENTITY
    y = y / length
    return Pose.of(np.column_stack((np.cross(y, curve.plane_normal), y, curve.plane_normal)))


def _read_curve(node: Node, dialect: Dialect) -> Curve:
    curves = node.child("drake:curves")
    arcs = () if curves is None else tuple(_read_arc(child, dialect) for child in curves.children)
    if not arcs:
        node.invalid("drake.no-curve", "a curvilinear joint needs <drake:curves> with a line or an arc")
    elif curves is not None:
        curves.skip(*_ARCS)
    periodic = node.child("drake:is_periodic")
    key = "xyz" if dialect is SDF else "@xyz"
    tangent = _direction_in(node, "drake:initial_tangent", key, X_AXIS)
    normal = _direction_in(node, "drake:plane_normal", key, Z_AXIS)
    if abs(float(tangent @ normal)) > _SKEW:
        hint = "make them perpendicular"
        node.invalid("drake.skew-curve", "the tangent of the curve is not in its plane", hint=hint)
    is_periodic = periodic is not None and periodic.flag(dialect.value, False)
    return Curve(initial_tangent=tangent, plane_normal=normal, arcs=arcs, periodic=is_periodic)


def _direction_in(node: Node, tag: str, key: str, default: Array) -> Array:
    child = node.child(tag)
    return default if child is None else direction(child, key, default)


_ARCS = ("drake:line_segment", "drake:circular_arc")


def _read_arc(node: Node, dialect: Dialect) -> Arc:
    if node.tag not in _ARCS:
        node.invalid("drake.unknown-curve", "<{tag}> is none of {names}", tag=node.tag, names=", ".join(_ARCS))
        return Arc(length=0.0)
    key = PREFIX if dialect is SDF else "@"
    if node.tag == "drake:line_segment":
        return Arc(length=_positive(node, key + "length"))
    radius, angle = _positive(node, key + "radius"), node.number(key + "angle")
    length = abs(angle) * radius
    return Arc(length=length, curvature=angle / length if length else 0.0)


def _positive(node: Node, key: str) -> float:
    value = node.number(key)
    if value <= 0.0 and node.has(key):
        node.invalid(
            "drake.out-of-range",
            "{key} of <{tag}> is {value:g}; it must be more than 0",
            key=key,
            tag=node.tag,
            value=value,
        )
    return value
