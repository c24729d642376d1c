"""The warm process that forks one process for each call, under limits.

It has one thread, so that a fork starts in a known state. It ends when its worker does, and takes
the fork with it.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import NoReturn

from bridge.output import die_with_parent, scratch_folder
from loaders.files.read_file import recorded

from .worker import CRASH, DONE, EXCEPTION, MEMORY, TIMEOUT, Ended, Request


def limit_memory(more: int) -> None:
    """Limit the address space of this process to its present size and so many bytes more, where the
    system can.

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


def run_child(request: Request, folder: Path, writer: Connection, log: int) -> NoReturn:
    """Make a call and end this process without any clean-up of the server's.

    Args:
        request: The call.
        folder: Folder for temporary files, which the server removes.
        writer: Receives the files that the call depends on, and its result.
        log: Descriptor that becomes the standard error.
    """
    try:
        _prepare(request, folder, log)
        writer.send(("base", resident_bytes(os.getpid())))
        writer.send(_answer(request, writer))
    except BrokenPipeError:
        pass
    finally:
        os._exit(0)


def _prepare(request: Request, folder: Path, log: int) -> None:
    """Give this process its own streams, folders and limits."""
    os.setpgid(0, 0)
    die_with_parent()
    os.dup2(log, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    if request.folder and Path(request.folder).is_dir():
        os.chdir(request.folder)
    limit_memory(request.memory)


def _answer(request: Request, writer: Connection) -> tuple[str, str, bytes, str]:
    """Return how the call ended, with what, and a log."""
    reported: set[tuple[str, str | None]] = set()

    def tell(path: str, digest: str | None) -> None:
        if (path, digest) not in reported:
            reported.add((path, digest))
            writer.send(("file", path, digest))

    try:
        function, arguments, keywords = pickle.loads(request.payload)  # noqa: S301 - the worker sent it
        with recorded(tell):
            value = function(*arguments, **keywords)
        return DONE, "", pickle.dumps(value), ""
    except MemoryError:
        return MEMORY, "", b"", ""
    except BaseException as error:  # noqa: BLE001  (the result of the call says what was raised)
        return EXCEPTION, f"{type(error).__name__}: {error}", b"", traceback.format_exc()


_POLL = 0.1
"""Interval at which memory and the worker are looked at [s]."""
_LOG = 4096
"""Number of bytes of the log that are kept."""
_OUT_OF_MEMORY = (
    "bad_alloc", "MemoryError", "Cannot allocate memory", "ould not allocate", "out of memory",
)  # fmt: skip


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
            warnings.simplefilter(
                "ignore"
            )  # Python warns of the threads of numerical libraries, which tolerate a fork
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

    def __init__(
        self, request: Request, child: int, reader: Connection, log: int, worker: Connection
    ) -> None:
        self.request, self.child, self.reader, self.log_reader, self.worker = (
            request,
            child,
            reader,
            log,
            worker,
        )
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
