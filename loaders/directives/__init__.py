"""Drake Model Directives, ``.dmd.yaml``, to a `Scene`."""

from __future__ import annotations

from loaders.context import Context
from loaders.scene import Scene

from .build import build
from .yaml_nodes import parse


def read(data: bytes, file: str, context: Context) -> Scene | None:
    """Read a file of directives with all that it adds.

    The scene is a world: every name carries that of its model. Gravity is Drake's, 9.81 m/s^2 downwards. Problems go to
    ``context.diagnostics``; what is returned after an error is harmless, and not to be used.

    Source: the documentation of ``drake/multibody/parsing``, "Model Directives", as of pydrake 1.51.
    """
    root = parse(data, file, context.diagnostics)
    return None if root is None else build(root, context)
