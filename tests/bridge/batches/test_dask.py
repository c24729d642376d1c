"""A batch on a Dask cluster of several worker processes, of which one is killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bridge
from bridge.batches import BatchOutcome
from bridge.batches.run_batch import dask_executor
from tests.support import batch_calls

# A cluster takes seconds to start and to end; the warnings are those of Dask.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
WORKERS = 3


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A client of a local cluster, whose messages about killed workers do not matter."""
    distributed = pytest.importorskip("distributed")
    import dask

    quiet = {
        "logging": {"distributed": "critical"},
        "distributed.worker.memory.terminate": False,
        "distributed.comm.timeouts.connect": "60s",
    }
    with (
        dask.config.set(quiet),
        distributed.LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            dashboard_address=None,
            host="127.0.0.1",
            silence_logs=60,
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


def numbers(client: Any) -> dict[str, int]:
    """Process number of each worker, by its address."""
    found: dict[str, int] = client.run(os.getpid)
    return found


def test_models_are_done_by_processes_of_the_cluster(cluster: Any) -> None:
    results = list(
        bridge.batch(range(12), batch_calls.parents, executor=cluster.get_executor(), jobs=WORKERS)
    )
    workers = set(numbers(cluster).values())
    assert {result.outcome for result in results} == {BatchOutcome.DONE}
    assert {result.value for result in results} <= workers


def test_crashes_stay_with_their_model(cluster: Any) -> None:
    sources = ["fine", "segfault", "exit", "last"]
    results = bridge.batch(
        sources, batch_calls.misbehave, executor=cluster.get_executor(), jobs=WORKERS
    )
    assert {(result.source, str(result.outcome)) for result in results} == {
        ("fine", "done"),
        ("segfault", "crash"),
        ("exit", "crash"),
        ("last", "done"),
    }


def test_a_killed_worker_loses_no_model(cluster: Any) -> None:
    victim = next(iter(numbers(cluster).values()))
    values = []
    for result in bridge.batch(
        range(40), batch_calls.double, executor=cluster.get_executor(), jobs=WORKERS
    ):
        values.append(result.value)
        if len(values) == 5:
            os.kill(victim, signal.SIGKILL)
    assert sorted(values) == [2 * number for number in range(40)]
    assert victim not in numbers(cluster).values()


def test_an_address_without_a_scheduler_is_an_error() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(ValueError, match="nowhere"):
        dask_executor("nowhere", None)


def test_the_servers_of_a_local_cluster_show_nothing_to_a_browser() -> None:
    pytest.importorskip("distributed")
    opened: Any = dask_executor("local", 1)
    executor, close = opened
    try:
        state: Any = executor._client.scheduler_info()
        (worker,) = state["workers"].values()
        paths = [_paths(server["services"]["dashboard"]) for server in (state, worker)]
    finally:
        close()
    assert paths == [["/sitemap.json"]] * 2


def test_a_cluster_is_closed_although_its_client_fails_to_close(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("distributed")
    opened: Any = dask_executor("local", 1)
    executor, close = opened
    client = executor._client
    (number,) = numbers(client).values()
    shut = client.close

    def fail_after_closing() -> None:
        shut()
        raise AssertionError

    monkeypatch.setattr(client, "close", fail_after_closing)
    close()
    assert not Path(f"/proc/{number}").exists()


def _paths(port: int) -> list[str]:
    """Return the paths that a server of Dask answers, by its own list."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/sitemap.json", timeout=30) as answer:
        found: list[str] = json.load(answer)["paths"]
    return found
