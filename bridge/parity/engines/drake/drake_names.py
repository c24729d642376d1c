"""The links, joints and velocities of Drake's plant, matched with those of a mechanism, and its coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from loaders.model import WORLD
from loaders.scene_queries.scoped_names import SEPARATOR, local_name
from loaders.spatial import Array

from .drake_plant import UnsupportedModelError

_WELD, _FLOATING, _BALL = "weld", "quaternion_floating", "ball_rpy"


class ModelMismatchError(Exception):
    """Drake reads other links, joints or degrees of freedom than the mechanism has.

    Attributes:
        names: The links and joints that differ.
    """

    def __init__(self, message: str, *names: str) -> None:
        super().__init__(message)
        self.names = frozenset(names)


def links_by_name(plant: Any, mechanism: Mechanism) -> dict[str, Any]:
    """Return Drake's bodies by scoped link name; Drake adds the scope of the model to files whose root is one model.

    Raises:
        ModelMismatchError: If the links differ.
    """
    from pydrake.multibody.tree import BodyIndex

    expected = {body.name for body in mechanism.bodies}
    links = {}
    for index in range(1, plant.num_bodies()):
        body = plant.get_body(BodyIndex(index))
        full = f"{plant.GetModelInstanceName(body.model_instance())}{SEPARATOR}{body.name()}"
        name = full if full in expected else full.partition(SEPARATOR)[2]
        if name not in expected:
            raise ModelMismatchError(f"it has a link {full}, which the model does not have", name)
        links[name] = body
    if WORLD in expected:
        links[WORLD] = plant.world_body()
    missing = sorted(expected - links.keys())
    if missing:
        raise ModelMismatchError(f"it does not have the link {missing[0]}", *missing)
    return links


def joints_by_name(plant: Any, mechanism: Mechanism, links: Mapping[str, Any]) -> dict[str, Any]:
    """Return Drake's joints by scoped name; Drake puts a joint into the scope of its child.

    Args:
        plant: Drake's plant.
        mechanism: The mechanism.
        links: Drake's bodies by scoped link name.

    Raises:
        ModelMismatchError: If the joints differ.
        UnsupportedModelError: If Drake measures the pose of a free link in another frame than the world.
    """
    link_of = {body.index(): name for name, body in links.items()}
    names = {(joint.child, local_name(joint.name)): joint.name for joint in mechanism.scene.joints}
    joints = {}
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.type_name() == _WELD:
            continue
        child = link_of.get(joint.child_body().index(), WORLD)
        name = names.get((child, joint.name()), child if is_floating(joint) else "")
        if not name:
            message = f"it has a joint {joint.name()} with child {child}, which the model does not have"
            raise ModelMismatchError(message, joint.name())
        if is_floating(joint) and joint.frame_on_parent().index() != plant.world_frame().index():
            frame = joint.frame_on_parent().name()
            raise UnsupportedModelError(f"it measures the pose of free link {child} in frame {frame}, not in the world")
        joints[name] = joint
    return joints


def velocity_order(plant: Any, mechanism: Mechanism, joints: Mapping[str, Any]) -> list[int]:
    """Return the index of Drake's velocity for each component of the mechanism's ``v_order``.

    Args:
        plant: Drake's plant.
        mechanism: The mechanism.
        joints: Drake's joints by scoped name.

    Raises:
        ModelMismatchError: If the degrees of freedom differ.
    """
    order = []
    for name, component in mechanism.v_order:
        if name not in joints:
            raise ModelMismatchError(f"its joint {name} is fixed or missing", name)
        joint = joints[name]
        order.append(joint.velocity_start() + ((component + 3) % 6 if is_floating(joint) else component))
    unmatched = sorted(name for name, joint in joints.items() if joint.num_velocities() and not _covers(joint, order))
    if unmatched:
        raise ModelMismatchError(f"its joint {unmatched[0]} moves; that of the model is fixed", *unmatched)
    if sorted(order) != list(range(plant.num_velocities())):
        raise ModelMismatchError("it has other degrees of freedom")
    return order


def _covers(joint: Any, order: list[int]) -> bool:
    return joint.velocity_start() in order


# --- coordinates -----------------------------------------------------------------------------------------------------


def is_floating(joint: Any) -> bool:
    """Return whether a joint of Drake moves a free body."""
    return bool(joint.type_name() == _FLOATING)


def position_in_drake(joint: Any, value: Position) -> Array:
    """Return Drake's position of a joint.

    Args:
        joint: Drake's joint.
        value: The position of the mechanism's joint.
    """
    numbers: Array = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if is_floating(joint):
        return np.roll(numbers, 4)
    if joint.type_name() == _BALL:
        from pydrake.common.eigen_geometry import Quaternion
        from pydrake.math import RollPitchYaw

        return np.asarray(RollPitchYaw(Quaternion(numbers / np.linalg.norm(numbers))).vector())
    return numbers


def position_of(joint: Any, positions: Array) -> Position:
    """Return the position of the mechanism's joint, the inverse of `position_in_drake`.

    Args:
        joint: Drake's joint.
        positions: The positions of Drake's plant.
    """
    start = joint.position_start()
    numbers: Array = positions[start : start + joint.num_positions()]
    if is_floating(joint):
        return tuple(np.roll(numbers, -4).tolist())
    if joint.type_name() == _BALL:
        from pydrake.math import RollPitchYaw

        rpy: Any = numbers
        return tuple(np.asarray(RollPitchYaw(rpy).ToQuaternion().wxyz()).tolist())
    return float(numbers[0]) if len(numbers) == 1 else tuple(numbers.tolist())
