"""Folders that are searched for packages and models, and folders that may be read."""

from __future__ import annotations

import os
import re
import stat
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from loaders.deferred import cached_property
from loaders.limits import FileError

from .read_file import (
    checked,
    is_file,
    is_inside,
    note_file,
    read,
    real_path,
    regular_files,
    size_inside,
)

ENVIRONMENT = (
    "SDF_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH",
    "GAZEBO_RESOURCE_PATH", "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH",
)  # fmt: skip
"""Environment variables of libsdformat, Gazebo, ROS 1 and ROS 2 with folders to search, separated
by `os.pathsep`."""

_FUEL_CACHES = {"GZ_FUEL_CACHE_PATH": ".gz/fuel", "IGN_FUEL_CACHE_PATH": ".ignition/fuel"}
"""Default folder of a cache of Gazebo Fuel, relative to the home folder, keyed by the variable that
overrides it."""

_MARKERS = ("package.xml", "model.config", "manifest.xml")
_PACKAGE_NAME = re.compile(rb"<name>\s{0,99}([^<\s]{1,999})\s{0,99}</name>")
_EXPORT = re.compile(
    rb"\bgazebo_(?:model|media|resource)_path\s{0,99}=\s{0,99}[\"']([^\"'<]{1,999})[\"']"
)
"""Attributes with the folders that a package exports to Gazebo classic."""
_LAYOUT_FOLDERS = frozenset({"urdf", "urdfs", "xacro", "robots", "sdf", "worlds"})
"""Names of folders that hold only descriptions; folders beside them, as ``../meshes``, belong to
the same model."""

_DESCRIPTIONS = (".sdf", ".urdf", ".world", ".xacro", ".dmd.yaml")
"""Suffixes of descriptions of models."""

_FUEL = re.compile(
    r"(?P<server>[^/]+)(?:/[0-9.]+)?/(?P<owner>[^/]+)/(?P<kind>models|worlds)/(?P<name>[^/]+)"
    r"(?:/(?P<version>[0-9]+|tip))?(?:/files)?(?:/(?P<rest>.*))?"
)


def is_plain_name(name: str) -> bool:
    """Return whether a name is that of a folder: no path, no pattern, not the folder itself or its
    parent.
    """
    return name not in {"", ".", ".."} and not any(character in name for character in "/\\*?[]\0")


def is_package(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder is a package or a model: it has a manifest."""
    return any(os.path.exists(f"{os.fspath(folder)}/{marker}") for marker in _MARKERS)


def begins_model(folder: Path) -> bool:
    """Return whether a folder is the outermost one of a model or package: it has a manifest or
    descriptions.
    """
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return False
    names = (entry.name.lower() for entry in entries)
    return any(
        name in _MARKERS or name in _LAYOUT_FOLDERS or name.endswith(_DESCRIPTIONS)
        for name in names
    )


def is_package_or_model(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder is a package or a model; a model may lack its manifest."""
    return is_package(folder) or (
        os.path.isdir(folder) and only_model_file(Path(folder)) is not None
    )


def is_model_file(name: str) -> bool:
    """Return whether a file of this name is one that a folder of a model holds."""
    return name.endswith((".sdf", ".config")) or name in _MARKERS


def only_model_file(folder: Path) -> Path | None:
    """Return the model file of a folder without manifest: ``model.sdf``, one of its name, or the
    only one; or None.
    """
    files = [path for path in regular_files(folder, ".sdf") if path.is_file()]
    named = [path for path in files if path.name in {"model.sdf", f"{folder.name}.sdf"}]
    return next(iter(named), files[0] if len(files) == 1 else None)


def model_folders(base: Path) -> Iterator[Path]:
    """Yield the folders of models that belong to a file: ``models`` of its ancestors, and what
    their packages export.

    A ``package.xml`` exports folders by ``<gazebo_ros gazebo_model_path="${prefix}/models"/>``,
    ``${prefix}`` being the folder of the package.

    Args:
        base: The folder of the file.
    """
    for folder in ancestors(base):
        if (folder / "models").is_dir():
            yield folder / "models"
        yield from _exported_folders(folder)


def _exported_folders(package: Path) -> Iterator[Path]:
    """Yield the folders in a package that it exports to Gazebo."""
    for match in _EXPORT.finditer(_manifest_bytes(package / "package.xml") or b""):
        for word in match[1].decode(errors="replace").split(":"):
            folder = os.path.normpath(word.replace("${prefix}", str(package)))
            if folder == str(package.parent) or is_inside(folder, (str(package),)):
                yield Path(folder)


def enclosing(base: Path) -> list[Path]:
    """Return the packages and models that enclose a folder, innermost first."""
    return [folder for folder in ancestors(base) if is_package(folder)]


def ancestors(base: Path) -> tuple[Path, ...]:
    """Return a folder and its parents, without the home folder, the parents of that, and the top of
    the file system.

    A file must not get access to those by giving their names.
    """
    return _ancestors_outside(
        Path(os.path.abspath(base)), os.path.join(os.path.expanduser("~"), "")
    )


@lru_cache(maxsize=64)
def _ancestors_outside(base: Path, home: str) -> tuple[Path, ...]:
    folders = (folder for folder in (base, *base.parents) if len(folder.parts) > 2)
    return tuple(folder for folder in folders if not home.startswith(os.path.join(folder, "")))


def model_folder(real: str) -> str:
    """Return the folder of a model in no package: the folder of its file, or the parent of a layout
    folder.

    Args:
        real: The real path of the folder of the file.
    """
    folder, name = os.path.split(real)
    return folder if name.lower() in _LAYOUT_FOLDERS else real


def is_called(folder: Path, name: str) -> bool:
    """Return whether a folder is the package or model of this name."""
    return folder.name == name or declared_name(folder / "package.xml") == name


def declared_name(manifest: Path) -> str | None:
    """Return the name of the package that a ``package.xml`` declares; None if there is none or it
    cannot be read.
    """
    data = _manifest_bytes(manifest)
    match = None if data is None else _PACKAGE_NAME.search(data)
    return None if match is None else match[1].decode(errors="replace")


def _manifest_bytes(manifest: Path) -> bytes | None:
    """Return the contents of a ``package.xml``; None if there is none, or if it is a link to
    something else than another one, as those are that colcon installs.
    """
    note_file(manifest)
    real = real_path(manifest)
    if not is_file(manifest) or os.path.basename(real) != manifest.name:
        return None
    checked(str(manifest), real)
    try:
        return read(manifest, option="side_file_bytes")
    except FileError:
        return None


# --- the caller's environment ---------------------------------------------------------------------


def environment() -> list[Path]:
    """Return the folders in the environment variables, in order."""
    folders: list[Path] = []
    for variable in ENVIRONMENT:
        words = [word for word in os.environ.get(variable, "").split(os.pathsep) if word]
        subfolder = "share" if variable == "AMENT_PREFIX_PATH" else ""
        folders.extend(Path(word) / subfolder for word in words)
    return folders


def workspace_folders(name: str) -> Iterator[Path]:
    """Yield subfolders of the ROS 1 folders that hold the package: workspaces nest packages in
    repositories.

    Args:
        name: A plain name, see `is_plain_name`.
    """
    for word in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep):
        if word:
            for pattern in (f"*/{name}/package.xml", f"*/*/{name}/package.xml"):
                yield from (marker.parent.parent for marker in sorted(Path(word).glob(pattern)))


