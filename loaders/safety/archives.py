"""Files in an archive of MuJoCo (``.mjz``, ``.zip``), read in place: its path goes on as that of a folder.

``robot.mjz/meshes/arm.obj`` is the member ``meshes/arm.obj``. The operating system refuses such a path, and only then
is the archive asked, so that other files cost nothing. Nothing is unpacked to the disk.

Members are untrusted. An archive with a member that is no plain file, or whose name might lead elsewhere, is refused as
a whole. `zipfile` reads the list of members only: to open a member it would read that list again, and it knows more
methods of compression than MuJoCo.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
import struct
import zlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .library_errors import raised_as
from .limits import FileError, how_to_raise, limit_of

if TYPE_CHECKING:
    from zipfile import ZipInfo

MAX_RATIO = 100
"""Largest size of the members in terms of that of the archive; small archives may have more."""
_SMALL = 16 << 20
"""Number of bytes that the members of any archive may have together."""
_LIST_BYTES = 1024
"""Largest number of bytes of the list of members for each member that is allowed."""
_THROUGH = re.compile(r"\.(?:mjz|zip)(?=[/\\])", re.IGNORECASE)
_END = struct.Struct("<4s4H2LH")
"""End of the list of members: signature, two disks, two numbers of members, size and place of the list, comment."""
_LOCAL = struct.Struct("<4s5H3L2H")
"""Start of a member: signature, version, flags, method, two times, sum, two sizes, lengths of name and extra field."""
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_STORED, _DEFLATED = 0, 8
_XML = ".xml"
_MAIN = f"model{_XML}"
"""Name of the main model in an archive that MuJoCo writes."""
FOLDER = -1
"""Size of a folder in an archive."""


class ArchiveError(FileError):
    """An archive, or a file in it, is not read."""

    def __init__(self, reason: str, hint: str = "", code: str = "file.archive") -> None:
        super().__init__(code, reason, hint)


class _Archive(NamedTuple):
    """The list of the members of an archive."""

    members: Mapping[str, ZipInfo]
    """The files, by name."""
    folders: frozenset[str]
    """The folders, the top one under an empty name."""


def archive_of(path: str) -> str | None:
    """Return the archive through which a path leads, or None."""
    split = _split(path)
    return None if split is None else split[0]


def size_inside(path: str) -> int | None:
    """Return the number of bytes of a file in an archive, or `FOLDER`; None if the path leads to nothing in an archive.

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
    member = archive.members.get(split[1])
    return member.file_size if member is not None else FOLDER if split[1] in archive.folders else None


