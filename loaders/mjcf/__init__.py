"""Reader of MJCF, MuJoCo's format: our pass over the text and the files, MuJoCo as the compiler of
numbers.

1. `compilation.document` joins the included files to one tree, in which each element keeps its file
   and line; `guards` limits what the tree makes; `assets` reads the files that it names.
2. `compilation.compiler`, the only module that imports MuJoCo, compiles the text and the contents;
    it gets no path.
3. `elements` walks the compiled model, in which every number is resolved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.deferred import Deferred

if TYPE_CHECKING:
    from collections.abc import Callable

    from loaders.context import Context
    from loaders.node import Node
    from loaders.scene import Scene

read: Callable[[Node, Context], Scene | None] = Deferred("loaders.mjcf.reader:read")
"""Function that reads a document, given its root element ``<mujoco>``."""
