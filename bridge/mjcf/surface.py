"""How a collision touches: friction, restitution and masks of a geom, and what MuJoCo has no counterpart for.

MuJoCo combines two geoms by the larger coefficient, element by element. Its friction has no direction on a geom, and
its contacts are springs scaled by the masses in touch, so contact stiffness in N/m is not a property of a geom.
"""

from __future__ import annotations

import math
from typing import Any

from loaders.diagnostics import Fate
from loaders.filters import bitmasks
from loaders.model import Collision, Link, Surface

from .context import Context

DEFAULT_FRICTION = (1.0, 0.005, 0.0001)
"""MuJoCo's sliding [-], torsional [m] and rolling [m] friction."""
_STIFFNESS_IN_STEPS = 10.0
"""Time constant of a bouncing contact, in time steps: short against the contact, long against the step."""


def contact_attributes(collision: Collision, link: Link, context: Context) -> dict[str, Any]:
    """Attributes of a collision geom that differ from MuJoCo's defaults; masks, where any geom has one, on all."""
    return {
        **_masks(collision, link, context),
        **_friction(collision, link, context),
        **_restitution(collision.surface, collision, link, context),
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


def _masks(collision: Collision, link: Link, context: Context) -> dict[str, int]:
    """``contype`` and ``conaffinity``, where masks take part in deciding what touches what."""
    filters = context.filters
    if filters.masks is not None:
        mask = filters.masks[link.name]
        return {"contype": mask.kind, "conaffinity": mask.touches}
    if filters.bitmasks:
        category, touches = bitmasks(collision.surface)
        return {"contype": _signed(category), "conaffinity": _signed(touches)}
    return {}


def _signed(mask: int) -> int:
    """The same 32 bits as a signed integer, which MuJoCo's are."""
    return (mask & 0xFFFFFFFF) - ((mask & 0x80000000) << 1)
