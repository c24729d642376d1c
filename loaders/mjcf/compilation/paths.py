"""Resolution of the names of files in MJCF, and the folders that they may lead to.

MJCF has no packages: a robot's ``xml/robot.xml`` names ``../meshes/arm.obj``, a task's file a robot several folders up.
So a relative name may leave the folder of the main file upwards, if it names a file of a format of MJCF; not through
the home folder or the root. Everything else obeys the rules of `loaders.resources`.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from loaders.context import Context
from loaders.files import is_inside, real_path
from loaders.node import Node
from loaders.reading.dependencies import note_file
from loaders.resources import Lookup

MAX_LEVELS = 6
"""Largest number of folders that a relative name may go up."""
_SUFFIXES = frozenset({".xml", ".mjcf", ".obj", ".stl", ".msh", ".png", ".ktx", ".bin", ".hf", ".skn", ".gmsh"})
"""Suffixes of the formats of MJCF."""


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that names lead to."""

    place: str
    """Its path, with a separator at the end."""
    real: str
    """Its real path."""
    root: str
    """Real path of the folder in which files may be read."""
    is_above: bool
    """Whether names lead up to it; then only files of MJCF's formats may be read."""

    def may_be_read(self, place: str, file: str) -> bool:
        """Return whether a file in the folder exists and may be read.

        Args:
            place: The file.
            file: Its name without the folder.
        """
        try:
            mode = os.lstat(place).st_mode
        except (OSError, ValueError):
            return False
        name = file
        if stat.S_ISLNK(mode):
            real = real_path(place)
            if not (is_inside(real, (self.root,)) and os.path.isfile(real)):
                return False
            name = os.path.basename(real)
        elif not stat.S_ISREG(mode):
            return False
        return not self.is_above or (_is_format(file) and (name == file or _is_format(name)))


@dataclass(frozen=True, slots=True, eq=False)
class FileFinder:
    """The search for the files of one load; each folder is examined once."""

    context: Context
    """The context of the load."""
    _folders: dict[tuple[str, str], _Folder | None] = field(default_factory=dict)
    """The folders that were examined; None where `Resources.find` decides."""
    _real: dict[str, str] = field(default_factory=dict)
    """Real paths of folders."""

    def find(self, name: str, folder: str, node: Node) -> str | None:
        """Return the file of a name, or None; report a failure.

        Args:
            name: The name in the document.
            folder: Folder to which a relative name refers.
            node: The element that has the name.
        """
        slash = name.replace("\\", "/").rfind("/")
        head, file = name[: slash + 1].replace("\\", "/"), name[slash + 1 :]
        if (folder, head) not in self._folders:
            self._folders[folder, head] = self._examined(os.path.abspath(folder), head.rstrip("/") or head)
        known = self._folders[folder, head]
        place = "" if known is None else known.place + file
        if known is None or not known.may_be_read(place, file):
            path = self.context.resources.find(name, Path(folder), node)
            return None if path is None else str(path)
        note_file(place)
        self.context.resources.lookups.append(Lookup(uri=name, file=node.file, line=node.line, places=(place,)))
        return place

    def _examined(self, base: str, head: str) -> _Folder | None:
        """Return the folder that a relative name leads to, if its files may be read; else None."""
        resources = self.context.resources
        if os.path.isabs(head) or "$" in head or ":" in head or "" in resources.schemes:
            return None
        place = os.path.normpath(os.path.join(base, head))
        levels = os.path.relpath(place, base).split(os.sep).count("..")
        root = base
        for _ in range(levels):
            root = os.path.dirname(root)
        if levels:
            is_private = is_inside(self._real_path(str(Path.home())), (self._real_path(root),))
            is_hidden = _is_hidden(os.path.join(base, head))
            if levels > MAX_LEVELS or is_private or is_hidden or root == os.path.dirname(root):
                return None
        elif resources.main is None or base != os.path.dirname(os.path.abspath(resources.main)):
            return None
        real, real_root = self._followed(base, head), self._real_path(root)
        if not is_inside(real, (real_root,)):
            return None
        return _Folder(os.path.join(Path(base, head), ""), real, real_root, levels > 0)

    def _followed(self, base: str, head: str) -> str:
        """Return the real path of a folder, given relative to another one."""
        real = self._real_path(base)
        for part in head.split("/"):
            real = os.path.dirname(real) if part == ".." else self._real_path(os.path.join(real, part))
        return real

    def _real_path(self, folder: str) -> str:
        """Return the real path of a folder; each part of all paths is looked up once."""
        folder = folder.rstrip("/") or "/"
        if folder not in self._real:
            parent = os.path.dirname(folder)
            place = folder if parent == folder else os.path.join(self._real_path(parent), os.path.basename(folder))
            self._real[folder] = real_path(place) if os.path.islink(place) else place
        return self._real[folder]


def folder_beside(node: Node, uri: str, name: str, folder: str) -> str | None:
    """Return the folder of an included file if a file that it names is found there only; else None.

    As MuJoCo does, a file is searched for in the folder of the main file first.

    Args:
        node: The element that names the file.
        uri: The name in the document.
        name: The name relative to the folder of the main file.
        folder: Folder of the main file.
    """
    beside = os.path.dirname(node.file)
    if beside == folder or os.path.exists(os.path.join(folder, name)):
        return None
    return beside if os.path.exists(os.path.join(beside, uri)) else None


def _is_hidden(path: str) -> bool:
    """Return whether a part of a path begins with a dot."""
    return any(part.startswith(".") and part not in {"..", "."} for part in path.split("/"))


def _is_format(file: str) -> bool:
    """Return whether a name is that of a file of MJCF's formats that is not hidden."""
    return os.path.splitext(file)[1].lower() in _SUFFIXES and not file.startswith(".")
