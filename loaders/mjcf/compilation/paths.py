"""Resolution of the names of files in MJCF, and the folders that they may lead to.

MJCF has no packages: a robot's ``xml/robot.xml`` names ``../meshes/arm.obj``, a task's file a robot several folders up.
So a relative name may leave the folder of the main file upwards, if it names a file of a format of MJCF; not through
the home folder or the root. Everything else obeys the rules of `loaders.resources`.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from loaders.context import Context
from loaders.files import is_inside, real_path
from loaders.node import Node
from loaders.reading.dependencies import note_file
from loaders.resources import Lookup

MAX_LEVELS = 6
"""Largest number of folders that a relative name may go up."""
_SUFFIXES = frozenset({".xml", ".mjcf", ".obj", ".stl", ".msh", ".png", ".ktx", ".bin", ".hf", ".skn", ".gmsh"})
"""Suffixes of the formats of MJCF."""


@dataclass(frozen=True, slots=True, eq=False)
class FileFinder:
    """The search for the files of one load; a folder in which one was found is not examined again."""

    context: Context
    """The context of the load."""
    _open: set[str] = field(default_factory=set)
    """Folders, as names in the document lead to them, whose files may be read."""
    _real: dict[str, str] = field(default_factory=dict)
    """Real path of each folder that was examined."""

    def find(self, name: str, folder: Path, node: Node) -> Path | None:
        """Return the file of a name, or None; report a failure.

        Args:
            name: The name in the document.
            folder: Folder to which a relative name refers.
            node: The element that has the name.
        """
        text = name.replace("\\", "/")
        place = os.path.join(folder, text)
        if self._is_beside(place, text):
            path: Path | None = Path(place)
            note_file(place)
        else:
            path = self._above(text, Path(os.path.abspath(folder)))
        if path is None:
            path = self.context.resources.find(name, folder, node)
        else:
            lookup = Lookup(uri=name, file=node.file, line=node.line, path=path, tried=(path,))
            self.context.resources.lookups.append(lookup)
        self._open_folder(place, path)
        return path

    def _is_beside(self, place: str, name: str) -> bool:
        """Return whether a name leads to a regular file of MJCF's formats in a folder that was examined."""
        folder, file = os.path.split(place)
        return folder in self._open and _is_format(file) and _is_regular(place) and "://" not in name

    def _open_folder(self, place: str, path: Path | None) -> None:
        """Remember the folder of a file that was found where its name leads to."""
        is_same = path is not None and os.path.normpath(path) == os.path.abspath(place)
        if is_same and not {"file", ""} & self.context.resources.schemes.keys() and _is_regular(place):
            self._open.add(os.path.dirname(place))

    def _above(self, name: str, folder: Path) -> Path | None:
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
        real_root = (self._real_path(str(root)),)
        is_private = is_inside(self._real_path(str(Path.home())), real_root)
        if not _is_format(str(path)) or is_private or root == root.parent or not path.is_file():
            return None
        real = real_path(path)
        return path if is_inside(real, real_root) and Path(real).suffix.lower() in _SUFFIXES else None

    def _real_path(self, folder: str) -> str:
        if folder not in self._real:
            self._real[folder] = real_path(folder)
        return self._real[folder]


def _is_format(name: str) -> bool:
    """Return whether a name is that of a file of MJCF's formats, in no hidden folder."""
    parts = name.split("/")
    is_hidden = any(part.startswith(".") and part not in {"..", "."} for part in parts)
    return os.path.splitext(parts[-1])[1].lower() in _SUFFIXES and not is_hidden


def _is_regular(place: str) -> bool:
    """Return whether a path is a regular file, and not a link to one."""
    try:
        return stat.S_ISREG(os.lstat(place).st_mode)
    except (OSError, ValueError):
        return False
