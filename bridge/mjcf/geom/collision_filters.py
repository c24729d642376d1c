"""The collision filters of an MJCF file: MuJoCo's parent filter, bitmasks, and excluded pairs of bodies.

Bodies are given by index; `bridge.mechanism.bodies.ROOT` is the world.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from loaders.safety.limits import limited
from loaders.scene_queries.excluded_pairs import BITMASKED, FILTER_PARENT_OFF
from loaders.scene_queries.pair_set import PairSet

from .collision_masks import Mask, masks

Pair = frozenset[int]
"""Indices of two bodies."""

MAX_EXCLUDES = 32
"""Up to this number excludes are always written: they name the bodies."""
MAX_LISTED = 100_000
"""Up to this number of excluded pairs, masks respect those of welded bodies too, which never collide in MuJoCo."""
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
    """Pairs of bodies that do not collide and are not covered by the other filters, in the order of the scene."""


def filters(mechanism: Mechanism, policy: str = "drake") -> Filters:
    """Return the filters under which exactly the pairs collide that the policy lets collide.

    The source's bitmasks are written where the policy respects them. Otherwise equivalent masks replace more than
    `MAX_EXCLUDES` excludes if they are fewer by the factor `MIN_MASK_SAVING`.

    Args:
        mechanism: The mechanism.
        policy: The rule for pairs that no collision filter names; see `loaders.scene_queries.excluded_pairs`.
    """
    excluded = mechanism.filtered_pairs(policy)
    pairs = _between_groups(mechanism, excluded)
    is_off = policy == "mujoco" and FILTER_PARENT_OFF in mechanism.physics.parameters
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
    return Filters(parent_filter=parent_filter, bitmasks=bitmasks, masks=body_masks, excludes=excludes)


def in_order(pairs: Iterable[Pair], bodies: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return the pairs as tuples, sorted by the places of their members in ``bodies``."""
    place = {body: i for i, body in enumerate(bodies)}
    places = sorted(sorted(place[body] for body in pair) for pair in pairs)
    return tuple((bodies[i], bodies[j]) for i, j in places)


def welded_partners(mechanism: Mechanism, policy: str = "drake") -> dict[int, int]:
    """Return, for each body that has any, the number of bodies it is welded to and may collide with.

    MuJoCo never lets them collide.

    Args:
        mechanism: The mechanism.
        policy: The rule for pairs that no collision filter names; see `loaders.scene_queries.excluded_pairs`.
    """
    excluded = mechanism.excluded_pairs(policy)
    partners: Counter[int] = Counter()
    for group in _colliding_by_group(mechanism).values():
        if not excluded.holds_all(group):
            pairs = (frozenset(pair) for pair in combinations(group, 2))
            partners.update(chain.from_iterable(pair for pair in limited("pairs", pairs) if pair not in excluded))
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
    """Yield the pairs that MuJoCo's parent filter excludes: of a weld group and its parent group, except the world."""
    colliding = _colliding_by_group(mechanism)
    for group, bodies in colliding.items():
        parent = _parent_group(mechanism, group)
        if parent != ROOT:
            yield from (frozenset(pair) for pair in product(bodies, colliding.get(parent, ())))