def read_inside(path: str, most: int) -> bytes | None:
    """Return the contents of a file in an archive, or None if the path leads to no file in an archive.

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


def main_member(path: str) -> str:
    """Return the path of the model in an archive: the one that MuJoCo takes, or else the only XML file.

    MuJoCo takes ``model.xml``, else the file called like the archive, else that file in a folder called like the
    archive, else ``model.xml`` in that folder. An archive that ``MjSpec.to_zip`` of Python writes has one XML file,
    called like the model.

    Args:
        path: The archive; any path that is none is returned as it is.

    Raises:
        ArchiveError: if the archive may not be read, or no model in it is the main one.
    """
    if not os.path.isfile(path):
        if (size_inside(path) or 0) > 0:
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
        raise ArchiveError(f"none of the {len(names)} XML files in the archive is called {_MAIN}: {shown}", hint)
    return os.path.join(path, *main.split("/"))


def _split(path: str) -> tuple[str, str] | None:
    """Return the archive through which a path leads, and the name of the member; None if it leads through none."""
    for match in _THROUGH.finditer(path):
        archive = path[: match.end()]
        if os.path.isfile(archive):
            name = posixpath.normpath(path[match.end() + 1 :].replace(os.sep, "/"))
            return None if name.startswith("..") else (archive, "" if name == "." else name)
    return None


# --- the list of members ----------------------------------------------------------------------------------------------


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
    with open(path, "rb") as file:
        file.seek(max(0, state[1] - (1 << 16) - _END.size))  # a comment at the end has up to 65,535 bytes
        _check_end(file.read(), files)
        with ZipFile(file) as zipped:
            entries = zipped.infolist()
    if len(entries) > files:
        raise _past("files")
    total = sum(entry.file_size for entry in entries)
    if total > most:
        raise _past("bytes")
    if total > max(_SMALL, MAX_RATIO * state[1]):
        raise ArchiveError(f"the files in the archive have more than {MAX_RATIO} times its size", "unpack it")
    return _checked(entries)


def _check_end(data: bytes, files: int) -> None:
    """Check that the list of members is not too long to be read; `zipfile` takes the same record as its end."""
    start = len(data) - _END.size
    if start < 0 or not (data.startswith(b"PK\5\6", start) and data.endswith(b"\0\0")):
        start = data.rfind(b"PK\5\6")
    if start < 0 or start + _END.size > len(data):
        raise ArchiveError("it is no ZIP archive, or its end is missing", "check that the file is complete")
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
    folders = {""}
    for entry in entries:
        name = entry.filename
        problem = _problem(entry) or ("occurs twice" if name in members else "")
        if problem:
            raise ArchiveError(f"the member {name[:80]!r} {problem}", "unpack the archive, and check its files")
        if not entry.is_dir():
            members[name] = entry
        parent = posixpath.dirname(name)
        while parent not in folders:
            folders.add(parent)
            parent = posixpath.dirname(parent)
    clash = next((name for name in members if name in folders), None)
    if clash is not None:
        raise ArchiveError(f"the member {clash[:80]!r} is a file and a folder", "unpack the archive")
    return _Archive(members, frozenset(folders))


def _problem(entry: ZipInfo) -> str:
    """Return what is wrong with a member; empty if nothing is."""
    name, kind = entry.filename, stat.S_IFMT(entry.external_attr >> 16)
    parts = name.removesuffix("/").split("/")
    if entry.orig_filename != name or "\\" in name or "\0" in name or ":" in parts[0] or len(name) > 1024:
        return "has a name that is not plain"
    if {"", ".", ".."} & set(parts):
        return "has a name that is absolute or has parts such as .."
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR} or (kind == stat.S_IFDIR and not entry.is_dir()):
        return "is a symbolic link or a special file"
    if entry.flag_bits & _ENCRYPTED:
        return "is encrypted"
    return "" if entry.compress_type in {_STORED, _DEFLATED} else "is compressed by a method other than deflate"


def _past(option: str) -> ArchiveError:
    reason = f"the archive has more than {limit_of(option)} {option}, the limit {option}"
    return ArchiveError(reason, how_to_raise(option), "file.too-large")


# --- the contents of a member -----------------------------------------------------------------------------------------


def _unpacked(path: str, member: ZipInfo, most: int) -> bytes:
    """Return the contents of a member, at most so many bytes."""
    problem = f"the member {member.filename[:80]!r} is damaged"
    with raised_as(ArchiveError, problem):
        with open(path, "rb") as file:
            file.seek(member.header_offset)
            header = _LOCAL.unpack(file.read(_LOCAL.size))
            file.seek(header[9] + header[10], os.SEEK_CUR)
            packed = file.read(member.compress_size)
        if header[0] != b"PK\3\4" or header[3] != member.compress_type or len(packed) < member.compress_size:
            raise ArchiveError(problem, "check that the archive is complete")
        limit = min(most, member.file_size + 1)
        data = packed[:limit] if member.compress_type == _STORED else zlib.decompressobj(-15).decompress(packed, limit)
    if len(data) < most and (len(data) != member.file_size or zlib.crc32(data) != member.CRC):
        raise ArchiveError(problem, "check that the archive is complete")
    return data
