"""Named frames at the ends of Drake's joints and bushings, which connect frames, not poses."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from bridge.export.pose_format import angle_values, is_ill_conditioned
from loaders.model import Bushing, Curve, Frame, Joint, JointType
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.spatial import IDENTITY, Pose

from .world_ends import DRAKE_JOINTS

_CLOSE = 1e-12
_DECIMALS = 11


def with_short_poses(scene: Scene) -> Scene:
    """Return a scene with Drake's joints with poses of links that have 11 decimals; other scenes as they are.

    A reader computes the pose of the child of such a joint from the two frames, whose poses have 13 decimals in the
    document. The pose that it finds then rounds to the same 11 decimals, so that writing it again changes nothing.

    Args:
        scene: The scene.
    """
    if not any(joint.type in DRAKE_JOINTS for joint in scene.joints):
        return scene
    origins = {model.name: model.X_WM for model in scene.models}
    poses = {link.name: _shortened(link.X_WL, origins.get(link.model, IDENTITY)) for link in scene.links}
    joints = []
    for joint in scene.joints:
        X_WJ = poses.get(joint.child, IDENTITY) @ joint.X_CJ
        joints.append(dataclasses.replace(joint, X_PJ=poses.get(joint.parent, IDENTITY).inverse() @ X_WJ))
    links = tuple(dataclasses.replace(link, X_WL=poses[link.name]) for link in scene.links)
    return dataclasses.replace(scene, links=links, joints=tuple(joints))


def _shortened(X_WL: Pose, X_WM: Pose) -> Pose:
    X_ML = X_WM.inverse() @ X_WL
    if is_ill_conditioned(X_ML.R):
        return X_WL
    angles = [round(angle, _DECIMALS) for angle in angle_values(X_ML.R)]
    return X_WM @ Pose.from_xyz_rpy([round(float(x), _DECIMALS) for x in X_ML.p], angles)


def with_drake_frames(scene: Scene) -> Scene:
    """Return the scene with a frame at each end of each such element, unless the link itself or a frame is there.

    Args:
        scene: The scene.
    """
    frames = list(scene.frames)
    taken = {item.name for items in (scene.links, scene.joints, frames, scene.models) for item in items}
    for name, link, X_LF in _ends(scene):
        if frame_at(frames, link, X_LF) is not None:
            continue
        unique, number = name, 2
        while unique in taken:
            unique, number = f"{name}_{number}", number + 1
        taken.add(unique)
        frames.append(Frame(name=unique, link=link, X_LF=X_LF))
    return dataclasses.replace(scene, frames=tuple(frames)) if len(frames) > len(scene.frames) else scene


def frame_at(frames: list[Frame], link: str, X_LF: Pose) -> str | None:
    """Return the name of the link, or of the first frame on it, at a pose; None if there is none.

    Args:
        frames: The frames.
        link: The link.
        X_LF: The pose in the link.
    """
    if X_LF.is_close(IDENTITY, _CLOSE):
        return link
    return next((frame.name for frame in frames if frame.link == link and frame.X_LF.is_close(X_LF, _CLOSE)), None)


def child_frame(joint: Joint) -> Pose:
    """Return the pose, in the child link, of the frame that ``<drake:joint>`` names as child."""
    return joint.X_CJ if joint.curve is None else joint.X_CJ @ start_frame(joint.curve)


def start_frame(curve: Curve) -> Pose:
    """Return the child's frame at the start of a curve, as in Drake: x along the tangent, z along the normal."""
    y = np.cross(curve.plane_normal, curve.initial_tangent)
    length = float(np.linalg.norm(y))
    if length == 0.0:
        return IDENTITY
    y = y / length
    return Pose.of(np.column_stack((np.cross(y, curve.plane_normal), y, curve.plane_normal)))


def _ends(scene: Scene) -> Iterator[tuple[str, str, Pose]]:
    """Yield preferred name, link and pose of the frame at each end."""
    for joint in scene.joints:
        if joint.type in DRAKE_JOINTS and joint.type is not JointType.FIXED:
            yield f"{joint.name}_parent_frame", joint.parent, joint.X_PJ
            yield f"{joint.name}_child_frame", joint.child, child_frame(joint)
    bushings = (force for force in scene.forces if isinstance(force, Bushing))
    for i, bushing in enumerate(bushings):
        prefix = bushing.link_A.rpartition(SEPARATOR)[0]
        stem = f"{prefix}{SEPARATOR}bushing_{i}" if prefix else f"bushing_{i}"
        yield f"{stem}_A", bushing.link_A, bushing.X_LA
        yield f"{stem}_C", bushing.link_C, bushing.X_LC
