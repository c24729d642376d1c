"""The manifest of an output folder: which files an export wrote, and the hash of each.

The manifest lies in the folder itself. A file that it lists with another hash was edited since; an entry that it does
not list belongs to somebody else.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

MANIFEST = ".sdfbridge-manifest.json"
"""Name of the manifest in an output folder."""

_FORMAT = 1
_MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FolderState:
    """The entries of an existing output folder, compared with its manifest.

    Attributes:
        edited: Files of the manifest whose content has changed since, or that are no regular files any more.
        foreign: Entries that no export wrote: files, links, and folders that the manifest does not need.
    """

    edited: tuple[str, ...]
    foreign: tuple[str, ...]


def manifest_text(files: Mapping[str, bytes]) -> bytes:
    """Return the manifest of these files.

    Args:
        files: Content of each file, by its path in the folder with ``/`` between the parts.
    """
    hashes = {file: hashlib.sha256(data).hexdigest() for file, data in sorted(files.items())}
    return (json.dumps({"sdfbridge": _FORMAT, "files": hashes}, indent=1) + "\n").encode()


def folder_state(folder: Path) -> FolderState:
    """Compare an existing folder with the manifest in it; without a manifest every entry is foreign."""
    hashes = _read_hashes(folder / MANIFEST)
    folders = {"/".join(parts[:i]) for parts in (file.split("/") for file in hashes) for i in range(1, len(parts))}
    edited: list[str] = []
    foreign: list[str] = []
    for path, is_folder in _entries(folder, folders):
        if is_folder or path == MANIFEST:
            continue
        if path not in hashes:
            foreign.append(path)
        elif _hash(folder / path) != hashes[path]:
            edited.append(path)
    return FolderState(edited=tuple(sorted(edited)), foreign=tuple(sorted(foreign)))


def _entries(folder: Path, folders: Collection[str]) -> list[tuple[str, bool]]:
    """Every entry by its path, and whether it is a folder of the manifest, into which the walk descends."""
    found: list[tuple[str, bool]] = []
    pending = [""]
    while pending:
        prefix = pending.pop()
        for entry in os.scandir(folder / prefix):
            path = f"{prefix}/{entry.name}" if prefix else entry.name
            is_folder = path in folders and entry.is_dir(follow_symlinks=False)
            found.append((path, is_folder))
            if is_folder:
                pending.append(path)
    return found


def _read_hashes(path: Path) -> dict[str, str]:
    """The hash of each file that a manifest lists; nothing if there is no manifest that can be trusted."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            return {}
        content = json.loads(path.read_bytes())
        files = content["files"] if content["sdfbridge"] == _FORMAT else {}
        return {str(file): str(digest) for file, digest in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _hash(path: Path) -> str:
    """The hash of a regular file; empty for anything else."""
    if not stat.S_ISREG(path.lstat().st_mode):
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
