"""Meshes as files that PyBullet reads fast, converted once: they, and what was said of them, stay in the asset cache.

They are binary STL, which needs no parsing; PyBullet draws faces flat from it as it does from OBJ without normals. Of a
mesh that collides as its convex hull, PyBullet takes the corners of all faces; so it gets every corner once, whatever
the faces are. What is under a picture is OBJ, with every position and every texture coordinate once.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.bullet.urdf.segments import TARGET
from bridge.geometry import mesh_assets
from bridge.geometry.convex_decomposition import is_simplified
from bridge.geometry.file_cache import cache_folder, stored
from bridge.geometry.textures import png_texture
from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.model import Mesh, Rgba

_EDITION = "6"
"""Of the conversion and of its record; another one is converted anew."""
_SHELF = "bullet"
"""The folder of the cache. All files are in it, as PyBullet keeps a picture by the name that it is found by."""
MAX_PATH = 1000
"""A longer path of a mesh aborts the process inside PyBullet."""


@dataclass(frozen=True, slots=True)
class MeshFile:
    """A file, and the colour that the mesh stated."""

    path: str
    rgba: Rgba | None


@dataclass(slots=True, eq=False)
class MeshFiles:
    """The files of the meshes of one load; what they are made from is looked at once."""

    _folder: str | None = None
    _materials: dict[str, list[str]] = field(default_factory=dict)

    def of(
        self, mesh: Mesh, diagnostics: Diagnostics, where: Where, *, collides: bool, picture: str | None = None
    ) -> tuple[MeshFile, ...] | None:
        """The files that stand for a mesh, under a picture if one is given; None if there is no cache for them."""
        try:
            record = self._record(mesh, collides, picture)
            kept = _read(record)
            if kept is None:
                _convert(mesh, where, collides, picture, record)
                kept = _read(record)
        except OSError:
            return None
        if kept is None:
            return None
        files, said = kept
        for code, fate, message, hint in said:
            diagnostics.add(Fate(fate), code, message, where, target=TARGET, hint=hint)
        return files

    def _record(self, mesh: Mesh, collides: bool, picture: str | None) -> str:
        """Where the record of a mesh is: named by all that the conversion depends on.

        Raises:
            OSError: if the mesh cannot be looked at.
        """
        if mesh.path is None:
            raise FileNotFoundError(mesh.uri)
        if self._folder is None:
            self._folder = str(cache_folder() / _SHELF)
        stamps = [(file, *_stamp(file)) for file in (mesh.path, *self._described_by(mesh.path))]
        key = repr((_EDITION, mesh, is_simplified(mesh), collides, picture, stamps)).encode()
        return f"{self._folder}/{hashlib.sha256(key).hexdigest()[:32]}.json"

    def _described_by(self, path: str) -> list[str]:
        """Files of materials that a mesh may name."""
        if not path.lower().endswith(".obj"):
            return []
        folder = os.path.dirname(path)
        if folder not in self._materials:
            names = sorted(name for name in os.listdir(folder) if name.endswith(".mtl"))
            self._materials[folder] = [os.path.join(folder, name) for name in names]
        return self._materials[folder]


def _stamp(file: str) -> tuple[int, int]:
    status = os.stat(file)
    return status.st_mtime_ns, status.st_size


def _read(record: str) -> tuple[tuple[MeshFile, ...], list[tuple[str, str, str, str]]] | None:
    """What a record says; None if there is none, or if it, one of its files or a picture is not what it was."""
    try:
        with open(record, "rb") as stream:
            entries = json.loads(stream.read())
        if any(_stamp(picture) != tuple(stamp) for picture, stamp in entries["textures"]):
            return None
        files = tuple(MeshFile(path, tuple(rgba) if rgba else None) for path, rgba in entries["files"])
        said = [tuple(entry) for entry in entries["diagnostics"]]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    usable = all(os.path.exists(file.path) and len(os.fsencode(file.path)) <= MAX_PATH for file in files)
    return (files, said) if usable else None


def _convert(mesh: Mesh, where: Where, collides: bool, picture: str | None, record: str) -> None:
    ledger = Diagnostics()
    found = mesh_assets.mesh_asset(mesh, TARGET, ledger, where=where, collides=collides)
    if picture is not None:
        found = tuple(replace(asset, rgba=None, texture=picture) for asset in found)
    files = [(str(_file(asset, collides, where, ledger)), asset.rgba) for asset in found]
    said = [(entry.code, entry.fate.value, entry.message, entry.hint) for entry in ledger]
    pictures = {asset.texture for asset in found if asset.texture is not None and os.path.exists(asset.texture)}
    textures = [(picture, _stamp(picture)) for picture in sorted(pictures)]
    _write({"files": files, "diagnostics": said, "textures": textures}, Path(record))


def _file(asset: mesh_assets.MeshAsset, collides: bool, where: Where, ledger: Diagnostics) -> Path:
    return stored(corners_stl(asset), ".stl", _SHELF) if collides else under_picture(asset, where, ledger)


def under_picture(asset: mesh_assets.MeshAsset, where: Where, ledger: Diagnostics) -> Path:
    """A file of what is seen, with the picture on it if there is one.

    Raises:
        OSError: if there is no cache to keep it in.
    """
    picture = _picture(asset, where, ledger)
    if picture is None:
        return stored(faces_stl(asset), ".stl", _SHELF)
    material = f"newmtl skin\nKd 1 1 1\nmap_Kd {stored(picture, '.png', _SHELF).name}\n"
    library = stored(material.encode(), ".mtl", _SHELF)
    return stored(f"mtllib {library.name}\nusemtl skin\n{_draped(asset)}".encode(), ".obj", _SHELF)


def _picture(asset: mesh_assets.MeshAsset, where: Where, ledger: Diagnostics) -> bytes | None:
    if asset.texture is None:
        return None
    if asset.uv is None:
        ledger.add(
            Fate.NOTED,
            "pybullet.no-texture-coordinates",
            "the mesh {asset} has no texture coordinates; {name} is not drawn on it",
            where,
            target=TARGET,
            asset=asset.name,
            name=Path(asset.texture).name,
        )
        return None
    return png_texture(asset.texture, TARGET, ledger, where=where)


def _draped(asset: mesh_assets.MeshAsset) -> str:
    """The text of an OBJ file with texture coordinates."""
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
    """A binary STL file of triangles, shape (n, 3, 3)."""
    records = np.zeros(len(triangles), dtype=_TRIANGLE)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    records["normal"] = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
    records["corners"] = triangles
    return bytes(80) + len(triangles).to_bytes(4, "little") + records.tobytes()


def faces_stl(asset: mesh_assets.MeshAsset) -> bytes:
    """All faces, as binary STL."""
    return stl(asset.vertices[asset.faces])


def corners_stl(asset: mesh_assets.MeshAsset) -> bytes:
    """The corners of the faces, each once, as the triangles of a binary STL file: its hull is the same."""
    found = np.unique(np.asarray(asset.vertices[np.unique(asset.faces)], np.float32), axis=0)
    padded = np.minimum(np.arange(3 * -(-len(found) // 3)), len(found) - 1)
    return stl(found[padded].reshape(-1, 3, 3))


def _write(value: Any, path: Path) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(value, stream)
    os.replace(scratch, path)
