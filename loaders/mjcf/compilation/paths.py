"""Resolution of the names of files in MJCF, and the folders that they may lead to.

MJCF has no packages: a robot's ``xml/robot.xml`` names ``../meshes/arm.obj``, a task's file a robot several folders up.
So a relative name may leave the folder of the main file upwards, if it names a file of a format of MJCF; not through
the home folder or the root. A name in an included or attached file that counts from the folder of that file obeys the
same rule, seen from the main file. Everything else obeys the rules of `loaders.resources`.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from loaders.context import Context
from loaders.files import is_file, is_inside, real_path
from loaders.node import Node
from loaders.reading.dependencies import note_file
from loaders.reading.makers import maker
from loaders.resources import Lookup

_Lookup = maker(Lookup)
MAX_LEVELS = 6
"""Largest number of folders that a relative name may go up."""
_SUFFIXES = frozenset({"xml", "mjcf", "obj", "stl", "msh", "png", "ktx", "bin", "hf", "skn", "gmsh"})
"""Suffixes of the formats of MJCF."""


_CANCELLED = re.compile(r"(?<!\.\.)[/\\]\.\.(?:[/\\]|$)")
"""A ``..`` after the name of a folder."""


class _Folder(NamedTuple):
    """A folder that names lead to."""

    place: str
    """Its path, with a separator at the end."""
    root: str
    """Absolute path of the folder in whose real path files may be read."""
    levels: int
    """How far that one lies above the folder of the main file; if it does, only files of MJCF's formats may be read."""


