"""URIs and names in files, to files and folders on this machine; never over the network.

Where a name is looked for, in this order:

1. ``package_map`` and ``schemes``, the caller's own word;
2. the folder of the file that names it;
3. the packages and models that enclose that folder (``package.xml``, ``model.config``, or a folder of the name);
4. ``paths``, as the caller gives them;
5. the environment variables of `ENVIRONMENT`;
6. the caches of Gazebo Fuel, which are only read;
7. ``finder``, a function of the caller's, which gets the name as it is written.

What is found must lie, symbolic links followed, in one of these places, unless the caller allows more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from .diagnostics import Fate
from .node import Node

ENVIRONMENT = (
    "SDF_PATH",
    "GZ_SIM_RESOURCE_PATH",
    "IGN_GAZEBO_RESOURCE_PATH",
    "GAZEBO_MODEL_PATH",
    "GAZEBO_RESOURCE_PATH",
    "ROS_PACKAGE_PATH",
    "AMENT_PREFIX_PATH",
)
"""Variables that hold folders to search, separated by `os.pathsep`: of libsdformat, Gazebo old and new, ROS 1 and 2."""

_FUEL_CACHES = {"GZ_FUEL_CACHE_PATH": ".gz/fuel", "IGN_FUEL_CACHE_PATH": ".ignition/fuel"}
"""Variable that names a cache of Gazebo Fuel, and where it is, below the home folder, if the variable is not set."""

_MARKERS = ("package.xml", "model.config", "manifest.xml")
_PACKAGE_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
_LAYOUT_FOLDERS = frozenset({"urdf", "urdfs", "xacro", "robots", "sdf", "worlds"})
"""Names of folders for descriptions: what is beside them belongs to the same model, as in ``../meshes``."""

_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_FUEL = re.compile(
    r"(?P<server>[^/]+)(?:/[0-9.]+)?/(?P<owner>[^/]+)/(?P<kind>models|worlds)/(?P<name>[^/]+)"
    r"(?:/(?P<version>[0-9]+|tip))?(?:/files)?(?:/(?P<rest>.*))?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """One name that a file gives, and what became of it: plain data."""

    uri: str
    """As written in the source."""
    file: str
    """The file that names it."""
    line: int
    path: Path | None
    """The file or folder that it names, or None."""
    tried: tuple[Path, ...]
    """Every place that was looked at, in order; the last one is ``path`` where it was found."""
    problem: str = ""
    """Why there is no path; empty if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Where files may be found, as the caller said."""

    package_map: Mapping[str, Path] = field(default_factory=dict)
    """Folder of each package or model that is known by name."""
    paths: Sequence[Path] = ()
    """Folders to search, in order."""
    schemes: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    """Folders to search for what follows ``scheme://``, by scheme: further schemes, or more places for a known one."""
    finder: Callable[[str], str | os.PathLike[str] | None] | None = None
    """Asked last, with the name as written, for a file or folder or None; what it gives may be read."""
    unsafe_paths: bool = False
    """Whether a file outside the model's folder, its packages and the given folders may be read."""
    lookups: list[Lookup] = field(default_factory=list, compare=False)
    """Everything that was asked for, in order."""
    _allowed: dict[Path, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    """Real paths of the folders that a file in a folder may read from, found out once for each folder."""
    _real: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Real paths of folders that were met."""
    _own: dict[Path, Path] = field(default_factory=dict, compare=False, repr=False)
    """What belongs to the models of folders that were met."""

    def find(self, uri: str, base: Path, node: Node) -> Path | None:
        """The file or folder that a name means, or None; what failed is reported, with every place tried.

        Args:
            uri: ``package://name/rest``, ``model://name/rest``, ``file://path``, the URI of a Fuel model, or a path.
            base: The folder of the file that names it.
            node: The element that names it.
        """
        scheme, rest = _split(uri)
        tried: list[_Place] = []
        found = None
        for place in _distinct(self._all_places(uri, scheme, rest, Path(os.path.abspath(base)))):
            tried.append(place)
            if _exists(place.path):
                found = place
                break
        path, problem = self._judge(uri, scheme, tried, found, base, node)
        paths = tuple(place.path for place in tried)
        self.lookups.append(Lookup(uri=uri, file=node.file, line=node.line, path=path, tried=paths, problem=problem))
        return path

    def _judge(
        self, uri: str, scheme: str, tried: list[_Place], found: _Place | None, base: Path, node: Node
    ) -> tuple[Path | None, str]:
        """The path that may be read, or why there is none, which is reported."""
        if found is None:
            problem, hint = _not_found(uri, scheme, [place.path for place in tried])
            node.report(Fate.DROPPED, "resource.not-found", problem, hint=hint)
            return None, problem
        if self.unsafe_paths or self._allows(found, base):
            return found.path, ""
        problem = f"{uri!r} leads to {found.path}, outside the model's folder, its packages and the given paths"
        node.invalid("resource.outside", problem, hint="name its folder in paths, or allow unsafe_paths")
        return None, problem

    def _allows(self, place: _Place, base: Path) -> bool:
        if base not in self._allowed:
            roots = (self._own_folder(base), *enclosing(base), *self.package_map.values(), *self.paths, *_environment())
            self._allowed[base] = tuple(dict.fromkeys(map(os.path.realpath, roots)))
        real = self._real_path(place.path)
        if any(_is_inside(real, root) for root in self._allowed[base]):
            return True
        return place.root is not None and _is_inside(real, os.path.realpath(place.root))

    def _own_folder(self, base: Path) -> Path:
        """What belongs to a model in no package: its folder, or the one above a folder for descriptions."""
        if base not in self._own:
            real = base.resolve()
            self._own[base] = real.parent if real.name.lower() in _LAYOUT_FOLDERS else base
        return self._own[base]

    def _real_path(self, path: Path) -> str:
        """The path without symbolic links; the folder's is found out once."""
        folder, name = os.path.split(path)
        if os.path.islink(path) or name in {"", ".", ".."}:
            return os.path.realpath(path)
        if folder not in self._real:
            self._real[folder] = os.path.realpath(folder)
        return os.path.join(self._real[folder], name)

    def _all_places(self, uri: str, scheme: str, rest: str, base: Path) -> Iterator[_Place]:
        yield from (_Place(folder / rest, folder) for folder in self.schemes.get(scheme, ()))
        yield from self._places(scheme, rest, base)
        answer = None if self.finder is None else self.finder(uri)
        if answer is not None:
            path = Path(os.path.abspath(answer))
            yield _Place(path, path)

    def _places(self, scheme: str, rest: str, base: Path) -> Iterator[_Place]:
        if scheme in {"package", "model"}:
            name, _, below = rest.partition("/")
            yield from self._named(name, below.lstrip("/"), base)
        elif scheme in {"http", "https", "fuel"}:
            yield from _fuel_places(rest)
        elif scheme in {"", "file"} and os.path.isabs(rest):
            yield _Place(Path(rest), None)
        elif scheme in {"", "file"}:
            yield _Place(base / rest, self._own_folder(base))
            for folder in (*enclosing(base), *self.paths, *_environment()):
                yield _Place(folder / rest, folder)

    def _named(self, name: str, rest: str, base: Path) -> Iterator[_Place]:
        """Where ``package://name/rest`` may be. Without a name: in the package of the file, or a slash too many."""
        if not name:
            yield from (_Place(folder / rest, folder) for folder in enclosing(base))
            name, _, rest = rest.partition("/")
        if name in self.package_map:
            yield _Place(self.package_map[name] / rest, self.package_map[name])
        yield _Place(base / name / rest, base / name)
        for folder in _ancestors(base):
            if _is_called(folder, name):
                yield _Place(folder / rest, folder)
        for folder in enclosing(base):
            yield _Place(folder.parent / name / rest, folder.parent / name)
        for folder in (*self.paths, *_environment(), *_workspace_folders(name)):
            yield _Place(folder / name / rest, folder / name)
            if _is_called(folder, name):
                yield _Place(folder / rest, folder)
        for cache in _fuel_caches():
            for folder in sorted(cache.glob(f"*/*/models/{name.lower()}")):
                yield from (_Place(version / rest, version) for version in _newest_first(folder))


@dataclass(frozen=True, slots=True)
class _Place:
    """A path to try, and the folder that it must stay in; None is no folder in particular."""

    path: Path
    root: Path | None


def _is_inside(path: str, folder: str) -> bool:
    """Whether a real path is a folder or below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def enclosing(base: Path) -> list[Path]:
    """The packages and models around a folder, innermost first."""
    return [folder for folder in _ancestors(base) if any(os.path.exists(f"{folder}/{marker}") for marker in _MARKERS)]


def _ancestors(base: Path) -> tuple[Path, ...]:
    """A folder and those around it, but for the home folder, what is above it, and the top of the file system.

    A file must not open all of these for itself by giving their name.
    """
    return _around(Path(os.path.abspath(base)), os.path.join(os.path.expanduser("~"), ""))


@lru_cache(maxsize=64)
def _around(base: Path, home: str) -> tuple[Path, ...]:
    folders = (folder for folder in (base, *base.parents) if len(folder.parts) > 2)
    return tuple(folder for folder in folders if not home.startswith(os.path.join(folder, "")))


def _is_called(folder: Path, name: str) -> bool:
    """Whether a folder is the package or model of this name."""
    if folder.name == name:
        return True
    try:
        declared = _PACKAGE_NAME.search((folder / "package.xml").read_bytes())
    except OSError:
        return False
    return declared is not None and declared[1] == name.encode()


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long a name, or one with a null character
        return False


def _distinct(places: Iterable[_Place]) -> Iterator[_Place]:
    seen: set[Path] = set()
    for place in places:
        if place.path not in seen:
            seen.add(place.path)
            yield place


def _environment() -> list[Path]:
    """The folders that the environment names, in order."""
    folders: list[Path] = []
    for variable in ENVIRONMENT:
        words = [word for word in os.environ.get(variable, "").split(os.pathsep) if word]
        below = "share" if variable == "AMENT_PREFIX_PATH" else ""
        folders.extend(Path(word) / below for word in words)
    return folders


def _workspace_folders(name: str) -> Iterator[Path]:
    """Folders below those of ROS 1 that hold the package: its workspaces nest packages in repositories."""
    for word in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep):
        if word:
            for pattern in (f"*/{name}/package.xml", f"*/*/{name}/package.xml"):
                yield from (found.parent.parent for found in sorted(Path(word).glob(pattern)))


def _split(uri: str) -> tuple[str, str]:
    """Scheme, empty for a plain path, and what follows it, with slashes and without escapes."""
    match = _URI.fullmatch(uri)
    scheme, rest = ("", uri) if match is None else (match[1].lower(), unquote(match[2]))
    if scheme == "file" and rest.startswith("localhost/"):
        rest = rest.removeprefix("localhost")
    return scheme, rest.replace("\\", "/")


def _not_found(uri: str, scheme: str, tried: list[Path]) -> tuple[str, str]:
    """Message and hint for a name that leads nowhere."""
    if "$(" in uri or "${" in uri:
        return f"{uri!r} is not found: it holds a substitution of xacro's", "run xacro on the file first"
    if not tried and scheme not in {"", "file", "package", "model", "http", "https", "fuel"}:
        hint = "use package://, model:// or file://, or name folders for it in schemes"
        return f"{uri!r} has the scheme {scheme}://, which means nothing here", hint
    if not tried:
        if scheme in {"http", "https", "fuel"}:
            return f"{uri!r} is no URI of a Fuel model, and nothing is fetched", "download it, and name the file"
        return f"{uri!r} is not found: there is no place to look for it", "name its folder in package_map or paths"
    listing = ", ".join(map(str, tried))
    twin = next((twin for path in tried if (twin := _other_case(path)) is not None), None)
    if twin is not None:
        return f"{uri!r} is not found; tried {listing}", f"did you mean {twin}? Upper and lower case differ"
    return f"{uri!r} is not found; tried {listing}", "name its folder in package_map or paths"


def _other_case(path: Path) -> Path | None:
    """The existing path that differs from this one in upper and lower case only."""
    missing: list[str] = []
    folder = path
    while not _exists(folder) and folder != folder.parent:
        missing.append(folder.name)
        folder = folder.parent
    for name in reversed(missing):
        try:
            twins = sorted(entry.name for entry in os.scandir(folder) if entry.name.lower() == name.lower())
        except OSError:
            return None
        if not twins:
            return None
        folder = folder / twins[0]
    return folder


# --- Gazebo Fuel -----------------------------------------------------------------------------------------------------


def _fuel_caches() -> list[Path]:
    """The caches of Gazebo Fuel on this machine."""
    home = Path.home()
    return [Path(os.environ.get(variable) or home / below) for variable, below in _FUEL_CACHES.items()]


def _fuel_places(rest: str) -> Iterator[_Place]:
    """Where the caches hold ``https://server/1.0/owner/models/name/version/files/rest``."""
    match = _FUEL.fullmatch(rest)
    if match is None:
        return
    below = (match["server"], match["owner"].lower(), match["kind"], match["name"].lower())
    for cache in _fuel_caches():
        folder = cache.joinpath(*below)
        numbered = match["version"] not in {None, "tip"}
        versions = [folder / match["version"]] if numbered else _newest_first(folder)
        for version in versions or [folder]:
            yield _Place(version / (match["rest"] or ""), cache)


def _newest_first(folder: Path) -> list[Path]:
    """The versions of a Fuel model: folders named by number."""
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.name.isdigit()]
    except OSError:
        return []
    return [folder / name for name in sorted(names, key=int, reverse=True)]
