"""``<pair>``: each two geoms that may touch, with the friction and stiffness that the source's simulator has.

A geom has one coefficient, and MuJoCo takes the larger of two. Other simulators combine them otherwise; in MJCF that
can only be said pair by pair.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice, product

import numpy as np

from bridge.mjcf.xml.context import Context
from loaders.diagnostics import Fate
from loaders.model import Collision
from loaders.scene_queries.excluded_pairs import BITMASKED, bitmasks

from .collision_masks import Mask
from .contact_compliance import Yielding, bouncing, damping_ratio, sprung, yielding
from .contact_parameters import friction_of

MOST_PAIRS = 2000
"""More are no file that anybody reads, and slow to step."""


def _harmonic(a: float, b: float) -> float:
    return 2.0 * a * b / (a + b) if a + b > 0.0 else 0.0


def _product(a: float, b: float) -> float:
    return a * b


RULES: dict[str, tuple[str, Callable[[float, float], float]]] = {
    "drake": ("2ab/(a+b)", _harmonic),
    "sdformat": ("the smaller", min),
    "mujoco": ("the larger", max),
    "pybullet": ("the product", _product),
}
"""How the simulator of each collision policy makes one coefficient of friction of two."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """A collision, its link, and the names of its geoms."""

    link: str
    collision: Collision
    geoms: tuple[str, ...]


def pairs(context: Context) -> None:
    """Write the pairs if they were asked for; else say by how much the friction of pairs differs without."""
    if context.options.contacts == "geoms":
        _report_difference(context)
        return
    touching = list(islice(_touching(context), MOST_PAIRS + 1))
    if sum(len(a.geoms) * len(b.geoms) for a, b in touching) > MOST_PAIRS:
        message = f"more than {MOST_PAIRS} pairs of geoms may touch; none is written"
        hint = "use fewer shapes, or collision filters"
        context.report(Fate.DROPPED, "contact-pairs", message, hint=hint)
        _report_difference(context)
        return
    for a, b in touching:
        _pair(a, b, context)


def _touching(context: Context) -> Iterator[tuple[_Shape, _Shape]]:
    mechanism, policy = context.mechanism, context.options.collision_policy
    excluded = mechanism.scene.excluded_collision_pairs(policy)
    masked = policy in BITMASKED
    links = [link for link in mechanism.scene.links if link.collisions]
    group = {link.name: mechanism.weld_group_of(link.name) for link in links}
    for A, B in combinations(links, 2):
        if frozenset((A.name, B.name)) in excluded or group[A.name] == group[B.name]:
            continue
        for a, b in product(A.collisions, B.collisions):
            if a.surface.collide_without_contact or b.surface.collide_without_contact:
                continue
            if not masked or Mask(*bitmasks(a.surface)).meets(Mask(*bitmasks(b.surface))):
                yield _shape(A.name, a, context), _shape(B.name, b, context)


def _shape(link: str, collision: Collision, context: Context) -> _Shape:
    return _Shape(link, collision, tuple(context.geom_names.get((link, collision.name), ())))


def _pair(a: _Shape, b: _Shape, context: Context) -> None:
    (slide_a, *rest_a), (slide_b, *rest_b) = (friction_of(shape.collision.surface.friction) for shape in (a, b))
    slide = RULES[context.options.collision_policy][1](slide_a, slide_b)
    spin, roll = (max(pair) for pair in zip(rest_a, rest_b, strict=True))
    contact = _yielding(a, b, context)
    for first, second in product(a.geoms, b.geoms):
        context.document["contact"].add(
            "pair",
            geom1=first,
            geom2=second,
            condim=max(_condim(shape.collision) for shape in (a, b)),
            friction=(slide, slide, spin, roll, roll),
            solref=contact.solref if contact else None,
            solimp=contact.solimp if contact else None,
        )


def _condim(collision: Collision) -> int:
    friction = collision.surface.friction
    _, spin, roll = friction_of(friction)
    if friction.rolling is not None and roll > 0.0:
        return 6
    return 4 if friction.torsional is not None and spin > 0.0 else 3


def _yielding(a: _Shape, b: _Shape, context: Context) -> Yielding | None:
    """Springs in a row, the damping that of the one that is damped more; or the bounce of the one that bounces more."""
    surfaces = [sprung(shape.collision.surface, context.time_step) for shape in (a, b)]
    springs = [s for s in surfaces if s.stiffness]
    if springs:
        stiffness = 1.0 / sum(1.0 / (s.stiffness or math.inf) for s in springs)
        w = sum((context.inverse_masses or {}).get(shape.link, 0.0) for shape in (a, b))
        gravity = float(np.linalg.norm(context.mechanism.scene.gravity))
        if w > 0.0:
            ratio = max(damping_ratio(s, stiffness, w, gravity) for s in springs)
            return yielding(stiffness, ratio, w, context.time_step)
    restitution = max(s.restitution for s in surfaces)
    return bouncing(restitution, context.time_step) if restitution > 0.0 else None


def _report_difference(context: Context) -> None:
    """The two coefficients of the scene for which MuJoCo's rule is farthest from that of the source's simulator."""
    name, rule = RULES[context.options.collision_policy]
    shapes = [c for link in context.mechanism.scene.links for c in link.collisions]
    count = Counter(c.surface.friction.mu for c in shapes)
    present = sorted(count)
    met = [*combinations(present, 2), *((mu, mu) for mu in present if count[mu] > 1)]
    a, b = max(met, key=lambda pair: abs(max(pair) - rule(*pair)), default=(0.0, 0.0))
    if abs(max(a, b) - rule(a, b)) > 1e-12 * max(a, b):
        context.report(
            Fate.APPROXIMATED,
            "friction-combination",
            (
                "shapes with friction {a:g} and {b:g} slide on one another with {max:g}, the larger; "
                "under the policy {collision_policy} it is {name}, {rule:g}; others differ by less"
            ),
            hint='contacts="pairs" writes each pair',
            a=a,
            b=b,
            max=max(a, b),
            collision_policy=context.options.collision_policy,
            name=name,
            rule=rule(a, b),
        )
