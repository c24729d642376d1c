"""Positions and velocities of a mechanism in DART's coordinates.

DART expresses the rotation of a ball joint or free body as a rotation vector. It has the velocities of the mechanism,
but in another order for a free body, and of reversed sign in the other frame for a reversed ball joint. With
``v_dart = B v``, mass matrix and forces become ``B.T M B`` and ``B.T f``; the rate of ``B`` times ``v`` is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, joint_position, kind_of, primitive_positions
from loaders.spatial import Array, Pose, matrix_to_quaternion, quaternion_to_matrix

from .dart_skeleton import BodyIndices, isometry


def dart_positions(
    dartpy: Any, mechanism: Mechanism, indices: Sequence[BodyIndices], positions: Sequence[Coordinates], count: int
) -> Array:
    """Return DART's positions, shape (count,).

    Args:
        dartpy: The module.
        mechanism: The mechanism.
        indices: The indices of each body.
        positions: The position of each body's joint.
        count: Number of degrees of freedom in DART.
    """
    q = np.zeros(count)
    for body, at, position in zip(mechanism.bodies, indices, positions, strict=True):
        kind, displacements = kind_of(body), primitive_positions(body, position)
        if kind is PrimitiveKind.BALL:
            R = quaternion_to_matrix(displacements[0])
            q[at.start : at.start + 3] = dartpy.dynamics.BallJoint.convertToPositions(R)
        elif kind is PrimitiveKind.FREE:
            X_WL = Pose.of(quaternion_to_matrix(position[3:]), position[:3])
            q[at.start : at.start + 6] = dartpy.dynamics.FreeJoint.convertToPositions(isometry(dartpy, X_WL))
        else:
            for k, (displacement,) in _own(body, displacements):
                q[at.start + k] = displacement
    return q


def _own(body: Body, values: Sequence[Any]) -> list[tuple[int, Any]]:
    """The displacements of the degrees of freedom; a screw has one, that of its hinge."""
    numbered = list(zip(body.primitives, values, strict=True))
    if len(numbered) == 2 and numbered[0][0].dof_index == numbered[1][0].dof_index:
        return [(0, value) for primitive, value in numbered if primitive.kind is PrimitiveKind.HINGE]
    return [(k, value) for k, (_, value) in enumerate(numbered)]


def mechanism_positions(
    dartpy: Any, mechanism: Mechanism, indices: Sequence[BodyIndices], q: Array
) -> list[Coordinates]:
    """Return the position of each body's joint, the inverse of `dart_positions`.

    Args:
        dartpy: The module.
        mechanism: The mechanism.
        indices: The indices of each body.
        q: DART's positions.
    """
    positions: list[Coordinates] = []
    for body, at in zip(mechanism.bodies, indices, strict=True):
        kind = kind_of(body)
        if kind is not None:
            rotation = tuple(matrix_to_quaternion(dartpy.math.expMapRot(q[at.start : at.start + 3])))
            origin = tuple(q[at.start + 3 : at.start + 6].tolist())
            positions.append(joint_position(body, ((*origin, *rotation) if kind is PrimitiveKind.FREE else rotation,)))
        else:
            own = dict(_own(body, body.primitives))
            shared = {p.dof_index: float(q[at.start + k]) / p.ratio for k, p in own.items()}
            values = [(p.ratio * shared[p.dof_index],) for p in body.primitives]
            positions.append(joint_position(body, values) if body.primitives else ())
    return positions


def velocity_map(mechanism: Mechanism, indices: Sequence[BodyIndices], positions: Sequence[Coordinates]) -> Array:
    """Return the matrix ``B``, shape (velocities in DART, nv).

    Args:
        mechanism: The mechanism.
        indices: The indices of each body.
        positions: The position of each body's joint.
    """
    rows = sum(len(_own(body, body.primitives)) if kind_of(body) is None else body.nv for body in mechanism.bodies)
    B = np.zeros((rows, len(mechanism.v_order)))
    for body, at, position in zip(mechanism.bodies, indices, positions, strict=True):
        kind, column = kind_of(body), body.v_start
        if kind is PrimitiveKind.FREE:
            B[at.start : at.start + 3, column + 3 : column + 6] = np.eye(3)
            B[at.start + 3 : at.start + 6, column : column + 3] = np.eye(3)
        elif kind is PrimitiveKind.BALL:
            B[at.start : at.start + 3, column : column + 3] = _ball_map(body, position)
        else:
            for k, primitive in _own(body, body.primitives):
                B[at.start + k, column + primitive.dof_index] = primitive.ratio
    return B


def _ball_map(body: Body, position: Coordinates) -> Array:
    if body.reversed:
        return -np.eye(3)
    (wxyz,) = primitive_positions(body, position)
    rotation: Array = quaternion_to_matrix(wxyz).T
    return rotation
