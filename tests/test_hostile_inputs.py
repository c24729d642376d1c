"""Every hostile input has its honest outcome: an error or a finding with code and place, in bounded
time and memory.

A child process reads them with limits of 10 s and 1 GiB for each step; a crash, a hang or an
exception that is not ours fails the case. Cases of output folders, caches and threads are tested
where they belong; `ELSEWHERE` names the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile_inputs import documents, folders, shapes
from tests.hostile_inputs.case import Hostile
from tests.support.hostile_process import HostileProcess

CASES: dict[str, Hostile] = documents.CASES | folders.CASES | shapes.CASES
FOLDERS = "bridge/output/test_folders.py"
ELSEWHERE = {
    "out-foreign-deleted": (FOLDERS, "test_a_folder_with_foreign_files_is_refused_and_untouched"),
    "out-interrupted": (FOLDERS, "test_a_kill_at_any_moment_leaves_one_output_whole"),
    "out-symlink": (FOLDERS, "test_a_link_as_output_folder_stays_a_link"),
    "out-dot": (FOLDERS, "test_the_current_folder_and_those_above_it_are_refused"),
    "out-race": (FOLDERS, "test_outputs_at_once_wait_for_each_other"),
    "cache-full": ("bridge/geometry/test_meshes.py", "test_without_a_place_for_the_cache"),
    "cache-poisoned": (
        "bridge/geometry/test_meshes.py",
        "test_damaged_files_of_the_cache_are_written_again",
    ),
    "home-unset": ("loaders/files/test_folders.py", "test_a_user_without_a_home_folder"),
    "threads-stdout": (
        "bridge/test_stdout_capture.py",
        "test_threads_that_load_lose_no_line",
    ),
}
"""Cases that are not files to read, with the tests of their outcome."""


@pytest.fixture(scope="module")
def process() -> Iterator[HostileProcess]:
    process = HostileProcess()
    yield process
    process.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_hostile_input_has_its_honest_outcome(
    name: str, process: HostileProcess, tmp_path: Path
) -> None:
    case, folder = CASES[name], tmp_path / "case"
    folder.mkdir()
    answer = process.run(name, folder / case.build(folder), dict(case.options))
    assert "died" not in answer, answer
    for step, expected in case.expected().items():
        result = answer[step]
        codes = {code for code, _ in result["found"]}
        code = expected.removeprefix("!")
        assert not result["leaks"], step
        assert result["error"] == "" or result["error"] in {"LoadError", "ExportError"}, result[
            "error"
        ]
        assert bool(result["error"]) == expected.startswith("!"), (step, result)
        assert not code or any(found.startswith(code) for found in codes), (step, codes)
        if code and case.file:
            places = {file for found, file in result["found"] if found == code}
            assert places & {case.file, "robot.sdf"}, (step, result["found"])


@pytest.mark.parametrize("name", ELSEWHERE)
def test_every_other_case_has_its_test(name: str) -> None:
    file, test = ELSEWHERE[name]
    assert f"def {test}" in (Path(__file__).parent / file).read_text(encoding="utf-8")
