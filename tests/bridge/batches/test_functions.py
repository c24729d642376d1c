"""Functions of the caller as tasks."""

from __future__ import annotations

import functools
import importlib.util
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import bridge
from bridge.batches.tasks import code_of, modules_of, name_of_function
from bridge.batches.worker import close_servers
from tests.support import batch_calls


@pytest.fixture(scope="module")
def thread() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor
    close_servers()


def test_a_function_has_the_same_name_in_every_run() -> None:
    assert name_of_function(batch_calls.double) == "double"
    partial = functools.partial(batch_calls.power, 3)
    assert name_of_function(partial) == "functools.partial(<function power>, 3)"
    assert modules_of(partial) == modules_of(batch_calls.power) == ("tests.support.batch_calls",)


def test_a_partial_function_is_a_task_whose_results_are_kept(
    thread: Executor, tmp_path: Path
) -> None:
    for number in range(2):
        cube = functools.partial(batch_calls.power, 3)
        results = list(bridge.batch([1, 2], cube, executor=thread, out=tmp_path / "o", resume=True))
        assert sorted(result.value for result in results) == [1, 8]
        assert {result.resumed for result in results} == {bool(number)}
    square = functools.partial(batch_calls.power, 2)
    (result,) = bridge.batch([2], square, executor=thread, out=tmp_path / "o", resume=True)
    assert (result.value, result.resumed) == (4, False)


def test_a_function_whose_file_changes_is_another_one(tmp_path: Path) -> None:
    def loaded() -> Any:
        spec = importlib.util.spec_from_file_location("changing", tmp_path / "changing.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    codes = []
    for text in ("def f(x): return 1", "def f(x): return 2 "):
        (tmp_path / "changing.py").write_text(text)
        codes.append(code_of(loaded().f))
    assert len(set(codes)) == 2
    assert "" not in codes
    assert code_of(len) == ""


def test_a_source_that_is_a_file_counts_though_the_function_opens_it(
    thread: Executor, tmp_path: Path
) -> None:
    file = tmp_path / "words.txt"
    found = []
    for text in ("one two", "one two", "two"):
        file.write_text(text)
        (result,) = bridge.batch(
            [file], batch_calls.first_word, executor=thread, out=tmp_path / "o", resume=True
        )
        found.append((result.value, result.resumed))
    assert found == [("one", False), ("one", True), ("two", False)]


def test_a_value_is_the_same_whether_it_was_kept_or_not(thread: Executor, tmp_path: Path) -> None:
    sources = [(1, (2, 3)), {"a": (1,)}]
    for resumed in (False, True):
        results = list(
            bridge.batch(
                sources, batch_calls.as_it_is, executor=thread, out=tmp_path / "o", resume=True
            )
        )
        assert {result.source: result.value for result in results} == {
            "(1, (2, 3))": [1, [2, 3]],
            "{'a': (1,)}": {"a": [1]},
        }
        assert {result.resumed for result in results} == {resumed}


def test_a_value_that_cannot_be_used_is_an_error_of_its_model(
    thread: Executor, tmp_path: Path
) -> None:
    path = str(tmp_path / "x")
    (result,) = bridge.batch([path], batch_calls.folder_of, executor=thread, out=tmp_path / "o")
    assert (result.outcome, result.value) == ("error", None)
    assert result.detail.startswith("the value cannot be written as JSON: Object of type PosixPath")
    (result,) = bridge.batch([path], batch_calls.folder_of, executor=thread)
    assert result.value == tmp_path
    (result,) = bridge.batch([path], batch_calls.Unreadable, executor=thread)
    assert result.outcome == "error"
    assert result.detail.startswith("the value cannot be unpickled: ")


@pytest.mark.parametrize(
    ("task", "source"), [(batch_calls.as_it_is, threading.Lock()), ((lambda x: x), None)]
)
def test_what_cannot_be_pickled_is_a_mistake_of_the_caller(
    task: Any, source: Any, thread: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cloudpickle", None)
    with pytest.raises(TypeError, match=r"task .* or its source cannot be pickled: "):
        list(bridge.batch([source], task, executor=thread))
