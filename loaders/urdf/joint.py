"""Reader of ``<joint>``: type, axes, limits and mimic."""

from __future__ import annotations

import math

from loaders import codes as loaders_codes
from loaders.drake.dialect import URDF
from loaders.drake.joint import URDF_TYPES, complete_urdf_joint, read_acceleration
from loaders.model import TRAITS, X_AXIS, Coupling, Joint, JointAxis, JointType
from loaders.model.joint import UNLIMITED
from loaders.node import IgnoredElements, Node, mark_read, report_ignored
from loaders.pose import IDENTITY, Array, frozen, rotation_to
from loaders.urdf import codes

from .geometry import LAST_VERSION, read_origin, version_at

TYPES = {
    name: joint_type
    for joint_type, traits in sorted(TRAITS.items(), key=lambda item: item[1].urdf_tag != "joint")
    if traits.urdf_tag
    for name in (joint_type.value, *traits.urdf_aliases)
}
"""Joint types, keyed by their names in URDF; ``ball`` and ``spherical`` are not in the
specification."""

_EXTENSIONS = frozenset({"ball", "spherical"})
_LIMITED = frozenset({JointType.REVOLUTE, JointType.PRISMATIC})
_ONE_AXIS = frozenset(
    joint_type
    for joint_type, traits in TRAITS.items()
    if traits.urdf_tag == "joint" and traits.axis_count == 1
)

_IGNORED: IgnoredElements = {
    "safety_controller": codes.CONTROLLER_SETTING,
    "calibration": codes.CONTROLLER_SETTING,
}
_LIMITS_OF_VERSION_1_2 = ("acceleration", "deceleration", "jerk")


def read_joint(node: Node) -> Joint:
    """Read a joint. Its frame J is the frame of the child link, as in the specification.

    Args:
        node: The ``<joint>``.
    """
    report_ignored(node, _IGNORED)
    node.mark("@drake_ignore")
    kind = node.word("@type", "")
    joint_type = TYPES[kind] if kind in TYPES and kind not in _EXTENSIONS else _read_type(node)
    parent, child = node.child("parent"), node.child("child")
    joint = Joint(
        name=node.word("@name", ""),
        type=joint_type,
        parent=_read_end(node, parent, "parent"),
        child=_read_end(node, child, "child"),
        X_PJ=read_origin(node),
        X_CJ=IDENTITY,
        axes=_read_axes(node, joint_type),
        where=node.where,
    )
    return complete_urdf_joint(node, joint) if joint_type in URDF_TYPES else joint


def _read_type(node: Node) -> JointType:
    word = node.word("@type")
    if word in _EXTENSIONS:
        node.report(codes.JOINT_TYPE_EXTENSION, type=word)
    elif word and word not in TYPES:
        joint = node.word("@name", "") or "the joint"
        node.report(codes.JOINT_TYPE, joint=joint, type=word, known=", ".join(TYPES))
    return TYPES.get(word, JointType.FIXED)


def _read_end(node: Node, end: Node | None, tag: str) -> str:
    if end is None:
        node.report(loaders_codes.XML_MISSING_CHILD, tag="joint", child=tag)
        return ""
    return end.word("@link")


# --- axes -----------------------------------------------------------------------------------------


def _read_axes(node: Node, joint_type: JointType) -> tuple[JointAxis, ...]:
    if joint_type in _ONE_AXIS:
        direction = _read_direction(node.child("axis"))
        friction, (damping, *_) = _read_dynamics(node.child("dynamics"), 1)
        limits = _read_limits(node, node.child("limit"), joint_type)
        return (JointAxis(xyz=direction, damping=damping, friction=friction, **limits),)
    if joint_type is JointType.PLANAR:
        return _read_planar(node, _read_direction(node.child("axis")))
    _report_unlimited(node, joint_type)
    if joint_type in URDF_TYPES:
        friction, (damping, *_) = _read_dynamics(node.child("dynamics"), 1)
        return (
            JointAxis(xyz=_read_direction(node.child("axis")), damping=damping, friction=friction),
        )
    if joint_type is JointType.BALL and node.has("dynamics"):
        friction, (damping, *_) = _read_dynamics(node.child("dynamics"), 1)
        return (JointAxis(xyz=X_AXIS, damping=damping, friction=friction),)
    for unused in node.all("axis", "dynamics"):
        mark_read(unused)
    return ()


