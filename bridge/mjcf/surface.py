"""How a collision touches: friction, restitution and masks of a geom, and what MuJoCo has no counterpart for.

MuJoCo combines two geoms by the larger coefficient, element by element. Its friction has no direction on a geom, and
its contacts are springs scaled by the masses in touch, so contact stiffness in N/m is not a property of a geom.
"""

from __future__ import annotations

import math
from typing import Any

from loaders.diagnostics import Fate
from loaders.model import Collision, Link, Surface

from .context import Context

DEFAULT_FRICTION = (1.0, 0.005, 0.0001)
"""MuJoCo's sliding [-], torsional [m] and rolling [m] friction."""
ALL_BITS = 0xFFFF
_STIFFNESS_IN_STEPS = 10.0
"""Time constant of a bouncing contact, in time steps: short against the contact, long against the step."""


def contact_attributes(collision: Collision, link: Link, context: Context) -> dict[str, Any]:
    """Attributes of a collision geom that differ from the defaults; masks, from `ALL_BITS`."""
    surface = collision.surface
    contype, conaffinity = _masks(surface)
    return {
        "contype": None if contype == ALL_BITS else contype,
        "conaffinity": None if conaffinity == ALL_BITS else conaffinity,
        **_friction(collision, link, context),
        **_restitution(surface, collision, link, context),
    }


def _friction(collision: Collision, link: Link, context: Context) -> dict[str, Any]:
    friction = collision.surface.friction
    slide, spin, roll = friction.mu, DEFAULT_FRICTION[1], DEFAULT_FRICTION[2]
    attributes: dict[str, Any] = {}
    if friction.torsional is not None:
        radius = friction.patch_radius if friction.use_patch_radius else friction.surface_radius
        spin = 3.0 * math.pi / 16.0 * friction.torsional * radius
        if spin > 0.0:
            attributes["condim"] = 4
        message = (
            f"torsional friction of {link.name}/{collision.name} becomes {spin:.6g} m: 3 pi/16 coefficient times radius"
        )
        context.report(Fate.APPROXIMATED, "torsional-friction", message, collision.where)
    if friction.rolling is not None:
        roll = friction.rolling
        attributes["condim"] = 6 if roll > 0.0 else attributes.get("condim")
    if (slide, spin, roll) != DEFAULT_FRICTION:
        attributes["friction"] = _trimmed((slide, spin, roll))
    return attributes


def _trimmed(friction: tuple[float, float, float]) -> tuple[float, ...]:
    """Without the trailing coefficients that have MuJoCo's default."""
    count = 3
    while count > 1 and friction[count - 1] == DEFAULT_FRICTION[count - 1]:
        count -= 1
    return friction[:count]


def _restitution(surface: Surface, collision: Collision, link: Link, context: Context) -> dict[str, Any]:
    """A contact spring whose damping makes it bounce: ``b = 2 zeta sqrt(k)``, ``zeta`` from the restitution."""
    e = surface.restitution
    if e <= 0.0:
        return {}
    message = (
        f"restitution {e:g} of {link.name}/{collision.name} becomes the damping of a soft contact: "
        "within 0.05 above 0.5, up to 0.15 more bounce below"
    )
    context.report(Fate.APPROXIMATED, "restitution", message, collision.where)
    log = math.log(min(e, 1.0))
    zeta = -log / math.sqrt(math.pi**2 + log**2)
    k = (_STIFFNESS_IN_STEPS * context.time_step) ** -2
    return {"solref": (-k, -2.0 * zeta * math.sqrt(k))}


def _masks(surface: Surface) -> tuple[int, int]:
    """``contype`` and ``conaffinity``: MuJoCo's rule, one's type shares a bit with the other's affinity, is SDFormat's.

    Source: SDFormat 1.12, ``contact/category_bitmask``; without one, ``collide_bitmask`` stands for both.
    """
    affinity = surface.collide_bitmask & 0x7FFFFFFF
    category = surface.collide_bitmask if surface.category_bitmask is None else surface.category_bitmask
    return category & 0x7FFFFFFF, affinity
