"""Tree queries: the root of each body's tree, and the body with which each body moves.

Every function takes one pass over the bodies, which stand after their parents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .bodies import ROOT, Body


def root_bodies(bodies: Sequence[Body]) -> tuple[int, ...]:
    """Return, for each body, the index of the root of its tree: the ancestor (or itself) whose parent is the world."""
    roots: list[int] = []
    for i, body in enumerate(bodies):
        roots.append(i if body.parent == ROOT else roots[body.parent])
    return tuple(roots)


def moving_ancestors(bodies: Sequence[Body]) -> tuple[int, ...]:
    """Return, for each body, the nearest of itself and its ancestors that has degrees of freedom.

    `ROOT` is the root of bodies that are welded to the world.
    """
    moving: list[int] = []
    for i, body in enumerate(bodies):
        inherited = ROOT if body.parent == ROOT else moving[body.parent]
        moving.append(i if body.primitives else inherited)
    return tuple(moving)


def members_by_key(keys: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """Return the positions at which each key occurs, keys in the order of their first occurrence."""
    members: dict[int, list[int]] = {}
    for i, key in enumerate(keys):
        members.setdefault(key, []).append(i)
    return {key: tuple(indices) for key, indices in members.items()}
