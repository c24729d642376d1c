"""The constraints of a mechanism (couplings, screws, loops) and by how much a position violates them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.mechanism.coordinates import Position
from loaders.model import WORLD, BallConstraint, JointType, WeldConstraint
from loaders.spatial import IDENTITY, Pose

from .dofs import screw_like_joints

FramePair = tuple[tuple[int, Pose], tuple[int, Pose]]
"""Two frames that a constraint holds together, each as the index of a body (`ROOT` for the world) and a pose on it."""


def constraint_frames(mechanism: Mechanism) -> Iterator[tuple[str, FramePair]]:
    """Yield name and frames of each loop (named after its joint) and constraint (named after its links).

    Several constraints of the same links have the same name.
    """
    return ((name, frames) for name, frames, _ in held_frames(mechanism))


def held_frames(mechanism: Mechanism) -> Iterator[tuple[str, FramePair, bool]]:
    """Yield name and frames of each loop and constraint, and whether it holds the orientation too."""
    for closure in mechanism.closures:
        frames = (closure.parent, closure.joint.X_PJ), (closure.child, closure.joint.X_CJ)
        yield closure.joint.name, frames, closure.joint.type is JointType.FIXED
    index = {body.name: i for i, body in enumerate(mechanism.bodies)} | {WORLD: ROOT}
    for constraint in mechanism.scene.constraints:
        if isinstance(constraint, BallConstraint | WeldConstraint) and constraint.active:
            is_weld = isinstance(constraint, WeldConstraint)
            if isinstance(constraint, WeldConstraint):
                X_AP, X_BQ = constraint.X_AP, constraint.X_BQ
            else:
                X_AP, X_BQ = Pose.of(p=constraint.p_AP), Pose.of(p=constraint.p_BQ)
            name = f"{constraint.link_A}, {constraint.link_B}"
            yield name, ((index[constraint.link_A], X_AP), (index[constraint.link_B], X_BQ)), is_weld


def constraint_subjects(mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    """Return the joints or links that each constraint is about, by the name of the constraint."""
    order = mechanism.v_order
    subjects: dict[str, tuple[str, ...]] = {joint: (joint,) for joint in screw_like_joints(mechanism)}
    subjects |= {c.name: (order[c.follower][0], order[c.leader][0]) for c in mechanism.couplings}
    subjects |= {closure.joint.name: (closure.joint.name,) for closure in mechanism.closures}
    balls = (c for c in mechanism.scene.constraints if isinstance(c, BallConstraint | WeldConstraint))
    return subjects | {f"{ball.link_A}, {ball.link_B}": (ball.link_A, ball.link_B) for ball in balls}


def constraint_violations(mechanism: Mechanism, q: Mapping[str, Position]) -> dict[str, float]:
    """Return by how much a position violates each coupling and loop [rad or m]; screws are exact by construction."""
    positions = mechanism.positions_by_body(q)
    values = dict(
        item
        for body, part in zip(mechanism.bodies, positions, strict=True)
        for item in _scalar_positions(body.v_start, part)
    )
    violations = dict.fromkeys(screw_like_joints(mechanism), 0.0)
    for c in mechanism.couplings:
        if c.follower in values and c.leader in values:
            violations[c.name] = abs(values[c.follower] - c.multiplier * values[c.leader] - c.offset)
    poses = mechanism.link_poses(q)
    for name, ((a, X_AP), (b, X_BQ)), is_weld in held_frames(mechanism):
        P, Q = ((IDENTITY if i == ROOT else poses[mechanism.bodies[i].name]) @ X for i, X in ((a, X_AP), (b, X_BQ)))
        add_violation(violations, name, frame_distance(P, Q, welded=is_weld))
    return violations


def add_violation(violations: dict[str, float], name: str, violation: float) -> None:
    """Add the violation of a constraint to those of all constraints with its name, as the root of the sum of squares.

    Args:
        violations: The violations by name, which are changed.
        name: The name of the constraint.
        violation: Its violation.
    """
    violations[name] = math.hypot(violations.get(name, 0.0), violation)


def frame_distance(X_WP: Pose, X_WQ: Pose, *, welded: bool) -> float:
    """Return the distance of the origins of two frames [m]; if they are welded, its norm with their angle [rad].

    The larger of both would hide a wrong distance at positions at which the loop is far from closed.

    Args:
        X_WP: The pose of the first frame.
        X_WQ: The pose of the second frame.
        welded: Whether the constraint holds the orientation too.
    """
    distance = float(np.linalg.norm(X_WP.p - X_WQ.p))
    return math.hypot(distance, float(np.linalg.norm(X_WP.R - X_WQ.R)) / math.sqrt(2.0)) if welded else distance


def _scalar_positions(start: int, position: tuple[float, ...]) -> Iterator[tuple[int, float]]:
    """Yield the positions of hinges and slides by the index of their velocity."""
    if len(position) < 4:
        yield from enumerate(position, start=start)
