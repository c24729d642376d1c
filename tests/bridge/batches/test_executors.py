"""The executor of a batch."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bridge.batches.executors import Workers, available_cores
from bridge.batches.isolation.protocol import Request


def test_the_number_of_models_at_a_time_follows_the_workers() -> None:
    with ThreadPoolExecutor(3) as executor:
        assert Workers(executor, None).window == 6
        assert Workers(executor, 5).window == 10


def test_the_cores_of_this_process_are_counted() -> None:
    assert 1 <= available_cores() <= (os.cpu_count() or 1)


def test_closing_ends_the_processes_of_the_pool_and_their_calls() -> None:
    workers = Workers(None, 1)
    request = Request(b"no call", str(Path.cwd()), 5.0, 1 << 30)
    ended = workers.submit(request, ()).result(60.0)
    assert ended.how == "exception"
    processes = list(workers._executor._processes)  # type: ignore[attr-defined]
    workers.close()
    assert [number for number in processes if Path(f"/proc/{number}").exists()] == []
