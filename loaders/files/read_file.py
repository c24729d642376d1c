"""The one function that opens files, the archives that it looks into, and the record of files read.

Every other module that reads a model, a mesh, an image or a companion of these calls `read`.

A block in `recorded` learns of each. `loaders.files.read_file.read` notes what it reads, the search
for URIs notes what it finds and misses, and a cache notes the files that its results depend on.

``robot.mjz/meshes/arm.obj`` is the member ``meshes/arm.obj``. The operating system refuses such a
path, and only then is the archive asked, so that other files cost nothing. Nothing is unpacked to
the disk.

A path is checked before the file is opened, and a link on its way may be exchanged in between. So
`checked` keeps where the path led, and a file that turns out to lie elsewhere, once it is open, is
not read.

Members are untrusted. An archive with a member that is no plain file, or whose name might lead
elsewhere, is refused as a whole. `zipfile` reads the list of members only: to open a member it
would read that list again, and it knows more methods of compression than MuJoCo.
"""

from __future__ import annotations

import errno
import hashlib
import os
import posixpath
import re
import stat
import struct
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loaders import codes
from loaders.code import Code
from loaders.limits import FileError, how_to_raise, limit_of, raised_as

if TYPE_CHECKING:
    from zipfile import ZipInfo


Observer = Callable[[str, str | None], None]
"""Called with the absolute path of a file, and the SHA-256 of the content that was read; None if it
is unknown."""

_OBSERVER: ContextVar[Observer | None] = ContextVar("_OBSERVER", default=None)


@contextmanager
def recorded(observer: Observer) -> Iterator[None]:
    """Tell a function of every file on which the calls in a block depend; a file may be named
    several times. A block around this one is told, too.

    Args:
        observer: The function. A file that does not exist counts too, since the result changes when
            it appears.
    """
    outer = _OBSERVER.get()

    def tell(path: str, digest: str | None) -> None:
        observer(path, digest)
        if outer is not None:
            outer(path, digest)

    token = _OBSERVER.set(tell)
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


_CHECKED: dict[str, str] = {}
"""Real path of each path when it was checked last, by `_key`."""
_MAX_CHECKED = 1_000_000
"""Number of paths that are kept, in about 0.3 GB; the one that was checked first goes."""


def checked(path: str, real: str | None) -> None:
    """Demand of a path that it leads, whenever it is read, where it led when it was checked.

    Args:
        path: The path of a file or folder.
        real: The real path that was checked; None to demand nothing any more.
    """
    archive = archive_of(path) if _leads_through_archive(path) else None
    if archive is not None:
        path = archive
        real = None if real is None else archive_of(real)
    if real is None:
        _CHECKED.pop(_key(path), None)
        return
    _CHECKED[_key(path)] = real
    if len(_CHECKED) > _MAX_CHECKED:
        _CHECKED.pop(next(iter(_CHECKED)), None)


def checked_path(path: str | os.PathLike[str]) -> str:
    """Return the real path that a file or folder had when it was checked; its present one if it was
    not.
    """
    return _CHECKED.get(_key(path)) or real_path(path)


def _key(path: str | os.PathLike[str]) -> str:
    """Return an absolute path in one form, but for ``..``, which may follow a link."""
    text = os.fspath(path)
    return text if ".." in text else os.path.abspath(text)


MAX_RATIO = 100
"""Largest size of the members in terms of that of the archive; small archives may have more."""
_SMALL = 16 << 20
"""Number of bytes that the members of any archive may have together."""
_LIST_BYTES = 1024
"""Largest number of bytes of the list of members for each member that is allowed."""
_THROUGH = re.compile(r"\.(?:mjz|zip)(?=[/\\])", re.IGNORECASE)
_END = struct.Struct("<4s4H2LH")
"""End of the list of members: signature, two disks, two numbers of members, size and place of the
list, comment."""
_LOCAL = struct.Struct("<4s5H3L2H")
"""Start of a member: signature, version, flags, method, two times, sum, two sizes, lengths of name
and extra field."""
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_STORED, _DEFLATED = 0, 8
_XML = ".xml"
_MAIN = f"model{_XML}"
"""Name of the main model in an archive that MuJoCo writes."""
FOLDER = -1
"""Size of a folder in an archive."""


