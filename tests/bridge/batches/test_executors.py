"""The executor of a batch."""

from __future__ import annotations

import os
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bridge.batches.run_batch import Workers, available_cores
from bridge.batches.worker import Request, ServerLostError
from tests.support import batch_calls


def test_the_number_of_models_at_a_time_follows_the_workers() -> None:
    with ThreadPoolExecutor(3) as executor:
        assert Workers(executor, None).window == 6
        assert Workers(executor, 5).window == 10


def test_the_cores_of_this_process_are_counted() -> None:
    assert 1 <= available_cores() <= (os.cpu_count() or 1)


def test_closing_ends_the_calls_and_their_processes(tmp_path: Path) -> None:
    workers = Workers(None, 1)
    place = tmp_path / "numbers"
    call = pickle.dumps((batch_calls.write_number, (str(place),), {}))
    running, waiting = (workers.submit(Request(call, "", 60.0, 1 << 30), ()) for _ in range(2))
    while not place.exists() or not place.read_text().endswith("\n"):
        time.sleep(0.01)
    workers.close()
    assert isinstance(running.exception(0.0), ServerLostError)
    assert waiting.cancelled()
    assert all(batch_calls.ends(number) for number in place.read_text().split())
