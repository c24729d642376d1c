"""Meshes as OBJ files that are converted once and kept in the cache, with the findings of the conversion.

Positions in double precision, of which OBJ has fewer digits, are in a separate file, which is read only by those
who ask for them. Where the cache cannot be used, a mesh is converted each time.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, partial
from importlib import metadata
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from loaders.diagnostics import NOWHERE, Diagnostic, Diagnostics, Where
from loaders.files import is_file
from loaders.meshes.companions import companion_files
from loaders.meshes.textures import places_in_reach
from loaders.model import Mesh, Rgba
from loaders.safety.limits import metered
from loaders.spatial import Array

from . import mesh_assets
from .conversion_records import (
    Conversion,
    FileState,
    has_members,
    is_color,
    read_record,
    record_path,
    states_of,
    write_record,
)
from .convex_decomposition import PARTS, installed
from .file_cache import cache_path, content_of, stored
from .mesh_assets import Appearance, MeshAsset

_VERSION = "4"
"""Version of the conversion and of its record."""
_SUBFOLDER = "obj"
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "name": str,
    "digest": str,
    "has_uv": bool,
    "rgba": (list, type(None)),
    "texture": (str, type(None)),
    "obj": str,
    "npy": str,
}
"""Kinds of the members of a part in a record."""
_values_of = attrgetter(*(entry.name for entry in fields(Mesh) if entry.name not in {"uri", "path"}))
"""Function that returns what a mesh states apart from its file."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshFile:
    """One part of a shape as an OBJ file.

    Attributes:
        name: Name for people.
        data: The OBJ file.
        digest: Hash of the OBJ file.
        has_uv: Whether it has texture coordinates.
        rgba: Color that the mesh file states.
        texture: Image file that the mesh file states.
        source: The positions [m], shape (n, 3), or the file of the cache that has them.
    """

    name: str
    data: bytes
    digest: str
    has_uv: bool
    rgba: Rgba | None
    texture: str | None
    source: Array | str

    @cached_property
    def vertices(self) -> Array:
        """Positions [m], shape (n, 3)."""
        return np.load(self.source, allow_pickle=False) if isinstance(self.source, str) else self.source

    @staticmethod
    def of(asset: MeshAsset) -> MeshFile:
        """Return the file of a part."""
        data = asset.data
        return MeshFile(
            name=asset.name,
            data=data,
            digest=hashlib.sha256(data).hexdigest(),
            has_uv=asset.uv is not None,
            rgba=asset.rgba,
            texture=asset.texture,
            source=asset.vertices,
        )


def mesh_files(
    mesh: Mesh,
    target: str,
    diagnostics: Diagnostics,
    *,
    where: Where = NOWHERE,
    collides: bool = False,
    appearance: Appearance = Appearance.ALL,
) -> tuple[MeshFile, ...]:
    """Return the parts of a mesh as `bridge.geometry.mesh_assets.mesh_asset` does, as files, from the cache.

    Args:
        mesh: The mesh.
        target: The engine that the diagnostics are about.
        diagnostics: Receives the findings, also those of a conversion in the past.
        where: The place in the source.
        collides: Whether the engine computes contacts with it.
        appearance: The part of its appearance that matters.
    """
    convert = partial(mesh_assets.mesh_asset, mesh, target, where=where, collides=collides, appearance=appearance)
    try:
        record = _record(mesh, target, collides, appearance)
        known = read_record(record, _is_part)
        files = _read(known) if known else None
        if known is not None and files is not None:
            diagnostics.extend(placed(finding, where) for finding in known.findings)
            return files
        sources = states_of(source_files(mesh))
    except OSError:
        return tuple(MeshFile.of(asset) for asset in convert(diagnostics))
    found = Diagnostics()
    with metered() as costs:
        files = tuple(MeshFile.of(asset) for asset in convert(found))
    diagnostics.extend(found)
    if files:
        with suppress(OSError):
            _store(files, _Source(mesh, sources, where, costs), tuple(found), record)
    return files


