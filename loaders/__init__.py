"""Robot files in, one canonical model out: SDFormat, URDF and Drake's extensions and directives to a `Scene`."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

from loaders.model import WORLD
from loaders.scene import Scene

from .context import Context
from .diagnostics import Diagnostic, Diagnostics, ExportError, Fate, LoadError, ModelError, Where
from .drake.filter_groups import resolve as resolve_groups
from .formats import FORMATS, read_data, read_file
from .resources import Lookup, Resources
from .robot_descriptions import locate
from .scene_operations.validation import check_scene
from .spatial import Pose, SpatialInertia
from .urdf.srdf import with_srdf

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
    "Search",
    "SpatialInertia",
    "Where",
    "load",
    "load_string",
    "resolve",
]

PathLike = str | os.PathLike[str]


class Search(TypedDict, total=False):
    """Where files that a model names may be found; the order is in `loaders.resources`."""

    package_map: Mapping[str, PathLike]
    """Folders of packages and models, by the name that ``package://`` and ``model://`` give them."""
    paths: Sequence[PathLike]
    """Folders to search."""
    schemes: Mapping[str, Sequence[PathLike]]
    """Folders to search for what follows ``scheme://``, by scheme."""
    finder: Callable[[str], PathLike | None]
    """Asked last, with the name as it is written in the file."""
    unsafe_paths: bool
    """Whether files outside the model's folder, its packages and the folders given here may be read."""


def load(
    source: PathLike,
    *,
    strict: bool = False,
    allow_xacro: bool = False,
    srdf: PathLike | None = None,
    **search: Unpack[Search],
) -> Scene:
    """Read a robot or a world: ``.sdf``, ``.world``, ``.urdf``, ``.xacro``, ``.dmd.yaml``.

    Args:
        source: The file. What it is, its root element tells. ``rd://name`` is a robot of the package
            robot_descriptions, from its cache.
        strict: Whether anything that is lost or approximated is an error too.
        allow_xacro: Whether xacro may run, which evaluates code in the file.
        srdf: MoveIt's file for the robot; the pairs of links that it disables become collision filters.
        search: Where to look for what the file names; see `Search`.

    Raises:
        LoadError: with every problem of the file, each with file and line and what would mend it.
    """
    context = _context(search, allow_xacro)
    path = locate(os.fspath(source), context.diagnostics)
    scene = None if path is None else read_file(path, context)
    if srdf is not None and scene is not None:
        scene = with_srdf(scene, Path(srdf), context.diagnostics)
    return _finish(scene, str(path or source), context.diagnostics, strict)


def resolve(source: PathLike, *, allow_xacro: bool = False, **search: Unpack[Search]) -> tuple[Lookup, ...]:
    """Every file that a robot or a world names, in order: where it was found, or why not and what was tried.

    Errors of the file itself raise nothing here: what could be read of it was asked for.

    Args:
        source: As for `load`.
        allow_xacro: As for `load`.
        search: As for `load`.
    """
    context = _context(search, allow_xacro)
    path = locate(os.fspath(source), context.diagnostics)
    if path is not None:
        read_file(path, context)
    return tuple(context.resources.lookups)


def load_string(
    text: str, *, format: str, base: PathLike = ".", strict: bool = False, **search: Unpack[Search]
) -> Scene:
    """Read a robot or a world from text; see `load`.

    Args:
        text: The document.
        format: ``sdf``, ``urdf`` or ``directives``.
        base: The folder that relative names in it start from.
        strict: As for `load`.
        search: As for `load`.

    Raises:
        LoadError: as for `load`.
        ValueError: for an unknown format.
    """
    if format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
    file = str(Path(base) / f"<string>.{format}")
    context = _context(search, allow_xacro=False)
    data = text.encode(errors="surrogatepass")
    return _finish(read_data(data, file, format, context), file, context.diagnostics, strict)


def _context(search: Search, allow_xacro: bool) -> Context:
    unknown = sorted(search.keys() - Search.__optional_keys__)
    if unknown:
        raise TypeError(f"there is no option {', '.join(unknown)}")
    schemes = search.get("schemes", {})
    resources = Resources(
        package_map={name: Path(folder) for name, folder in (search.get("package_map") or {}).items()},
        paths=tuple(map(Path, search.get("paths", ()))),
        schemes={scheme.lower(): tuple(map(Path, folders)) for scheme, folders in schemes.items()},
        finder=search.get("finder"),
        unsafe_paths=search.get("unsafe_paths", False),
    )
    return Context(resources=resources, diagnostics=Diagnostics(), read_file=read_file, allow_xacro=allow_xacro)


def _finish(scene: Scene | None, source: str, diagnostics: Diagnostics, strict: bool) -> Scene:
    if scene is not None:
        scene = resolve_groups(scene, diagnostics)
        check_scene(scene, diagnostics)
    diagnostics.raise_for(LoadError, strict=strict)
    if scene is None:  # a reader returns nothing only after reporting why
        raise LoadError(tuple(diagnostics))
    return dataclasses.replace(scene, source=source, diagnostics=tuple(diagnostics))