class ArchiveError(FileError):
    """An archive, or a file in it, is not read."""

    def __init__(self, reason: str, hint: str = "", code: Code = codes.FILE_ARCHIVE) -> None:
        super().__init__(code, reason, hint)


class _Archive(NamedTuple):
    """The list of the members of an archive."""

    members: Mapping[str, ZipInfo]
    """The files, by name."""
    names: Sequence[str]
    """The names of all entries, sorted; those of folders end with a slash."""

    def has_folder(self, name: str) -> bool:
        """Return whether a name, which is empty for the top, is that of a folder."""
        start = f"{name}/"
        at = bisect_left(self.names, start)
        return not name or (at < len(self.names) and self.names[at].startswith(start))


def archive_of(path: str) -> str | None:
    """Return the archive through which a path leads, or None."""
    split = _split(path)
    return None if split is None else split[0]


def size_in_archive(path: str) -> int | None:
    """Return the number of bytes of a file in an archive, or `FOLDER`; None if the path leads to
    nothing in an archive.

    Args:
        path: The path, through that of the archive.
    """
    split = _split(path)
    if split is None:
        return None
    try:
        archive = _opened(split[0])
    except FileError:
        return None
    name = split[1]
    if name in archive.members:
        return archive.members[name].file_size
    return FOLDER if archive.has_folder(name) else None


def read_inside(path: str, most: int) -> bytes | None:
    """Return the contents of a file in an archive, or None if the path leads to no file in an
    archive.

    Args:
        path: The path, through that of the archive.
        most: Largest number of bytes that are unpacked; of a larger file as many are returned.

    Raises:
        ArchiveError: if the archive or the file is damaged or may not be read.
    """
    split = _split(path)
    if split is None:
        return None
    member = _opened(split[0]).members.get(split[1])
    return None if member is None else _unpacked(split[0], member, most)


def member_sizes(path: str) -> dict[str, int]:
    """Return the number of bytes of each file in an archive, by name.

    Args:
        path: The archive.

    Raises:
        ArchiveError: if the archive may not be read.
    """
    return {name: member.file_size for name, member in _opened(path).members.items()}


def main_member(path: str) -> str:
    """Return the path of the model in an archive: the one that MuJoCo takes, or else the only XML
    file.

    MuJoCo takes ``model.xml``, else the file called like the archive, else that file in a folder
    called like the archive, else ``model.xml`` in that folder. An archive that ``MjSpec.to_zip`` of
    Python writes has one XML file, called like the model.

    Args:
        path: The archive; any path that is none is returned as it is.

    Raises:
        ArchiveError: if the archive may not be read, or no model in it is the main one.
    """
    if not os.path.isfile(path):
        if (size_in_archive(path) or 0) > 0:
            raise ArchiveError("an archive in an archive is not read", "unpack the outer archive")
        return path
    members, stem = _opened(path).members, os.path.basename(path)[:-4]
    names = [name for name in members if name.lower().endswith(_XML)]
    usual = (_MAIN, stem + _XML, f"{stem}/{stem}{_XML}", f"{stem}/{_MAIN}")
    main = next((name for name in usual if name in members), names[0] if len(names) == 1 else None)
    if main is None and not names:
        raise ArchiveError("the archive has no XML file", f"add the model to it, as {_MAIN}")
    if main is None:
        shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        hint = f"call it {_MAIN}, or name it, such as {os.path.basename(path)}/{names[0]}"
        raise ArchiveError(
            f"none of the {len(names)} XML files in the archive is called {_MAIN}: {shown}", hint
        )
    return os.path.join(path, *main.split("/"))


def _split(path: str) -> tuple[str, str] | None:
    """Return the archive through which a path leads, and the name of the member; None if it leads
    through none.
    """
    for match in _THROUGH.finditer(path):
        archive = path[: match.end()]
        if os.path.isfile(archive):
            name = posixpath.normpath(path[match.end() + 1 :].replace(os.sep, "/"))
            if name.startswith(".."):
                return None
            return archive, "" if name == "." else name
    return None


