"""Kinematics and dynamics of a mechanism from first principles: the reference that every engine is held against.

Spatial vectors are ``(angular, linear)``, shape (6,), measured at the origin of the frame they are expressed in.
Every primitive degree of freedom is a segment of its own; the last segment of a body carries its inertia.

Source: Featherstone, "Rigid Body Dynamics Algorithms", 2008: recursive Newton-Euler (table 5.1) and composite rigid
body algorithm (table 6.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loaders.spatial import IDENTITY, Array, Pose, SpatialInertia, frozen, quaternion_to_matrix, rotation_about, skew

from .bodies import ROOT, Body, Primitive, PrimitiveKind
from .coordinates import Coordinates, kind_of, primitive_positions


def poses(bodies: Sequence[Body], positions: Sequence[Coordinates]) -> list[Pose]:
    """``X_WB`` of each body."""
    found: list[Pose] = []
    for body, position in zip(bodies, positions, strict=True):
        X_WP = IDENTITY if body.parent == ROOT else found[body.parent]
        found.append(X_WP @ relative_pose(body, position))
    return found


def relative_pose(body: Body, position: Coordinates) -> Pose:
    """``X_PB`` at a position of the body's joint."""
    X_FM = IDENTITY
    for primitive, displacement in zip(body.primitives, primitive_positions(body, position), strict=True):
        X_FM = X_FM @ displaced(primitive, displacement)
    return body.X_PF @ X_FM @ body.X_BM.inverse()


def displaced(primitive: Primitive, displacement: Coordinates) -> Pose:
    """The transform that one primitive makes."""
    if primitive.kind is PrimitiveKind.HINGE:
        return Pose(frozen(rotation_about(primitive.axis, displacement[0])), IDENTITY.p)
    if primitive.kind is PrimitiveKind.SLIDE:
        return Pose(IDENTITY.R, frozen(primitive.axis * displacement[0]))
    if primitive.kind is PrimitiveKind.BALL:
        return Pose(frozen(quaternion_to_matrix(displacement)), IDENTITY.p)
    return Pose.from_vector(displacement)


def mass_matrix(bodies: Sequence[Body], positions: Sequence[Coordinates]) -> Array:
    """See `bridge.Mechanism.mass_matrix`."""
    segments = _segments(bodies, positions)
    composite = [segment.inertia.copy() for segment in segments]
    for i in range(len(segments) - 1, -1, -1):
        parent = segments[i].parent
        if parent != ROOT:
            X = segments[i].X
            composite[parent] += X.T @ composite[i] @ X
    rotors = [rotor for body in bodies for rotor in body.reflected_inertia]
    M = np.zeros((len(rotors), len(rotors)))
    for segment, inertia in zip(segments, composite, strict=True):
        if segment.S.shape[1]:
            _add_columns(M, segments, segment, inertia)
    M[np.diag_indices(len(rotors))] += rotors
    return M


def _add_columns(M: Array, segments: list[_Segment], segment: _Segment, inertia: Array) -> None:
    """Add what a segment and all that it carries contribute to the rows of the segments that carry it."""
    F = inertia @ segment.S
    M[segment.v, segment.v] += segment.S.T @ F
    carrier = segment
    while carrier.parent != ROOT:
        F = carrier.X.T @ F
        carrier = segments[carrier.parent]
        if carrier.S.shape[1]:
            block = carrier.S.T @ F
            M[carrier.v, segment.v] += block
            M[segment.v, carrier.v] += block.T


def bias_forces(bodies: Sequence[Body], positions: Sequence[Coordinates], rates: Array, gravity: Array) -> Array:
    """See `bridge.Mechanism.bias_forces`: recursive Newton-Euler with zero accelerations."""
    segments = _segments(bodies, positions)
    base = np.concatenate((np.zeros(3), -gravity))
    V: list[Array] = []
    forces: list[Array] = []
    A: list[Array] = []
    for segment in segments:
        moving = segment.parent != ROOT
        S_v = segment.S @ rates[segment.v]
        V_i = (segment.X @ V[segment.parent] if moving else np.zeros(6)) + S_v
        weight = base if segment.has_gravity else np.zeros(6)
        A_i = segment.X @ (A[segment.parent] if moving else np.zeros(6)) + _cross(V_i) @ S_v
        A_i += segment.apparent(S_v)
        V.append(V_i)
        A.append(A_i)
        fictitious = A_i + segment.to_local(weight)
        forces.append(segment.inertia @ fictitious - _cross(V_i).T @ (segment.inertia @ V_i))
    tau = np.zeros(len(rates))
    for i in range(len(segments) - 1, -1, -1):
        segment = segments[i]
        tau[segment.v] += segment.S.T @ forces[i]
        if segment.parent != ROOT:
            forces[segment.parent] = forces[segment.parent] + segment.X.T @ forces[i]
    return tau


