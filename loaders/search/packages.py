"""Package maps from folders, as in Drake and ROS: a package is a folder with a ``package.xml``."""

from __future__ import annotations

import os
from pathlib import Path

from .folders import declared_name

_MARKER = "package.xml"


def packages(folder: str | os.PathLike[str]) -> dict[str, Path]:
    """Return the packages in a folder and its subfolders, keyed by name: a ``package_map`` for `loaders.load`.

    Folders whose name starts with a dot are skipped, and so are packages whose ``package.xml`` has no name or cannot be
    read. If two packages have the same name, the first in the order of their paths is used.

    Raises:
        NotADirectoryError: if the folder does not exist.
    """
    top = Path(folder)
    if not top.is_dir():
        raise NotADirectoryError(f"{top} is not a folder")
    packages_by_name: dict[str, Path] = {}
    for path, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        name = declared_name(Path(path) / _MARKER) if _MARKER in files else None
        if name:
            packages_by_name.setdefault(name, Path(path))
    return packages_by_name