# --- the list of members --------------------------------------------------------------------------


def _opened(path: str) -> _Archive:
    """Return the list of members of an archive, which is read once for each state of the file."""
    with raised_as(ArchiveError, "the archive cannot be read"):
        status = os.stat(path)
        state = (status.st_ino, status.st_size, status.st_mtime_ns)
        return _listed(path, state, limit_of("files"), limit_of("bytes"))


@lru_cache(maxsize=8)
def _listed(path: str, state: tuple[int, int, int], files: int, most: int) -> _Archive:
    """Return the list of members of an archive.

    Args:
        path: The archive.
        state: What changes with the file; its size is the second.
        files: Largest number of members.
        most: Largest number of bytes of the archive, and of its members.
    """
    from zipfile import ZipFile

    if state[1] > most:
        raise _past("bytes")
    with open(_opened_file(path), "rb") as file:
        file.seek(
            max(0, state[1] - (1 << 16) - _END.size)
        )  # a comment at the end has up to 65,535 bytes
        _check_end(file.read(), files)
        with ZipFile(file) as zipped:
            entries = zipped.infolist()
    if len(entries) > files:
        raise _past("files")
    total = sum(entry.file_size for entry in entries)
    if total > most:
        raise _past("bytes")
    if total > max(_SMALL, MAX_RATIO * state[1]):
        raise ArchiveError(
            f"the files in the archive have more than {MAX_RATIO} times its size", "unpack it"
        )
    return _checked(entries)


def _check_end(data: bytes, files: int) -> None:
    """Check that the list of members is not too long to be read; `zipfile` takes the same record as
    its end.
    """
    start = len(data) - _END.size
    if start < 0 or not (data.startswith(b"PK\5\6", start) and data.endswith(b"\0\0")):
        start = data.rfind(b"PK\5\6")
    if start < 0 or start + _END.size > len(data):
        raise ArchiveError(
            "it is no ZIP archive, or its end is missing", "check that the file is complete"
        )
    if data.startswith(b"PK\6\7", max(0, start - 20)):
        raise ArchiveError("ZIP64 is not read", "unpack the archive")
    if _END.unpack_from(data, start)[5] > files * _LIST_BYTES:
        raise _past("files")


def _checked(entries: Iterable[ZipInfo]) -> _Archive:
    """Return members by name.

    Raises:
        ArchiveError: if one is not a plain file with a plain name of its own.
    """
    members: dict[str, ZipInfo] = {}
    names: list[str] = []
    for entry in entries:
        name = entry.filename
        problem = _problem(entry) or ("occurs twice" if name in members else "")
        if problem:
            raise ArchiveError(
                f"the member {name[:80]!r} {problem}", "unpack the archive, and check its files"
            )
        if not entry.is_dir():
            members[name] = entry
        names.append(name)
    archive = _Archive(members, sorted(names))
    _check_places(members.values())
    clash = next((name for name in members if archive.has_folder(name)), None)
    if clash is not None:
        raise ArchiveError(
            f"the member {clash[:80]!r} is a file and a folder", "unpack the archive"
        )
    return archive


def _check_places(entries: Iterable[ZipInfo]) -> None:
    """Refuse members that share bytes of the archive, which would be read for each of them."""
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end:
            raise ArchiveError(
                f"the member {entry.filename[:80]!r} overlaps another", "unpack the archive"
            )
        end = entry.header_offset + _LOCAL.size + len(entry.filename) + entry.compress_size