def _read_direction(axis: Node | None) -> Array:
    if axis is None:
        return X_AXIS
    xyz = axis.numbers("@xyz", 3, (1.0, 0.0, 0.0))
    length = math.hypot(*xyz)
    if length < 1e-8:
        axis.report(codes.ZERO_AXIS)
        return X_AXIS
    x, y, z = xyz
    return frozen((x / length, y / length, z / length))


def _read_dynamics(dynamics: Node | None, count: int) -> tuple[float, tuple[float, ...]]:
    """Return the friction and the damping of each degree of freedom; a single damping is for all of
    them.
    """
    if dynamics is None:
        return 0.0, (0.0,) * count
    if count > 1 and len(dynamics.attributes.get("damping", "").split()) > 1:
        damping = dynamics.numbers("@damping", count)
        friction = dynamics.number("@friction", 0.0)
    else:
        damping = (dynamics.number("@damping", 0.0),) * count
        friction = dynamics.number("@friction", 0.0)
    for key, value in (("damping", min(damping)), ("friction", friction)):
        if value < 0.0:
            dynamics.report(codes.NEGATIVE_DYNAMICS, key=key, value=value)
    return friction, damping


def _read_planar(node: Node, normal: Array) -> tuple[JointAxis, ...]:
    """Return the axes x, y and normal; as in Drake, their rotation is the least that turns z into
    the normal.
    """
    friction, damping = _read_dynamics(node.child("dynamics"), 3)
    if friction:
        node.report(codes.PLANAR_FRICTION)
    if (dynamics := node.peek("dynamics")) and len(
        dynamics.attributes.get("damping", "").split()
    ) == 1:
        node.report(codes.PLANAR_DAMPING)
    _report_unlimited(node, JointType.PLANAR)
    R = rotation_to(normal)
    return tuple(
        JointAxis(xyz=frozen(R[:, i]) if i < 2 else normal, damping=damping[i], friction=friction)
        for i in range(3)
    )


def _report_unlimited(node: Node, joint_type: JointType) -> None:
    """Report limits of a type that has none. Those of a fixed joint, a common leftover, are ignored
    silently.
    """
    limit = node.child("limit")
    if limit is None:
        return
    limit.mark(*("@" + name for name in limit.attributes))
    if joint_type is not JointType.FIXED:
        limit.report(codes.LIMIT_IGNORED, type=joint_type.value)


# --- limits ---------------------------------------------------------------------------------------


def _read_limits(node: Node, limit: Node | None, joint_type: JointType) -> dict[str, float]:
    """Return the limits of a joint by the names of the fields of `JointAxis`; empty if the joint
    has none.
    """
    if limit is None:
        if joint_type in _LIMITED:
            node.report(codes.MISSING_LIMIT, type=joint_type.value)
        return {}
    lower, upper = _read_range(limit, joint_type)
    effort, velocity = _read_bound(limit, "effort"), _read_bound(limit, "velocity")
    acceleration = read_acceleration(limit, URDF)
    _report_limits_of_controllers(limit)
    return {
        "lower": lower,
        "upper": upper,
        "effort": effort,
        "velocity": velocity,
        "acceleration": acceleration,
    }


def _report_limits_of_controllers(limit: Node) -> None:
    """Report the limits that no target has, and those that the version of the file does not
    have.
    """
    names = [name for name in _LIMITS_OF_VERSION_1_2 if name in limit.attributes]
    if not names:
        return
    stated, version = version_at(limit)
    if version < LAST_VERSION:
        limit.report(codes.CONTROLLER_SETTING_OLD_VERSION, name=" and ".join(names), version=stated)
    for name in names:
        if name != "acceleration" and limit.number("@" + name, math.inf, inf=True) < math.inf:
            value = limit.word("@" + name)
            limit.report(codes.LIMIT_IGNORED_RATE, name=name, value=value)


