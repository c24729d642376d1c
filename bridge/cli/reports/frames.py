"""Poses of links, joints and frames in the world, as a table."""

from __future__ import annotations

from collections.abc import Iterator

from transforms3d.euler import mat2euler

from loaders.model import WORLD
from loaders.scene import Scene
from loaders.spatial import IDENTITY, Pose


def frame_rows(scene: Scene) -> Iterator[tuple[str, ...]]:
    """Yield kind, name, position [m] and roll, pitch and yaw [rad] of each link, joint and frame at zero configuration.

    Args:
        scene: The scene.
    """
    X_WL = {WORLD: IDENTITY} | {link.name: link.X_WL for link in scene.links}
    for link in scene.links:
        yield "link", link.name, *_numbers(link.X_WL)
    for joint in scene.joints:
        yield "joint", joint.name, *_numbers(X_WL[joint.child] @ joint.X_CJ)
    for frame in scene.frames:
        yield "frame", frame.name, *_numbers(X_WL[frame.link] @ frame.X_LF)


def _numbers(pose: Pose) -> tuple[str, ...]:
    return tuple(f"{round(x, 9) + 0.0:.6g}" for x in (*pose.p, *mat2euler(pose.R, "sxyz")))
