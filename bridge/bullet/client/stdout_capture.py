"""Capture of what PyBullet's C code prints, without touching what Python prints.

PyBullet prints through the streams ``stdout`` and ``stderr`` of the C library. Where these are variables (glibc, macOS)
they point to a file in memory for a while; Python, which writes to the file descriptors itself, is not affected, in any
thread. Elsewhere the file descriptors are redirected, so that what other threads print meanwhile is captured too.
"""

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
"""Held while the streams are redirected, and while the process is forked: no child begins with redirected ones."""
_SOURCE_LOCATION = re.compile(r"b3(Warning|Error|Printf)?\[[^\]]*\]:?\s*")

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)


@contextmanager
def capture_stdout(lines: list[str]) -> Iterator[None]:
    """Keep what C code prints in the block off the console, and append it to ``lines``.

    The streams belong to the whole process, so blocks of several threads wait for each other; blocks of one thread may
    be nested.
    """
    with _LOCK:
        text: list[bytes] = []
        with _pointed_streams(text) if _pointers() else _redirected_descriptors(text):
            yield
        printed = _SOURCE_LOCATION.sub("", b"".join(text).decode(errors="replace"))
        lines += [line for line in map(str.strip, printed.splitlines()) if line]


# --- the streams of the C library ------------------------------------------------------------------------------------


@contextmanager
def _pointed_streams(text: list[bytes]) -> Iterator[None]:
    """Point the streams to a file in memory; append what was printed to ``text``."""
    library = _c_library()
    stream, descriptor = _sink(os.getpid())
    library.fflush(stream)
    start = os.fstat(descriptor).st_size
    saved = [pointer.value for pointer in _pointers()]
    try:
        for pointer in _pointers():
            pointer.value = stream.value
        yield
    finally:
        for pointer, value in zip(_pointers(), saved, strict=True):
            pointer.value = value
        library.fflush(stream)
        text.append(os.pread(descriptor, os.fstat(descriptor).st_size - start, start))
        os.ftruncate(descriptor, start)


@cache
def _pointers() -> tuple[ctypes.c_void_p, ...]:
    """Return the variables of the C library that hold its streams; none where they are constants."""
    names = {"linux": ("stdout", "stderr"), "darwin": ("__stdoutp", "__stderrp")}.get(sys.platform, ())
    library = _c_library() if names else None
    if sys.platform == "linux" and not hasattr(library, "gnu_get_libc_version"):  # musl has constants
        return ()
    return tuple(ctypes.c_void_p.in_dll(library, name) for name in names) if library is not None else ()


@cache
def _sink(_process: int) -> tuple[ctypes.c_void_p, int]:
    """Return the stream of this process to print to, and its descriptor. It stays open: a thread may still use it."""
    import fcntl

    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("sdfbridge")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_APPEND)
    fdopen = _c_library().fdopen
    fdopen.restype, fdopen.argtypes = ctypes.c_void_p, (ctypes.c_int, ctypes.c_char_p)
    return ctypes.c_void_p(fdopen(descriptor, b"a")), descriptor


# --- file descriptors ------------------------------------------------------------------------------------------------


@contextmanager
def _redirected_descriptors(text: list[bytes]) -> Iterator[None]:
    """Redirect the standard streams of the process to a file; append what was printed to ``text``."""
    with tempfile.TemporaryFile() as sink:
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
            text.append(sink.read())


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
