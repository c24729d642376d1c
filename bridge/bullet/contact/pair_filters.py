"""Pairs of links that may collide, set in PyBullet pair by pair.

PyBullet can disable a pair, but cannot enable one that the flags of its loader exclude. A body in which any pair may
collide is therefore loaded with all pairs enabled, and the others are disabled. Collision masks are not used, because
they also affect bodies that are loaded later: two robots whose masks prevent self-collision would not collide with each
other.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, combinations, islice

from bridge.bullet.client.client import Client
from bridge.bullet.target import BASE, TARGET
from bridge.bullet.urdf.articulation import Articulation
from bridge.lowering.collision_filters import ignored_by_policy
from bridge.mechanism import Mechanism
from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.safety.limits import limited
from loaders.scene import Scene
from loaders.scene_queries.pair_set import PairSet

Pair = frozenset[int]
"""Indices of two bodies of the mechanism."""
LinkRef = tuple[int, int]
"""A PyBullet body, or the number of its articulation, and the index of one of its links."""
LinkPair = tuple[LinkRef, LinkRef]

MIN_PAIRS_TO_KNOW_IDS = 25
"""Number of pairs from which the ids that the bodies will have are found out before they are loaded.

After loading, PyBullet examines all shapes of both bodies for every pair, which takes up to milliseconds; before
loading a pair takes a microsecond. To find out the ids takes 0.1 to 0.3 ms, so for fewer pairs they are assumed."""


def any_may_collide(refs: Mapping[int, LinkRef], excluded: Collection[Pair]) -> bool:
    """Return whether any two bodies that are not merged may collide.

    Args:
        refs: PyBullet's body and link index of each body of the mechanism; merged bodies have the same.
        excluded: Pairs of bodies that never collide.
    """
    if isinstance(excluded, PairSet) and excluded.holds_all(refs.keys()):
        return False
    pairs = limited("pairs", combinations(refs, 2))
    return any(refs[a] != refs[b] and frozenset((a, b)) not in excluded for a, b in pairs)


def forbidden_pairs(refs: Mapping[int, LinkRef], excluded: Iterable[Pair]) -> tuple[tuple[LinkRef, LinkRef], ...]:
    """Return the pairs of PyBullet links of which no two bodies may collide.

    Args:
        refs: PyBullet's body and link index of each body of the mechanism; merged bodies have the same.
        excluded: Pairs of bodies that never collide.

    Returns:
        Pairs of different PyBullet links, sorted.
    """
    body_counts = Counter(refs.values())
    known = ((refs[i], refs[j]) for i, j in excluded if i in refs and j in refs)
    counts = Counter((a, b) if a <= b else (b, a) for a, b in known)
    return tuple(
        (a, b) for (a, b), count in sorted(counts.items()) if a != b and count == body_counts[a] * body_counts[b]
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairFilters:
    """The pairs of links to disable in the bodies of a mechanism."""

    articulations: Sequence[Articulation]
    """The bodies, in the order in which they are loaded."""
    body_index: Mapping[str, int]
    """Index in the whole mechanism of each link."""
    excluded: PairSet[int]
    """Pairs of bodies of the mechanism that never collide."""

    def collides_with_itself(self, articulation: Articulation) -> bool:
        """Return whether any two links of one body may collide."""
        return any_may_collide(self._refs([articulation]), self.excluded)

    def forbidden(self) -> list[LinkPair]:
        """Return the pairs to disable, without those within bodies that are loaded without self-collision."""
        no_self_collision = {k for k, body in enumerate(self.articulations) if not self.collides_with_itself(body)}
        refs = self._refs(self.articulations)
        parts = {i: ref[0] if ref[0] in no_self_collision else ref for i, ref in refs.items()}
        return list(forbidden_pairs(refs, self.excluded.between(parts.get)))

    def wrongly_enabled(self) -> list[Pair]:
        """Return the excluded pairs that collide in PyBullet, because merged bodies collide together or not at all."""
        refs = self._refs(self.articulations)
        if len(set(refs.values())) == len(refs):
            return []
        excluded = [pair for pair in self.excluded.between(refs.get) if pair <= refs.keys()]
        forbidden = set(forbidden_pairs(refs, excluded))
        return [pair for pair in excluded if tuple(sorted(refs[i] for i in pair)) not in forbidden]

    def _refs(self, articulations: Sequence[Articulation]) -> dict[int, LinkRef]:
        """Return the number of the articulation and the link index of each body with collisions."""
        return {
            self.body_index[carried.link.name]: (number, index)
            for number, articulation in enumerate(articulations)
            for index, segment in enumerate(articulation.segments, start=BASE)
            for carried in segment.links
            if carried.link.collisions
        }


@contextmanager
def filtered(client: Client, pairs: Sequence[LinkPair], count: int) -> Iterator[list[int]]:
    """Disable the pairs of links that never collide, for bodies that are loaded in the ``with`` block.

    Args:
        client: The physics server.
        pairs: The pairs to disable, by number of the body.
        count: Number of bodies.

    Yields:
        A list to which the caller appends PyBullet's ids of the bodies.
    """
    bodies = list[int]()
    ids_of = _next_ids if len(pairs) >= MIN_PAIRS_TO_KNOW_IDS else _likely_ids
    expected = ids_of(client, count) if len(pairs) > 1 else []
    if expected:
        set_filters(client, pairs, expected, enabled=0)
    try:
        yield bodies
    except BaseException:
        set_filters(client, pairs if expected else [], expected, enabled=1)
        raise
    if bodies == expected:
        last = {number: pair for pair in pairs for number in (pair[0][0], pair[1][0])}
        set_filters(client, last.values(), bodies, enabled=0)  # PyBullet then applies the filters of each body once
        return
    set_filters(client, pairs if expected else [], expected, enabled=1)
    set_filters(client, pairs, bodies, enabled=0)


def _next_ids(client: Client, count: int) -> list[int]:
    """Return the ids that the next bodies will have: PyBullet reuses the ids that were freed last."""
    ids = [client.createMultiBody() for _ in range(count)]
    for body in reversed(ids):
        client.removeBody(body)
    return ids


def _likely_ids(client: Client, count: int) -> list[int]:
    """Return the lowest free ids, which the next bodies will have unless several were removed in another order."""
    taken = {client.getBodyUniqueId(k) for k in range(client.getNumBodies())}
    return list(islice((i for i in itertools.count() if i not in taken), count))


def pairs_by_body(pairs: Iterable[LinkPair], bodies: Sequence[int]) -> dict[int, list[LinkPair]]:
    """Return the pairs of each body, by PyBullet's ids; a pair of two bodies is with both.

    Args:
        pairs: Pairs by number of the body.
        bodies: PyBullet's ids by that number.
    """
    of_body: dict[int, list[LinkPair]] = {body: [] for body in bodies}
    for (i, a), (j, b) in pairs:
        for body in {bodies[i], bodies[j]}:
            of_body[body].append(((bodies[i], a), (bodies[j], b)))
    return of_body


def forget_pairs(client: Client, pairs: Iterable[LinkPair]) -> None:
    """Enable pairs of bodies that were removed: PyBullet would disable them for the next bodies that have their ids.

    Args:
        client: The physics server.
        pairs: The pairs, by PyBullet's ids.
    """
    for (i, a), (j, b) in pairs:
        client.setCollisionFilterPair(i, j, a, b, 1)


def set_filters(client: Client, pairs: Iterable[LinkPair], bodies: Sequence[int], *, enabled: int) -> None:
    """Enable or disable pairs of links.

    Args:
        client: The physics server.
        pairs: The pairs, by number of the body.
        bodies: PyBullet's ids by that number; of bodies that were removed, they are those of the next bodies.
        enabled: 1 to enable the pairs, 0 to disable them.
    """
    set_pair = client.setCollisionFilterPair
    for (i, a), (j, b) in pairs:
        set_pair(bodies[i], bodies[j], a, b, enabled)


def report_filters(mechanism: Mechanism, filters: PairFilters, diagnostics: Diagnostics) -> None:
    """Report merged links that collide although the model excludes the pair.

    Args:
        mechanism: The whole mechanism.
        filters: The pairs to disable.
        diagnostics: Record of the findings.
    """
    names = {i: name for name, i in mechanism.body_index.items()}
    pairs = sorted(tuple(sorted(names[i] for i in pair)) for pair in filters.wrongly_enabled())
    if pairs:
        diagnostics.add(
            Fate.APPROXIMATED,
            "pybullet.merged-filters",
            "merged links collide although the model excludes the pair: {pairs}",
            target=TARGET,
            hint="weld fewer links",
            subjects=dict.fromkeys(name for pair in pairs for name in pair),
            pairs=tuple(" and ".join(pair) for pair in pairs),
        )


def report_policy(scene: Scene, policy: str, diagnostics: Diagnostics) -> None:
    """Report the properties of the scene that the collision policy ignores.

    Args:
        scene: The scene.
        policy: The collision policy; see `loaders.scene_queries.excluded_pairs`.
        diagnostics: Record of the findings.
    """
    ignored = ignored_by_policy(scene, policy)
    if ignored:
        diagnostics.add(
            Fate.NOTED,
            "pybullet.contact-policy",
            "the collision policy {policy} ignores {properties}",
            Where(scene.source),
            target=TARGET,
            hint='choose policy="sdformat"',
            subjects=dict.fromkeys(chain.from_iterable(ignored.values())),
            policy=policy,
            properties=tuple(ignored),
        )
