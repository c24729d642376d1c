"""Positions of the joints that carry parts of links: where each puts its part on the link, as well as it can.

Whoever sets the joints of a tree need not know by how much the joint turns that closes a loop.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from loaders.model import JointType
from loaders.spatial import IDENTITY, Array, Pose, matrix_to_quaternion, rotation_about

from .bodies import ROOT, Body, Closure, PrimitiveKind
from .coordinates import Coordinates, joint_position
from .dynamics import poses


def parts(bodies: Sequence[Body], closures: Iterable[Closure]) -> Iterator[tuple[int, int]]:
    """Body indices of each part of a link, and of the link; see `bridge.lowering.loop_cutting`."""
    for closure in closures:
        source = bodies[closure.child].source if closure.child != ROOT else None
        if closure.joint.type is JointType.FIXED and source is not None and source.name == closure.joint.name:
            yield closure.child, closure.parent


def with_loops_closed(
    bodies: Sequence[Body], closures: Iterable[Closure], positions: list[Coordinates], given: Collection[int]
) -> list[Coordinates]:
    """The positions, with every joint that carries a part where it closes its loop, except for those that are given.

    Args:
        bodies: All of them.
        closures: Of their loops.
        positions: Of each body's joint.
        given: Indices of the bodies whose positions stand.
    """
    missing = [(part, link) for part, link in parts(bodies, closures) if part not in given]
    if not missing:
        return positions
    placed, found = poses(bodies, positions), list(positions)
    for part, link in missing:
        body = bodies[part]
        X_WP = IDENTITY if body.parent == ROOT else placed[body.parent]
        found[part] = closing_position(body, X_WP.inverse() @ placed[link])
    return found


def closing_position(body: Body, X_PB: Pose) -> Coordinates:
    """The position at which a body's joint puts it here; where it cannot, at which it is near."""
    X_FM = body.X_PF.inverse() @ X_PB @ body.X_BM
    displacements: list[Coordinates] = []
    R = X_FM.R
    for i, primitive in enumerate(body.primitives):
        if primitive.kind is PrimitiveKind.SLIDE:
            displacements.append((float(primitive.axis @ X_FM.p),))
        elif primitive.kind is PrimitiveKind.BALL:
            displacements.append(tuple(matrix_to_quaternion(R)))
        else:
            angle = _turn(R, primitive.axis, _next_axis(body, i))
            displacements.append((_unwound(body, i, angle, X_FM.p),))
            R = rotation_about(primitive.axis, -angle) @ R
    return joint_position(body, displacements)


def _next_axis(body: Body, i: int) -> Array | None:
    """The axis of the next hinge, which the first one carries around."""
    return next((p.axis for p in body.primitives[i + 1 :] if p.kind is PrimitiveKind.HINGE), None)


def _turn(R: Array, axis: Array, carried: Array | None) -> float:
    """The angle about an axis: by which it carries another axis, or of the whole rotation where there is none."""
    if carried is None:
        sine = 0.5 * float(axis @ (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]))
        return math.atan2(sine, 0.5 * (float(np.trace(R)) - 1.0))
    before, after = (v - axis * float(axis @ v) for v in (carried, R @ carried))
    return math.atan2(float(axis @ np.cross(before, after)), float(before @ after))


def _unwound(body: Body, i: int, angle: float, p_FM: Array) -> float:
    """The angle of a screw with its whole turns, which its slide tells."""
    hinge = body.primitives[i]
    for slide in body.primitives:
        if slide.kind is PrimitiveKind.SLIDE and slide.dof_index == hinge.dof_index and slide.ratio:
            told = float(slide.axis @ p_FM) * hinge.ratio / slide.ratio
            return angle + math.tau * round((told - angle) / math.tau)
    return angle