# --- Gazebo Fuel ----------------------------------------------------------------------------------


def fuel_caches() -> list[Path]:
    """Return the folders of the caches of Gazebo Fuel; a user without a home folder has only those
    in variables.
    """
    caches = [
        os.environ.get(key) or os.path.expanduser(f"~/{folder}")
        for key, folder in _FUEL_CACHES.items()
    ]
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
    """Return server, owner, name and version of the model that a URI of Fuel names; no version
    means the newest.

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
    """Yield the places of ``https://server/1.0/owner/models/name/version/files/rest`` in the
    caches.
    """
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
        names = [
            entry.name
            for entry in os.scandir(folder)
            if entry.name.isdecimal() and len(entry.name) < 20
        ]
    except (OSError, ValueError):
        return []
    return [folder / name for name in sorted(names, key=int, reverse=True)]


MAX_FOLDERS = 20_000
"""Largest number of folders that an index visits; those further down are not in it."""
MAX_DEPTH = 16
"""Largest depth of a folder in an index."""
_SKIPPED = frozenset({"__pycache__", "node_modules"})


class PackageIndex:
    """The folders below some others, by their names and by the names of the packages that they
    hold.

    The folders are visited when a name is first looked up: level by level, in the order of their
    names, without hidden ones and without following symbolic links.
    """

    def __init__(self, roots: Iterable[Path]) -> None:
        self._roots = tuple(roots)
        self._packages: dict[str, list[Path]] | None = None
        self._others: defaultdict[str, list[Path]] = defaultdict(list)

    def packages(self, name: str) -> Iterator[Path]:
        """Yield the packages and models of a name, the least deep first."""
        yield from self._visited().get(name, ())

    def folders(self, name: str) -> Iterator[Path]:
        """Yield the folders of a name that are neither packages nor models, the least deep
        first.
        """
        self._visited()
        yield from self._others.get(name, ())

    def _visited(self) -> dict[str, list[Path]]:
        if self._packages is None:
            packages: defaultdict[str, list[Path]] = defaultdict(list)
            for folder, files in _walk(self._roots):
                names = (
                    {folder.name} if is_package(folder) or any(map(is_model_file, files)) else set()
                )
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


def files_by_name(folder: Path) -> dict[str, list[str]]:
    """Return the paths of the files below a folder, by their names; see `PackageIndex` for what is
    visited.
    """
    paths: defaultdict[str, list[str]] = defaultdict(list)
    for below, names in _walk((folder,)):
        for name in names:
            paths[name].append(f"{below}/{name}")
    return dict(paths)


def _listed(folder: Path) -> tuple[list[str], list[str]]:
    """Return the names of the files and of the folders in a folder, sorted; empty if it cannot be
    listed.
    """
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


_MARKER = "package.xml"


def packages(folder: str | os.PathLike[str]) -> dict[str, Path]:
    """Return the packages in a folder and its subfolders, keyed by name: a ``package_map`` for
    `loaders.load`.

    Folders whose name starts with a dot are skipped, and so are packages whose ``package.xml`` has
    no name or cannot be read. If two packages have the same name, the first in the order of their
    paths is used.

    Raises:
        NotADirectoryError: if the folder does not exist.
    """
    top = Path(folder)
    if not top.is_dir():
        raise NotADirectoryError(f"{top} is not a folder")
    packages_by_name: dict[str, Path] = {}
    for path, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        name = declared_name(Path(path) / _MARKER) if _MARKER in files else None
        if name:
            packages_by_name.setdefault(name, Path(path))
    return packages_by_name


_NOT_NAMES = frozenset({"", os.curdir, os.pardir})


class RealPaths:
    """Function that returns a path with all symbolic links resolved, as
    `loaders.files.read_file.real_path` does.

    The files of a model lie in few folders, so what the operating system says about a folder is
    kept.
    """

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}
        self._prefixes: dict[str, str] = {}

    def __call__(self, path: str | os.PathLike[str]) -> str:
        """Return the real path of a file or folder."""
        text = os.fspath(path)
        real = self._of_file(text)
        return real_path(real) if os.path.islink(real) else real

    def of_existing(self, path: str) -> str | None:
        """Return the real path of a file or folder, or None if it does not exist; usually with one
        look at the disk.
        """
        try:
            mode = os.lstat(path).st_mode
        except (OSError, ValueError):  # ValueError: a null character
            return None if size_inside(path) is None else real_path(path)
        if stat.S_ISLNK(mode):  # the link in the real folder, since the path may lead elsewhere
            return real_path(self._of_file(path)) if os.path.exists(path) else None
        return self._of_file(path)

    def _of_file(self, path: str) -> str:
        """Return the real path of what is no symbolic link itself."""
        folder, _, name = path.rpartition(os.sep)
        if name in _NOT_NAMES or (os.altsep and os.altsep in name):
            return real_path(path)
        prefix = self._prefixes.get(folder)
        if prefix is None:
            if not os.path.isabs(path):
                return self._of_relative(path)
            prefix = os.path.join(self.folder(folder or os.sep), "")
            if folder:  # that of a name alone is the working folder
                self._prefixes[folder] = prefix
        return prefix + name

    def _of_relative(self, path: str) -> str:
        """Return the real path of what has a relative path and is no symbolic link itself.

        A normalized path goes up at its front alone, from the working folder, whose path has no
        links: there ``..`` may be cancelled as text, so that the folders are looked up by the paths
        that other searches have.
        """
        return (
            self._of_file(os.path.abspath(path))
            if os.path.normpath(path) == path
            else real_path(path)
        )

    def folder(self, folder: str) -> str:
        """Return the real path of a folder.

        Args:
            folder: Its absolute path.
        """
        real = self._folders.get(folder)
        pending = []
        while real is None:
            parent, separator, name = folder.rpartition(os.sep)
            if folder == os.sep or not separator:
                real = self._folders[folder] = folder
            else:
                pending.append((folder, name))
                folder = parent or os.sep
                real = self._folders.get(folder)
        for inner, name in reversed(pending):
            # a link is looked for in the real folder, since the path may lead elsewhere by now
            real = real + name if real.endswith(os.sep) else f"{real}{os.sep}{name}"
            if name in _NOT_NAMES or os.path.islink(real):
                real = real_path(real)
            self._folders[inner] = real
        return real


class AllowedRoots:
    """The folders that may be read.

    They are the folders of the caller and of the main file with the packages and models around
    them, and any package or model that lies beside one of those. Most files lie in the former; the
    rest is looked for when a file does not.
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
        return is_inside(real, self._others) or any(
            self._is_on(shelf, real) for shelf in self.shelves
        )

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
        """Real paths of the folders in which every package and model may be read, but nothing
        else.
        """
        return self._distinct(
            (*self._given_shelves(), *(package.parent for package in self._around_given))
        )

    @cached_property
    def _around_given(self) -> list[Path]:
        return [package for folder in self._given for package in self._around(Path(folder))]

    def _distinct(self, folders: Iterable[Path]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._real.folder(os.path.abspath(f)) for f in folders))

    def _is_on(self, shelf: str, real: str) -> bool:
        """Return whether a real path lies in a package or model in a folder."""
        if not is_inside(real, (shelf,)):
            return False
        name = os.path.relpath(real, shelf).split(os.sep, 1)[0]
        folder = os.path.join(shelf, name)
        if folder not in self._packages:
            self._packages[folder] = name != os.curdir and is_package_or_model(folder)
        return self._packages[folder]
