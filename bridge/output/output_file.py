"""Writing a single file that the caller names: the old content or the new one, whole."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path


def write_file(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write a file in one step of the file system, over an existing one; return its path.

    A kill leaves the old content or the new one. A symbolic link is followed to its file; a pipe or a
    device, such as ``/dev/stdout``, is written to directly.

    Args:
        path: The file to write; its folder must exist.
        data: The content.

    Raises:
        OSError: if the file system refuses; the old content is in place then.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        place.write_bytes(data)
        return Path(path)
    draft = place.with_name(f".sdfbridge-{secrets.token_hex(8)}")
    try:
        draft.write_bytes(data)
        if place.exists():
            draft.chmod(stat.S_IMODE(place.stat().st_mode))
        draft.replace(place)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
    return Path(path)
