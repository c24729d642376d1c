"""Drake's extensions in a URDF: what stands in ``<robot>`` itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from loaders.drake.dialect import URDF
from loaders.drake.model_elements import read_model
from loaders.model import WORLD, Frame, Joint, by_name
from loaders.node import Node
from loaders.scene import Scene
from loaders.scene_operations.transform_scene import merge
from loaders.spatial import IDENTITY, Pose

_ZERO = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class RobotNames:
    """The names that an extension in a robot may use; see `loaders.drake.dialect.Names`."""

    model: str
    prefix: str
    links: frozenset[str]
    frames: Mapping[str, Frame]
    joints: Mapping[str, Joint]

    def link(self, name: str) -> str | None:
        """The link of a name."""
        return name if name in self.links else None

    def frame(self, name: str) -> tuple[str, Pose] | None:
        """The link that a frame F is fixed to, and ``X_LF``."""
        frame = self.frames.get(name)
        if frame is not None:
            return frame.link, frame.X_LF
        return (name, IDENTITY) if name in self.links else None

    def joint(self, name: str) -> Joint | None:
        """The joint of a name."""
        return self.joints.get(name)


def with_extensions(scene: Scene, root: Node) -> Scene:
    """The scene with the frames, constraints, force elements and filter groups of the robot."""
    links = frozenset(link.name for link in scene.links)
    frames = tuple(_read_frame(node, links) for node in root.all("frame"))
    names = RobotNames(scene.name, "", links, by_name(frames), by_name(scene.joints))
    part = read_model(root, names, URDF)
    return dataclasses.replace(merge(scene, part), frames=scene.frames + frames)


def _read_frame(node: Node, links: frozenset[str]) -> Frame:
    """Drake's ``<frame name link xyz rpy>``."""
    link = node.word("@link")
    if link and link != WORLD and link not in links:
        node.invalid("drake.unknown-link", "the frame is to be fixed to {link!r}, which is no link", link=link)
        link = WORLD
    X_LF = Pose.from_xyz_rpy(node.numbers("@xyz", 3, _ZERO), node.numbers("@rpy", 3, _ZERO))
    return Frame(name=node.word("@name"), link=link or WORLD, X_LF=X_LF, where=node.where)
