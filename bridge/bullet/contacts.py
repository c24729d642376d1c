"""How links touch, as PyBullet has it: one set of coefficients for each link, combined by PyBullet's own rules."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from loaders.diagnostics import Diagnostics, Fate
from loaders.model import Friction, Mesh, Surface

from .articulation import Articulation
from .client import Client
from .segments import BASE, TARGET, Segment

_DROPPED = (
    "restitution_threshold", "dissipation", "relaxation_time", "max_velocity", "min_depth", "soft_cfm", "soft_erp",
    "collide_without_contact", "hydroelastic",
)  # fmt: skip
_DROPPED_FRICTION = ("mu_static", "fdir1", "slip1", "slip2", "torsional_slip")


def set_contacts(client: Client, body: int, articulation: Articulation) -> None:
    """Give every segment with collisions its coefficients."""
    for index, segment in enumerate(articulation.segments, start=BASE):
        surface = next(iter(_surfaces(segment)), None)
        if surface is not None:
            client.changeDynamics(body, index, **coefficients(surface))
    if _is_lone_hull(articulation):
        client.changeDynamics(body, BASE, collisionMargin=0.0)


def _is_lone_hull(articulation: Articulation) -> bool:
    """Whether the base is one convex hull, the only shape that PyBullet lets go of its margin of 1 mm."""
    shapes = [c.geometry for part in articulation.segments[0].parts for c in part.link.collisions]
    return articulation.is_free and len(shapes) == 1 and isinstance(shapes[0], Mesh)


def coefficients(surface: Surface) -> dict[str, float]:
    """The arguments of ``changeDynamics`` for a surface."""
    values = {
        "lateralFriction": surface.friction.mu,
        "rollingFriction": surface.friction.rolling or 0.0,
        "spinningFriction": spinning_friction(surface.friction),
        "restitution": surface.restitution,
    }
    if surface.stiffness is not None:
        values |= {"contactStiffness": surface.stiffness, "contactDamping": surface.damping or 0.0}
    return values


def spinning_friction(friction: Friction) -> float:
    """Torque by force [m]: ``3 pi / 16 * patch radius * coefficient`` (SDFormat, ``surface/friction/torsional``)."""
    radius = friction.patch_radius if friction.use_patch_radius else 0.0
    return 3.0 * math.pi / 16.0 * radius * (friction.torsional or 0.0)


def _surfaces(segment: Segment) -> list[Surface]:
    return [collision.surface for part in segment.parts for collision in part.link.collisions]


# --- what is lost ----------------------------------------------------------------------------------------------------


def report_contacts(articulations: Sequence[Articulation], diagnostics: Diagnostics) -> None:
    """Say what of the surfaces PyBullet cannot have."""
    segments = [segment for articulation in articulations for segment in articulation.segments]
    for segment in segments:
        _report_mixed(segment, diagnostics)
    collisions = [c for segment in segments for part in segment.parts for c in part.link.collisions]
    for name in sorted({name for c in collisions for name in _lost(c.surface)}):
        losers = [c for c in collisions if name in _lost(c.surface)]
        message = (
            f"{name} of the contact of {len(losers)} collision(s) has no counterpart in PyBullet: {_names(losers)}"
        )
        diagnostics.add(Fate.DROPPED, "pybullet.contact-property", message, losers[0].where, target=TARGET)
    _report_products(sorted({c.surface.friction.mu for c in collisions}), diagnostics)


def _names(collisions: Sequence[object], most: int = 5) -> str:
    names = [str(getattr(collision, "name", "")) for collision in collisions]
    return ", ".join(names[:most]) + (" ..." if len(names) > most else "")


def _lost(surface: Surface) -> Iterator[str]:
    plain, plain_friction, friction = Surface(), Friction(), surface.friction
    for name in _DROPPED:
        bounces = name != "restitution_threshold" or surface.restitution > 0.0
        if bounces and getattr(surface, name) != getattr(plain, name):
            yield name
    for name in _DROPPED_FRICTION:
        if getattr(friction, name) not in (getattr(plain_friction, name), friction.mu):
            yield name
    if friction.mu2 != friction.mu:
        yield "mu2"
    if friction.torsional and not friction.use_patch_radius:
        yield "surface_radius"
    if surface.damping is not None and surface.stiffness is None:
        yield "damping"


def _report_mixed(segment: Segment, diagnostics: Diagnostics) -> None:
    for part in segment.parts:
        surfaces = [collision.surface for collision in part.link.collisions]
        name, where = part.link.name, part.link.where
        if len({(s.collide_bitmask, s.category_bitmask) for s in surfaces}) > 1:
            message = f"the collisions of link {name} differ in bitmasks; PyBullet lets them touch what any of them may"
            diagnostics.add(Fate.APPROXIMATED, "pybullet.bitmask-per-link", message, where, target=TARGET)
    if len({tuple(coefficients(surface).items()) for surface in _surfaces(segment)}) > 1:
        link = segment.parts[0].link
        message = f"the collisions of link {link.name} differ in contact; PyBullet has one set for a link, the first's"
        diagnostics.add(Fate.APPROXIMATED, "pybullet.surface-per-link", message, link.where, target=TARGET)


def _report_products(mus: list[float], diagnostics: Diagnostics) -> None:
    """PyBullet multiplies the coefficients of friction of a pair; other engines take the smaller or a mean."""
    if not set(mus) <= {0.0, 1.0}:
        worst = max(abs(min(a, b) - a * b) for a in mus for b in mus)
        message = f"PyBullet multiplies the friction coefficients of a pair: up to {worst:.3g} from the smaller one"
        hint = "against a coefficient of 1 the file's value holds"
        diagnostics.add(Fate.APPROXIMATED, "pybullet.friction-product", message, target=TARGET, hint=hint)
