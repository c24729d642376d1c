"""The folders that a caller names in ``package_map`` and ``paths``, and the file to load."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .robot_descriptions import SCHEME


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
        raise TypeError(f"package_map: expected folders by package, as in {{'arm': 'src/arm'}}, not {package_map!r}")
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
        raise TypeError(f"paths: expected a list of folders, as in [{os.fspath(paths)!r}], not a single one")
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
    """Return the path or URI of a source; a relative path that does not exist is searched in the folders.

    Args:
        source: What the caller gives as the file.
        folders: The folders to search.

    Raises:
        TypeError: if it is not a path.
        ValueError: if it is empty, or the text of a document.
    """
    name = os.fspath(source) if isinstance(source, str | os.PathLike) else source
    if not isinstance(name, str):
        raise TypeError(f"expected the path of a file, not {type(source).__name__}; use load_string for a document")
    if not name:
        raise ValueError("expected the path of a file, not an empty text")
    if name.lstrip("\ufeff \t\r\n").startswith("<"):
        raise ValueError("expected the path of a file, not a document; use load_string(text, format=...) to read text")
    if not folders or isinstance(folders, str | os.PathLike):
        return name
    if name.startswith(SCHEME) or os.path.isabs(name) or os.path.lexists(name):
        return name
    return next((str(found) for folder in folders if (found := Path(folder, name)).is_file()), name)
