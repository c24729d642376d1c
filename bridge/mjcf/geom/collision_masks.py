"""Collision bitmasks that let exactly the given pairs collide, instead of a long list of excluded pairs.

No function runs over all pairs: only over those that are excluded, which are few where bodies are many.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

EXTERNAL_BIT = 1
"""The bit that every body has, so that it collides with bodies added to the model later under the default masks."""
BITS = 30
"""Number of further bits in a mask: MuJoCo's masks are signed integers of 32 bits."""


@dataclass(frozen=True, slots=True)
class Mask:
    """Two bodies collide if a bit of the ``kind`` of one is in the ``touches`` of the other.

    Attributes:
        kind: The bits of the body itself: MuJoCo's ``contype``, Bullet's filter group.
        touches: The bits that it collides with: MuJoCo's ``conaffinity``, Bullet's filter mask.
    """

    kind: int
    touches: int

    def meets(self, other: Mask) -> bool:
        """Return whether the two collide."""
        return bool(self.kind & other.touches or other.kind & self.touches)


def masks(bodies: Sequence[T], excluded: Collection[frozenset[T]], bits: int = BITS) -> dict[T, Mask] | None:
    """Return masks under which exactly the pairs that are not excluded collide, or None if none were found.

    Bodies that collide with the same others form a class. In the graph of classes that collide a vertex cover is
    chosen: each class in it has its own bit, which every class that collides with it has in ``touches``. No class
    has `EXTERNAL_BIT` in ``touches``, but all have it in ``kind``: a foreign body that collides with everything
    collides with them.

    Args:
        bodies: The bodies, by any key.
        excluded: Pairs of them that never collide.
        bits: The largest number of bits.
    """
    classes = _classes(bodies, excluded)
    separate = max(0, len(classes) - bits)  # classes without a bit, of which no two collide
    if len(excluded) < separate * (separate - 1) // 2:
        return None
    collides_with = _class_graph(classes, excluded)
    cover = _vertex_cover(collides_with, bits)
    if cover is None:
        return None
    bit = {k: EXTERNAL_BIT << i for i, k in enumerate(cover, start=1)}
    mask_of: dict[T, Mask] = {}
    for k, members in enumerate(classes):
        mask = Mask(EXTERNAL_BIT | bit.get(k, 0), sum(bit[other] for other in collides_with[k] if other in bit))
        mask_of.update(dict.fromkeys(members, mask))
    return {body: mask_of[body] for body in bodies}


def _classes(bodies: Sequence[T], excluded: Iterable[frozenset[T]]) -> list[list[T]]:
    """Return the bodies in classes that collide with the same others, and either all or none within the class."""
    excluded_from: dict[T, set[T]] = {body: set() for body in bodies}
    for pair in excluded:
        if pair <= excluded_from.keys():
            a, b = pair
            excluded_from[a].add(b)
            excluded_from[b].add(a)
    not_colliding: dict[frozenset[T], list[T]] = defaultdict(list)
    for body in bodies:
        not_colliding[frozenset({*excluded_from[body], body})].append(body)
    colliding: dict[frozenset[T], list[T]] = defaultdict(list)
    for members in not_colliding.values():
        if len(members) == 1:
            colliding[frozenset(excluded_from[members[0]])].append(members[0])
    return [members for members in not_colliding.values() if len(members) > 1] + list(colliding.values())


def _class_graph(classes: list[list[T]], excluded: Iterable[frozenset[T]]) -> list[set[int]]:
    """Return for each class those that it collides with; itself too if its members collide with one another."""
    class_of = {body: k for k, members in enumerate(classes) for body in members}
    collides_with = [set(range(len(classes))) for _ in classes]
    for k, members in enumerate(classes):
        if len(members) == 1:
            collides_with[k].discard(k)
    for pair in excluded:
        if pair <= class_of.keys():
            a, b = (class_of[body] for body in pair)
            collides_with[a].discard(b)
            collides_with[b].discard(a)
    return collides_with


def _vertex_cover(graph: list[set[int]], limit: int) -> list[int] | None:
    """Return vertices such that each edge has an end among them; None if more than ``limit`` are needed.

    The vertex with the most uncovered edges is taken next.
    """
    uncovered = [set(neighbors) for neighbors in graph]
    cover = [k for k, neighbors in enumerate(uncovered) if k in neighbors]
    for k in cover:
        _cover_edges(k, uncovered)
    while len(cover) <= limit:
        k = max(range(len(uncovered)), key=lambda i: len(uncovered[i]), default=0)
        if not uncovered or not uncovered[k]:
            return cover
        cover.append(k)
        _cover_edges(k, uncovered)
    return None


def _cover_edges(k: int, uncovered: list[set[int]]) -> None:
    """Remove the edges of vertex ``k``."""
    for other in uncovered[k] - {k}:
        uncovered[other].discard(k)
    uncovered[k] = set()
