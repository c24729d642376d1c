"""load, load_string and resolve: choose the reader by root element or suffix.

The name of an entry point is the tag of the root element of an XML document; its object takes that
element and the context of the load, as ours do.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, get_args

from loaders import codes

from .context import MAX_INCLUDE_DEPTH, Context, Lookup, Resources
from .deferred import Deferred
from .diagnostics import Diagnostics, Fate, LossSummary, Where, limited
from .files.fuel import FuelDownload, host_and_port
from .files.robot_descriptions import (
    absolute,
    given_path,
    locate,
    package_folders,
    search_folders,
    source_text,
)
from .finish.finish import Reading, check_readable, finish
from .limits import DEFAULTS, Budget, Limits, budgeted, collector_paused, raised_as
from .node import Node
from .scene import Scene
from .text import check_option_names, check_option_value
from .urdf.srdf import ROBOT_SUFFIXES, report_unused, with_srdf
from .urdf.xacro import expand, has_xacro
from .xml import model_in, parse, read_bytes

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


ENTRY_POINTS = "sdfbridge.readers"
"""Group of the entry points."""

Reader = Callable[[Node, Context], Scene | None]
"""A function that reads a document, given its root element; None after an error in
``context.diagnostics``."""


_with_overrides: Callable[..., Scene] = Deferred("loaders.finish.overrides:with_overrides")
_with_up_axis: Callable[..., Scene] = Deferred("loaders.finish.mesh_check:with_up_axis")


class _ReaderError(Exception):
    """A registered reader cannot be imported, or fails."""


def registered_tags() -> tuple[str, ...]:
    """Return the tags of the root elements for which a reader is registered, in alphabetical
    order.
    """
    return tuple(sorted({point.name for point in _entry_points()}))


def registered_reader(tag: str) -> Reader | None:
    """Return the reader that is registered for a root element; None if there is none.

    It is imported when it reads; whatever it raises is reported.

    Args:
        tag: The tag of the root element.
    """
    points = [point for point in _entry_points() if point.name == tag]
    return (lambda root, context: _read(points[0], root, context)) if points else None


def _entry_points() -> Iterable[EntryPoint]:
    from importlib.metadata import (
        entry_points,
    )  # takes long to import, and few loads meet a document of another format

    return entry_points(group=ENTRY_POINTS)


def _read(point: EntryPoint, root: Node, context: Context) -> Scene | None:
    try:
        with raised_as(_ReaderError, f"the reader {point.value} fails"):
            found = point.load()(root, context)
            if not isinstance(found, Scene | None):
                raise _ReaderError(
                    f"the reader {point.value} returned {type(found).__name__}, not a Scene or None"
                )
            # the package may keep its own, and the load completes one
            scene = None if found is None else dataclasses.replace(found)
    except _ReaderError as error:
        root.report(codes.FILE_READER, reason=str(error))
        return None
    if scene is None and not any(entry.fate is Fate.INVALID for entry in context.diagnostics):
        root.report(codes.FILE_READER_NO_SCENE, reader=point.value)
    return scene


PathLike = str | os.PathLike[str]

_XML_READERS: dict[str, Reader] = {
    **dict.fromkeys(("sdf", "gazebo"), Deferred("loaders.sdf:read")),
    "robot": Deferred("loaders.urdf:read"),
    "mujoco": Deferred("loaders.mjcf:read"),
}
"""Reader of a document, keyed by the tag of the root element; these come before registered ones."""
_read_directives: Callable[..., Scene | None] = Deferred("loaders.drake.directives:read")
_set_places: Callable[..., None] = Deferred("loaders.urdf.xacro:set_places")
_xacro_arguments: Callable[[object], dict[str, str]] = Deferred(
    "loaders.urdf.xacro:xacro_arguments"
)

_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<[?!A-Za-z]")
"""The start of an XML document, which no directives have."""
FORMATS = ("sdf", "urdf", "directives", "mjcf")
"""Formats that `loaders.load_string` reads."""


def read_file(path: Path, context: Context) -> Scene | None:
    """Read a file of any known format; return None with a diagnostic if it cannot be read.

    Args:
        path: The file.
        context: The context of the load.
    """
    files = (*context.including, Path(context.resources.real_paths(path))) if context.files else ()
    if len(set(files)) < len(files) or len(files) > MAX_INCLUDE_DEPTH:
        chain = " -> ".join(p.name for p in files)
        context.diagnostics.add(codes.FILE_INCLUDE_CYCLE, Where(str(path)), chain=chain)
        return None
    suffix = path.suffix.lower()
    data = None if suffix == ".xacro" else read_bytes(path, context.diagnostics)
    if suffix == ".xacro" or (data is not None and suffix == ".urdf" and has_xacro(data)):
        expansion = expand(path, context)
        if expansion is None:
            return None
        inside = context.inside(path)
        return read_data(expansion.data, str(path), "xml", inside, expansion.places)
    if data is None:
        return None
    return read_data(
        data,
        str(path),
        "directives" if suffix in {".yaml", ".yml"} else "xml",
        context.inside(path),
    )


def read_data(
    data: bytes, file: str, format: str, context: Context, places: tuple[Where, ...] = ()
) -> Scene | None:
    """Read the contents of a file; return None with a diagnostic if they cannot be read.

    Args:
        data: The contents.
        file: Name of the file for diagnostics.
        format: ``directives`` for YAML, unless the contents are XML; any other value means XML.
        context: The context of the load.
        places: The place in the sources of each element of an expanded document.
    """
    if format == "directives" and not _XML.match(data):
        return _read_directives(data, file, context)
    root = parse(data, file, context.diagnostics)
    if root is None:
        return None
    if places:
        _set_places(root, places)
    read = _XML_READERS.get(root.tag) or registered_reader(root.tag)
    if read is None:
        is_part = root.tag == "mujocoinclude"
        hint = (
            "it is a part of MJCF: read the file that includes it"
            if is_part
            else "check that this is the right file"
        )
        root.report(
            codes.FILE_UNKNOWN_FORMAT,
            hint=hint,
            tag=root.tag,
            known=tuple(f"<{tag}>" for tag in dict.fromkeys((*_XML_READERS, *registered_tags()))),
        )
        return None
    return read(root, context)


# --- the public functions -------------------------------------------------------------------------


class Search(TypedDict, total=False):
    """Options that say where to find the files that a model names; `loaders.context` gives the
    order of search.
    """

    package_map: Mapping[str, PathLike]
    """Folders of packages and models, keyed by the name in ``package://name`` or
    ``model://name``."""
    paths: Sequence[PathLike]
    """Folders to search."""
    schemes: Mapping[str, Sequence[PathLike]]
    """Folders to search for the path after ``scheme://``, keyed by scheme."""
    finder: Callable[[str], PathLike | None]
    """Function that is called last, with the URI as the file has it; it returns a file, a folder or
    None."""
    fetch: bool
    """Whether models of Gazebo Fuel that no local cache has are downloaded into it."""
    fetch_hosts: Sequence[str]
    """Servers, ``name`` or ``name:port``, that may be asked beside those of Gazebo Fuel, by
    https."""
    unsafe_paths: bool
    """Whether files outside the model's folder, its packages and the given folders may be read."""
    limits: Limits
    """Limits on the files, elements, diagnostics, triangles and pixels of the call; see
    docs/security.md."""


