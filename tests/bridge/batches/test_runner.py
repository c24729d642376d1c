"""Jobs are given to an executor a bounded number at a time, and again if it loses them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any

import pytest

from bridge.batches.run_batch import Job, Workers, run
from bridge.batches.worker import Ended, Request


class Losing(Executor):
    """An executor that loses each call some times."""

    def __init__(self, times: int, error: type[Exception] = RuntimeError) -> None:
        self.left, self.times, self.error = dict[str, int](), times, error

    def submit(self, function: Any, /, *arguments: Any, **keywords: Any) -> Future[Any]:
        future: Future[Any] = Future()
        name = arguments[0].folder
        self.left[name] = self.left.get(name, self.times) - 1
        if self.left[name] >= 0:
            future.set_exception(self.error("gone"))
        else:
            future.set_result(Ended(how="done", detail=name))
        return future


def jobs(count: int) -> Iterator[Job]:
    for number in range(count):
        yield Job(name=str(number), request=Request(b"", str(number), 1.0, 1))


def test_every_job_ends_once() -> None:
    ended = list(run(jobs(20), Workers(Losing(0), 3)))
    assert sorted(int(job.name) for job, _ in ended) == list(range(20))


def test_a_lost_job_is_given_to_the_executor_again() -> None:
    ended = list(run(jobs(3), Workers(Losing(2), 2)))
    assert {(job.attempt, end.how) for job, end in ended if end} == {(3, "done")}


def test_a_job_that_is_lost_again_and_again_has_a_result_too() -> None:
    ((job, end),) = run(jobs(1), Workers(Losing(1000), 1))
    assert end is not None
    assert (job.attempt, end.how, end.detail) == (5, "lost", "5 times: RuntimeError: gone")


def test_a_job_with_a_known_result_needs_no_executor() -> None:
    ((_, end),) = run(iter([Job(name="a", request=None, known=7)]), Workers(Losing(1000), 1))
    assert end is None


def test_a_broken_executor_is_replaced_by_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers(Losing(1000, BrokenExecutor), 2)
    monkeypatch.setattr("bridge.batches.run_batch.ThreadPoolExecutor", lambda jobs, name: Losing(0))
    ended = list(run(jobs(3), workers))
    assert sorted(job.name for job, end in ended if end and end.how == "done") == ["0", "1", "2"]
