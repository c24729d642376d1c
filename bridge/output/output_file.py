"""Writing a single file: the old content or the new one, whole.

The new content is written into a hidden draft beside the file and takes its place in one step of the file system. A
kill leaves the old file or the new one, and perhaps the draft. Each process holds a lock on its drafts, which ends with
the process: a later process that writes into the same folder removes drafts that nobody holds.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

_DRAFT = re.compile(r"\.sdfbridge-[0-9a-f]{16}")
_FRESH = 60.0
"""Age below which a draft is left alone, because its process may not have locked it yet [s]."""
_CHUNK = 1 << 20
"""Number of bytes from which pieces are written."""
_FORGOTTEN = 24 * 3600.0
"""Age from which a draft is removed where there are no locks [s]."""


def write_file(path: str | os.PathLike[str], data: bytes | Iterable[bytes], *, make_folder: bool = False) -> Path:
    """Write a file in one step of the file system, over an existing one; return its path.

    A symbolic link is followed to its file; a pipe or a device, such as ``/dev/stdout``, is written to directly.

    Args:
        path: The file to write.
        data: The content, or its pieces in order.
        make_folder: Whether to make the folder of the file if it does not exist.

    Raises:
        OSError: if the file system refuses; the old content is in place then.
    """
    place = Path(os.path.realpath(path))
    pieces = (data,) if isinstance(data, bytes) else data
    if place.exists() and not place.is_file():
        place.write_bytes(b"".join(pieces))
        return Path(path)
    if make_folder:
        place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_name(f".sdfbridge-{secrets.token_hex(8)}")
    try:
        _write_draft(draft, place, pieces)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
    _sweep_once(str(place.parent), os.getpid())
    return Path(path)


def _write_draft(draft: Path, place: Path, pieces: Iterable[bytes]) -> None:
    """Write a draft and put it in its place, with the mode of the old file."""
    with draft.open("xb", buffering=0) as stream:
        _lock(stream.fileno())
        for piece in _gathered(pieces):
            view = memoryview(piece)
            while view:
                view = view[stream.write(view) :]
        if place.exists():
            draft.chmod(stat.S_IMODE(place.stat().st_mode))
        if os.name == "posix":  # the lock is held until the draft has its place
            draft.replace(place)
    if os.name != "posix":
        draft.replace(place)


def _gathered(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in larger pieces, for fewer calls of the system."""
    kept: list[bytes] = []
    size = 0
    for piece in pieces:
        kept.append(piece)
        size += len(piece)
        if size > _CHUNK:
            yield b"".join(kept)
            kept, size = [], 0
    yield b"".join(kept)


def _lock(handle: int) -> bool:
    """Lock an open file unless another process has; return whether it is locked now."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


@cache
def _sweep_once(folder: str, _process: int) -> None:
    """Remove the drafts that killed processes left in a folder; once in each process."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if _DRAFT.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _remove_if_left(entry)


def _remove_if_left(entry: os.DirEntry[str]) -> None:
    age = time.time() - entry.stat(follow_symlinks=False).st_mtime
    if age < _FRESH:
        return
    handle = os.open(entry.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    try:
        is_left = _lock(handle) or age > _FORGOTTEN
    finally:
        os.close(handle)
    if is_left:
        os.remove(entry.path)
