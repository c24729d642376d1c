"""Resolution of the symbolic links in paths, with the folders of a load looked up once."""

from __future__ import annotations

import os
import stat

from loaders.files import real_path, size_inside

_NOT_NAMES = frozenset({"", os.curdir, os.pardir})


class RealPaths:
    """Function that returns a path with all symbolic links resolved, as `loaders.files.real_path` does.

    The files of a model lie in few folders, so what the operating system says about a folder is kept.
    """

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}
        self._prefixes: dict[str, str] = {}

    def __call__(self, path: str | os.PathLike[str]) -> str:
        """Return the real path of a file or folder."""
        text = os.fspath(path)
        return real_path(text) if os.path.islink(text) else self._of_file(text)

    def of_existing(self, path: str) -> str | None:
        """Return the real path of a file or folder, or None if it does not exist; usually with one look at the disk.

        Args:
            path: The path.
        """
        try:
            mode = os.lstat(path).st_mode
        except (OSError, ValueError):  # ValueError: a null character
            return None if size_inside(path) is None else real_path(path)
        if stat.S_ISLNK(mode):
            return real_path(path) if os.path.exists(path) else None
        return self._of_file(path)

    def _of_file(self, path: str) -> str:
        """Return the real path of what is no symbolic link itself."""
        folder, _, name = path.rpartition(os.sep)
        if name in _NOT_NAMES or (os.altsep and os.altsep in name):
            return real_path(path)
        prefix = self._prefixes.get(folder)
        if prefix is None:
            if not os.path.isabs(path):
                return self._of_relative(path)
            prefix = os.path.join(self.folder(folder or os.sep), "")
            if folder:  # that of a name alone is the working folder
                self._prefixes[folder] = prefix
        return prefix + name

    def _of_relative(self, path: str) -> str:
        """Return the real path of what has a relative path and is no symbolic link itself.

        A normalized path goes up at its front alone, from the working folder, whose path has no links: there ``..``
        may be cancelled as text, so that the folders are looked up by the paths that other searches have.
        """
        return self._of_file(os.path.abspath(path)) if os.path.normpath(path) == path else real_path(path)

    def folder(self, folder: str) -> str:
        """Return the real path of a folder.

        Args:
            folder: Its absolute path.
        """
        real = self._folders.get(folder)
        pending = []
        while real is None:
            parent, separator, name = folder.rpartition(os.sep)
            if folder == os.sep or not separator:
                real = self._folders[folder] = folder
            else:
                pending.append((folder, name))
                folder = parent or os.sep
                real = self._folders.get(folder)
        for inner, name in reversed(pending):
            if name in _NOT_NAMES or os.path.islink(inner):
                real = real_path(inner)
            else:
                real = real + name if real.endswith(os.sep) else f"{real}{os.sep}{name}"
            self._folders[inner] = real
        return real
