"""Resolution of the symbolic links in paths, with the folders of a load looked up once."""

from __future__ import annotations

import os

from loaders.files import real_path

_NOT_NAMES = frozenset({"", os.curdir, os.pardir})


class RealPaths:
    """Function that returns a path with all symbolic links resolved, as `loaders.files.real_path` does.

    The files of a model lie in few folders, so what the operating system says about a folder is kept.
    """

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def __call__(self, path: str | os.PathLike[str]) -> str:
        """Return the real path of a file or folder."""
        text = os.fspath(path)
        folder, name = os.path.split(text)
        if not os.path.isabs(text) or name in _NOT_NAMES or os.path.islink(text):
            return real_path(text)
        return os.path.join(self.folder(folder), name)

    def folder(self, folder: str) -> str:
        """Return the real path of a folder.

        Args:
            folder: Its absolute path.
        """
        if folder in self._folders:
            return self._folders[folder]
        pending = []
        while folder not in self._folders and folder != os.path.dirname(folder):
            pending.append(folder)
            folder = os.path.dirname(folder)
        real = self._folders.setdefault(folder, folder)
        for inner in reversed(pending):
            name = os.path.basename(inner)
            is_plain = name not in _NOT_NAMES and not os.path.islink(inner)
            real = self._folders[inner] = os.path.join(real, name) if is_plain else real_path(inner)
        return real
