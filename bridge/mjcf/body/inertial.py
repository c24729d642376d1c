"""``<inertial>``: exactly the model's inertia, in the form and within the rules that MuJoCo's compiler accepts.

MuJoCo demands ``A + B >= C`` of the principal moments in floating point, without tolerance, even of bodies that do not
move; and of each body that moves, mass and moments above 1e-15, unless a body welded to it has them.
"""

from __future__ import annotations

import math

import numpy as np

from bridge.lowering.inertia_repair import REPAIRED_INERTIA, repair_arguments
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element
from bridge.mjcf.xml.number_format import numbers, quaternion
from loaders.diagnostics import Fate
from loaders.model import Link
from loaders.scene_operations.mass_properties import shape_inertia
from loaders.spatial import Array, SpatialInertia, frozen

MINIMUM = 1e-15
"""MuJoCo's smallest mass [kg] and moment [kg m^2] of a moving body (``mjMINVAL``); must be exceeded."""
_WATER = 1000.0
"""Density of a shape that states none [kg/m^3], as in SDFormat."""
EPSILON = 1e-14
"""What a moving body gets that has none: the next power of ten that its compiler and its solver accept."""


def inertials(context: Context) -> list[Element | None]:
    """The ``<inertial>`` of each body, None where it has no mass and needs none."""
    accepted = [_accepted(body.link, body.inertia, context) for body in context.mechanism.bodies]
    carried = _carried(context, accepted)
    return [
        _element(body.link, accepted[i], moving=bool(body.primitives) and not carried[i], context=context)
        for i, body in enumerate(context.mechanism.bodies)
    ]


def _accepted(link: Link, inertia: SpatialInertia, context: Context) -> SpatialInertia:
    """The inertia to write: the link's own, or as the option ``inertia`` has it where no body can have that."""
    mode = context.options.inertia
    if mode == "from_geometry" and (link.inertia is None or link.inertia.defects()):
        return _from_geometry(link, context)
    if mode == "error" and link.inertia is None:
        context.report(
            Fate.INVALID,
            "no-inertia",
            "link {link} has no inertia",
            link.where,
            hint='state it, or use inertia="keep"',
            link=link.name,
        )
    defects = inertia.defects()
    if not defects:
        return inertia
    if mode == "repair" and math.isfinite(inertia.mass) and np.all(np.isfinite(inertia.I_Lcm)):
        return _repaired(link, inertia, context)
    message = f"the inertia of link {link.name} belongs to no real body, and MuJoCo refuses it: {'; '.join(defects)}"
    hint = 'correct it in the source, or use inertia="repair"'
    context.report(Fate.INVALID, "impossible-inertia", message, link.where, hint=hint)
    return SpatialInertia.of(0.0)


def _repaired(link: Link, inertia: SpatialInertia, context: Context) -> SpatialInertia:
    context.report(
        Fate.REPAIRED,
        "repaired-inertia",
        REPAIRED_INERTIA,
        link.where,
        subjects=(link.name,),
        **repair_arguments(link, inertia),
    )
    return inertia.repaired()


def _from_geometry(link: Link, context: Context) -> SpatialInertia:
    """The sum over the collision shapes, of their density or water's; scaled to the link's mass if it has one."""
    total = SpatialInertia.of(0.0)
    for collision in link.collisions:
        part = shape_inertia(collision.geometry, collision.density or _WATER)
        if part is not None:
            total += part.moved(collision.X_LG)
    if link.inertia is not None and link.inertia.mass > 0.0 and total.mass > 0.0:
        scale = link.inertia.mass / total.mass
        total = SpatialInertia(link.inertia.mass, total.p_LLcm, frozen(scale * total.I_Lcm))
    context.report(
        Fate.ASSUMED,
        "inertia-from-geometry",
        "link {link} gets {mass:g} kg and its inertia from its collision shapes",
        link.where,
        link=link.name,
        mass=total.mass,
    )
    return total


def _carried(context: Context, inertias: list[SpatialInertia]) -> list[bool]:
    """For each body: whether it, or a body welded to it, has mass and moments that MuJoCo accepts."""
    carried = [inertia.mass > MINIMUM and _least_moment(inertia) > MINIMUM for inertia in inertias]
    for i, body in reversed(list(enumerate(context.mechanism.bodies))):
        if carried[i] and not body.primitives and body.parent >= 0:
            carried[body.parent] = True
    return carried


def _least_moment(inertia: SpatialInertia) -> float:
    return float(np.linalg.eigvalsh(inertia.I_Lcm)[0])


def _element(link: Link, inertia: SpatialInertia, *, moving: bool, context: Context) -> Element | None:
    R, moments = inertia.principal_axes()
    moments = within_triangle(moments)
    mass = inertia.mass
    if moving and (mass <= MINIMUM or min(moments) <= MINIMUM):
        mass, moments = max(mass, EPSILON), within_triangle(np.maximum(moments, EPSILON))
        context.report(
            Fate.ASSUMED,
            "massless-link",
            (
                "link {link} moves, and MuJoCo demands mass and inertia of it; it gets {mass:g} kg and "
                "moments {numbers} kg m^2"
            ),
            link.where,
            hint="give it mass and inertia",
            link=link.name,
            mass=mass,
            numbers=numbers(moments),
        )
    if mass == 0.0 and not np.any(moments):
        return None
    return Element(
        "inertial",
        pos=inertia.p_LLcm.tolist(),
        quat=quaternion(R),
        mass=mass,
        diaginertia=moments.tolist(),
    )


def within_triangle(moments: Array) -> Array:
    """Principal moments, shape (3,), moved by units of rounding until the sum of two reaches the third.

    Only for moments that break the inequality by rounding alone; others come back as they are.
    """
    order = np.argsort(moments)
    a, b, c = (max(float(m), 0.0) for m in moments[order])
    if a + b >= c:
        return frozen(np.maximum(moments, 0.0))
    excess = max(c - a - b, 0.0)  # which may be none where the sum, rounded, is too little
    if excess > 1e-9 * c:
        return moments
    a, b, c = a + excess / 3.0, b + excess / 3.0, c - excess / 3.0
    while a + b < c:
        c = math.nextafter(c, 0.0)
    mended = np.empty(3)
    mended[order] = (a, b, c)
    return frozen(mended)
