"""The SDFormat reader: every version, to a `Scene`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.deferred import Deferred

if TYPE_CHECKING:
    from collections.abc import Callable

    from loaders.context import Context
    from loaders.node import Node
    from loaders.scene import Scene

read: Callable[[Node, Context], Scene] = Deferred("loaders.sdf.reader:read")
"""Function that reads a document, given its root element."""
