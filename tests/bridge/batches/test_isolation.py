"""A call in a separate process: its limits, the process that forks it, and what the fork may do."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing.connection import Pipe
from pathlib import Path
from typing import Any

import pytest

from bridge.batches.server import end_group, name_of_end, resident_bytes
from bridge.batches.worker import (
    _START,
    FOLDER,
    Ended,
    Request,
    close_servers,
    digest_of,
    run_isolated,
)
from tests.support import batch_calls

# A call in a separate process, under limits.


@pytest.fixture(scope="module", autouse=True)
def _no_process_is_left() -> Iterator[None]:
    yield
    close_servers()


def call(
    function: Any, *arguments: Any, timeout: float = 30.0, memory: int = 1 << 30, folder: str = ""
) -> Ended:
    return run_isolated(Request(pickle.dumps((function, arguments, {})), folder, timeout, memory))


def test_a_call_returns_its_value_from_another_process() -> None:
    ended = call(batch_calls.process_number, None)
    assert ended.how == "done"
    assert pickle.loads(ended.value) not in {os.getpid(), None}


def test_each_call_has_a_process_of_its_own() -> None:
    numbers = {pickle.loads(call(batch_calls.process_number, None).value) for _ in range(3)}
    assert len(numbers) == 3


@pytest.mark.parametrize(
    ("how", "detail"),
    [("segfault", "SIGSEGV"), ("abort", "SIGABRT"), ("exit", "exit 7"), ("shout", "SIGBUS")],
)
def test_a_crash_is_told_with_its_signal_or_exit_code(how: str, detail: str) -> None:
    ended = call(batch_calls.misbehave, how)
    assert (ended.how, ended.detail) == ("crash", detail)


def test_the_last_words_of_a_process_are_kept() -> None:
    assert "the last words" in call(batch_calls.misbehave, "shout").log


def test_an_exception_is_told_with_its_traceback() -> None:
    ended = call(batch_calls.misbehave, "raise")
    assert (ended.how, ended.detail) == ("exception", "KeyError: 'no such thing'")
    assert "batch_calls.py" in ended.log


def test_a_call_that_hangs_ends_at_the_time_limit() -> None:
    ended = call(batch_calls.misbehave, "hang", timeout=0.3)
    assert (ended.how, ended.detail) == ("timeout", "0.3 s")


def test_a_call_that_takes_too_much_memory_ends_at_the_limit() -> None:
    ended = call(batch_calls.misbehave, "eat", memory=100 << 20)
    assert (ended.how, ended.detail) == ("memory", "100 MiB")
    assert ended.megabytes < 200.0


def test_the_next_call_works_after_a_crash() -> None:
    call(batch_calls.misbehave, "segfault")
    assert call(batch_calls.double, 4).value == pickle.dumps(8)


def test_a_process_that_a_call_starts_ends_with_it(tmp_path: Path) -> None:
    place = tmp_path / "number"
    call(batch_calls.leave_a_process, str(place))
    assert batch_calls.ends(place.read_text())


def test_the_files_of_a_call_are_told_with_their_content(tmp_path: Path) -> None:
    there, missing = tmp_path / "a.sdf", tmp_path / "b.sdf"
    there.write_bytes(b"content")
    ended = call(batch_calls.read_files, f"{there} {missing}")
    assert ended.files == {str(there): hashlib.sha256(b"content").hexdigest(), str(missing): None}


def test_the_files_of_a_call_that_crashes_are_told_too(tmp_path: Path) -> None:
    there = tmp_path / "a.sdf"
    there.write_bytes(b"content")
    ended = call(batch_calls.read_then_crash, str(there))
    assert ended.how == "crash"
    assert list(ended.files) == [str(there)]


def test_a_call_works_in_the_folder_of_the_batch(tmp_path: Path) -> None:
    assert pickle.loads(call(os.getcwd, folder=str(tmp_path)).value) == str(tmp_path)


def test_the_digest_of_a_file_a_folder_and_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    assert digest_of(str(tmp_path / "file")) == hashlib.sha256(b"x").hexdigest()
    assert digest_of(str(tmp_path)) == FOLDER
    assert digest_of(str(tmp_path / "none")) is None


# The warm process ends with its worker, and takes the call with it.


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


# What the operating system says about a process.


def test_the_memory_of_this_process_is_known() -> None:
    assert resident_bytes(os.getpid()) > 10 << 20


def test_a_process_that_does_not_exist_has_no_memory() -> None:
    assert resident_bytes(1 << 22) == 0


@pytest.mark.parametrize(
    ("status", "name"), [(11, "SIGSEGV"), (6, "SIGABRT"), (7 << 8, "exit 7"), (0, "exit 0")]
)
def test_the_name_of_an_end(status: int, name: str) -> None:
    assert name_of_end(status) == name


def test_a_group_is_killed_with_its_leader() -> None:
    process = subprocess.Popen(["sh", "-c", "sleep 3600 & wait"], start_new_session=True)
    end_group(process.pid)
    assert process.wait(10.0) == -signal.SIGKILL
    end_group(process.pid)  # nobody is left


# What the fork of a call may and may not do.


def test_its_temporary_folder_is_removed() -> None:
    ended = run_isolated(Request(pickle.dumps((tempfile.mkdtemp, (), {})), "", 30.0, 1 << 30))
    folder = Path(pickle.loads(ended.value))
    assert not folder.exists()
    assert folder.parent != Path(tempfile.gettempdir())


def test_it_leads_a_group_of_its_own() -> None:
    ended = run_isolated(Request(pickle.dumps((os.getpgrp, (), {})), "", 30.0, 1 << 30))
    assert pickle.loads(ended.value) != os.getpgrp()


def test_a_value_that_cannot_be_pickled_is_an_exception() -> None:
    ended = run_isolated(Request(pickle.dumps((os.scandir, (".",), {})), "", 30.0, 1 << 30))
    assert ended.how == "exception"
    assert "pickle" in ended.detail
