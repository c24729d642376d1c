"""The pairs of links that random positions exclude from contact, and those that overlap at some;
`bridge.lowering.sampling` finds them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bridge.geometry.overlap import Overlap

from .coordinates import Position

Reason = Literal["Adjacent", "Default", "Always", "Never"]
"""Why a pair is excluded, in MoveIt's words: it overlaps by ``Default`` where the model starts; it
touches ``Always`` or ``Never`` at random positions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcludedPair:
    """Two links that do not collide, in the order of the scene, and the reason."""

    link_A: str
    link_B: str
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledPairs:
    """The pairs of links that random positions exclude from contact.

    Attributes:
        pairs: The pairs, in the order of the scene.
        samples: Number of random positions.
        seed: Seed of the random numbers.
    """

    pairs: tuple[ExcludedPair, ...]
    samples: int
    seed: int

    @property
    def bound(self) -> float:
        """Upper bound, at a confidence of 95 %, of the probability that one pair that never touched
        touches at a random position: 3/n for n samples, the rule of three.
        """
        return min(1.0, 3.0 / self.samples)

    def count(self, reason: Reason) -> int:
        """Return the number of pairs that are excluded for a reason."""
        return Counter(pair.reason for pair in self.pairs)[reason]

    @property
    def reasons(self) -> dict[frozenset[str], Reason]:
        """The reason of each pair."""
        return {frozenset((pair.link_A, pair.link_B)): pair.reason for pair in self.pairs}


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapInMotion:
    """Two links that may collide and overlap at some of a number of random positions.

    Attributes:
        deepest: The deepest overlap that was found.
        share: Share of the random positions at which the links overlap by more than
            `bridge.geometry.overlap.MIN_OVERLAP`, 0 to 1.
        positions: The positions by joint at which they overlap most.
    """

    deepest: Overlap
    share: float
    positions: Mapping[str, Position]
