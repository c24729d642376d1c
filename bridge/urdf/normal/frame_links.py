"""Massless links that represent frames: those of links that moved to their joints, and those of the source."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.model import WORLD, Frame, Joint, JointType, Link
from loaders.scene import Scene
from loaders.spatial import IDENTITY, Pose

from .unique_names import free_item_name


def with_frame_links(scene: Scene, moved: Mapping[str, Pose], report: Report, *, all_frames: bool) -> Scene:
    """Return the scene with a link at the old frame of each link that moved, and at each frame if that is wanted.

    Args:
        scene: The scene.
        moved: Pose of the frame of each link that moved, in its old frame.
        report: Receives the finding.
        all_frames: Whether the frames of the source become links too, which readers without ``<frame>`` know.
    """
    old = [
        Frame(name=free_item_name(scene, f"{name}_origin"), link=name, X_LF=X.inverse()) for name, X in moved.items()
    ]
    named = [frame for frame in scene.frames if all_frames and frame.link != WORLD]
    frames = [*old, *named]
    if not frames:
        return scene
    report.add(
        Fate.NOTED,
        "urdfout.frame-link",
        "massless links represent frames: {links}",
        subjects=tuple(frame.name for frame in frames),
        links=tuple(frame.name for frame in frames),
    )
    return _with_links(dataclasses.replace(scene, frames=tuple(f for f in scene.frames if f not in named)), frames)


def _with_links(scene: Scene, frames: Sequence[Frame]) -> Scene:
    by_name = {link.name: link for link in scene.links}
    links, joints = [], []
    for frame in frames:
        holder = by_name[frame.link]
        links.append(Link(name=frame.name, model=holder.model, X_WL=holder.X_WL @ frame.X_LF, where=frame.where))
        joints.append(
            Joint(
                name=free_item_name(scene, f"{frame.name}_joint"),
                type=JointType.FIXED,
                parent=frame.link,
                child=frame.name,
                X_PJ=frame.X_LF,
                X_CJ=IDENTITY,
                where=frame.where,
            )
        )
    return dataclasses.replace(scene, links=(*scene.links, *links), joints=(*scene.joints, *joints))
