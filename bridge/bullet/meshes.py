"""Meshes as OBJ files, converted once: the files, and what was said of them, stay in the cache of `bridge.assets`."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge import assets
from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.model import Mesh, Rgba

from .articulation import TARGET

_EDITION = "1"
"""Of the conversion and of its record; another one is converted anew."""
MAX_PATH = 1000
"""A longer path of a mesh aborts the process inside PyBullet."""


@dataclass(frozen=True, slots=True)
class ObjFile:
    """A file, and the colour that the mesh stated."""

    path: Path
    rgba: Rgba | None


def mesh_files(mesh: Mesh, diagnostics: Diagnostics, where: Where, *, collides: bool) -> tuple[ObjFile, ...] | None:
    """The OBJ files that stand for a mesh; None if there is no cache to keep them in."""
    try:
        record = _record(mesh, collides)
        kept = _read(record)
        if kept is None:
            _convert(mesh, where, collides, record)
            kept = _read(record)
    except OSError:
        return None
    if kept is None:
        return None
    files, said = kept
    for code, fate, message, hint in said:
        diagnostics.add(Fate(fate), code, message, where, target=TARGET, hint=hint)
    return files


def _read(record: Path) -> tuple[tuple[ObjFile, ...], list[tuple[str, str, str, str]]] | None:
    """What a record says; None if there is none, or if it or one of its files cannot be used."""
    try:
        entries = json.loads(record.read_text(encoding="utf-8"))
        files = tuple(ObjFile(Path(path), tuple(rgba) if rgba else None) for path, rgba in entries["files"])
        said = [tuple(entry) for entry in entries["diagnostics"]]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    usable = all(file.path.exists() and len(os.fsencode(file.path)) <= MAX_PATH for file in files)
    return (files, said) if usable else None


def _record(mesh: Mesh, collides: bool) -> Path:
    """Where the record of a mesh is: named by all that the conversion depends on.

    Raises:
        OSError: if the mesh cannot be looked at.
    """
    if mesh.path is None:
        raise FileNotFoundError(mesh.uri)
    path = Path(mesh.path).resolve()
    looked_at = [path, *sorted(path.parent.glob("*.mtl"))] if path.suffix.lower() == ".obj" else [path]
    stamps = [(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in looked_at]
    key = hashlib.sha256(repr((_EDITION, mesh, collides, stamps)).encode()).hexdigest()
    return assets.cache_folder() / "bullet" / f"{key[:32]}.json"


def _convert(mesh: Mesh, where: Where, collides: bool, record: Path) -> None:
    ledger = Diagnostics()
    found = assets.mesh_asset(mesh, TARGET, ledger, where=where, collides=collides)
    files = [(str(assets.stored(asset.data, ".obj")), asset.rgba) for asset in found]
    said = [(entry.code, entry.fate.value, entry.message, entry.hint) for entry in ledger]
    _write({"files": files, "diagnostics": said}, record)


def _write(value: Any, path: Path) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(value, stream)
    os.replace(scratch, path)
