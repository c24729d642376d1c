"""Drake's joints, actuators and couplings, and the canonical form of a document."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from loaders.drake import codes
from loaders.model import (
    TRAITS,
    X_AXIS,
    Y_AXIS,
    Z_AXIS,
    Actuator,
    Arc,
    Coupling,
    Curve,
    Joint,
    JointAxis,
    JointType,
)
from loaders.node import Node, detach_all
from loaders.pose import Array, Pose

from .dialect import PREFIX, SDF, URDF, Dialect, DrakeElement, NameResolver, direction, number

ACTUATED = frozenset(
    joint_type
    for joint_type, traits in TRAITS.items()
    if traits.sdf_tag == "joint" and traits.velocity_count == 1
)
"""Types of SDFormat joints that Drake gives an actuator."""


def read_acceleration(limit: Node, dialect: Dialect) -> float:
    """Return the acceleration limit in a ``<limit>``; infinite if there is none.

    In URDF, ``drake:acceleration`` precedes ``acceleration``, which URDF has since version 1.2.
    """
    key = "drake:acceleration"
    if dialect is URDF:
        bound = limit.number("@acceleration", math.inf, minimum=0.0, inf=True)
        return limit.number("@" + key, bound, minimum=0.0, inf=True)
    node = limit.child(key)
    return math.inf if node is None else number(node, ".", minimum=0.0, inf=True)


# --- actuators ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """Rotor, gear and gains of an actuator; see `loaders.model.Actuator` for the units."""

    rotor_inertia: float = 0.0
    """Inertia of the rotor, before the gear."""
    gear_ratio: float = 1.0
    """Ratio of the gear."""
    p_gain: float | None = None
    """Position gain."""
    d_gain: float | None = None
    """Velocity gain."""


_NO_DRIVE = Drive()
_DRIVE = ("drake:controller_gains", "drake:rotor_inertia", "drake:gear_ratio")


def read_drive(node: Node, dialect: Dialect) -> Drive:
    """Return rotor, gear and gains from a ``<joint>`` of SDFormat or from the ``<actuator>`` of a
    URDF transmission.
    """
    if node.lacks(_DRIVE):
        return _NO_DRIVE
    element = DrakeElement(node, dialect)
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
    """Return the actuator that Drake gives an SDFormat joint, or None.

    Each revolute, continuous, prismatic and screw joint has one, unless its effort limit is zero.

    Args:
        node: The ``<joint>``.
        joint: The joint read from it.
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
            where=joint.where,
        )
    if drive != _NO_DRIVE:
        reason = "its effort limit is 0" if joint.type in ACTUATED else f"it is {joint.type}"
        node.report(codes.IDLE_ACTUATOR, subjects=(joint.name,), joint=joint.name, reason=reason)
    return None


# --- couplings ------------------------------------------------------------------------------------


def read_mimic(node: Node, follower: Joint, names: NameResolver) -> Coupling | None:
    """Return the coupling of a ``drake:mimic`` of an SDFormat joint, or None if it has no valid
    one.

    Args:
        node: The ``<joint>``.
        follower: The joint read from it.
        names: The names in the model.
    """
    mimic = node.child("drake:mimic")
    if mimic is None:
        return None
    name = mimic.word("@joint")
    multiplier, offset = mimic.number("@multiplier"), mimic.number("@offset")
    leader = names.joint(name)
    if leader is None or leader.name == follower.name:
        mimic.report(
            codes.MIMIC if leader is None else codes.MIMIC_ITSELF,
            subjects=(follower.name,),
            follower=follower.name,
            leader=name,
            model=names.model,
        )
        return None
    many = next((joint for joint in (follower, leader) if len(joint.axes) != 1), None)
    if many is not None:
        mimic.report(
            codes.MIMIC_IGNORED,
            subjects=(follower.name, leader.name),
            joint=many.name,
            count=len(many.axes),
        )
        return None
    return Coupling(
        follower=follower.name,
        leader=leader.name,
        multiplier=multiplier,
        offset=offset,
        where=mimic.where,
    )


# --- joint types of Drake -------------------------------------------------------------------------

URDF_TYPES = frozenset(
    joint_type
    for joint_type, traits in TRAITS.items()
    if traits.urdf_tag == "drake:joint" and traits.axis_count
)
"""Joint types in a URDF that `complete_urdf_joint` supports in addition to those of URDF."""


