"""Fuzzing: a short run of every kind, the inputs that once failed, and whether the harness sees
failures.
"""

from __future__ import annotations

import errno
import faulthandler
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest

import bridge
import loaders
from benchmarks import interruption
from benchmarks.fuzz import __main__ as fuzz
from benchmarks.fuzz import outputs, process
from benchmarks.fuzz.cases import CORPUS, KINDS, case_files, corpus
from benchmarks.fuzz.judge import OUTPUT

pytest.importorskip("pybullet")
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="fuzzing needs Linux"),
    pytest.mark.filterwarnings(
        "ignore:This process .* is multi-threaded:DeprecationWarning"
    ),  # Python 3.12, of fork
]

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def worker() -> ProcessPoolExecutor:
    """A process that has imported everything; forks of the process of the tests would share its
    threads.
    """
    with ProcessPoolExecutor(
        1, mp_context=get_context("spawn"), initializer=process.import_everything
    ) as pool:
        yield pool


# --- cases ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_case_of_a_short_run_fails(worker: ProcessPoolExecutor) -> None:
    cases = [(kind, 1) for kind in (*KINDS, OUTPUT)]
    results = worker.submit(process.run_cases, cases).result()
    assert [(result.kind, result.number) for result in results] == cases
    assert [result for result in results if result.failed] == []
    assert {"loaded", "refused", "kept"} == {result.outcome for result in results}


@pytest.mark.slow
def test_no_input_that_once_failed_fails_again(worker: ProcessPoolExecutor) -> None:
    cases = [("corpus", number) for number in range(len(corpus()))]
    results = worker.submit(process.run_cases, cases).result()
    assert {corpus()[result.number].name: result for result in results if result.failed} == {}
    assert len(results) == len(cases) > 0


@pytest.mark.parametrize("name", ["off-digits", "ply-digits", "mjcf-memory-digits"])
def test_a_number_of_more_digits_than_python_converts_is_a_finding(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path))
    (main,) = (CORPUS / name).glob("robot.*")
    with suppress(loaders.ModelError):
        bridge.to_mjcf(loaders.load(main, quiet=True), quiet=True)


@pytest.mark.slow
def test_a_kind_and_a_number_determine_the_files_in_any_process() -> None:
    code = (
        "import hashlib; from benchmarks.fuzz.cases import KINDS, case_files;"
        "from benchmarks.fuzz.outputs import scenario;"
        "print(hashlib.sha256(repr([(k, n, case_files(k, n), scenario(n)) for k in KINDS for n in "
        "range(3)]).encode())"
        ".hexdigest())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert case_files("sdf", 1) != case_files("sdf", 2)


# --- the harness ----------------------------------------------------------------------------------


def behave(kind: str, number: int, _place: Path) -> tuple[str, str]:
    """Stand for a case that does what its kind says."""
    if kind == "crash":
        faulthandler.disable()
        os.kill(os.getpid(), signal.SIGSEGV)
    if kind == "leave":
        os._exit(3)
    while kind == "hang":
        pass
    if kind == "memory":
        return "loaded", str(len(b"x" * (1100 << 20)))
    return ("exception", "Traceback") if kind == "exception" else ("loaded", str(number))


@pytest.mark.slow
def test_the_harness_tells_failures_apart_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "judge", behave)
    kinds = ("fine", "crash", "hang", "leave", "exception", "memory", "fine")
    results = process.run_cases([(kind, number) for number, kind in enumerate(kinds)], seconds=2)
    outcomes = ["loaded", "crash", "hang", "crash", "exception", "memory", "loaded"]
    assert [result.outcome for result in results] == outcomes
    assert [result.kind for result in results] == list(kinds)
    assert [result.detail for result in results[1:4]] == ["SIGSEGV", "SIGXCPU", "exit 3"]


def test_results_that_a_process_wrote_at_once_are_all_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "_WAIT", 1.0)
    reader, writer = os.pipe()
    os.write(writer, 3 * b'["loaded", "", 0.0, 0.0]\n')
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    found = list(process._results([("fine", number) for number in range(3)], child.pid, reader))
    os.close(reader)
    os.close(writer)
    child.returncode = 0  # it was reaped
    assert [result.outcome for result in found] == ["loaded"] * 3


