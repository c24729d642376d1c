"""Resolution of the URIs in a file to local files and folders; the network is never used.

A URI is searched for in this order:

1. ``package_map`` and ``schemes`` of the caller;
2. the folder of the file that has the URI;
3. the packages and models that enclose that folder (``package.xml``, ``model.config``, or a folder of that name);
4. ``paths`` of the caller;
5. the environment variables in `ENVIRONMENT`;
6. the caches of Gazebo Fuel, read only;
7. ``finder``, a function of the caller, called with the URI as the file has it.

The result, with symbolic links resolved, must lie in one of these places unless the caller sets ``unsafe_paths``.
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
"""Environment variables of libsdformat, Gazebo, ROS 1 and ROS 2 with folders to search, separated by `os.pathsep`."""

_FUEL_CACHES = {"GZ_FUEL_CACHE_PATH": ".gz/fuel", "IGN_FUEL_CACHE_PATH": ".ignition/fuel"}
"""Default folder of a cache of Gazebo Fuel, relative to the home folder, keyed by the variable that overrides it."""

_MARKERS = ("package.xml", "model.config", "manifest.xml")
_PACKAGE_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
_LAYOUT_FOLDERS = frozenset({"urdf", "urdfs", "xacro", "robots", "sdf", "worlds"})
"""Names of folders that hold only descriptions; folders beside them, as ``../meshes``, belong to the same model."""

_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_FUEL = re.compile(
    r"(?P<server>[^/]+)(?:/[0-9.]+)?/(?P<owner>[^/]+)/(?P<kind>models|worlds)/(?P<name>[^/]+)"
    r"(?:/(?P<version>[0-9]+|tip))?(?:/files)?(?:/(?P<rest>.*))?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """The search for one URI: the places tried and the result."""

    uri: str
    """URI as the file has it."""
    file: str
    """File that has the URI."""
    line: int
    """Line in that file."""
    path: Path | None
    """File or folder that the URI refers to, or None."""
    tried: tuple[Path, ...]
    """Every path tried, in order; the last one is ``path`` if the search succeeded."""
    problem: str = ""
    """Reason why there is no path; empty if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Search for files, with the options of the caller."""

    package_map: Mapping[str, Path] = field(default_factory=dict)
    """Folders of packages and models, keyed by name."""
    paths: Sequence[Path] = ()
    """Folders to search, in order."""
    schemes: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    """Folders to search for the path after ``scheme://``, keyed by scheme; known schemes may be extended."""
    finder: Callable[[str], str | os.PathLike[str] | None] | None = None
    """Function called last, with the URI as the file has it; it returns a file or folder, or None."""
    unsafe_paths: bool = False
    """Whether a file outside the model's folder, its packages and the given folders may be read."""
    lookups: list[Lookup] = field(default_factory=list, compare=False)
    """All searches, in order."""
    _allowed: dict[Path, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    """Real paths of the folders from which files in a folder may read, cached by that folder."""
    _real: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Real paths of folders, cached."""
    _model_folders: dict[Path, Path] = field(default_factory=dict, compare=False, repr=False)
    """Folders of models without a package, cached by the folder of their file."""

    def find(self, uri: str, base: Path, node: Node) -> Path | None:
        """Return the file or folder that a URI refers to, or None; report a failure, with every path tried.

        Args:
            uri: ``package://name/rest``, ``model://name/rest``, ``file://path``, the URI of a Fuel model, or a path.
            base: The folder of the file that has the URI.
            node: The element that has the URI.
        """
        scheme, rest = _split(uri)
        tried: list[Path] = []
        match = None
        for place in _distinct(self._all_places(uri, scheme, rest, Path(os.path.abspath(base)))):
            tried.append(place.path)
            if _exists(place.path):
                match = place
                break
        failure = self._failure(uri, scheme, tried, match, base)
        path = None if match is None or failure is not None else match.path
        problem = "" if failure is None else failure.report(node)
        lookup = Lookup(uri=uri, file=node.file, line=node.line, path=path, tried=tuple(tried), problem=problem)
        self.lookups.append(lookup)
        return path

    def _failure(self, uri: str, scheme: str, tried: list[Path], match: _Place | None, base: Path) -> _Failure | None:
        """Return the reason why a search gives no path, or None if it gives one."""
        if match is None:
            return _not_found(uri, scheme, tried)
        if self.unsafe_paths or self._allows(match, base):
            return None
        return _Failure(
            "{uri!r} refers to {path}, which lies outside the model's folder, its packages and the given paths",
            "add its folder to paths, or set unsafe_paths",
            {"uri": uri, "path": str(match.path)},
            code="resource.outside",
            fate=Fate.INVALID,
        )

    def _allows(self, place: _Place, base: Path) -> bool:
        if base not in self._allowed:
            roots = (
                self._model_folder(base),
                *enclosing(base),
                *self.package_map.values(),
                *self.paths,
                *_environment(),
            )
            self._allowed[base] = tuple(dict.fromkeys(map(os.path.realpath, roots)))
        real = self._real_path(place.path)
        if any(_is_inside(real, root) for root in self._allowed[base]):
            return True
        return place.root is not None and _is_inside(real, os.path.realpath(place.root))

    def _model_folder(self, base: Path) -> Path:
        """Return the folder of a model in no package: the folder of its file, or the parent of a layout folder."""
        if base not in self._model_folders:
            real = base.resolve()
            self._model_folders[base] = real.parent if real.name.lower() in _LAYOUT_FOLDERS else base
        return self._model_folders[base]

    def _real_path(self, path: Path) -> str:
        """Return a path with symbolic links resolved; the result for its folder is cached."""
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
            name, _, path = rest.partition("/")
            yield from self._named(name, path.lstrip("/"), base)
        elif scheme in _FUEL_SCHEMES:
            yield from _fuel_places(rest)
        elif scheme in {"", "file"} and os.path.isabs(rest):
            yield _Place(Path(rest), None)
        elif scheme in {"", "file"}:
            yield _Place(base / rest, self._model_folder(base))
            for folder in (*enclosing(base), *self.paths, *_environment()):
                yield _Place(folder / rest, folder)

    def _named(self, name: str, rest: str, base: Path) -> Iterator[_Place]:
        """Yield the places of ``package://name/rest``; an empty name may mean the package of the file."""
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
    """A path to try, and the folder in which it must lie; None for no particular folder."""

    path: Path
    root: Path | None


@dataclass(frozen=True, slots=True)
class _Failure:
    """The reason why a search gives no path: template, hint and arguments of a diagnostic."""

    template: str
    hint: str
    arguments: Mapping[str, str]
    code: str = "resource.not-found"
    fate: Fate = Fate.DROPPED

    def report(self, node: Node) -> str:
        """Report the failure at an element; return the message."""
        node.report(self.fate, self.code, self.template, hint=self.hint, **self.arguments)
        return self.template.format(**self.arguments)


def _is_inside(path: str, folder: str) -> bool:
    """Return whether a real path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def enclosing(base: Path) -> list[Path]:
    """Return the packages and models that enclose a folder, innermost first."""
    return [folder for folder in _ancestors(base) if any(os.path.exists(f"{folder}/{marker}") for marker in _MARKERS)]


def _ancestors(base: Path) -> tuple[Path, ...]:
    """Return a folder and its parents, without the home folder, the parents of that, and the top of the file system.

    A file must not get access to those by giving their names.
    """
    return _ancestors_outside(Path(os.path.abspath(base)), os.path.join(os.path.expanduser("~"), ""))


@lru_cache(maxsize=64)
def _ancestors_outside(base: Path, home: str) -> tuple[Path, ...]:
    folders = (folder for folder in (base, *base.parents) if len(folder.parts) > 2)
    return tuple(folder for folder in folders if not home.startswith(os.path.join(folder, "")))


def _is_called(folder: Path, name: str) -> bool:
    """Return whether a folder is the package or model of this name."""
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
    except (OSError, ValueError):  # the name is too long or contains a null character
        return False


def _distinct(places: Iterable[_Place]) -> Iterator[_Place]:
    seen: set[Path] = set()
    for place in places:
        if place.path not in seen:
            seen.add(place.path)
            yield place


def _environment() -> list[Path]:
    """Return the folders in the environment variables, in order."""
    folders: list[Path] = []
    for variable in ENVIRONMENT:
        words = [word for word in os.environ.get(variable, "").split(os.pathsep) if word]
        subfolder = "share" if variable == "AMENT_PREFIX_PATH" else ""
        folders.extend(Path(word) / subfolder for word in words)
    return folders


def _workspace_folders(name: str) -> Iterator[Path]:
    """Yield subfolders of the ROS 1 folders that hold the package: workspaces nest packages in repositories."""
    for word in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep):
        if word:
            for pattern in (f"*/{name}/package.xml", f"*/*/{name}/package.xml"):
                yield from (marker.parent.parent for marker in sorted(Path(word).glob(pattern)))


def _split(uri: str) -> tuple[str, str]:
    """Return the scheme, empty for a plain path, and the rest with forward slashes and without escapes."""
    match = _URI.fullmatch(uri)
    scheme, rest = ("", uri) if match is None else (match[1].lower(), unquote(match[2]))
    if scheme == "file" and rest.startswith("localhost/"):
        rest = rest.removeprefix("localhost")
    return scheme, rest.replace("\\", "/")


def _not_found(uri: str, scheme: str, tried: list[Path]) -> _Failure:
    """Return the reason why no place has the file of a URI."""
    known = scheme in {"", "file", "package", "model", *_FUEL_SCHEMES}
    if "$(" in uri or "${" in uri:
        return _Failure("{uri!r} contains a xacro substitution", "run xacro on the file first", {"uri": uri})
    if not tried and not known:
        hint = "use package://, model:// or file://, or give folders for the scheme in schemes"
        return _Failure("{uri!r} has the unknown scheme {scheme}://", hint, {"uri": uri, "scheme": scheme})
    if not tried and scheme in _FUEL_SCHEMES:
        message = "{uri!r} is not the URI of a Fuel model, and files are not downloaded"
        return _Failure(message, "download the file, and give its path", {"uri": uri})
    if not tried:
        return _Failure("cannot find {uri!r}: there is no folder to search", _ADD_FOLDER, {"uri": uri})
    similar = next((path for place in tried if (path := _other_case(place)) is not None), None)
    hint = _ADD_FOLDER if similar is None else f"did you mean {similar}? File names are case-sensitive"
    return _Failure("cannot find {uri!r}; tried {tried}", hint, {"uri": uri, "tried": ", ".join(map(str, tried))})


_FUEL_SCHEMES = frozenset({"http", "https", "fuel"})
_ADD_FOLDER = "add its folder to package_map or paths"


def _other_case(path: Path) -> Path | None:
    """Return the existing path that differs from this one only in case, or None."""
    missing: list[str] = []
    folder = path
    while not _exists(folder) and folder != folder.parent:
        missing.append(folder.name)
        folder = folder.parent
    for name in reversed(missing):
        try:
            matches = sorted(entry.name for entry in os.scandir(folder) if entry.name.lower() == name.lower())
        except OSError:
            return None
        if not matches:
            return None
        folder = folder / matches[0]
    return folder


# --- Gazebo Fuel -----------------------------------------------------------------------------------------------------


def _fuel_caches() -> list[Path]:
    """Return the folders of the caches of Gazebo Fuel."""
    home = Path.home()
    return [Path(os.environ.get(variable) or home / folder) for variable, folder in _FUEL_CACHES.items()]


def _fuel_places(rest: str) -> Iterator[_Place]:
    """Yield the places of ``https://server/1.0/owner/models/name/version/files/rest`` in the caches."""
    match = _FUEL.fullmatch(rest)
    if match is None:
        return
    parts = (match["server"], match["owner"].lower(), match["kind"], match["name"].lower())
    for cache in _fuel_caches():
        folder = cache.joinpath(*parts)
        numbered = match["version"] not in {None, "tip"}
        versions = [folder / match["version"]] if numbered else _newest_first(folder)
        for version in versions or [folder]:
            yield _Place(version / (match["rest"] or ""), cache)


def _newest_first(folder: Path) -> list[Path]:
    """Return the versions of a Fuel model, folders named by a number, newest first."""
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.name.isdigit()]
    except OSError:
        return []
    return [folder / name for name in sorted(names, key=int, reverse=True)]
