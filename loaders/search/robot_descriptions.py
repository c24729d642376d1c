"""URIs ``rd://name``: robots of the Python package robot_descriptions, read from its cache, never from the network."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loaders.diagnostics import Diagnostics, Fate, Where

SCHEME = "rd://"
_FORMATS = ("URDF_PATH", "XACRO_PATH", "MJCF_PATH")
"""Attributes of a robot's module that may hold a file, in order of preference."""


class _NotCachedError(Exception):
    """The cache does not hold the repository of a robot."""


def locate(source: str, diagnostics: Diagnostics) -> Path | None:
    """Return the file of ``rd://name``, or any other source as a path; None with a diagnostic if there is no such file.

    Args:
        source: The path or URI.
        diagnostics: Record for the diagnostic.
    """
    if not source.startswith(SCHEME):
        return Path(source)
    name = source.removeprefix(SCHEME)
    reason = ""
    template, hint = _name_problem(name)
    if not template:
        try:
            path = _path(name)
            if path is not None and path.is_file():
                return path
            template, hint = "robot_descriptions has no URDF, xacro or MJCF file of robot {name}", ""
        except ImportError as error:
            template, hint, reason = "cannot import robot_descriptions: {reason}", _INSTALL, str(error)
        except _NotCachedError as error:
            template = "robot {name} is not in the cache of robot_descriptions: there is no folder {reason}"
            hint = f"run robot_descriptions pull {name}; sdfbridge does not download"
            reason = str(error)
    diagnostics.add(Fate.INVALID, "rd.not-found", template, Where(source), hint=hint, name=name, reason=reason)
    return None


_INSTALL = "run pip install robot_descriptions"


def _name_problem(name: str) -> tuple[str, str]:
    """Return the message and hint about a name that cannot be looked up; both are empty for a valid name."""
    if importlib.util.find_spec("robot_descriptions") is None:
        return "the package robot_descriptions is not installed", _INSTALL
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        return "invalid robot name {name!r}; use letters, digits and underscores", "write, say, rd://panda_description"
    if importlib.util.find_spec(f"robot_descriptions.{name}") is None:
        return "robot_descriptions has no robot {name}", "run robot_descriptions list for the available robots"
    return "", ""


def _path(name: str) -> Path | None:
    with _cache_only():
        module = importlib.import_module(f"robot_descriptions.{name}")
    return next((Path(getattr(module, key)) for key in _FORMATS if hasattr(module, key)), None)


@contextmanager
def _cache_only() -> Iterator[None]:
    """Replace the function of robot_descriptions that clones a repository by one that only looks in the cache."""
    cache: Any = importlib.import_module("robot_descriptions._cache")
    clone = cache.clone_to_cache
    cache.clone_to_cache = _cached_repository
    try:
        yield
    finally:
        cache.clone_to_cache = clone


def _cached_repository(description_name: str, commit: str | None = None) -> str:
    """Return the folder of a repository in the cache, which has the layout of robot_descriptions."""
    repositories: Any = importlib.import_module("robot_descriptions._repositories")
    below = repositories.REPOSITORIES[description_name].cache_path
    if commit is not None:
        below = os.path.join(f"{below}-{commit}", below)
    folder = Path(os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")).expanduser() / below
    if not folder.is_dir():
        raise _NotCachedError(str(folder))
    return str(folder)
