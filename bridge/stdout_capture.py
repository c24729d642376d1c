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
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from typing import Self

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


class capture_stdout:  # noqa: N801 - a class, as a generator takes three times as long
    """Context that keeps the messages of PyBullet off the console, and appends them to ``lines``.

    The streams belong to the whole process, so blocks of several threads wait for each other;
    blocks of one thread may be nested.

    Attributes:
        lines: The list of messages.
        everything: Whether to append lines that PyBullet has not marked as its own too; they are
            printed all the same.
        has_text: Whether anything was printed in the block.
    """

    __slots__ = ("_redirection", "everything", "has_text", "lines")

    def __init__(self, lines: list[str], *, everything: bool = False) -> None:
        self.lines, self.everything, self.has_text = lines, everything, False

    def __enter__(self) -> Self:
        _LOCK.acquire()
        try:
            self._redirection = _PointedStreams() if _pointers() else _RedirectedDescriptors()
        except BaseException:
            _LOCK.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            texts = self._redirection.end()
            self.has_text = any(texts)
            for stream, text in zip(_STREAMS, texts, strict=True) if self.has_text else ():
                own, foreign = separated(text.decode(errors="surrogateescape"))
                self.lines += own + (_lines(foreign) if self.everything else [])
                _print(stream, foreign.encode(errors="surrogateescape"))
        finally:
            _LOCK.release()


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


class _PointedStreams:
    """The streams while they point to files in memory."""

    __slots__ = ("_former", "_outer")

    def __init__(self) -> None:
        (out, err), sinks = _pointers(), _sinks(os.getpid())
        self._former = out.value, err.value
        self._outer: list[bytes] = []
        if self._former[0] == sinks[0].file.value:  # a block around
            self._outer = [_taken(sink) for sink in sinks]
        out.value, err.value = (sink.file.value for sink in sinks)

    def end(self) -> list[bytes]:
        """Point the streams to what they were, and return what was printed meanwhile."""
        out, err = _pointers()
        out.value, err.value = self._former
        texts = [_taken(sink) for sink in _sinks(os.getpid())]
        for stream, text in zip(_STREAMS, self._outer, strict=False):
            _print(stream, text)
        return texts


def _taken(sink: _Sink) -> bytes:
    """Return what was printed to a file since the last call.

    The file is never cut: another thread may print to it at any time.
    """
    _c_library().fflush(sink.file)
    if not os.pread(sink.descriptor, 1, sink.read):
        return b""
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


class _RedirectedDescriptors:
    """The file descriptors while they are redirected to files."""

    def __init__(self) -> None:
        with ExitStack() as stack:
            self._sinks = [stack.enter_context(tempfile.TemporaryFile()) for _ in _STREAMS]
            _flush()
            self._saved = _redirect(
                {stream: sink.fileno() for stream, sink in zip(_STREAMS, self._sinks, strict=True)}
            )
            self._stack = stack.pop_all()

    def end(self) -> list[bytes]:
        """Restore the file descriptors, and return what was printed meanwhile."""
        with self._stack:
            _flush()
            for stream, copy in self._saved:
                os.dup2(copy, stream)
                os.close(copy)
            for sink in self._sinks:
                sink.seek(0)
            return [sink.read() for sink in self._sinks]


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
