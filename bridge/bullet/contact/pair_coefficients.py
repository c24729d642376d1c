"""Coefficients of links whose products are those of the pairs: PyBullet multiplies the coefficients of two links.

SDFormat's simulators take the smaller coefficient of a pair. If moving links of a world can touch links that are fixed
to it, such as the ground, the coefficients are chosen so that the products are right: for equal surfaces the square
root. In a file of one model the ground is unknown: its coefficients are kept, which are right on a ground of
coefficient 1, as PyBullet's own plane has it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from loaders.model import Surface
from loaders.scene_queries.scoped_names import root_model

from .pair_filters import Pair

_GROUND_WEIGHT = 100.0
"""Weight of contacts with the ground, if the coefficients of all pairs cannot be right at once."""
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


def pair_coefficients(mechanism: Mechanism, excluded: Collection[Pair]) -> PairCoefficients:
    """Choose the coefficients of all links.

    Args:
        mechanism: The whole mechanism.
        excluded: Pairs of bodies that never collide.
    """
    if root_model(mechanism.scene) is not None:
        return PairCoefficients(friction={}, restitution={}, friction_difference=None)
    surfaces = {i: body.link.collisions[0].surface for i, body in enumerate(mechanism.bodies) if body.link.collisions}
    fixed = {i: mechanism.moving_ancestor(i) == ROOT for i in surfaces}
    pairs = [p for p in combinations(surfaces, 2) if frozenset(p) not in excluded and not (fixed[p[0]] and fixed[p[1]])]
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
    A, wanted = np.zeros((len(touching), len(unknowns))), np.zeros(len(touching))
    for row, (a, b) in enumerate(sorted(touching)):
        weight = _GROUND_WEIGHT if a[1] or b[1] else 1.0
        np.add.at(A[row], [index[a], index[b]], weight)
        wanted[row] = weight * math.log(min(a[0], b[0]))
    start = np.log([value for value, _ in unknowns])
    solution = start + np.linalg.lstsq(A, wanted - A @ start, rcond=None)[0]
    return dict(zip(unknowns, np.exp(solution).tolist(), strict=True))


def _difference(kinds: Mapping[int, _Kind], pairs: Collection[tuple[int, int]], chosen: Mapping[_Kind, float]) -> float:
    touching = {(kinds[a], kinds[b]) for a, b in pairs}
    return max(abs(chosen.get(a, a[0]) * chosen.get(b, b[0]) - min(a[0], b[0])) for a, b in touching)
