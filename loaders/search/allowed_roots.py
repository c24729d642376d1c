"""The folders that a load may read: fixed by the caller and by the main file, never by a name in a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path

from loaders.files import is_inside

from .folders import enclosing, is_package_or_model, model_folder
from .real_paths import RealPaths


class AllowedRoots:
    """The folders that may be read.

    They are the folders of the caller and of the main file with the packages and models around them, and any package
    or model that lies beside one of those. Most files lie in the former; the rest is looked for when a file does not.
    """

    def __init__(
        self,
        folders: Iterable[Path],
        more: Callable[[], Iterable[Path]] = tuple,
        shelves: Callable[[], Iterable[Path]] = tuple,
        around: Callable[[Path], list[Path]] = enclosing,
        real: RealPaths | None = None,
    ) -> None:
        """Keep the folders.

        Args:
            folders: Folders that may be read with the packages and models around them.
            more: Function that returns folders that may be read without those.
            shelves: Function that returns folders in which packages and models may be read.
            around: Function that returns the packages and models around a folder.
            real: Function that resolves symbolic links; a new one if None.
        """
        self._given = [os.path.abspath(folder) for folder in folders]
        self._more, self._given_shelves, self._around = more, shelves, around
        self._real = RealPaths() if real is None else real
        self._packages: dict[str, bool] = {}
        self._inside: dict[str, bool] = {}

    def allow(self, path: str | os.PathLike[str]) -> bool:
        """Return whether a file or folder may be read."""
        return self.allow_real(self._real(path))

    def allow_real(self, real: str) -> bool:
        """Return whether a file or folder may be read.

        Args:
            real: Its real path.
        """
        folder = real.rpartition(os.sep)[0]
        if folder not in self._inside:
            self._inside[folder] = is_inside(folder, self.roots)
        return self._inside[folder] or is_inside(real, self.roots) or self._is_farther(real)

    def _is_farther(self, real: str) -> bool:
        return is_inside(real, self._others) or any(self._is_on(shelf, real) for shelf in self.shelves)

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """Real paths of the given folders, and of their models."""
        folders = [self._real.folder(folder) for folder in self._given]
        return tuple(dict.fromkeys((*folders, *map(model_folder, folders))))

    @cached_property
    def _others(self) -> tuple[str, ...]:
        """Real paths of the other folders in which everything may be read."""
        return self._distinct((*self._around_given, *self._more()))

    @cached_property
    def shelves(self) -> tuple[str, ...]:
        """Real paths of the folders in which every package and model may be read, but nothing else."""
        return self._distinct((*self._given_shelves(), *(package.parent for package in self._around_given)))

    @cached_property
    def _around_given(self) -> list[Path]:
        return [package for folder in self._given for package in self._around(Path(folder))]

    def _distinct(self, folders: Iterable[Path]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(self._real, folders)))

    def _is_on(self, shelf: str, real: str) -> bool:
        """Return whether a real path lies in a package or model in a folder."""
        if not is_inside(real, (shelf,)):
            return False
        name = os.path.relpath(real, shelf).split(os.sep, 1)[0]
        folder = os.path.join(shelf, name)
        if folder not in self._packages:
            self._packages[folder] = name != os.curdir and is_package_or_model(folder)
        return self._packages[folder]
