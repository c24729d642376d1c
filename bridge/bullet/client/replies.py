"""Replies of PyBullet's queries, whose fields have names here; PyBullet returns plain tuples.

Source: the PyBullet Quickstart Guide, and the replies of PyBullet 3.2.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
"""A quaternion ``x y z w``."""


class JointInfo(NamedTuple):
    """Reply of ``getJointInfo``."""

    joint_index: int
    name: bytes
    type: int
    q_index: int
    v_index: int
    flags: int
    damping: float
    friction: float
    lower: float
    upper: float
    max_force: float
    max_velocity: float
    link_name: bytes
    axis: Vector
    """Axis in the frame of the joint."""
    position_in_parent: Vector
    """Position of the joint in the inertial frame of the parent link [m]."""
    orientation_in_parent: Quaternion
    parent_index: int


class DynamicsInfo(NamedTuple):
    """Reply of ``getDynamicsInfo``."""

    mass: float
    lateral_friction: float
    moments: Vector
    """Principal moments of inertia [kg m^2]."""
    inertial_position: Vector
    inertial_orientation: Quaternion
    restitution: float
    rolling_friction: float
    spinning_friction: float
    contact_damping: float
    """Damping of contacts [N s/m]; -1 if it is not set."""
    contact_stiffness: float
    """Stiffness of contacts [N/m]; -1 if it is not set."""
    body_type: int
    collision_margin: float


class ConstraintInfo(NamedTuple):
    """Reply of ``getConstraintInfo``: a constraint between a parent and a child, each a link of a body."""

    parent_body: int
    parent_joint: int
    child_body: int
    child_joint: int
    type: int
    axis: Vector
    parent_position: Vector
    """Pivot in the inertial frame of the parent [m]."""
    child_position: Vector
    """Pivot in the inertial frame of the child [m]."""
    parent_orientation: Quaternion
    child_orientation: Quaternion
    max_force: float
    gear_ratio: float
    gear_auxiliary_link: int
    relative_position_target: float
    error_reduction: float

    @property
    def parent(self) -> tuple[int, int]:
        """Body and index of the parent link."""
        return self.parent_body, self.parent_joint

    @property
    def child(self) -> tuple[int, int]:
        """Body and index of the child link."""
        return self.child_body, self.child_joint


Reply = TypeVar("Reply", JointInfo, DynamicsInfo, ConstraintInfo)


def named(kind: type[Reply], reply: Sequence[Any]) -> Reply:
    """Return a reply with names; fields that a later version of PyBullet adds are left out.

    Args:
        kind: The kind of the reply.
        reply: What PyBullet returns.
    """
    return kind._make(reply[: len(kind._fields)])