def jacobians(bodies: Sequence[Body], positions: Sequence[Coordinates]) -> dict[str, Array]:
    """See `bridge.Mechanism.jacobians`.

    Within, every motion is measured at the world's origin, where those of a chain add up.
    """
    segments, nv = _segments(bodies, positions), sum(body.nv for body in bodies)
    at_origin: list[Array] = []
    for segment in segments:
        J = np.zeros((6, nv)) if segment.parent == ROOT else at_origin[segment.parent].copy()
        w, v = segment.X_WS.R @ segment.S[:3], segment.X_WS.R @ segment.S[3:]
        J[:3, segment.v] += w
        J[3:, segment.v] += v + skew(segment.X_WS.p) @ w
        at_origin.append(J)
    found, last = {}, -1
    for body, X_WB in zip(bodies, poses(bodies, positions), strict=True):
        last += max(len(body.primitives), 1)
        J = at_origin[last]
        found[body.name] = np.vstack((J[:3], J[3:] - skew(X_WB.p) @ J[:3]))
    return found


# --- segments --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Segment:
    """One primitive, or one weld, at a given position."""

    parent: int
    X: Array
    """Motion transform from the parent segment's frame to this one's, shape (6, 6)."""
    S: Array
    """Motion that each of its velocities makes, in its own frame, shape (6, n)."""
    v: slice
    """Those velocities in ``v_order``."""
    inertia: Array
    """Spatial inertia of what it carries, shape (6, 6); zero inside a body's chain of primitives."""
    X_WS: Pose
    """Where it is in the world."""
    has_gravity: bool
    is_free: bool

    def apparent(self, S_v: Array) -> Array:
        """Rate of ``S`` in its own frame, times the velocities: only a free segment has one.

        Its velocities are those of the origin in the world, so that their components turn as the segment turns.
        """
        if not self.is_free:
            return np.zeros(6)
        return np.concatenate((np.zeros(3), -np.cross(S_v[:3], S_v[3:])))

    def to_local(self, acceleration: Array) -> Array:
        """A uniform linear acceleration of the world, seen from the segment."""
        return np.concatenate((np.zeros(3), self.X_WS.R.T @ acceleration[3:]))


def _segments(bodies: Sequence[Body], positions: Sequence[Coordinates]) -> list[_Segment]:
    segments: list[_Segment] = []
    last: list[int] = []
    X_MB: list[Pose] = []
    for body, position in zip(bodies, positions, strict=True):
        parent, X_SF = (ROOT, body.X_PF) if body.parent == ROOT else (last[body.parent], X_MB[body.parent] @ body.X_PF)
        X_MB.append(body.X_BM.inverse())
        steps = zip(body.primitives, primitive_positions(body, position), strict=True)
        moves = [
            (X_step, *_motion(body, primitive, X_step))
            for primitive, X_step in (
                (primitive, displaced(primitive, displacement)) for primitive, displacement in steps
            )
        ]
        moves = moves or [(IDENTITY, np.zeros((6, 0)), slice(0, 0))]
        for k, (X_step, S, v) in enumerate(moves):
            X = X_SF @ X_step
            carries = k == len(moves) - 1
            X_WP = segments[parent].X_WS if parent != ROOT else IDENTITY
            segments.append(
                _Segment(
                    parent=parent,
                    X=_motion_transform(X),
                    S=S,
                    v=v,
                    inertia=_matrix(body.inertia.moved(X_MB[-1])) if carries else np.zeros((6, 6)),
                    X_WS=X_WP @ X,
                    has_gravity=body.link.gravity,
                    is_free=kind_of(body) is PrimitiveKind.FREE,
                )
            )
            parent, X_SF = len(segments) - 1, IDENTITY
        last.append(len(segments) - 1)
    return segments


def _motion(body: Body, primitive: Primitive, X_step: Pose) -> tuple[Array, slice]:
    """``S`` of a primitive in the frame behind it, and its velocities."""
    S: Array
    zero = np.zeros((3, 3))
    if primitive.kind is PrimitiveKind.HINGE:
        S = primitive.ratio * np.concatenate((primitive.axis, np.zeros(3))).reshape(6, 1)
    elif primitive.kind is PrimitiveKind.SLIDE:
        S = primitive.ratio * np.concatenate((np.zeros(3), primitive.axis)).reshape(6, 1)
    elif primitive.kind is PrimitiveKind.BALL:
        S = np.vstack((-np.eye(3) if body.reversed else X_step.R.T, zero))
    else:
        S = np.block([[zero, X_step.R.T], [X_step.R.T, zero]])
    start = body.v_start + primitive.dof_index
    return S, slice(start, start + S.shape[1])


def _motion_transform(X_AB: Pose) -> Array:
    """Takes motions from frame A to frame B, shape (6, 6)."""
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = X_AB.R.T
    X[3:, :3] = -X_AB.R.T @ skew(X_AB.p)
    return X


def _matrix(inertia: SpatialInertia) -> Array:
    """Spatial inertia about the frame's origin, shape (6, 6)."""
    S = inertia.mass * skew(inertia.p_LLcm)
    I = np.zeros((6, 6))  # noqa: E741
    I[:3, :3] = inertia.about(np.zeros(3))
    I[:3, 3:], I[3:, :3] = S, -S
    I[3:, 3:] = inertia.mass * np.eye(3)
    return I


def _cross(V: Array) -> Array:
    """The matrix of ``V x`` on motions, shape (6, 6); on forces it is the negative transpose."""
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = skew(V[:3])
    X[3:, :3] = skew(V[3:])
    return X
