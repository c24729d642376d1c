"""Poses of links with all joints at their initial positions, from which Drake measures the poses of free bodies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from loaders.model import WORLD, Joint, JointType
from loaders.scene import Scene
from loaders.scene_queries.connectivity import is_connection, static_links
from loaders.spatial import IDENTITY, Pose, quaternion_to_matrix, rotation_about

_AXES = {
    JointType.REVOLUTE: "r",
    JointType.CONTINUOUS: "r",
    JointType.PRISMATIC: "t",
    JointType.UNIVERSAL: "rr",
    JointType.REVOLUTE2: "rr",
    JointType.PLANAR: "ttr",
}
"""Rotations (r) and translations (t) along the axes of a joint, in order."""


def bases_of(scene: Scene, number: Mapping[str, int]) -> dict[int, str]:
    """Return the link that carries the others in each component: the first that no joint carries, or the first one.

    Args:
        scene: The scene.
        number: The number of the component of each link.
    """
    carried = {joint.child for joint in scene.joints if is_connection(joint)}
    names = [link.name for link in scene.links]
    bases: dict[int, str] = {}
    for name in (*(name for name in names if name not in carried), *names):
        bases.setdefault(number[name], name)
    return bases


def initial_link_poses(scene: Scene, bases: Sequence[str]) -> dict[str, Pose]:
    """Return ``X_WL`` of every link and of the world with all joints at their initial positions.

    Args:
        scene: The scene; joints without an initial position are at zero, and couplings do not count, as in Drake.
        bases: The links that stay where they are at zero, one of each component of the scene but that of the world.
    """
    X_WL = {WORLD: IDENTITY, **{link.name: link.X_WL for link in scene.links}}
    if not any(any(joint.default_position) for joint in scene.joints):
        return X_WL
    incident: dict[str, list[Joint]] = {name: [] for name in X_WL}
    for joint in filter(is_connection, scene.joints):
        incident[joint.parent].append(joint)
        incident[joint.child].append(joint)
    pending = [WORLD, *sorted(static_links(scene) - {WORLD}), *bases]
    seen = set(pending)
    for here in pending:  # the list grows during the loop
        for joint in incident[here]:
            is_reversed = joint.child == here
            there = joint.parent if is_reversed else joint.child
            if there not in seen:
                seen.add(there)
                X_PC = joint.X_PJ @ displacement(joint) @ joint.X_CJ.inverse()
                X_WL[there] = X_WL[here] @ (X_PC.inverse() if is_reversed else X_PC)
                pending.append(there)
    return X_WL


def displacement(joint: Joint) -> Pose:
    """Return the pose of the child joint frame in the parent joint frame at the initial position of a joint."""
    q = joint.default_position
    if not any(q):
        return IDENTITY
    if joint.type is JointType.BALL:
        return Pose.of(quaternion_to_matrix(q))
    if joint.type is JointType.SCREW:
        (axis,) = joint.axes
        return Pose.of(rotation_about(axis.xyz, q[0]), q[0] * joint.pitch / math.tau * axis.xyz)
    X = IDENTITY
    for kind, axis, value in zip(_AXES.get(joint.type, ""), joint.axes, q, strict=False):
        X = X @ (Pose.of(rotation_about(axis.xyz, value)) if kind == "r" else Pose.of(p=value * axis.xyz))
    return X
