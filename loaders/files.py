"""The one function that opens the files to read: regular files only, in allowed folders, up to a size.

Every other module that reads a model, a mesh, an image or a companion of these calls `read`.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from .reading.deferred import Deferred
from .reading.dependencies import note_file, note_read
from .safety.limits import FileError as FileError  # noqa: PLC0414 - for those who call read
from .safety.limits import how_to_raise, limit_of

ARCHIVES = (".mjz", ".zip")
"""Suffixes of MuJoCo's archives, in lower case."""
_leads_through_archive = re.compile(r"\.(?:mjz|zip)[/\\]", re.IGNORECASE).search
_archive_of: Callable[[str], str | None] = Deferred("loaders.safety.archives:archive_of")
_size_inside: Callable[[str], int | None] = Deferred("loaders.safety.archives:size_inside")
_read_inside: Callable[[str, int], bytes | None] = Deferred("loaders.safety.archives:read_inside")
_main_member: Callable[[str], str] = Deferred("loaders.safety.archives:main_member")
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK"))
"""Flags with which a file is opened; without ``O_NONBLOCK`` a named pipe would block until somebody writes to it."""


def read(path: str | os.PathLike[str], *, option: str = "text_file_bytes", roots: Iterable[str] | None = None) -> bytes:
    """Return the contents of a file.

    Args:
        path: The file.
        option: The limit on its size, by its name in `loaders.safety.limits.Limits`.
        roots: Real paths of the folders in which the real path of the file must lie; None for a file that the caller
            chose.

    Raises:
        FileError: if the file does not exist, is not a regular file, is too large, or lies outside the folders.
    """
    if roots is not None and not is_inside(real_path(path), roots):
        reason = f"{path} lies outside the folders that may be read"
        raise FileError("resource.outside", reason, "add its folder to paths, or use unsafe_paths=True")
    data = _bytes_of(path, option)
    note_read(path, data)
    return data


