"""Drake's extensions of ``<robot>``, and the plugins of Gazebo."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loaders.drake.dialect import URDF
from loaders.drake.model_elements import ELEMENTS, read_model
from loaders.gazebo.added_items import AddedItems, merged, with_followers, with_forces_and_sensors
from loaders.model import WORLD, Frame, Joint, by_name
from loaders.node import Node
from loaders.reading.deferred import Deferred
from loaders.scene import Scene
from loaders.scene_operations.transform_scene import merge
from loaders.spatial import IDENTITY, Pose

_read_plugins: Callable[..., None] = Deferred("loaders.gazebo.plugins:read_plugins")
_TAGS = ("frame", "gazebo", *ELEMENTS)
_ZERO = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class RobotNames:
    """Resolution of the names in a robot; see `loaders.drake.dialect.NameResolver`."""

    model: str
    """Name of the robot."""
    prefix: str
    """Scope of the robot with a separator at its end; empty, as a URDF has one model."""
    links: frozenset[str]
    """Names of the links."""
    frames: Mapping[str, Frame]
    """Frames, keyed by name."""
    joints: Mapping[str, Joint]
    """Joints, keyed by name."""

    def link(self, name: str) -> str | None:
        """Return the name of a link, or None if there is no such link."""
        return name if name in self.links else None

    def frame(self, name: str) -> tuple[str, Pose] | None:
        """Return the link to which a frame F is fixed, and ``X_LF``; None if there is no such frame."""
        frame = self.frames.get(name)
        if frame is not None:
            return frame.link, frame.X_LF
        return (name, IDENTITY) if name in self.links else None

    def joint(self, name: str) -> Joint | None:
        """Return the joint of this name, or None."""
        return self.joints.get(name)


def with_extensions(scene: Scene, root: Node) -> Scene:
    """Return the scene with the frames, constraints, force elements and filter groups of the robot.

    Args:
        scene: The scene so far.
        root: The ``<robot>``.
    """
    if root.lacks(_TAGS):
        return scene
    links = frozenset(link.name for link in scene.links)
    frames = tuple(_read_frame(node, links) for node in root.all("frame"))
    names = RobotNames(scene.name, "", links, by_name(frames), by_name(scene.joints))
    part = read_model(root, names, URDF)
    extras = AddedItems(scene)
    for node in root.all("gazebo"):
        if node.peek("plugin") is not None:
            _read_plugins(node, names, extras, "urdf.plugin")
    return dataclasses.replace(
        with_forces_and_sensors(merge(scene, part), extras),
        frames=scene.frames + frames,
        couplings=with_followers(scene.couplings, extras),
        actuators=merged(scene.actuators, extras),
    )


def _read_frame(node: Node, links: frozenset[str]) -> Frame:
    """Read Drake's ``<frame name link xyz rpy>``."""
    link = node.word("@link")
    if link and link != WORLD and link not in links:
        node.invalid("drake.unknown-link", "the frame is fixed to the unknown link {link!r}", link=link)
        link = WORLD
    X_LF = Pose.from_xyz_rpy(node.numbers("@xyz", 3, _ZERO), node.numbers("@rpy", 3, _ZERO))
    return Frame(name=node.word("@name"), link=link or WORLD, X_LF=X_LF, where=node.where)
