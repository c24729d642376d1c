"""Contact parameters that PyBullet does not support, or combines differently from other engines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from bridge.bullet.client.client import HULL_MARGIN
from bridge.bullet.target import TARGET
from bridge.bullet.urdf.articulation import Articulation
from bridge.bullet.urdf.inertia_guards import welded_pose
from bridge.bullet.urdf.segments import Segment
from loaders.diagnostics import Diagnostics, Fate
from loaders.model import Collision, Friction, Surface
from loaders.scene_queries.scoped_names import SEPARATOR

from .pair_coefficients import PairCoefficients
from .parameters import collisions_of, contact_parameters, is_hull, spinning_friction

_NO_DIFFERENCE = 1e-9
"""Difference of friction that is a rounding error."""
_UNSUPPORTED = (
    "restitution_threshold", "dissipation", "relaxation_time", "max_velocity", "min_depth", "soft_cfm", "soft_erp",
    "collide_without_contact", "hydroelastic",
)  # fmt: skip
_UNSUPPORTED_FRICTION = ("mu_static", "fdir1", "slip1", "slip2", "torsional_slip")
_unsupported_of, _unsupported_friction_of = attrgetter(*_UNSUPPORTED), attrgetter(*_UNSUPPORTED_FRICTION)
_DEFAULT, _DEFAULT_FRICTION = _unsupported_of(Surface()), _unsupported_friction_of(Friction())


@dataclass(frozen=True, slots=True, eq=False)
class _LinkCollision:
    """A collision and the name of its link."""

    link: str
    collision: Collision

    @property
    def surface(self) -> Surface:
        return self.collision.surface

    @property
    def scoped_name(self) -> str:
        return f"{self.link}{SEPARATOR}{self.collision.name}"


def report_contacts(articulations: Sequence[Articulation], chosen: PairCoefficients, diagnostics: Diagnostics) -> None:
    """Report the contact parameters of all collisions that PyBullet does not support.

    Args:
        articulations: The bodies to load.
        chosen: The coefficients whose products are as close as possible to those of the pairs.
        diagnostics: Record of the findings.
    """
    segments = [segment for articulation in articulations for segment in articulation.segments]
    for segment in segments:
        _report_bitmasks(segment, diagnostics)
        _report_mixed_surfaces(segment, diagnostics)
    collisions = [collision for segment in segments for collision in _link_collisions(segment)]
    _report_unsupported(collisions, diagnostics)
    _report_friction_products(collisions, chosen, diagnostics)
    _report_restitution(collisions, diagnostics)
    _report_combination_rules(collisions, diagnostics)
    for articulation in articulations:
        _report_margins(articulation, diagnostics)


def _link_collisions(segment: Segment) -> list[_LinkCollision]:
    return [_LinkCollision(carried.link.name, c) for carried in segment.links for c in carried.link.collisions]


def _subjects(collisions: Sequence[_LinkCollision]) -> tuple[str, ...]:
    """Return the names of the collisions and of their links."""
    links = dict.fromkeys(collision.link for collision in collisions)
    return (*links, *dict.fromkeys(collision.scoped_name for collision in collisions))


def _names(collisions: Sequence[_LinkCollision]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(collision.scoped_name for collision in collisions))


# --- one set of parameters for each link -----------------------------------------------------------------------------


def _report_bitmasks(segment: Segment, diagnostics: Diagnostics) -> None:
    for link in (carried.link for carried in segment.links if len(carried.link.collisions) > 1):
        masks = {(c.surface.collide_bitmask, c.surface.category_bitmask) for c in link.collisions}
        if len(masks) > 1:
            diagnostics.add(
                Fate.APPROXIMATED,
                "pybullet.bitmask-per-link",
                "the collisions of link {link} have different bitmasks; in PyBullet the link collides wherever any of "
                "them may",
                link.where,
                target=TARGET,
                hint="divide the link",
                subjects=(link.name,),
                link=link.name,
            )


def _report_mixed_surfaces(segment: Segment, diagnostics: Diagnostics) -> None:
    collisions = collisions_of(segment)
    if len(collisions) < 2:
        return
    if len({tuple(contact_parameters(collision.surface).items()) for collision in collisions}) > 1:
        link = segment.links[0].link
        diagnostics.add(
            Fate.APPROXIMATED,
            "pybullet.surface-per-link",
            "the collisions of link {link} have different contact parameters; PyBullet uses those of the first for all",
            link.where,
            target=TARGET,
            hint="divide the link",
            subjects=tuple(carried.link.name for carried in segment.links),
            link=link.name,
        )


# --- unsupported parameters ------------------------------------------------------------------------------------------


def _report_unsupported(collisions: Sequence[_LinkCollision], diagnostics: Diagnostics) -> None:
    by_parameter: dict[str, list[_LinkCollision]] = {}
    for collision in collisions:
        for parameter in _unsupported(collision.surface):
            by_parameter.setdefault(parameter, []).append(collision)
    for parameter, concerned in sorted(by_parameter.items()):
        diagnostics.add(
            Fate.DROPPED,
            "pybullet.contact-property",
            "PyBullet does not support contact parameter {parameter}; ignored for {count} collision(s): {collisions}",
            concerned[0].collision.where,
            target=TARGET,
            subjects=_subjects(concerned),
            parameter=parameter,
            count=len(concerned),
            collisions=_names(concerned),
        )


def _unsupported(surface: Surface) -> Iterator[str]:
    """Yield the parameters of a surface that PyBullet does not support."""
    values = _unsupported_of(surface)
    for name, value, default in zip(_UNSUPPORTED, values, _DEFAULT, strict=True) if values != _DEFAULT else ():
        if value != default and (name != "restitution_threshold" or surface.restitution > 0.0):
            yield name
    yield from _unsupported_friction(surface.friction)
    if surface.damping is not None and surface.stiffness is None:
        yield "damping"


def _unsupported_friction(friction: Friction) -> Iterator[str]:
    values = _unsupported_friction_of(friction)
    stated = values != _DEFAULT_FRICTION
    for name, value, default in zip(_UNSUPPORTED_FRICTION, values, _DEFAULT_FRICTION, strict=True) if stated else ():
        if value not in (default, friction.mu):
            yield name
    if friction.mu2 != friction.mu:
        yield "mu2"
    if friction.torsional and not friction.use_patch_radius:
        yield "surface_radius"


# --- combination of two surfaces -------------------------------------------------------------------------------------


def _report_friction_products(
    collisions: Sequence[_LinkCollision], chosen: PairCoefficients, diagnostics: Diagnostics
) -> None:
    """Report the largest difference between PyBullet's friction of a pair and the smaller of the two coefficients."""
    coefficients = sorted({collision.surface.friction.mu for collision in collisions})
    difference = chosen.friction_difference
    if difference is None:
        difference = max((abs(min(a, b) - a * b) for a in coefficients for b in coefficients), default=0.0)
    if difference <= _NO_DIFFERENCE:
        return
    diagnostics.add(
        Fate.APPROXIMATED,
        "pybullet.friction-product",
        "PyBullet multiplies the friction coefficients of a pair; the product differs from the smaller one by up to "
        "{difference:.3g}",
        target=TARGET,
        hint="give the ground a coefficient of 1, against which the file's values hold",
        subjects=_subjects([c for c in collisions if c.surface.friction.mu not in {0.0, 1.0}]),
        difference=difference,
    )


