"""The folder in which files for engines, and results that take long, are kept between runs."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder of the cache: the environment variable ``SDFBRIDGE_CACHE``, or the user's cache folder."""
    chosen = os.environ.get("SDFBRIDGE_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "sdfbridge" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "sdfbridge"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "sdfbridge"


def stored(data: bytes, suffix: str, folder: str = "") -> Path:
    """Return a file of the cache with the given content, named by its hash; it is written once, and atomically.

    Args:
        data: The content.
        suffix: End of the file's name.
        folder: Folder in the cache, for files that refer to one another by name; empty is one by the hash.
    """
    digest = hashlib.sha256(data).hexdigest()
    path = cache_folder() / (folder or digest[:2]) / f"{digest}{suffix}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    return path
