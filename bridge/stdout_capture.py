"""Capture of what PyBullet's C code prints, without touching what the rest of the process prints.

PyBullet prints through the streams ``stdout`` and ``stderr`` of the C library. Where these are
variables (glibc, macOS) each points to a file in memory for a while; Python, which writes to the
file descriptors itself, is not affected, in any thread. Elsewhere the file descriptors are
redirected. Other C code may print meanwhile, in other threads: all text that PyBullet has not
marked as its own is written to its stream again, in order, at the end.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache

from loaders.deferred import hold_at_fork

_STREAMS = (1, 2)
_PIECE = 65_536
"""Bytes that are read at once."""
_LOCK = threading.RLock()
"""Held while the streams are redirected, and while the process is forked: no child begins with
redirected ones."""
_OWN = re.compile(
    r"b3(?:Warning|Error|Printf)?(?:\[[^\]\n]*\])?:[^\S\n]*\n?(?P<message>[^\n]*\n?)"
    r"|(?P<plain>pybullet build time: [^\n]*\n?)"
)
"""A message of PyBullet; the place in its source may be on a separate line."""

hold_at_fork(_LOCK)


@contextmanager
def capture_stdout(lines: list[str], *, everything: bool = False) -> Iterator[None]:
    """Keep the messages of PyBullet in the block off the console, and append them to ``lines``.

    The streams belong to the whole process, so blocks of several threads wait for each other;
    blocks of one thread may be nested.

    Args:
        lines: The list of messages.
        everything: Whether to append lines that PyBullet has not marked as its own too; they are
            printed all the same.
    """
    with _LOCK:
        texts = {stream: list[bytes]() for stream in _STREAMS}
        try:
            with _pointed_streams(texts) if _pointers() else _redirected_descriptors(texts):
                yield
        finally:
            for stream, pieces in texts.items():
                if not any(pieces):
                    continue
                own, foreign = separated(b"".join(pieces).decode(errors="surrogateescape"))
                lines += own + (_lines(foreign) if everything else [])
                _print(stream, foreign.encode(errors="surrogateescape"))


def separated(text: str) -> tuple[list[str], str]:
    """Return the messages of PyBullet in a text, and the rest of the text.

    Args:
        text: What C code has printed.
    """
    messages = (match["message"] or match["plain"] for match in _OWN.finditer(text))
    return _lines("\n".join(filter(None, messages))), _OWN.sub("", text)


def _lines(text: str) -> list[str]:
    """Return the lines of a text that are not empty."""
    printed = text.encode(errors="surrogateescape").decode(errors="replace")
    return [line for line in map(str.strip, printed.splitlines()) if line]


def _print(stream: int, text: bytes) -> None:
    """Print a text to a stream, as C code would."""
    if not text:
        return
    pointers = _pointers()
    if pointers and pointers[stream - 1].value:
        _c_library().fwrite(text, 1, len(text), pointers[stream - 1])
    elif not pointers:
        try:
            os.write(stream, text)
        except OSError:  # a closed stream
            return


# --- the streams of the C library -----------------------------------------------------------------


@contextmanager
def _pointed_streams(texts: dict[int, list[bytes]]) -> Iterator[None]:
    """Point the streams to files in memory; append what was printed to ``texts``."""
    pointers, sinks = _pointers(), _sinks(os.getpid())
    outer = [_taken(sink) for sink in sinks]  # of a block around, or a thread that was late
    saved = [pointer.value for pointer in pointers]
    try:
        for pointer, sink in zip(pointers, sinks, strict=True):
            pointer.value = sink.file.value
        yield
    finally:
        for pointer, value in zip(pointers, saved, strict=True):
            pointer.value = value
        for stream, sink, text in zip(_STREAMS, sinks, outer, strict=True):
            texts[stream].append(_taken(sink))
            _print(stream, text)


def _taken(sink: _Sink) -> bytes:
    """Return what was printed to a file since the last call.

    The file is never cut: another thread may print to it at any time.
    """
    _c_library().fflush(sink.file)
    pieces = [os.pread(sink.descriptor, _PIECE, sink.read)]
    while len(pieces[-1]) == _PIECE:
        pieces.append(os.pread(sink.descriptor, _PIECE, sink.read + _PIECE * len(pieces)))
    text = b"".join(pieces)
    sink.read += len(text)
    return text


@dataclass(slots=True)
class _Sink:
    """A file in memory to which a stream points for a while. It stays open: a thread may still use
    it.
    """

    file: ctypes.c_void_p
    descriptor: int
    read: int = 0
    """Number of bytes that were taken."""


@atexit.register
def _print_late_text() -> None:
    """Print what threads have printed to the files after the last block."""
    if _sinks.cache_info().currsize:
        for stream, sink in zip(_STREAMS, _sinks(os.getpid()), strict=True):
            _print(stream, _taken(sink))


@cache
def _pointers() -> tuple[ctypes.c_void_p, ...]:
    """Return the variables of the C library that hold its streams; none where they are
    constants.
    """
    names = {"linux": ("stdout", "stderr"), "darwin": ("__stdoutp", "__stderrp")}.get(
        sys.platform, ()
    )
    library = _c_library() if names else None
    if sys.platform == "linux" and not hasattr(
        library, "gnu_get_libc_version"
    ):  # musl has constants
        return ()
    return (
        tuple(ctypes.c_void_p.in_dll(library, name) for name in names)
        if library is not None
        else ()
    )


@cache
def _sinks(_process: int) -> tuple[_Sink, ...]:
    """Return the file of this process for each stream."""
    return tuple(_new_sink() for _ in _STREAMS)


def _new_sink() -> _Sink:
    import fcntl

    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("sdfbridge")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_APPEND)
    fdopen = _c_library().fdopen
    fdopen.restype, fdopen.argtypes = ctypes.c_void_p, (ctypes.c_int, ctypes.c_char_p)
    return _Sink(ctypes.c_void_p(fdopen(descriptor, b"a")), descriptor)


# --- file descriptors -----------------------------------------------------------------------------


@contextmanager
def _redirected_descriptors(texts: dict[int, list[bytes]]) -> Iterator[None]:
    """Redirect the standard streams of the process to files; append what was printed to
    ``texts``.
    """
    with ExitStack() as stack:
        sinks = {stream: stack.enter_context(tempfile.TemporaryFile()) for stream in _STREAMS}
        _flush()
        saved = _redirect({stream: sink.fileno() for stream, sink in sinks.items()})
        try:
            yield
        finally:
            _flush()
            for stream, copy in saved:
                os.dup2(copy, stream)
                os.close(copy)
            for stream, sink in sinks.items():
                sink.seek(0)
                texts[stream].append(sink.read())


def _redirect(sinks: dict[int, int]) -> list[tuple[int, int]]:
    """Redirect the standard streams to files, and return copies of the originals; closed streams
    stay closed.

    Args:
        sinks: Descriptor of the file of each stream.
    """
    saved = []
    for stream, sink in sinks.items():
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
