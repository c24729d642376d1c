"""The folders that a load may read: fixed by the caller and by the main file, never by a name in a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from loaders.files import is_inside, real_path

from .folders import enclosing, is_package_or_model, model_folder


class _RealPaths:
    """Function that resolves symbolic links; a folder around one whose path has no links has none either."""

    def __init__(self) -> None:
        self._without_links = ""

    def __call__(self, path: Path) -> str:
        text = str(path)
        if is_inside(self._without_links, (text,)):
            return text
        real = real_path(path)
        if real == text and len(real) > len(self._without_links):
            self._without_links = real
        return real


@dataclass(frozen=True, slots=True, eq=False)
class AllowedRoots:
    """Real paths of the folders that may be read.

    They are the folders of the caller and of the main file with the packages and models around them, and any package
    or model that lies beside one of those.
    """

    roots: tuple[str, ...]
    """Folders in which everything may be read."""
    shelves: tuple[str, ...]
    """Folders in which every package and model may be read, but nothing else."""
    _packages: dict[str, bool] = field(default_factory=dict, repr=False)
    """Whether a folder on a shelf is a package or model, cached."""
    _folders: dict[str, str] = field(default_factory=dict, repr=False)
    """Real paths of folders, cached."""

    @classmethod
    def of(
        cls,
        folders: Iterable[Path],
        more: Iterable[Path] = (),
        shelves: Iterable[Path] = (),
        around: Callable[[Path], list[Path]] = enclosing,
    ) -> AllowedRoots:
        """Return the roots for some folders.

        Args:
            folders: Folders that may be read with the packages and models around them.
            more: Folders that may be read without those.
            shelves: Folders in which packages and models may be read.
            around: Function that returns the packages and models around a folder.
        """
        folders = [Path(os.path.abspath(folder)) for folder in folders]
        packages = [package for folder in folders for package in around(folder)]
        roots = (*folders, *map(model_folder, folders), *packages, *more)
        shelves = (*shelves, *(package.parent for package in packages))
        real = _RealPaths()
        return cls(tuple(dict.fromkeys(map(real, roots))), tuple(dict.fromkeys(map(real, shelves))))

    def allow(self, path: Path) -> bool:
        """Return whether a file or folder may be read."""
        real = self._real_path(path)
        return is_inside(real, self.roots) or any(self._is_on(shelf, real) for shelf in self.shelves)

    def _is_on(self, shelf: str, real: str) -> bool:
        """Return whether a real path lies in a package or model in a folder."""
        if not is_inside(real, (shelf,)):
            return False
        name = os.path.relpath(real, shelf).split(os.sep, 1)[0]
        folder = os.path.join(shelf, name)
        if folder not in self._packages:
            self._packages[folder] = name != os.curdir and is_package_or_model(folder)
        return self._packages[folder]

    def _real_path(self, path: Path) -> str:
        """Return a path with symbolic links resolved; the result for its folder is cached."""
        folder, name = os.path.split(path)
        if os.path.islink(path) or name in {"", ".", ".."}:
            return real_path(path)
        if folder not in self._folders:
            self._folders[folder] = real_path(folder)
        return os.path.join(self._folders[folder], name)
