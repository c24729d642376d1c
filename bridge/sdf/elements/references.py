"""The names by which the elements of one model refer to links, joints and frames in it or in models nested in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bridge.sdf.normal.drake_frames import child_frame, frame_at
from loaders.model import WORLD, Joint
from loaders.scene import Scene
from loaders.spatial import Pose

from .basics import scale_of


@dataclass(frozen=True, slots=True)
class References:
    """Names in one scope."""

    scene: Scene
    prefix: str
    """Prefix of the names in this scope."""
    poses: Mapping[str, Pose]
    """Pose in the world of each link."""

    def name(self, name: str) -> str:
        """Return the name of an item within this scope."""
        return name.removeprefix(self.prefix)

    def link(self, name: str) -> str:
        """Return the name of a link within this scope, or that of the world."""
        return name if name == WORLD else self.name(name)

    def frame(self, link: str, X_LF: Pose) -> str:
        """Return the name of the link itself, or of a frame in this scope, that is at a pose in a link."""
        frames = [frame for frame in self.scene.frames if frame.name.startswith(self.prefix)]
        return self.name(frame_at(frames, link, X_LF) or link)

    def child_frame(self, joint: Joint) -> tuple[str, Pose]:
        """Return the child link of a joint and the pose in it of the frame that ``<drake:joint>`` names."""
        return joint.child, child_frame(joint)

    def scale(self, link: str) -> float:
        """Return the largest distance that takes part in computing a pose in a link [m], at least 1."""
        return scale_of(self.poses[link]) if link in self.poses else 1.0
