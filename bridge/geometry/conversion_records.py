"""Records of conversions that are kept in the cache: what came out, what was found, and from which files.

A record is used as long as the files that it names, those converted and those produced, are unchanged. A file is
unchanged if its size and times are those recorded, or else if its content is. A record counts as missing if
another version wrote it, if it was truncated or altered, or if its values have other types than those expected.

Whoever records a conversion names only files that a model may have read: those in reach, see `loaders.meshes.textures`.
A file is not opened again if its path has come to lead elsewhere, through a symbolic link.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from loaders.diagnostics import Diagnostic, Fate, Where
from loaders.files import FileError, read, real_path, status_of
from loaders.reading.dependencies import note_file, note_files
from loaders.safety.limits import Limits, charge

from .file_cache import read_checked, write_checked

_SETTLED = 50_000_000
"""Age of a file [ns] from which its times tell whether it changed; clocks of file systems tick in up to 10 ms."""
_OPTIONS = frozenset(option.name for option in fields(Limits))
"""Names that costs may have."""


class FileState(NamedTuple):
    """The state of a file at the time of a conversion.

    Attributes:
        path: Path of the file.
        stamp: Size and times of modification and of status change; None if they cannot be relied on.
        digest: Hash of its content; None if it did not exist.
        real: Its path with all symbolic links resolved.
    """

    path: str
    stamp: tuple[int, int, int] | None
    digest: str | None
    real: str

    def is_current(self) -> bool:
        """Return whether the file is unchanged by its size and times, without reading it."""
        stamp = _stamp(self.path)
        return stamp is None if self.digest is None else stamp is not None and stamp == self.stamp


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        status = status_of(path)
    except (OSError, ValueError):  # a name with a null character
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _digest(path: str) -> str | None:
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
    stamp, real, digest = _stamp(path), real_path(path), None
    if stamp is not None:
        if real in known:
            note_file(path)
        else:
            known[real] = _digest(path)
        digest = known[real]
    newest = max(stamp[1:]) if stamp is not None else 0
    is_settled = stamp == _stamp(path) and time.time_ns() - newest > _SETTLED
    return FileState(path, stamp if is_settled else None, digest, real)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """A conversion.

    Attributes:
        parts: What came out, as values of JSON.
        findings: What was found; without places where they are others at each use.
        files: The files converted, also those that were looked for and are missing, and the files produced.
        costs: What the conversion spent, keyed by the names in `loaders.Limits`; each use of the record spends it too.
    """

    parts: tuple[Any, ...]
    findings: tuple[Diagnostic, ...]
    files: tuple[FileState, ...]
    costs: Mapping[str, int] = field(default_factory=dict)


def record_path(folder: str, *key: object) -> str:
    """Return the path of the record of a conversion.

    Args:
        folder: Folder of the records.
        key: Everything that affects the conversion except the content of files; its ``repr`` is the key.
    """
    return f"{folder}/{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}.json"


def has_members(part: Any, **kinds: type | tuple[type, ...]) -> bool:
    """Return whether a value of JSON is an object with these members, each of its kind, without null characters.

    Args:
        part: The value.
        kinds: The kinds of the members, keyed by name.
    """
    is_like = isinstance(part, dict) and part.keys() == kinds.keys()
    return is_like and all(isinstance(part[name], kind) and "\0" not in str(part[name]) for name, kind in kinds.items())


def is_color(value: Any) -> bool:
    """Return whether a value of JSON is a color, or null for none."""
    is_list = isinstance(value, list) and len(value) == 4
    return value is None or (is_list and all(isinstance(x, int | float) for x in value))


def read_record(path: str, is_part: Callable[[Any], bool] = bool) -> Conversion | None:
    """Return a conversion from its record and spend what it cost; None if there is none, or its files changed.

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
    """Return the conversion with new times of files whose content is unchanged; None if any content changed."""
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


def states_of(paths: Iterable[str]) -> tuple[FileState, ...]:
    """Return the present states of files, each once; a file that has several paths is read once."""
    known: dict[str, str | None] = {}
    return tuple(_state(path, known) for path in dict.fromkeys(paths))


def _from_json(record: dict[str, Any]) -> Conversion:
    costs = {str(option): int(amount) for option, amount in record["costs"].items()}
    if not _OPTIONS.issuperset(costs) or min(costs.values(), default=0) < 0:
        raise ValueError(f"expected costs in {sorted(_OPTIONS)}, found {costs}")
    return Conversion(
        parts=tuple(record["parts"]),
        findings=tuple(_finding_from_json(entry) for entry in record["findings"]),
        files=tuple(
            [
                FileState(str(path), stamp and tuple(stamp), digest, str(real))
                for path, stamp, digest, real in record["files"]
            ]
        ),
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
    arguments = {key: tuple(value) if isinstance(value, list) else value for key, value in entry["arguments"].items()}
    return Diagnostic(
        entry["code"],
        Fate(entry["fate"]),
        entry["template"],
        Where(*entry["where"]),
        target=entry["target"],
        hint=entry["hint"],
        arguments=arguments,
    )