UpAxis = Literal["auto", "stated", "z"]
"""Up axis of COLLADA files: found for each file and robot, as the files state it, or always z."""


class LoadOptions(Search, total=False):
    """Options of `load`, and of every function that takes a path in place of a scene."""

    strict: bool
    """Whether anything lost or approximated is an error."""
    lenient: bool
    """Whether to skip invalid elements, or assume a value, instead of refusing the file; each is
    reported."""
    quiet: bool
    """Whether no `LossWarning` summarizes what is lost or approximated."""
    allow_xacro: bool
    """Whether xacro may run; it evaluates Python code in the file."""
    xacro_args: Mapping[str, str | float]
    """Arguments of xacro, such as ``{"name": "ur5e", "n": 2}`` for ``name:=ur5e n:=2``."""
    overrides: PathLike | None
    """TOML file with values that replace those of the source, by link and joint; see
    docs/overrides.md."""
    srdf: PathLike | None
    """MoveIt's SRDF file of the robot: its disabled link pairs become collision filters, its states
    keyframes."""
    up_axis: UpAxis
    """Up axis of COLLADA files: ``auto`` is found for each file and robot, ``stated`` is the one
    that the files state, ``z`` is always z, as in Gazebo, RViz and PyBullet."""


def load(source: PathLike, **options: Unpack[LoadOptions]) -> Scene:
    """Read a robot or a world from a file: SDFormat, URDF, xacro, MJCF (``.xml``) or ``.dmd.yaml``.

    The root element decides the format of an XML file, not its suffix.

    Args:
        source: The file; a relative path that does not exist is searched in ``paths``.
            ``rd://name`` names a robot of the Python package robot_descriptions, read from its
            cache.
        options: The options in `LoadOptions`: ``strict``, ``lenient``, ``quiet``, ``allow_xacro``,
            ``xacro_args``, ``srdf``, ``overrides``, ``up_axis``, and those in `Search`.

    Returns:
        The scene, with all diagnostics of the load in ``scene.diagnostics``.

    Raises:
        LoadError: if the file has errors; it holds every one, with file, line and a hint, and the
            warnings as well. If there is no such file, the error is a `FileNotFoundError` too.
        TypeError: if an option is unknown, or the source is not a path.
        ValueError: if a folder in ``package_map`` or ``paths`` does not exist, the load is both
            strict and lenient, or the source is the text of a document.

    Example:
        >>> import loaders
        >>> scene = loaders.load("assets/double_pendulum.urdf")
        >>> [joint.name for joint in scene.joints]
        ['mount', 'shoulder', 'elbow']
        >>> loaders.load("assets/double_pendulum.urdf", path=["models"])
        Traceback (most recent call last):
        TypeError: unknown option 'path'; did you mean 'paths'?
    """
    check_option_names(options, LoadOptions)
    check_option_value("up_axis", options.get("up_axis", "auto"), get_args(UpAxis))
    download, name = _ask_once(options), source_text(source, options.get("paths") or ())
    with LossSummary.of(name, options) as losses, collector_paused():
        read = partial(_read_source, name, options, download)
        scene = finish(
            read, strict=options.get("strict", False), lenient=options.get("lenient", False)
        )
        losses.add(scene.diagnostics)
    return scene


