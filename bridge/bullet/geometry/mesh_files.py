"""Mesh files that PyBullet reads fast, converted once and kept in the asset cache with the findings of the conversion.

They are binary STL, which needs no parsing; PyBullet draws flat faces from it, as it does from OBJ without normals. If
a mesh collides as its convex hull, PyBullet uses only the corners of its faces; the file then has every corner once,
whatever the faces are. A textured mesh is an OBJ file with every position and every texture coordinate once.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.bullet.target import TARGET
from bridge.geometry import mesh_assets
from bridge.geometry.convex_decomposition import is_simplified
from bridge.geometry.file_cache import cache_folder, stored
from bridge.geometry.textures import png_texture
from loaders.diagnostics import Diagnostic, Diagnostics, Fate, Where
from loaders.model import Mesh, Rgba

_VERSION = "7"
"""Version of the conversion and of its record; a record of another version is not used."""
_SUBFOLDER = "bullet"
"""Subfolder of the cache. All files are in one folder because PyBullet caches a texture by the name it is found by."""
MAX_PATH = 1000
"""Maximum length of the path of a mesh in bytes; a longer one aborts the process inside PyBullet."""


@dataclass(frozen=True, slots=True)
class MeshFile:
    """A mesh file and the color that the source mesh states."""

    path: str
    rgba: Rgba | None


@dataclass(slots=True, eq=False)
class MeshFiles:
    """The cached files of the meshes of one load; every folder with material libraries is listed once."""

    _folder: str | None = None
    _material_libraries: dict[str, list[str]] = field(default_factory=dict)

    def files_of(
        self, mesh: Mesh, diagnostics: Diagnostics, where: Where, *, collides: bool, texture: str | None = None
    ) -> tuple[MeshFile, ...] | None:
        """Return the files of a mesh, converting it if needed; None if the cache cannot be used.

        Args:
            mesh: The mesh to convert.
            diagnostics: Record of the findings of the conversion.
            where: The place in the source.
            collides: Whether the mesh is for collision rather than for drawing.
            texture: Path of the image to cover the mesh with; None for the textures of the mesh file itself.
        """
        try:
            record = self._record(mesh, collides, texture)
            entry = _read(record)
            if entry is None:
                _convert(mesh, where, collides, texture, record)
                entry = _read(record)
        except OSError:
            return None
        if entry is None:
            return None
        files, findings = entry
        diagnostics.extend(replace(finding, where=where) for finding in findings)
        return files

    def _record(self, mesh: Mesh, collides: bool, texture: str | None) -> str:
        """Return the path of the record of a mesh; the name depends on everything that affects the conversion.

        Raises:
            OSError: if the mesh file cannot be examined.
        """
        if mesh.path is None:
            raise FileNotFoundError(mesh.uri)
        if self._folder is None:
            self._folder = str(cache_folder() / _SUBFOLDER)
        stamps = [(file, *_stamp(file)) for file in (mesh.path, *self._libraries_beside(mesh.path))]
        key = repr((_VERSION, mesh, is_simplified(mesh), collides, texture, stamps)).encode()
        return f"{self._folder}/{hashlib.sha256(key).hexdigest()[:32]}.json"

    def _libraries_beside(self, path: str) -> list[str]:
        """Return the material libraries that an OBJ mesh may use."""
        if not path.lower().endswith(".obj"):
            return []
        folder = os.path.dirname(path)
        if folder not in self._material_libraries:
            names = sorted(name for name in os.listdir(folder) if name.endswith(".mtl"))
            self._material_libraries[folder] = [os.path.join(folder, name) for name in names]
        return self._material_libraries[folder]


def _stamp(file: str) -> tuple[int, int]:
    status = os.stat(file)
    return status.st_mtime_ns, status.st_size


# --- records ---------------------------------------------------------------------------------------------------------


def _read(record: str) -> tuple[tuple[MeshFile, ...], list[Diagnostic]] | None:
    """Return the files and findings of a record; None if it is missing or invalid, or a file is missing or changed."""
    try:
        with open(record, "rb") as stream:
            entries = json.loads(stream.read())
        if any(_stamp(texture) != tuple(stamp) for texture, stamp in entries["textures"]):
            return None
        files = tuple(MeshFile(path, tuple(rgba) if rgba else None) for path, rgba in entries["files"])
        findings = [_from_json(entry) for entry in entries["diagnostics"]]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    usable = all(os.path.exists(file.path) and len(os.fsencode(file.path)) <= MAX_PATH for file in files)
    return (files, findings) if usable else None


def _convert(mesh: Mesh, where: Where, collides: bool, texture: str | None, record: str) -> None:
    diagnostics = Diagnostics()
    assets = mesh_assets.mesh_asset(mesh, TARGET, diagnostics, where=where, collides=collides)
    if texture is not None:
        assets = tuple(replace(asset, rgba=None, texture=texture) for asset in assets)
    files = [(str(_cached_file(asset, collides, where, diagnostics)), asset.rgba) for asset in assets]
    textures = [(path, _stamp(path)) for path in _existing_textures(assets)]
    findings = [_to_json(entry) for entry in diagnostics]
    _write({"files": files, "diagnostics": findings, "textures": textures}, Path(record))


def _existing_textures(assets: Iterable[mesh_assets.MeshAsset]) -> list[str]:
    return sorted({asset.texture for asset in assets if asset.texture is not None and os.path.exists(asset.texture)})


def _to_json(entry: Diagnostic) -> dict[str, Any]:
    """Return a finding without its place, which is another one at each use of the mesh."""
    return {
        "code": entry.code,
        "fate": entry.fate.value,
        "template": entry.template,
        "hint": entry.hint,
        "arguments": dict(entry.arguments),
    }


def _from_json(entry: dict[str, Any]) -> Diagnostic:
    arguments = {key: tuple(value) if isinstance(value, list) else value for key, value in entry["arguments"].items()}
    return Diagnostic(
        entry["code"],
        Fate(entry["fate"]),
        entry["template"],
        target=TARGET,
        hint=entry["hint"],
        arguments=arguments,
    )


def _write(value: Any, path: Path) -> None:
    """Write a JSON file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump(value, stream)
    os.replace(temporary, path)


