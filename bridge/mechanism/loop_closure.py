"""Loop closure: positions of the joints that carry parts of split links, at which each part lies on its link.

A caller who sets the other joints of a tree need not compute the positions of these. `relative_motions` are the motions
that closures and constraints prevent.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from loaders.model import JointType, WeldConstraint
from loaders.spatial import IDENTITY, Array, Pose, matrix_to_quaternion, rotation_about, skew

from .bodies import ROOT, Body, Closure, PrimitiveKind
from .connections import MechanismConstraint, held_together
from .coordinates import Coordinates, joint_position
from .dynamics import jacobians, poses


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


# --- motions that closures prevent -----------------------------------------------------------------------------------


def relative_motions(
    bodies: Sequence[Body],
    closures: Iterable[Closure],
    constraints: Iterable[MechanismConstraint],
    positions: Sequence[Coordinates],
) -> Array:
    """Return the motions that closures, ball constraints and welds prevent, per velocity of each joint, shape (n, nv).

    A ball prevents three, a hinge five and a weld six, in the axes of the world. Constraints that are switched off
    prevent none.

    Args:
        bodies: The bodies of the mechanism.
        closures: Its loop closures.
        constraints: Its constraints.
        positions: Position of each body's joint.
    """
    nv = sum(body.nv for body in bodies)
    J, X_WB = [*jacobians(bodies, positions).values()], poses(bodies, positions)

    def motion(body: int, X_BK: Pose) -> tuple[Array, Array]:
        """The angular velocity of a frame, and the velocity of its origin."""
        if body == ROOT:
            return np.zeros((3, nv)), np.zeros((3, nv))
        return J[body][:3], J[body][3:] - skew(X_WB[body].R @ X_BK.p) @ J[body][:3]

    rows = [np.zeros((0, nv))]
    for a, X_AP, b, X_BQ, free in _held_frames(closures, constraints):
        (turn_a, move_a), (turn_b, move_b) = motion(a, X_AP), motion(b, X_BQ)
        R_WP = X_AP.R if a == ROOT else X_WB[a].R @ X_AP.R
        rows += [move_a - move_b, (R_WP @ _across(free)).T @ (turn_a - turn_b)]
    return np.vstack(rows)


def _held_frames(
    closures: Iterable[Closure], constraints: Iterable[MechanismConstraint]
) -> Iterator[tuple[int, Pose, int, Pose, Sequence[Array]]]:
    """Yield both ends of each constraint, as body and frame, and the axes about which they may turn."""
    for closure in closures:
        joint = closure.joint
        axes = [axis.xyz for axis in joint.axes[:1]] if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS) else []
        free = list(np.eye(3)) if joint.type is JointType.BALL else axes
        yield closure.parent, joint.X_PJ, closure.child, joint.X_CJ, free
    for connection in held_together(constraints):
        free = [] if isinstance(connection.element, WeldConstraint) else list(np.eye(3))
        yield connection.body_a, connection.X_AP, connection.body_b, connection.X_BQ, free


def _across(axes: Sequence[Array]) -> Array:
    """Return unit vectors that are perpendicular to some axes, as columns, shape (3, n)."""
    if not axes:
        return np.eye(3)
    return np.asarray(np.linalg.svd(np.array(axes))[2][len(axes) :].T, dtype=np.float64)
