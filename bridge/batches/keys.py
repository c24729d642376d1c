"""Keys of results: the content of files, options, and versions. Equal keys mean equal results."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from bridge.installed_packages import own_version, version_of

from .isolation.worker import digest_of

_ENGINES = ("mujoco", "pybullet", "numpy", "trimesh", "lxml")
"""Packages on which results depend, besides those that the options name."""
_OPTIONAL = {"drake": "pydrake", "dart": "dartpy", "xacro": "xacro"}


def options_key(task: str, options: Mapping[str, Any]) -> str:
    """Return the hash of a task, its options, and the versions of sdfbridge and of the engines.

    Args:
        task: Name of the task.
        options: The options; those without a form in JSON count by their text.
    """
    versions = {name: version_of(name) for name in _ENGINES} | {"sdfbridge": own_version()}
    named = set(map(str, options.get("engines") or ())) | ({"xacro"} if options.get("allow_xacro") else set())
    versions |= {name: version_of(package) for name, package in _OPTIONAL.items() if name in named}
    text = json.dumps([task, dict(options), versions], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def files_key(files: Mapping[str, str | None], base: Path, own: tuple[str, ...]) -> dict[str, str | None]:
    """Return the files of a result, sorted, by a path that is relative where the file lies in the current folder.

    Args:
        files: The hash of each file, by its absolute path.
        base: The current folder of the batch.
        own: Folders whose files do not count: caches and scratch.
    """
    shown = {shown_path(path, base): digest for path, digest in files.items() if not path.startswith(own)}
    return dict(sorted(shown.items()))


def shown_path(path: str | os.PathLike[str], base: Path) -> str:
    """Return a path relative to a folder if it lies in it, else absolute; a URI as it is."""
    if "://" in os.fspath(path):
        return os.fspath(path)
    absolute = os.path.abspath(os.path.join(base, path))
    prefix = str(base).rstrip(os.sep) + os.sep
    return absolute.removeprefix(prefix)


class FileStates:
    """The present content of files; each is read once.

    Attributes:
        base: The folder to which relative paths refer.
    """

    def __init__(self, base: Path) -> None:
        self.base = base
        self._digest = cache(digest_of)

    def match(self, files: Mapping[str, str | None]) -> bool:
        """Return whether every file has the content that a result states, or is absent as it states."""
        return all(self._digest(os.path.join(self.base, path)) == digest for path, digest in files.items())