def _read_source(
    source: str, options: LoadOptions, download: FuelDownload | None, *, lenient: bool
) -> Reading:
    diagnostics = diagnostics_of(options, lenient=lenient)
    path = _model_in(locate(source, diagnostics), diagnostics)
    context = context_of(options, options.get("allow_xacro", False), path, diagnostics, download)
    if given := options.get("xacro_args"):
        context = dataclasses.replace(context, xacro_args=_xacro_arguments(given))
    scene = None
    with limited(diagnostics, str(path)):
        scene = None if path is None else read_file(path, context)
        srdf = options.get("srdf")
        if srdf is not None and scene is not None:
            scene = with_srdf(scene, given_path("srdf", srdf, "an SRDF file"), diagnostics)
        elif path is not None and str(path).endswith(ROBOT_SUFFIXES):
            report_unused(path, diagnostics)
        overrides = options.get("overrides")
        if overrides is not None and scene is not None:
            file = given_path("overrides", overrides, "a TOML file")
            scene = _with_overrides(scene, file, diagnostics)
        up_axis = options.get("up_axis", "auto")
        if up_axis != "auto" and scene is not None:
            scene = _with_up_axis(scene, stated=up_axis == "stated")
    return Reading(scene, str(path or source), diagnostics)


def _model_in(path: Path | None, diagnostics: Diagnostics) -> Path | None:
    """Return the main file of a load: of an archive of MuJoCo the model in it."""
    if path is None:
        return None
    model = model_in(str(path), Where(str(path)), diagnostics)
    if model == str(path):
        return path
    return None if model is None else Path(model)


def resolve(
    source: PathLike,
    *,
    allow_xacro: bool = False,
    xacro_args: Mapping[str, str | float] | None = None,
    lenient: bool = False,
    **search: Unpack[Search],
) -> tuple[Lookup, ...]:
    """Return every file that a robot or a world names, in order, with the path found or the reason
    why there is none.

    Errors in the content of the file raise no exception; the result covers what could be read.

    Args:
        source: The file, as for `load`.
        allow_xacro: Whether xacro may run; it evaluates Python code in the file.
        xacro_args: Arguments of xacro, by name.
        lenient: Whether to skip invalid elements, as for `load`.
        search: The options in `Search`.

    Raises:
        LoadError: if the file cannot be opened, or there is none; the error is then a
        `FileNotFoundError` too.
        TypeError: if an option is unknown, or the source is not a path.
        ValueError: if a folder in ``package_map`` or ``paths`` does not exist.

    Example:
        >>> [lookup.uri for lookup in loaders.resolve("assets/arm/model.sdf")][:2]
        ['model://gripper/', 'model://gripper/meshes/finger.obj']
    """
    check_option_names(search, Search)
    diagnostics = diagnostics_of(search, lenient=lenient)
    path = _model_in(
        locate(source_text(source, search.get("paths") or ()), diagnostics), diagnostics
    )
    context = context_of(search, allow_xacro, path, diagnostics, _ask_once(search))
    if xacro_args:
        context = dataclasses.replace(context, xacro_args=_xacro_arguments(xacro_args))
    if path is not None:
        with budgeted(search.get("limits")), collector_paused(), limited(diagnostics, str(path)):
            read_file(path, context)
    check_readable(str(path or source), tuple(diagnostics))
    return tuple(context.resources.lookups)


