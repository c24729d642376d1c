"""Pairs of links that need not collide, found at random positions.

As MoveIt's setup assistant does, links that are adjacent, that overlap where the model starts, that
touch at every random position and that touch at none are excluded from contact. The reasons are
those of MoveIt's SRDF. A pair that touched at none is searched for a position at which it touches,
and is not excluded if there is one.

Each joint is anywhere within its limits, and a joint without limits anywhere in one full turn.
Joints that follow others do so. Nothing is said of links that a free joint, or an unlimited
translation, lets move apart without end: these may touch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.geometry.overlap import MIN_OVERLAP, Contacts, Overlap
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import FREE, ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import Position, coordinate_limits, kind_of
from bridge.mechanism.kinematics import BatchedPose, BatchedPositions, parts
from bridge.mechanism.mechanism import ExcludedPair, OverlapInMotion, Reason, SampledPairs
from loaders.collision_pairs import adjacent_pairs
from loaders.limits import limited
from loaders.model import WORLD
from loaders.pose import Array

_BATCH = 1000
"""Number of positions that are looked at together."""
_MAX_SEARCHED = 400
"""Largest number of pairs that are searched together for positions at which they touch."""
_STEP, _LEAST_STEP = 0.1, 0.004
"""First and least length of a step of the search, relative to the ranges of the coordinates."""
_LONGER, _SHORTER = 1.3, 0.75
"""Factors of the length after a step that lessens the distance, and after one that does not."""
_STARTS = 3
"""Number of searches for each pair: from the nearest positions of as many batches."""
_MAX_STEPS = 60
"""Largest number of steps."""
_NEIGHBORS = 12
"""Number of positions that are tried in each step."""


def sampled_pairs(mechanism: Mechanism, samples: int, seed: int) -> SampledPairs:
    """Return the pairs of links that need not collide.

    A mesh counts as the convex shapes that collide for it. Links with a collision that has no
    volume, or is a height map, are excluded as neighbors only.

    Args:
        mechanism: The mechanism.
        samples: Number of random positions.
        seed: Seed of the random numbers.

    Raises:
        LimitError: if there are more pairs than the call that is running may have.
    """
    reasons, unknown = _known_reasons(mechanism)
    shapes = mechanism.shape_model
    number = {name: i for i, name in enumerate(shapes.links) if name not in shapes.partial}
    tested = [pair for pair in unknown if number.keys() >= set(pair)]
    contacts = Contacts.of([(number[a], number[b]) for a, b in tested])
    rng = np.random.default_rng(seed)
    space = _coordinates(mechanism)
    nearest = np.stack([_draw(space, rng, len(tested)) for _ in range(_STARTS)])
    gap = np.full((_STARTS, len(tested)), np.inf)
    for done in range(0, samples, _BATCH):
        if (contacts.touched & contacts.apart).all():
            break
        values = _draw(space, rng, min(_BATCH, samples - done))
        shapes.observe(contacts, link_poses(mechanism, _by_joint(mechanism, space, values)))
        widest = gap.argmax(axis=0)
        nearer = np.flatnonzero(contacts.gap < gap[widest, np.arange(len(tested))])
        nearest[widest[nearer], nearer] = values[contacts.nearest[nearer]]
        gap[widest[nearer], nearer] = contacts.gap[nearer]
    for start in nearest:
        never = np.flatnonzero(~contacts.touched)
        for first in range(0, len(never), _MAX_SEARCHED):
            some = never[first : first + _MAX_SEARCHED]
            distance = _least_distances(mechanism, space, contacts.pairs[some], start[some], rng)
            contacts.touched[some] = distance <= 0.0
    for pair, touched, apart in zip(tested, contacts.touched, contacts.apart, strict=True):
        if not (touched and apart):
            reasons[pair] = "Always" if touched else "Never"
    pairs = (pair for pair in _pairs(mechanism) if pair in reasons)
    return SampledPairs(
        pairs=tuple(ExcludedPair(link_A=a, link_B=b, reason=reasons[a, b]) for a, b in pairs),
        samples=samples,
        seed=seed,
    )


def overlaps_at_random(
    mechanism: Mechanism, samples: int, seed: int, policy: str | None
) -> tuple[OverlapInMotion, ...]:
    """Return the pairs of links that may collide and overlap at some random positions, the deepest
    first; see `bridge.overlaps_in_motion`.

    Args:
        mechanism: The mechanism.
        samples: Number of random positions.
        seed: Seed of the random positions.
        policy: Rule for pairs that no collision filter names; None is that of the mechanism.

    Raises:
        LimitError: if there are more pairs than the call that is running may have.
        ValueError: for an unknown policy.
    """
    shapes, group = mechanism.shape_model, mechanism.weld_group_of
    collidable = mechanism.collidable_pairs(policy)
    pairs = [
        (a, b)
        for a, b in combinations(range(len(shapes.links)), 2)
        if frozenset((shapes.links[a], shapes.links[b])) in collidable
        and group(shapes.links[a]) != group(shapes.links[b])
    ]
    rng = np.random.default_rng(seed)
    depth, count = np.zeros(len(pairs)), np.zeros(len(pairs))
    where: list[Mapping[str, Position]] = [{}] * len(pairs)
    for done in range(0, samples, _BATCH):
        q = random_positions(mechanism, rng, min(_BATCH, samples - done))
        depths = shapes.depths(pairs, link_poses(mechanism, q))
        count += np.mean(depths > MIN_OVERLAP, axis=1) * min(_BATCH, samples - done)
        for k in np.flatnonzero(depths.max(axis=1, initial=0.0) > np.maximum(depth, MIN_OVERLAP)):
            place = int(depths[k].argmax())
            depth[k] = depths[k, place]
            where[k] = {joint: np.asarray(values)[place].tolist() for joint, values in q.items()}
    found: list[OverlapInMotion] = []
    for k in np.flatnonzero(depth):
        links = [shapes.links[i] for i in pairs[k]]
        deepest = _overlap_of(mechanism, links, where[k])
        share = float(count[k]) / samples
        found.append(OverlapInMotion(deepest=deepest, share=share, positions=where[k]))
    return tuple(sorted(found, key=lambda entry: -entry.deepest.depth))


def _overlap_of(
    mechanism: Mechanism, pair: Sequence[str], positions: Mapping[str, Position]
) -> Overlap:
    """Return the overlap of two links at positions at which they overlap."""
    found = mechanism.overlaps_at(positions)
    return next(entry for entry in found if [entry.link_A, entry.link_B] == pair)


def least_distances(
    mechanism: Mechanism, pairs: Sequence[tuple[str, str]], seed: int
) -> list[float]:
    """Return the least distance of each pair of links that a search from a random position finds
    [m]; negative if their shapes lie in each other.

    Args:
        mechanism: The mechanism.
        pairs: The pairs, by name.
        seed: Seed of the random numbers.

    Raises:
        KeyError: if a link has no shapes.
    """
    space, rng = _coordinates(mechanism), np.random.default_rng(seed)
    number = {name: i for i, name in enumerate(mechanism.shape_model.links)}
    indices = np.array([(number[a], number[b]) for a, b in pairs], dtype=np.int64).reshape(-1, 2)
    start = _draw(space, rng, len(pairs))
    return list(_least_distances(mechanism, space, indices, start, rng))


def _least_distances(
    mechanism: Mechanism,
    space: Sequence[_Coordinates],
    pairs: NDArray[np.int64],
    start: Array,
    rng: np.random.Generator,
) -> Array:
    """Return the least distances of pairs of links that a search finds, up to where they touch [m],
    shape (m,); infinite without a search, where loops must be closed.

    A position of each pair moves to the best of some random neighbors, in steps that become longer
    with success and shorter without; see `_STEP`.

    Args:
        mechanism: The mechanism.
        space: The coordinates of its joints.
        pairs: The pairs, by index in the shapes of the mechanism, shape (m, 2).
        start: A position of each pair, shape (m, d).
        rng: Source of the random numbers.
    """
    low = np.concatenate([np.zeros(0), *(joint.low for joint in space)])
    high = np.concatenate([np.zeros(0), *(joint.high for joint in space)])
    width = np.where(np.isfinite(high - low), high - low, 1.0)
    best, least = start.copy(), np.full(len(pairs), np.inf)
    step = np.full(len(pairs), _STEP)
    if mechanism.closures or not start.size:
        return least
    for _ in range(_MAX_STEPS):
        active = np.flatnonzero((least > 0.0) & (step > _LEAST_STEP))
        if not len(active):
            break
        noise = rng.normal(size=(len(active), _NEIGHBORS, len(width)))
        noise[:, 0] = 0.0  # the position itself
        values = best[active, None] + step[active, None, None] * width * noise
        values = np.clip(values, low, high)
        distance = _distances(mechanism, space, pairs[active], values)
        chosen = distance.argmin(axis=1)
        rows = np.arange(len(active))
        is_nearer = distance[rows, chosen] < least[active]
        best[active[is_nearer]] = values[rows, chosen][is_nearer]
        least[active] = np.minimum(least[active], distance[rows, chosen])
        step[active] *= np.where(is_nearer, _LONGER, _SHORTER)
    return least


def _distances(
    mechanism: Mechanism, space: Sequence[_Coordinates], pairs: NDArray[np.int64], values: Array
) -> Array:
    """Return the distance of each pair of links at its own positions [m], shape (m, n).

    Args:
        mechanism: The mechanism.
        space: The coordinates of its joints.
        pairs: The pairs, by index in the shapes of the mechanism, shape (m, 2).
        values: The positions, shape (m, n, d).
    """
    shapes, (count, each) = mechanism.shape_model, values.shape[:2]
    flat = values.reshape(count * each, -1)
    X_WL = link_poses(mechanism, _by_joint(mechanism, space, flat))
    distance = np.empty((count, each))
    for k, (a, b) in enumerate(pairs):
        rows = slice(k * each, (k + 1) * each)
        X_WA, X_WB = (
            BatchedPose(X_WL[shapes.links[link]].R[rows], X_WL[shapes.links[link]].p[rows])
            for link in (a, b)
        )
        distance[k] = shapes.distances(a, b, X_WA, X_WB)
    return distance


def _pairs(mechanism: Mechanism) -> Iterator[tuple[str, str]]:
    """Yield the pairs of links with collisions, in the order of the scene."""
    index = mechanism.body_index
    links = [link.name for link in mechanism.scene.links if link.collisions and link.name in index]
    return limited("pairs", combinations(links, 2))


def _known_reasons(
    mechanism: Mechanism,
) -> tuple[dict[tuple[str, str], Reason], list[tuple[str, str]]]:
    """Return the reasons of the pairs that need no random positions, and the pairs that do."""
    adjacent = adjacent_pairs(mechanism.scene)
    keeps = mechanism.overlap_choice == "keep"
    touching = (*mechanism.overlaps, *mechanism.assumed_exclusions)
    initial = {frozenset((entry.link_A, entry.link_B)) for entry in touching}
    stated = {frozenset((pair.link_A, pair.link_B)) for pair in mechanism.contact_pairs}
    carrier, index = _carriers(mechanism.bodies), mechanism.body_index
    reasons: dict[tuple[str, str], Reason] = {}
    unknown = []
    for a, b in _pairs(mechanism):
        pair = frozenset((a, b))
        if pair in stated:
            continue
        if pair in adjacent:
            reasons[a, b] = "Adjacent"
        elif carrier[index[a]] == carrier[index[b]]:
            if pair in initial and not keeps:
                reasons[a, b] = "Default"
            else:
                unknown.append((a, b))
    return reasons, unknown


def _carriers(bodies: tuple[Body, ...]) -> dict[int, int]:
    """Return the nearest of each body and its ancestors that may move away without end; `ROOT` if
    none may.
    """
    carrier = {ROOT: ROOT}
    for i, body in enumerate(bodies):
        is_endless = body.primitives == FREE or any(
            not all(map(math.isfinite, coordinate_limits(body, primitive.dof_index)))
            for primitive in body.primitives
            if primitive.kind is PrimitiveKind.SLIDE
        )
        carrier[i] = i if is_endless else carrier[body.parent]
    return carrier


def _range(body: Body, dof: int) -> tuple[float, float]:
    """Return the limits of one coordinate; one full turn, or one position, where it has none."""
    lower, upper = coordinate_limits(body, dof)
    turns = any(p.kind is PrimitiveKind.HINGE for p in body.primitives if p.dof_index == dof)
    length = math.tau if turns else 0.0
    if math.isfinite(lower):
        return lower, upper if math.isfinite(upper) else lower + length
    return (upper - length, upper) if math.isfinite(upper) else (-0.5 * length, 0.5 * length)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Coordinates:
    """The coordinates of one joint, with their ranges [rad or m], shape (k,) each.

    Those of a ball are a quaternion, whose ranges are infinite.
    """

    joint: str
    low: Array
    high: Array
    follows: bool


def _coordinates(mechanism: Mechanism) -> list[_Coordinates]:
    """Return the coordinates of the joints that move, but not of free links, nor of what closes a
    loop.
    """
    closing = {part for part, _ in parts(mechanism.bodies, mechanism.closures)}
    followers = {mechanism.v_order[coupling.follower][0] for coupling in mechanism.couplings}
    found = []
    for i, body in enumerate(mechanism.bodies):
        if body.joint is None or not body.primitives or body.primitives == FREE or i in closing:
            continue
        ranges = [_range(body, dof) for dof in range(body.nv)]
        if kind_of(body) is PrimitiveKind.BALL:
            ranges = [(-math.inf, math.inf)] * 4
        low, high = np.array(ranges).T
        found.append(
            _Coordinates(joint=body.joint, low=low, high=high, follows=body.joint in followers)
        )
    return found


def _draw(space: Sequence[_Coordinates], rng: np.random.Generator, count: int) -> Array:
    """Return random values of all coordinates, shape (count, d)."""
    columns = [
        rng.uniform(low, high, count) if math.isfinite(high - low) else rng.normal(size=count)
        for joint in space
        for low, high in zip(joint.low, joint.high, strict=True)
    ]
    return np.column_stack(columns) if columns else np.zeros((count, 0))


def _by_joint(
    mechanism: Mechanism, space: Sequence[_Coordinates], values: Array
) -> BatchedPositions:
    """Return positions by joint; joints that follow others do so."""
    q: dict[str, Any] = {}
    start = 0
    for joint in space:
        end = start + len(joint.low)
        q[joint.joint] = values[:, start] if end == start + 1 else values[:, start:end]
        start = end
    leading = {joint.joint: q[joint.joint] for joint in space if not joint.follows}
    return q | mechanism.with_followers(leading)


def random_positions(
    mechanism: Mechanism, rng: np.random.Generator, count: int
) -> BatchedPositions:
    """Return random positions within the limits, by joint; joints that follow others do so, and
    free links stay.

    Args:
        mechanism: The mechanism.
        rng: Source of the random numbers.
        count: Number of positions.
    """
    space = _coordinates(mechanism)
    return _by_joint(mechanism, space, _draw(space, rng, count))


def link_poses(mechanism: Mechanism, q: BatchedPositions) -> Mapping[str, BatchedPose]:
    """Return the poses of every link and of the world, the same number for each.

    Args:
        mechanism: The mechanism.
        q: Positions by joint, as for `bridge.Mechanism.batched_link_poses`.
    """
    poses = mechanism.batched_link_poses(q)
    count = max((len(X_WL) for X_WL in poses.values()), default=1)
    R = np.broadcast_to(np.eye(3), (count, 3, 3))
    return {WORLD: BatchedPose(R, np.zeros((count, 3)))} | poses
