"""URIs rd://name, and the folders that a caller names."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loaders import codes
from loaders.diagnostics import Code, Diagnostics, Where

SCHEME = "rd://"
_FORMATS = ("URDF_PATH", "XACRO_PATH", "MJCF_PATH")
"""Attributes of a robot's module that may hold a file, in order of preference."""


class _NotCachedError(Exception):
    """The cache does not hold the repository of a robot."""


def locate(source: str, diagnostics: Diagnostics) -> Path | None:
    """Return the file of ``rd://name``, or any other source as a path; None with a diagnostic if
    there is no such file.

    Args:
        source: The path or URI.
        diagnostics: Record for the diagnostic.
    """
    if not source.startswith(SCHEME):
        return Path(source)
    name = source.removeprefix(SCHEME)
    where = Where(source)
    problem = _name_problem(name)
    if problem is not None:
        diagnostics.add(problem, where, name=name)
        return None
    try:
        path = _path(name)
    except ImportError as error:
        diagnostics.add(codes.RD_NOT_FOUND_IMPORT, where, name=name, reason=error)
        return None
    except _NotCachedError as error:
        hint = f"run robot_descriptions pull {name}; sdfbridge does not download"
        diagnostics.add(codes.RD_NOT_FOUND_CACHE, where, hint=hint, name=name, folder=error)
        return None
    if path is not None and path.is_file():
        return path
    diagnostics.add(codes.RD_NOT_FOUND, where, name=name)
    return None


def _name_problem(name: str) -> Code | None:
    """Return why a name cannot be looked up; None for a valid name."""
    if importlib.util.find_spec("robot_descriptions") is None:
        return codes.RD_NOT_FOUND_PACKAGE
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        return codes.RD_NOT_FOUND_FORM
    if importlib.util.find_spec(f"robot_descriptions.{name}") is None:
        return codes.RD_NOT_FOUND_NAME
    return None


def _path(name: str) -> Path | None:
    with _cache_only():
        module = importlib.import_module(f"robot_descriptions.{name}")
    return next((Path(getattr(module, key)) for key in _FORMATS if hasattr(module, key)), None)


@contextmanager
def _cache_only() -> Iterator[None]:
    """Replace the function of robot_descriptions that clones a repository by one that only looks in
    the cache.
    """
    cache: Any = importlib.import_module("robot_descriptions._cache")
    clone = cache.clone_to_cache
    cache.clone_to_cache = _cached_repository
    try:
        yield
    finally:
        cache.clone_to_cache = clone


def _cached_repository(description_name: str, commit: str | None = None) -> str:
    """Return the folder of a repository in the cache, which has the layout of
    robot_descriptions.
    """
    repositories: Any = importlib.import_module("robot_descriptions._repositories")
    below = repositories.REPOSITORIES[description_name].cache_path
    if commit is not None:
        below = os.path.join(f"{below}-{commit}", below)
    folder = (
        Path(os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")).expanduser()
        / below
    )
    if not folder.is_dir():
        raise _NotCachedError(str(folder))
    return str(folder)


def package_folders(package_map: Any) -> dict[str, Path]:
    """Return the folder of each package.

    Args:
        package_map: The value of the option: folders by the name of their package, or None.

    Raises:
        TypeError: if it is not a mapping, or a folder is not a path.
        ValueError: if there is no such folder.
    """
    if package_map is None:
        return {}
    if not isinstance(package_map, Mapping):
        raise TypeError(
            f"package_map: expected folders by package, as in {{'arm': 'src/arm'}}, not "
            f"{package_map!r}"
        )
    return {
        name: _folder(f"package_map[{name!r}]", folder, "the folder of that package")
        for name, folder in package_map.items()
    }


def absolute(folders: Iterable[str | os.PathLike[str]]) -> tuple[Path, ...]:
    """Return the absolute paths of some folders."""
    return tuple(Path(os.path.abspath(folder)) for folder in folders)


def search_folders(paths: Any) -> tuple[Path, ...]:
    """Return the folders to search.

    Args:
        paths: The value of the option: a sequence of folders, or None.

    Raises:
        TypeError: if it is a single folder, or no sequence of folders.
        ValueError: if there is no such folder.
    """
    if paths is None:
        return ()
    if isinstance(paths, str | os.PathLike):
        raise TypeError(
            f"paths: expected a list of folders, as in [{os.fspath(paths)!r}], not a single one"
        )
    if not isinstance(paths, Iterable):
        raise TypeError(f"paths: expected a list of folders, as in ['models'], not {paths!r}")
    return tuple(_folder("paths", folder, "a folder to search") for folder in paths)


def _folder(option: str, folder: str | os.PathLike[str], meaning: str) -> Path:
    path = given_path(option, folder, "a folder")
    if not path.is_dir():
        problem = "is not a folder" if path.exists() else "does not exist"
        raise ValueError(f"{option}: {os.fspath(folder)} {problem}; expected {meaning}")
    return path


def given_path(option: str, path: object, meaning: str) -> Path:
    """Return a path that the caller gives as an option.

    Args:
        option: Name of the option.
        path: Its value.
        meaning: What is at the path, with its article.

    Raises:
        TypeError: if it is not a path.
    """
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str):
        raise TypeError(f"{option}: expected the path of {meaning}, not {path!r}")
    return Path(text)


def source_text(source: object, folders: Iterable[str | os.PathLike[str]]) -> str:
    """Return the path or URI of a source; a relative path that does not exist is searched in the
    folders.

    Args:
        source: What the caller gives as the file.
        folders: The folders to search.

    Raises:
        TypeError: if it is not a path.
        ValueError: if it is empty, or the text of a document.
    """
    name = os.fspath(source) if isinstance(source, str | os.PathLike) else source
    if not isinstance(name, str):
        raise TypeError(
            f"expected the path of a file, not {type(source).__name__}; use load_string for a "
            f"document"
        )
    if not name:
        raise ValueError("expected the path of a file, not an empty text")
    if name.lstrip("\ufeff \t\r\n").startswith("<"):
        raise ValueError(
            "expected the path of a file, not a document; use load_string(text, format=...) to "
            "read text"
        )
    if not folders or isinstance(folders, str | os.PathLike):
        return name
    if name.startswith(SCHEME) or os.path.isabs(name) or os.path.lexists(name):
        return name
    return next((str(found) for folder in folders if (found := Path(folder, name)).is_file()), name)
