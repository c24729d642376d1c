"""Feasibility of a point constraint: whether any position lets the two points that it holds together coincide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.mechanism.coordinates import default_position, kind_of, scalar_joints
from loaders.spatial import IDENTITY, Array, Pose, skew

BodyFrame = tuple[int, Pose]
"""A body, by index, and the pose of a frame on it."""

CLOSED = 1e-6
"""Distance [m] below which two points coincide."""
_STARTS = 4
_STEPS = 60
_MAX_STRIDE = 0.5
"""Largest motion of a joint in one step of the search [rad or m]."""
_MAX_DOFS = 200
"""Largest number of degrees of freedom for which the search is run: its cost grows with their cube."""


def residual_at_zero(mechanism: Mechanism, ends: tuple[BodyFrame, BodyFrame]) -> float:
    """Return the distance of two points in the initial poses of the scene [m]."""
    P, Q = ((IDENTITY if i == ROOT else mechanism.bodies[i].link.X_WL) @ X_BS for i, X_BS in ends)
    return float(np.linalg.norm(P.p - Q.p))


def least_residual(mechanism: Mechanism, ends: tuple[BodyFrame, BodyFrame]) -> float:
    """Return the least distance [m] of two points that hinges and slides were found to allow within their limits.

    The search takes Gauss-Newton steps from zero and from random positions. The result is zero where a ball or a free
    link can bring the points together, and for mechanisms with too many degrees of freedom.
    """
    if len(mechanism.v_order) > _MAX_DOFS:
        return 0.0
    lower, upper, is_scalar = _limits(mechanism)
    rng, best = np.random.default_rng(0), np.inf
    for start in range(_STARTS):
        x = np.clip(rng.uniform(-np.pi, np.pi, len(lower)) * (start > 0), lower, upper)
        for _ in range(_STEPS):
            residual, J = _residual(mechanism, ends, x)
            best = min(best, float(np.linalg.norm(residual)))
            if best < CLOSED or np.any(np.abs(residual @ J[:, ~is_scalar]) > CLOSED * best):
                return 0.0
            step = np.linalg.pinv(J, rcond=1e-3) @ residual
            x = np.clip(x - np.clip(step, -_MAX_STRIDE, _MAX_STRIDE), lower, upper)
    return best


def _limits(mechanism: Mechanism) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return the limits of each velocity component, and whether it is that of a hinge or a slide."""
    n = len(mechanism.v_order)
    lower, upper, is_scalar = np.full(n, -np.inf), np.full(n, np.inf), np.zeros(n, dtype=bool)
    for body in scalar_joints(mechanism.bodies).values():
        for primitive in body.primitives:
            v, axis = body.v_start + primitive.dof_index, primitive.limits
            is_scalar[v] = True
            if axis is not None and axis.lower <= axis.upper:
                lower[v], upper[v] = axis.lower, axis.upper
    return lower, upper, is_scalar


def _residual(mechanism: Mechanism, ends: tuple[BodyFrame, BodyFrame], x: Array) -> tuple[Array, Array]:
    """Return the vector from the second point to the first [m], shape (3,), and its Jacobian, shape (3, nv)."""
    q = {
        body.joint: tuple(x[body.v_start : body.v_start + body.nv]) if kind_of(body) is None else default_position(body)
        for body in mechanism.bodies
        if body.joint is not None and body.primitives
    }
    poses, jacobians = mechanism.link_poses(q), mechanism.jacobians(q)
    residual, J = np.zeros(3), np.zeros((3, len(x)))
    for sign, (i, X_BS) in zip((1.0, -1.0), ends, strict=True):
        if i == ROOT:
            residual += sign * X_BS.p
            continue
        name = mechanism.bodies[i].name
        p = poses[name].R @ X_BS.p
        residual += sign * (poses[name].p + p)
        J += sign * (jacobians[name][3:] - skew(p) @ jacobians[name][:3])
    return residual, J
