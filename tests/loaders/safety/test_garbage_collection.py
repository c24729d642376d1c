"""The pause of the garbage collector, as the interpreter reports it."""

from __future__ import annotations

import contextlib
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [ROBOT, "<robot", '<robot name="r"><joint name="j" type="fixed"/></robot>']
)
def test_the_collector_runs_after_a_load_and_then_frees_all_elements(text: str) -> None:
    """Elements refer to each other in circles; none of them is kept by anything else."""

    def elements() -> int:
        gc.collect()
        return sum(type(item).__name__ == "Node" for item in gc.get_objects())

    before = elements()
    with contextlib.suppress(loaders.LoadError):
        loaders.load_string(text, format="urdf", quiet=True)
    assert gc.isenabled()
    assert elements() == before
