"""Bitmasks and filters that let the given pairs collide.

Bodies are given by index; `bridge.mechanism.bodies.ROOT` is the world.

No function runs over all pairs: only over those that are excluded, which are few where bodies are
many.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import TypeVar

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from loaders.collision_pairs import BITMASKED, FILTER_PARENT_OFF, PairSet
from loaders.engine_settings import MUJOCO
from loaders.limits import limited
from loaders.model import settings_of

T = TypeVar("T", bound=Hashable)

EXTERNAL_BIT = 1
"""The bit that every body has, so that it collides with bodies added to the model later under the
default masks."""
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


def masks(
    bodies: Sequence[T], excluded: Collection[frozenset[T]], bits: int = BITS
) -> dict[T, Mask] | None:
    """Return masks under which exactly the pairs that are not excluded collide, or None if none
    were found.

    Bodies that collide with the same others form a class. In the graph of classes that collide a
    vertex cover is chosen: each class in it has its own bit, which every class that collides with
    it has in ``touches``. No class has `EXTERNAL_BIT` in ``touches``, but all have it in ``kind``:
    a foreign body that collides with everything collides with them.

    Args:
        bodies: The bodies, by any key.
        excluded: Pairs of them that never collide.
        bits: The largest number of bits.
    """
    classes = _classes(bodies, excluded)
    separate = max(0, len(classes) - bits)  # classes without a bit; no two of them collide
    if len(excluded) < separate * (separate - 1) // 2:
        return None
    collides_with = _class_graph(classes, excluded)
    cover = _vertex_cover(collides_with, bits)
    if cover is None:
        return None
    bit = {k: EXTERNAL_BIT << i for i, k in enumerate(cover, start=1)}
    mask_of: dict[T, Mask] = {}
    for k, members in enumerate(classes):
        mask = Mask(
            EXTERNAL_BIT | bit.get(k, 0),
            sum(bit[other] for other in collides_with[k] if other in bit),
        )
        mask_of.update(dict.fromkeys(members, mask))
    return {body: mask_of[body] for body in bodies}


def _classes(bodies: Sequence[T], excluded: Iterable[frozenset[T]]) -> list[list[T]]:
    """Return the bodies in classes that collide with the same others, and either all or none within
    the class.
    """
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
    return [members for members in not_colliding.values() if len(members) > 1] + list(
        colliding.values()
    )


def _class_graph(classes: list[list[T]], excluded: Iterable[frozenset[T]]) -> list[set[int]]:
    """Return for each class those that it collides with; itself too if its members collide with one
    another.
    """
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
    """Return vertices such that each edge has an end among them; None if more than ``limit`` are
    needed.

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


Pair = frozenset[int]
"""Indices of two bodies."""

MAX_EXCLUDES = 32
"""Up to this number excludes are always written: they name the bodies."""
MAX_LISTED = 100_000
"""Up to this number of excluded pairs, masks respect those of welded bodies too, which never
collide in MuJoCo."""
MIN_MASK_SAVING = 10
"""Masks replace excludes only if they are fewer by this factor: they are harder to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """The filters that let exactly the collidable pairs collide.

    MuJoCo never lets bodies collide that are welded together; no filter is needed for them.
    """

    parent_filter: bool
    """Whether MuJoCo's own rule holds, that parent and child do not collide."""
    bitmasks: bool
    """Whether the bitmasks of the source hold, for each collision its own."""
    masks: Mapping[int, Mask] | None
    """Mask of each body with collisions, instead of excludes."""
    excludes: tuple[tuple[int, int], ...]
    """Pairs of bodies that do not collide and are not covered by the other filters, in the order of
    the scene."""


