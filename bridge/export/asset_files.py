"""Copies of the meshes and pictures that a model refers to, with the files that these refer to."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from loaders.files import FileError, is_file, read
from loaders.meshes.companions import companion_files
from loaders.meshes.textures import local_file

ASSETS = "assets"
"""Folder of the assets, beside the file of the model."""
_NAMES = {
    ".dae": re.compile(rb"<init_from>\s*(?:<ref>)?\s*([^<]+?)\s*<"),
    ".mtl": re.compile(rb"^\s*(?:map_\w+|bump|disp|decal|norm)\s+(?:-\S+\s+\S+\s+)*([^\r\n]+?)\s*$", re.MULTILINE),
    ".gltf": re.compile(rb'"uri"\s*:\s*"([^"]+)"'),
}
"""Patterns of the names of pictures in files, by suffix."""


@dataclass(slots=True)
class AssetFiles:
    """The files that an export copies."""

    folder: str = ASSETS
    """The folder, beside the file of the model."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Content of each file, by its path in the folder of the assets."""
    _places: dict[str, str | None] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    """Paths of the files by the same in lower case."""

    def add(self, path: str | None) -> str | None:
        """Add a mesh or picture; return its path beside the model, or None if the file cannot be read.

        Args:
            path: Path of the file.
        """
        if path is None:
            return None
        if path not in self._places:
            self._places[path] = self._added(Path(path))
        return self._places[path]

    def _added(self, file: Path) -> str | None:
        group = _group(file)
        if file not in group:
            return None
        base = Path(os.path.commonpath([path.parent for path in group]))
        contents = {path.relative_to(base).as_posix(): data for path, data in group.items()}
        return self._store(contents, file.relative_to(base).as_posix(), file.stem)

    def _store(self, contents: dict[str, bytes], main: str, stem: str) -> str:
        """Store files that belong together, in a separate folder if there are several."""
        alone = len(contents) == 1
        if alone:  # no other file refers to its name
            main = f"{_plain(stem)}{Path(main).suffix}"
            contents = {main: next(iter(contents.values()))}
        digest = hashlib.sha256(b"".join(contents.values())).hexdigest()[:8]
        for folder in ("" if alone else f"{_plain(stem)}/", f"{_plain(stem)}_{digest}/"):
            names = {f"{folder}{name}": data for name, data in contents.items()}
            if all(self._is_free(name, data) for name, data in names.items()):
                break
        self.files |= names
        self._names |= {name.casefold(): name for name in names}
        return f"{self.folder}/{folder}{main}"

    def _is_free(self, name: str, data: bytes) -> bool:
        """Return whether a name is not taken by other content, also where file systems ignore case."""
        existing = self._names.get(name.casefold())
        return existing is None or (existing == name and self.files[existing] == data)


def _group(file: Path) -> dict[Path, bytes]:
    """Return a file and all that it refers to, directly or not, with their contents."""
    found: dict[Path, bytes] = {}
    pending = [file]
    while pending:
        path = pending.pop()
        if path in found:
            continue
        try:
            found[path] = read(path, option="mesh_file_bytes")
        except FileError:
            continue
        pending.extend(_named(path, found[path]))
    return found


def _named(path: Path, data: bytes) -> Iterable[Path]:
    yield from (Path(name) for name in companion_files(str(path)) if is_file(name))
    pattern = _NAMES.get(path.suffix.lower())
    for match in pattern.finditer(data) if pattern else ():
        name = local_file(match[1].decode("utf-8", errors="ignore"), path)
        if name is not None:
            yield Path(name)


def _plain(stem: str) -> str:
    return re.sub(r"[^\w.-]+", "_", stem, flags=re.ASCII).strip("._") or "mesh"
