"""Coefficients of links whose products are those of the pairs: PyBullet multiplies the coefficients of two links.

SDFormat's simulators take the smaller coefficient of a pair. If moving links of a world can touch links that are fixed
to it, such as the ground, the coefficients are chosen so that the products are right: for equal surfaces the square
root. In a file of one model the ground is unknown: its coefficients are kept, which are right on a ground of
coefficient 1, as PyBullet's own plane has it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, islice, product

import numpy as np
from numpy.typing import NDArray

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from loaders.model import Surface
from loaders.safety.limits import limited
from loaders.scene_queries.pair_set import PairSet
from loaders.scene_queries.scoped_names import root_model
from loaders.spatial import Array

_GROUND_WEIGHT = 100.0
"""Weight of contacts with the ground, if the coefficients of all pairs cannot be right at once."""
_MAX_ENTRIES = 1_000_000
"""Largest number of entries of the matrix of all pairs; the normal equations take less memory."""
Indices = NDArray[np.intp]
_Kind = tuple[float, bool]
"""The coefficient of a link in the file, and whether the link is fixed to the world."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairCoefficients:
    """Coefficients to set in PyBullet by link; links that are not in here keep those of the file."""

    friction: Mapping[str, float]
    restitution: Mapping[str, float]
    friction_difference: float | None
    """Largest difference of a pair's friction from the smaller coefficient; None if the file has no ground."""

    def of_link(self, name: str) -> dict[str, float]:
        """Return the arguments of ``changeDynamics`` for a link.

        Args:
            name: Name of the link.
        """
        values = {"lateralFriction": self.friction.get(name), "restitution": self.restitution.get(name)}
        return {argument: value for argument, value in values.items() if value is not None}


def pair_coefficients(mechanism: Mechanism, excluded: PairSet[int]) -> PairCoefficients:
    """Choose the coefficients of all links.

    Args:
        mechanism: The whole mechanism.
        excluded: Pairs of bodies that never collide.
    """
    if root_model(mechanism.scene) is not None:
        return PairCoefficients(friction={}, restitution={}, friction_difference=None)
    surfaces = {i: body.link.collisions[0].surface for i, body in enumerate(mechanism.bodies) if body.link.collisions}
    fixed = {i: mechanism.moving_ancestor(i) == ROOT for i in surfaces}
    pairs = list(_touching(surfaces, fixed, excluded))
    friction = {i: (surface.friction.mu, fixed[i]) for i, surface in surfaces.items()}
    restitution = {i: (surface.restitution, fixed[i]) for i, surface in surfaces.items()}
    is_simple = not any(map(_rolls_or_spins, surfaces.values()))
    chosen = _products(friction, pairs) if is_simple else {}
    names = [body.name for body in mechanism.bodies]
    return PairCoefficients(
        friction={names[i]: value for i, value in _by_link(friction, chosen)},
        restitution={names[i]: value for i, value in _by_link(restitution, _products(restitution, pairs))},
        friction_difference=_difference(friction, pairs, chosen) if chosen else None,
    )


def _touching(
    surfaces: Mapping[int, Surface], fixed: Mapping[int, bool], excluded: PairSet[int]
) -> Iterator[tuple[int, int]]:
    """Yield a pair of bodies that may touch for every two kinds of surface that have one."""
    kinds: dict[Hashable, list[int]] = {}
    for i, surface in surfaces.items():
        kinds.setdefault((surface.friction.mu, surface.restitution, fixed[i]), []).append(i)
    bodies = [excluded.representatives(members) for members in kinds.values()]
    for one, other in limited("pairs", combinations_with_replacement(bodies, 2)):
        if not (fixed[one[0]] and fixed[other[0]]):
            pairs = combinations(one, 2) if one is other else product(one, other)
            yield from islice((pair for pair in pairs if frozenset(pair) not in excluded), 1)


def _by_link(kinds: Mapping[int, _Kind], chosen: Mapping[_Kind, float]) -> Iterator[tuple[int, float]]:
    yield from ((i, chosen[kind]) for i, kind in kinds.items() if kind in chosen)


def _rolls_or_spins(surface: Surface) -> bool:
    """Return whether a surface has rolling or torsional friction, which PyBullet scales by the lateral friction."""
    return bool(surface.friction.rolling or surface.friction.torsional)


def _products(kinds: Mapping[int, _Kind], pairs: Collection[tuple[int, int]]) -> dict[_Kind, float]:
    """Return the coefficient of each kind of link in some pair, closest to the file's; none without a ground.

    The logarithms of the products are linear in those of the coefficients.
    """
    touching = {tuple(sorted((kinds[a], kinds[b]))) for a, b in pairs if kinds[a][0] > 0.0 and kinds[b][0] > 0.0}
    if not any(a[1] or b[1] for a, b in touching):
        return {}
    unknowns = sorted({kind for pair in touching for kind in pair})
    index = {kind: k for k, kind in enumerate(unknowns)}
    rows = sorted(touching)
    start = np.log([value for value, _ in unknowns])
    ends = np.array([(index[a], index[b]) for a, b in rows], dtype=np.intp)
    weights = np.array([_GROUND_WEIGHT if a[1] or b[1] else 1.0 for a, b in rows])
    missing = np.log([min(a[0], b[0]) for a, b in rows]) - start[ends[:, 0]] - start[ends[:, 1]]
    solution = start + _least_squares(ends, weights, missing, len(unknowns))
    return dict(zip(unknowns, np.exp(solution).tolist(), strict=True))


def _least_squares(ends: Indices, weights: Array, wanted: Array, count: int) -> Array:
    """Return the smallest values of which the weighted sums of two are closest to those wanted.

    Args:
        ends: The two unknowns of each sum.
        weights: Weight of each sum.
        wanted: The sums.
        count: Number of unknowns.
    """
    if len(ends) * count <= _MAX_ENTRIES:
        A = np.zeros((len(ends), count))
        np.add.at(A, (np.arange(len(ends))[:, None], ends), weights[:, None])
        return np.asarray(np.linalg.lstsq(A, wanted * weights, rcond=None)[0])
    square, right = np.zeros((count, count)), np.zeros(count)  # the same in the normal equations, which are smaller
    for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
        np.add.at(square, (ends[:, a], ends[:, b]), weights**2)
    np.add.at(right, ends, (wanted * weights**2)[:, None])
    return np.asarray(np.linalg.lstsq(square, right, rcond=None)[0])


def _difference(kinds: Mapping[int, _Kind], pairs: Collection[tuple[int, int]], chosen: Mapping[_Kind, float]) -> float:
    touching = {(kinds[a], kinds[b]) for a, b in pairs}
    return max(abs(chosen.get(a, a[0]) * chosen.get(b, b[0]) - min(a[0], b[0])) for a, b in touching)
