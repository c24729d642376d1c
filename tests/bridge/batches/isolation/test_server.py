"""The warm process ends with its worker, and takes the call with it."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import time
from multiprocessing.connection import Pipe
from pathlib import Path

from bridge.batches.worker import _START, Request
from tests.support import batch_calls


def started() -> tuple[subprocess.Popen[bytes], object]:
    connection, other = Pipe()
    words = [
        sys.executable,
        "-c",
        _START,
        json.dumps(sys.path),
        str(other.fileno()),
        "no_such_module",
    ]
    process = subprocess.Popen(words, pass_fds=[other.fileno()])
    other.close()
    return process, connection


def children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def test_it_ends_when_the_worker_closes_the_connection() -> None:
    process, connection = started()
    connection.close()
    assert process.wait(30.0) == 0


def test_it_kills_a_running_call_when_the_worker_ends() -> None:
    process, connection = started()
    request = Request(
        pickle.dumps((batch_calls.misbehave, ("hang",), {})), os.getcwd(), 3600.0, 1 << 30
    )
    connection.send(request)
    while not children(process.pid):
        assert process.poll() is None
        time.sleep(0.01)
    (call,) = children(process.pid)
    connection.close()
    assert process.wait(30.0) == 0
    assert batch_calls.ends(call)
