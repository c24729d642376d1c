"""Resolution of the names of files in MJCF, and the folders that they may lead to.

MJCF has no packages: a robot's ``xml/robot.xml`` names ``../meshes/arm.obj``, a task's file a robot several folders up.
So a relative name may leave the folder of the main file upwards, if it names a file of a format of MJCF; not through
the home folder or the root. Everything else obeys the rules of `loaders.resources`.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from loaders.context import Context
from loaders.files import is_inside, real_path
from loaders.node import Node
from loaders.resources import Lookup

MAX_LEVELS = 6
"""Largest number of folders that a relative name may go up."""
_SUFFIXES = frozenset({".xml", ".mjcf", ".obj", ".stl", ".msh", ".png", ".ktx", ".bin", ".hf", ".skn", ".gmsh"})
"""Suffixes of the formats of MJCF."""


def find_file(name: str, folder: Path, node: Node, context: Context) -> Path | None:
    """Return the file of a name, or None; report a failure.

    Args:
        name: The name in the document.
        folder: Folder to which a relative name refers.
        node: The element that has the name.
        context: The context of the load.
    """
    path = _above(name.replace("\\", "/"), Path(os.path.abspath(folder)))
    if path is None:
        return context.resources.find(name, folder, node)
    lookup = Lookup(uri=name, file=node.file, line=node.line, path=path, tried=(path,))
    context.resources.lookups.append(lookup)
    return path


def _above(name: str, folder: Path) -> Path | None:
    """Return the file of a relative name that leads upwards; None if it does not, or must not be read."""
    if ".." not in name:
        return None
    relative = os.path.relpath(os.path.normpath(folder / name), folder)
    levels = Path(relative).parts.count("..")
    if not 0 < levels <= MAX_LEVELS or PurePosixPath(name).is_absolute() or "://" in name:
        return None
    path, root = folder / name, folder
    for _ in range(levels):
        root = root.parent
    is_private = is_inside(real_path(Path.home()), (real_path(root),))
    is_format = path.suffix.lower() in _SUFFIXES and not any(p.startswith(".") and p != ".." for p in path.parts)
    if not is_format or is_private or root == root.parent or not path.is_file():
        return None
    real = real_path(path)
    return path if is_inside(real, (real_path(root),)) and Path(real).suffix.lower() in _SUFFIXES else None
