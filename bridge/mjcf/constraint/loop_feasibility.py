"""Whether two points that a constraint holds together can come together at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.mechanism.coordinates import default_position, kind_of, scalar_joints
from loaders.spatial import IDENTITY, Array, Pose, skew

End = tuple[int, Pose]
"""A body, by index, and a frame on it."""

SHUT = 1e-6
"""Distance [m] below which two points count as one."""
_STARTS = 4
_STEPS = 60
_STRIDE = 0.5
"""The most that a joint moves in one step of the search [rad or m]."""
_MOST_FREEDOMS = 200
"""Above it the search is not worth the time."""


def gap_at_zero(mechanism: Mechanism, ends: tuple[End, End]) -> float:
    """How far two points are apart where the scene has the links [m]."""
    P, Q = ((IDENTITY if i == ROOT else mechanism.bodies[i].link.X_WL) @ X_BS for i, X_BS in ends)
    return float(np.linalg.norm(P.p - Q.p))


def least_gap(mechanism: Mechanism, ends: tuple[End, End]) -> float:
    """The least distance [m] of two points that hinges and slides were found to allow within their limits.

    By Gauss-Newton steps from zero and from positions by chance. Zero where a ball or a free link can bring them
    together, and where there are more joints than are worth a search.
    """
    if len(mechanism.v_order) > _MOST_FREEDOMS:
        return 0.0
    lower, upper, is_scalar = _limits(mechanism)
    rng, best = np.random.default_rng(0), np.inf
    for start in range(_STARTS):
        x = np.clip(rng.uniform(-np.pi, np.pi, len(lower)) * (start > 0), lower, upper)
        for _ in range(_STEPS):
            gap, J = _gap(mechanism, ends, x)
            best = min(best, float(np.linalg.norm(gap)))
            if best < SHUT or np.any(np.abs(gap @ J[:, ~is_scalar]) > SHUT * best):
                return 0.0
            x = np.clip(x - np.clip(np.linalg.pinv(J, rcond=1e-3) @ gap, -_STRIDE, _STRIDE), lower, upper)
    return best


def _limits(mechanism: Mechanism) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Of each velocity component the limits, and whether it is that of a hinge or a slide."""
    n = len(mechanism.v_order)
    lower, upper, is_scalar = np.full(n, -np.inf), np.full(n, np.inf), np.zeros(n, dtype=bool)
    for body in scalar_joints(mechanism.bodies).values():
        for primitive in body.primitives:
            v, axis = body.v_start + primitive.dof_index, primitive.limits
            is_scalar[v] = True
            if axis is not None and axis.lower <= axis.upper:
                lower[v], upper[v] = axis.lower, axis.upper
    return lower, upper, is_scalar


def _gap(mechanism: Mechanism, ends: tuple[End, End], x: Array) -> tuple[Array, Array]:
    """From the second point to the first [m], shape (3,), and its Jacobian, shape (3, nv)."""
    q = {
        body.joint: tuple(x[body.v_start : body.v_start + body.nv]) if kind_of(body) is None else default_position(body)
        for body in mechanism.bodies
        if body.joint is not None and body.primitives
    }
    poses, motions = mechanism.link_poses(q), mechanism.jacobians(q)
    gap, J = np.zeros(3), np.zeros((3, len(x)))
    for sign, (i, X_BS) in zip((1.0, -1.0), ends, strict=True):
        if i == ROOT:
            gap += sign * X_BS.p
            continue
        name = mechanism.bodies[i].name
        p = poses[name].R @ X_BS.p
        gap += sign * (poses[name].p + p)
        J += sign * (motions[name][3:] - skew(p) @ motions[name][:3])
    return gap, J
