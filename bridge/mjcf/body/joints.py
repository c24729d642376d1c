"""``<joint>`` and ``<freejoint>``: one for each primitive of a body, its position that of the model.

Where a joint's coordinate is not the primitive's displacement (the arc length of a curvilinear joint, its angle
``ratio`` times that), forces and limits are those of the coordinate, referred to the primitive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, Primitive, PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.mechanism.target_names import primitive_names
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element
from bridge.mjcf.xml.number_format import direction, position
from loaders.diagnostics import NOWHERE, Fate, Where
from loaders.model import JointAxis

from .joint_limit_compliance import stop_attributes

_ROTOR = 1e-12
"""Moment of inertia [kg m^2] that tells two hinges on one axis apart; MuJoCo's factorisation needs 1e-14."""
_PARALLEL = 1e-9
"""Sine of the angle between two axes that are as good as parallel."""
UNLIMITED = 1e10
"""The bound that stands for none in a range that has the other; MuJoCo reads ``inf`` as unlimited on both sides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """The MJCF joint that carries a velocity component; its position is ``ratio`` times the model's."""

    joint: str
    ratio: float
    body: int
    primitive: int


def carriers(mechanism: Mechanism) -> dict[int, Carrier]:
    """What carries each velocity component of hinges and slides, by its index in ``v_order``."""
    found: dict[int, Carrier] = {}
    for i, body in enumerate(mechanism.bodies):
        if kind_of(body) is not None:
            continue
        names = primitive_names(body)
        for p in sorted(range(len(names)), key=lambda k: body.primitives[k].ratio != 1.0):
            primitive = body.primitives[p]
            carrier = Carrier(joint=names[p], ratio=primitive.ratio, body=i, primitive=p)
            found.setdefault(body.v_start + primitive.dof_index, carrier)
    return found


def joints(index: int, by_component: dict[int, Carrier], context: Context) -> list[Element]:
    """The joints of one body, in the order of its primitives."""
    body = context.mechanism.bodies[index]
    if kind_of(body) is PrimitiveKind.FREE:
        return [Element("freejoint", name=body.joint)]
    found = []
    for p, (name, primitive) in enumerate(zip(primitive_names(body), body.primitives, strict=True)):
        carrier = by_component.get(body.v_start + primitive.dof_index)
        carries = carrier is None or carrier.primitive == p
        found.append(_joint(body, name, primitive, carries, context))
    return found


def _joint(body: Body, name: str, primitive: Primitive, carries: bool, context: Context) -> Element:
    context.names.claim("joint", name)
    is_ball = primitive.kind is PrimitiveKind.BALL
    element = Element(
        "joint",
        name=name,
        type=None if primitive.kind is PrimitiveKind.HINGE else str(primitive.kind),
        pos=position(body.X_BM.p),
        axis=None if is_ball else direction(body.X_BM.R @ primitive.axis),
    )
    if carries:
        where = body.source.where if body.source is not None else NOWHERE
        _physics(element, body, primitive, where, context)
    return element


def _physics(element: Element, body: Body, primitive: Primitive, where: Where, context: Context) -> None:
    """Limits, damping, friction, spring and armature, referred to the primitive's displacement."""
    r = primitive.ratio
    if r != 1.0:
        context.report(
            Fate.NOTED,
            "joint-coordinate",
            "the position of {attributes} is {r:.6g} times the model's",
            where,
            attributes=element.attributes["name"],
            r=r,
        )
    armature = body.reflected_inertia[primitive.dof_index] / r**2
    if not armature and _is_second_on_its_axis(body, primitive):
        armature = _ROTOR
        context.report(
            Fate.ASSUMED,
            "parallel-axes",
            (
                "the axes of joint {joint} are parallel, and no inertia tells its positions apart; "
                "{attributes} gets {armature:g} kg m^2"
            ),
            where,
            hint="turn an axis, or use a joint of one axis",
            joint=body.joint,
            attributes=element.attributes["name"],
            armature=armature,
        )
    axis = primitive.limits
    if axis is not None:
        if primitive.kind is not PrimitiveKind.BALL:
            _limits(element, axis, r, where, context)
            v = body.v_start + primitive.dof_index
            yielding = stop_attributes(axis, v, element.attributes["name"], context.inverse_inertias, where, context)
            element.set(**yielding)
        element.set(
            springref=axis.spring_reference * r or None,
            stiffness=axis.spring_stiffness / r**2 or None,
            damping=axis.damping / r**2 or None,
            frictionloss=axis.friction / abs(r) or None,
        )
    element.set(armature=armature or None)


def _is_second_on_its_axis(body: Body, primitive: Primitive) -> bool:
    """Whether a hinge turns what another hinge of the same joint turns too."""
    before = body.primitives[: body.primitives.index(primitive)]
    return primitive.kind is PrimitiveKind.HINGE and any(
        other.kind is PrimitiveKind.HINGE
        and other.dof_index != primitive.dof_index
        and np.linalg.norm(np.cross(other.axis, primitive.axis)) < _PARALLEL
        for other in before
    )


def _limits(element: Element, axis: JointAxis, r: float, where: Where, context: Context) -> None:
    """``range`` and ``actuatorfrcrange``. An empty range and one of a single point would mean none to MuJoCo."""
    name = element.attributes["name"]
    lower, upper = sorted((axis.lower * r, axis.upper * r))
    if axis.lower > axis.upper:
        context.report(
            Fate.DROPPED,
            "empty-range",
            "the limits of joint {name} are swapped: {lower:g} > {upper:g}; it is left without",
            where,
            hint="swap them in the source",
            name=name,
            lower=axis.lower,
            upper=axis.upper,
        )
    elif lower < upper and (lower > -UNLIMITED or upper < UNLIMITED):
        element.set(range=(max(lower, -UNLIMITED), min(upper, UNLIMITED)))
    if 0.0 < axis.effort < math.inf:
        element.set(actuatorfrcrange=(-axis.effort / abs(r), axis.effort / abs(r)))
    elif axis.effort <= 0.0:
        context.report(
            Fate.ASSUMED,
            "zero-effort",
            "joint {name} has an effort limit of {effort:g}; actuators on it are left without a limit",
            where,
            hint="state the limit, or omit it",
            name=name,
            effort=axis.effort,
        )


def locked(axis: JointAxis | None) -> bool:
    """Whether the limits leave one position only, which MuJoCo needs to be told as an equality."""
    return axis is not None and axis.lower == axis.upper
