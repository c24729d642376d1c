"""Capture of the output of PyBullet's C++ code, at the file descriptors of this process."""

from __future__ import annotations

import ctypes
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_STREAMS = (1, 2)
_LOCK = threading.RLock()
"""Held while the descriptors are redirected, and while the process is forked: no child begins with redirected ones."""
_SOURCE_LOCATION = re.compile(r"b3(Warning|Error|Printf)?\[[^\]]*\]:?\s*")

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)


@contextmanager
def capture_stdout(lines: list[str]) -> Iterator[None]:
    """Keep all output of the block off the console, and append it to ``lines``.

    The descriptors belong to the whole process, so blocks of several threads wait for each other; blocks of one thread
    may be nested. What another thread prints during a block is captured too.
    """
    with _LOCK, tempfile.TemporaryFile() as sink:
        _flush()
        saved = _redirect(sink.fileno())
        try:
            yield
        finally:
            _flush()
            for stream, copy in saved:
                os.dup2(copy, stream)
                os.close(copy)
            sink.seek(0)
            text = _SOURCE_LOCATION.sub("", sink.read().decode(errors="replace"))
            lines += [line for line in map(str.strip, text.splitlines()) if line]


def _redirect(sink: int) -> list[tuple[int, int]]:
    """Redirect the standard streams to ``sink``, and return copies of the originals; closed streams stay closed."""
    saved = []
    for stream in _STREAMS:
        try:
            saved.append((stream, os.dup(stream)))
        except OSError:
            continue
        os.dup2(sink, stream)
    return saved


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    if os.name == "posix":
        _c_library().fflush(None)


@cache
def _c_library() -> ctypes.CDLL:
    return ctypes.CDLL(None)
