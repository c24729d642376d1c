"""How a collision touches: friction, stiffness, restitution and masks of a geom.

MuJoCo combines two geoms by the larger coefficient, element by element, and by the harder ``solref`` of two that are
negative. The impedances would be averaged; ``solmix`` gives the geom that states how it yields all the weight.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bridge.mjcf.xml.context import Context
from loaders.diagnostics import Fate, Where
from loaders.model import Collision, Friction, Link, Surface
from loaders.scene_queries.excluded_pairs import bitmasks

from .contact_compliance import Yielding, bouncing, damping_ratio, sprung, yielding

DEFAULT_FRICTION = (1.0, 0.005, 0.0001)
"""MuJoCo's sliding [-], torsional [m] and rolling [m] friction."""
_VISCOUS = 0.02
"""Length times angular speed [m/s] below which MuJoCo's friction is viscous, measured."""
_ALL_WEIGHT = 1000.0
"""``solmix`` of a geom whose impedance counts, beside others of 1."""
_PAIRS = 'contacts="pairs" writes it for each pair'
_DAMPING = ("damping", "dissipation", "relaxation_time")


def contact_attributes(collision: Collision, link: Link, context: Context) -> dict[str, Any]:
    """Attributes of a collision geom that differ from MuJoCo's defaults; masks, where any geom has one, on all."""
    return {
        **_masks(collision, link, context),
        **_friction(collision, link, context),
        **_yielding(collision, link, context),
    }


def _friction(collision: Collision, link: Link, context: Context) -> dict[str, Any]:
    friction = collision.surface.friction
    coefficients = friction_of(friction)
    attributes: dict[str, Any] = {}
    if friction.torsional is not None:
        if coefficients[1] > 0.0:
            attributes["condim"] = 4
        context.report(
            Fate.APPROXIMATED,
            "torsional-friction",
            ("torsional friction of {link}/{collision} becomes {coefficients:.6g} m: 3 pi/16 coefficient times radius"),
            collision.where,
            link=link.name,
            collision=collision.name,
            coefficients=coefficients[1],
        )
    if friction.rolling is not None and friction.rolling > 0.0:
        attributes["condim"] = 6
        context.report(
            Fate.APPROXIMATED,
            "rolling-friction",
            (
                "rolling friction of {link}/{collision} is a length of {rolling:g} m: within 15 % where "
                "it turns by more than {value:.3g} rad/s, and viscous below"
            ),
            collision.where,
            link=link.name,
            collision=collision.name,
            rolling=friction.rolling,
            value=_VISCOUS / friction.rolling,
        )
    if coefficients != DEFAULT_FRICTION:
        attributes["friction"] = _trimmed(coefficients)
    return attributes


def friction_of(friction: Friction) -> tuple[float, float, float]:
    """Sliding [-], torsional [m] and rolling [m] friction; MuJoCo's own where the source is silent."""
    _, spin, roll = DEFAULT_FRICTION
    if friction.torsional is not None:
        radius = friction.patch_radius if friction.use_patch_radius else friction.surface_radius
        spin = 3.0 * math.pi / 16.0 * friction.torsional * radius
    return friction.mu, spin, roll if friction.rolling is None else friction.rolling


def _trimmed(friction: tuple[float, float, float]) -> tuple[float, ...]:
    """Without the trailing coefficients that have MuJoCo's default."""
    count = 3
    while count > 1 and friction[count - 1] == DEFAULT_FRICTION[count - 1]:
        count -= 1
    return friction[:count]


def _yielding(collision: Collision, link: Link, context: Context) -> dict[str, Any]:
    """How a contact yields to what weighs as much as the link, or bounces."""
    surface, owner = sprung(collision.surface, context.time_step), f"{link.name}/{collision.name}"
    found = None
    if surface.stiffness is not None:
        found = _spring(surface, link, owner, collision.where, context)
    elif surface.restitution > 0.0:
        found = bouncing(surface.restitution, context.time_step)
    if surface is collision.surface:
        _report_solver(surface, owner, collision.where, context)
    _report_damping(surface, owner, collision.where, context)
    if surface.restitution > 0.0:
        context.report(
            Fate.APPROXIMATED,
            "restitution",
            (
                "restitution {restitution:g} of {owner} becomes the damping of a soft contact: within "
                "0.03 above 0.2, up to 0.1 more bounce below; a pair bounces as the harder of both does"
            ),
            collision.where,
            restitution=surface.restitution,
            owner=owner,
        )
    if found is None:
        return {}
    return {"solref": found.solref, "solimp": found.solimp, "solmix": _ALL_WEIGHT}


