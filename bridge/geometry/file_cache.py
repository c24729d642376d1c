"""The folder in which files for engines, and results that take long, are kept between runs."""

from __future__ import annotations

import errno
import hashlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from bridge.output import OutputFolderError, remove_unused, write_file, write_folder

_ATTEMPTS = 20
"""Attempts at writing a folder that other processes write and damage at the same time."""
_RACES = (errno.EEXIST, errno.ENOENT, errno.ENOTEMPTY)
"""Errors of a folder that another process put in place, or took away, in the meantime."""


def cache_folder() -> Path:
    """Return the folder of the cache: the environment variable ``SDFBRIDGE_CACHE``, or the user's cache folder.

    Raises:
        OSError: if the user has no home folder.
    """
    return Path(cache_path())


def cache_path() -> str:
    """Return the path of `cache_folder` as text, in a tenth of the time.

    Raises:
        OSError: if the user has no home folder.
    """
    chosen = os.environ.get("SDFBRIDGE_CACHE")
    if chosen:
        return chosen
    if sys.platform == "win32":
        return f"{os.environ.get('LOCALAPPDATA') or _home() + '/AppData/Local'}/sdfbridge/cache"
    if sys.platform == "darwin":
        return f"{_home()}/Library/Caches/sdfbridge"
    return f"{os.environ.get('XDG_CACHE_HOME') or _home() + '/.cache'}/sdfbridge"


def _home() -> str:
    home = os.path.expanduser("~")
    if home.startswith("~"):
        raise FileNotFoundError("the user has no home folder")
    return home


def stored(data: bytes, suffix: str, folder: str = "") -> Path:
    """Return a file of the cache with the given content, named by its hash; it is written once, and atomically.

    A file of this name with other content, left by a full disk or a fault, is replaced.

    Args:
        data: The content.
        suffix: End of the file's name.
        folder: Folder in the cache, for files that refer to one another by name; empty is one by the hash.

    Raises:
        OSError: if the cache cannot be written.
    """
    digest = hashlib.sha256(data).hexdigest()
    path = cache_folder() / (folder or digest[:2]) / f"{digest}{suffix}"
    if not _contains(path, data):
        write_file(path, data, make_folder=True)
    return path


def _contains(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def stored_folder(files: Mapping[str, bytes], family: str) -> Path:
    """Return a folder of the cache with these files, named by their content; it is written at once.

    Folders of the same family that nobody asked for during a week are removed.

    Args:
        files: Content of each file, by its path in the folder.
        family: Folder in the cache for the versions of the same thing.

    Raises:
        OSError: if the cache cannot be written.
    """
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name} {len(data)} ".encode() + hashlib.sha256(data).digest())
    folder = cache_folder() / family / digest.hexdigest()[:32]
    for attempt in range(_ATTEMPTS):
        if all(_contains(folder / name, data) for name, data in files.items()):
            break
        try:
            write_folder(folder, files, force=True)
        except OSError as error:
            is_race = isinstance(error, OutputFolderError) or error.errno in _RACES
            if not is_race or attempt == _ATTEMPTS - 1:
                raise
    remove_unused(folder.parent, folder)
    return folder


def content_of(path: str | Path) -> bytes:
    """Return the content of a file of the cache, with few calls of the operating system: a scene has a hundred files.

    Raises:
        OSError: if it cannot be read.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        size = os.fstat(descriptor).st_size
        data = os.read(descriptor, size)
        while len(data) < size and (piece := os.read(descriptor, size - len(data))):
            data += piece
    finally:
        os.close(descriptor)
    return data


def write_checked(path: Path, data: bytes) -> None:
    """Write a file of the cache with the hash of its content; make its folder if necessary.

    Args:
        path: The file.
        data: The content.

    Raises:
        OSError: if it cannot be written; nothing remains of it then.
    """
    write_file(path, hashlib.sha256(data).hexdigest().encode() + b"\n" + data, make_folder=True)


def read_checked(path: str | Path) -> bytes | None:
    """Return the content of a file that `write_checked` wrote; None if there is none, or if it was cut or altered."""
    try:
        digest, _, data = content_of(path).partition(b"\n")
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest().encode() == digest else None