def complete_urdf_joint(node: Node, joint: Joint) -> Joint:
    """Return a joint of one of `URDF_TYPES` with all its axes; any other joint unchanged.

    Args:
        node: The ``<joint>``.
        joint: The joint read from it, with one axis and its damping.

    Raises:
        NotImplementedError: if no branch completes the type.
    """
    if joint.type not in URDF_TYPES:
        return joint
    (axis,) = joint.axes
    if joint.type is JointType.UNIVERSAL:  # Drake ignores <axis>
        return replace(joint, axes=(replace(axis, xyz=X_AXIS), replace(axis, xyz=Y_AXIS)))
    if joint.type is JointType.SCREW:
        return replace(joint, pitch=DrakeElement(node, URDF).number("screw_thread_pitch"))
    if joint.type is not JointType.CURVILINEAR:
        raise NotImplementedError(f"no reader completes a URDF joint of type {joint.type}")
    curve = _read_curve(node, URDF)
    return replace(
        joint,
        axes=(_curve_axis(curve, axis.damping),),
        curve=curve,
        X_CJ=joint.X_CJ @ curve.X_JS.inverse(),
    )


def read_sdf_joints(model: Node, names: NameResolver) -> list[Joint]:
    """Return the joints of the ``drake:joint`` elements of an SDFormat model."""
    joints: dict[str, Joint] = {}
    for node in model.all("drake:joint"):
        joint = _read_sdf_joint(node, names)
        name = node.word("@name", "")
        if joint is None:
            continue
        if joint.name in joints or names.joint(name) is not None:
            subjects = (joint.name,)
            node.report(codes.DUPLICATE_JOINT, subjects=subjects, joint=joint.name)
        joints.setdefault(joint.name, joint)
    return list(joints.values())


def _read_sdf_joint(node: Node, names: NameResolver) -> Joint | None:
    name, kind = node.word("@name"), node.word("@type")
    parent, child = (_read_end(node, tag, names) for tag in ("drake:parent", "drake:child"))
    if (pose := node.child("pose")) is not None:
        pose.report(codes.JOINT_POSE)
    if kind not in _SDF_TYPES:
        node.report(codes.JOINT_TYPE_OF_SDF, type=kind, known=tuple(_SDF_TYPES))
        return None
    axes, curve = _SDF_TYPES[kind](node)
    if parent is None or child is None:
        return None
    if parent[0] == child[0]:
        scoped = names.prefix + name
        subjects = (scoped, child[0])
        node.report(codes.SAME_BODY_OF_JOINT, subjects=subjects, joint=name, link=child[0])
        return None
    return Joint(
        name=names.prefix + name,
        type=JointType(kind),
        parent=parent[0],
        child=child[0],
        X_PJ=parent[1],
        X_CJ=child[1] if curve is None else child[1] @ curve.X_JS.inverse(),
        axes=axes,
        curve=curve,
        where=node.where,
    )


def _read_planar(node: Node) -> tuple[tuple[JointAxis, ...], Curve | None]:
    damping = DrakeElement(node, SDF).vector("damping", minimum=0.0).tolist()
    axes = zip((X_AXIS, Y_AXIS, Z_AXIS), damping, strict=True)
    return tuple(JointAxis(xyz=xyz, damping=c) for xyz, c in axes), None


def _read_curvilinear(node: Node) -> tuple[tuple[JointAxis, ...], Curve | None]:
    curve = _read_curve(node, SDF)
    return (
        _curve_axis(curve, DrakeElement(node, SDF).maybe("damping", minimum=0.0) or 0.0),
    ), curve


_SDF_TYPES: dict[str, Callable[[Node], tuple[tuple[JointAxis, ...], Curve | None]]] = {
    "planar": _read_planar,
    "curvilinear": _read_curvilinear,
}


def _read_end(node: Node, tag: str, names: NameResolver) -> tuple[str, Pose] | None:
    child = node.child(tag)
    if child is None:
        node.report(codes.MISSING, tag=node.tag, child=tag)
        return None
    frame = names.frame(child.word("."))
    if frame is None:
        child.report(codes.UNKNOWN_FRAME, frame=child.text.strip(), model=names.model)
    return frame


# --- curves ---------------------------------------------------------------------------------------


_MAX_COSINE = 1e-6
"""Largest cosine of the angle between the tangent and the normal of a curve."""


def _curve_axis(curve: Curve, damping: float) -> JointAxis:
    length = sum(arc.length for arc in curve.arcs)
    lower, upper = (-math.inf, math.inf) if curve.periodic else (0.0, length)
    return JointAxis(xyz=curve.initial_tangent, lower=lower, upper=upper, damping=damping)


