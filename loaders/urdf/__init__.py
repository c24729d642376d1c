"""Reader of URDF, with the extensions of Gazebo, PyBullet, ros2_control and Drake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.deferred import Deferred

if TYPE_CHECKING:
    from collections.abc import Callable

    from loaders.context import Context
    from loaders.node import Node
    from loaders.scene import Scene

read: Callable[[Node, Context], Scene | None] = Deferred("loaders.urdf.reader:read")
"""Function that reads a document, given its root element."""