# --- files -----------------------------------------------------------------------------------------------------------


def _cached_file(asset: mesh_assets.MeshAsset, collides: bool, where: Where, diagnostics: Diagnostics) -> Path:
    if collides:
        return stored(corners_stl(asset), ".stl", _SUBFOLDER)
    return textured_mesh_file(asset, where, diagnostics)


def textured_mesh_file(asset: mesh_assets.MeshAsset, where: Where, diagnostics: Diagnostics) -> Path:
    """Return the cached file of a mesh to draw, with its texture if it has one.

    Args:
        asset: The mesh.
        where: The place in the source.
        diagnostics: Record of a texture that cannot be drawn.

    Raises:
        OSError: if the cache cannot be written.
    """
    texture = _png(asset, where, diagnostics)
    if texture is None:
        return stored(faces_stl(asset), ".stl", _SUBFOLDER)
    material = f"newmtl skin\nKd 1 1 1\nmap_Kd {stored(texture, '.png', _SUBFOLDER).name}\n"
    library = stored(material.encode(), ".mtl", _SUBFOLDER)
    document = f"mtllib {library.name}\nusemtl skin\n{_textured_obj(asset)}"
    return stored(document.encode(), ".obj", _SUBFOLDER)


def _png(asset: mesh_assets.MeshAsset, where: Where, diagnostics: Diagnostics) -> bytes | None:
    if asset.texture is None:
        return None
    if asset.uv is None:
        diagnostics.add(
            Fate.NOTED,
            "pybullet.no-texture-coordinates",
            "mesh {mesh} has no texture coordinates; its texture {texture} is not drawn",
            where,
            target=TARGET,
            mesh=asset.name,
            texture=Path(asset.texture).name,
        )
        return None
    return png_texture(asset.texture, TARGET, diagnostics, where=where)


def _textured_obj(asset: mesh_assets.MeshAsset) -> str:
    """Return the text of an OBJ file with texture coordinates."""
    positions, p = np.unique(np.asarray(asset.vertices, np.float32), axis=0, return_inverse=True)
    coordinates, t = np.unique(np.asarray(asset.uv, np.float32), axis=0, return_inverse=True)
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in positions.tolist()]
    lines += [f"vt {u:.9g} {v:.9g}\n" for u, v in coordinates.tolist()]
    corners = np.stack((p.ravel()[asset.faces], t.ravel()[asset.faces]), axis=2).reshape(-1, 6) + 1
    lines += [f"f {a}/{u} {b}/{v} {c}/{w}\n" for a, u, b, v, c, w in corners.tolist()]
    return "".join(lines)


# --- STL -------------------------------------------------------------------------------------------------------------


_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def stl(triangles: NDArray[Any]) -> bytes:
    """Return a binary STL file of triangles of shape (n, 3, 3)."""
    records = np.zeros(len(triangles), dtype=_TRIANGLE)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    records["normal"] = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
    records["corners"] = triangles
    return bytes(80) + len(triangles).to_bytes(4, "little") + records.tobytes()


def faces_stl(asset: mesh_assets.MeshAsset) -> bytes:
    """Return a binary STL file of all faces."""
    return stl(asset.vertices[asset.faces])


def corners_stl(asset: mesh_assets.MeshAsset) -> bytes:
    """Return a binary STL file whose triangles have each corner of the faces once; its convex hull is the same."""
    corners = np.unique(np.asarray(asset.vertices[np.unique(asset.faces)], np.float32), axis=0)
    padded = np.minimum(np.arange(3 * -(-len(corners) // 3)), len(corners) - 1)
    return stl(corners[padded].reshape(-1, 3, 3))
