"""The pairs of links that may touch, told to PyBullet pair by pair.

PyBullet can forbid a pair but not allow one that the flags of its loader exclude: so a body in which any pair may touch
is loaded with all of them, and the others are forbidden. Masks would decide about bodies that are loaded later too: two
robots, each kept from touching itself by a mask, would not touch each other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bridge.collisions import Pair, Spot, any_may_touch, forbidden_in_bullet, unheeded
from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.model import Scene

from .articulation import Articulation
from .client import Client
from .segments import TARGET


def touches_itself(articulation: Articulation, excluded: Collection[Pair]) -> bool:
    """Whether two segments of one body may touch."""
    return any_may_touch(_places([0], [articulation]), excluded)


def filter_pairs(
    client: Client, bodies: Sequence[int], articulations: Sequence[Articulation], excluded: Collection[Pair]
) -> None:
    """Forbid all pairs of segments of which no links may touch.

    Args:
        client: Where the bodies are.
        bodies: PyBullet's id of each articulation.
        articulations: What was loaded.
        excluded: Pairs of links that never touch.
    """
    aloof = {
        body
        for body, articulation in zip(bodies, articulations, strict=True)
        if not touches_itself(articulation, excluded)
    }
    for (body_a, a), (body_b, b) in forbidden_in_bullet(_places(bodies, articulations), excluded):
        if body_a != body_b or body_a not in aloof:
            client.setCollisionFilterPair(body_a, body_b, a, b, 0)


def _places(bodies: Sequence[int], articulations: Sequence[Articulation]) -> dict[str, Spot]:
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
    forbidden = set(forbidden_in_bullet(places, excluded))
    extra = []
    for pair in excluded:
        if pair <= places.keys():
            a, b = sorted(pair)
            spots = sorted((places[a], places[b]))
            if spots[0] != spots[1] and tuple(spots) not in forbidden:
                extra.append(f"{a} with {b}")
    if extra:
        message = f"links that PyBullet has as one also touch where the model forbids it: {', '.join(sorted(extra))}"
        diagnostics.add(Fate.APPROXIMATED, "pybullet.merged-filters", message, target=TARGET)


def report_policy(scene: Scene, policy: str, diagnostics: Diagnostics) -> None:
    """Say what the source states of touching and the policy does not look at."""
    unseen = unheeded(scene, policy)
    if unseen:
        message, hint = f"the policy {policy} takes no account of {unseen}", 'choose policy="sdformat"'
        diagnostics.add(Fate.NOTED, "pybullet.contact-policy", message, Where(scene.source), target=TARGET, hint=hint)
