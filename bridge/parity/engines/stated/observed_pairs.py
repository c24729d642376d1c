"""Pairs of links that touch, or overlap without touching, in a running PyBullet with its own filters.

PyBullet does not report its collision filters. The bodies are therefore moved to random positions, far beyond the
limits of their joints. A pair of links that overlaps there, which PyBullet measures without regard to filters, must be
in contact, or else it is disabled. Links that only come near each other are then moved closer, until they overlap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, PrimitiveKind
from bridge.mechanism.coordinates import Position, kind_of
from loaders.spatial import Array

LinkIndex = tuple[int, int]
"""PyBullet's body and link."""
Positions = dict[str, Position]
"""Positions by joint."""
MAX_POSITIONS = 24
"""Number of random positions."""
_DEEP = -1e-5
"""Distance [m] at which shapes overlap; plates that graze each other overlap by 2e-5."""
_CERTAIN = -1e-4
"""Distance [m] at which shapes overlap for certain: Bullet measures overlaps to 1e-4 m (``EPA_ACCURACY``), and looks
for contacts of boxes by another method. Pairs that overlap by less are moved closer."""
_NEAR = 0.02
"""Distance [m] from which links are moved closer."""
MAX_MOVES = 40
"""Number of random moves that bring one pair closer."""
MAX_APPROACHED = 200
"""Number of pairs that are brought closer."""


@dataclass(slots=True)
class ObservedPairs:
    """Pairs of PyBullet links, as contacts and overlaps show them.

    Attributes:
        touching: Pairs that were in contact.
        disabled: Pairs that overlapped without a contact.
        nearest: Smallest distance of each pair that came near, with the positions of the joints of each body there.
    """

    touching: set[frozenset[LinkIndex]] = field(default_factory=set)
    disabled: set[frozenset[LinkIndex]] = field(default_factory=set)
    nearest: dict[frozenset[LinkIndex], tuple[float, Sequence[Positions]]] = field(default_factory=dict)

    def record(
        self,
        distances: Mapping[frozenset[LinkIndex], float],
        contacts: Collection[frozenset[LinkIndex]],
        positions: Sequence[Positions],
    ) -> None:
        """Record the pairs of one position.

        Args:
            distances: Distances of near pairs, negative where they overlap.
            contacts: Pairs in contact.
            positions: Positions of the joints of each body.
        """
        self.touching |= set(contacts)
        self.disabled |= {pair for pair, distance in distances.items() if distance < _DEEP} - self.touching
        self.disabled -= self.touching
        for pair, distance in distances.items():
            if distance < self.nearest.get(pair, (_NEAR, ()))[0]:
                self.nearest[pair] = distance, positions

    @property
    def seen(self) -> set[frozenset[LinkIndex]]:
        """The pairs that are known for certain."""
        return self.touching | {pair for pair in self.disabled if self.nearest[pair][0] < _CERTAIN}


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
    search = _Search(pybullet, client, bodies)
    for number in range(MAX_POSITIONS):
        if search.observed.seen.issuperset(wanted):
            break
        if number:
            search.move_anywhere()
        search.observe()
    search.approach([pair for pair in search.observed.nearest if pair in wanted][:MAX_APPROACHED])
    return search.observed


