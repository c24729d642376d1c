"""Initial poses of free bodies (``default_free_body_pose``), applied after all welds as Drake applies them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from loaders.diagnostics import Fate
from loaders.model import WORLD, Joint, JointType
from loaders.node import Node
from loaders.scene import Scene
from loaders.scene_operations.transform_scene import attach_joints
from loaders.scene_queries.connectivity import connected_components, is_connection
from loaders.spatial import IDENTITY, Pose

from .default_poses import bases_of, initial_link_poses

_UNUSED = {
    "fixed": "the pose of {link} is not used, because {link} is fixed to the world",
    "carried": "the pose of {link} is not used, because joints carry it on {base}",
    "other": "the pose of {link} is not used, because that of another frame of the same body or tree is",
    "cycle": "the pose of {link} is measured from what {link} carries",
}
"""Templates of messages, keyed by reason."""


class FreePose(NamedTuple):
    """The initial pose of a body that is to be free: of its frame C, measured from a frame F on another link."""

    child: str
    """The link of C."""
    X_LC: Pose
    """Pose of C in its link."""
    base: str
    """The link of F, or `WORLD`."""
    X_BC: Pose
    """Pose of C, measured from the link of F."""
    is_joint: bool
    """Whether Drake makes a joint of it: unless C is the frame of the link and F the frame of the world."""
    node: Node
    """The element with the pose."""


def place_free_bodies(scene: Scene, poses: Sequence[FreePose]) -> Scene:
    """Return the scene with free bodies, and what they carry, at their initial poses; report poses that have no effect.

    Args:
        scene: The scene with all its joints.
        poses: The poses, in order.
    """
    if not poses:
        return scene
    components = connected_components(scene, is_connection)
    number = {name: i for i, names in enumerate(components) for name in names}
    bases = bases_of(scene, number)
    used = _used(poses, number, bases)
    X_WL = initial_link_poses(scene, [link for i, link in bases.items() if i])
    X_VW = _motions(used, number, X_WL)
    at_zero = {link.name: link.X_WL for link in scene.links}
    return _moved(scene, {pose.child: X_VW[i] @ at_zero[pose.child] for i, pose in used.items() if i in X_VW})


def _used(poses: Sequence[FreePose], number: Mapping[str, int], bases: Mapping[int, str]) -> dict[int, FreePose]:
    """Return the pose that each component has, keyed by its number; joints precede poses of bodies, as in Drake."""
    used: dict[int, FreePose] = {}
    for pose in sorted(poses, key=lambda pose: not pose.is_joint):
        i = number[pose.child]
        if i == 0:
            _report(pose, "fixed")
        elif i in used:
            _report(pose, "other")
        elif number[pose.base] == i:
            _report(pose, "cycle")
        elif not pose.is_joint and pose.child != bases[i]:
            _report(pose, "carried", bases[i])
        else:
            used[i] = pose
    return used


def _report(pose: FreePose, reason: str, base: str = "") -> None:
    """Report a pose without effect; where Drake makes a joint of it, it refuses the loop."""
    pose.node.report(
        Fate.INVALID if pose.is_joint else Fate.DROPPED,
        "directives.unused-pose",
        _UNUSED[reason],
        hint="remove it, or give the pose of the link that is free",
        subjects=(pose.child,),
        link=pose.child,
        base=base,
    )


def _motions(used: Mapping[int, FreePose], number: Mapping[str, int], X_WL: Mapping[str, Pose]) -> dict[int, Pose]:
    """Return the motion ``X_VW`` of each component with a pose, after that of what it is measured from."""
    X_VW: dict[int, Pose] = {}
    for start in used:
        chain: dict[int, None] = {}
        below = start
        while below in used and below not in X_VW and below not in chain:
            chain[below] = None
            below = number[used[below].base]
        if below in chain:
            _report(used[start], "cycle")
            continue
        for i in reversed(chain):
            pose = used[i]
            X_WF = X_VW.get(number[pose.base], IDENTITY) @ X_WL[pose.base]
            X_VW[i] = X_WF @ pose.X_BC @ pose.X_LC.inverse() @ X_WL[pose.child].inverse()
    return X_VW


def _moved(scene: Scene, X_WL: Mapping[str, Pose]) -> Scene:
    """Return the scene with links at poses, and what is connected to them moved along."""
    temporary = [
        Joint(name="", type=JointType.FIXED, parent=WORLD, child=link, X_PJ=pose, X_CJ=IDENTITY)
        for link, pose in X_WL.items()
    ]
    moved = attach_joints(scene, temporary)
    return replace(moved, joints=moved.joints[: len(scene.joints)])
