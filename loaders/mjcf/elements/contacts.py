"""Collision filters: the excluded pairs of bodies."""

from __future__ import annotations

from loaders.mjcf.compilation.source import Source
from loaders.model import FilterGroup, FilterRule


def read_excludes(source: Source) -> tuple[tuple[FilterGroup, ...], tuple[FilterRule, ...]]:
    """Return a group for each link that an ``<exclude>`` names, and a rule for each ``<exclude>``."""
    groups: dict[str, FilterGroup] = {}
    rules = []
    for i, signature in enumerate(source.model.exclude_signature.tolist()):
        where = source.where("exclude", i)
        a, b = source.link(signature >> 16), source.link(signature & 0xFFFF)
        for name in (a, b):
            groups.setdefault(name, FilterGroup(name=name, links=(name,), where=where))
        rules.append(FilterRule(a=a, b=b, where=where))
    return tuple(groups.values()), tuple(rules)