def size_inside(path: str | os.PathLike[str]) -> int | None:
    """Return the number of bytes of a file in an archive of MuJoCo; -1 for a folder, None for any other path.

    Args:
        path: The path, through that of the archive: ``robot.mjz/meshes/arm.obj``.
    """
    text = os.fspath(path)
    return _size_inside(text) if _leads_through_archive(text) else None


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is that of a regular file, also of one in an archive that is not empty."""
    return os.path.isfile(path) or (size_inside(path) or 0) > 0


def status_of(path: str | os.PathLike[str]) -> os.stat_result:
    """Return the status of a file; of a file in an archive, that of the archive, with which it changes.

    Args:
        path: The file.

    Raises:
        OSError: if there is no such file.
        ValueError: if its name has a null character.
    """
    try:
        return os.stat(path)
    except OSError:
        archive = _archive_of(os.fspath(path)) if is_file(path) else None
        if archive is None:
            raise
        return os.stat(archive)


def main_file(path: str) -> str:
    """Return the path of the model in an archive of MuJoCo; that of any other file as it is.

    Args:
        path: The file.

    Raises:
        FileError: if it is an archive without a main model, or one that may not be read.
    """
    if not path.lower().endswith(ARCHIVES):
        return path
    note_file(path)
    return _main_member(path)


def file_of(path: str) -> str:
    """Return the file on the disk that has the contents of a path: the archive of a file in an archive, else itself.

    Args:
        path: The path, through that of the archive if there is one.
    """
    return _archive_of(path) or path if _leads_through_archive(path) else path


def is_readable(path: str | os.PathLike[str], *, option: str, status: os.stat_result | None = None) -> bool:
    """Return whether `read` would read a file, as far as the file system tells without opening it.

    Args:
        path: The file.
        option: The limit on its size, as for `read`.
        status: Its status, if it is known.
    """
    try:
        status = status or os.stat(path)
    except (OSError, ValueError):
        size = size_inside(path)
        return size is not None and 0 <= size <= limit_of(option)
    return stat.S_ISREG(status.st_mode) and status.st_size <= limit_of(option) and os.access(path, os.R_OK)


def read_end(path: str | os.PathLike[str], count: int, *, option: str) -> bytes:
    """Return the last bytes of a file, which must be one that `read` would read.

    Args:
        path: The file.
        count: Largest number of bytes.
        option: The limit on its size, as for `read`.

    Raises:
        FileError: as for `read`.
    """
    return _bytes_of(path, option, count)


def read_start(path: str | os.PathLike[str], count: int, *, option: str) -> bytes:
    """Return the first bytes of a file, which must be one that `read` would read.

    Args:
        path: The file.
        count: Largest number of bytes.
        option: The limit on its size, as for `read`.

    Raises:
        FileError: as for `read`.
    """
    return _bytes_of(path, option, count, from_end=False)


def _bytes_of(path: str | os.PathLike[str], option: str, count: int | None = None, *, from_end: bool = True) -> bytes:
    """Return the contents of a regular file, or its first or last bytes if their number is given."""
    limit = limit_of(option)
    note_file(path)
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            status = os.fstat(descriptor)
            _check_kind(status)
            size = status.st_size
            if size > limit:  # a file may also grow, or state no size, as those of the kernel
                raise _too_large(limit, option)
            if count is None:
                data = _contents(descriptor, size, limit + 1)
            elif count:
                if from_end and size > count:
                    os.lseek(descriptor, size - count, os.SEEK_SET)
                data = _contents(descriptor, min(size, count), count)
            else:
                data = b""
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        inside = _inside(os.fspath(path), limit)
        if inside is None:
            raise _unreadable(error) from error
        if count is None or len(inside) > limit:
            data = inside
        else:
            data = inside[max(0, len(inside) - count) :] if from_end else inside[:count]
    if len(data) > limit:
        raise _too_large(limit, option)
    return data


def _inside(path: str, limit: int) -> bytes | None:
    """Return the contents of a file in an archive, at most one byte past a limit; None if a path leads through none."""
    archive = _archive_of(path) if _leads_through_archive(path) else None
    if archive is None:
        return None
    note_file(archive)
    data = _read_inside(path, limit + 1)
    if data is None:
        raise FileError("file.unreadable", "there is no such file in the archive", "check the path")
    return data


def _too_large(limit: int, option: str) -> FileError:
    reason = f"the file is larger than {limit / (1 << 20):g} MiB, the limit {option}"
    return FileError("file.too-large", reason, how_to_raise(option))


def _contents(descriptor: int, size: int, most: int) -> bytes:
    """Return the contents of an open file, at most so many bytes; a file may be larger than its size says."""
    pieces = [os.read(descriptor, min(size + 1, most))]  # a buffer for ``most`` would take time
    if 0 < len(pieces[0]) == size:  # there was no further byte, or none is wanted
        return pieces[0]
    while pieces[-1] and (rest := most - sum(map(len, pieces))) > 0:
        pieces.append(os.read(descriptor, min(rest, 1 << 16)))
    return b"".join(pieces) if any(pieces[1:]) else pieces[0]


def _check_kind(status: os.stat_result) -> None:
    """Check that an open file is a regular one.

    Raises:
        FileError: for a named pipe, a socket or a device.
        IsADirectoryError: for a folder.
    """
    if stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    kinds = {
        stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
    }  # fmt: skip
    kind = kinds.get(stat.S_IFMT(status.st_mode), "of another kind")
    raise FileError("file.not-regular", f"it must be a regular file, not {kind}", "replace it by a regular file")


def _unreadable(error: OSError | ValueError) -> FileError:
    if isinstance(error, OSError) and error.errno in {errno.ENXIO, errno.EOPNOTSUPP}:
        reason, hint = "it must be a regular file, not a socket or a device", "replace it by a regular file"
        return FileError("file.not-regular", reason, hint)
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    hints: dict[type, str] = {FileNotFoundError: "check the path", IsADirectoryError: "name a file in the folder"}
    return FileError("file.unreadable", reason, hints.get(type(error), ""))


# --- folders ---------------------------------------------------------------------------------------------------------


def real_path(path: str | os.PathLike[str]) -> str:
    """Return a path with all symbolic links resolved; an impossible path, such as a cycle of links, as it is."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return os.path.abspath(os.fspath(path).replace("\0", ""))


def direct_path(path: str) -> str:
    """Return a path without ``..`` to the same file.

    ``link/../a`` is a file beside the folder that the link leads to, but ``a`` for those who cancel the two as text. A
    path that was checked must mean one file to all who open it.

    Args:
        path: An absolute path.
    """
    if ".." not in path or _leads_through_archive(path):  # no name leads out of an archive
        return path
    plain, real = os.path.normpath(path), real_path(path)
    return plain if real_path(plain) == real else real


def is_inside(real: str, roots: Iterable[str]) -> bool:
    """Return whether a real path is one of the folders or lies in one.

    Args:
        real: The real path of a file or folder.
        roots: Real paths of folders.
    """
    return any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in roots)


def regular_files(folder: Path, suffix: str) -> Iterator[Path]:
    """Yield the files in a folder whose names have a suffix, sorted by name.

    Args:
        folder: The folder; none is yielded if it cannot be listed.
        suffix: End of the names, in lower case.
    """
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name.lower().endswith(suffix))
    except OSError:
        return
    yield from (folder / name for name in names)
