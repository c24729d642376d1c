"""The warm process that a worker keeps: it has imported everything, and forks a process for each call.

It has one thread, so that a fork starts in a known state. It ends when its worker does, and takes the fork with it.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait

from bridge.output import scratch_folder

from .child import run_child
from .protocol import CRASH, MEMORY, TIMEOUT, Ended, Request
from .resource_limits import end_group, name_of_end, resident_bytes

_POLL = 0.1
"""Interval at which memory and the worker are looked at [s]."""
_LOG = 4096
"""Number of bytes of the log that are kept."""
_OUT_OF_MEMORY = ("bad_alloc", "MemoryError", "Cannot allocate memory", "ould not allocate", "out of memory")


def main(arguments: Sequence[str]) -> None:
    """Serve requests until the worker closes its end of the connection.

    Args:
        arguments: The descriptor of the connection, then modules to import first.
    """
    nowhere, errors = os.open(os.devnull, os.O_WRONLY), os.dup(2)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)  # engines print when they are imported
    connection = Connection(int(arguments[0]))
    for name in arguments[1:]:
        with suppress(ImportError):  # an engine that is not installed; the call says so
            importlib.import_module(name)
    os.dup2(errors, 2)
    gc.collect()
    gc.freeze()
    with suppress(EOFError, OSError):
        while True:
            connection.send(serve(connection.recv(), connection))


def serve(request: Request, worker: Connection) -> Ended:
    """Make one call in a fork, and return how it ended.

    Args:
        request: The call.
        worker: The connection to the worker.

    Raises:
        EOFError: if the worker ends meanwhile; the fork is killed then.
    """
    with scratch_folder() as folder:
        reader, writer = Pipe(duplex=False)
        log_reader, log_writer = os.pipe()
        begin = time.monotonic()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of the threads of numerical libraries, which tolerate a fork
            child = os.fork()
        if child == 0:
            run_child(request, folder, writer, log_writer)
        with suppress(OSError):  # the child sets its group too; the first call decides
            os.setpgid(child, child)
        writer.close()
        os.close(log_writer)
        with reader, os.fdopen(log_reader, "rb", buffering=0):
            watch = _Watch(request, child, reader, log_reader, worker)
            try:
                watch.run(begin + request.timeout)
            finally:
                ended = watch.end(begin)
    return ended


class _Watch:
    """The messages of one fork, and its limits."""

    def __init__(self, request: Request, child: int, reader: Connection, log: int, worker: Connection) -> None:
        self.request, self.child, self.reader, self.log_reader, self.worker = request, child, reader, log, worker
        self.base = resident_bytes(child)
        self.how, self.detail, self.value, self.log = "", "", b"", b""
        self.files: dict[str, str | None] = {}
        self.parent = os.getppid()

    def run(self, deadline: float) -> None:
        """Receive messages until the fork has answered, has ended, or exceeds a limit.

        Raises:
            EOFError: if the worker has ended.
        """
        sources: list[Connection | int] = [self.reader, self.log_reader, self.worker]
        while not self.how:
            rest = deadline - time.monotonic()
            if rest <= 0.0:
                self.how, self.detail = TIMEOUT, f"{self.request.timeout:g} s"
                return
            ready = wait(sources, min(rest, _POLL))
            if self.worker in ready or os.getppid() != self.parent:
                raise EOFError
            if self.log_reader in ready and not self._read_log():
                sources.remove(self.log_reader)
            if self.reader in ready and not self._receive():
                return
            if not ready and _has_ended(self.child):
                return
            if not ready and resident_bytes(self.child) - self.base > self.request.memory:
                self.how, self.detail = MEMORY, _megabytes(self.request.memory)

    def _read_log(self) -> bool:
        data = os.read(self.log_reader, 1 << 16)
        self.log = (self.log + data)[-_LOG:]
        return bool(data)

    def _receive(self) -> bool:
        """Receive one message; return False at the end."""
        try:
            kind, *content = self.reader.recv()
        except (EOFError, OSError):
            return False
        if kind == "file":
            path, digest = content
            self.files[path] = digest or self.files.get(path)
        elif kind == "base":
            (self.base,) = content
        else:
            self.how = kind
            self.detail, self.value, log = content
            self.log = log.encode(errors="replace") or self.log
            if kind == MEMORY:
                self.detail = _megabytes(self.request.memory)
        return True

    def end(self, begin: float) -> Ended:
        """End the fork and everything that it started, and return how it ended."""
        end_group(self.child)
        _, status, usage = os.wait4(self.child, 0)
        self._read_rest()
        how, detail = self.how, self.detail
        if not how:
            how, detail = CRASH, name_of_end(status)
            if any(word in self.log.decode(errors="replace") for word in _OUT_OF_MEMORY):
                how, detail = MEMORY, _megabytes(self.request.memory)
        peak = max(0, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) - self.base)
        return Ended(
            how=how,
            detail=detail,
            value=self.value,
            log=self.log.decode(errors="replace"),
            files=self.files,
            seconds=round(time.monotonic() - begin, 4),
            cpu_seconds=round(usage.ru_utime + usage.ru_stime, 4),
            megabytes=round(peak / (1 << 20), 1),
            host=os.uname().nodename,
        )

    def _read_rest(self) -> None:
        """Read what is left of the log without waiting for processes that left the group."""
        while wait([self.log_reader], 0.0) and self._read_log():
            pass


def _megabytes(limit: int) -> str:
    return f"{limit / (1 << 20):g} MiB"


def _has_ended(child: int) -> bool:
    """Return whether a fork has ended, though a process that it left holds its connection open."""
    if not hasattr(os, "waitid"):
        return False
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
