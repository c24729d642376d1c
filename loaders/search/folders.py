"""Folders with packages and models: those around a file, in environment variables, and in caches of Gazebo Fuel."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from loaders.files import FileError, is_inside, read, regular_files

ENVIRONMENT = (
    "SDF_PATH",
    "GZ_SIM_RESOURCE_PATH",
    "IGN_GAZEBO_RESOURCE_PATH",
    "GAZEBO_MODEL_PATH",
    "GAZEBO_RESOURCE_PATH",
    "ROS_PACKAGE_PATH",
    "AMENT_PREFIX_PATH",
)
"""Environment variables of libsdformat, Gazebo, ROS 1 and ROS 2 with folders to search, separated by `os.pathsep`."""

_FUEL_CACHES = {"GZ_FUEL_CACHE_PATH": ".gz/fuel", "IGN_FUEL_CACHE_PATH": ".ignition/fuel"}
"""Default folder of a cache of Gazebo Fuel, relative to the home folder, keyed by the variable that overrides it."""

_MARKERS = ("package.xml", "model.config", "manifest.xml")
_PACKAGE_NAME = re.compile(rb"<name>\s{0,99}([^<\s]{1,999})\s{0,99}</name>")
_EXPORT = re.compile(rb"\bgazebo_(?:model|media|resource)_path\s{0,99}=\s{0,99}[\"']([^\"'<]{1,999})[\"']")
"""Attributes with the folders that a package exports to Gazebo classic."""
_LAYOUT_FOLDERS = frozenset({"urdf", "urdfs", "xacro", "robots", "sdf", "worlds"})
"""Names of folders that hold only descriptions; folders beside them, as ``../meshes``, belong to the same model."""

_DESCRIPTIONS = (".sdf", ".urdf", ".world", ".xacro", ".dmd.yaml")
"""Suffixes of descriptions of models."""

_FUEL = re.compile(
    r"(?P<server>[^/]+)(?:/[0-9.]+)?/(?P<owner>[^/]+)/(?P<kind>models|worlds)/(?P<name>[^/]+)"
    r"(?:/(?P<version>[0-9]+|tip))?(?:/files)?(?:/(?P<rest>.*))?"
)


def is_plain_name(name: str) -> bool:
    """Return whether a name is that of a folder: no path, no pattern, not the folder itself or its parent."""
    return name not in {"", ".", ".."} and not any(character in name for character in "/\\*?[]\0")


def is_package(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder is a package or a model: it has a manifest."""
    return any(os.path.exists(f"{os.fspath(folder)}/{marker}") for marker in _MARKERS)


def begins_model(folder: Path) -> bool:
    """Return whether a folder is the outermost one of a model or package: it has a manifest or descriptions."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return False
    names = (entry.name.lower() for entry in entries)
    return any(name in _MARKERS or name in _LAYOUT_FOLDERS or name.endswith(_DESCRIPTIONS) for name in names)


def is_package_or_model(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder is a package or a model; a model may lack its manifest."""
    return is_package(folder) or only_model_file(Path(folder)) is not None


def is_model_file(name: str) -> bool:
    """Return whether a file of this name is one that a folder of a model holds."""
    return name.endswith((".sdf", ".config")) or name in _MARKERS


def only_model_file(folder: Path) -> Path | None:
    """Return the model file of a folder without manifest: ``model.sdf``, one of its name, or the only one; or None."""
    files = [path for path in regular_files(folder, ".sdf") if path.is_file()]
    named = [path for path in files if path.name in {"model.sdf", f"{folder.name}.sdf"}]
    return next(iter(named), files[0] if len(files) == 1 else None)


def model_folders(base: Path) -> Iterator[Path]:
    """Yield the folders of models that belong to a file: ``models`` of its ancestors, and what their packages export.

    A ``package.xml`` exports folders by ``<gazebo_ros gazebo_model_path="${prefix}/models"/>``, ``${prefix}`` being
    the folder of the package.

    Args:
        base: The folder of the file.
    """
    for folder in ancestors(base):
        if (folder / "models").is_dir():
            yield folder / "models"
        yield from _exported_folders(folder)


def _exported_folders(package: Path) -> Iterator[Path]:
    """Yield the folders in a package that it exports to Gazebo."""
    try:
        manifest = read(package / "package.xml", option="side_file_bytes")
    except FileError:
        return
    for match in _EXPORT.finditer(manifest):
        for word in match[1].decode(errors="replace").split(":"):
            folder = os.path.normpath(word.replace("${prefix}", str(package)))
            if folder == str(package.parent) or is_inside(folder, (str(package),)):
                yield Path(folder)


