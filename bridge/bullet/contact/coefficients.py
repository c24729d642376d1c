"""How links touch, as PyBullet has it: one set of coefficients for each link, combined by PyBullet's own rules."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

from bridge.bullet.client.client import Client
from bridge.bullet.geometry.shapes import HULL_MARGIN
from bridge.bullet.urdf.articulation import Articulation
from bridge.bullet.urdf.inertia_guards import welded_pose
from bridge.bullet.urdf.segments import BASE, TARGET, Segment
from loaders.diagnostics import Diagnostics, Fate
from loaders.model import Collision, Cone, Ellipsoid, Friction, Mesh, Polyline, Surface

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
    if any(_is_hull(collision) for part in articulation.segments[0].parts for collision in part.link.collisions):
        client.changeDynamics(body, BASE, collisionMargin=0.0)  # of links PyBullet ignores it


def _is_hull(collision: Collision) -> bool:
    """Whether PyBullet has it as a convex hull where it moves, inflated by a margin."""
    return isinstance(collision.geometry, Mesh | Cone | Ellipsoid | Polyline)


def coefficients(surface: Surface) -> dict[str, float]:
    """The arguments of ``changeDynamics`` for a surface.

    What bounces is only looked at once it touches: PyBullet slows down before that, and hardly anything would bounce.
    """
    values = {
        "lateralFriction": surface.friction.mu,
        "rollingFriction": surface.friction.rolling or 0.0,
        "spinningFriction": spinning_friction(surface.friction),
        "restitution": surface.restitution,
    }
    if surface.stiffness is not None:
        values |= {"contactStiffness": surface.stiffness, "contactDamping": surface.damping or 0.0}
    if surface.restitution:
        values["contactProcessingThreshold"] = 0.0
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
        diagnostics.add(
            Fate.DROPPED,
            "pybullet.contact-property",
            "{name} of the contact of {count} collision(s) has no counterpart in PyBullet: {names}",
            losers[0].where,
            target=TARGET,
            name=name,
            count=len(losers),
            names=_names(losers),
        )
    _report_products(sorted({c.surface.friction.mu for c in collisions}), diagnostics)
    _report_bounces(collisions, diagnostics)
    _report_rules({name for c in collisions for name in _combined(c.surface)}, diagnostics)
    for articulation in articulations:
        _report_margins(articulation, diagnostics)


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
            diagnostics.add(
                Fate.APPROXIMATED,
                "pybullet.bitmask-per-link",
                ("the collisions of link {name} differ in bitmasks; PyBullet lets them touch what any of them may"),
                where,
                target=TARGET,
                name=name,
            )
    if len({tuple(coefficients(surface).items()) for surface in _surfaces(segment)}) > 1:
        link = segment.parts[0].link
        diagnostics.add(
            Fate.APPROXIMATED,
            "pybullet.surface-per-link",
            ("the collisions of link {link} differ in contact; PyBullet has one set for a link, the first's"),
            link.where,
            target=TARGET,
            subjects=(link.name,),
            link=link.name,
        )


def _report_products(mus: list[float], diagnostics: Diagnostics) -> None:
    """PyBullet multiplies the coefficients of friction of a pair; other engines take the smaller or a mean."""
    if not set(mus) <= {0.0, 1.0}:
        worst = max(abs(min(a, b) - a * b) for a in mus for b in mus)
        message = f"PyBullet multiplies the friction coefficients of a pair: up to {worst:.3g} from the smaller one"
        hint = "against a coefficient of 1 the file's value holds"
        diagnostics.add(Fate.APPROXIMATED, "pybullet.friction-product", message, target=TARGET, hint=hint)


_RULES = {
    "restitution": "restitution is the product",
    "stiffness": "stiffness that of both in series",
    "damping": "damping the sum",
    "rolling": "rolling friction each one's times the lateral friction of the other, added",
    "torsional": "torsional friction each one's times the lateral friction of the other, added",
}
"""How PyBullet combines what the surfaces of a pair state."""


def _combined(surface: Surface) -> Iterator[str]:
    """Which rules matter."""
    stated = {
        "restitution": surface.restitution not in {0.0, 1.0},
        "stiffness": surface.stiffness is not None,
        "damping": surface.stiffness is not None and surface.damping,
        "rolling": surface.friction.rolling,
        "torsional": spinning_friction(surface.friction),
    }
    return (name for name, is_stated in stated.items() if is_stated)


def _report_bounces(collisions: Sequence[Collision], diagnostics: Diagnostics) -> None:
    bouncing = [collision for collision in collisions if collision.surface.restitution]
    if bouncing:
        message = (
            "a ball bounces off with up to 0.09 of its speed more than restitution says, by where in a step it meets; "
            f"what meets in several points at once with less: {_names(bouncing)}"
        )
        where = bouncing[0].where
        diagnostics.add(Fate.APPROXIMATED, "pybullet.restitution", message, where, target=TARGET)


def _report_rules(stated: Collection[str], diagnostics: Diagnostics) -> None:
    rules = [rule for name, rule in _RULES.items() if name in stated]
    if rules:
        message = f"PyBullet combines what the surfaces of a pair state by rules of its own: {'; '.join(rules)}"
        hint = "against a rigid surface of friction and restitution 1 the file's values hold"
        diagnostics.add(Fate.NOTED, "pybullet.contact-combination", message, target=TARGET, hint=hint)


def _report_margins(articulation: Articulation, diagnostics: Diagnostics) -> None:
    """Of links that move: the base has none, and what the world holds collides as it is."""
    inflated = [
        collision
        for index, segment in enumerate(articulation.segments[1:])
        if articulation.is_free or welded_pose(articulation.segments, index) is None
        for part in segment.parts
        for collision in part.link.collisions
        if _is_hull(collision)
    ]
    if inflated:
        message = (
            f"{len(inflated)} convex hull(s) on links touch {HULL_MARGIN:g} m before they meet: {_names(inflated)}"
        )
        hint = "PyBullet takes its margin off bases only; primitives have none"
        diagnostics.add(Fate.APPROXIMATED, "pybullet.hull-margin", message, inflated[0].where, target=TARGET, hint=hint)
