"""Temporary files that PyBullet reads once, removed at the end of a load.

PyBullet caches every file by its name and does not read it again. The name therefore depends on the content: repeating
a load needs no more memory, and changed content is never confused with old content. The files lie directly in the
temporary folder, because creating and removing a folder can take longer than loading a small robot.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from bridge.output import create_scratch_file, scratch_path


@dataclass(slots=True, eq=False)
class TemporaryFiles:
    """The temporary files of one load."""

    folder: str
    _paths: dict[str, str] = field(default_factory=dict)

    def write(self, data: bytes, suffix: str) -> str:
        """Write a file with this content, unless it exists already, and return its path."""
        name = f"sdfbridge-{hashlib.sha256(data).hexdigest()[:32]}-{os.getpid()}{suffix}"
        if name not in self._paths:
            self._paths[name] = self._create(name, data, suffix)
        return self._paths[name]

    def _create(self, name: str, data: bytes, suffix: str) -> str:
        """Create a file of this name, or of another name if a thread or another process uses this one."""
        path = f"{self.folder}/{name}"
        while not create_scratch_file(path, data):
            path = f"{self.folder}/{name.removesuffix(suffix)}-{secrets.token_hex(8)}{suffix}"
        return path

    def clear(self) -> None:
        """Remove the files."""
        while self._paths:
            with suppress(OSError):
                os.remove(self._paths.popitem()[1])


@contextmanager
def temporary_files() -> Iterator[TemporaryFiles]:
    """Provide temporary files for one load; they are removed at the end, also after an error."""
    files = TemporaryFiles(scratch_path())
    try:
        yield files
    finally:
        files.clear()
