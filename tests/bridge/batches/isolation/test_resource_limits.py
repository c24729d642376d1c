"""What the operating system says about a process."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from bridge.batches.server import end_group, name_of_end, resident_bytes


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
