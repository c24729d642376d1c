"""The cache of converted files, and the records of conversions.

A record is used as long as the files that it names, those converted and those produced, are
unchanged. A file is unchanged if its size and times are those recorded, or else if its content is.
A record counts as missing if another version wrote it, if it was truncated or altered, or if its
values have other types than those expected.

Whoever records a conversion names only files that a model may have read: those in reach, see
`loaders.meshes.mesh_data`. A file is not opened again if its path has come to lead elsewhere,
through a symbolic link.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from bridge.output import OutputFolderError, remove_unused, write_file, write_folder
from loaders.diagnostics import Diagnostic, Diagnostics, Fate, Where
from loaders.files.read_file import note_file, note_files, read, real_path, status_of
from loaders.limits import FileError, Limits, charge, metered
from loaders.model.link import PartLook

_ATTEMPTS = 20
"""Attempts at writing a folder that other processes write and damage at the same time."""
_ROOT = 0
"""Number of the user who may prepare a cache for all."""
_RACES = (errno.EEXIST, errno.ENOENT, errno.ENOTEMPTY)
"""Errors of a folder that another process put in place, or took away, in the meantime."""


def cache_folder() -> Path:
    """Return the folder of the cache: the environment variable ``SDFBRIDGE_CACHE``, or the user's
    cache folder.

    Raises:
        OSError: if the user has no home folder.
    """
    return Path(cache_path())


def cache_path() -> str:
    """Return the path of `cache_folder` as text, in a tenth of the time.

    Raises:
        OSError: if the user has no home folder, or if others can choose what is in the cache.
    """
    path = _stated_path()
    if hasattr(os, "geteuid"):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            status = os.stat(path)
            is_foreign = status.st_uid not in (os.geteuid(), _ROOT)
            is_shared = status.st_gid != status.st_uid  # else it is the group of this user alone
            if is_foreign or status.st_mode & (stat.S_IWOTH | is_shared * stat.S_IWGRP):
                reason = "belongs to another user" if is_foreign else "can be written by others"
                raise PermissionError(errno.EPERM, f"the folder of the cache {reason}", path)
    return path


def _stated_path() -> str:
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
    """Return a file of the cache with the given content, named by its hash; it is written once, and
    atomically.

    A file of this name with other content, left by a full disk or a fault, is replaced.

    Args:
        data: The content.
        suffix: End of the file's name.
        folder: Folder in the cache, for files that refer to one another by name; empty is one by
            the hash.

    Raises:
        OSError: if the cache cannot be written.
    """
    digest = hashlib.sha256(data).hexdigest()
    path = cache_folder() / (folder or digest[:2]) / f"{digest}{suffix}"
    if not _contains(path, data):
        write_file(path, data, make_folder=True, private=True)
    return path


def stored_as(data: bytes, name: str, folder: str) -> Path:
    """Return a file of the cache with the given content and name, in a folder named by its hash; it
    is written once, and atomically.

    Args:
        data: The content.
        name: Name of the file.
        folder: Folder in the cache.

    Raises:
        OSError: if the cache cannot be written.
    """
    path = cache_folder() / folder / hashlib.sha256(data).hexdigest()[:32] / name
    if not _contains(path, data):
        write_file(path, data, make_folder=True, private=True)
    return path


def _contains(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and content_of(path) == data
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
            write_folder(folder, files, force=True, private=True)
        except OSError as error:
            is_race = isinstance(error, OutputFolderError) or error.errno in _RACES
            if not is_race or attempt == _ATTEMPTS - 1:
                raise
    remove_unused(folder.parent, folder)
    return folder


_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK")
)
"""A symbolic link in the place of a file counts as a file that was altered, and so does a pipe."""


def content_of(path: str | Path) -> bytes:
    """Return the content of a file of the cache, with few calls of the operating system: a scene
    has a hundred files.

    Raises:
        OSError: if it cannot be read.
    """
    descriptor = os.open(path, _FLAGS)
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
    content = hashlib.sha256(data).hexdigest().encode() + b"\n" + data
    write_file(path, content, make_folder=True, private=True)


def read_checked(path: str | Path) -> bytes | None:
    """Return the content of a file that `write_checked` wrote; None if there is none, or if it was
    cut or altered.
    """
    try:
        digest, _, data = content_of(path).partition(b"\n")
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest().encode() == digest else None


SETTLED = 50_000_000
"""Age of a file [ns] from which its times tell whether it changed; clocks of file systems tick in
up to 10 ms."""
_OPTIONS = frozenset(option.name for option in fields(Limits))
"""Names that costs may have."""


class FileState(NamedTuple):
    """The state of a file at the time of a conversion.

    Attributes:
        path: Path of the file.
        stamp: Size and times of modification and of status change; None if they cannot be relied
            on.
        digest: Hash of its content; None if it did not exist.
        real: Its path with all symbolic links resolved.
    """

    path: str
    stamp: tuple[int, int, int] | None
    digest: str | None
    real: str

    def is_current(self) -> bool:
        """Return whether the file is unchanged by its size and times, without reading it."""
        stamp = stamp_of(self.path)
        return stamp is None if self.digest is None else stamp is not None and stamp == self.stamp


Stamp = tuple[int, int, int]


def stamp_of(path: str) -> Stamp | None:
    """Return the size of a file and its times of change [ns]; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        try:
            status = status_of(path)  # of a file in an archive
        except (OSError, ValueError):
            return None
    except ValueError:  # a name with a null character
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def digest_of(path: str) -> str | None:
    """Return the SHA-256 of a file's content, or None if it cannot be read."""
    try:
        return hashlib.sha256(read(path, option="mesh_file_bytes")).hexdigest()
    except FileError:
        return None