def _read_bound(limit: Node, name: str) -> float:
    """Return the effort or velocity limit, a required value; infinite if it is missing."""
    if not limit.has("@" + name):
        limit.report(codes.MISSING_LIMIT_INFINITY, attribute=name)
    with limit.diagnostics.tolerating("the joint has no such limit"):
        stated = limit.maybe_number("@" + name, minimum=0.0, inf=True)
    bound = math.inf if stated is None else stated
    if UNLIMITED <= bound < math.inf:
        return math.inf
    if stated == math.inf:
        limit.report(codes.INFINITE_LIMIT, attribute=name)
    return bound


def _read_range(limit: Node, joint_type: JointType) -> tuple[float, float]:
    lower, upper = limit.maybe_number("@lower", inf=True), limit.maybe_number("@upper", inf=True)
    if lower is None and upper is None:
        if joint_type in _LIMITED:
            limit.report(codes.MISSING_LIMIT_RANGE)
        return -math.inf, math.inf
    if joint_type is JointType.CONTINUOUS:
        limit.report(codes.CONTINUOUS_LIMIT)
        return -math.inf, math.inf
    if lower is None or upper is None:
        missing = "lower" if lower is None else "upper"
        limit.report(codes.MISSING_LIMIT_ZERO, attribute=missing)
        lower, upper = lower or 0.0, upper or 0.0
    if lower > upper:
        limit.report(codes.REVERSED_LIMIT, lower=lower, upper=upper)
        return -math.inf, math.inf
    return -math.inf if lower <= -UNLIMITED else lower, math.inf if upper >= UNLIMITED else upper


# --- mimic ----------------------------------------------------------------------------------------


def read_mimic(node: Node, follower: Joint, joints: dict[str, Joint]) -> Coupling | None:
    """Return the coupling of the ``<mimic>`` of a joint, or None if it has no valid one.

    Args:
        node: The ``<joint>``.
        follower: The joint read from it.
        joints: All joints, keyed by name.
    """
    mimic = node.child("mimic")
    if mimic is None:
        return None
    leader = mimic.word("@joint")
    multiplier, offset = mimic.number("@multiplier", 1.0), mimic.number("@offset", 0.0)
    if not can_mimic(mimic, follower, leader, joints):
        return None
    return Coupling(
        follower=follower.name,
        leader=leader,
        multiplier=multiplier,
        offset=offset,
        where=mimic.where,
    )


def can_mimic(mimic: Node, follower: Joint, leader: str, joints: dict[str, Joint]) -> bool:
    """Return whether a joint can mimic a leader; report why not.

    Args:
        mimic: The element that says so.
        follower: The joint.
        leader: Name of the leader.
        joints: All joints, keyed by name.
    """
    names = {"follower": follower.name, "leader": leader}
    if leader not in joints or leader == follower.name:
        code = codes.MIMIC_ITSELF if leader in joints else codes.MIMIC
        mimic.report(code, subjects=(follower.name,), **names)
        return False
    subjects = (follower.name, leader)
    dofs, leader_dofs = len(follower.axes), len(joints[leader].axes)
    if not dofs:
        kind = follower.type.value
        mimic.report(codes.MIMIC_IGNORED_NO_AXIS, subjects=subjects, type=kind, **names)
    elif dofs != leader_dofs:
        mimic.report(
            codes.MIMIC_FREEDOMS, subjects=subjects, dofs=dofs, leader_dofs=leader_dofs, **names
        )
    elif dofs != 1:
        mimic.report(codes.MIMIC_IGNORED, subjects=subjects, dofs=dofs, **names)
    return dofs == leader_dofs == 1
