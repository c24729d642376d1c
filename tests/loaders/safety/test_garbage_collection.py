"""The pause of the garbage collector, as the interpreter reports it."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator

import pytest

import loaders
from loaders.limits import collector_paused

ROBOT = '<robot name="r"><link name="a"><inertial><mass value="1"/></inertial></link></robot>'


@pytest.fixture(autouse=True)
def _collector_on() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_the_collector_runs_again_after_nested_pauses_and_after_an_error() -> None:
    with collector_paused():
        with pytest.raises(KeyError), collector_paused():
            raise KeyError
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_the_caller_turned_off_stays_off() -> None:
    gc.disable()
    with collector_paused():
        pass
    assert not gc.isenabled()


def test_the_collector_runs_again_when_the_last_of_several_threads_is_done() -> None:
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with collector_paused():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with collector_paused():
        thread.start()
        assert inside.wait(10)
    assert not gc.isenabled()
    leave.set()
    thread.join(10)
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the operating system has no fork")
def test_the_collector_runs_in_a_process_that_is_forked_during_a_pause() -> None:
    with collector_paused():
        child = os.fork()
        if not child:
            os._exit(0 if gc.isenabled() else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize(
    "text", [ROBOT, "<robot", '<robot name="r"><joint name="j" type="fixed"/></robot>']
)
def test_the_collector_runs_after_a_load_and_has_no_element_left_to_free(text: str) -> None:
    def load() -> None:
        try:
            loaders.load_string(text, format="urdf", quiet=True)
        except loaders.LoadError as error:
            error.__traceback__ = None

    load()
    gc.collect()
    gc.disable()
    load()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        assert [item for item in gc.garbage if type(item).__name__ == "Node"] == []
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    gc.enable()
    load()
    assert gc.isenabled()