def _state(path: str, known: dict[str, str | None]) -> FileState:
    """Return the present state of a file.

    Args:
        path: The file.
        known: Hashes of the files that were read, by their real paths; that of the file is added.
    """
    stamp, real, digest = stamp_of(path), real_path(path), None
    if stamp is not None:
        if real in known:
            note_file(path)
        else:
            known[real] = digest_of(path)
        digest = known[real]
    newest = max(stamp[1:]) if stamp is not None else 0
    is_settled = stamp == stamp_of(path) and time.time_ns() - newest > SETTLED
    return FileState(path, stamp if is_settled else None, digest, real)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """A conversion.

    Attributes:
        parts: What came out, as values of JSON.
        findings: What was found; without places where they are others at each use.
        files: The files converted, also those that were looked for and are missing, and the files
            produced.
        costs: What the conversion spent, keyed by the names in `loaders.Limits`; each use of the
            record spends it too.
    """

    parts: tuple[Any, ...]
    findings: tuple[Diagnostic, ...]
    files: tuple[FileState, ...]
    costs: Mapping[str, int] = field(default_factory=dict)


def record_path(folder: str, *key: object) -> str:
    """Return the path of the record of a conversion.

    Args:
        folder: Folder of the records.
        key: Everything that affects the conversion except the content of files; its ``repr`` is the
            key.
    """
    return f"{folder}/{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}.json"


def has_members(part: Any, **kinds: type | tuple[type, ...]) -> bool:
    """Return whether a value of JSON is an object with these members, each of its kind, without
    null characters.

    Args:
        part: The value.
        kinds: The kinds of the members, keyed by name.
    """
    is_like = isinstance(part, dict) and part.keys() == kinds.keys()
    return is_like and all(
        isinstance(part[name], kind) and "\0" not in str(part[name]) for name, kind in kinds.items()
    )


def look_to_json(look: PartLook) -> dict[str, Any]:
    """Return what a mesh file states about the look of a part as members of a record."""
    return asdict(look)


def look_from_json(part: dict[str, Any]) -> PartLook:
    """Return the look in a record.

    Args:
        part: A record for which `is_look` holds.
    """
    color, emissive = part["color"], part["emissive"]
    return PartLook(
        color=None if color is None else tuple(color),
        texture=part["texture"],
        emissive=None if emissive is None else tuple(emissive),
    )


def is_look(part: dict[str, Any]) -> bool:
    """Return whether the members of a record are those of a look."""
    texture = part.get("texture")
    is_path = texture is None or (isinstance(texture, str) and "\0" not in texture)
    return is_path and all(_is_color(part.get(key)) for key in ("color", "emissive"))


def _is_color(value: Any) -> bool:
    """Return whether a value of JSON is a color, or null for none."""
    is_list = isinstance(value, list) and len(value) == 4
    return value is None or (is_list and all(isinstance(x, int | float) for x in value))


