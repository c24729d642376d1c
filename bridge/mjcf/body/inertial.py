"""``<inertial>``: the model's inertia, in the form and within the rules that MuJoCo's compiler accepts.

MuJoCo demands ``A + B >= C`` of the principal moments in floating point, without tolerance, even for bodies that do
not move. Mass and moments of each body that moves must exceed 1e-15, unless those of a body welded to it do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bridge.export.number_format import numbers, quaternion, whole_or
from bridge.mechanism.bodies import Body
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element
from loaders.diagnostics import Fate
from loaders.model import Link
from loaders.model.common import INERTIA_SETTINGS
from loaders.scene_operations.mass_properties import shape_inertia
from loaders.spatial import Array, SpatialInertia, exceeds, frozen, quaternion_to_matrix

from .virtual_links import carried_bodies

MINIMUM = 1e-15
"""MuJoCo's bound on mass [kg] and moments [kg m^2] of a moving body (``mjMINVAL``); must be exceeded."""
_WATER = 1000.0
"""Density of a shape that states none [kg/m^3], as in SDFormat."""
_AXES, _MOMENTS = "inertial/quat", "inertial/diaginertia"
"""Settings of a link: the quaternion of the principal axes and the moments about them, as the source states them."""
_ROUNDING = 1e-13
"""Largest difference of the inertia from the one that is stated by axes and moments, relative to the largest moment."""
EPSILON = 1e-14
"""Mass [kg] and moments [kg m^2] of a moving body that has none: the next power of ten that MuJoCo accepts."""


def inertials(context: Context) -> list[Element | None]:
    """Return the ``<inertial>`` of each body; None for a body that has no mass and needs none."""
    bodies = context.mechanism.bodies
    accepted = [_accepted_inertia(body.link, body.inertia, context) for body in bodies]
    has_mass = _has_welded_mass(context, accepted)
    carried = carried_bodies(context.mechanism)
    return [
        _inertial(
            body.link,
            accepted[i],
            needs_mass=_needs_mass(body, is_carried=i in carried, has_mass=has_mass[i]),
            context=context,
        )
        for i, body in enumerate(bodies)
    ]


def _needs_mass(body: Body, *, is_carried: bool, has_mass: bool) -> bool:
    """Return whether MuJoCo demands mass of a body; a virtual link becomes part of the body that it carries."""
    return bool(body.primitives) and not is_carried and not has_mass


def _accepted_inertia(link: Link, inertia: SpatialInertia, context: Context) -> SpatialInertia:
    """Return the inertia to write: the link's own, or the one that the option ``inertia`` demands."""
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
            subjects=(link.name,),
            link=link.name,
        )
    defects = inertia.defects()
    if not defects:
        return inertia
    if mode == "repair" and math.isfinite(inertia.mass) and np.all(np.isfinite(inertia.I_Lcm)):
        return _repaired(link, inertia, context)
    context.report(
        Fate.INVALID,
        "impossible-inertia",
        "link {link} has an inertia that no rigid body can have, which MuJoCo refuses: {defects}",
        link.where,
        hint='correct it in the source, or use inertia="repair"',
        subjects=(link.name,),
        link=link.name,
        defects="; ".join(defects),
    )
    return SpatialInertia.of(0.0)


def _repaired(link: Link, inertia: SpatialInertia, context: Context) -> SpatialInertia:
    repaired = inertia.repaired()
    context.report(
        Fate.REPAIRED,
        "repaired-inertia",
        "link {link}: {defects}; repaired to {mass:g} kg and moments {moments} kg m^2",
        link.where,
        subjects=(link.name,),
        link=link.name,
        defects="; ".join(inertia.defects()),
        mass=repaired.mass,
        moments=tuple(f"{moment:.6g}" for moment in repaired.principal_axes()[1]),
    )
    return repaired


def _from_geometry(link: Link, context: Context) -> SpatialInertia:
    """Return the inertia of the collision shapes, of their density or water's, scaled to the link's mass if stated."""
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
        subjects=(link.name,),
        link=link.name,
        mass=total.mass,
    )
    return total


def _has_welded_mass(context: Context, inertias: list[SpatialInertia]) -> list[bool]:
    """Return for each body whether it, or a body welded to it, has mass and moments that MuJoCo accepts."""
    has_mass = [inertia.mass > MINIMUM and _exceeds_minimum(inertia.I_Lcm) for inertia in inertias]
    for i, body in reversed(list(enumerate(context.mechanism.bodies))):
        if has_mass[i] and not body.primitives and body.parent >= 0:
            has_mass[body.parent] = True
    return has_mass


def _exceeds_minimum(I_Lcm: Array) -> bool:
    """Return whether all principal moments are larger than MuJoCo's minimum."""
    return exceeds(I_Lcm, MINIMUM) or bool(np.linalg.eigvalsh(I_Lcm)[0] > MINIMUM)


def _inertial(link: Link, inertia: SpatialInertia, *, needs_mass: bool, context: Context) -> Element | None:
    axes, moments = _axes(link, inertia)
    moments = within_triangle(moments)
    mass = inertia.mass
    if needs_mass and (mass <= MINIMUM or min(moments) <= MINIMUM):
        mass, moments = max(mass, EPSILON), within_triangle(np.maximum(moments, EPSILON))
        context.report(
            Fate.ASSUMED,
            "massless-link",
            "link {link} moves, but has no mass or inertia, which MuJoCo demands; it gets {mass:g} kg and moments "
            "{moments} kg m^2",
            link.where,
            hint="give the link mass and inertia",
            subjects=(link.name,),
            link=link.name,
            mass=mass,
            moments=numbers(moments),
        )
    if mass == 0.0 and not np.any(moments):
        return None
    return Element(
        "inertial",
        pos=inertia.p_LLcm.tolist(),
        quat=axes,
        mass=mass,
        diaginertia=moments.tolist(),
    )


def _axes(link: Link, inertia: SpatialInertia) -> tuple[Sequence[float] | None, Array]:
    """Return the quaternion of the principal axes and the moments: as stated, if they still hold, else computed."""
    settings = dict(link.mujoco)
    if settings.keys() >= INERTIA_SETTINGS:
        axes, moments = ([float(x) for x in settings[key].split()] for key in (_AXES, _MOMENTS))
        R = quaternion_to_matrix(axes)
        if np.abs((R * moments) @ R.T - inertia.I_Lcm).max() <= _ROUNDING * max(moments):
            return whole_or(axes), frozen(moments)
    R, computed = inertia.principal_axes()
    return quaternion(R), computed


def within_triangle(moments: Array) -> Array:
    """Return principal moments, shape (3,), changed by units of rounding until the sum of two reaches the third.

    Moments that break the inequality by more than rounding are returned unchanged.
    """
    low, middle, high = sorted(moments.tolist())
    if low > 0.0 and low + middle >= high:
        return moments
    order = np.argsort(moments)
    a, b, c = (max(float(m), 0.0) for m in moments[order])
    if a + b >= c:
        return frozen(np.maximum(moments, 0.0))
    excess = max(c - a - b, 0.0)  # may be zero although the rounded sum is less than c
    if excess > 1e-9 * c:
        return moments
    a, b, c = a + excess / 3.0, b + excess / 3.0, c - excess / 3.0
    while a + b < c:
        c = math.nextafter(c, 0.0)
    adjusted = np.empty(3)
    adjusted[order] = (a, b, c)
    return frozen(adjusted)
