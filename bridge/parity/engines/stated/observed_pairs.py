"""Pairs of links that touch, or overlap without touching, in a running PyBullet with its own filters.

PyBullet does not report its collision filters. The bodies are therefore moved to random positions, far beyond the
limits of their joints. A pair of links that overlaps there, which PyBullet measures without regard to filters, must be
in contact, or else it is disabled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import PrimitiveKind
from bridge.mechanism.coordinates import Position, kind_of
from loaders.spatial import Array

LinkIndex = tuple[int, int]
"""PyBullet's body and link."""
MAX_POSITIONS = 24
"""Number of random positions."""
_DEEP = -2e-4
"""Distance [m] at which shapes overlap for certain."""


@dataclass(slots=True)
class ObservedPairs:
    """Pairs of PyBullet links, as contacts and overlaps show them.

    Attributes:
        touching: Pairs that were in contact.
        disabled: Pairs that overlapped without a contact.
    """

    touching: set[frozenset[LinkIndex]] = field(default_factory=set)
    disabled: set[frozenset[LinkIndex]] = field(default_factory=set)

    def record(self, overlapping: Collection[frozenset[LinkIndex]], contacts: Collection[frozenset[LinkIndex]]) -> None:
        """Record the pairs of one position.

        Args:
            overlapping: Pairs that overlap deeply.
            contacts: Pairs in contact.
        """
        self.touching |= set(contacts)
        self.disabled |= set(overlapping) - self.touching
        self.disabled -= self.touching

    @property
    def seen(self) -> set[frozenset[LinkIndex]]:
        """The pairs that are known."""
        return self.touching | self.disabled


def observe_pairs(
    pybullet: Any, client: int, bodies: Sequence[Any], wanted: Collection[frozenset[LinkIndex]]
) -> ObservedPairs:
    """Move the bodies to random positions, and record which of their links touch.

    The bodies are at their last positions afterwards.

    Args:
        pybullet: The module.
        client: The physics server.
        bodies: The handles of the bodies.
        wanted: The pairs to observe; the search ends when all are known.
    """
    observed, rng = ObservedPairs(), np.random.default_rng(0)
    for number in range(MAX_POSITIONS):
        if observed.seen.issuperset(wanted):
            break
        for body in bodies if number else ():
            body.set_positions(random_positions(body.mechanism, rng, _extent(pybullet, client, bodies)))
        pybullet.performCollisionDetection(physicsClientId=client)
        contacts = pybullet.getContactPoints(physicsClientId=client)
        observed.record(_overlaps(pybullet, client, bodies), _pairs(point for point in contacts if point[8] < 0.0))
    return observed


def random_positions(mechanism: Mechanism, rng: np.random.Generator, extent: float) -> dict[str, Position]:
    """Return positions of all joints: any angle, and translations up to the extent of the bodies.

    Args:
        mechanism: The mechanism.
        rng: The source of random numbers.
        extent: The extent of all bodies [m].
    """
    positions: dict[str, Position] = {}
    for body in mechanism.bodies:
        kind = kind_of(body)
        turn = rng.normal(size=4)
        wxyz = tuple((turn / np.linalg.norm(turn)).tolist())
        if not body.primitives:
            continue
        if kind is PrimitiveKind.FREE:
            positions[str(body.joint)] = (*rng.uniform(-0.5 * extent, 0.5 * extent, 3).tolist(), *wxyz)
        elif kind is PrimitiveKind.BALL:
            positions[str(body.joint)] = wxyz
        else:
            positions[str(body.joint)] = tuple(_scalar(body, k, rng, extent) for k in range(body.nv))
    return positions


def _scalar(body: Any, dof: int, rng: np.random.Generator, extent: float) -> float:
    slides = all(p.kind is PrimitiveKind.SLIDE for p in body.primitives if p.dof_index == dof)
    return float(rng.uniform(-0.3 * extent, 0.3 * extent) if slides else rng.uniform(-np.pi, np.pi))


def _extent(pybullet: Any, client: int, bodies: Sequence[Any]) -> float:
    """The length of the box around all links of a size below a kilometer [m]."""
    boxes: list[Array] = []
    for body in bodies:
        for index in {-1, *body.links.values()}:
            box = np.array(pybullet.getAABB(int(body), index, physicsClientId=client))
            if np.abs(box).max() < 1e3:
                boxes.append(box)
    return max((float((box[1] - box[0]).max()) for box in boxes), default=1.0) * 2.0


def _overlaps(pybullet: Any, client: int, bodies: Sequence[Any]) -> set[frozenset[LinkIndex]]:
    """The pairs of links that overlap deeply, whatever the filters say."""
    found: set[frozenset[LinkIndex]] = set()
    for number, one in enumerate(bodies):
        for two in bodies[number:]:
            points = pybullet.getClosestPoints(int(one), int(two), 0.0, physicsClientId=client)
            found |= _pairs(point for point in points if point[8] < _DEEP)
    return found


def _pairs(points: Iterable[Sequence[Any]]) -> set[frozenset[LinkIndex]]:
    pairs = (frozenset(((point[1], point[3]), (point[2], point[4]))) for point in points)
    return {pair for pair in pairs if len(pair) == 2}


def of_links(pairs: Iterable[frozenset[LinkIndex]], names: Mapping[LinkIndex, Sequence[str]]) -> set[frozenset[str]]:
    """Return pairs of links by name; merged links share one index.

    Args:
        pairs: Pairs of PyBullet links.
        names: The names of the links with shapes, by body and index.
    """
    both = (tuple(pair) for pair in pairs)
    return {frozenset((a, b)) for one, two in both for a in names.get(one, ()) for b in names.get(two, ()) if a != b}
