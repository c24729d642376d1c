"""Meshes as files that PyBullet reads fast, converted once: they, and what was said of them, stay in the asset cache.

What is seen, and what collides as it is, is OBJ. Of a mesh that collides as its convex hull, PyBullet takes the corners
of all faces; so it gets every corner once, in binary STL, whatever the faces are.
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

from bridge import assets
from bridge.convex import is_simplified
from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.model import Mesh, Rgba

from .segments import TARGET

_EDITION = "5"
"""Of the conversion and of its record; another one is converted anew."""
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
            self._folder = str(assets.cache_folder() / "bullet")
        path = os.path.realpath(mesh.path)
        stamps = [(file, *_stamp(file)) for file in (path, *self._described_by(path))]
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
    found = assets.mesh_asset(mesh, TARGET, ledger, where=where, collides=collides)
    if picture is not None:
        found = tuple(replace(asset, rgba=None, texture=picture) for asset in found)
    files = [(str(_file(asset, collides, where, ledger)), asset.rgba) for asset in found]
    said = [(entry.code, entry.fate.value, entry.message, entry.hint) for entry in ledger]
    pictures = {asset.texture for asset in found if asset.texture is not None and os.path.exists(asset.texture)}
    textures = [(picture, _stamp(picture)) for picture in sorted(pictures)]
    _write({"files": files, "diagnostics": said, "textures": textures}, Path(record))


def _file(asset: assets.MeshAsset, collides: bool, where: Where, ledger: Diagnostics) -> Path:
    return assets.stored(corners_stl(asset.data), ".stl") if collides else under_picture(asset, where, ledger)


def under_picture(asset: assets.MeshAsset, where: Where, ledger: Diagnostics) -> Path:
    """A file of what is seen, with the picture on it if there is one.

    Raises:
        OSError: if there is no cache to keep it in.
    """
    textured = asset.texture is not None and b"\nvt " in asset.data
    if asset.texture is not None and not textured:
        message = f"the mesh {asset.name} has no texture coordinates; {Path(asset.texture).name} is not drawn on it"
        ledger.add(Fate.NOTED, "pybullet.no-texture-coordinates", message, where, target=TARGET)
    picture = assets.png_texture(str(asset.texture), TARGET, ledger, where=where) if textured else None
    if picture is None:
        return assets.stored(asset.data, ".obj")
    material = f"newmtl skin\nKd 1 1 1\nmap_Kd {_beside(assets.stored(picture, '.png'))}\n"
    library = assets.stored(material.encode(), ".mtl")
    return assets.stored(f"mtllib {_beside(library)}\nusemtl skin\n".encode() + asset.data, ".obj")


def _beside(path: Path) -> str:
    """How one stored file names another: PyBullet looks from the folder of the mesh, whose name may hold blanks."""
    return f"../{path.parent.name}/{path.name}"


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


def corners_stl(obj: bytes) -> bytes:
    """The corners of an OBJ file's faces, each once, as the triangles of a binary STL file: its hull is the same."""
    corners = _corners(obj)
    count = -(-len(corners) // 3)
    padded = np.minimum(np.arange(3 * count), len(corners) - 1)
    return stl(corners[padded].reshape(-1, 3, 3))


def _corners(obj: bytes) -> NDArray[np.float32]:
    """Shape (n, 3), sorted."""
    lines = obj.decode().splitlines()
    vertices = np.array([line.split()[1:4] for line in lines if line.startswith("v ")], dtype=np.float32)
    used = {int(corner.partition("/")[0]) - 1 for line in lines if line.startswith("f ") for corner in line.split()[1:]}
    found: NDArray[np.float32] = np.unique(vertices[sorted(used)], axis=0)
    return found


def _write(value: Any, path: Path) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(value, stream)
    os.replace(scratch, path)