def source_files(mesh: Mesh) -> tuple[str, ...]:
    """Return the paths of the files that a mesh is read from, without textures.

    Raises:
        FileNotFoundError: if the mesh has no file.
    """
    if mesh.path is None or not is_file(mesh.path):
        raise FileNotFoundError(mesh.uri)
    path = os.path.abspath(mesh.path)
    reference = () if mesh.reference is None else source_files(mesh.reference)
    return path, *companion_files(path), *reference


def texture_files(textures: Iterable[str | None], findings: Iterable[Diagnostic], mesh: Mesh) -> list[str]:
    """Return the paths of the textures of a mesh, and those in reach at which missing ones were looked for.

    Args:
        textures: The textures of its parts.
        findings: The findings of the conversion.
        mesh: The mesh.
    """
    path = Path(os.path.abspath(mesh.path or ""))
    missing = (str(entry.arguments["texture"]) for entry in findings if entry.code == "mesh.missing-texture")
    looked_for = map(str, places_in_reach(missing, path))
    return [*dict.fromkeys(os.path.abspath(texture) for texture in textures if texture), *looked_for]


@cache
def reader_versions() -> tuple[str, ...]:
    """Return the versions of the libraries that meshes are read with."""
    return tuple(metadata.version(name) for name in ("trimesh", "pycollada", "numpy"))


def mesh_key(mesh: Mesh) -> tuple[object, ...]:
    """Return what affects the conversion of a mesh, except the content of files."""
    return os.path.abspath(mesh.path) if mesh.path else "", _values_of(mesh), reader_versions()


def placed(finding: Diagnostic, where: Where) -> Diagnostic:
    """Return a finding from a record with its place, if it is about the use of a mesh and not about its file."""
    return finding if finding.where != NOWHERE else replace(finding, where=where)


def _record(mesh: Mesh, target: str, collides: bool, appearance: Appearance) -> str:
    decomposes = mesh.decomposition == PARTS and installed()
    key = (_VERSION, decomposes, mesh_key(mesh), target, collides, appearance)
    return record_path(f"{cache_path()}/{_SUBFOLDER}", *key)


def _read(conversion: Conversion) -> tuple[MeshFile, ...] | None:
    """Return the files of a conversion; None if one cannot be read."""
    try:
        return tuple(_file(part) for part in conversion.parts)
    except OSError:
        return None


def _is_part(part: Any) -> bool:
    return has_members(part, **_KINDS) and is_color(part["rgba"])


def _file(part: dict[str, Any]) -> MeshFile:
    return MeshFile(
        name=part["name"],
        data=content_of(part["obj"]),
        digest=part["digest"],
        has_uv=part["has_uv"],
        rgba=part["rgba"] and tuple(part["rgba"]),
        texture=part["texture"],
        source=part["npy"],
    )


class _Source(NamedTuple):
    """The origin of a conversion, and its costs."""

    mesh: Mesh
    files: tuple[FileState, ...]
    where: Where
    costs: Mapping[str, int]


def _store(files: Sequence[MeshFile], source: _Source, findings: tuple[Diagnostic, ...], record: str) -> None:
    """Write the files of a mesh and the record of its conversion.

    Raises:
        OSError: if they cannot be written.
    """
    parts = [_stored(file) for file in files]
    others = [*texture_files((file.texture for file in files), findings, source.mesh)]
    others += [part[kind] for part in parts for kind in ("obj", "npy")]
    anywhere = tuple(replace(entry, where=NOWHERE) if entry.where == source.where else entry for entry in findings)
    made = (*source.files, *states_of(others))
    write_record(Conversion(parts=tuple(parts), findings=anywhere, files=made, costs=source.costs), record)


def _stored(file: MeshFile) -> dict[str, Any]:
    positions = io.BytesIO()
    np.save(positions, file.vertices, allow_pickle=False)
    return {
        "name": file.name,
        "digest": file.digest,
        "has_uv": file.has_uv,
        "rgba": file.rgba,
        "texture": file.texture,
        "obj": str(stored(file.data, ".obj", _SUBFOLDER)),
        "npy": str(stored(positions.getvalue(), ".npy", _SUBFOLDER)),
    }
