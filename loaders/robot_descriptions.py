"""``rd://name``: robots of the package robot_descriptions, from its cache; never over the network."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .diagnostics import Diagnostics, Fate, Where

SCHEME = "rd://"
_FORMATS = ("URDF_PATH", "XACRO_PATH", "MJCF_PATH")
"""What a module of that package may name, in the order of preference."""


class _NotCachedError(Exception):
    """The repository of a robot is not on this machine."""


def locate(source: str, diagnostics: Diagnostics) -> Path | None:
    """The file of ``rd://name``, or the path as it is; None with a diagnostic if the robot is not at hand."""
    if not source.startswith(SCHEME):
        return Path(source)
    name = source.removeprefix(SCHEME)
    problem, hint = _problem(name)
    if not problem:
        try:
            path = _path(name)
            if path is not None and path.is_file():
                return path
            problem, hint = "holds no file of this robot that can be read", ""
        except ImportError as error:
            problem, hint = f"robot_descriptions cannot be used: {error}", "run pip install robot_descriptions"
        except _NotCachedError as error:
            problem = f"its repository {error} is not in the cache of robot_descriptions"
            hint = f"run robot_descriptions pull {name}; nothing is fetched here"
    diagnostics.add(Fate.INVALID, "rd.not-found", problem, Where(source), hint=hint)
    return None


def _problem(name: str) -> tuple[str, str]:
    """Why a name cannot be looked up, and a hint; both empty if it can."""
    if importlib.util.find_spec("robot_descriptions") is None:
        return "the package robot_descriptions is not installed", "run pip install robot_descriptions"
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        return "the name of a robot has letters, digits and underscores", "as in rd://panda_description"
    if importlib.util.find_spec(f"robot_descriptions.{name}") is None:
        return f"robot_descriptions knows no {name}", "robot_descriptions list names all"
    return "", ""


def _path(name: str) -> Path | None:
    with _cache_only():
        module = importlib.import_module(f"robot_descriptions.{name}")
    return next((Path(getattr(module, key)) for key in _FORMATS if hasattr(module, key)), None)


@contextmanager
def _cache_only() -> Iterator[None]:
    """Have modules of robot_descriptions find their repository in the cache instead of cloning it."""
    cache: Any = importlib.import_module("robot_descriptions._cache")
    clone = cache.clone_to_cache
    cache.clone_to_cache = _cached_repository
    try:
        yield
    finally:
        cache.clone_to_cache = clone


def _cached_repository(description_name: str, commit: str | None = None) -> str:
    """The folder of a repository in the cache, laid out as robot_descriptions does it."""
    repositories: Any = importlib.import_module("robot_descriptions._repositories")
    below = repositories.REPOSITORIES[description_name].cache_path
    if commit is not None:
        below = os.path.join(f"{below}-{commit}", below)
    folder = Path(os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")).expanduser() / below
    if not folder.is_dir():
        raise _NotCachedError(str(folder))
    return str(folder)
