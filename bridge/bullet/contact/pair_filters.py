"""The pairs of links that may touch, told to PyBullet pair by pair.

PyBullet can forbid a pair but not allow one that the flags of its loader exclude: so a body in which any pair may touch
is loaded with all of them, and the others are forbidden. Masks would decide about bodies that are loaded later too: two
robots, each kept from touching itself by a mask, would not touch each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import combinations

from bridge.bullet.client.client import Client
from bridge.bullet.urdf.articulation import Articulation
from bridge.bullet.urdf.segments import TARGET
from bridge.lowering.collision_filters import ignored_by_policy
from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.scene import Scene

Pair = frozenset[str]
"""Names of two links."""
LinkRef = tuple[int, int]
"""A PyBullet body and the index of one of its links."""


def any_may_touch(places: Mapping[str, LinkRef], excluded: Collection[Pair]) -> bool:
    """Return whether any two links that are not merged may collide.

    Args:
        places: Body and link index of each link; links that PyBullet merges have the same.
        excluded: Pairs of links that never collide.
    """
    return any(places[a] != places[b] and frozenset((a, b)) not in excluded for a, b in combinations(places, 2))


def forbidden_pairs(places: Mapping[str, LinkRef], excluded: Collection[Pair]) -> tuple[tuple[LinkRef, LinkRef], ...]:
    """Return the pairs of PyBullet links whose collision is to be disabled: those of which no two links may collide.

    Args:
        places: Body and link index of each link; links that PyBullet merges have the same.
        excluded: Pairs of links that never collide.

    Returns:
        Pairs of different PyBullet links, sorted.
    """
    inhabitants = Counter(places.values())
    counts = Counter(tuple(sorted(places[name] for name in pair)) for pair in excluded if pair <= places.keys())
    return tuple(
        (a, b) for (a, b), count in sorted(counts.items()) if a != b and count == inhabitants[a] * inhabitants[b]
    )


def touches_itself(articulation: Articulation, excluded: Collection[Pair]) -> bool:
    """Whether two segments of one body may touch."""
    return any_may_touch(_places([0], [articulation]), excluded)


MANY = 25
"""So many pairs are forbidden before the bodies are there. Later each takes PyBullet up to milliseconds, as it looks at
all shapes of both bodies anew; before, half a microsecond."""

_Pairs = list[tuple[LinkRef, LinkRef]]


@contextmanager
def filtered(client: Client, articulations: Sequence[Articulation], excluded: Collection[Pair]) -> Iterator[list[int]]:
    """Forbid all pairs of segments, of bodies that are loaded inside, of which no links may touch.

    Args:
        client: Where the bodies are.
        articulations: What is to be loaded, in this order.
        excluded: Pairs of links that never touch.

    Yields:
        A list to which PyBullet's ids of the bodies are to be added.
    """
    pairs, bodies = _forbidden(articulations, excluded), list[int]()
    foreseen = _next_ids(client, len(articulations)) if len(pairs) >= MANY else []
    if foreseen:
        _tell(client, pairs, foreseen, touch=0)
    try:
        yield bodies
    except BaseException:
        _tell(client, pairs if foreseen else [], foreseen, touch=1)
        raise
    if bodies == foreseen:
        latest = {number: pair for pair in pairs for number in (pair[0][0], pair[1][0])}
        _tell(client, latest.values(), bodies, touch=0)  # so that PyBullet looks at each body once
        return
    _tell(client, pairs if foreseen else [], foreseen, touch=1)
    _tell(client, pairs, bodies, touch=0)


def _forbidden(articulations: Sequence[Articulation], excluded: Collection[Pair]) -> _Pairs:
    """By the number of each articulation; without those within one that is loaded as touching nothing of itself."""
    aloof = {k for k, articulation in enumerate(articulations) if not touches_itself(articulation, excluded)}
    pairs = forbidden_pairs(_places(range(len(articulations)), articulations), excluded)
    return [(a, b) for a, b in pairs if a[0] != b[0] or a[0] not in aloof]


def _next_ids(client: Client, count: int) -> list[int]:
    """The ids that the next bodies will have: PyBullet gives those that were freed last."""
    ids = [client.createMultiBody() for _ in range(count)]
    for body in reversed(ids):
        client.removeBody(body)
    return ids


def _tell(client: Client, pairs: Iterable[tuple[LinkRef, LinkRef]], bodies: Sequence[int], *, touch: int) -> None:
    for (i, a), (j, b) in pairs:
        client.setCollisionFilterPair(bodies[i], bodies[j], a, b, touch)


def _places(bodies: Sequence[int], articulations: Sequence[Articulation]) -> dict[str, LinkRef]:
    """Body and index of each link with collisions."""
    return {
        part.link.name: (body, index)
        for body, articulation in zip(bodies, articulations, strict=True)
        for index, segment in enumerate(articulation.segments, start=-1)
        for part in segment.parts
        if part.link.collisions
    }


def report_filters(articulations: Sequence[Articulation], excluded: Collection[Pair], diagnostics: Diagnostics) -> None:
    """Say where links that are one segment, and so touch together or not at all, touch too much."""
    places = _places(range(len(articulations)), articulations)
    if len(set(places.values())) == len(places):
        return
    forbidden = set(forbidden_pairs(places, excluded))
    extra = []
    for pair in excluded:
        if pair <= places.keys():
            a, b = sorted(pair)
            spots = sorted((places[a], places[b]))
            if spots[0] != spots[1] and tuple(spots) not in forbidden:
                extra.append(f"{a} with {b}")
    if extra:
        diagnostics.add(
            Fate.APPROXIMATED,
            "pybullet.merged-filters",
            "links that PyBullet has as one also touch where the model forbids it: {names}",
            target=TARGET,
            names=", ".join(sorted(extra)),
        )


def report_policy(scene: Scene, policy: str, diagnostics: Diagnostics) -> None:
    """Say what the source states of touching and the policy does not look at."""
    ignored = ignored_by_policy(scene, policy)
    if ignored:
        diagnostics.add(
            Fate.NOTED,
            "pybullet.contact-policy",
            "the collision policy {policy} ignores {properties}",
            Where(scene.source),
            target=TARGET,
            hint='choose policy="sdformat"',
            policy=policy,
            properties=ignored,
        )
