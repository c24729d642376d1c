"""BatchResult, its diagnostics and its key."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from bridge.installed_packages import own_version, version_of
from loaders.diagnostics import Diagnostic, without_repeats
from loaders.text import MAX_SIMILAR, folded, printable, shortened, without_current_folder

from .worker import digest_of

_ENGINES = ("mujoco", "pybullet", "numpy", "trimesh", "lxml")
"""Packages on which results depend, besides those that the options name."""
_OPTIONAL = {"drake": "pydrake", "dart": "dartpy", "xacro": "xacro"}


def options_key(task: str, options: Mapping[str, Any]) -> str:
    """Return the hash of a task, its options, and the versions of sdfbridge and of the engines.

    Args:
        task: Name of the task.
        options: The options; those without a form in JSON count by their text.
    """
    versions = {name: version_of(name) for name in _ENGINES} | {"sdfbridge": own_version()}
    named = set(map(str, options.get("engines") or ())) | (
        {"xacro"} if options.get("allow_xacro") else set()
    )
    versions |= {name: version_of(package) for name, package in _OPTIONAL.items() if name in named}
    text = json.dumps([task, dict(options), versions], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def files_key(
    files: Mapping[str, str | None], base: Path, own: tuple[str, ...]
) -> dict[str, str | None]:
    """Return the files of a result, sorted, by a path that is relative where the file lies in the
    current folder.

    Args:
        files: The hash of each file, by its absolute path.
        base: The current folder of the batch.
        own: Folders whose files do not count: caches and scratch.
    """
    shown = {
        shown_path(path, base): digest for path, digest in files.items() if not path.startswith(own)
    }
    return dict(sorted(shown.items()))


def shown_path(path: str | os.PathLike[str], base: Path) -> str:
    """Return a path relative to a folder if it lies in it, else absolute; a URI as it is."""
    if "://" in os.fspath(path):
        return os.fspath(path)
    absolute = os.path.abspath(os.path.join(base, path))
    prefix = str(base).rstrip(os.sep) + os.sep
    return absolute.removeprefix(prefix)


class FileStates:
    """The present content of files; each is read once.

    Attributes:
        base: The folder to which relative paths refer.
    """

    def __init__(self, base: Path) -> None:
        self.base = base
        self._digest = cache(digest_of)

    def match(self, files: Mapping[str, str | None]) -> bool:
        """Return whether every file has the content that a result states, or is absent as it
        states.
        """
        return all(
            self._digest(os.path.join(self.base, path)) == digest for path, digest in files.items()
        )


_MAX_LISTED = 200
"""Number of diagnostics that a result lists."""


def summary(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """Return the numbers of diagnostics and the first of each kind, as fields of a result.

    Args:
        diagnostics: The diagnostics of all steps; repeated ones count once.
    """
    entries = without_repeats(diagnostics)
    shown = [entry for entry, _ in folded(entries, MAX_SIMILAR)]
    base = Path.cwd()
    return {
        "severities": dict(sorted(Counter(entry.severity for entry in entries).items())),
        "fates": dict(sorted(Counter(str(entry.fate) for entry in entries).items())),
        "diagnostics": [_plain(entry, base) for entry in shown[:_MAX_LISTED]],
    }


def _plain(entry: Diagnostic, base: Path) -> dict[str, Any]:
    known: dict[str, Any] = {
        "code": entry.code,
        "fate": str(entry.fate),
        "severity": entry.severity,
        "message": shortened(without_current_folder(entry.message)),
        "file": shown_path(entry.where.file, base) if entry.where.file else "",
        "line": entry.where.line,
        "target": entry.target,
        "hint": entry.hint,
    }
    return {name: value for name, value in known.items() if value}


class BatchOutcome(StrEnum):
    """The outcome of one model."""

    VALID = "valid"
    """`check` found no error."""
    CONVERTED = "converted"
    """`convert` wrote the model."""
    EQUIVALENT = "EQUIVALENT"
    """`compare`: every quantity that the model states agrees."""
    AGREES = "AGREES"
    """`compare`: each difference is within the bound of a known cause."""
    DONE = "done"
    """A function of the caller returned."""
    INCOMPLETE = "INCOMPLETE"
    """`compare`: nothing differs, but not everything was compared."""
    INVALID = "invalid"
    """The file has errors."""
    REFUSED = "refused"
    """The target or an engine cannot represent the model."""
    DIFFERS = "DIFFERS"
    """`compare`: a quantity differs."""
    ERROR = "error"
    """The work raised an exception that is not about the model."""
    CRASH = "crash"
    """The process ended unexpectedly; the detail is the signal or the exit code."""
    TIMEOUT = "timeout"
    """The process exceeded the time limit."""
    MEMORY = "memory"
    """The process exceeded the memory limit."""
    LOST = "lost"
    """The executor lost the model several times, for example because its workers were killed."""


FINE = frozenset(
    {
        BatchOutcome.VALID,
        BatchOutcome.CONVERTED,
        BatchOutcome.EQUIVALENT,
        BatchOutcome.AGREES,
        BatchOutcome.DONE,
    }
)
"""Outcomes with exit status 0."""
LIMITED = frozenset({BatchOutcome.TIMEOUT, BatchOutcome.MEMORY})
"""Outcomes that other limits may change."""
_STATUS_INCOMPLETE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """The result of one model. Results are equal if what was found is equal, however long it took.

    Attributes:
        source: The file, relative to the current folder if it lies in it; or the name of any other
            source.
        task: ``check``, ``convert``, ``compare``, or the name of a function.
        outcome: What came of it.
        detail: The first error, the signal, the limit or the exception; may be empty.
        model: Name of the model.
        size: Numbers of links, joints and degrees of freedom.
        severities: Number of diagnostics, keyed by severity.
        fates: Number of diagnostics, keyed by fate.
        diagnostics: The first diagnostics of each kind, as plain data.
        report: Path of the report in the output folder; empty if there is none.
        thumbnail: Path of the picture in the output folder; empty if there is none.
        files: SHA-256 of each file on which the result depends; None for a file that was looked for
            and is absent.
        options: Hash of the task, its options, and the versions of the packages that do the work.
        value: What a function of the caller returned.
        resumed: Whether the result was taken from an earlier run.
        seconds: Time from the start of the model's process to its end.
        cpu_seconds: Processor time of the model.
        megabytes: Largest memory of the model's process, beside that of the imported modules [MiB].
        attempts: How often the model was given to the executor.
        host: Name of the machine that did it.
        log: The end of the standard error of the model's process, or the traceback.
    """

    source: str
    task: str
    outcome: BatchOutcome
    detail: str = ""
    model: str = ""
    size: Mapping[str, int] = field(default_factory=dict, hash=False)
    severities: Mapping[str, int] = field(default_factory=dict, hash=False)
    fates: Mapping[str, int] = field(default_factory=dict, hash=False)
    diagnostics: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    report: str = ""
    thumbnail: str = ""
    files: Mapping[str, str | None] = field(default_factory=dict, hash=False)
    options: str = ""
    value: Any = field(default=None, hash=False)
    resumed: bool = field(default=False, compare=False)
    seconds: float = field(default=0.0, compare=False)
    cpu_seconds: float = field(default=0.0, compare=False)
    megabytes: float = field(default=0.0, compare=False)
    attempts: int = field(default=1, compare=False)
    host: str = field(default="", compare=False)
    log: str = field(default="", compare=False)

    @property
    def ok(self) -> bool:
        """True if the outcome has exit status 0."""
        return self.outcome in FINE

    @property
    def status(self) -> int:
        """The exit status of the command for this model alone."""
        if self.ok:
            return 0
        return _STATUS_INCOMPLETE if self.outcome is BatchOutcome.INCOMPLETE else 1

    def to_line(self) -> bytes:
        """Return what was found as one line of JSON with sorted keys, without anything that differs
        between runs.
        """
        return _line({name: getattr(self, name) for name in _FOUND})

    def run_line(self) -> bytes:
        """Return how the run went, as one line of JSON: time, memory, machine, attempts, log."""
        return _line({name: getattr(self, name) for name in ("source", *_RUN)})

    @staticmethod
    def from_line(line: bytes) -> BatchResult:
        """Return a result from its line of JSON.

        Raises:
            ValueError: if the line is not a result.
        """
        try:
            plain = json.loads(line)
            known = {name: plain[name] for name in _FOUND}
            known |= {
                "outcome": BatchOutcome(plain["outcome"]),
                "diagnostics": tuple(plain["diagnostics"]),
            }
            return BatchResult(**known)
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"no result of a batch: {error}") from error


_RUN = ("seconds", "cpu_seconds", "megabytes", "attempts", "host", "log")
_FOUND = (
    "source", "task", "outcome", "detail", "model", "size", "severities", "fates", "diagnostics",
    "report", "thumbnail", "files", "options", "value",
)  # fmt: skip


def _line(plain: Mapping[str, Any]) -> bytes:
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return printable(text).encode()


def worst_status(statuses: Mapping[int, int]) -> int:
    """Return the exit status of a batch: that of the worst model.

    Args:
        statuses: Number of models, keyed by exit status.
    """
    return next((status for status in (1, _STATUS_INCOMPLETE) if statuses.get(status)), 0)