def _spring(surface: Surface, link: Link, owner: str, where: Where, context: Context) -> Yielding | None:
    stiffness, w = surface.stiffness or 0.0, (context.inverse_masses or {}).get(link.name, 0.0)
    stated = f"contact stiffness {stiffness:g} N/m of {owner}"
    if w == 0.0:
        context.report(
            Fate.DROPPED,
            "contact-stiffness",
            ("{stated} is not carried: MuJoCo scales it by masses in touch, and this link has none that moves"),
            where,
            hint=_PAIRS,
            stated=stated,
        )
        return None
    ratio = damping_ratio(surface, stiffness, w, float(np.linalg.norm(context.mechanism.scene.gravity)))
    found = yielding(stiffness, ratio, w, context.time_step)
    if found is None:
        context.report(
            Fate.APPROXIMATED,
            "contact-stiffness",
            "{stated} is more than the time step can hold; the contact is as hard as MuJoCo's own",
            where,
            hint="reduce the time step",
            stated=stated,
        )
        return None
    context.report(
        Fate.APPROXIMATED,
        "contact-stiffness",
        (
            "{stated} holds at each point of contact with something rigid, for {value:.6g} kg, which "
            "the link weighs at the zero configuration; damping ratio {ratio:.3g}; the motion is "
            "that of {value_2:.3g} times the mass while it touches"
        ),
        where,
        hint=_PAIRS,
        stated=stated,
        value=1.0 / w,
        ratio=ratio,
        value_2=1.0 / (1.0 - found.solimp[0]),
    )
    return found


def _report_solver(surface: Surface, owner: str, where: Where, context: Context) -> None:
    for name in ("soft_cfm", "soft_erp"):
        if getattr(surface, name) is not None:
            message = f"{name} = {getattr(surface, name):g} of the contacts of {owner} is not carried"
            hint = "state soft_cfm above 0 and no stiffness: both then are a spring and a damper"
            context.report(Fate.DROPPED, "contact-solver", message, where, hint=hint)


def _report_damping(surface: Surface, owner: str, where: Where, context: Context) -> None:
    """The first that is stated damps; the others do not, and none does without a stiffness or beside a restitution."""
    stated = [name for name in _DAMPING if getattr(surface, name) is not None]
    if surface.stiffness is not None and surface.restitution <= 0.0:
        if stated[:1] == ["dissipation"]:
            context.report(
                Fate.APPROXIMATED,
                "contact-dissipation",
                "dissipation {dissipation:g} s/m of {owner} damps as it does at rest under its own weight",
                where,
                dissipation=surface.dissipation,
                owner=owner,
            )
        stated = stated[1:]
    for name in stated:
        message = f"{name} = {getattr(surface, name):g} of the contacts of {owner} is not carried"
        hint = "state a stiffness, and neither a restitution nor another damping"
        context.report(Fate.DROPPED, "contact-dissipation", message, where, hint=hint)


def _masks(collision: Collision, link: Link, context: Context) -> dict[str, int]:
    """``contype`` and ``conaffinity``, where masks take part in deciding what touches what."""
    filters = context.filters
    if collision.surface.collide_without_contact:
        return {"contype": 0, "conaffinity": 0}
    if filters.masks is not None:
        mask = filters.masks[context.mechanism.body_index[link.name]]
        return {"contype": mask.kind, "conaffinity": mask.touches}
    if filters.bitmasks:
        category, touches = bitmasks(collision.surface)
        return {"contype": _signed(category), "conaffinity": _signed(touches)}
    return {}


def _signed(mask: int) -> int:
    """The same 32 bits as a signed integer, which MuJoCo's are."""
    return (mask & 0xFFFFFFFF) - ((mask & 0x80000000) << 1)
