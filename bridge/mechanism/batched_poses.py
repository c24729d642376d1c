"""Poses of the links at many positions at once: the forward kinematics of `bridge.mechanism.dynamics` on arrays.

Python loops over the bodies, NumPy over the positions. The transform of a joint that stays is computed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from loaders.spatial import Array, Pose, skew

from .bodies import ROOT, Body, Closure, Primitive, PrimitiveKind
from .coordinates import check_names, default_position, joint_index, wrong_value
from .loop_closure import closing_position, parts

BatchedPositions = Mapping[str, ArrayLike]
"""Positions by joint: shape (n,) for a joint with one number, (n, k) for one with k; or one position for all."""


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
        return f"BatchedPose({len(self)} poses)"

    def __matmul__(self, other: BatchedPose) -> BatchedPose:
        p = self.p + np.matmul(self.R, other.p[:, :, np.newaxis])[:, :, 0]
        return BatchedPose(np.matmul(self.R, other.R), p)

    def inverse(self) -> BatchedPose:
        """Return ``X_BA``."""
        R = self.R.transpose(0, 2, 1)
        return BatchedPose(R, -np.matmul(R, self.p[:, :, np.newaxis])[:, :, 0])


def link_poses(bodies: Sequence[Body], closures: Sequence[Closure], q: BatchedPositions) -> dict[str, BatchedPose]:
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
    """Return the positions of each body's joint, shape (n, k), or (1, k) if they are equal; and n."""
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
        raise ValueError(f"joints have different numbers of positions ({stated}); expected the same for all")
    return positions, sizes[0] if sizes else 1


def _rows(name: str, value: ArrayLike, size: int) -> tuple[Array, int | None]:
    """Return the positions of a joint, shape (n, size), and n; None of a single position, which holds for all."""
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
        raise ValueError(f"joint {name!r} needs an array of finite numbers of shape {shape}, not {_brief(value)}")
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
    """Return the transform of one primitive at each position; see `bridge.mechanism.dynamics.displaced`."""
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
    """Return the rotation matrices about a unit axis by angles [rad], shape (n, 3, 3), by Rodrigues' formula."""
    K = skew(axis)
    sines, cosines = np.sin(angles)[:, np.newaxis, np.newaxis], np.cos(angles)[:, np.newaxis, np.newaxis]
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


def _closing_positions(bodies: Sequence[Body], poses: Sequence[BatchedPose], part: int, link: int, n: int) -> Array:
    """Return the positions of the joint that carries a part of a split link, at which the part lies on the link."""
    body = bodies[part]
    X_PL = poses[link] if body.parent == ROOT else poses[body.parent].inverse() @ poses[link]
    X_PL = _repeated(X_PL, n)
    return np.array([closing_position(body, X_PL[i]) for i in range(n)]).reshape(n, -1)
