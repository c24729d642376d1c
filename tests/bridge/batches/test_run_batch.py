"""A batch with each kind of source and executor: results, resume, what it survives, and bounded
submission.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from pathlib import Path
from typing import Any

import pytest

import bridge
import sdfbridge
from bridge.batches import BatchOutcome, BatchResult
from bridge.batches.run_batch import Job, Workers, available_cores, run
from bridge.batches.worker import Ended, Request, ServerLostError, close_servers
from bridge.output import OutputFolderError
from tests.support import batch_calls

# A batch with each kind of source and executor: results, resume, and what it survives.

ASSETS = Path(__file__).parents[3] / "assets"
BOX = "<sdf version='1.11'><model name='m'><link name='a'>{}</link></model></sdf>"


@pytest.fixture(scope="module")
def thread() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor
    close_servers()


def by_source(results: Iterator[BatchResult]) -> dict[str, BatchResult]:
    return {Path(result.source).name: result for result in results}


@pytest.fixture(scope="module")
def survived(thread: Executor) -> dict[str, BatchResult]:
    ways = ["fine", "segfault", "exit", "eat", "raise", "last"]
    found = by_source(bridge.batch(ways, batch_calls.misbehave, executor=thread, memory=0.1))
    return found | by_source(
        bridge.batch(["hang"], batch_calls.misbehave, executor=thread, timeout=0.5)
    )


@pytest.mark.parametrize(
    ("source", "outcome", "detail"),
    [
        ("fine", "done", ""), ("segfault", "crash", "SIGSEGV"), ("exit", "crash", "exit 7"),
        ("hang", "timeout", "0.5 s"), ("eat", "memory", "102.4 MiB"),
        ("raise", "error", "KeyError: 'no such thing'"), ("last", "done", ""),
    ],
)  # fmt: skip
def test_each_bad_end_is_a_result_and_the_batch_goes_on(
    survived: dict[str, BatchResult], source: str, outcome: str, detail: str
) -> None:
    assert (survived[source].outcome, survived[source].detail) == (outcome, detail)


def test_a_function_returns_its_values_from_processes() -> None:
    results = sdfbridge.batch(range(5), batch_calls.double, jobs=2)
    assert sorted(result.value for result in results) == [0, 2, 4, 6, 8]


def test_the_modules_of_a_function_are_imported_once(thread: Executor) -> None:
    results = bridge.batch(
        range(2), batch_calls.has_colorsys, executor=thread, preload=("colorsys",)
    )
    assert [result.value for result in results] == [True, True]
    assert [
        result.value for result in bridge.batch([0], batch_calls.has_colorsys, executor=thread)
    ] == [False]


def test_sources_are_taken_when_they_are_needed(thread: Executor) -> None:
    taken: list[int] = []
    results = bridge.batch(
        (taken.append(i) or i for i in range(50)), batch_calls.double, executor=thread
    )
    next(iter(results))
    assert len(taken) < 10


def test_a_killed_worker_of_a_process_pool_does_not_end_the_batch(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        results = list(
            bridge.batch([str(tmp_path / "mark")], batch_calls.kill_worker_once, executor=executor)
        )
    assert [(result.value, result.attempts) for result in results] == [("done", 2)]


def test_a_killed_warm_process_does_not_end_the_batch(tmp_path: Path) -> None:
    sources = [str(tmp_path / "mark"), str(tmp_path / "mark2")]
    results = list(bridge.batch(sources, batch_calls.kill_server_once, jobs=1))
    assert [result.value for result in results] == ["done", "done"]
    assert max(result.attempts for result in results) == 2


@pytest.mark.slow
def test_a_script_needs_no_guard_of_its_main_module(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        f"import bridge\nprint(*[r.outcome for r in bridge.batch([{str(ASSETS / 'leg.sdf')!r}])])\n"
    )
    run = subprocess.run(
        [sys.executable, str(script)], check=False, capture_output=True, text=True, timeout=60.0
    )
    assert (run.stdout, run.stderr) == ("valid\n", "")


# --- the tasks ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    shutil.copy(ASSETS / "double_pendulum.urdf", folder / "good.urdf")
    (folder / "bad.sdf").write_text(BOX.format("<inertial><mass>-x</mass></inertial>"))
    (folder / "mesh.sdf").write_text(
        BOX.format(
            "<visual name='v'><geometry><mesh><uri>part.obj</uri></mesh></geometry></visual>"
        )
    )
    return folder


@pytest.fixture(scope="module")
def checked(models: Path, thread: Executor, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "check"
    results = by_source(bridge.batch(models, "check", executor=thread, out=out, thumbnails=True))
    assert {name: result.outcome for name, result in results.items()} == {
        "good.urdf": BatchOutcome.VALID,
        "bad.sdf": BatchOutcome.INVALID,
        "mesh.sdf": BatchOutcome.VALID,
    }
    return out


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


@pytest.mark.slow
def test_the_lines_are_sorted_and_have_the_numbers_of_each_model(checked: Path) -> None:
    bad, good, mesh = lines(checked)
    assert [Path(line["source"]).name for line in (bad, good, mesh)] == [
        "bad.sdf",
        "good.urdf",
        "mesh.sdf",
    ]
    assert bad["severities"]["error"] == 1
    assert good["size"] == {"links": 3, "joints": 3, "dofs": 2}
    assert mesh["fates"]["dropped"] == 1


def test_a_result_names_the_file_that_was_looked_for_in_vain(checked: Path, models: Path) -> None:
    mesh = lines(checked)[2]
    assert mesh["files"][str(models / "part.obj")] is None
    assert mesh["files"][str(models / "mesh.sdf")] is not None


def test_each_model_with_shapes_has_a_picture(checked: Path) -> None:
    _, good, mesh = lines(checked)
    assert (checked / good["thumbnail"]).read_bytes().startswith(b"\x89PNG")
    assert mesh["thumbnail"] == ""
    assert good["thumbnail"] in (checked / "index.html").read_text()


def resumed(models: Path, out: Path, thread: Executor, **options: Any) -> dict[str, bool]:
    results = by_source(
        bridge.batch(
            models, "check", executor=thread, out=out, resume=True, thumbnails=True, **options
        )
    )
    return {name: result.resumed for name, result in results.items()}


def test_only_what_changed_is_done_again(checked: Path, models: Path, thread: Executor) -> None:
    before = (checked / "results.jsonl").read_bytes()
    assert resumed(models, checked, thread) == {
        "good.urdf": True,
        "bad.sdf": True,
        "mesh.sdf": True,
    }
    assert (checked / "results.jsonl").read_bytes() == before
    (models / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert resumed(models, checked, thread) == {
        "good.urdf": True,
        "bad.sdf": True,
        "mesh.sdf": False,
    }
    (models / "good.urdf").write_text((models / "good.urdf").read_text() + "\n")
    assert resumed(models, checked, thread) == {
        "good.urdf": False,
        "bad.sdf": True,
        "mesh.sdf": True,
    }
    assert resumed(models, checked, thread, strict=True) == dict.fromkeys(
        ("good.urdf", "bad.sdf", "mesh.sdf"), False
    )


def test_convert_writes_a_folder_for_each_model(thread: Executor, tmp_path: Path) -> None:
    (result,) = bridge.batch(
        [ASSETS / "double_pendulum.urdf"], "convert", executor=thread, out=tmp_path / "o", to="sdf"
    )
    assert result.outcome is BatchOutcome.CONVERTED
    assert (tmp_path / "o" / result.report).is_file()
    assert list((tmp_path / "o" / result.report).parent.glob("*.sdf"))


@pytest.mark.slow
def test_compare_gives_the_verdict_and_writes_its_report(thread: Executor, tmp_path: Path) -> None:
    options = {"engines": ("mujoco",), "levels": ("L0",), "configurations": 1}
    path = ASSETS / "double_pendulum.urdf"
    (result,) = bridge.batch([path], "compare", executor=thread, out=tmp_path / "o", **options)
    assert result.outcome == bridge.compare(path, **options).verdict
    assert (tmp_path / "o" / result.report).is_file()


# --- interruption ---------------------------------------------------------------------------------

SCRIPT = """
import sys
from concurrent.futures import ThreadPoolExecutor
from bridge.batches import batch
from tests.support import batch_calls

