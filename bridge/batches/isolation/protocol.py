"""The messages between a worker and the process that runs one model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

DONE, EXCEPTION, CRASH, TIMEOUT, MEMORY = "done", "exception", "crash", "timeout", "memory"
"""How a call ended: it returned, it raised, its process ended, or it exceeded a limit."""


class Request(NamedTuple):
    """A call to make in a separate process.

    Attributes:
        payload: A function and its arguments, pickled.
        folder: The working folder; empty for that of the worker.
        timeout: Largest time of the call [s].
        memory: Largest memory of the call, beside that of the imported modules [bytes].
    """

    payload: bytes
    folder: str
    timeout: float
    memory: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The end of a call.

    Attributes:
        how: ``done``, ``exception``, ``crash``, ``timeout`` or ``memory``.
        detail: The signal or exit code, the exception, or the limit.
        value: What the function returned, pickled; empty unless it is done.
        log: The end of what the process wrote to its standard error, or the traceback.
        files: SHA-256 of each file that the call depends on; None for a file that it looked for and that is absent.
        seconds: Time from the start of its process to its end.
        cpu_seconds: Processor time of its process and of those that it started.
        megabytes: Largest memory of its process, beside that of the imported modules [MiB].
        host: Name of the machine.
    """

    how: str
    detail: str = ""
    value: bytes = b""
    log: str = ""
    files: dict[str, str | None] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    megabytes: float = 0.0
    host: str = ""