def _problem(entry: ZipInfo) -> str:
    """Return what is wrong with a member; empty if nothing is."""
    name, kind = entry.filename, stat.S_IFMT(entry.external_attr >> 16)
    parts = name.removesuffix("/").split("/")
    if (
        entry.orig_filename != name
        or "\\" in name
        or "\0" in name
        or ":" in name  # Windows takes what stands before it as a drive, or a file with streams
        or len(name) > 1024
    ):
        return "has a name that is not plain"
    if not all(part.strip(". ") for part in parts):  # Windows leaves out dots and spaces at an end
        return "has a name that is absolute or has parts such as .."
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR} or (kind == stat.S_IFDIR and not entry.is_dir()):
        return "is a symbolic link or a special file"
    if entry.flag_bits & _ENCRYPTED:
        return "is encrypted"
    return (
        ""
        if entry.compress_type in {_STORED, _DEFLATED}
        else "is compressed by a method other than deflate"
    )


def _past(option: str) -> ArchiveError:
    reason = f"the archive has more than {limit_of(option)} {option}, the limit {option}"
    return ArchiveError(reason, how_to_raise(option), codes.FILE_TOO_LARGE)


# --- the contents of a member ---------------------------------------------------------------------


def _unpacked(path: str, member: ZipInfo, most: int) -> bytes:
    """Return the contents of a member, at most so many bytes."""
    problem = f"the member {member.filename[:80]!r} is damaged"
    with raised_as(ArchiveError, problem):
        with open(_opened_file(path), "rb") as file:
            file.seek(member.header_offset)
            header = _LOCAL.unpack(file.read(_LOCAL.size))
            file.seek(header[9] + header[10], os.SEEK_CUR)
            packed = file.read(member.compress_size)
        if (
            header[0] != b"PK\3\4"
            or header[3] != member.compress_type
            or len(packed) < member.compress_size
        ):
            raise ArchiveError(problem, "check that the archive is complete")
        limit = min(most, member.file_size + 1)
        data = (
            packed[:limit]
            if member.compress_type == _STORED
            else zlib.decompressobj(-15).decompress(packed, limit)
        )
    if len(data) < most and (len(data) != member.file_size or zlib.crc32(data) != member.CRC):
        raise ArchiveError(problem, "check that the archive is complete")
    return data


ARCHIVES = (".mjz", ".zip")
"""Suffixes of MuJoCo's archives, in lower case."""
_leads_through_archive = re.compile(r"\.(?:mjz|zip)[/\\]", re.IGNORECASE).search
_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK")
)
"""Flags with which a file is opened; without ``O_NONBLOCK`` a named pipe would block until somebody
writes to it."""
_ATTEMPTS = 3
"""Number of times that a file is opened which is replaced in the meantime."""


def read(
    path: str | os.PathLike[str],
    *,
    option: str = "text_file_bytes",
) -> bytes:
    """Return the contents of a file.

    Args:
        path: The file.
        option: The limit on its size, by its name in `loaders.limits.Limits`.

    Raises:
        FileError: if the file does not exist, is not a regular file, or is too large.
    """
    data = _bytes_of(path, option)
    note_read(path, data)
    return data