for result in batch(range(30), batch_calls.double, executor=ThreadPoolExecutor(2), out=sys.argv[1], resume=True):
    print(result.source, flush=True)
"""


def finished(out: Path, thread: Executor) -> bytes:
    results = list(
        bridge.batch(range(30), batch_calls.double, executor=thread, out=out, resume=True)
    )
    assert sorted(result.value for result in results) == [2 * number for number in range(30)]
    return (out / "results.jsonl").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 13])
def test_a_killed_batch_is_resumed_to_the_same_bytes(
    tmp_path: Path, thread: Executor, after: int
) -> None:
    words = [sys.executable, "-c", SCRIPT, str(tmp_path / "killed")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ASSETS.parent) as process:
        assert process.stdout is not None
        for _ in range(after):
            assert process.stdout.readline()
        process.kill()
    kept = len((tmp_path / "killed" / "results.jsonl").read_bytes().splitlines())
    assert kept >= after
    assert finished(tmp_path / "killed", thread) == finished(tmp_path / "whole", thread)
    assert len((tmp_path / "killed" / "runs.jsonl").read_bytes().splitlines()) <= 30 + 2


def test_a_batch_that_is_left_early_is_resumed(tmp_path: Path, thread: Executor) -> None:
    results = bridge.batch(range(30), batch_calls.double, executor=thread, out=tmp_path / "left")
    for _ in range(7):
        next(results)
    results.close()  # type: ignore[attr-defined]
    assert finished(tmp_path / "left", thread) == finished(tmp_path / "whole", thread)


# --- mistakes of the caller -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        (
            {"task": "chek"},
            ValueError,
            "unknown task 'chek'; expected one of: check, convert, compare, or a function",
        ),
        ({"task": "convert"}, ValueError, "convert writes files; expected out=FOLDER"),
        ({"task": "compare", "levels": "L9"}, ValueError, "unknown level 'L9'"),
        ({"task": "compare", "engines": ("mujocoo",)}, ValueError, "unknown engine 'mujocoo'"),
        ({"engines": ("mujoco",)}, TypeError, "unknown option 'engines'"),
        ({"jobs": 0}, ValueError, "jobs = 0; expected a whole number of at least 1"),
        ({"executor": 5}, TypeError, "expected a concurrent.futures.Executor, not 5"),
        ({"timeout": 0.0}, ValueError, "expected positive numbers"),
        ({"resume": True}, ValueError, "resume needs the folder of the earlier batch"),
        ({"shard": (3, 2)}, ValueError, "invalid shard 3/2; expected I/N"),
    ],
)
def test_a_wrong_call_says_what_was_expected(
    keywords: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        list(bridge.batch([ASSETS / "double_pendulum.urdf"], **{"task": "check", **keywords}))
    assert message in str(caught.value)


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path, thread: Executor) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputFolderError, match="files that no batch wrote"):
        list(bridge.batch([ASSETS / "double_pendulum.urdf"], executor=thread, out=tmp_path))


def test_an_input_that_names_no_model_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no model"):
        bridge.batch([tmp_path])


def test_a_file_that_does_not_exist_is_an_invalid_model(thread: Executor, tmp_path: Path) -> None:
    (result,) = bridge.batch([tmp_path / "none.sdf"], executor=thread)
    assert result.outcome is BatchOutcome.INVALID


def test_a_system_without_fork_is_an_error_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("os.fork")
    with pytest.raises(
        OSError, match=r"batches need os\.fork, which Windows lacks; expected Linux or macOS"
    ):
        bridge.batch([ASSETS / "double_pendulum.urdf"], out=tmp_path / "o")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_robot_that_cannot_be_had_is_an_invalid_model_and_the_batch_goes_on(
    thread: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "list.txt").write_text(
        f"rd://no_such_description\n\n# one more\n{ASSETS / 'double_pendulum.urdf'}\n"
    )
    nowhere, good = bridge.batch([f"@{tmp_path / 'list.txt'}"], executor=thread)
    assert (nowhere.source, nowhere.outcome, good.outcome) == (
        "rd://no_such_description",
        "invalid",
        "valid",
    )
    assert "[rd.not-found]" in nowhere.detail
    assert nowhere.diagnostics[0]["file"] == nowhere.source
    out = tmp_path / "o"
    for resumed in (False, False):
        (result,) = bridge.batch(
            ["rd://no_such_description"], executor=thread, out=out, resume=True
        )
        assert result.resumed is resumed  # it may be there by now


# The executor of a batch.


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


# Jobs are given to an executor a bounded number at a time, and again if it loses them.


class Losing(Executor):
    """An executor that loses each call some times."""

    def __init__(self, times: int, error: type[Exception] = RuntimeError) -> None:
        self.left, self.times, self.error = dict[str, int](), times, error

    def submit(self, function: Any, /, *arguments: Any, **keywords: Any) -> Future[Any]:
        future: Future[Any] = Future()
        name = arguments[0].folder
        self.left[name] = self.left.get(name, self.times) - 1
        if self.left[name] >= 0:
            future.set_exception(self.error("gone"))
        else:
            future.set_result(Ended(how="done", detail=name))
        return future


def jobs(count: int) -> Iterator[Job]:
    for number in range(count):
        yield Job(name=str(number), request=Request(b"", str(number), 1.0, 1))


def test_every_job_ends_once() -> None:
    ended = list(run(jobs(20), Workers(Losing(0), 3)))
    assert sorted(int(job.name) for job, _ in ended) == list(range(20))


def test_a_lost_job_is_given_to_the_executor_again() -> None:
    ended = list(run(jobs(3), Workers(Losing(2), 2)))
    assert {(job.attempt, end.how) for job, end in ended if end} == {(3, "done")}


def test_a_job_that_is_lost_again_and_again_has_a_result_too() -> None:
    ((job, end),) = run(jobs(1), Workers(Losing(1000), 1))
    assert end is not None
    assert (job.attempt, end.how, end.detail) == (5, "lost", "5 times: RuntimeError: gone")


def test_a_job_with_a_known_result_needs_no_executor() -> None:
    ((_, end),) = run(iter([Job(name="a", request=None, known=7)]), Workers(Losing(1000), 1))
    assert end is None


def test_a_broken_executor_is_replaced_by_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers(Losing(1000, BrokenExecutor), 2)
    monkeypatch.setattr("bridge.batches.run_batch.ThreadPoolExecutor", lambda jobs, name: Losing(0))
    ended = list(run(jobs(3), workers))
    assert sorted(job.name for job, end in ended if end and end.how == "done") == ["0", "1", "2"]
