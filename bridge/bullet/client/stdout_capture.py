"""What PyBullet's C++ code prints, caught where it goes: the file descriptors of this process."""

from __future__ import annotations

import ctypes
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_STREAMS = (1, 2)
_PLACE = re.compile(r"b3(Warning|Error|Printf)?\[[^\]]*\]:?\s*")


@contextmanager
def capture_stdout(lines: list[str]) -> Iterator[None]:
    """Keep everything that is printed inside from the console, and append it to ``lines``."""
    _flush()
    with tempfile.TemporaryFile() as sink:
        saved = _divert(sink.fileno())
        try:
            yield
        finally:
            _flush()
            for stream, copy in saved:
                os.dup2(copy, stream)
                os.close(copy)
            sink.seek(0)
            text = _PLACE.sub("", sink.read().decode(errors="replace"))
            lines += [line for line in map(str.strip, text.splitlines()) if line]


def _divert(sink: int) -> list[tuple[int, int]]:
    """Point the standard streams to ``sink``; those that are closed stay so."""
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
