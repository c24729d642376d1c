"""A crash of DART ends its own process; the next engine gets a new one, and none is left behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

import bridge
from bridge.parity.engines.dart.engine import DartError, DartProcess, dart_process
from loaders.model import WORLD
from tests.support.scenes import joint, link, scene

pytest.importorskip("dartpy")

MECHANISM = bridge.lower(scene([link("a")], [joint("j", WORLD, "a")]))


@pytest.fixture
def process() -> Iterator[DartProcess]:
    process = DartProcess()
    yield process
    process.stop()


def test_a_process_answers_for_several_engines(process: DartProcess) -> None:
    first, second = (process.open(MECHANISM, as_exported=False) for _ in range(2))
    process.ask(first, "set_state", {"j": 0.5}, {})
    process.ask(second, "set_state", {"j": -0.5}, {})
    assert process.ask(first, "positions")["j"] == pytest.approx((0.5,))
    process.close(second)
    with pytest.raises(DartError, match="KeyError"):
        process.ask(second, "positions")
    assert process.is_running


def test_a_crash_is_an_error_and_the_process_is_gone(process: DartProcess) -> None:
    number = process.open(MECHANISM, as_exported=False)
    os.kill(process.pid, signal.SIGSEGV)
    with pytest.raises(DartError, match="crashed"):
        process.ask(number, "positions")
    assert not process.is_running
    process.close(number)


def test_a_stopped_process_leaves_nothing_behind(process: DartProcess) -> None:
    pid = process.pid
    process.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_shared_process_is_replaced_after_its_end() -> None:
    first = dart_process()
    assert dart_process() is first
    first.stop()
    second = dart_process()
    assert second is not first
    assert second.is_running
