"""Pairs of links that need not collide, found at random positions.

As MoveIt's setup assistant does, links that are adjacent, that overlap where the model starts, that
touch at every random position and that touch at none are excluded from contact. The reasons are
those of MoveIt's SRDF.

Each joint is anywhere within its limits, and a joint without limits anywhere in one full turn.
Joints that follow others do so. Nothing is said of links that a free joint, or an unlimited
translation, lets move apart without end: these may touch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from bridge.geometry.overlap import Contacts
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import FREE, ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.mechanism.kinematics import BatchedPose, BatchedPositions, parts
from bridge.mechanism.pairs import ExcludedPair, Reason, SampledPairs
from loaders.collision_pairs import adjacent_pairs
from loaders.limits import limited
from loaders.model import WORLD
from loaders.pose import Array

_BATCH = 1000
"""Number of positions that are looked at together."""


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
    for start in range(0, samples, _BATCH):
        if (contacts.touched & contacts.apart).all():
            break
        count = min(_BATCH, samples - start)
        shapes.observe(contacts, link_poses(mechanism, random_positions(mechanism, rng, count)))
    for pair, touched, apart in zip(tested, contacts.touched, contacts.apart, strict=True):
        if not (touched and apart):
            reasons[pair] = "Always" if touched else "Never"
    pairs = (pair for pair in _pairs(mechanism) if pair in reasons)
    return SampledPairs(
        pairs=tuple(ExcludedPair(link_A=a, link_B=b, reason=reasons[a, b]) for a, b in pairs),
        samples=samples,
        seed=seed,
    )


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
    initial = {frozenset((entry.link_A, entry.link_B)) for entry in mechanism.overlaps}
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
            not all(map(math.isfinite, _limits(body, primitive.dof_index)))
            for primitive in body.primitives
            if primitive.kind is PrimitiveKind.SLIDE
        )
        carrier[i] = i if is_endless else carrier[body.parent]
    return carrier


def _limits(body: Body, dof: int) -> tuple[float, float]:
    """Return the limits of one coordinate of a joint [rad or m]."""
    stated = (p.limits for p in body.primitives if p.dof_index == dof and p.limits is not None)
    axis = next(stated, None)
    if axis is None or axis.lower > axis.upper:
        return -math.inf, math.inf
    return axis.lower, axis.upper


def _range(body: Body, dof: int) -> tuple[float, float]:
    """Return the limits of one coordinate; one full turn, or one position, where it has none."""
    lower, upper = _limits(body, dof)
    turns = any(p.kind is PrimitiveKind.HINGE for p in body.primitives if p.dof_index == dof)
    length = math.tau if turns else 0.0
    if math.isfinite(lower):
        return lower, upper if math.isfinite(upper) else lower + length
    return (upper - length, upper) if math.isfinite(upper) else (-0.5 * length, 0.5 * length)


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
    closing = {part for part, _ in parts(mechanism.bodies, mechanism.closures)}
    followers = {mechanism.v_order[coupling.follower][0] for coupling in mechanism.couplings}
    leading: dict[str, Any] = {}
    following: dict[str, Any] = {}
    for i, body in enumerate(mechanism.bodies):
        if body.joint is None or not body.primitives or body.primitives == FREE or i in closing:
            continue
        chosen = following if body.joint in followers else leading
        chosen[body.joint] = _random_position(body, rng, count)
    return following | mechanism.with_followers(leading)


def _random_position(body: Body, rng: np.random.Generator, count: int) -> Array:
    """Return random positions of a joint, shape (count,), or (count, k) if it has k numbers."""
    if kind_of(body) is PrimitiveKind.BALL:
        return rng.normal(size=(count, 4))
    ranges = [_range(body, dof) for dof in range(body.nv)]
    values = np.column_stack([rng.uniform(low, high, count) for low, high in ranges])
    return values[:, 0] if body.nv == 1 else values


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
