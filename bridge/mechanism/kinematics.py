"""Poses at many positions, loop closure, and the home position of a mechanism: where it starts,
within its limits and its couplings.

Python loops over the bodies, NumPy over the positions. The transform of a joint that stays is
computed once.

A caller who sets the other joints of a tree need not compute the positions of these.
`relative_motions` are the motions that closures and constraints prevent.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from bridge.mechanism.bodies import (
    ROOT,
    Body,
    Closure,
    DofCoupling,
    MechanismConstraint,
    Primitive,
    PrimitiveKind,
    held_together,
)
from bridge.mechanism.coordinates import (
    Coordinates,
    Coupled,
    Position,
    check_names,
    default_position,
    joint_index,
    joint_position,
    kind_of,
    leading_positions,
    poses,
    with_followers,
    wrong_value,
)
from bridge.mechanism.dynamics import jacobians
from loaders.model import JointAxis, JointType, WeldConstraint
from loaders.pose import IDENTITY, Array, Pose, matrix_to_quaternion, rotation_about, skew
from loaders.text import counted


def parts(bodies: Sequence[Body], closures: Iterable[Closure]) -> Iterator[tuple[int, int]]:
    """Yield the body indices of each part of a split link, and of the link; see
    `bridge.lowering.tree`.

    Args:
        bodies: The bodies of the mechanism.
        closures: Its loop closures.
    """
    for closure in closures:
        source = bodies[closure.child].source if closure.child != ROOT else None
        if (
            closure.joint.type is JointType.FIXED
            and source is not None
            and source.name == closure.joint.name
        ):
            yield closure.child, closure.parent


def with_loops_closed(
    bodies: Sequence[Body],
    closures: Iterable[Closure],
    positions: list[Coordinates],
    given: Collection[int],
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
    """Return the angle about an axis by which ``R`` turns the carried axis; without one, that of
    ``R`` itself.
    """
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


# --- motions that closures prevent ----------------------------------------------------------------


def relative_motions(
    bodies: Sequence[Body],
    closures: Iterable[Closure],
    constraints: Iterable[MechanismConstraint],
    positions: Sequence[Coordinates],
) -> Array:
    """Return the motions that closures, ball constraints and welds prevent, per velocity of each
    joint, shape (n, nv).

    A ball prevents three, a hinge five and a weld six, in the axes of the world. Constraints that
    are switched off prevent none.

    Args:
        bodies: The bodies of the mechanism.
        closures: Its loop closures.
        constraints: Its constraints.
        positions: Position of each body's joint.
    """
    nv = sum(body.nv for body in bodies)
    by_link, X_WB = jacobians(bodies, positions), poses(bodies, positions)

    def motion(body: int, X_BK: Pose) -> tuple[Array, Array]:
        """Return the angular velocity of a frame, and the velocity of its origin."""
        if body == ROOT:
            return np.zeros((3, nv)), np.zeros((3, nv))
        J = by_link[bodies[body].name]
        return J[:3], J[3:] - skew(X_WB[body].R @ X_BK.p) @ J[:3]

    rows = [np.zeros((0, nv))]
    for a, X_AP, b, X_BQ, free in _held_frames(closures, constraints):
        (turn_a, move_a), (turn_b, move_b) = motion(a, X_AP), motion(b, X_BQ)
        R_WP = X_AP.R if a == ROOT else X_WB[a].R @ X_AP.R
        rows += [move_a - move_b, (R_WP @ _across(free)).T @ (turn_a - turn_b)]
    return np.vstack(rows)


def _held_frames(
    closures: Iterable[Closure], constraints: Iterable[MechanismConstraint]
) -> Iterator[tuple[int, Pose, int, Pose, Sequence[Array]]]:
    """Yield both ends of each constraint, as body and frame, and the axes about which they may
    turn.
    """
    for closure in closures:
        joint = closure.joint
        axes = (
            [axis.xyz for axis in joint.axes[:1]] if joint.type.traits.closing_points == 2 else []
        )
        free = list(np.eye(3)) if joint.type.traits.closing_points == 1 else axes
        yield closure.parent, joint.X_PJ, closure.child, joint.X_CJ, free
    for connection in held_together(constraints):
        free = [] if isinstance(connection.element, WeldConstraint) else list(np.eye(3))
        yield connection.body_a, connection.X_AP, connection.body_b, connection.X_BQ, free


def _across(axes: Sequence[Array]) -> Array:
    """Return unit vectors that are perpendicular to some axes, as columns, shape (3, n)."""
    if not axes:
        return np.eye(3)
    return np.asarray(np.linalg.svd(np.array(axes))[2][len(axes) :].T, dtype=np.float64)


BatchedPositions = Mapping[str, ArrayLike]
"""Positions by joint: shape (n,) for a joint with one number, (n, k) for one with k; or one
position for all."""


@dataclass(frozen=True, slots=True, eq=False)
class BatchedPose:
    """The rigid transforms ``X_AB`` of n configurations: frame B measured and expressed in A."""

    R: Array
    """Rotation matrices ``R_AB``, shape (n, 3, 3)."""
    p: Array
    """Positions ``p_AB`` of the origin of B [m], shape (n, 3), measured and expressed in A."""

    def __len__(self) -> int:
        return len(self.p)

    def __getitem__(self, i: int) -> Pose:
        return Pose.of(self.R[i], self.p[i])

    def __repr__(self) -> str:
        return f"BatchedPose({counted(len(self), 'pose')})"

    def __matmul__(self, other: BatchedPose) -> BatchedPose:
        p = self.p + np.matmul(self.R, other.p[:, :, np.newaxis])[:, :, 0]
        return BatchedPose(np.matmul(self.R, other.R), p)

    def inverse(self) -> BatchedPose:
        """Return ``X_BA``."""
        R = self.R.transpose(0, 2, 1)
        return BatchedPose(R, -np.matmul(R, self.p[:, :, np.newaxis])[:, :, 0])


def link_poses(
    bodies: Sequence[Body], closures: Sequence[Closure], q: BatchedPositions
) -> dict[str, BatchedPose]:
    """Return the poses of every link; see `bridge.Mechanism.batched_link_poses`.

    Args:
        bodies: The bodies of the mechanism.
        closures: Its loop closures.
        q: Positions by joint.
    """
    positions, count = _positions(bodies, q)
    index = joint_index(bodies)
    given = {index[name] for name in q}
    missing = [(part, link) for part, link in parts(bodies, closures) if part not in given]
    poses = _poses(bodies, positions)
    if missing:
        for part, link in missing:
            positions[part] = _closing_positions(bodies, poses, part, link, count)
        poses = _poses(bodies, positions)
    return {body.name: _repeated(X_WB, count) for body, X_WB in zip(bodies, poses, strict=True)}


def _positions(bodies: Sequence[Body], q: BatchedPositions) -> tuple[list[Array], int]:
    """Return the positions of each body's joint, shape (n, k), or (1, k) if they are equal; and
    n.
    """
    positions = [np.array([default_position(body)]) for body in bodies]
    index = joint_index(bodies)
    counts: dict[str, int] = {}
    check_names(q, index, bodies)
    for name, value in q.items():
        i = index[name]
        positions[i], count = _rows(name, value, positions[i].shape[1])
        if count is not None:
            counts[name] = count
    sizes = sorted(set(counts.values()))
    if len(sizes) > 1:
        stated = ", ".join(f"{name!r}: {n}" for name, n in counts.items())
        raise ValueError(
            f"joints have different numbers of positions ({stated}); expected the same for all"
        )
    return positions, sizes[0] if sizes else 1


def _rows(name: str, value: ArrayLike, size: int) -> tuple[Array, int | None]:
    """Return the positions of a joint, shape (n, size), and n; None of a single position, which
    holds for all.
    """
    if not size:
        raise ValueError(wrong_value(name, size, value))
    shape = "(n,)" if size == 1 else f"(n, {size})"
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.full(1, np.nan)
    single = numbers.shape == (() if size == 1 else (size,))
    many = numbers.shape[1:] == (() if size == 1 else (size,)) and numbers.ndim > 0
    if not (single or many) or not np.all(np.isfinite(numbers)):
        raise ValueError(
            f"joint {name!r} needs an array of finite numbers of shape {shape}, not {_brief(value)}"
        )
    rows = numbers.reshape(-1, size)
    if size in {4, 7}:
        rows = _normalized(name, rows)
    return rows, None if single else len(rows)


def _brief(value: ArrayLike) -> str:
    if isinstance(value, np.ndarray):
        return f"one of shape {value.shape} and type {value.dtype}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _normalized(name: str, rows: Array) -> Array:
    """Return positions whose quaternion, the last four numbers, has unit length."""
    lengths = np.linalg.norm(rows[:, -4:], axis=1)
    if not np.all(lengths):
        raise ValueError(f"joint {name!r} has an invalid quaternion: all components are zero")
    return np.hstack((rows[:, :-4], rows[:, -4:] / lengths[:, np.newaxis]))


def _poses(bodies: Sequence[Body], positions: Sequence[Array]) -> list[BatchedPose]:
    X_WB: list[BatchedPose] = []
    for body, rows in zip(bodies, positions, strict=True):
        X_PB = _constant(body.X_PF)
        for primitive in body.primitives:
            X_PB = X_PB @ _displaced(body, primitive, rows)
        X_PB = X_PB @ _constant(body.X_BM.inverse())
        X_WB.append(X_PB if body.parent == ROOT else X_WB[body.parent] @ X_PB)
    return X_WB


def _displaced(body: Body, primitive: Primitive, rows: Array) -> BatchedPose:
    """Return the transform of one primitive at each position; see
    `bridge.mechanism.coordinates.displaced`.
    """
    if primitive.kind is PrimitiveKind.FREE:
        return BatchedPose(_rotations(rows[:, 3:]), rows[:, :3])
    if primitive.kind is PrimitiveKind.BALL:
        R = _rotations(rows)
        return BatchedPose(R.transpose(0, 2, 1) if body.reversed else R, np.zeros((1, 3)))
    displacement = primitive.ratio * rows[:, primitive.dof_index]
    if primitive.kind is PrimitiveKind.SLIDE:
        return BatchedPose(np.eye(3)[np.newaxis], displacement[:, np.newaxis] * primitive.axis)
    return BatchedPose(_rotations_about(primitive.axis, displacement), np.zeros((1, 3)))


def _rotations_about(axis: Array, angles: Array) -> Array:
    """Return the rotation matrices about a unit axis by angles [rad], shape (n, 3, 3), by
    Rodrigues' formula.
    """
    K = skew(axis)
    sines, cosines = (
        np.sin(angles)[:, np.newaxis, np.newaxis],
        np.cos(angles)[:, np.newaxis, np.newaxis],
    )
    R: Array = np.eye(3) + sines * K + (1.0 - cosines) * (K @ K)
    return R


def _rotations(wxyz: Array) -> Array:
    """Return the rotation matrices of unit quaternions, shape (n, 3, 3)."""
    w, x, y, z = wxyz.T
    rows = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )
    return np.moveaxis(np.array(rows), 2, 0)


def _constant(X: Pose) -> BatchedPose:
    return BatchedPose(X.R[np.newaxis], X.p[np.newaxis])


def _repeated(X: BatchedPose, count: int) -> BatchedPose:
    """Return n poses, which share their memory if the link is in one place."""
    return BatchedPose(np.broadcast_to(X.R, (count, 3, 3)), np.broadcast_to(X.p, (count, 3)))


def _closing_positions(
    bodies: Sequence[Body], poses: Sequence[BatchedPose], part: int, link: int, n: int
) -> Array:
    """Return the positions of the joint that carries a part of a split link, at which the part lies
    on the link.
    """
    body = bodies[part]
    X_PL = poses[link] if body.parent == ROOT else poses[body.parent].inverse() @ poses[link]
    X_PL = _repeated(X_PL, n)
    return np.array([closing_position(body, X_PL[i]) for i in range(n)]).reshape(n, -1)


class _Closed(Coupled, Protocol):
    """A mechanism with coupled joints and loops, as `bridge.Mechanism` is."""

    @property
    def closures(self) -> tuple[Closure, ...]:
        """The closures of its loops."""


def home_coordinates(mechanism: _Closed) -> list[Coordinates]:
    """Return the home position of each body's joint: the source's initial position, or zero, within
    the limits and loops closed.

    Joints that follow others are where the couplings put them, unless the source states their
    position too; joints that others follow are where the limits of those hold too.
    """
    bodies, indices = mechanism.bodies, joint_index(mechanism.bodies)
    stated = {
        i
        for i, body in enumerate(bodies)
        if body.source is not None and body.source.default_position
    }
    positions = [_home(body) for body in bodies]
    leading = {joint: positions[indices[joint]] for joint in leading_positions(mechanism)}
    place(with_followers(mechanism, _within_ranges(mechanism, leading)), positions, indices)
    return with_loops_closed(bodies, mechanism.closures, positions, stated)


def place(
    q: Mapping[str, Position], positions: list[Coordinates], indices: Mapping[str, int]
) -> None:
    """Set positions by joint in a list by body.

    Args:
        q: The positions by joint.
        positions: Position of each body's joint; it is changed.
        indices: Index of the body of each joint.
    """
    for joint, value in q.items():
        positions[indices[joint]] = tuple(np.atleast_1d(value).tolist())


def _within_ranges(
    mechanism: Coupled, leading: Mapping[str, Coordinates]
) -> dict[str, Coordinates]:
    """Return the positions of joints that others follow, moved to where the linear couplings keep
    the others in their limits.
    """
    ranges: dict[int, tuple[float, float]] = {}
    for body in mechanism.bodies:
        if kind_of(body) is not None:
            continue
        for p in body.primitives:
            if p.limits is not None and p.limits.lower <= p.limits.upper:
                ranges[body.v_start + p.dof_index] = (p.limits.lower, p.limits.upper)
    linear = [c for c in mechanism.couplings if c.multiplier and not c.higher]
    for _ in range(len(linear)):  # each may lead the next
        before = dict(ranges)
        for coupling in linear:
            _narrow(ranges, coupling)
        if ranges == before:
            break
    leaders = {mechanism.v_order[c.leader]: c.leader for c in linear}
    moved = {joint: list(position) for joint, position in leading.items()}
    for (joint, i), dof in leaders.items():
        if joint in moved and dof in ranges:
            moved[joint][i] = float(np.clip(moved[joint][i], *ranges[dof]))
    return {joint: tuple(position) for joint, position in moved.items()}


def _narrow(ranges: dict[int, tuple[float, float]], coupling: DofCoupling) -> None:
    """Restrict the range of a leader to where its follower is in its own range, if there is such a
    place.
    """
    if coupling.follower in ranges:
        ends = [(x - coupling.offset) / coupling.multiplier for x in ranges[coupling.follower]]
        lower, upper = ranges.get(coupling.leader, (-np.inf, np.inf))
        lower, upper = max(lower, min(ends)), min(upper, max(ends))
        if lower <= upper:
            ranges[coupling.leader] = (lower, upper)


def _home(body: Body) -> Coordinates:
    """Return the source's default position, or zero, moved into the limits."""
    position = body.source.default_position if body.source is not None else ()
    position = position or default_position(body)
    return clamped(body, position) or position


def clamped(body: Body, position: Coordinates) -> Coordinates | None:
    """Return a position moved into the limits, or None if it is inside."""
    if kind_of(body) is not None:
        return None
    axes = {p.dof_index: p.limits for p in body.primitives}
    moved = tuple(_clamp(axes.get(i), x) for i, x in enumerate(position))
    return None if moved == tuple(position) else moved


def _clamp(axis: JointAxis | None, x: float) -> float:
    return x if axis is None or axis.lower > axis.upper else min(max(x, axis.lower), axis.upper)
