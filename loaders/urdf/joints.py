"""``<joint>``: what moves, along which axes, and within which limits."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from loaders.diagnostics import Fate
from loaders.drake.dialect import URDF
from loaders.drake.joints import URDF_TYPES, complete_urdf_joint, read_acceleration
from loaders.ignored_elements import IgnoredElements, mark_read, report_ignored
from loaders.model import X_AXIS, Coupling, Joint, JointAxis, JointType
from loaders.node import Node
from loaders.sdf.elements.joint_axes import UNLIMITED
from loaders.spatial import IDENTITY, Array, frozen, rotation_to

from .shapes import read_origin

TYPES = {
    "fixed": JointType.FIXED,
    "revolute": JointType.REVOLUTE,
    "continuous": JointType.CONTINUOUS,
    "prismatic": JointType.PRISMATIC,
    "planar": JointType.PLANAR,
    "floating": JointType.FLOATING,
    "ball": JointType.BALL,
    "spherical": JointType.BALL,
    **URDF_TYPES,
}
"""What URDF calls the types of joints. ``ball`` and ``spherical`` are not in the specification."""

_EXTENSIONS = frozenset({"ball", "spherical"})
_LIMITED = frozenset({JointType.REVOLUTE, JointType.PRISMATIC})
_ONE_AXIS = _LIMITED | {JointType.CONTINUOUS}

_CONTROLLER = (
    Fate.NOTED,
    "urdf.controller-setting",
    "it is for controllers; the mechanics do not depend on it",
)
_ASIDES: IgnoredElements = {"safety_controller": _CONTROLLER, "calibration": _CONTROLLER}


def read_joint(node: Node) -> Joint:
    """One joint. Its frame J is the frame of the child link, as the specification has it."""
    report_ignored(node, _ASIDES)
    joint_type = _read_type(node)
    joint = Joint(
        name=node.word("@name"),
        type=joint_type,
        parent=_read_end(node, "parent"),
        child=_read_end(node, "child"),
        X_PJ=read_origin(node),
        X_CJ=IDENTITY,
        axes=_read_axes(node, joint_type),
        where=node.where,
    )
    return complete_urdf_joint(node, joint)


def _read_type(node: Node) -> JointType:
    word = node.word("@type")
    if word in _EXTENSIONS:
        node.report(
            Fate.NOTED,
            "urdf.joint-type-extension",
            "the joint type {word} is not in the specification; it is a ball joint",
            word=word,
        )
    elif word and word not in TYPES:
        node.invalid("urdf.joint-type", "the joint type {word!r} is none of {names}", word=word, names=", ".join(TYPES))
    return TYPES.get(word, JointType.FIXED)


def _read_end(node: Node, tag: str) -> str:
    end = node.child(tag)
    if end is None:
        node.invalid("xml.missing", "<joint> needs a <{tag}>", tag=tag)
        return ""
    return end.word("@link")


# --- axes ------------------------------------------------------------------------------------------------------------


def _read_axes(node: Node, joint_type: JointType) -> tuple[JointAxis, ...]:
    if joint_type in _ONE_AXIS:
        direction = _read_direction(node)
        friction, (damping, *_) = _read_dynamics(node, 1)
        return (_limited(node, joint_type, JointAxis(xyz=direction, damping=damping, friction=friction)),)
    if joint_type is JointType.PLANAR:
        return _read_planar(node, _read_direction(node))
    _report_unlimited(node, joint_type)
    if joint_type in URDF_TYPES:
        friction, (damping, *_) = _read_dynamics(node, 1)
        return (JointAxis(xyz=_read_direction(node), damping=damping, friction=friction),)
    if joint_type is JointType.BALL and node.has("dynamics"):
        friction, (damping, *_) = _read_dynamics(node, 1)
        return (JointAxis(xyz=X_AXIS, damping=damping, friction=friction),)
    for unused in node.all("axis", "dynamics"):
        mark_read(unused)
    return ()


def _read_direction(node: Node) -> Array:
    axis = node.child("axis")
    if axis is None:
        return X_AXIS
    xyz = axis.numbers("@xyz", 3, (1.0, 0.0, 0.0))
    length = math.hypot(*xyz)
    if length < 1e-8:
        axis.invalid("urdf.zero-axis", "the axis is zero: it has no direction", hint="leave it out if there is none")
        return X_AXIS
    return frozen(np.array(xyz) / length) if length != 1.0 else frozen(xyz)


def _read_dynamics(node: Node, count: int) -> tuple[float, tuple[float, ...]]:
    """Friction, and the damping of each degree of freedom; one number is for all of them."""
    dynamics = node.child("dynamics")
    if dynamics is None:
        return 0.0, (0.0,) * count
    if count > 1 and len(dynamics.attributes.get("damping", "").split()) > 1:
        damping = dynamics.numbers("@damping", count)
    else:
        damping = (dynamics.number("@damping", 0.0),) * count
    friction = dynamics.number("@friction", 0.0)
    if min(*damping, friction, 0.0) < 0.0:
        dynamics.invalid("xml.out-of-range", "damping and friction must not be negative")
    return friction, damping


def _read_planar(node: Node, normal: Array) -> tuple[JointAxis, ...]:
    """Axes x, y and the normal: the rotation nearest to the identity that turns z to the normal, as in Drake."""
    friction, damping = _read_dynamics(node, 3)
    if friction:
        node.report(Fate.ASSUMED, "urdf.planar-friction", "the friction of a planar joint counts for each of its axes")
    if (dynamics := node.peek("dynamics")) and len(dynamics.attributes.get("damping", "").split()) == 1:
        node.report(Fate.NOTED, "urdf.planar-damping", "one damping counts for each axis; Drake wants three numbers")
    _report_unlimited(node, JointType.PLANAR)
    R = rotation_to(normal)
    return tuple(
        JointAxis(xyz=frozen(R[:, i]) if i < 2 else normal, damping=damping[i], friction=friction) for i in range(3)
    )


def _report_unlimited(node: Node, joint_type: JointType) -> None:
    """Say that limits mean nothing for this type. A fixed joint often has some, left over; they limit nothing."""
    limit = node.child("limit")
    if limit is None:
        return
    limit.skip(*("@" + name for name in limit.attributes))
    if joint_type is not JointType.FIXED:
        limit.report(
            Fate.DROPPED, "urdf.limit-ignored", "limits of a {joint_type} joint are not defined", joint_type=joint_type
        )


# --- limits ----------------------------------------------------------------------------------------------------------


def _limited(node: Node, joint_type: JointType, axis: JointAxis) -> JointAxis:
    limit = node.child("limit")
    if limit is None:
        if joint_type in _LIMITED:
            node.report(
                Fate.ASSUMED,
                "urdf.missing-limit",
                "a {joint_type} joint needs a <limit>; it is taken to have none",
                hint="write the limits, or make it continuous",
                joint_type=joint_type,
            )
        return axis
    lower, upper = _read_range(limit, joint_type)
    return dataclasses.replace(
        axis,
        lower=lower,
        upper=upper,
        effort=_read_bound(limit, "effort"),
        velocity=_read_bound(limit, "velocity"),
        acceleration=read_acceleration(limit, URDF),
    )


def _read_bound(limit: Node, name: str) -> float:
    """Largest effort or speed; it is required, and without bound where it is not given."""
    if not limit.has("@" + name):
        limit.report(
            Fate.ASSUMED, "urdf.missing-limit", "<limit> needs {name}; it is taken to be without bound", name=name
        )
    bound = limit.number("@" + name, math.inf, minimum=0.0, inf=True)
    if UNLIMITED <= bound < math.inf:
        return math.inf
    if math.isinf(bound) and limit.has("@" + name):
        limit.report(
            Fate.NOTED, "urdf.infinite-limit", "{name} is infinite, which not every reader of URDF accepts", name=name
        )
    return bound


def _read_range(limit: Node, joint_type: JointType) -> tuple[float, float]:
    lower, upper = limit.maybe_number("@lower", inf=True), limit.maybe_number("@upper", inf=True)
    if lower is None and upper is None:
        if joint_type in _LIMITED:
            message = "<limit> has neither lower nor upper; the joint is taken to be unlimited, not locked at 0"
            limit.report(Fate.ASSUMED, "urdf.missing-limit", message)
        return -math.inf, math.inf
    if joint_type is JointType.CONTINUOUS:
        limit.report(
            Fate.ASSUMED, "urdf.continuous-limit", "a continuous joint has no limits; lower and upper are not used"
        )
        return -math.inf, math.inf
    if lower is None or upper is None:
        which = "lower" if lower is None else "upper"
        limit.report(
            Fate.ASSUMED,
            "urdf.missing-limit",
            "<limit> has no {which}; it is 0, as the specification says",
            which=which,
        )
        lower, upper = lower or 0.0, upper or 0.0
    if lower > upper:
        limit.report(
            Fate.ASSUMED,
            "urdf.reversed-limit",
            ("lower {lower:g} is above upper {upper:g}; the joint is taken to be unlimited, as in PyBullet"),
            lower=lower,
            upper=upper,
        )
        return -math.inf, math.inf
    return -math.inf if lower <= -UNLIMITED else lower, math.inf if upper >= UNLIMITED else upper


# --- mimic -----------------------------------------------------------------------------------------------------------


def read_mimic(node: Node, follower: Joint, joints: dict[str, Joint]) -> Coupling | None:
    """The ``<mimic>`` of a joint, or None if it has none that can hold."""
    mimic = node.child("mimic")
    if mimic is None:
        return None
    leader = mimic.word("@joint")
    multiplier, offset = mimic.number("@multiplier", 1.0), mimic.number("@offset", 0.0)
    if leader not in joints or leader == follower.name:
        problem = "itself" if leader == follower.name else f"{leader!r}, which is no joint"
        mimic.invalid("urdf.mimic", "joint {follower} mimics {problem}", follower=follower.name, problem=problem)
        return None
    if not follower.axes:
        mimic.report(
            Fate.DROPPED,
            "urdf.mimic-ignored",
            "joint {follower} is {follower_type}; it cannot follow {leader}",
            follower=follower.name,
            follower_type=follower.type,
            leader=leader,
        )
        return None
    sizes = [len(joint.axes) for joint in (follower, joints[leader])]
    if sizes[0] != sizes[1]:
        mimic.invalid(
            "urdf.mimic",
            "joint {follower} has {sizes} degrees of freedom and mimics {leader}, which has {sizes_2}",
            follower=follower.name,
            sizes=sizes[0],
            leader=leader,
            sizes_2=sizes[1],
        )
        return None
    if sizes[0] != 1:
        mimic.report(
            Fate.DROPPED,
            "urdf.mimic-ignored",
            "only joints with one degree of freedom can mimic; {follower} has {sizes}",
            follower=follower.name,
            sizes=sizes[0],
        )
        return None
    return Coupling(follower=follower.name, leader=leader, multiplier=multiplier, offset=offset, where=mimic.where)