def load_string(
    text: str,
    *,
    format: str,
    base: PathLike = ".",
    strict: bool = False,
    lenient: bool = False,
    quiet: bool = False,
    **search: Unpack[Search],
) -> Scene:
    """Read a robot or a world from text.

    Args:
        text: The document.
        format: The format of the document: ``sdf``, ``urdf``, ``mjcf``, ``directives``, or the root
            element of a registered reader. Of XML, as in `load`, the root element decides.
        base: The folder to which relative file names in the document refer.
        strict: Whether anything lost or approximated is an error.
        lenient: Whether to skip invalid elements, as for `load`.
        quiet: Whether no `LossWarning` summarizes what is lost or approximated.
        search: The options in `Search`.

    Returns:
        The scene, with all diagnostics of the load in ``scene.diagnostics``.

    Raises:
        LoadError: if the document has errors; it holds every one, with line and a hint.
        TypeError: if an option is unknown.
        ValueError: if the format is unknown, a folder in ``package_map`` or ``paths`` does not
            exist, or the load is both strict and lenient.

    Example:
        >>> urdf = '<robot name="cart"><link name="base"/></robot>'
        >>> loaders.load_string(urdf, format="urdf").links[0].name
        'base'
    """
    check_option_names(search, Search)
    if format not in FORMATS and format not in registered_tags():
        known = dict.fromkeys((*FORMATS, *registered_tags()))
        raise ValueError(f"unknown format {format!r}; expected one of: {', '.join(known)}")
    if not isinstance(text, str):
        raise TypeError(f"expected the document as text, not {type(text).__name__}")
    file = str(Path(base) / f"<string>.{format}")
    data = text.encode(errors="surrogatepass")
    download = _ask_once(search)

    def read(*, lenient: bool) -> Reading:
        context = context_of(
            search, False, Path(file), diagnostics_of(search, lenient=lenient), download
        )
        scene = None
        with limited(context.diagnostics, file):
            scene = read_data(data, file, format, context)
        return Reading(scene, file, context.diagnostics)

    summary = LossSummary(file, quiet=quiet, limits=search.get("limits"), lenient=lenient)
    with summary as losses, collector_paused():
        scene = finish(read, strict=strict, lenient=lenient)
        losses.add(scene.diagnostics)
    return scene


def _ask_once(search: Search) -> FuelDownload | None:
    """Let the function of the caller be called once for each URI, even if the source is read twice.

    Returns:
        The downloads of all readings of the source, if they are allowed.
    """
    finder = search.get("finder")
    if finder is not None:
        search["finder"] = cache(finder)
    hosts = search.get("fetch_hosts", ())
    if isinstance(hosts, str):
        raise TypeError(f"fetch_hosts: expected a list of servers, not {hosts!r}")
    for host in hosts:
        host_and_port(host)
    return FuelDownload(hosts) if search.get("fetch", False) else None


def diagnostics_of(search: Search, *, lenient: bool) -> Diagnostics:
    """Return empty diagnostics with the limits of a call.

    Args:
        search: The options of the call.
        lenient: Whether to skip invalid elements instead of refusing the file.

    Raises:
        TypeError: if the limits are something else.
    """
    limits = search.get("limits") or DEFAULTS
    if not isinstance(limits, Limits):
        raise TypeError(f"limits: expected Limits, such as Limits(files=5_000), not {limits!r}")
    return Diagnostics(budget=Budget(limits), lenient=lenient)


def context_of(
    search: Search,
    allow_xacro: bool,
    main: Path | None,
    diagnostics: Diagnostics,
    download: FuelDownload | None = None,
) -> Context:
    """Return the context of a call.

    Args:
        search: The options of the call.
        allow_xacro: Whether xacro may run.
        main: The main file.
        diagnostics: Receives the findings.
        download: The downloads of the call; None if none is allowed.

    Raises:
        ValueError: if a given folder does not exist.
    """
    schemes = search.get("schemes", {})
    resources = Resources(
        package_map={
            name: Path(os.path.abspath(f))
            for name, f in package_folders(search.get("package_map")).items()
        },
        paths=absolute(search_folders(search.get("paths"))),
        schemes={scheme.lower(): absolute(folders) for scheme, folders in schemes.items()},
        finder=search.get("finder"),
        download=download,
        unsafe_paths=search.get("unsafe_paths", False),
        main=main,
    )
    resources.check_main()
    return Context(
        resources=resources, diagnostics=diagnostics, read_file=read_file, allow_xacro=allow_xacro
    )
