"""Robots of installed packages by name, and the folders that a caller names."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from loaders import codes
from loaders.diagnostics import Code, Diagnostics, Where

SCHEMES = ("rd://", "erd://", "menagerie://")
"""Starts of the names of robots that installed packages hold: robot_descriptions,
example-robot-data and mujoco-menagerie."""
_FORMATS = ("URDF_PATH", "XACRO_PATH", "MJCF_PATH")
"""Attributes of a robot's module that may hold a file, in order of preference."""


class _NoRobotError(Exception):
    """A package has no file of a robot; the arguments are the code and what its message needs."""

    def __init__(self, problem: Code, hint: str = "", **details: Any) -> None:
        self.problem, self.hint, self.details = problem, hint, details


def is_robot_name(source: str) -> bool:
    """Return whether a source names a robot of an installed package."""
    return source.startswith(SCHEMES)


def locate(source: str, diagnostics: Diagnostics) -> Path | None:
    """Return the file of ``rd://name``, ``erd://name`` or ``menagerie://name``, or any other source
    as a path; None with a diagnostic if there is no such file. Nothing is downloaded.

    Args:
        source: The path or URI.
        diagnostics: Record for the diagnostic.
    """
    if not is_robot_name(source):
        return Path(source)
    scheme, _, name = source.partition("://")
    try:
        return _LOCATE[scheme](name)
    except _NoRobotError as error:
        details = {"hint": error.hint, **error.details} if error.hint else error.details
        diagnostics.add(error.problem, Where(source), name=name, **details)
        return None


def robot_names() -> list[str]:
    """Return the names of all robots of the packages that are installed, with their schemes."""
    names = [f"erd://{name}" for name in _example_files()]
    described = importlib.util.find_spec("robot_descriptions")
    for module in pkgutil.iter_modules(described.submodule_search_locations if described else ()):
        names += [f"rd://{module.name}"] if module.name.endswith("_description") else []
    if importlib.util.find_spec("mujoco_menagerie") is not None:
        menagerie: Any = importlib.import_module("mujoco_menagerie")
        names += [f"menagerie://{name}" for name in menagerie.names()]
    return sorted(names)


# --- robot_descriptions ---------------------------------------------------------------------------


def _described(name: str) -> Path:
    if importlib.util.find_spec("robot_descriptions") is None:
        raise _NoRobotError(codes.RD_NOT_FOUND_PACKAGE)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise _NoRobotError(codes.RD_NOT_FOUND_FORM)
    if importlib.util.find_spec(f"robot_descriptions.{name}") is None:
        raise _NoRobotError(codes.RD_NOT_FOUND_NAME)
    try:
        with _cache_only(name):
            module = importlib.import_module(f"robot_descriptions.{name}")
    except ImportError as error:
        raise _NoRobotError(codes.RD_NOT_FOUND_IMPORT, reason=error) from error
    path = next((Path(getattr(module, key)) for key in _FORMATS if hasattr(module, key)), None)
    if path is None or not path.is_file():
        raise _NoRobotError(codes.RD_NOT_FOUND)
    return path


@contextmanager
def _cache_only(robot: str) -> Iterator[None]:
    """Replace the function of robot_descriptions that clones a repository by one that only looks in
    the cache.
    """
    cache: Any = importlib.import_module("robot_descriptions._cache")
    clone = cache.clone_to_cache

    def cached_repository(description_name: str, commit: str | None = None) -> str:
        """Return the folder of a repository in the cache, which has the layout of
        robot_descriptions.
        """
        repositories: Any = importlib.import_module("robot_descriptions._repositories")
        below = repositories.REPOSITORIES[description_name].cache_path
        if commit is not None:
            below = os.path.join(f"{below}-{commit}", below)
        top = os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")
        folder = Path(top).expanduser() / below
        if not folder.is_dir():
            hint = f"run robot_descriptions pull {robot}; sdfbridge does not download"
            raise _NoRobotError(codes.RD_NOT_FOUND_CACHE, hint, folder=folder)
        return str(folder)

    cache.clone_to_cache = cached_repository
    try:
        yield
    finally:
        cache.clone_to_cache = clone


# --- example-robot-data ---------------------------------------------------------------------------


def _example(name: str) -> Path:
    files = _example_files()
    if name in files:
        return files[name]
    if not files:
        raise _NoRobotError(codes.RD_NOT_FOUND_NO_EXAMPLES)
    same = [known for known in files if known.endswith(f"/{name}")]
    close = same or get_close_matches(name, files, n=3) or sorted(files)[:3]
    hint = f"write erd://{' or erd://'.join(close)}"
    raise _NoRobotError(codes.RD_NOT_FOUND_EXAMPLE, hint)


@cache
def _example_files() -> dict[str, Path]:
    """Return the URDF files of example-robot-data, by their names without suffix; files of one name
    are preceded by the folder of their robot.
    """
    from importlib import metadata  # takes long to import

    try:
        listed = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        return {}
    files = [file for file in listed if file.suffix == ".urdf" and "robots" in file.parts]
    count = Counter(file.stem for file in files)
    names = {
        file: file.stem
        if count[file.stem] == 1
        else f"{file.parts[file.parts.index('robots') + 1]}/{file.stem}"
        for file in files
    }
    return {name: Path(str(file.locate())) for file, name in names.items()}


# --- mujoco-menagerie -----------------------------------------------------------------------------


def _of_menagerie(name: str) -> Path:
    """Return the file of ``robot`` or ``robot/entry``; without an entry, that of the robot."""
    if importlib.util.find_spec("mujoco_menagerie") is None:
        raise _NoRobotError(codes.RD_NOT_FOUND_NO_MENAGERIE)
    menagerie: Any = importlib.import_module("mujoco_menagerie")
    robot_name, _, entry = name.partition("/")
    try:
        robot = menagerie.get(robot_name)
        file = robot.entry(entry or robot.default_model).file
    except menagerie.MenagerieError as error:
        hint = "run python -m mujoco_menagerie names for the available robots"
        raise _NoRobotError(codes.RD_NOT_FOUND_MENAGERIE, hint, reason=error) from error
    store = menagerie.Cache()
    if not store.root and not store.is_cached(robot):
        hint = f"run python -m mujoco_menagerie prefetch {robot_name}; sdfbridge does not download"
        folder = store.model_path(robot)
        raise _NoRobotError(codes.RD_NOT_FOUND_MENAGERIE_CACHE, hint, folder=folder)
    try:
        return Path(store.resolve(robot, None), file)
    except menagerie.MenagerieError as error:
        raise _NoRobotError(codes.RD_NOT_FOUND_MENAGERIE, reason=error) from error


_LOCATE = {"rd": _described, "erd": _example, "menagerie": _of_menagerie}
"""Function that returns the file of a robot, by the scheme of its name."""


# --- folders that the caller names ----------------------------------------------------------------


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
    if is_robot_name(name) or os.path.isabs(name) or os.path.lexists(name):
        return name
    places = (Path(folder, name) for folder in folders)
    return next((str(place) for place in places if place.is_file()), name)
