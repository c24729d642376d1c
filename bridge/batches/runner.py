"""Giving models to an executor, a bounded number at a time, until each has a result."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass, replace
from typing import Any

from .executors import Workers
from .isolation.protocol import Ended, Request

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


def run(jobs: Iterator[Job], workers: Workers, modules: tuple[str, ...] = ()) -> Iterator[tuple[Job, Ended | None]]:
    """Yield each job with how it ended, in the order in which they end; None for one with a known result.

    Jobs are taken from the iterator when workers need them, so that there may be any number of them. A job whose worker
    is killed is given to another one.

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
    jobs: Iterator[Job], again: list[Job], pending: dict[Future[Ended], Job], workers: Workers, modules: tuple[str, ...]
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
        yield job, Ended(how=LOST, detail=f"{job.attempt} times: {type(failure).__name__}: {failure}")


def _failure(future: Future[Ended]) -> BaseException | None:
    """Return why the executor has no answer; None if it has one."""
    try:
        return future.exception()
    except CancelledError as error:
        return error
