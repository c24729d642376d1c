"""The executor that distributes a batch: one of the caller, or a process pool that is replaced when it breaks."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing.connection import wait
from typing import Any

from .isolation.protocol import Ended, Request
from .isolation.worker import run_isolated

_MANY = 256
"""Number of models that an executor gets at a time if the number of its workers is unknown."""
_AHEAD = 2
"""Number of models for each worker that an executor gets at a time, so that no worker waits."""


class Workers:
    """The executor of a batch, and what remains when it breaks.

    Attributes:
        window: Number of models that it gets at a time.
    """

    def __init__(self, executor: Executor | None, jobs: int | None) -> None:
        """Take an executor of the caller, or make a process pool.

        Args:
            executor: The executor; it is not shut down. None for a process pool.
            jobs: Number of processes of the pool, or of models that the executor of the caller gets at a time; None for
                the number of cores that this process may use.

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
        self._is_own = executor is None
        self._executor = _process_pool(self._jobs) if executor is None else executor
        is_unknown = executor is not None and jobs is None and known is None
        self.window = _MANY if is_unknown else _AHEAD * self._jobs

    def submit(self, request: Request, modules: tuple[str, ...]) -> Future[Ended]:
        """Give a model to the executor, to a new process pool if it is broken."""
        try:
            return self._executor.submit(run_isolated, request, modules)
        except BrokenExecutor:
            self.replace()
            return self._executor.submit(run_isolated, request, modules)

    def replace(self) -> None:
        """Put a process pool in the place of a broken executor, since most executors do not recover."""
        self.close()
        self._executor, self._is_own = _process_pool(self._jobs), True

    def close(self) -> None:
        """End the pool and the processes of models that still run; an executor of the caller stays as it is."""
        if self._is_own:
            processes = list((getattr(self._executor, "_processes", None) or {}).values())
            self._executor.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()
            for process in processes:
                process.join()
            self._executor.shutdown(wait=True)


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _process_pool(jobs: int) -> ProcessPoolExecutor:
    """Return a pool whose processes end with this process, and leave an interruption by the keyboard to it."""
    kind = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(kind)
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_prepare_process)


def _prepare_process() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    """Wait until the parent has ended, however it ended, and end too."""
    wait([sentinel])
    os._exit(1)


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
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ImportError("a Dask cluster needs distributed: pip install 'sdfbridge[batch]'") from error
    cluster: Any = None
    make_cluster: Any = LocalCluster
    make_client: Any = Client
    if address == "local":
        cluster = make_cluster(n_workers=jobs or available_cores(), threads_per_worker=1, dashboard_address=None)
    client: Any = make_client(cluster if cluster is not None else address)

    def close() -> None:
        with suppress(TimeoutError, OSError):
            client.close()
        if cluster is not None:
            cluster.close()

    executor: Executor = client.get_executor()
    return executor, close
