"""Packages that Drake has downloaded, such as ``drake_models``: found in its cache, never over the network."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .folders import declared_name


def drake_cache() -> Path | None:
    """Return the folder of the packages that Drake has downloaded, or None if there is no home folder.

    It is ``$XDG_CACHE_HOME/drake/package_map`` if that variable names a folder, else
    ``~/.cache/drake/package_map``, as in Drake's ``FindOrCreateCache``.
    """
    named = os.environ.get("XDG_CACHE_HOME", "")
    cache = named if named and os.path.isdir(named) else os.path.expanduser("~/.cache")
    return None if cache.startswith("~") else Path(cache) / "drake" / "package_map"


def drake_packages(name: str) -> Iterator[Path]:
    """Yield the folders of a package that Drake has downloaded, newest first.

    Args:
        name: The name that the package's ``package.xml`` declares.
    """
    cache = drake_cache()
    try:
        folders = [] if cache is None else [Path(entry.path) for entry in os.scandir(cache) if entry.is_dir()]
        folders.sort(key=lambda folder: (-folder.stat().st_mtime, folder.name))
    except OSError:
        return
    yield from (folder for folder in folders if declared_name(folder / "package.xml") == name)
