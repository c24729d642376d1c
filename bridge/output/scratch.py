"""Scratch files and folders in the temporary folder of the system, with the process that they
belong to in their name.

A process that is killed leaves its own. The next process of the same user that needs scratch
removes them: those whose process has ended, and which nobody has changed for an hour. The hour
protects processes that share the folder but not the numbers of processes, such as those of other
containers. A process that works in the scratch of another one ends with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import secrets
import shutil
import signal
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_NAME = re.compile(r"sdfbridge-(?:[0-9a-f]{32}-)?(\d{1,10})(?:-[0-9a-f]{8,16})?(?:\.\w{1,8})?")
_SETTLED = 3600.0
"""Time without a change after which scratch of a process that has ended is removed [s]."""
_FORGOTTEN = 24 * 3600.0
"""The same where it cannot be known whether a process has ended [s]."""
_UNUSED = 7 * 24 * 3600.0
"""Time after which a folder of a cache that nobody uses is removed [s]."""


_PDEATHSIG = 1
"""Option of Linux's ``prctl``: the signal that a process gets when its parent ends."""


def die_with_parent() -> None:
    """Let the kernel kill this process when its parent ends, where it can."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)


def scratch_place() -> Path:
    """Return the temporary folder of the system, rid of what killed processes left there."""
    return Path(scratch_path())


def scratch_path() -> str:
    """Return the path of `scratch_place` as text, in a fifth of the time."""
    place = tempfile.gettempdir()
    _sweep_once(place, os.getpid())
    return place if os.sep == "/" else Path(place).as_posix()


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Provide an empty folder that only this user can read; it is removed at the end.

    Raises:
        OSError: if it cannot be made.
    """
    folder = scratch_place() / f"sdfbridge-{os.getpid()}-{secrets.token_hex(8)}"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def create_scratch_file(path: str, data: bytes) -> bool:
    """Create a file that only this user can read; return False if it exists.

    Args:
        path: The file.
        data: Its content.

    Raises:
        OSError: if it cannot be written; nothing remains of it then.
    """
    try:
        handle = os.open(
            path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600
        )
    except FileExistsError:
        return False
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(path)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, path) from error
        raise
    return True


def remove_unused(family: Path, used: Path) -> None:
    """Remove the folders of a cache that were not used for a week.

    Args:
        family: The folder that holds them.
        used: The one that is used now.
    """
    with contextlib.suppress(OSError):
        os.utime(used)
        for entry in os.scandir(family):
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode) and time.time() - status.st_mtime > _UNUSED:
                shutil.rmtree(entry.path, ignore_errors=True)


@cache
def _sweep_once(place: str, _process: int) -> None:
    """Remove what killed processes left; once in each process."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(place):
            with contextlib.suppress(OSError):
                _remove_if_left(entry)


def _remove_if_left(entry: os.DirEntry[str]) -> None:
    match = _NAME.fullmatch(entry.name)
    if match is None or not _is_left(int(match[1]), entry.stat(follow_symlinks=False)):
        return
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path, ignore_errors=True)
    else:
        os.remove(entry.path)


def _is_left(process: int, status: os.stat_result) -> bool:
    age = time.time() - max(status.st_mtime, status.st_ctime)
    if not hasattr(os, "geteuid"):  # Windows, where os.kill with 0 sends Ctrl+C
        return age > _FORGOTTEN
    return status.st_uid == os.geteuid() and age > _SETTLED and not _is_running(process)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it belongs to another user
        return True
    return True