def filters(mechanism: Mechanism, policy: str | None = None) -> Filters:
    """Return the filters under which exactly the pairs collide that the policy lets collide.

    The source's bitmasks are written where the policy respects them. Otherwise equivalent masks
    replace more than `MAX_EXCLUDES` excludes if they are fewer by the factor `MIN_MASK_SAVING`.

    Args:
        mechanism: The mechanism.
        policy: The rule for pairs that no collision filter names; see `loaders.collision_pairs`.
    """
    excluded = mechanism.filtered_pairs(policy)
    pairs = _between_groups(mechanism, excluded)
    is_off = policy == "mujoco" and FILTER_PARENT_OFF in settings_of(mechanism.physics, MUJOCO)
    parent_filter = not is_off and all(pair in pairs for pair in _adjacent_pairs(mechanism))
    if parent_filter:
        pairs.difference_update(_adjacent_pairs(mechanism))
    masked = mechanism.masked_pairs if policy in BITMASKED else None
    bitmasks = masked is not None
    if masked is not None:
        pairs = {pair for pair in pairs if pair not in masked}
    bodies = mechanism.colliding_bodies
    wanted = excluded if excluded.largest_size <= MAX_LISTED else pairs
    body_masks = None if bitmasks or len(pairs) <= MAX_EXCLUDES else masks(bodies, wanted)
    if body_masks is not None and len(set(body_masks.values())) * MIN_MASK_SAVING > len(pairs):
        body_masks = None
    excludes = () if body_masks is not None else in_order(pairs, bodies)
    return Filters(
        parent_filter=parent_filter, bitmasks=bitmasks, masks=body_masks, excludes=excludes
    )


def in_order(pairs: Iterable[Pair], bodies: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return the pairs as tuples, sorted by the places of their members in ``bodies``."""
    place = {body: i for i, body in enumerate(bodies)}
    places = [sorted(place[body] for body in pair) for pair in pairs]
    return tuple((bodies[i], bodies[j]) for i, j in sorted(places))


def welded_partners(mechanism: Mechanism, policy: str | None = None) -> dict[int, int]:
    """Return, for each body that has any, the number of bodies it is welded to and may collide
    with.

    MuJoCo never lets them collide.

    Args:
        mechanism: The mechanism.
        policy: The rule for pairs that no collision filter names; see `loaders.collision_pairs`.
    """
    excluded = mechanism.excluded_pairs(policy)
    partners: Counter[int] = Counter()
    for group in _colliding_by_group(mechanism).values():
        if not excluded.holds_all(group):
            pairs = (frozenset(pair) for pair in combinations(group, 2))
            partners.update(
                chain.from_iterable(
                    pair for pair in limited("pairs", pairs) if pair not in excluded
                )
            )
    return {body: partners[body] for body in mechanism.colliding_bodies if partners[body]}


def _between_groups(mechanism: Mechanism, pairs: PairSet[int]) -> set[Pair]:
    """Return the pairs that are not welded together."""
    group = {body: mechanism.moving_ancestor(body) for body in mechanism.colliding_bodies}
    return set(pairs.between(group.__getitem__))


def _colliding_by_group(mechanism: Mechanism) -> dict[int, list[int]]:
    """Return the bodies with collisions of each weld group."""
    members: dict[int, list[int]] = {}
    for body in mechanism.colliding_bodies:
        members.setdefault(mechanism.moving_ancestor(body), []).append(body)
    return members


def _parent_group(mechanism: Mechanism, group: int) -> int:
    """Return the group that carries a group; virtual links between them do not count."""
    while group != ROOT:
        group = mechanism.moving_ancestor(mechanism.bodies[group].parent)
        if group == ROOT or not mechanism.bodies[group].link.virtual:
            return group
    return ROOT


def _adjacent_pairs(mechanism: Mechanism) -> Iterator[Pair]:
    """Yield the pairs that MuJoCo's parent filter excludes: of a weld group and its parent group,
    except the world.
    """
    colliding = _colliding_by_group(mechanism)
    for group, bodies in colliding.items():
        parent = _parent_group(mechanism, group)
        if parent != ROOT:
            yield from (frozenset(pair) for pair in product(bodies, colliding.get(parent, ())))
