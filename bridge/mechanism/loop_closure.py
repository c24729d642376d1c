"""Loop closure: positions of the joints that carry parts of split links, at which each part lies on its link.

A caller who sets the other joints of a tree need not compute the positions of these.
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
    """Yield the body indices of each part of a split link, and of the link; see `bridge.lowering.loop_cutting`.

    Args:
        bodies: The bodies of the mechanism.
        closures: Its loop closures.
    """
    for closure in closures:
        source = bodies[closure.child].source if closure.child != ROOT else None
        if closure.joint.type is JointType.FIXED and source is not None and source.name == closure.joint.name:
            yield closure.child, closure.parent


def with_loops_closed(
    bodies: Sequence[Body], closures: Iterable[Closure], positions: list[Coordinates], given: Collection[int]
) -> list[Coordinates]:
    """Return the positions at which every joint that carries a part of a link closes its loop.

    Args:
        bodies: The bodies of the mechanism.
        closures: Its loop closures.
        positions: Position of each body's joint.
        given: Indices of the bodies whose positions must not change.
    """
    missing = [(part, link) for part, link in parts(bodies, closures) if part not in given]
    if not missing:
        return positions
    X_WB, closed = poses(bodies, positions), list(positions)
    for part, link in missing:
        body = bodies[part]
        X_WP = IDENTITY if body.parent == ROOT else X_WB[body.parent]
        closed[part] = closing_position(body, X_WP.inverse() @ X_WB[link])
    return closed


def closing_position(body: Body, X_PB: Pose) -> Coordinates:
    """Return the position of a body's joint that gives it a pose, or one that is near if none does.

    Args:
        body: The body.
        X_PB: Its pose in its parent.
    """
    X_FM = body.X_PF.inverse() @ X_PB @ body.X_BM
    displacements: list[Coordinates] = []
    R, p = X_FM.R, X_FM.p  # what the primitives that follow must add
    for i, primitive in enumerate(body.primitives):
        if primitive.kind is PrimitiveKind.SLIDE:
            displacements.append((float(primitive.axis @ p),))
        elif primitive.kind is PrimitiveKind.BALL:
            displacements.append(tuple(matrix_to_quaternion(R)))
        else:
            angle = _angle_about(R, primitive.axis, _next_axis(body, i))
            displacements.append((_with_full_turns(body, i, angle, X_FM.p),))
            R_back = rotation_about(primitive.axis, -angle)
            R, p = R_back @ R, R_back @ p
    return joint_position(body, displacements)


def _next_axis(body: Body, i: int) -> Array | None:
    """Return the axis of the hinge after primitive ``i``, None if there is none."""
    return next((p.axis for p in body.primitives[i + 1 :] if p.kind is PrimitiveKind.HINGE), None)


def _angle_about(R: Array, axis: Array, carried: Array | None) -> float:
    """Return the angle about an axis by which ``R`` turns the carried axis; without one, that of ``R`` itself."""
    if carried is None:
        sine = 0.5 * float(axis @ (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]))
        return math.atan2(sine, 0.5 * (float(np.trace(R)) - 1.0))
    before, after = (v - axis * float(axis @ v) for v in (carried, R @ carried))
    return math.atan2(float(axis @ np.cross(before, after)), float(before @ after))


def _with_full_turns(body: Body, i: int, angle: float, p_FM: Array) -> float:
    """Return the angle with the full turns of a screw, which follow from its slide."""
    hinge = body.primitives[i]
    for slide in body.primitives:
        if slide.kind is PrimitiveKind.SLIDE and slide.dof_index == hinge.dof_index and slide.ratio:
            total = float(slide.axis @ p_FM) * hinge.ratio / slide.ratio
            return angle + math.tau * round((total - angle) / math.tau)
    return angle
