"""Pairs of links that never touch, in the forms that simulators take: lists of pairs, and bitmasks.

Nothing here runs over all pairs of links: only over those that are excluded, which are few where links are many.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from .mechanism import ROOT, Mechanism

Pair = frozenset[str]

BITS = 31
"""Bits of a mask: MuJoCo's and Bullet's are signed integers of 32."""

MANY = 2000
"""From this number of excludes on, masks are better, though harder to read."""


@dataclass(frozen=True, slots=True)
class Mask:
    """Two links touch if what one of them is meets what the other one touches.

    In MuJoCo ``contype`` and ``conaffinity``, in Bullet the filter group and the filter mask.
    """

    kind: int
    touches: int

    def meets(self, other: Mask) -> bool:
        """Whether the two touch."""
        return bool(self.kind & other.touches or other.kind & self.touches)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What MuJoCo is told, with its own parent filter switched off; either of both is enough."""

    excludes: tuple[tuple[str, str], ...]
    """Pairs of bodies that do not touch, in the order of the scene; empty if there are masks."""
    masks: Mapping[str, Mask] | None
    """A mask for each link with collisions."""


def filters(mechanism: Mechanism, policy: str = "drake", *, many: int = MANY) -> Filters:
    """Masks if there are ``many`` excludes and masks can say the same, else excludes."""
    pairs = excludes(mechanism, policy)
    found = (
        masks(colliding(mechanism), mechanism.scene.excluded_collision_pairs(policy)) if len(pairs) >= many else None
    )
    return Filters(excludes=() if found else pairs, masks=found)


def colliding(mechanism: Mechanism) -> list[str]:
    """The links with collisions, in the order of the scene."""
    return [link.name for link in mechanism.scene.links if link.collisions]


def excludes(mechanism: Mechanism, policy: str = "drake") -> tuple[tuple[str, str], ...]:
    """The excluded pairs that MuJoCo must be told: those that are not welded together, in the order of the scene."""
    group = weld_groups(mechanism)
    pairs = mechanism.scene.excluded_collision_pairs(policy)
    apart = (pair for pair in pairs if len({group.get(name, ROOT) for name in pair}) == 2)
    return in_order(apart, colliding(mechanism))


def in_order(pairs: Iterable[Pair], names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The pairs as tuples, sorted by the places of their members in ``names``."""
    place = {name: i for i, name in enumerate(names)}
    numbers = sorted(sorted(place[name] for name in pair) for pair in pairs)
    return tuple((names[i], names[j]) for i, j in numbers)


def weld_groups(mechanism: Mechanism) -> dict[str, int]:
    """For each link the index of the body that moves all that is welded to it; `ROOT` where that is the world."""
    groups: list[int] = []
    for i, body in enumerate(mechanism.bodies):
        above = ROOT if body.parent == ROOT else groups[body.parent]
        groups.append(i if body.primitives else above)
    return {body.name: group for body, group in zip(mechanism.bodies, groups, strict=True)}


def any_may_touch(names: Collection[str], excluded: Collection[Pair]) -> bool:
    """Whether any two of these links may touch: whether PyBullet must load them with self-collision."""
    count = len(names)
    chosen = set(names)
    return sum(pair <= chosen for pair in excluded) < count * (count - 1) // 2


def forbidden_in_bullet(
    places: Mapping[str, tuple[int, int]], excluded: Collection[Pair]
) -> tuple[tuple[tuple[int, int], tuple[int, int]], ...]:
    """The pairs that PyBullet is to be told not to collide.

    Args:
        places: Body and link index of each link; links that PyBullet has as one share a place.
        excluded: Pairs of links that never touch.

    Returns:
        Pairs of different places of which no two links may touch, sorted.
    """
    inhabitants: dict[tuple[int, int], int] = defaultdict(int)
    for place in places.values():
        inhabitants[place] += 1
    counts: dict[tuple[tuple[int, int], ...], int] = defaultdict(int)
    for pair in excluded:
        if pair <= places.keys():
            counts[tuple(sorted(places[name] for name in pair))] += 1
    return tuple(
        (a, b) for (a, b), count in sorted(counts.items()) if a != b and count == inhabitants[a] * inhabitants[b]
    )


# --- masks -----------------------------------------------------------------------------------------------------------


def masks(names: Sequence[str], excluded: Collection[Pair], bits: int = BITS) -> dict[str, Mask] | None:
    """Masks under which exactly the pairs that are not excluded touch, or None if none were found.

    Links that touch the same others are one class. Of the graph of classes that may touch a vertex cover is chosen:
    each class in it has a bit of its own, and all that may touch it touch that bit.

    Args:
        names: The links.
        excluded: Pairs of them that never touch.
        bits: The largest number of bits.
    """
    classes = _classes(names, excluded)
    touching = _class_graph(classes, excluded)
    cover = _vertex_cover(touching, bits)
    if cover is None:
        return None
    bit = {k: 1 << i for i, k in enumerate(cover)}
    found = {}
    for k, members in enumerate(classes):
        mask = Mask(bit.get(k, 0), sum(bit[other] for other in touching[k] if other in bit))
        found.update(dict.fromkeys(members, mask))
    return {name: found[name] for name in names}


def _classes(names: Sequence[str], excluded: Iterable[Pair]) -> list[list[str]]:
    """Links that touch the same others, and either all each other or none another."""
    shunned: dict[str, set[str]] = {name: set() for name in names}
    for pair in excluded:
        if pair <= shunned.keys():
            a, b = pair
            shunned[a].add(b)
            shunned[b].add(a)
    aloof: dict[frozenset[str], list[str]] = defaultdict(list)
    for name in names:
        aloof[frozenset({*shunned[name], name})].append(name)
    friends: dict[frozenset[str], list[str]] = defaultdict(list)
    for members in aloof.values():
        if len(members) == 1:
            friends[frozenset(shunned[members[0]])].append(members[0])
    return [members for members in aloof.values() if len(members) > 1] + list(friends.values())


def _class_graph(classes: list[list[str]], excluded: Iterable[Pair]) -> list[set[int]]:
    """For each class those that its members may touch; itself too if they may touch one another."""
    of = {name: k for k, members in enumerate(classes) for name in members}
    touching = [set(range(len(classes))) for _ in classes]
    for k, members in enumerate(classes):
        if len(members) == 1:
            touching[k].discard(k)
    for pair in excluded:
        if pair <= of.keys():
            a, b = (of[name] for name in pair)
            touching[a].discard(b)
            touching[b].discard(a)
    return touching


def _vertex_cover(touching: list[set[int]], limit: int) -> list[int] | None:
    """Vertices that every edge has an end in: always the one with most edges left. None if there are too many."""
    left = [set(neighbours) for neighbours in touching]
    cover = [k for k, neighbours in enumerate(left) if k in neighbours]
    for k in cover:
        _take(k, left)
    while len(cover) <= limit:
        k = max(range(len(left)), key=lambda i: len(left[i]), default=0)
        if not left or not left[k]:
            return cover
        cover.append(k)
        _take(k, left)
    return None


def _take(k: int, left: list[set[int]]) -> None:
    for other in left[k] - {k}:
        left[other].discard(k)
    left[k] = set()