def enclosing(base: Path) -> list[Path]:
    """Return the packages and models that enclose a folder, innermost first."""
    return [folder for folder in ancestors(base) if is_package(folder)]


def ancestors(base: Path) -> tuple[Path, ...]:
    """Return a folder and its parents, without the home folder, the parents of that, and the top of the file system.

    A file must not get access to those by giving their names.
    """
    return _ancestors_outside(Path(os.path.abspath(base)), os.path.join(os.path.expanduser("~"), ""))


@lru_cache(maxsize=64)
def _ancestors_outside(base: Path, home: str) -> tuple[Path, ...]:
    folders = (folder for folder in (base, *base.parents) if len(folder.parts) > 2)
    return tuple(folder for folder in folders if not home.startswith(os.path.join(folder, "")))


def model_folder(real: str) -> str:
    """Return the folder of a model in no package: the folder of its file, or the parent of a layout folder.

    Args:
        real: The real path of the folder of the file.
    """
    folder, name = os.path.split(real)
    return folder if name.lower() in _LAYOUT_FOLDERS else real


def is_called(folder: Path, name: str) -> bool:
    """Return whether a folder is the package or model of this name."""
    return folder.name == name or declared_name(folder / "package.xml") == name


def declared_name(manifest: Path) -> str | None:
    """Return the name of the package that a ``package.xml`` declares; None if there is none or it cannot be read."""
    try:
        match = _PACKAGE_NAME.search(read(manifest, option="side_file_bytes"))
    except FileError:
        return None
    return None if match is None else match[1].decode(errors="replace")


# --- the caller's environment ----------------------------------------------------------------------------------------


def environment() -> list[Path]:
    """Return the folders in the environment variables, in order."""
    folders: list[Path] = []
    for variable in ENVIRONMENT:
        words = [word for word in os.environ.get(variable, "").split(os.pathsep) if word]
        subfolder = "share" if variable == "AMENT_PREFIX_PATH" else ""
        folders.extend(Path(word) / subfolder for word in words)
    return folders


def workspace_folders(name: str) -> Iterator[Path]:
    """Yield subfolders of the ROS 1 folders that hold the package: workspaces nest packages in repositories.

    Args:
        name: A plain name, see `is_plain_name`.
    """
    for word in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep):
        if word:
            for pattern in (f"*/{name}/package.xml", f"*/*/{name}/package.xml"):
                yield from (marker.parent.parent for marker in sorted(Path(word).glob(pattern)))


# --- Gazebo Fuel -----------------------------------------------------------------------------------------------------


def fuel_caches() -> list[Path]:
    """Return the folders of the caches of Gazebo Fuel; a user without a home folder has only those in variables."""
    caches = [os.environ.get(key) or os.path.expanduser(f"~/{folder}") for key, folder in _FUEL_CACHES.items()]
    return [Path(cache) for cache in caches if not cache.startswith("~")]


def fuel_models(name: str) -> Iterator[Path]:
    """Yield the versions of every cached model of a name, newest first.

    Args:
        name: A plain name, see `is_plain_name`.
    """
    for cache in fuel_caches():
        for folder in sorted(cache.glob(f"*/*/models/{name.lower()}")):
            yield from _newest_first(folder)


def fuel_model(rest: str) -> tuple[str, str, str, str] | None:
    """Return server, owner, name and version of the model that a URI of Fuel names; no version means the newest.

    Args:
        rest: The URI after ``scheme://``.
    """
    match = _FUEL.fullmatch(rest)
    if (
        match is None
        or match["kind"] != "models"
        or not all(map(is_plain_name, match.group("server", "owner", "name")))
    ):
        return None
    version = match["version"] or ""
    return match["server"], match["owner"], match["name"], "" if version == "tip" else version


def fuel_places(rest: str) -> Iterator[Path]:
    """Yield the places of ``https://server/1.0/owner/models/name/version/files/rest`` in the caches."""
    match = _FUEL.fullmatch(rest)
    if match is None:
        return
    parts = (match["server"], match["owner"].lower(), match["kind"], match["name"].lower())
    for cache in fuel_caches():
        folder = cache.joinpath(*parts)
        numbered = match["version"] not in {None, "tip"}
        versions = [folder / match["version"]] if numbered else _newest_first(folder)
        for version in versions or [folder]:
            yield version / (match["rest"] or "")


def _newest_first(folder: Path) -> list[Path]:
    """Return the versions of a Fuel model, folders named by a number, newest first."""
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.name.isdecimal() and len(entry.name) < 20]
    except (OSError, ValueError):
        return []
    return [folder / name for name in sorted(names, key=int, reverse=True)]
