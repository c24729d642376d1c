"""The pairs of links that may touch, told to PyBullet pair by pair.

PyBullet can forbid a pair but not allow one that the flags of its loader exclude: so a body in which any pair may touch
is loaded with all of them, and the others are forbidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from loaders.diagnostics import Diagnostics, Fate

from .articulation import TARGET, Articulation
from .client import Client

Pairs = frozenset[frozenset[str]]
Spot = tuple[int, int]
"""Number of an articulation, and PyBullet's index in it."""


def touches_itself(articulation: Articulation, pairs: Pairs) -> bool:
    """Whether two segments of one body may touch."""
    names = articulation.places.keys()
    return any(pair <= names and len({articulation.places[name][0] for name in pair}) == 2 for pair in pairs)


def filter_pairs(client: Client, bodies: Sequence[int], articulations: Sequence[Articulation], pairs: Pairs) -> None:
    """Forbid all pairs of segments that are not in ``pairs``."""
    spots = _colliding(articulations)
    allowed = _allowed(spots, pairs)
    selfish = [touches_itself(articulation, pairs) for articulation in articulations]
    for a, b in combinations(spots, 2):
        ignored = a[0] == b[0] and not selfish[a[0]]
        if not ignored and frozenset((a, b)) not in allowed:
            client.setCollisionFilterPair(bodies[a[0]], bodies[b[0]], a[1], b[1], 0)


def _colliding(articulations: Sequence[Articulation]) -> dict[Spot, list[str]]:
    """The links with collisions on each segment that has any."""
    spots: dict[Spot, list[str]] = {}
    for k, articulation in enumerate(articulations):
        for index, segment in enumerate(articulation.segments, start=-1):
            names = [part.link.name for part in segment.parts if part.link.collisions]
            if names:
                spots[k, index] = names
    return spots


def _allowed(spots: dict[Spot, list[str]], pairs: Pairs) -> set[frozenset[Spot]]:
    at = {name: spot for spot, names in spots.items() for name in names}
    return {frozenset(at[name] for name in pair) for pair in pairs if pair <= at.keys()}


def report_filters(articulations: Sequence[Articulation], pairs: Pairs, diagnostics: Diagnostics) -> None:
    """Say where links that are one segment, and so touch together or not at all, touch too much."""
    spots = _colliding(articulations)
    allowed = _allowed(spots, pairs)
    merged = {spot for spot, names in spots.items() if len(names) > 1}
    extra = [
        f"{a} with {b}"
        for spot_pair in allowed
        if spot_pair & merged and len(spot_pair) == 2
        for first, second in [sorted(spot_pair)]
        for a in spots[first]
        for b in spots[second]
        if frozenset((a, b)) not in pairs
    ]
    if extra:
        message = f"links that PyBullet has as one also touch where the model forbids it: {', '.join(sorted(extra))}"
        diagnostics.add(Fate.APPROXIMATED, "pybullet.merged-filters", message, target=TARGET)
