"""Context of one load, and the search for the files that URIs name.

A URI is searched for in this order:

1. ``package_map`` and ``schemes`` of the caller;
2. the folder of the file that has the URI;
3. the packages and models that enclose that folder (``package.xml``, ``model.config``, or a folder
    of that name);
4. ``paths`` of the caller;
5. the environment variables in `loaders.files.folders.ENVIRONMENT`;
6. ``models`` in the folders around that folder, and the folders that their packages export to
    Gazebo;
7. every package and model below ``paths``, then every folder below them;
8. the caches of Gazebo Fuel, into which ``fetch=True`` downloads models, and of Drake's packages;
9. ``finder``, a function of the caller, called with the URI as the file has it.

``$(find name)/rest`` is ``package://name/rest``. A path that does not exist, such as
``file://name/rest``, ``name`` or ``/home/anybody/install/share/name/rest``, may begin with, or
contain, the name of a package or model.

The result, with symbolic links resolved, must lie in a folder of the caller (``package_map``,
``schemes``, ``paths``, the environment, the caches), in the folder of the main file, in a package
or model around one of these, or in one that lies beside such a package or model or in a folder
``models`` around the main file; unless the caller sets ``unsafe_paths``. Names in files add no
folder to these.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import unquote

from loaders import codes

from .diagnostics import Code, Diagnostics
from .files.folders import (
    AllowedRoots,
    PackageIndex,
    RealPaths,
    ancestors,
    enclosing,
    environment,
    files_by_name,
    fuel_caches,
    fuel_models,
    fuel_places,
    is_called,
    is_plain_name,
    model_folders,
    workspace_folders,
)
from .files.fuel import DownloadError, FuelDownload, drake_cache, drake_packages
from .files.read_file import checked, direct_path, note_file, real_path
from .node import Node
from .scene import Scene

FUEL_SCHEMES = frozenset({"http", "https", "fuel"})
"""Schemes of URIs of models of Gazebo Fuel."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a search gives no path: code, arguments and hint of a diagnostic; an empty
    hint means that of the code.
    """

    code: Code
    arguments: Mapping[str, str]
    hint: str = ""

    @property
    def message(self) -> str:
        """The message for people."""
        return self.code.message.format(**self.arguments)

    def at_include(self, code: Code) -> Code:
        """Return the code of a finding about an include of the file.

        Args:
            code: That of a file that is not found; its message and hint become those of the search.
        """
        if self.code.name != codes.RESOURCE_NOT_FOUND.name:
            return self.code
        return code.variant(self.code.message, hint=self.code.hint)


def not_found(
    uri: str, scheme: str, tried: list[str], download: str | None, is_allowed: Callable[[str], bool]
) -> Failure:
    """Return the reason why no place has the file of a URI.

    Args:
        uri: The URI.
        scheme: Its scheme; empty for a path.
        tried: The places.
        download: Reason why a download failed; empty if there was none, None if none is allowed.
        is_allowed: Returns whether a file or folder may be read; no other folder is listed to
            suggest a name.
    """
    known = scheme in {"", "file", "package", "model", *FUEL_SCHEMES}
    if "$(" in uri or "${" in uri:
        return Failure(codes.RESOURCE_NOT_FOUND_SUBSTITUTION, {"uri": uri})
    if not tried and not known:
        return Failure(codes.RESOURCE_NOT_FOUND_SCHEME, {"uri": uri, "scheme": scheme})
    if not tried and scheme in FUEL_SCHEMES:
        return Failure(codes.RESOURCE_NOT_FOUND_FUEL, {"uri": uri})
    if not tried:
        return Failure(codes.RESOURCE_NOT_FOUND_NO_FOLDER, {"uri": uri})
    if download:
        return Failure(codes.RESOURCE_NOT_FOUND_DOWNLOAD, {"uri": uri, "reason": download})
    in_other_case = (_other_case(Path(place), is_allowed) for place in tried)
    similar = next(filter(None, in_other_case), None)
    may_download = scheme in FUEL_SCHEMES and download is None
    code = codes.RESOURCE_NOT_FOUND_FETCH if may_download else codes.RESOURCE_NOT_FOUND
    hint = "" if similar is None else f"did you mean {similar}? File names are case-sensitive"
    return Failure(code, {"uri": uri, "tried": ", ".join(tried)}, hint)


def _other_case(path: Path, is_allowed: Callable[[str], bool]) -> Path | None:
    """Return the existing path that differs from this one only in case, or None."""
    missing: list[str] = []
    folder = path
    while is_allowed(str(folder)) and not os.path.exists(folder):
        missing.append(folder.name)
        folder = folder.parent
    if not is_allowed(str(folder)):
        return None
    for name in reversed(missing):
        try:
            matches = sorted(
                entry.name for entry in os.scandir(folder) if entry.name.lower() == name.lower()
            )
        except OSError:
            return None
        if not matches:
            return None
        folder = folder / matches[0]
    return folder


MAX_URI = 4096
"""Largest number of characters of a URI that is searched for; no file has a longer path."""
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_PLAIN = re.compile(r"(?:(?:package|model)://(?=[^/]*/))?(\w[\w.-]*(?:/\w[\w.-]*)*)")
"""A URI of a file in whose path no name has a special meaning; the file is looked for beside the
one that names it."""
_SAVED_STRING = re.compile(r"<[a-z]{1,20}-string>/+", re.ASCII)
"""Start of the path of a URI that Gazebo saves of a model that came as text, not from a file; the
URI that the text had follows."""
_TOP = frozenset({"Users", "home", "mnt", "opt", "root", "tmp", "usr", "var"})
"""Folders at the top of a file system: a path in one of them is no path in a model."""
_FIND = re.compile(r"(?:file://|package://)?\$\(find\s+([^\s)]+)\)/*(.*)", re.DOTALL)
"""A path in a package as ROS's launch files and xacro write it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """The search for one URI: the places tried and the result."""

    uri: str
    """URI as the file has it."""
    file: str
    """File that has the URI."""
    line: int
    """Line in that file."""
    places: tuple[str, ...]
    """Every path tried, in order, as text; the last one is ``path`` if the search succeeded."""
    problem: str = ""
    """Reason why there is no path; empty if there is one."""

    @property
    def path(self) -> Path | None:
        """File or folder that the URI refers to, or None."""
        return None if self.problem else Path(self.places[-1])

    @property
    def tried(self) -> tuple[Path, ...]:
        """Every path tried, in order; the last one is ``path`` if the search succeeded."""
        return tuple(map(Path, self.places))


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Search for files, with the options of the caller."""

    package_map: Mapping[str, Path] = field(default_factory=dict)
    """Folders of packages and models, keyed by name."""
    paths: Sequence[Path] = ()
    """Folders to search, in order."""
    schemes: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    """Folders to search for the path after ``scheme://``, keyed by scheme; known schemes may be
    extended."""
    finder: Callable[[str], str | os.PathLike[str] | None] | None = None
    """Function called last, with the URI as the file has it; it returns a file or folder, or
    None."""
    download: FuelDownload | None = None
    """Download of models that are in no cache of Fuel; None to leave the network alone."""
    unsafe_paths: bool = False
    """Whether a file outside the model's folder, its packages and the given folders may be read."""
    main: Path | None = None
    """The file that the caller loads; None if the folder of each search is that of such a file."""
    mesh_folders: Sequence[Path] = ()
    """Folders to search for relative paths and for their last names, as ``meshdir`` of a URDF for
    MuJoCo demands."""
    lookups: list[Lookup] = field(default_factory=list, compare=False)
    """All searches, in order."""
    _allowed: dict[Path | None, AllowedRoots] = field(
        default_factory=dict, compare=False, repr=False
    )
    """The folders that may be read, keyed by None with a main file, or without one by the folder of
    the file."""
    _answers: list[Path] = field(default_factory=list, compare=False, repr=False)
    """Folders of the files that ``finder`` returned."""
    _indexes: list[PackageIndex] = field(default_factory=list, compare=False, repr=False)
    """The index of what is below ``paths``, shared by all copies for one load."""
    _models: dict[Path, list[Path]] = field(default_factory=dict, compare=False, repr=False)
    """Folders of models around a folder, cached for one load."""
    _called: dict[tuple[str, str], bool] = field(default_factory=dict, compare=False, repr=False)
    """Whether a folder is the package or model of a name, cached for one load."""
    _enclosing: dict[Path, list[Path]] = field(default_factory=dict, compare=False, repr=False)
    """Packages and models around a folder, cached for one load."""
    _found: dict[tuple[str, str], Lookup] = field(default_factory=dict, compare=False, repr=False)
    """Successful searches, by URI and file, cached for one load unless there is a finder."""
    _sources: dict[Path, dict[str, list[str]]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """The files in packages by package and name, cached for one load."""
    real_paths: RealPaths = field(default_factory=RealPaths, compare=False, repr=False)
    """Function that resolves symbolic links, shared by all copies for one load."""
    _folders: dict[str, Path] = field(default_factory=dict, compare=False, repr=False)
    """Folder of each file that has URIs, by its name."""

    def __post_init__(self) -> None:
        if not self._indexes:
            self._indexes.append(PackageIndex(self.paths))

    @property
    def _index(self) -> PackageIndex:
        return self._indexes[0]

    def find(self, uri: str, base: Path, node: Node) -> Path | None:
        """Return the file or folder that a URI refers to, or None; report a failure, with every
        path tried.

        Args:
            uri: ``package://name/rest``, ``model://name/rest``, ``file://path``, the URI of a Fuel
                model, or a path.
            base: The folder of the file that has the URI.
            node: The element that has the URI.
        """
        found = self.search(uri, base, node)
        if isinstance(found, Failure):
            _report(found, node)
            return None
        return found

    def find_file(self, uri: str, node: Node) -> str | None:
        """Return the file or folder that a URI in an element refers to, or None, which is reported.

        Args:
            uri: The URI, as for `find`; a relative one starts from the folder of the element's
                file.
            node: The element that has the URI.
        """
        found = self._found.get((uri, node.file))
        if found is not None:
            file, line = node.file_and_line
            self.lookups.append(Lookup(uri=uri, file=file, line=line, places=found.places))
            return found.places[-1]
        base = self._folders.get(node.file)
        if base is None:
            base = self._folders[node.file] = Path(os.path.abspath(os.path.dirname(node.file)))
        place = self._beside(uri, base, node) or self._search(uri, base, node)
        if isinstance(place, Failure):
            _report(place, node)
            return None
        if self.finder is None:  # the next answer of a finder may differ
            self._found[uri, node.file] = self.lookups[-1]
        return place

    def _beside(self, uri: str, base: Path, node: Node) -> str | None:
        """Return the file of a plain URI if it is in the first place of the search, as most are;
        None otherwise.
        """
        plain = (
            None
            if self.schemes or self.package_map or len(uri) > MAX_URI
            else _PLAIN.fullmatch(uri)
        )
        if plain is None or os.sep != "/":
            return None
        place = f"{base}/{plain[1]}"
        note_file(place)
        real = self.real_paths.of_existing(place)
        if real is None or not self._allows(real, base):
            return None
        self.check(place, real)
        file, line = node.file_and_line
        self.lookups.append(Lookup(uri=uri, file=file, line=line, places=(place,)))
        return place

    def search(self, uri: str, base: Path, node: Node) -> Path | Failure:
        """Return the file or folder that a URI refers to, or the reason why there is none.

        Args: as for `find`.
        """
        place = self._search(uri, Path(os.path.abspath(base)), node)
        return place if isinstance(place, Failure) else Path(place)

    def _search(self, uri: str, base: Path, node: Node) -> str | Failure:
        """Return the file or folder of a URI; the folder of the file that has it is absolute."""
        scheme, rest = _split(uri)
        tried, real = self._tried(
            self._all_places(uri, scheme, rest, base) if len(uri) <= MAX_URI else ()
        )
        found: str | Failure = tried[-1] if tried else ""
        if real is None:
            found = not_found(
                uri, scheme, tried, self._failure(rest), lambda place: self.allows(place, base)
            )
        elif not self._allows(real, base):
            found = Failure(codes.RESOURCE_OUTSIDE, {"uri": uri, "path": tried[-1]})
        else:
            found = tried[-1] = direct_path(tried[-1])
            self.check(found, real)
        problem = found.message if isinstance(found, Failure) else ""
        file, line = node.file_and_line
        self.lookups.append(
            Lookup(uri=uri, file=file, line=line, places=tuple(tried), problem=problem)
        )
        return found

    def _tried(self, places: Iterable[str]) -> tuple[list[str], str | None]:
        """Return the places up to the first one that exists, each once, and the real path of that
        place.
        """
        tried: list[str] = []
        for place in places:
            if place not in tried:
                tried.append(place)
                note_file(place)
                real = self.real_paths.of_existing(place)
                if real is not None:
                    return tried, real
        return tried, None

    def _failure(self, rest: str) -> str | None:
        """Return why a download failed; empty if there was none, None if none is allowed."""
        return None if self.download is None else self.download.failure(rest)

    def _enclosing_packages(self, base: Path) -> list[Path]:
        """Return the packages and models that enclose a folder, innermost first."""
        if base not in self._enclosing:
            self._enclosing[base] = enclosing(base)
        return self._enclosing[base]

    def allows(self, path: str | os.PathLike[str], base: Path) -> bool:
        """Return whether a file may be read.

        Args:
            path: The file, or a folder.
            base: The folder of the file that names it; it matters only if there is no main file.
        """
        real = self.real_paths(path)
        is_allowed = self._allows(real, base)
        if is_allowed:
            self.check(os.fspath(path), real)
        return is_allowed

    def check(self, path: str, real: str) -> None:
        """Demand of a path, which may be read, that it leads to the same place when it is read.

        Args:
            path: The file or folder.
            real: Its real path.
        """
        folder = os.path.dirname(path)
        checked(path, None if self.unsafe_paths else real)
        if os.path.isabs(folder):
            checked(folder, None if self.unsafe_paths else self.real_paths.folder(folder))

    def check_main(self) -> None:
        """Demand of the main file that it lies in the folder that may be read for its sake."""
        if self.main is not None:
            folder, name = os.path.split(os.path.abspath(self.main))
            real = real_path(os.path.join(self.real_paths.folder(folder), name))
            self.check(str(self.main), real)

    def _allows(self, real: str, base: Path) -> bool:
        """Return whether the file of a real path may be read."""
        if self.unsafe_paths:
            return True
        key = None if self.main is not None else base
        allowed = self._allowed.get(key)
        if allowed is None:
            folder = Path(
                os.path.abspath(base if self.main is None else os.path.dirname(self.main))
            )
            given = (
                folder,
                *self.package_map.values(),
                *self.paths,
                *environment(),
                *self._answers,
            )
            shelves = partial(self._model_folders, folder)
            allowed = AllowedRoots(
                given, self._caches, shelves, self._enclosing_packages, self.real_paths
            )
            self._allowed[key] = allowed
        return allowed.allow_real(real)

    def _caches(self) -> tuple[Path, ...]:
        """Return the folders of the schemes, and those of downloaded models."""
        given = (folder for folders in self.schemes.values() for folder in folders)
        return (*given, *fuel_caches(), *filter(None, (drake_cache(),)))

    def _all_places(self, uri: str, scheme: str, rest: str, base: Path) -> Iterator[str]:
        for folder in self.schemes.get(scheme, ()):
            yield _joined(folder, rest)
        yield from self._places(scheme, rest, base)
        if "%" in uri and scheme not in FUEL_SCHEMES:
            other = uri.partition("://")[2] if scheme else unquote(rest)
            yield from self._places(scheme, other, base)
        if scheme == "package":
            yield from self._installed_places(rest, base)
        answer = None if self.finder is None else self.finder(uri)
        if answer is not None:
            path = Path(os.path.abspath(answer))
            self._answers.append(path if path.is_dir() else path.parent)
            self._allowed.clear()
            yield str(path)

    def _places(self, scheme: str, rest: str, base: Path) -> Iterator[str]:
        if scheme in {"package", "model"}:
            name, _, path = rest.partition("/")
            yield from self._named(name, path.lstrip("/"), base)
            if scheme == "package" and not path:
                yield from map(str, self._index.folders(name))
        elif scheme in FUEL_SCHEMES:
            if self.download is not None and not any(map(os.path.exists, fuel_places(rest))):
                with suppress(DownloadError):
                    self.download.fetch(rest)
            yield from map(str, fuel_places(rest))
        elif scheme in {"", "file"} and os.path.isabs(rest):
            yield str(Path(rest))
            yield from self._tails(rest, base)
            # Gazebo saves a path that is relative to the model like this.
            if scheme == "file" and rest.split("/")[1] not in _TOP:
                folders = (base, *self._enclosing_packages(base), *self.paths)
                yield from (_joined(folder, rest.lstrip("/")) for folder in folders)
        elif scheme in {"", "file"}:
            yield _joined(base, rest)
            yield from (
                _joined(folder, rest)
                for folder in (*self._enclosing_packages(base), *self.paths, *environment())
            )
            names = (rest, os.path.basename(rest))
            yield from (_joined(folder, name) for folder in self.mesh_folders for name in names)
            name, _, path = rest.partition("/")
            yield from self._named(name, path, base)

    def _installed_places(self, rest: str, base: Path) -> Iterator[str]:
        """Yield the place in the sources of a package that is installed as ``name/path``."""
        name, _, path = rest.partition("/")
        folders = [self.package_map[name]] if name in self.package_map else []
        folders += [folder for folder in ancestors(base) if self._is_called(folder, name)]
        folders += self._index.packages(name) if is_plain_name(name) else []
        for folder in folders:
            place = self.source_of(folder, path)
            if place is not None:
                yield place

    def source_of(self, package: Path, path: str) -> str | None:
        """Return the only file in the sources of a package that CMake may install at a path; None
        if there is none, or if there are several.

        A folder that is installed as another one contributes the end of the path alone.

        Args:
            package: The folder of the package, which has a ``package.xml``.
            path: The path in the folder of the installed package.
        """
        if not path or not (package / "package.xml").is_file():
            return None
        if package not in self._sources:
            self._sources[package] = files_by_name(package)
        end = f"/{os.path.normpath(path)}"
        places = self._sources[package].get(os.path.basename(end), ())
        found = [place for place in places if place.endswith(end)]
        return found[0] if len(found) == 1 else None

    def _tails(self, path: str, base: Path) -> Iterator[str]:
        """Yield the places of the end of a path of another machine that begins with the name of a
        package.
        """
        parts = path.split("/")
        for i, name in enumerate(parts[:-1]):
            rest = "/".join(parts[i + 1 :])
            yield from (
                _joined(folder, rest)
                for folder in self._enclosing_packages(base)
                if self._is_called(folder, name)
            )
            yield from (_joined(folder, rest) for folder in self._index.packages(name))

    def _is_called(self, folder: Path, name: str) -> bool:
        """Return whether a folder is the package or model of this name."""
        key = (str(folder), name)
        if key not in self._called:
            self._called[key] = is_called(folder, name)
        return self._called[key]

    def _model_folders(self, base: Path) -> list[Path]:
        """Return the folders of models that belong to the files in a folder."""
        if base not in self._models:
            self._models[base] = list(model_folders(base))
        return self._models[base]

    def _named(self, name: str, rest: str, base: Path) -> Iterator[str]:
        """Yield the places of ``package://name/rest``; an empty name may mean the package of the
        file.
        """
        if not name:
            yield from (_joined(folder, rest) for folder in self._enclosing_packages(base))
            name, _, rest = rest.partition("/")
        if name in self.package_map:
            yield _joined(self.package_map[name], rest)
        if not is_plain_name(name):
            return
        path = f"{name}/{rest}"
        yield _joined(base, path)
        yield from (
            _joined(folder, rest) for folder in ancestors(base) if self._is_called(folder, name)
        )
        yield from (_joined(folder.parent, path) for folder in self._enclosing_packages(base))
        for folder in (*self.paths, *environment(), *workspace_folders(name)):
            yield _joined(folder, path)
            if self._is_called(folder, name):
                yield _joined(folder, rest)
        yield from (_joined(folder, path) for folder in self._model_folders(base))
        yield from (_joined(folder, rest) for folder in self._index.packages(name))
        yield from (_joined(folder, rest) for folder in self._index.folders(name) if rest)
        yield from (_joined(version, rest) for version in fuel_models(name))
        yield from (_joined(folder, rest) for folder in drake_packages(name))


def _report(failure: Failure, node: Node) -> None:
    """Report at an element that a URI has no file."""
    node.report(failure.code, hint=failure.hint, **failure.arguments)


def _joined(folder: Path, rest: str) -> str:
    """Return ``folder / rest`` as text; a plain path, as nearly all are, is not taken apart, which
    would take time.
    """
    if "//" in rest or "./" in rest or rest[:1] in {"", "/"} or rest[-1] in "/." or os.sep != "/":
        return str(folder / rest)
    return f"{folder}/{rest}"


def _split(uri: str) -> tuple[str, str]:
    """Return the scheme, empty for a plain path, and the rest with forward slashes and without
    escapes.
    """
    if "://" not in uri and "$(" not in uri:
        return "", uri.replace("\\", "/")
    found = _FIND.fullmatch(uri)
    if found is not None:
        return "package", f"{found[1]}/{found[2]}".replace("\\", "/")
    match = _URI.fullmatch(uri)
    scheme, rest = ("", uri) if match is None else (match[1].lower(), unquote(match[2]))
    saved = _SAVED_STRING.match(rest) if scheme == "file" else None
    if saved is not None:
        return _split(rest[saved.end() :])
    if scheme == "file" and rest.startswith("localhost/"):
        rest = rest.removeprefix("localhost")
    return scheme, rest.replace("\\", "/")


MAX_INCLUDE_DEPTH = 32
"""Largest number of files that include one another."""


def element_count(scene: Scene) -> int:
    """Return the number of elements that a scene adds to the one that includes it."""
    shapes = sum(
        len(link.collisions) + len(link.visuals) + len(link.sensors) for link in scene.links
    )
    return shapes + sum(
        map(len, (scene.links, scene.joints, scene.frames, scene.models, scene.lights))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Context of one load; immutable but for ``diagnostics``, to which readers append, and
    ``resources.lookups``.
    """

    resources: Resources
    """Search for the files that a model names."""
    diagnostics: Diagnostics
    """Findings of the load."""
    read_file: Callable[[Path, Context], Scene | None]
    """Reader of a file of any format, so that one format includes another without importing its
    reader."""
    files: tuple[Path, ...] = ()
    """The files being read, outermost first."""
    allow_xacro: bool = False
    """Whether xacro may run; it evaluates Python code in the file."""
    xacro_args: Mapping[str, str] = field(default_factory=dict)
    """Arguments of xacro, by name."""

    def inside(self, path: Path) -> Context:
        """Return the context for the content of a file."""
        return Context(
            resources=self.resources,
            diagnostics=self.diagnostics,
            read_file=self.read_file,
            files=(*self.files, path),
            allow_xacro=self.allow_xacro,
            xacro_args=self.xacro_args,
        )

    @property
    def including(self) -> tuple[Path, ...]:
        """Real paths of the files being read, outermost first, to detect include cycles."""
        return tuple(Path(self.resources.real_paths(file)) for file in self.files)