def _report_restitution(collisions: Sequence[_LinkCollision], diagnostics: Diagnostics) -> None:
    bouncing = [collision for collision in collisions if collision.surface.restitution]
    if bouncing:
        diagnostics.add(
            Fate.APPROXIMATED,
            "pybullet.restitution",
            "after a bounce a ball is faster than its restitution states, by up to 0.09 of its speed before, depending "
            "on when in the step it touches; a body that touches at several points is slower: {collisions}",
            bouncing[0].collision.where,
            target=TARGET,
            subjects=_subjects(bouncing),
            collisions=_names(bouncing),
        )


_COMBINATION_RULES = {
    "restitution": "restitution: the product",
    "stiffness": "stiffness: that of both in series",
    "damping": "damping: the sum",
    "rolling": "rolling friction: the sum of each times the lateral friction of the other",
    "torsional": "torsional friction: the sum of each times the lateral friction of the other",
}
"""Rules by which PyBullet combines the parameters of the two surfaces of a contact."""


def _combined_parameters(surface: Surface) -> Iterator[str]:
    """Yield the parameters of a surface to which a combination rule applies."""
    is_stated = {
        "restitution": surface.restitution not in {0.0, 1.0},
        "stiffness": surface.stiffness is not None,
        "damping": surface.stiffness is not None and surface.damping,
        "rolling": surface.friction.rolling,
        "torsional": spinning_friction(surface.friction),
    }
    return (name for name, stated in is_stated.items() if stated)


def _report_combination_rules(collisions: Sequence[_LinkCollision], diagnostics: Diagnostics) -> None:
    concerned = [collision for collision in collisions if any(_combined_parameters(collision.surface))]
    parameters = {name for collision in concerned for name in _combined_parameters(collision.surface)}
    if parameters:
        diagnostics.add(
            Fate.NOTED,
            "pybullet.contact-combination",
            "PyBullet combines the contact parameters of a pair by its own rules: {rules}",
            target=TARGET,
            hint="against a rigid surface with friction and restitution 1 the file's values hold",
            subjects=_subjects(concerned),
            rules=tuple(rule for name, rule in _COMBINATION_RULES.items() if name in parameters),
        )


# --- margins ---------------------------------------------------------------------------------------------------------


def _report_margins(articulation: Articulation, diagnostics: Diagnostics) -> None:
    """Report convex hulls with a margin: those of moving links, because a base has none and static meshes are exact."""
    inflated = [
        collision
        for index, segment in enumerate(articulation.segments[1:])
        if articulation.is_free or welded_pose(articulation.segments, index) is None
        for collision in _link_collisions(segment)
        if is_hull(collision.collision)
    ]
    if inflated:
        diagnostics.add(
            Fate.APPROXIMATED,
            "pybullet.hull-margin",
            "PyBullet inflates {count} convex hull(s) on links by {margin:g} m: {collisions}",
            inflated[0].collision.where,
            target=TARGET,
            hint="use primitives, which have no margin; PyBullet removes the margin of bases only",
            subjects=_subjects(inflated),
            count=len(inflated),
            margin=HULL_MARGIN,
            collisions=_names(inflated),
        )
