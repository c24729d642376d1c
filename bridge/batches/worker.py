"""The worker of an executor, and its messages.

The worker may be a thread or a process of any executor. Its warm processes end with it, however it
ends.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Pipe
from pathlib import Path
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
        files: SHA-256 of each file that the call depends on; None for a file that it looked for and
            that is absent.
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


_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from bridge.batches.server import main; main(sys.argv[2:])"
)
_THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Numerical libraries use one thread in each process, since there is one process for each core."""
FOLDER = "folder"
"""Stands for the hash of a folder."""


class ForkMissingError(OSError):
    """This system has no `os.fork`, without which no model gets a process of its own."""


def check_fork() -> None:
    """Raise an error if this system cannot isolate models.

    Raises:
        ForkMissingError: if it has no `os.fork`.
    """
    if not hasattr(os, "fork"):
        raise ForkMissingError(
            "batches need os.fork, which Windows lacks; expected Linux or macOS: run them in the "
            "Windows Subsystem for "
            "Linux, or use sdfbridge.load, export_mjcf and compare for one model after the other"
        )


class _Server:
    """A warm process and the connection to it."""

    def __init__(self, modules: tuple[str, ...]) -> None:
        self.connection, other = Pipe()
        command = [
            sys.executable,
            "-c",
            _START,
            json.dumps(_import_path()),
            str(other.fileno()),
            *modules,
        ]
        self.process = subprocess.Popen(  # noqa: S603 - this interpreter
            command,
            stdin=subprocess.DEVNULL,
            pass_fds=[other.fileno()],
            start_new_session=True,
            env={**os.environ, **_THREADS},
        )
        other.close()

    def call(self, request: Request) -> Ended:
        """Make a call.

        Raises:
            OSError: if the process has ended.
            EOFError: if it ends meanwhile.
        """
        self.connection.send(request)
        answer: Ended = self.connection.recv()
        return answer

    def disconnect(self) -> None:
        """End the connection while another thread waits for an answer; the process ends then, with
        its call.
        """
        with suppress(OSError), socket.socket(fileno=os.dup(self.connection.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the process."""
        self.connection.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(5.0)
            return
        self.process.kill()
        self.process.wait()


class ServerLostError(RuntimeError):
    """The warm process ended during a call, which may be made again."""


class Servers:
    """The warm processes of one pool of workers.

    Attributes:
        idle: Those that nobody uses now, by the process that started them and the modules that they
            have imported.
        busy: Those that make a call now.
    """

    def __init__(self) -> None:
        self.idle: dict[tuple[int, tuple[str, ...]], list[_Server]] = {}
        self.busy: set[_Server] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def call(self, request: Request, modules: tuple[str, ...] = ()) -> Ended:
        """Make a call in a separate process and return how it ended.

        Args:
            request: The call.
            modules: Modules that the warm process imports once for all calls.

        Raises:
            ServerLostError: if the warm process ends meanwhile, or no more calls are made.
        """
        key = os.getpid(), modules
        with self._lock:
            if self._is_closed:
                raise ServerLostError("no more calls are made")
            waiting = self.idle.setdefault(key, [])
            server = waiting.pop() if waiting else _Server(modules)
            self.busy.add(server)
        try:
            ended = server.call(request)
        except (EOFError, OSError) as error:
            with self._lock:
                self.busy.discard(server)
            server.close()
            status = server.process.returncode
            raise ServerLostError(
                f"the process that starts the others ended with {status}"
            ) from error
        with self._lock:
            self.busy.discard(server)
            self.idle.setdefault(key, []).append(server)
        return with_digests(ended)

    def close(self) -> None:
        """End the warm processes of this process that nobody uses."""
        with self._lock:
            own = [some for (process, _), some in self.idle.items() if process == os.getpid()]
            idle = [server for some in own for server in some]
            self.idle.clear()
        for server in idle:
            server.close()

    def end_calls(self) -> None:
        """End the calls that are being made, and make no more."""
        with self._lock:
            self._is_closed = True
            for server in self.busy:
                server.disconnect()


_servers = Servers()
"""The warm processes of workers of executors of the caller."""


def run_isolated(request: Request, modules: tuple[str, ...] = ()) -> Ended:
    """Make a call in a separate process of the worker that calls this, and return how it ended.

    Args:
        request: The call.
        modules: Modules that the warm process imports once for all calls.

    Raises:
        ServerLostError: if the warm process ends meanwhile.
    """
    return _servers.call(request, modules)


def with_digests(ended: Ended) -> Ended:
    """Return the end of a call with the hash of each file that it did not tell."""
    for path, digest in ended.files.items():
        ended.files[path] = digest or digest_of(path)
    return ended


def digest_of(path: str) -> str | None:
    """Return the SHA-256 of a file, a constant for a folder, and None for what does not exist or
    cannot be read.
    """
    try:
        if os.path.isdir(path):
            return FOLDER
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return None


def close_servers() -> None:
    """End the warm processes that the calls of `run_isolated` in this process left."""
    _servers.close()


def _import_path() -> list[str]:
    """Return the folders from which this process imports, that of `bridge` included."""
    here = str(Path(__file__).resolve().parents[3])
    return list(dict.fromkeys([*(os.path.abspath(folder) for folder in sys.path), here]))


atexit.register(close_servers)
