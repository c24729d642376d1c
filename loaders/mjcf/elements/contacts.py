"""Collision filters and contact pairs."""

from __future__ import annotations

from collections.abc import Iterable

from loaders.mjcf.compilation.source import Source
from loaders.model import ContactPair, FilterGroup, FilterRule, Link
from loaders.reading.makers import maker

from .settings import pair_effects, solver, text_of, unless

_FilterGroup, _FilterRule, _ContactPair = maker(FilterGroup), maker(FilterRule), maker(ContactPair)


def read_excludes(source: Source) -> tuple[tuple[FilterGroup, ...], tuple[FilterRule, ...]]:
    """Return a group for each link that an ``<exclude>`` names, and a rule for each ``<exclude>``."""
    groups: dict[str, FilterGroup] = {}
    rules = []
    for i, signature in enumerate(source.model.exclude_signature):
        where = source.where("exclude", i)
        a, b = source.link(signature >> 16), source.link(signature & 0xFFFF)
        for name in (a, b):
            groups.setdefault(name, _FilterGroup(name=name, links=(name,), where=where))
        rules.append(_FilterRule(a=a, b=b, where=where))
    return tuple(groups.values()), tuple(rules)


def read_pairs(links: Iterable[Link], source: Source) -> tuple[ContactPair, ...]:
    """Return the contact pairs of a model.

    Args:
        links: The links. A pair is left out if one of its geoms is not among their collisions, which was reported.
        source: The compiled model.
    """
    if not source.model.npair:
        return ()
    collisions = {(link.name, collision.name) for link in links for collision in link.collisions}
    pairs = (_pair(i, source) for i in range(source.model.npair))
    return tuple(p for p in pairs if {(p.link_A, p.collision_A), (p.link_B, p.collision_B)} <= collisions)


def _pair(i: int, source: Source) -> ContactPair:
    model, names = source.model, source.names("geom")
    a, b = int(model.pair_geom1[i]), int(model.pair_geom2[i])
    settings = [
        ("condim", text_of(model.pair_dim[i])),
        ("friction", text_of(model.pair_friction[i])),
        *solver(model.pair_solref[i], model.pair_solimp[i]),
        *unless("solreffriction", model.pair_solreffriction[i], [0.0, 0.0]),
        *unless("margin", model.pair_margin[i], 0.0),
        *unless("gap", model.pair_gap[i], 0.0),
        *pair_effects(i, model),
    ]
    return _ContactPair(
        link_A=source.link(int(model.geom_bodyid[a])),
        collision_A=names[a],
        link_B=source.link(int(model.geom_bodyid[b])),
        collision_B=names[b],
        mujoco=tuple(settings),
        where=source.where("pair", i),
    )
