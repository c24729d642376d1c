"""Files that PyBullet reads once: in the temporary folder for one load, gone afterwards.

PyBullet keeps every file that it read, by name, and does not look again. So a name says what the file holds: a load
that is repeated costs no more memory, and what changed is never taken for what it was. There is no folder of their own,
because making and removing one can take longer than loading a small robot.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True, eq=False)
class Scratch:
    """The files of one load."""

    folder: str
    _made: dict[str, str] = field(default_factory=dict)

    def file(self, data: bytes, suffix: str) -> str:
        """The path of a file with this content."""
        name = f"sdfbridge-{hashlib.sha256(data).hexdigest()[:32]}-{os.getpid()}{suffix}"
        if name not in self._made:
            handle, self._made[name] = self._opened(name, suffix)
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
        return self._made[name]

    def _opened(self, name: str, suffix: str) -> tuple[int, str]:
        """A new file of this name; of another one if it is there already, from a process or thread that goes on."""
        path = f"{self.folder}/{name}"
        try:
            return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600), path
        except FileExistsError:
            return tempfile.mkstemp(suffix, "sdfbridge-", self.folder)

    def clear(self) -> None:
        """Remove the files."""
        while self._made:
            with suppress(OSError):
                os.remove(self._made.popitem()[1])


@contextmanager
def scratch() -> Iterator[Scratch]:
    """Where files of one load go; they are gone at the end, after errors too."""
    files = Scratch(Path(tempfile.gettempdir()).as_posix())
    try:
        yield files
    finally:
        files.clear()
