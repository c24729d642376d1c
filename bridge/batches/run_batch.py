"""batch, and the executors that it uses.

A thread only waits for the separate process that makes the call of a model, so that threads are
enough. They need no ``if __name__ == "__main__"`` in the script of the caller, as the process pools
of Python do.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bridge.geometry.cache import cache_folder
from bridge.installed_packages import own_version

from . import tasks
from .folder import ResultFolder
from .inputs import expand_inputs, in_shard
from .results import (
    LIMITED,
    BatchOutcome,
    BatchResult,
    FileStates,
    files_key,
    options_key,
    shown_path,
)
from .tasks import (
    checked_options,
    code_of,
    file_of,
    modules_of,
    name_of_function,
    pickled,
    value_of,
)
from .worker import DONE, EXCEPTION, Ended, Request, Servers, check_fork, run_isolated

_MANY = 256
"""Number of models that an executor gets at a time if the number of its workers is unknown."""
_AHEAD = 2
"""Number of models for each worker that an executor gets at a time, so that no worker waits."""
_NO_PAGES: dict[str, list[str]] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
"""Settings of Dask without the pages that it serves even without a dashboard, to every site in the
browser."""


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
            jobs: Number of threads, or of models that the executor of the caller gets at a time;
                None for the number of cores that this process may use.

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
        self._executor, self._call = (
            ThreadPoolExecutor(self._jobs, "sdfbridge-batch"),
            self._servers.call,
        )

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
        """End the threads and the calls that they wait for; an executor of the caller stays as it
        is.
        """
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
        address: The address of the scheduler, such as ``tcp://10.0.0.1:8786``, or ``local`` for a
            cluster of processes on this machine.
        jobs: Number of processes of a local cluster; None for the number of cores.

    Raises:
        ImportError: if Dask is not installed; the message states how to install it.
        OSError: if there is no scheduler at the address.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ImportError(
            "a Dask cluster needs distributed: pip install 'sdfbridge[batch]'"
        ) from error
    make_cluster: Any = LocalCluster
    make_client: Any = Client
    with ExitStack() as stack:
        cluster: Any = None
        if address == "local":
            with dask.config.set(_NO_PAGES):
                cluster = make_cluster(
                    n_workers=jobs or available_cores(),
                    threads_per_worker=1,
                    dashboard_address=None,
                )
            stack.callback(cluster.close)
        client: Any = make_client(cluster if cluster is not None else address)
        stack.callback(client.close)
        executor: Executor = client.get_executor()
        opened = stack.pop_all()

    def close() -> None:
        # On a loaded machine a client can end with an assertion of Dask's own. The models are
        # done by then, and the stack closes the cluster all the same.
        with suppress(TimeoutError, OSError, AssertionError):
            opened.close()

    return executor, close


LOST = "lost"
"""How a call ended that the executor lost several times."""
_ATTEMPTS = 5
"""Number of times that a model is given to an executor that loses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A model to do.

    Attributes:
        name: Its name in the results.
        request: The call that does it; None if its result is known.
        known: The result of an earlier run, if it holds still.
        attempt: How often it has been given to the executor.
    """

    name: str
    request: Request | None
    known: Any = None
    attempt: int = 1


def run(
    jobs: Iterator[Job], workers: Workers, modules: tuple[str, ...] = ()
) -> Iterator[tuple[Job, Ended | None]]:
    """Yield each job with how it ended, in the order in which they end; None for one with a known
    result.

    Jobs are taken from the iterator when workers need them, so that there may be any number of
    them. A job whose worker is killed is given to another one.

    Args:
        jobs: The jobs.
        workers: The executor.
        modules: Modules that the process of each job has imported.
    """
    pending: dict[Future[Ended], Job] = {}
    again: list[Job] = []
    try:
        while True:
            yield from _start(jobs, again, pending, workers, modules)
            if not pending:
                return
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            if any(isinstance(_failure(future), BrokenExecutor) for future in done):
                workers.replace()
            for future in done:
                yield from _finish(future, pending.pop(future), again)
    finally:  # the caller may stop before the last result
        for future in pending:
            future.cancel()


def _start(
    jobs: Iterator[Job],
    again: list[Job],
    pending: dict[Future[Ended], Job],
    workers: Workers,
    modules: tuple[str, ...],
) -> Iterator[tuple[Job, None]]:
    """Give as many jobs to the executor as it gets at a time; yield those with a known result."""
    while len(pending) < workers.window:
        job = again.pop() if again else next(jobs, None)
        if job is None:
            return
        if job.request is None:
            yield job, None
        else:
            pending[workers.submit(job.request, modules)] = job


def _finish(future: Future[Ended], job: Job, again: list[Job]) -> Iterator[tuple[Job, Ended]]:
    """Yield the end of a job; put one that the executor lost into a list."""
    failure = _failure(future)
    if failure is None:
        yield job, future.result()
    elif job.attempt < _ATTEMPTS:
        again.append(replace(job, attempt=job.attempt + 1))
    else:
        yield (
            job,
            Ended(how=LOST, detail=f"{job.attempt} times: {type(failure).__name__}: {failure}"),
        )


def _failure(future: Future[Ended]) -> BaseException | None:
    """Return why the executor has no answer; None if it has one."""
    try:
        return future.exception()
    except CancelledError as error:
        return error


Task = str | Callable[[Any], Any]
"""``check``, ``convert``, ``compare``, or a function of one source that can be pickled."""
TIMEOUT = 300.0
"""Default of the time limit of a model [s]."""
MEMORY = 4.0
"""Default of the memory limit of a model [GiB]."""


def batch(  # noqa: PLR0913 - all but the first two are options by name
    sources: Iterable[Any],
    task: Task = "check",
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    timeout: float = TIMEOUT,
    memory: float = MEMORY,
    shard: tuple[int, int] | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    force: bool = False,
    preload: Sequence[str] = (),
    **options: Any,
) -> Iterator[BatchResult]:
    """Check, convert or compare many models, each in a separate process, and yield each result when
    it is there.

    A model that crashes, hangs or takes too much memory has a result that says so, and the others
    go on; so does a batch with a killed worker. Models are taken from ``sources`` when they
    are needed.

    Args:
        sources: Files, folders, patterns, ``@FILE`` for the lines of a file, and ``rd://NAME``; for
            a function of the caller, any values that can be pickled.
        task: ``check``, ``convert``, ``compare``, or a function of one source.
        executor: Any `concurrent.futures.Executor`; it is not shut down. None for threads, each of
            which waits for the process of a model.
        jobs: Number of processes at a time, or of models that the executor gets at a time; None for
            the number of cores, or for what the executor states.
        timeout: Largest time of one model [s].
        memory: Largest memory of one model, beside that of the imported modules [GiB].
        shard: Number of the shard, from 1, and number of shards; each does its part of the
            sources.
        out: Folder for results and reports, which are written at the end; ``convert`` needs it.
        resume: Whether to take the results of an earlier batch in ``out`` of which nothing has
            changed: neither the files that the model consists of, nor the options, nor the
            versions.
        force: Whether to write into a folder that holds other files.
        preload: Modules that are imported once for all models of a worker, because their import is
            slow.
        options: Options of `loaders.load`, and ``thumbnails``: whether to draw a picture of each
            model into ``out``, by default for ``convert`` and ``compare``. For ``check`` also the
            codes to ``ignore`` and to ``select``, and the file of a ``baseline``. For ``compare``
            also those of `bridge.compare`; for ``convert`` also ``to`` and those of the export.

    Returns:
        An iterator of results, in the order in which they are there. The batch runs while it is
        iterated.

    Raises:
        InputError: if a folder, a pattern or a list names no model; a `ValueError`.
        OutputFolderError: if the folder holds files that no batch wrote; a `FileExistsError`.
        FolderInUseError: if another batch writes the folder; an `OSError`.
        ForkMissingError: on Windows, where models cannot be isolated; an `OSError`.
        TypeError: if an option is unknown, the sources cannot be iterated, or the function or a
            source cannot be pickled.
        ValueError: if an option has a value that is not possible.

    Example:
        >>> import bridge
        >>> for result in bridge.batch(["assets/double_pendulum.urdf"]):
        ...     print(result.source, result.outcome, dict(result.size))
        assets/double_pendulum.urdf valid {'links': 3, 'joints': 3, 'dofs': 2}
    """
    check_fork()
    plan = replace(
        _Plan.of(task, out, options, timeout, memory), preload=tuple(preload), force=force
    )
    if resume and out is None:
        raise ValueError("resume needs the folder of the earlier batch; expected out=...")
    items = _items(sources, task, options, shard)
    workers = Workers(executor, jobs)
    return _results(plan, items, workers, resume=resume)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """The work on each source, and its limits."""

    name: str
    function: Callable[..., Any] | None
    out: Path | None
    options: Mapping[str, Any]
    key: str
    timeout: float
    memory: int
    base: Path
    preload: tuple[str, ...] = ()
    force: bool = False

    @staticmethod
    def of(
        task: Task, out: Any, options: Mapping[str, Any], timeout: float, memory: float
    ) -> _Plan:
        if not (timeout > 0.0 and memory > 0.0):
            raise ValueError(f"timeout = {timeout}, memory = {memory}; expected positive numbers")
        if not callable(task) and task not in tasks.TASKS:
            raise ValueError(
                f"unknown task {task!r}; expected one of: {', '.join(tasks.TASKS)}, or a function"
            )
        if task == "convert" and out is None:
            raise ValueError("convert writes files; expected out=FOLDER")
        name = name_of_function(task) if callable(task) else task
        options = checked_options(None if callable(task) else task, options)
        return _Plan(
            name=name,
            function=task if callable(task) else None,
            out=None if out is None else Path(os.path.abspath(out)),
            options=options,
            key=options_key(
                name, {**options, "code": code_of(task)} if callable(task) else options
            ),
            timeout=timeout,
            memory=int(memory * (1 << 30)),
            base=Path.cwd(),
        )

    @property
    def modules(self) -> tuple[str, ...]:
        """Modules that the process of each model has imported."""
        own = tasks.MODULES[self.name] if self.function is None else modules_of(self.function)
        return (*own, *self.preload)

    @property
    def settings(self) -> dict[str, Any]:
        """The statement of the output folder about the batch."""
        plain = {
            key: value if isinstance(value, bool | int | float) else str(value)
            for key, value in self.options.items()
        }
        return {"task": self.name, "options": plain, "version": own_version()}

    def name_of(self, source: Any) -> str:
        """Return the name of a source in the results."""
        return shown_path(source, self.base) if self.function is None else str(source)

    def request(self, source: Any, name: str) -> Request:
        """Return the call that does a source."""
        if self.function is not None:
            call: tuple[Any, ...] = (self.function, (source,), {})
        else:
            call = (
                tasks.TASKS[self.name],
                (name, str(self.out or ""), {**self.options, "force": self.force}),
                {},
            )
        return Request(pickled(call), str(self.base), self.timeout, self.memory)

    def result(self, job: Job, ended: Ended) -> BatchResult:
        """Return the result of a job."""
        read = (
            ended.files
            if self.function is None
            else {**file_of(job.name, self.base), **ended.files}
        )
        result = BatchResult(
            source=job.name,
            task=self.name,
            outcome=BatchOutcome.DONE,
            files=files_key(read, self.base, _own_folders()),
            options=self.key,
            seconds=ended.seconds,
            cpu_seconds=ended.cpu_seconds,
            megabytes=ended.megabytes,
            attempts=job.attempt,
            host=ended.host,
            log=ended.log,
        )
        if ended.how != DONE:
            outcome = BatchOutcome.ERROR if ended.how == EXCEPTION else BatchOutcome(ended.how)
            return replace(result, outcome=outcome, detail=ended.detail)
        if self.function is not None:
            return replace(result, **value_of(ended.value, is_stored=self.out is not None))
        found = pickle.loads(ended.value)  # noqa: S301 - made by our own process
        return replace(result, **{**found, "diagnostics": tuple(found["diagnostics"])})


def _items(
    sources: Iterable[Any], task: Task, options: Mapping[str, Any], shard: tuple[int, int] | None
) -> Iterator[Any]:
    """Return the sources of the shard; words that are all there are expanded at once, so that wrong
    ones show early.
    """
    if not isinstance(sources, str | os.PathLike | Iterable):
        raise TypeError(
            f"sources: expected files, folders or patterns, such as ['models'], not {sources!r}"
        )
    if callable(task):
        return in_shard(sources, shard)
    is_all_there = isinstance(sources, str | os.PathLike | Sequence)
    words = [sources] if isinstance(sources, str | os.PathLike) else sources
    files = expand_inputs(map(os.fspath, words), xacro=bool(options.get("allow_xacro")))
    return in_shard(list(files) if is_all_there else files, shard)


def _results(
    plan: _Plan, items: Iterator[Any], workers: Workers, *, resume: bool
) -> Iterator[BatchResult]:
    """Yield the results, and write them into the folder if there is one."""
    with ExitStack() as stack:
        stack.callback(workers.close)
        folder = None
        if plan.out is not None:
            folder = stack.enter_context(
                ResultFolder(plan.out, plan.settings, resume=resume, force=plan.force)
            )
        jobs = _jobs(plan, items, folder)
        for job, ended in run(jobs, workers, plan.modules):
            result = job.known if ended is None else plan.result(job, ended)
            if folder is not None and ended is not None:
                folder.add(result)
            yield result
        if folder is not None:
            folder.finish()


def _jobs(plan: _Plan, items: Iterator[Any], folder: ResultFolder | None) -> Iterator[Job]:
    """Yield a job for each source; one whose earlier result holds still has nothing to do."""
    states = FileStates(plan.base)
    for item in items:
        name = plan.name_of(item)
        earlier = None if folder is None else folder.previous(name)
        if folder is not None and earlier is not None and _holds(plan, earlier, states):
            folder.keep(name)
            yield Job(name=name, request=None, known=replace(earlier, resumed=True))
        else:
            yield Job(name=name, request=plan.request(item, name))


def _holds(plan: _Plan, earlier: BatchResult, states: FileStates) -> bool:
    """Return whether a result of an earlier run is what a new one would be."""
    if earlier.options != plan.key or earlier.outcome in {*LIMITED, BatchOutcome.LOST}:
        return False
    if (
        plan.function is None and not earlier.files
    ):  # a robot that was not to be had may be there now
        return False
    is_there = not earlier.report or plan.out is None or (plan.out / earlier.report).is_file()
    return is_there and states.match(earlier.files)


def _own_folders() -> tuple[str, ...]:
    """Return the folders whose files do not count: the cache, and scratch."""
    return str(cache_folder()) + os.sep, os.path.join(tempfile.gettempdir(), "sdfbridge-")
