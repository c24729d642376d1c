"""A file of lines that grows while a long run works, and survives its interruption at any point.

A line is appended with one call of the operating system, so that a kill leaves it whole or not at
all. After a power failure the last line may be torn, and those of the last moments may be missing;
a torn line is removed before more are appended.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

_SYNC_INTERVAL = 0.5
"""Time between two requests to the operating system to put lines on the disk [s]."""
_CHUNK = 1 << 16


class Journal:
    """An open file of lines to which one process appends.

    Attributes:
        path: The file.
    """

    def __init__(self, path: str | os.PathLike[str], *, keep: bool) -> None:
        """Open or create the file.

        Args:
            path: The file; its folder exists.
            keep: Whether to keep the whole lines of an existing file.

        Raises:
            OSError: if the file system refuses.
        """
        self.path = Path(path)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        self._handle = os.open(self.path, flags, 0o666)
        self._end = _end_of_whole_lines(self._handle) if keep else 0
        self._synced = time.monotonic()
        os.ftruncate(self._handle, self._end)

    def append(self, line: bytes) -> int:
        """Append a line and return where it begins.

        Args:
            line: The text without its end.

        Raises:
            OSError: if the file system refuses; nothing remains of the line then.
        """
        begin, data = self._end, memoryview(line + b"\n")
        os.lseek(self._handle, begin, os.SEEK_SET)
        try:
            while data:
                data = data[os.write(self._handle, data) :]
        except OSError as error:
            os.ftruncate(self._handle, begin)
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        self._end += len(line) + 1
        if time.monotonic() - self._synced > _SYNC_INTERVAL:
            self._sync()
        return begin

    def close(self) -> None:
        """Put all lines on the disk and close the file."""
        if self._handle >= 0:
            self._sync()
            os.close(self._handle)
            self._handle = -1

    def _sync(self) -> None:
        with contextlib.suppress(OSError):  # pipes and some network file systems have no such call
            os.fsync(self._handle)
        self._synced = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def whole_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """Yield where each line of a file begins, and its text; a last line without an end is left out.

    Args:
        path: The file; none is yielded if it does not exist.
    """
    if not Path(path).is_file():
        return
    begin = 0
    with open(path, "rb") as stream:
        for line in stream:
            if line.endswith(b"\n"):
                yield begin, line[:-1]
            begin += len(line)


def set_aside(path: Path, name: str) -> None:
    """Give a file of lines another name in the same folder, unless there is an earlier file of this
    name.

    Args:
        path: The file; nothing is done if it does not exist or has no whole line.
        name: The other name.

    Raises:
        OSError: if the file system refuses.
    """
    aside = path.with_name(name)
    if not aside.exists() and next(whole_lines(path), None) is not None:
        path.rename(aside)


def remove_aside(path: Path, name: str) -> None:
    """Remove the file that `set_aside` has left, if there is one.

    Args:
        path: The file that was set aside.
        name: The other name.

    Raises:
        OSError: if the file system refuses.
    """
    path.with_name(name).unlink(missing_ok=True)


def line_at(path: str | os.PathLike[str], begin: int) -> bytes:
    """Return the line of a file that begins at a place, without its end.

    Raises:
        OSError: if the file cannot be read.
    """
    with open(path, "rb") as stream:
        stream.seek(begin)
        return stream.readline().rstrip(b"\n")


def _end_of_whole_lines(handle: int) -> int:
    """Return the place after the last end of a line."""
    end = os.lseek(handle, 0, os.SEEK_END)
    while end > 0:
        begin = max(0, end - _CHUNK)
        os.lseek(handle, begin, os.SEEK_SET)
        last = os.read(handle, end - begin).rfind(b"\n")
        if last >= 0:
            return begin + last + 1
        end = begin
    return 0


class FolderInUseError(OSError):
    """Another process writes into the folder."""


@contextlib.contextmanager
def exclusive_use(folder: Path) -> Iterator[None]:
    """Make a folder if it does not exist, and let no other process into a block for it; the lock
    ends with the process.

    Raises:
        FolderInUseError: if another process is in such a block.
        OSError: if the folder cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # Windows has no lock on folders
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FolderInUseError(
                errno.EBUSY, "another run writes into this folder", str(folder)
            ) from error
        except OSError:
            pass  # some network file systems have no locks
        yield
    finally:
        os.close(handle)