class _Search:
    """Random positions of bodies, and the pairs that touch there."""

    def __init__(self, pybullet: Any, client: int, bodies: Sequence[Any]) -> None:
        self._pybullet, self._client, self._bodies = pybullet, client, bodies
        self._rng = np.random.default_rng(0)
        self.observed = ObservedPairs()

    def move_anywhere(self) -> None:
        """Move all bodies to random positions."""
        for body in self._bodies:
            extent = _extent(self._pybullet, self._client, self._bodies)
            body.set_positions(random_positions(body.mechanism, self._rng, extent))

    def observe(self) -> None:
        """Record the pairs that touch or overlap."""
        self._pybullet.performCollisionDetection(physicsClientId=self._client)
        contacts = self._pybullet.getContactPoints(physicsClientId=self._client)
        self.observed.record(
            _distances(self._pybullet, self._client, self._bodies),
            set(_by_pair(contacts)),
            [dict(body.positions()) for body in self._bodies],
        )

    def approach(self, pairs: Sequence[frozenset[LinkIndex]]) -> None:
        """Move the joints so that pairs that came near overlap, and record what is seen there.

        Args:
            pairs: The pairs; those that are known by then are left out.
        """
        for pair in pairs:
            if pair in self.observed.seen:
                continue
            distance, positions = self.observed.nearest[pair]
            joints = {name for body in self._bodies for name in _joints_between(body, pair)}
            self._move_to(positions)
            for move in range(MAX_MOVES):
                if distance < 2.0 * _CERTAIN:
                    break
                by = 0.1 * 0.5 ** (move // 10)
                closer = [_disturbed(each, joints, by, self._rng) for each in positions]
                self._move_to(closer)
                if (reached := self._distance(pair)) < distance:
                    distance, positions = reached, closer
            self._move_to(positions)
            self.observe()

    def _move_to(self, positions: Sequence[Positions]) -> None:
        for body, each in zip(self._bodies, positions, strict=True):
            body.set_positions(each)

    def _distance(self, pair: frozenset[LinkIndex]) -> float:
        (one, i), (two, j) = sorted(pair)
        points = self._pybullet.getClosestPoints(one, two, _NEAR, i, j, physicsClientId=self._client)
        return min((float(point[8]) for point in points), default=_NEAR)


def _joints_between(body: Any, pair: frozenset[LinkIndex]) -> set[str]:
    """The joints of a body that move the links of a pair against each other."""
    bodies = body.mechanism.bodies
    paths: list[set[int]] = []
    for i, part in enumerate(bodies):
        if (int(body), body.links.get(part.name)) in pair:
            path, index = set(), i
            while index != ROOT:
                path.add(index)
                index = bodies[index].parent
            paths.append(path)
    one, two = (*paths, set[int](), set[int]())[:2]
    return {str(bodies[i].joint) for i in one ^ two}


def _disturbed(positions: Positions, joints: set[str], by: float, rng: np.random.Generator) -> Positions:
    """Positions with random changes of a size at some joints; quaternions become unit quaternions again."""
    changed: Positions = dict(positions)
    for name in sorted(joints & positions.keys()):
        numbers = np.atleast_1d(np.asarray(positions[name], dtype=np.float64))
        numbers = numbers + by * rng.normal(size=len(numbers))
        if len(numbers) in {4, 7}:
            numbers[-4:] /= np.linalg.norm(numbers[-4:])
        changed[name] = tuple(numbers.tolist())
    return changed


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


def _distances(pybullet: Any, client: int, bodies: Sequence[Any]) -> dict[frozenset[LinkIndex], float]:
    """The distances of links that are near each other, whatever the filters say."""
    found: dict[frozenset[LinkIndex], float] = {}
    for number, one in enumerate(bodies):
        for two in bodies[number:]:
            points = pybullet.getClosestPoints(int(one), int(two), _NEAR, physicsClientId=client)
            for pair, distance in _by_pair(points).items():
                found[pair] = min(distance, found.get(pair, distance))
    return found


def _by_pair(points: Iterable[Sequence[Any]]) -> dict[frozenset[LinkIndex], float]:
    """The smallest distance of each pair of links among contact points."""
    distances: dict[frozenset[LinkIndex], float] = {}
    for point in points:
        pair = frozenset(((point[1], point[3]), (point[2], point[4])))
        if len(pair) == 2:
            distances[pair] = min(float(point[8]), distances.get(pair, float(point[8])))
    return distances


def of_links(pairs: Iterable[frozenset[LinkIndex]], names: Mapping[LinkIndex, Sequence[str]]) -> set[frozenset[str]]:
    """Return pairs of links by name; merged links share one index.

    Args:
        pairs: Pairs of PyBullet links.
        names: The names of the links with shapes, by body and index.
    """
    both = (tuple(pair) for pair in pairs)
    return {frozenset((a, b)) for one, two in both for a in names.get(one, ()) for b in names.get(two, ()) if a != b}
