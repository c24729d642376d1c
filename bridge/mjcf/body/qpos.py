"""Positions and velocities in the coordinates of the compiled MuJoCo model."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, Position, kind_of, primitive_positions
from loaders.spatial import Array, quaternion_to_matrix


def qpos(mechanism: Mechanism, q: Mapping[str, Position] | None = None) -> Array:
    """Return ``qpos`` of the MuJoCo model of a mechanism, shape (nq,); the model has the bodies in the same order.

    Args:
        mechanism: The mechanism.
        q: Positions by joint name; joints that are left out are at zero.

    Raises:
        ValueError: if there is no such joint.
    """
    positions = zip(mechanism.bodies, mechanism.positions_by_body(q), strict=True)
    return np.array([x for body, position in positions for x in body_qpos(body, position)])


def body_qpos(body: Body, position: Coordinates) -> list[float]:
    """Return MuJoCo's coordinates of one body: a ball's rotation is about the axes of the body, not of the joint frame.

    Args:
        body: The body.
        position: The position of its joint in the coordinates of the mechanism.
    """
    if kind_of(body) is PrimitiveKind.BALL:
        ((w, *v),) = primitive_positions(body, position)
        return [w, *(body.X_BM.R @ v).tolist()]
    return [x for displacement in primitive_positions(body, position) for x in displacement]


def body_qvel(body: Body, position: Coordinates, velocity: Coordinates) -> list[float]:
    """Return MuJoCo's velocities of one body: angular ones of balls and free bodies are in the axes of the body.

    Args:
        body: The body.
        position: The position of its joint in the coordinates of the mechanism.
        velocity: The velocity of its joint, likewise.
    """
    kind = kind_of(body)
    if kind is PrimitiveKind.FREE:
        turned = quaternion_to_matrix(position[3:]).T @ velocity[3:]
        return [*velocity[:3], *turned.tolist()]
    if kind is PrimitiveKind.BALL:
        return list((ball_map(body, position) @ velocity).tolist())
    return [p.ratio * velocity[p.dof_index] for p in body.primitives]


def ball_map(body: Body, position: Coordinates) -> Array:
    """Return the matrix from the angular velocity in the parent's joint frame to that in the axes of the body.

    Args:
        body: A body on a ball.
        position: The position of its joint in the coordinates of the mechanism.
    """
    if body.reversed:
        return -body.X_BM.R
    (wxyz,) = primitive_positions(body, position)
    mapped: Array = body.X_BM.R @ quaternion_to_matrix(wxyz).T
    return mapped
