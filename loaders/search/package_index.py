"""The packages and models below folders of the caller, at any depth: an index that is made once for each load."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from .folders import declared_name, is_model_file, is_package

MAX_FOLDERS = 20_000
"""Largest number of folders that an index visits; those further down are not in it."""
MAX_DEPTH = 16
"""Largest depth of a folder in an index."""
_SKIPPED = frozenset({"__pycache__", "node_modules"})


class PackageIndex:
    """The folders below some others, by their names and by the names of the packages that they hold.

    The folders are visited when a name is first looked up: level by level, in the order of their names, without hidden
    ones and without following symbolic links.
    """

    def __init__(self, roots: Iterable[Path]) -> None:
        self._roots = tuple(roots)
        self._packages: dict[str, list[Path]] | None = None
        self._others: defaultdict[str, list[Path]] = defaultdict(list)

    def packages(self, name: str) -> Iterator[Path]:
        """Yield the packages and models of a name, the least deep first."""
        yield from self._visited().get(name, ())

    def folders(self, name: str) -> Iterator[Path]:
        """Yield the folders of a name that are neither packages nor models, the least deep first."""
        self._visited()
        yield from self._others.get(name, ())

    def _visited(self) -> dict[str, list[Path]]:
        if self._packages is None:
            packages: defaultdict[str, list[Path]] = defaultdict(list)
            for folder, files in _walk(self._roots):
                names = {folder.name} if is_package(folder) or any(map(is_model_file, files)) else set()
                declared = declared_name(folder / "package.xml") if "package.xml" in files else None
                for name in names | ({declared} if declared else set()):
                    packages[name].append(folder)
                if not names:
                    self._others[folder.name].append(folder)
            self._packages = dict(packages)
        return self._packages


def _walk(roots: Iterable[Path]) -> Iterator[tuple[Path, list[str]]]:
    """Yield folders with the names of their files, level by level, until there are too many."""
    level = list(roots)
    count = 0
    for _ in range(MAX_DEPTH):
        below: list[Path] = []
        for folder in level:
            count += 1
            if count > MAX_FOLDERS:
                return
            files, folders = _listed(folder)
            yield folder, files
            below += [folder / name for name in folders]
        level = below


def _listed(folder: Path) -> tuple[list[str], list[str]]:
    """Return the names of the files and of the folders in a folder, sorted; empty if it cannot be listed."""
    files: list[str] = []
    folders: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(".") or entry.name in _SKIPPED:
                    continue
                (folders if entry.is_dir(follow_symlinks=False) else files).append(entry.name)
    except OSError:
        return [], []
    return sorted(files), sorted(folders)
