"""The result of one model of a batch, and its form as one line of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


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
        source: The file, relative to the current folder if it lies in it; or the name of any other source.
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
        files: SHA-256 of each file on which the result depends; None for a file that was looked for and is absent.
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
        """Return what was found as one line of JSON with sorted keys, without anything that differs between runs."""
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
            known |= {"outcome": BatchOutcome(plain["outcome"]), "diagnostics": tuple(plain["diagnostics"])}
            return BatchResult(**known)
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"no result of a batch: {error}") from error


_RUN = ("seconds", "cpu_seconds", "megabytes", "attempts", "host", "log")
_FOUND = (
    "source", "task", "outcome", "detail", "model", "size", "severities", "fates", "diagnostics", "report", "thumbnail",
    "files", "options", "value",
)  # fmt: skip


def _line(plain: Mapping[str, Any]) -> bytes:
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="backslashreplace")


def worst_status(statuses: Mapping[int, int]) -> int:
    """Return the exit status of a batch: that of the worst model.

    Args:
        statuses: Number of models, keyed by exit status.
    """
    return next((status for status in (1, _STATUS_INCOMPLETE) if statuses.get(status)), 0)
