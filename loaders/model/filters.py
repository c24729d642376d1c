"""Collision filter groups and rules."""

from __future__ import annotations

from dataclasses import dataclass

from loaders.diagnostics import NOWHERE, Where

from .common import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterGroup:
    """A named set of links."""

    name: str
    """Scoped name."""
    links: tuple[str, ...]
    """Names of the member links."""
    groups: tuple[str, ...] = ()
    """Names of member groups, resolved at the end of a load: empty in a loaded scene."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactPair:
    """Two collisions that may touch whatever the filters say."""

    link_A: str
    """Name of link A."""
    collision_A: str
    """Name of the collision of link A."""
    link_B: str
    """Name of link B."""
    collision_B: str
    """Name of the collision of link B."""
    mujoco: Settings = ()
    """Settings of MuJoCo's ``<pair>``."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterRule:
    """Rule that no link of group ``a`` collides with a link of group ``b``, which may be the same group."""

    a: str
    b: str
    where: Where = NOWHERE