def _read_curve(node: Node, dialect: Dialect) -> Curve:
    curves = node.child("drake:curves")
    arcs = () if curves is None else tuple(_read_arc(child, dialect) for child in curves.children)
    if not arcs:
        node.report(codes.NO_CURVE)
    elif curves is not None:
        curves.mark(*_ARCS)
    periodic = node.child("drake:is_periodic")
    key = "xyz" if dialect is SDF else "@xyz"
    tangent = _direction_in(node, "drake:initial_tangent", key, X_AXIS)
    normal = _direction_in(node, "drake:plane_normal", key, Z_AXIS)
    if abs(float(tangent @ normal)) > _MAX_COSINE:
        node.report(codes.SKEW_CURVE)
    is_periodic = periodic is not None and periodic.flag(dialect.value, False)
    return Curve(initial_tangent=tangent, plane_normal=normal, arcs=arcs, periodic=is_periodic)


def _direction_in(node: Node, tag: str, key: str, default: Array) -> Array:
    child = node.child(tag)
    return default if child is None else direction(child, key, default)


_ARCS = ("drake:line_segment", "drake:circular_arc")


def _read_arc(node: Node, dialect: Dialect) -> Arc:
    if node.tag not in _ARCS:
        node.report(codes.UNKNOWN_CURVE, tag=node.tag, known=_ARCS)
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
        node.report(codes.OUT_OF_RANGE_POSITIVE, key=key, tag=node.tag, value=value)
    return value


_PROPERTIES = (
    "illustration_properties",
    "perception_properties",
    "accepting_renderer",
    "proximity_properties",
)
_PREFIXED = frozenset(
    {*(PREFIX + tag for tag in _PROPERTIES), "drake:diffuse_map", "drake:declare_convex"}
)
_SIZES = {"drake:capsule": ("radius", "length"), "drake:ellipsoid": ("a", "b", "c")}
"""Required sizes of shapes whose sizes have defaults in SDFormat but not in Drake."""
_REWRITTEN = frozenset({"drake:visual", *_SIZES})
_URDF_JOINTS = frozenset({"ball", "planar", "screw", "universal", "curvilinear"})


def canonicalize_sdf(root: Node) -> None:
    """Rewrite ``drake:visual``, ``drake:capsule`` and ``drake:ellipsoid`` of an SDFormat file as
    standard elements.
    """
    nodes = [root]
    for node in nodes:
        if node.children:
            nodes += node.children
    if _REWRITTEN.isdisjoint([node.tag for node in nodes]):
        return
    for node in list(root.walk()):
        if node.tag == "drake:visual" and node.parent is not None and node.parent.tag == "link":
            _remove_prefix(node)
            node.parent.append(node)  # after the standard visuals of the link
    for node in root.walk():
        if node.tag in _SIZES:
            _require_sizes(node)
            node.tag = node.tag.removeprefix(PREFIX)
            if node.tag == "ellipsoid":
                node.add("radii", " ".join(node.word(key, "") for key in "abc"))


def _remove_prefix(visual: Node) -> None:
    """Remove the prefix from every tag of a ``drake:visual``."""
    for node in visual.walk():
        if not node.tag.startswith(PREFIX):
            node.report(codes.VISUAL_PREFIX, tag=node.tag, prefix=PREFIX)
        elif node.tag not in _PREFIXED:
            node.tag = node.tag.removeprefix(PREFIX)


def _require_sizes(shape: Node) -> None:
    for key in _SIZES[shape.tag]:
        if not shape.has(key):
            shape.report(codes.MISSING, tag=shape.tag, child=key)


def canonicalize_urdf(root: Node) -> None:
    """Remove elements with ``drake_ignore`` from a URDF; rewrite ``drake:`` joints as standard
    elements.
    """
    of_drake = [child for child in root.children if _is_of_drake(child)]
    detach_all(node for node in of_drake if node.attributes.get("drake_ignore") == "true")
    for node in of_drake:
        if node.parent is None:
            node.report(codes.IGNORED_ELEMENT, tag=node.tag)
        elif node.tag == "drake:joint":
            _unprefix_joint(node)
        elif node.tag == "joint" and node.attributes.get("type") in URDF_TYPES:
            node.report(codes.PLAIN_JOINT, type=node.attributes["type"])


def _is_of_drake(node: Node) -> bool:
    if "drake_ignore" in node.attributes:
        return node.tag in _IGNORABLE
    return node.tag == "drake:joint" or (
        node.tag == "joint" and node.attributes.get("type") in URDF_TYPES
    )


_IGNORABLE = frozenset({"link", "joint", "drake:joint"})


def _unprefix_joint(node: Node) -> None:
    kind = node.attributes.get("type", "")
    node.tag = "joint"
    if kind not in _URDF_JOINTS:
        node.report(codes.JOINT_TYPE, type=kind, known=tuple(sorted(_URDF_JOINTS)))
