"""Collision filter groups and rules."""

from __future__ import annotations

from dataclasses import dataclass

from loaders.diagnostics import NOWHERE, Where


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterGroup:
    """A named set of links."""

    name: str
    links: tuple[str, ...]
    groups: tuple[str, ...] = ()
    """Further groups whose links belong to it; empty in a scene that is loaded to the end."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterRule:
    """No link of group ``a`` touches a link of group ``b``; the same group twice: none touches another."""

    a: str
    b: str
    where: Where = NOWHERE
