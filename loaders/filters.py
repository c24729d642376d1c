"""Collision filters: which pairs of links never touch."""

from __future__ import annotations

from .model import Scene

POLICIES = ("drake",)


def excluded_pairs(scene: Scene, policy: str) -> frozenset[frozenset[str]]:
    """Pairs of links, of those with collisions, that never touch."""
    raise NotImplementedError
