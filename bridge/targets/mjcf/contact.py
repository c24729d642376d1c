"""contact: pair and exclude.

A geom has one coefficient of friction, and MuJoCo takes the larger of two. Other simulators combine
them by other rules, which MJCF can express only pair by pair. So can the damping of friction: a
geom has one damping for the normal and for friction, and with the little damping of a contact that
bounces, friction would slow nothing down.

MuJoCo takes the inverse mass of both bodies for the compliance of a contact. That of such a link is
zero, because no velocity of its joints moves its center of mass, so that the contact is infinitely
stiff.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations, combinations_with_replacement, islice, product

import numpy as np

from bridge.geometry.shapes import support_function
from bridge.lowering.lower import ignored_by_policy, pairs_of_rules
from bridge.mechanism.bodies import ROOT, Body, PrimitiveKind
from bridge.targets.elements import frictions_of
from bridge.targets.mjcf import codes
from loaders.collision_pairs import BITMASKED, bitmasks
from loaders.diagnostics import Where
from loaders.engine_settings import conventions_of, friction_rule, worst_of
from loaders.limits import limited
from loaders.model import WORLD, Collision, Link
from loaders.pose import Array, Pose, skew

from .collision_filter import Filters, Mask, welded_partners
from .contact_parameters import ContactSpring, contact_spring, friction_of, resting_depth
from .context import MjcfContext, own_settings

MAX_PAIRS = 2000
"""Largest number of pairs that are written: more make an unreadable file that is slow to
simulate."""

_FRICTION_RATIO = 0.3
"""Damping ratio from which the damping of a geom is enough for its friction, within 1 %."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """A collision, its link, and the names of its geoms."""

    link: str
    collision: Collision
    geoms: tuple[str, ...]


def write_contact_pairs(
    geom_names: Mapping[tuple[str, str], tuple[str, ...]],
    masses: Mapping[str, float],
    context: MjcfContext,
) -> None:
    """Write the pairs if the caller asks for them; else report how far the friction of pairs
    differs without them.

    Args:
        geom_names: Names of the geoms of each collision, by link and collision.
        masses: Inverse mass of each link, see `contact_compliance.inverse_masses`.
        context: The export.
    """
    if context.options.contacts == "geoms":
        _report_friction_difference(context)
        _write_lightly_damped_pairs(geom_names, masses, context)
        return
    pairs = list(islice(_colliding_shapes(geom_names, context), MAX_PAIRS + 1))
    if sum(len(a.geoms) * len(b.geoms) for a, b in pairs) > MAX_PAIRS:
        context.add(
            codes.CONTACT_PAIRS,
            subjects=(link.name for link in context.mechanism.scene.links if link.collisions),
            limit=MAX_PAIRS,
        )
        _report_friction_difference(context)
        return
    for a, b in pairs:
        _write_pair(
            a,
            b,
            friction_rule(context.mechanism.scene).combined,
            _spring_between(a, b, masses, context),
            context,
        )


def write_stated_pairs(
    geom_names: Mapping[tuple[str, str], tuple[str, ...]], context: MjcfContext
) -> None:
    """Write the contact pairs of the source.

    Args:
        geom_names: Names of the geoms of each collision, by link and collision.
        context: The export.
    """
    for pair in context.mechanism.contact_pairs:
        first = geom_names.get((pair.link_A, pair.collision_A), ())
        second = geom_names.get((pair.link_B, pair.collision_B), ())
        for a, b in product(first, second):
            context.document["contact"].add("pair", geom1=a, geom2=b, **own_settings(pair))
        if not first or not second:
            context.add(
                codes.CONTACT_PAIR,
                pair.where,
                subjects=(pair.link_A, pair.link_B),
                collision_a=pair.collision_A,
                collision_b=pair.collision_B,
            )


def _colliding_shapes(
    geom_names: Mapping[tuple[str, str], tuple[str, ...]], context: MjcfContext
) -> Iterator[tuple[_Shape, _Shape]]:
    """Yield every two shapes of different links that may collide."""
    is_masked = context.options.policy in BITMASKED
    for A, B in _colliding_links(context):
        for a, b in product(A.collisions, B.collisions):
            if a.surface.collide_without_contact or b.surface.collide_without_contact:
                continue
            if not is_masked or Mask(*bitmasks(a.surface)).meets(Mask(*bitmasks(b.surface))):
                first, second = (
                    geom_names.get((A.name, a.name), ()),
                    geom_names.get((B.name, b.name), ()),
                )
                yield _Shape(A.name, a, first), _Shape(B.name, b, second)


def _colliding_links(context: MjcfContext) -> Iterator[tuple[Link, Link]]:
    """Yield every two links that are not welded together and may collide."""
    mechanism, policy = context.mechanism, context.options.policy
    excluded, index = mechanism.excluded_pairs(policy), mechanism.body_index
    links = (link for link in mechanism.scene.links if link.collisions)
    for A, B in limited("pairs", combinations(links, 2)):
        a, b = index[A.name], index[B.name]
        if frozenset((a, b)) not in excluded and mechanism.moving_ancestor(
            a
        ) != mechanism.moving_ancestor(b):
            yield A, B


def _write_lightly_damped_pairs(
    geom_names: Mapping[tuple[str, str], tuple[str, ...]],
    masses: Mapping[str, float],
    context: MjcfContext,
) -> None:
    """Write the pairs of shapes whose contact has little damping, with what their geoms state and
    hard friction.
    """
    springs = {
        (body.name, collision.name): contact_spring(
            (collision.surface,), masses.get(body.name, 0.0), context
        )
        for body in context.mechanism.bodies
        for collision in body.link.collisions
    }
    if not any(map(_is_light, springs.values())):
        return
    found = (
        (a, b, _harder(*(springs[shape.link, shape.collision.name] for shape in (a, b))))
        for a, b in _colliding_shapes(geom_names, context)
    )
    light = ((a, b, spring) for a, b, spring in found if _is_light(spring))
    pairs = list(islice(light, MAX_PAIRS + 1))
    if sum(len(a.geoms) * len(b.geoms) for a, b, _ in pairs) > MAX_PAIRS:
        context.add(
            codes.CONTACT_PAIRS_BOUNCING,
            subjects=(link.name for link in context.mechanism.scene.links if link.collisions),
            limit=MAX_PAIRS,
        )
        return
    for a, b, spring in pairs:
        _write_pair(a, b, max, spring, context)


def _is_light(spring: ContactSpring | None) -> bool:
    """Return whether a spring has too little damping for friction."""
    return spring is not None and spring.ratio < _FRICTION_RATIO


def _harder(a: ContactSpring | None, b: ContactSpring | None) -> ContactSpring | None:
    """Return the contact that MuJoCo computes for two geoms: of the larger stiffness, or else
    damping.
    """
    springs = [spring for spring in (a, b) if spring is not None]
    return max(springs, key=lambda spring: (-spring.solref[0], spring.ratio), default=None)


def _spring_between(
    a: _Shape, b: _Shape, masses: Mapping[str, float], context: MjcfContext
) -> ContactSpring | None:
    surfaces = [shape.collision.surface for shape in (a, b)]
    return contact_spring(surfaces, sum(masses.get(shape.link, 0.0) for shape in (a, b)), context)


def _write_pair(
    a: _Shape,
    b: _Shape,
    rule: Callable[[float, float], float],
    contact: ContactSpring | None,
    context: MjcfContext,
) -> None:
    depth = resting_depth(contact, context)
    (slide_a, *rest_a), (slide_b, *rest_b) = (
        friction_of(shape.collision.surface.friction, depth) for shape in (a, b)
    )
    slide = rule(slide_a, slide_b)
    spin, roll = (max(pair) for pair in zip(rest_a, rest_b, strict=True))
    for first, second in product(a.geoms, b.geoms):
        context.document["contact"].add(
            "pair",
            geom1=first,
            geom2=second,
            condim=max(_condim(shape.collision, depth) for shape in (a, b)),
            friction=(slide, slide, spin, roll, roll),
            solref=contact.solref if contact else None,
            solimp=contact.solimp if contact else None,
            solreffriction=contact.friction_solref(context.time_step) if contact else None,
        )


def _condim(collision: Collision, depth: float) -> int:
    friction = collision.surface.friction
    _, spin, roll = friction_of(friction, depth)
    if friction.rolling is not None and roll > 0.0:
        return 6
    return 4 if friction.torsional is not None and spin > 0.0 else 3


def _report_friction_difference(context: MjcfContext) -> None:
    """Report the two shapes that may touch for which MuJoCo's rule differs most from that of the
    source.
    """
    rule = friction_rule(context.mechanism.scene)
    if rule.combined is max:
        return
    worst = worst_of(frictions_of(_touching_kinds(context), rule, max))
    if worst is not None:
        context.add(
            codes.FRICTION_COMBINATION,
            subjects=(worst.link_A, worst.link_B),
            link_a=worst.link_A,
            link_b=worst.link_B,
            a=worst.coefficients[0],
            b=worst.coefficients[1],
            larger=worst.found,
            rule_name=rule.words,
            combined=worst.wanted,
        )


def _touching_kinds(context: MjcfContext) -> Iterator[tuple[Link, Link]]:
    """Yield a pair of links that may touch for every two kinds of links with the same coefficients
    that have one.
    """
    mechanism = context.mechanism
    excluded = mechanism.excluded_pairs(context.options.policy)
    links = {
        mechanism.body_index[link.name]: link
        for link in mechanism.scene.links
        if link.collisions and link.name in mechanism.body_index
    }
    kinds: dict[tuple[bool, frozenset[float]], list[int]] = {}
    for i, link in links.items():
        coefficients = frozenset(c.surface.friction.mu for c in link.collisions)
        kinds.setdefault((mechanism.moving_ancestor(i) == ROOT, coefficients), []).append(i)
    members = {kind: excluded.representatives(found) for kind, found in kinds.items()}
    for (one, first), (other, second) in combinations_with_replacement(members.items(), 2):
        if not (one[0] and other[0]):
            pairs = combinations(first, 2) if first is second else product(first, second)
            touching = (pair for pair in pairs if frozenset(pair) not in excluded)
            yield from ((links[a], links[b]) for a, b in islice(touching, 1))


def write_excludes(filters: Filters, context: MjcfContext) -> None:
    """Write the excludes and the flag that they need; bitmasks are attributes of the geoms.

    Args:
        filters: The collision filters in MuJoCo's form.
        context: The export.
    """
    if not filters.parent_filter:
        option = context.document["option"]
        flags = [child for child in option.children if child.tag == "flag"] or [option.add("flag")]
        flags[0].set(filterparent="disable")
    for a, b in (*filters.excludes, *_without_effect(filters, context)):
        context.document["contact"].add("exclude", body1=_name(a, context), body2=_name(b, context))


def _without_effect(filters: Filters, context: MjcfContext) -> list[tuple[int, int]]:
    """Return the excludes of an MJCF source without which the same pairs collide, such as those of
    a cable.
    """
    mechanism = context.mechanism
    filters_are_pairs = conventions_of(mechanism.physics).filters_are_pairs
    if not filters_are_pairs or context.options.policy != "mujoco":
        return []
    written = set(map(frozenset, filters.excludes))
    return [pair for pair in pairs_of_rules(mechanism) if frozenset(pair) not in written]


def _name(body: int, context: MjcfContext) -> str:
    return WORLD if body == ROOT else context.mechanism.bodies[body].name


def report_ignored_filters(context: MjcfContext) -> None:
    """Report the pairs that MuJoCo never lets collide, and the filters that the collision policy
    ignores.
    """
    scene, policy = context.mechanism.scene, context.options.policy
    partners = welded_partners(context.mechanism, policy)
    if partners:
        context.add(
            codes.WELDED_CONTACT,
            subjects=(_name(body, context) for body in partners),
            count=sum(partners.values()) // 2,
        )
    ignored = ignored_by_policy(scene, policy)
    if ignored:
        context.add(
            codes.CONTACT_POLICY,
            Where(scene.source),
            subjects=dict.fromkeys(chain.from_iterable(ignored.values())),
            policy=policy,
            properties=tuple(ignored),
        )


_TURNS = frozenset({PrimitiveKind.HINGE, PrimitiveKind.BALL})
_NOTHING = 1e-12
"""Way of the center of mass per angle, relative to the size of the link, that is a rounding
error."""


def report_pivoted_contacts(context: MjcfContext) -> None:
    """Report the links that only turn about their center of mass and may touch another such link.

    Args:
        context: The export.
    """
    touching = _touching(context)
    if touching:
        context.add(codes.PIVOTED_CONTACT, subjects=touching, count=len(touching))


def _touching(context: MjcfContext) -> list[str]:
    """Return the names of the pivoted links that may collide with another one whose shapes are near
    at the zero position.
    """
    mechanism = context.mechanism
    candidates = [(i, body) for i, body in enumerate(mechanism.bodies) if _may_be_pivoted(body)]
    if len(candidates) < 2:
        return []
    jacobians, poses = mechanism.jacobians(), mechanism.link_poses()
    excluded = mechanism.excluded_pairs(context.options.policy)
    pivoted = []
    for i, body in candidates:
        X_WL, radius = poses[body.name], _radius(body)
        speed = _speed_of_center(body, X_WL, jacobians[body.name])
        if radius > 0.0 and speed <= _NOTHING * radius:
            pivoted.append((i, X_WL.R @ body.inertia.p_LLcm + X_WL.p, radius))
    pivoted.sort(key=lambda each: each[1][0] - each[2])  # along x, by where the spheres begin
    centers = np.array([center for _, center, _ in pivoted]).reshape(-1, 3)
    radii = np.array([radius for *_, radius in pivoted])
    ends = np.searchsorted(centers[:, 0] - radii, centers[:, 0] + radii, side="right")
    found: set[int] = set()
    for k, (i, center, radius) in enumerate(pivoted):
        rest = slice(k + 1, int(ends[k]))
        gaps = np.linalg.norm(centers[rest] - center, axis=1) - radii[rest]
        for m in k + 1 + np.flatnonzero(gaps <= radius):
            j = pivoted[m][0]
            if not (i in found and j in found) and frozenset((i, j)) not in excluded:
                found |= {i, j}
    return [mechanism.bodies[i].name for i in sorted(found)]


def _may_be_pivoted(body: Body) -> bool:
    """Return whether a link with collisions is held by the world and turns."""
    kinds = {primitive.kind for primitive in body.primitives}
    return body.parent == ROOT and bool(body.link.collisions) and bool(kinds) and kinds <= _TURNS


def _speed_of_center(body: Body, X_WL: Pose, J: Array) -> float:
    """Return the largest speed of the center of mass per speed of a joint."""
    return float(np.abs(J[3:] - skew(X_WL.R @ body.inertia.p_LLcm) @ J[:3]).max(initial=0.0))


def _radius(body: Body) -> float:
    """Return the radius of a sphere about the center of mass around the primitive shapes of a link;
    zero if it has none.
    """
    radii = [0.0]
    for collision in body.link.collisions:
        support = support_function(collision.geometry)
        if support is not None:
            reach = math.sqrt(sum(max(support(axis), support(-axis)) ** 2 for axis in np.eye(3)))
            radii.append(reach + float(np.linalg.norm(collision.X_LG.p - body.inertia.p_LLcm)))
    return max(radii)
