"""The executor that distributes a batch: one of the caller, or threads of this process.

A thread only waits for the separate process that makes the call of a model, so that threads are enough. They need no
``if __name__ == "__main__"`` in the script of the caller, as the process pools of Python do.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from .isolation.protocol import Ended, Request
from .isolation.worker import Servers, run_isolated

_MANY = 256
"""Number of models that an executor gets at a time if the number of its workers is unknown."""
_AHEAD = 2
"""Number of models for each worker that an executor gets at a time, so that no worker waits."""
_NO_PAGES: dict[str, list[str]] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""Settings of Dask without the pages that it serves even without a dashboard, to every site in the browser."""


class Workers:
    """The executor of a batch, and what remains when it breaks.

    Attributes:
        window: Number of models that it gets at a time.
    """

    _executor: Executor
    _call: Callable[[Request, tuple[str, ...]], Ended]

    def __init__(self, executor: Executor | None, jobs: int | None) -> None:
        """Take an executor of the caller, or start threads.

        Args:
            executor: The executor; it is not shut down. None for threads of this process.
            jobs: Number of threads, or of models that the executor of the caller gets at a time; None for the number of
                cores that this process may use.

        Raises:
            TypeError: if ``executor`` is not a `concurrent.futures.Executor`.
            ValueError: if the number is not positive.
        """
        if executor is not None and not callable(getattr(executor, "submit", None)):
            raise TypeError(f"executor: expected a concurrent.futures.Executor, not {executor!r}")
        if jobs is not None and (not isinstance(jobs, int) or jobs < 1):
            raise ValueError(f"jobs = {jobs}; expected a whole number of at least 1")
        known = getattr(executor, "_max_workers", None) if executor is not None else None
        self._jobs = jobs or known or available_cores()
        self._servers: Servers | None = None
        if executor is None:
            self._start_threads()
        else:
            self._executor, self._call = executor, run_isolated
        is_unknown = executor is not None and jobs is None and known is None
        self.window = _MANY if is_unknown else _AHEAD * self._jobs

    def _start_threads(self) -> None:
        self._servers = Servers()
        self._executor, self._call = ThreadPoolExecutor(self._jobs, "sdfbridge-batch"), self._servers.call

    def submit(self, request: Request, modules: tuple[str, ...]) -> Future[Ended]:
        """Give a model to the executor, to threads of this process if it is broken."""
        try:
            return self._executor.submit(self._call, request, modules)
        except BrokenExecutor:
            self.replace()
            return self._executor.submit(self._call, request, modules)

    def replace(self) -> None:
        """Put threads in the place of a broken executor, since most executors do not recover."""
        self.close()
        self._start_threads()

    def close(self) -> None:
        """End the threads and the calls that they wait for; an executor of the caller stays as it is."""
        if self._servers is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._servers.end_calls()
            self._executor.shutdown(wait=True)
            self._servers.close()


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def dask_executor(address: str, jobs: int | None) -> tuple[Executor, Callable[[], None]]:
    """Return the executor of a Dask cluster, and a function that closes the connection.

    Args:
        address: The address of the scheduler, such as ``tcp://10.0.0.1:8786``, or ``local`` for a cluster of processes
            on this machine.
        jobs: Number of processes of a local cluster; None for the number of cores.

    Raises:
        ImportError: if Dask is not installed; the message states how to install it.
        OSError: if there is no scheduler at the address.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ImportError("a Dask cluster needs distributed: pip install 'sdfbridge[batch]'") from error
    cluster: Any = None
    make_cluster: Any = LocalCluster
    make_client: Any = Client
    if address == "local":
        with dask.config.set(_NO_PAGES):
            cluster = make_cluster(n_workers=jobs or available_cores(), threads_per_worker=1, dashboard_address=None)
    client: Any = make_client(cluster if cluster is not None else address)

    def close() -> None:
        with suppress(TimeoutError, OSError):
            client.close()
        if cluster is not None:
            cluster.close()

    executor: Executor = client.get_executor()
    return executor, close