@dataclass(frozen=True, slots=True, eq=False)
class FileFinder:
    """The search for the files of one load; each folder is examined once."""

    context: Context
    """The context of the load."""
    start: str
    """Folder of the main file, from which names may lead up."""
    _folders: dict[tuple[str, str], _Folder | None] = field(default_factory=dict)
    """The folders that were examined; None where `Resources.find` decides."""
    _absolute: dict[str, str] = field(default_factory=dict)
    """The absolute path of each folder that was given."""
    _roots: dict[str, str | None] = field(default_factory=dict)
    """Real paths of the folders up to which names lead; None where no file may be read."""
    regular: dict[str, os.stat_result] = field(default_factory=dict)
    """Status of each file that was found as a regular one, and no symbolic link, by its path."""

    def find(self, name: str, folder: str, node: Node) -> str | None:
        """Return the file of a name, or None; report a failure.

        Args:
            name: The name in the document.
            folder: Folder to which a relative name refers.
            node: The element that has the name.
        """
        name = _reduced(name)
        place = self._at_hand(name, folder, node)
        if place is not None:
            return place
        path = self.context.resources.find(name, Path(folder), node)
        return None if path is None else str(path)

    def find_either(self, name: str, folder: str, uri: str, node: Node) -> str | None:
        """Return the file of a name, or None; report a failure.

        As MuJoCo does, a file is searched for in the folder of the main file, then beside the file that names it.

        Args:
            name: The name relative to the folder of the main file.
            folder: Folder of the main file.
            uri: The name relative to the folder of the file that has it.
            node: The element that has the name.
        """
        name = _reduced(name)
        place = self._at_hand(name, folder, node)
        if place is not None:
            return place
        beside, uri = os.path.dirname(node.file), _reduced(uri)
        is_beside = beside != folder and not _exists(os.path.join(folder, name))
        if is_beside and _exists(os.path.join(beside, uri)):
            return self.find(uri, beside, node)
        return self.find(name, folder, node)

    def _at_hand(self, name: str, folder: str, node: Node) -> str | None:
        """Return the file of a name, if it exists in a folder that may be read; else `Resources.find` decides."""
        slash = max(name.rfind("/"), name.rfind("\\")) + 1
        head, file = name[:slash], name[slash:]
        if (folder, head) not in self._folders:
            plain = head.replace("\\", "/")
            self._folders[folder, head] = self._examined(self._absolute_of(folder), plain.rstrip("/") or plain)
        known = self._folders[folder, head]
        if known is None:
            return None
        place = known.place + file
        if not self._may_be_read(place, file, known):
            return None
        note_file(place)
        self.context.resources.lookups.append(_Lookup(uri=name, file=node.file, line=node.line, places=(place,)))
        return place

    def _may_be_read(self, place: str, file: str, folder: _Folder) -> bool:
        """Return whether a file in a folder exists and may be read; it is looked at once.

        Args:
            place: The file.
            file: Its name without the folder.
            folder: The folder.
        """
        is_fitting = not folder.levels or _is_format(file)
        try:
            status = os.lstat(place)
        except (OSError, ValueError):
            return is_fitting and is_file(place)  # it may lie in an archive
        if stat.S_ISREG(status.st_mode):
            self.regular[place] = status
            return is_fitting
        if not (is_fitting and stat.S_ISLNK(status.st_mode)):
            return False
        real, root = real_path(place), self._real_root(folder.root, folder.levels)
        is_allowed = root is not None and is_inside(real, (root,)) and os.path.isfile(real)
        return is_allowed and (not folder.levels or _is_format(os.path.basename(real)))

    def _examined(self, base: str, head: str) -> _Folder | None:
        """Return the folder that a relative name leads to, if its files may be read; else None.

        Args:
            base: Absolute path of the folder to which the name refers.
            head: The folders in the name, with slashes between them.
        """
        resources = self.context.resources
        if os.path.isabs(head) or "$" in head or ":" in head or "" in resources.schemes:
            return None
        parts = [part for part in head.split("/") if part not in {"", "."}]
        folder = os.path.join(base, *parts, "")
        place = os.path.normpath(folder) + os.sep
        root, levels = self._absolute_of(self.start), 0
        while not place.startswith(root + os.sep) and root != (above := os.path.dirname(root)):
            root, levels = above, levels + 1
        if levels and _is_hidden([*place[len(os.path.dirname(root)) :].split(os.sep), *parts]):
            return None
        if not levels and (resources.main is None or base != self._absolute_of(os.path.dirname(resources.main))):
            return None
        if not (base == root and _leads_straight(base, parts)):  # else it lies in the root, whose links do not matter
            real_root = self._real_root(root, levels)
            if real_root is None or not is_inside(self._followed(base, parts), (real_root,)):
                return None
        return _Folder(folder, root, levels)

    def _absolute_of(self, folder: str) -> str:
        if folder not in self._absolute:
            self._absolute[folder] = os.path.abspath(folder)
        return self._absolute[folder]

    def _real_root(self, root: str, levels: int) -> str | None:
        """Return the real path of a folder, if files in it may be read.

        Args:
            root: Absolute path of the folder.
            levels: How far it lies above that of the main file.
        """
        if root not in self._roots:
            self._roots[root] = self._found_root(root, levels)
        return self._roots[root]

    def _found_root(self, root: str, levels: int) -> str | None:
        real_path_of = self.context.resources.real_paths.folder
        if not levels:
            return real_path_of(root)
        if levels > MAX_LEVELS or root == os.path.dirname(root):
            return None
        real, home = real_path_of(root), real_path_of(os.path.expanduser("~"))
        return None if is_inside(home, (real,)) else real

    def _followed(self, base: str, parts: list[str]) -> str:
        """Return the real path of a folder, given by its path from another one."""
        real_path_of = self.context.resources.real_paths.folder
        real = real_path_of(base)
        for part in parts:
            real = os.path.dirname(real) if part == ".." else real_path_of(os.path.join(real, part))
        return real


def _leads_straight(folder: str, parts: list[str]) -> bool:
    """Return whether the way from a folder down to another one goes through no symbolic link."""
    for part in parts:
        folder = os.path.join(folder, part)
        if part == ".." or os.path.islink(folder):
            return False
    return True


def _exists(path: str) -> bool:
    return os.path.exists(path) or is_file(path)


def _reduced(name: str) -> str:
    """Return a name without a folder and the ``..`` after it: MuJoCo cancels both as text, so it need not exist."""
    if ".." not in name or ":" in name or not _CANCELLED.search(name):
        return name
    return posixpath.normpath(name.replace("\\", "/"))


def _is_hidden(parts: Iterable[str]) -> bool:
    """Return whether a part of a path begins with a dot."""
    return any(part[:1] == "." and part != ".." for part in parts)


def _is_format(file: str) -> bool:
    """Return whether a name is that of a file of MJCF's formats that is not hidden."""
    stem, _, suffix = file.rpartition(".")
    return suffix.lower() in _SUFFIXES and stem[:1] not in {"", "."}
