"""Robot files in, one canonical model out: SDFormat, URDF and Drake's extensions and directives to a `Scene`."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from .checks import check
from .context import Context
from .descriptions import locate
from .diagnostics import Diagnostic, Diagnostics, ExportError, Fate, LoadError, ModelError, Where
from .drake.groups import resolve as resolve_groups
from .formats import FORMATS, read_data, read_file
from .model import WORLD, Scene
from .resources import Lookup, Resources
from .spatial import Pose, SpatialInertia
from .srdf import with_srdf

__all__ = [
    "WORLD",
    "Diagnostic",
    "ExportError",
    "Fate",
    "LoadError",
    "Lookup",
    "ModelError",
    "Pose",
    "Scene",
    "SpatialInertia",
    "Where",
    "load",
    "load_string",
    "resolve",
]

PathLike = str | os.PathLike[str]


def load(
    source: PathLike,
    *,
    package_map: Mapping[str, PathLike] | None = None,
    paths: Sequence[PathLike] = (),
    strict: bool = False,
    unsafe_paths: bool = False,
    allow_xacro: bool = False,
    srdf: PathLike | None = None,
) -> Scene:
    """Read a robot or a world: ``.sdf``, ``.world``, ``.urdf``, ``.xacro``, ``.dmd.yaml``.

    Args:
        source: The file. What it is, its root element tells. ``rd://name`` is a robot of the package
            robot_descriptions, from its cache.
        package_map: Folders of packages and models, by the name that ``package://`` and ``model://`` give them.
        paths: Folders to search for what the file names.
        strict: Whether anything that is lost or approximated is an error too.
        unsafe_paths: Whether files outside the model's folder, its packages and ``paths`` may be read.
        allow_xacro: Whether xacro may run, which evaluates code in the file.
        srdf: MoveIt's file for the robot; the pairs of links that it disables become collision filters.

    Raises:
        LoadError: with every problem of the file, each with file and line and what would mend it.
    """
    context = _context(package_map, paths, unsafe_paths, allow_xacro)
    path = locate(os.fspath(source), context.diagnostics)
    scene = None if path is None else read_file(path, context)
    if srdf is not None and scene is not None:
        scene = with_srdf(scene, Path(srdf), context.diagnostics)
    return _finish(scene, str(path or source), context.diagnostics, strict)


def resolve(
    source: PathLike,
    *,
    package_map: Mapping[str, PathLike] | None = None,
    paths: Sequence[PathLike] = (),
    unsafe_paths: bool = False,
    allow_xacro: bool = False,
) -> tuple[Lookup, ...]:
    """Every file that a robot or a world names, in order: where it was found, or why not and what was tried.

    Errors of the file itself raise nothing here: what could be read of it was asked for.

    Args:
        source: As for `load`.
        package_map: As for `load`.
        paths: As for `load`.
        unsafe_paths: As for `load`.
        allow_xacro: As for `load`.
    """
    context = _context(package_map, paths, unsafe_paths, allow_xacro)
    path = locate(os.fspath(source), context.diagnostics)
    if path is not None:
        read_file(path, context)
    return tuple(context.resources.lookups)


def load_string(
    text: str,
    *,
    format: str,
    base: PathLike = ".",
    package_map: Mapping[str, PathLike] | None = None,
    paths: Sequence[PathLike] = (),
    strict: bool = False,
    unsafe_paths: bool = False,
) -> Scene:
    """Read a robot or a world from text; see `load`.

    Args:
        text: The document.
        format: ``sdf``, ``urdf`` or ``directives``.
        base: The folder that relative names in it start from.
        package_map: As for `load`.
        paths: As for `load`.
        strict: As for `load`.
        unsafe_paths: As for `load`.

    Raises:
        LoadError: as for `load`.
        ValueError: for an unknown format.
    """
    if format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
    file = str(Path(base) / f"<string>.{format}")
    context = _context(package_map, paths, unsafe_paths, False)
    return _finish(
        read_data(text.encode(errors="surrogatepass"), file, format, context), file, context.diagnostics, strict
    )


def _context(
    package_map: Mapping[str, PathLike] | None, paths: Sequence[PathLike], unsafe_paths: bool, allow_xacro: bool
) -> Context:
    resources = Resources(
        package_map={name: Path(folder) for name, folder in (package_map or {}).items()},
        paths=tuple(map(Path, paths)),
        unsafe_paths=unsafe_paths,
    )
    return Context(resources=resources, diagnostics=Diagnostics(), read_file=read_file, allow_xacro=allow_xacro)


def _finish(scene: Scene | None, source: str, diagnostics: Diagnostics, strict: bool) -> Scene:
    if scene is not None:
        scene = resolve_groups(scene, diagnostics)
        check(scene, diagnostics)
    diagnostics.raise_for(LoadError, strict=strict)
    if scene is None:  # a reader returns nothing only after reporting why
        raise LoadError(tuple(diagnostics))
    return dataclasses.replace(scene, source=source, diagnostics=tuple(diagnostics))