def test_a_second_run_resumes_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[process.Case] = []

    def run(cases: list[process.Case], _jobs: int) -> list[process.Result]:
        done.extend(cases)
        return [process.Result(*case, "loaded", "", 0.1, 1.0) for case in cases]

    monkeypatch.setattr(fuzz, "_run", run)
    words = ["--out", str(tmp_path), "--kind", "sdf", "--kind", "urdf"]
    assert fuzz.main([*words, "--cases", "4"]) == 0
    with (tmp_path / "results.jsonl").open("a", encoding="utf-8") as record:
        record.write('{"kind": "sdf", "num')  # a kill cut it off
    assert fuzz.main([*words, "--cases", "6"]) == 0
    assert done == [("sdf", 0), ("urdf", 0), ("sdf", 1), ("urdf", 1), ("sdf", 2), ("urdf", 2)]


# --- interruption of outputs ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", interruption.WRITERS)
def test_a_kill_at_each_operation_leaves_the_old_output_or_the_new_one(
    name: str, tmp_path: Path
) -> None:
    """The operations are the audit events of Python; the script does it at each system call."""
    found: set[str] = set()
    for event in range(1, 200):
        case = replace(interruption.WRITERS[name], fault=signal.SIGKILL, event=event)
        place = tmp_path / str(event)
        place.mkdir()
        outputs.prepare(case, place)
        before = outputs.content(place)
        status = outputs.stopped(
            lambda case=case, place=place: outputs.write(case, place), case, place
        )
        outcome, detail = outputs.judged(case, place, before)
        assert outcome == "kept", (event, detail)
        found.add(detail)
        if status == 0:
            break
    assert 5 < event < 199
    assert found == {"old", "new"}


@pytest.mark.slow
@pytest.mark.parametrize("name", interruption.WRITERS)
def test_an_error_at_each_operation_leaves_the_old_output_or_the_new_one(
    name: str, tmp_path: Path
) -> None:
    """A folder that cannot be listed for a moment is not an empty one."""
    for event in range(1, 400):
        fault = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        case = replace(interruption.WRITERS[name], fault=fault, event=event)
        place = tmp_path / str(event)
        place.mkdir()
        outputs.prepare(case, place)
        before = outputs.content(place)
        status = outputs.stopped(
            lambda case=case, place=place: _unless_raised(case, place), case, place
        )
        outcome, detail = outputs.judged(case, place, before)
        assert outcome == "kept", (event, detail)
        if status == NOT_RAISED:
            break
    assert 5 < event < 399


NOT_RAISED = 3


def _unless_raised(case: outputs.Scenario, place: Path) -> None:
    """Write an output, and end with a status of its own if its fault was not raised on the way."""
    outputs.write(case, place)
    if case.fault.__traceback__ is None:
        os._exit(NOT_RAISED)


@pytest.mark.slow
def test_a_kill_at_a_random_moment_leaves_the_old_output_or_the_new_one() -> None:
    end = time.monotonic() + 3.0
    outcomes = []
    for number in range(100):
        outcomes.append(interruption.random_kill(number))
        if time.monotonic() > end:
            break
    assert {outcome for outcome, _ in outcomes} == {"kept"}


@pytest.mark.slow
def test_a_lost_output_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that removes the old folder first loses it, and one that writes in place mixes the
    two.
    """
    import shutil

    def remove_first(case: outputs.Scenario, place: Path) -> None:
        shutil.rmtree(place / "out", ignore_errors=True)
        for name, data in case.new.items():
            path = place / "out" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    monkeypatch.setattr(outputs, "write", remove_first)
    seen = {outputs.run_output_case(number, tmp_path)[0] for number in range(40)}
    assert "outside" in seen


@pytest.mark.slow
def test_a_killed_batch_leaves_the_earlier_results_or_the_new_ones() -> None:
    assert {interruption.batch_kill(number)[0] for number in range(3)} == {"kept"}


def test_the_record_of_interruptions_is_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interruption.shutil, "which", lambda _: None)
    words = ["--out", str(tmp_path), "--batches", "0", "--kills"]
    assert interruption.main([*words, "2"]) == 0
    monkeypatch.setattr(interruption, "random_kill", lambda number: ("outside", f"lost {number}"))
    assert interruption.main([*words, "3"]) == 1
    assert "random moments, kill 2: ('outside', 'lost 2')" in capsys.readouterr().err
    assert len(list(map(json.loads, (tmp_path / "results.jsonl").read_text().splitlines()))) == 3
