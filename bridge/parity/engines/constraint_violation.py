"""What a mechanism holds by constraints: couplings, screws and loops, and how far a position is from obeying them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.mechanism.coordinates import Position
from loaders.model import WORLD, BallConstraint, JointType
from loaders.spatial import IDENTITY, Pose

from .dofs import soft_joints

Ends = tuple[tuple[int, Pose], tuple[int, Pose]]
"""Two bodies by index, `ROOT` for the world, and a frame on each that the constraint brings together."""


def ends(mechanism: Mechanism) -> Iterator[tuple[str, Ends]]:
    """Of every loop, by its joint, and of every ball constraint, by its links."""
    for closure in mechanism.closures:
        yield closure.joint.name, ((closure.parent, closure.joint.X_PJ), (closure.child, closure.joint.X_CJ))
    number = {body.name: i for i, body in enumerate(mechanism.bodies)} | {WORLD: ROOT}
    for held in mechanism.scene.constraints:
        if isinstance(held, BallConstraint):
            yield (
                f"{held.link_A}, {held.link_B}",
                ((number[held.link_A], Pose.of(p=held.p_AP)), (number[held.link_B], Pose.of(p=held.p_BQ))),
            )


def violations(mechanism: Mechanism, q: Mapping[str, Position]) -> dict[str, float]:
    """How far each coupling and each loop is from what it holds [rad or m]; screws are exact here."""
    positions = mechanism.positions_by_body(q)
    flat = [x for body, part in zip(mechanism.bodies, positions, strict=True) for x in _numbers(body.v_start, part)]
    values = dict(flat)
    found = dict.fromkeys(soft_joints(mechanism), 0.0)
    for c in mechanism.couplings:
        if c.follower in values and c.leader in values:
            found[c.name] = abs(values[c.follower] - c.multiplier * values[c.leader] - c.offset)
    poses = mechanism.link_poses(q)
    welds = {closure.joint.name for closure in mechanism.closures if closure.joint.type is JointType.FIXED}
    for name, ((a, X_AP), (b, X_BQ)) in ends(mechanism):
        P, Q = ((IDENTITY if i == ROOT else poses[mechanism.bodies[i].name]) @ X for i, X in ((a, X_AP), (b, X_BQ)))
        found[name] = apart(P, Q, name in welds)
    return found


def apart(X_WP: Pose, X_WQ: Pose, welded: bool) -> float:
    """How far two frames are apart [m], or by what they are turned against each other [rad] if they are welded."""
    gap = float(np.linalg.norm(X_WP.p - X_WQ.p))
    return max(gap, float(np.linalg.norm(X_WP.R - X_WQ.R)) / math.sqrt(2.0)) if welded else gap


def _numbers(start: int, position: tuple[float, ...]) -> Iterator[tuple[int, float]]:
    """Positions by the index of their velocity, of hinges and slides alone."""
    if len(position) < 4:
        yield from enumerate(position, start=start)
