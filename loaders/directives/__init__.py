"""Reader of Drake Model Directives, ``.dmd.yaml``."""

from __future__ import annotations

from loaders.context import Context
from loaders.scene import Scene

from .build import build
from .yaml_nodes import parse


def read(data: bytes, file: str, context: Context) -> Scene | None:
    """Read a file of directives with all models that it adds.

    The scene is a world: every name carries the scope of its model. Gravity is that of Drake, 9.81 m/s^2 downward.
    Findings go to ``context.diagnostics``; after an error the returned scene is incomplete and must not be used.

    Source: the documentation of ``drake/multibody/parsing``, "Model Directives", as of pydrake 1.51.

    Args:
        data: Contents of the file.
        file: Name of the file for diagnostics.
        context: The context of the load.
    """
    root = parse(data, file, context.diagnostics)
    return None if root is None else build(root, context)
