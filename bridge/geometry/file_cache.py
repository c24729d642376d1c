"""The folder in which files for engines, and results that take long, are kept between runs."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder of the cache: the environment variable ``SDFBRIDGE_CACHE``, or the user's cache folder.

    Raises:
        OSError: if the user has no home folder.
    """
    chosen = os.environ.get("SDFBRIDGE_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or _home() / "AppData" / "Local") / "sdfbridge" / "cache"
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "sdfbridge"
    return Path(os.environ.get("XDG_CACHE_HOME") or _home() / ".cache") / "sdfbridge"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise FileNotFoundError("the user has no home folder") from error


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
        write_atomically(path, data)
    return path


def _contains(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that readers find it complete or not at all; make its folder if necessary.

    Args:
        path: The file.
        data: Its content.

    Raises:
        OSError: if it cannot be written; nothing remains of it then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.remove(temporary)
        raise