def size_inside(path: str | os.PathLike[str]) -> int | None:
    """Return the number of bytes of a file in an archive of MuJoCo; -1 for a folder, None for any
    other path.

    Args:
        path: The path, through that of the archive: ``robot.mjz/meshes/arm.obj``.
    """
    text = os.fspath(path)
    return size_in_archive(text) if _leads_through_archive(text) else None


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is that of a regular file, also of one in an archive that is not
    empty.
    """
    return os.path.isfile(path) or (size_inside(path) or 0) > 0


def status_of(path: str | os.PathLike[str]) -> os.stat_result:
    """Return the status of a file; of a file in an archive, that of the archive, with which it
    changes.

    Args:
        path: The file.

    Raises:
        OSError: if there is no such file.
        ValueError: if its name has a null character.
    """
    try:
        return os.stat(path)
    except OSError:
        archive = archive_of(os.fspath(path)) if is_file(path) else None
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
    return main_member(path)


def file_of(path: str) -> str:
    """Return the file on the disk that has the contents of a path: the archive of a file in an
    archive, else itself.

    Args:
        path: The path, through that of the archive if there is one.
    """
    archive = archive_of(path) if _leads_through_archive(path) else None
    return archive or path


def is_readable(
    path: str | os.PathLike[str], *, option: str, status: os.stat_result | None = None
) -> bool:
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
    return (
        stat.S_ISREG(status.st_mode)
        and status.st_size <= limit_of(option)
        and os.access(path, os.R_OK)
    )


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


def _bytes_of(
    path: str | os.PathLike[str], option: str, count: int | None = None, *, from_end: bool = True
) -> bytes:
    """Return the contents of a regular file, or its first or last bytes if their number is
    given.
    """
    limit = limit_of(option)
    note_file(path)
    try:
        descriptor = _opened_file(path)
        try:
            size = os.fstat(descriptor).st_size
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


def _opened_file(path: str | os.PathLike[str]) -> int:
    """Return the descriptor of a regular file that lies where its path led when it was checked.

    Raises:
        FileError: if it lies elsewhere, or is not a regular file.
        OSError: if it cannot be opened.
        ValueError: if its name has a null character.
    """
    for _ in range(_ATTEMPTS):
        descriptor = os.open(path, _FLAGS)
        try:
            _check_kind(os.fstat(descriptor))
            real = _CHECKED.get(_key(path))
            if real is None or _path_of(descriptor, path) == real:
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
    raise FileError(
        codes.FILE_UNREADABLE,
        "it lies elsewhere than when its path was checked",
        "change no links and folders while a model is in use, or load it again",
    )


def _path_of(descriptor: int, path: str | os.PathLike[str]) -> str:
    """Return the real path of an open file, which Linux tells; elsewhere the present one of its
    path, or an empty text if this leads to another file by now.
    """
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        real = real_path(path)
        is_same = os.path.samestat(os.lstat(real), os.fstat(descriptor))
        return real if is_same else ""


def _inside(path: str, limit: int) -> bytes | None:
    """Return the contents of a file in an archive, at most one byte past a limit; None if a path
    leads through none.
    """
    archive = archive_of(path) if _leads_through_archive(path) else None
    if archive is None:
        return None
    note_file(archive)
    data = read_inside(path, limit + 1)
    if data is None:
        raise FileError(codes.FILE_UNREADABLE_MISSING, "there is no such file in the archive")
    return data


def _too_large(limit: int, option: str) -> FileError:
    reason = f"the file is larger than {limit / (1 << 20):g} MiB, the limit {option}"
    return FileError(codes.FILE_TOO_LARGE, reason, how_to_raise(option))


def _contents(descriptor: int, size: int, most: int) -> bytes:
    """Return the contents of an open file, at most so many bytes; a file may be larger than its
    size says.
    """
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
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
    }
    kind = kinds.get(stat.S_IFMT(status.st_mode), "of another kind")
    raise FileError(codes.FILE_NOT_REGULAR, f"it must be a regular file, not {kind}")


def _unreadable(error: OSError | ValueError) -> FileError:
    if isinstance(error, OSError) and error.errno in {errno.ENXIO, errno.EOPNOTSUPP}:
        return FileError(
            codes.FILE_NOT_REGULAR, "it must be a regular file, not a socket or a device"
        )
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    kinds: dict[type, Code] = {
        FileNotFoundError: codes.FILE_UNREADABLE_MISSING,
        IsADirectoryError: codes.FILE_UNREADABLE_FOLDER,
    }
    return FileError(kinds.get(type(error), codes.FILE_UNREADABLE), reason)


# --- folders --------------------------------------------------------------------------------------


def real_path(path: str | os.PathLike[str]) -> str:
    """Return a path with all symbolic links resolved; an impossible path, such as a cycle of links,
    as it is.
    """
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return os.path.abspath(os.fspath(path).replace("\0", ""))


def direct_path(path: str) -> str:
    """Return a path without ``..`` to the same file.

    ``link/../a`` is a file beside the folder that the link leads to, but ``a`` for those who cancel
    the two as text. A path that was checked must mean one file to all who open it.

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
        names = sorted(
            entry.name for entry in os.scandir(folder) if entry.name.lower().endswith(suffix)
        )
    except OSError:
        return
    yield from (folder / name for name in names)
