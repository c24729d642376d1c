"""Package maps from folders, as Drake and ROS fill them: a package is a folder with a ``package.xml``."""

from __future__ import annotations

import os
import re
from pathlib import Path

_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
_MARKER = "package.xml"


def packages(folder: str | os.PathLike[str]) -> dict[str, Path]:
    """The packages in a folder and below it, by name: a ``package_map`` for `loaders.load`.

    Folders whose name starts with a dot are left out. Of two packages with one name the first in the order of their
    paths counts. A ``package.xml`` without a name, or one that cannot be read, is none.

    Raises:
        NotADirectoryError: if there is no such folder.
    """
    top = Path(folder)
    if not top.is_dir():
        raise NotADirectoryError(f"{top} is no folder")
    found: dict[str, Path] = {}
    for path, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        name = _name_in(Path(path) / _MARKER) if _MARKER in files else None
        if name:
            found.setdefault(name, Path(path))
    return found


def _name_in(file: Path) -> str | None:
    try:
        match = _NAME.search(file.read_bytes())
    except OSError:
        return None
    return None if match is None else match[1].decode(errors="replace")