def read_record(path: str, is_part: Callable[[Any], bool] = bool) -> Conversion | None:
    """Return a conversion from its record and spend what it cost; None if there is none, or its
    files changed.

    Args:
        path: The record.
        is_part: Returns whether a value is one of the parts that the caller reads.

    Raises:
        LimitError: if the call that is running has spent too much.
    """
    body = read_checked(path)
    if body is None:
        return None
    try:
        conversion = _from_json(json.loads(body))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
    if not conversion.parts or not all(map(is_part, conversion.parts)):
        return None
    current: Conversion | None = conversion
    note_files([file.path for file in conversion.files])
    if not all(file.is_current() for file in conversion.files):
        current = _refreshed(conversion, path)
    if current is not None:
        charge(current.costs, current.files[0].path if current.files else "")
    return current


def _refreshed(conversion: Conversion, path: str) -> Conversion | None:
    """Return the conversion with new times of files whose content is unchanged; None if any content
    changed.
    """
    touched = [file for file in conversion.files if not file.is_current()]
    if any(real_path(file.path) != file.real for file in touched):
        return None
    states = {state.path: state for state in states_of(file.path for file in touched)}
    files = tuple(states.get(file.path, file) for file in conversion.files)
    if any(new.digest != old.digest for new, old in zip(files, conversion.files, strict=True)):
        return None
    conversion = replace(conversion, files=files)
    try:
        write_record(conversion, path)
    except OSError:
        return conversion
    return conversion


def write_record(conversion: Conversion, path: str) -> None:
    """Write the record of a conversion atomically.

    Raises:
        OSError: if it cannot be written.
    """
    body = json.dumps(
        {
            "parts": conversion.parts,
            "findings": [_finding_to_json(finding) for finding in conversion.findings],
            "files": [(file.path, file.stamp, file.digest, file.real) for file in conversion.files],
            "costs": dict(conversion.costs),
        }
    ).encode()
    write_checked(Path(path), body)


def remembered(
    folder: str,
    key: Callable[[], object],
    files: Callable[[], Iterable[str]],
    is_part: Callable[[Any], bool],
    make: Callable[[Diagnostics], Sequence[Any]],
) -> Conversion:
    """Return what was made of files, from the cache if it can be used and the files are unchanged.

    Args:
        folder: Folder of the records in the cache.
        key: Returns what affects the result except the content of the files; see `record_path`.
        files: Returns the paths of the files.
        is_part: Returns whether a value is a part as it is made; see `read_record`.
        make: Returns the parts, as values of JSON, and adds what it finds; no parts are not kept.

    Raises:
        LimitError: if the call that is running has spent too much.
    """
    sources: tuple[FileState, ...] = ()
    try:
        record = record_path(f"{cache_path()}/{folder}", key())
        known = read_record(record, is_part)
        if known is not None:
            return known
        sources = states_of(files())
    except OSError:
        record = ""
    found = Diagnostics()
    with metered() as costs:
        parts = tuple(make(found))
    made = Conversion(parts=parts, findings=tuple(found), files=sources, costs=costs)
    if record and parts:
        with contextlib.suppress(OSError):
            write_record(made, record)
    return made


def states_of(paths: Iterable[str]) -> tuple[FileState, ...]:
    """Return the present states of files, each once; a file that has several paths is read once."""
    known: dict[str, str | None] = {}
    return tuple(_state(path, known) for path in dict.fromkeys(paths))


def _from_json(record: dict[str, Any]) -> Conversion:
    costs = {str(option): int(amount) for option, amount in record["costs"].items()}
    if not _OPTIONS.issuperset(costs) or min(costs.values(), default=0) < 0:
        raise ValueError(f"expected costs in {sorted(_OPTIONS)}, found {costs}")
    files: list[FileState] = []
    for path, stamp, content, real in record["files"]:
        stamp_of_file = None if stamp is None else tuple(stamp)
        files.append(FileState(str(path), stamp_of_file, content, str(real)))
    return Conversion(
        parts=tuple(record["parts"]),
        findings=tuple(_finding_from_json(entry) for entry in record["findings"]),
        files=tuple(files),
        costs=costs,
    )


def _finding_to_json(finding: Diagnostic) -> dict[str, Any]:
    return {
        "code": finding.code,
        "fate": finding.fate.value,
        "template": finding.template,
        "where": (finding.where.file, finding.where.line, finding.where.path),
        "target": finding.target,
        "hint": finding.hint,
        "arguments": dict(finding.arguments),
    }


def _finding_from_json(entry: dict[str, Any]) -> Diagnostic:
    arguments = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in entry["arguments"].items()
    }
    return Diagnostic(
        entry["code"],
        Fate(entry["fate"]),
        entry["template"],
        Where(*entry["where"]),
        target=entry["target"],
        hint=entry["hint"],
        arguments=arguments,
    )
