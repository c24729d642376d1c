"""The files on which the result of a call depends: those that were read, and those that were looked for and not found.

A block in `recorded` learns of each. `loaders.files.read` notes what it reads, the search for URIs notes what it finds
and misses, and a cache notes the files of which it has a result.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Observer = Callable[[str, str | None], None]
"""Called with the absolute path of a file, and the SHA-256 of the content that was read; None if it is unknown."""

_OBSERVER: ContextVar[Observer | None] = ContextVar("_OBSERVER", default=None)


@contextmanager
def recorded(observer: Observer) -> Iterator[None]:
    """Tell a function of every file on which the calls in a block depend; a file may be named several times.

    Args:
        observer: The function. A file that does not exist counts too, since the result changes when it appears.
    """
    token = _OBSERVER.set(observer)
    try:
        yield
    finally:
        _OBSERVER.reset(token)


def note_read(path: str | os.PathLike[str], data: bytes) -> None:
    """Note that a file was read.

    Args:
        path: The file.
        data: Its content.
    """
    observer = _OBSERVER.get()
    if observer is not None:
        observer(os.path.abspath(path), hashlib.sha256(data).hexdigest())


def note_file(path: str | os.PathLike[str]) -> None:
    """Note that a result depends on a file, or on its absence, without the content at hand."""
    if _OBSERVER.get() is not None:
        note_files((path,))


def note_files(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Note that a result depends on files, as `note_file` does."""
    observer = _OBSERVER.get()
    if observer is None:
        return
    for path in paths:
        observer(os.path.abspath(os.fspath(path).replace("\0", "")), None)
