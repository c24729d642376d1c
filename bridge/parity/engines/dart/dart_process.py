"""The process in which DART runs, so that a crash of DART ends that process only."""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import threading
from functools import lru_cache
from itertools import count
from typing import IO, Any

from .dart_worker import CLOSE, OPEN

REPLY_TIMEOUT = 120.0
"""Time that the process may take for one reply [s]."""


class DartError(Exception):
    """DART refused a request, crashed, or took too long; the message states which."""


class DartProcess:
    """A process with any number of engines; after a crash, the next engine gets a new one."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "bridge.parity.engines.dart.dart_worker"]
        self._worker = subprocess.Popen(  # noqa: S603 - a module of this package, run by this Python
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._numbers = count()
        self._lock = threading.Lock()
        atexit.register(self.stop)

    @property
    def is_running(self) -> bool:
        """True while the process is alive."""
        return self._worker.poll() is None

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._worker.pid

    def open(self, mechanism: Any, *, as_exported: bool) -> int:
        """Open an engine and return its number.

        Args:
            mechanism: The mechanism.
            as_exported: Whether DART itself simulates passive forces.

        Raises:
            DartError: If DART fails.
        """
        number = next(self._numbers)
        self.ask(number, OPEN, mechanism, as_exported)
        return number

    def close(self, number: int) -> None:
        """Close an engine; nothing happens if the process has ended.

        Args:
            number: The number of the engine.
        """
        if self.is_running:
            self.ask(number, CLOSE)

    def ask(self, number: int, method: str, *arguments: Any) -> Any:
        """Return the answer of an engine.

        Args:
            number: The number of the engine.
            method: The name of the method.
            arguments: Its arguments.

        Raises:
            DartError: If DART refuses the request, crashes, or takes too long.
        """
        with self._lock:
            timer = threading.Timer(REPLY_TIMEOUT, self._worker.kill)
            timer.start()
            try:
                succeeded, answer = self._exchange((number, method, arguments))
            except (EOFError, BrokenPipeError, pickle.UnpicklingError) as error:
                self.stop()
                raise DartError(f"DART crashed, or took more than {REPLY_TIMEOUT:g} s") from error
            finally:
                timer.cancel()
        if not succeeded:
            raise DartError(f"DART failed: {answer}")
        return answer

    def _exchange(self, request: Any) -> Any:
        requests, replies = self._streams()
        pickle.dump(request, requests)
        requests.flush()
        return pickle.load(replies)  # noqa: S301 - written by `dart_worker`

    def _streams(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._worker.stdin is None or self._worker.stdout is None or self._worker.stdin.closed:
            raise BrokenPipeError
        return self._worker.stdin, self._worker.stdout

    def stop(self) -> None:
        """End the process and wait for its end."""
        atexit.unregister(self.stop)
        self._worker.kill()
        self._worker.wait()
        for stream in (self._worker.stdin, self._worker.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue  # an unsent request of a process that has ended


def dart_process() -> DartProcess:
    """Return the running process of this process; a new one if there is none or it has crashed."""
    process = _process_of(os.getpid())
    if not process.is_running:
        process.stop()
        _process_of.cache_clear()
        process = _process_of(os.getpid())
    return process


@lru_cache(maxsize=1)
def _process_of(_pid: int) -> DartProcess:
    """The process that a process started; a fork starts its own."""
    return DartProcess()
