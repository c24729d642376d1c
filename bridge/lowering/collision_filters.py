"""Pairs of links that never touch, in the forms that simulators take: lists of pairs, and bitmasks.

Nothing here runs over all pairs of links: only over those that are excluded, which are few where links are many.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from loaders.model import Surface
from loaders.scene import Scene
from loaders.scene_queries.excluded_pairs import BITMASKED, masked_pairs

Pair = frozenset[str]
LinkRef = tuple[int, int]
"""A body of PyBullet's and the index of one of its links."""

EXTERNAL_BIT = 1
"""The bit that every link has, so that it meets what is added to the model later and has an engine's usual masks."""
BITS = 30
"""Bits that are left to a mask: MuJoCo's and Bullet's are signed integers of 32."""
MANY = 32
"""Up to this number excludes stay, whatever masks could do: they name who does not touch whom."""
MIN_MASK_SAVING = 10
"""Masks must be fewer than excludes by this factor: else they are only harder to read."""


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
    """What MuJoCo is told. It never lets links touch that are welded together; of them nothing is said."""

    parent_filter: bool
    """Whether MuJoCo's own rule, that parent and child do not touch, holds."""
    bitmasks: bool
    """Whether the bitmasks of the source hold, for each collision its own."""
    masks: Mapping[str, Mask] | None
    """A mask for each link with collisions, instead of excludes."""
    excludes: tuple[tuple[str, str], ...]
    """Pairs of links that do not touch, which nothing else keeps apart, in the order of the scene."""


def filters(mechanism: Mechanism, policy: str = "drake") -> Filters:
    """What to tell MuJoCo so that exactly the pairs touch that the policy lets touch.

    Bitmasks of the source are kept where the policy heeds them. Otherwise, masks that say the same take the place of
    more than `MANY` excludes if they are `MIN_MASK_SAVING`.
    """
    excluded = mechanism.scene.excluded_collision_pairs(policy)
    pairs = _between_groups(mechanism, excluded)
    implied = set(_adjacent(mechanism))
    parent_filter = implied <= pairs
    if parent_filter:
        pairs -= implied
    bitmasks = policy in BITMASKED and has_bitmasks(mechanism.scene)
    if bitmasks:
        pairs -= {frozenset(pair) for pair in masked_pairs(mechanism.scene)}
    names = colliding(mechanism)
    found = None if bitmasks or len(pairs) <= MANY else masks(names, excluded)
    if found is not None and len(set(found.values())) * MIN_MASK_SAVING > len(pairs):
        found = None
    listed = () if found is not None else in_order(pairs, names)
    return Filters(parent_filter=parent_filter, bitmasks=bitmasks, masks=found, excludes=listed)


def colliding(mechanism: Mechanism) -> list[str]:
    """The links with collisions, in the order of the scene."""
    return [link.name for link in mechanism.scene.links if link.collisions]


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


def welded_pairs(mechanism: Mechanism, policy: str = "drake") -> int:
    """How many pairs of links may touch that cannot move against each other, which MuJoCo never lets touch."""
    excluded = mechanism.scene.excluded_collision_pairs(policy)
    together = sum(len(names) * (len(names) - 1) // 2 for names in _inhabitants(mechanism).values())
    return together - (len(excluded) - len(_between_groups(mechanism, excluded)))


def _between_groups(mechanism: Mechanism, pairs: Collection[Pair]) -> set[Pair]:
    """The pairs that are not welded together."""
    group = weld_groups(mechanism)
    return {pair for pair in pairs if len({group[name] for name in pair}) == 2}


def _inhabitants(mechanism: Mechanism) -> dict[int, list[str]]:
    """The links with collisions in each weld group."""
    group = weld_groups(mechanism)
    found: dict[int, list[str]] = defaultdict(list)
    for name in colliding(mechanism):
        found[group[name]].append(name)
    return found


def _adjacent(mechanism: Mechanism) -> Iterator[Pair]:
    """The pairs that MuJoCo's rule keeps apart: weld groups of which one hangs from the other, but not the world's."""
    group, inhabitants = weld_groups(mechanism), _inhabitants(mechanism)
    for below, names in inhabitants.items():
        parent = ROOT if below == ROOT else mechanism.bodies[below].parent
        above = ROOT if parent == ROOT else group[mechanism.bodies[parent].name]
        if above != ROOT:
            yield from (frozenset(pair) for pair in product(names, inhabitants.get(above, ())))


# --- what the source says --------------------------------------------------------------------------------------------


def has_bitmasks(scene: Scene) -> bool:
    """Whether a collision has other bitmasks than it has when the source is silent."""
    plain = Surface()
    stated = {(c.surface.collide_bitmask, c.surface.category_bitmask) for k in scene.links for c in k.collisions}
    return not stated <= {(plain.collide_bitmask, plain.category_bitmask)}


def unheeded(scene: Scene, policy: str) -> str:
    """What the source says of touching and the policy does not look at, as the subject of a sentence, or nothing."""
    if policy in BITMASKED:
        return ""
    willing = any(model.self_collide for model in scene.models) or any(link.self_collide for link in scene.links)
    stated = {"bitmasks of collisions": has_bitmasks(scene), "self_collide": willing}
    return " and ".join(what for what, is_stated in stated.items() if is_stated)


# --- PyBullet --------------------------------------------------------------------------------------------------------


def any_may_touch(places: Mapping[str, LinkRef], excluded: Collection[Pair]) -> bool:
    """Whether any two of these links may touch that do not share a place."""
    return any(places[a] != places[b] and frozenset((a, b)) not in excluded for a, b in combinations(places, 2))


def forbidden_in_bullet(
    places: Mapping[str, LinkRef], excluded: Collection[Pair]
) -> tuple[tuple[LinkRef, LinkRef], ...]:
    """The pairs that PyBullet is to be told not to collide.

    Args:
        places: Body and link index of each link; links that PyBullet has as one share a place.
        excluded: Pairs of links that never touch.

    Returns:
        Pairs of different places of which no two links may touch, sorted.
    """
    inhabitants = Counter(places.values())
    counts = Counter(tuple(sorted(places[name] for name in pair)) for pair in excluded if pair <= places.keys())
    return tuple(
        (a, b) for (a, b), count in sorted(counts.items()) if a != b and count == inhabitants[a] * inhabitants[b]
    )


# --- masks -----------------------------------------------------------------------------------------------------------


def masks(names: Sequence[str], excluded: Collection[Pair], bits: int = BITS) -> dict[str, Mask] | None:
    """Masks under which exactly the pairs that are not excluded touch, or None if none were found.

    Links that touch the same others are one class. Of the graph of classes that may touch a vertex cover is chosen:
    each class in it has a bit of its own, and all that may touch it touch that bit. No class touches `EXTERNAL_BIT`,
    which all have: what is not of these links and touches everything touches them.

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
    bit = {k: EXTERNAL_BIT << i for i, k in enumerate(cover, start=1)}
    found = {}
    for k, members in enumerate(classes):
        mask = Mask(EXTERNAL_BIT | bit.get(k, 0), sum(bit[other] for other in touching[k] if other in bit))
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
