"""Limits on a process, and what the operating system says about it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

_PDEATHSIG = 1
"""Option of Linux's ``prctl``: the signal that a process gets when its parent ends."""


def limit_memory(more: int) -> None:
    """Limit the address space of this process to its present size and so many bytes more, where the system can.

    Args:
        more: Number of bytes.
    """
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    size = _pages(os.getpid(), 0)
    if size:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (size + more, size + more))


def die_with_parent() -> None:
    """Let the kernel kill this process when its parent ends, where it can."""
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)


def resident_bytes(process: int) -> int:
    """Return the memory that a process has in use; 0 where the system does not tell."""
    return _pages(process, 1)


def _pages(process: int, column: int) -> int:
    try:
        words = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()
        return int(words[column]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def end_group(group: int) -> None:
    """Kill a process that leads a group, and all of the group.

    Args:
        group: Its number, which no other process gets before the leader has been waited for.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def name_of_end(status: int) -> str:
    """Return the signal that ended a process, such as ``SIGSEGV``, or its exit code.

    Args:
        status: The status of `os.waitpid`.
    """
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    return f"exit {os.waitstatus_to_exitcode(status)}"
