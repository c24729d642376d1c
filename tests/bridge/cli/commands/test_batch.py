"""The command batch: options of its tasks, reports, progress, exit statuses and shards."""

from __future__ import annotations

import io
import json
import shutil
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from bridge.batches import BatchOutcome, BatchResult
from bridge.cli import main
from bridge.cli.commands.batch import BatchProgress
from bridge.cli.errors import UsageError
from bridge.cli.options import task_options
from bridge.cli.output import Output
from bridge.cli.parser import parse

# The command batch: reports, exit statuses, shards, and what it refuses.

ASSETS = Path(__file__).parents[4] / "assets"
GOOD = str(ASSETS / "double_pendulum.urdf")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    shutil.copy(GOOD, folder / "good.urdf")
    (folder / "bad.sdf").write_text("<sdf version='1.11'><model name='m'/></sdf>")
    return folder


@pytest.fixture(scope="module")
def folder(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("batch") / "out"
    assert main(["batch", "check", str(models), "--out", str(out), "--jobs", "1", "-q"]) == 1
    return out


def test_it_writes_results_and_reports(folder: Path) -> None:
    written = {path.name for path in folder.iterdir()}
    assert written >= {"results.jsonl", "index.html", "summary.md", "junit.xml", "results.sarif"}
    outcomes = [
        json.loads(line)["outcome"] for line in (folder / "results.jsonl").read_text().splitlines()
    ]
    assert outcomes == ["invalid", "valid"]


def test_resume_says_the_same_as_json_and_does_nothing_again(
    folder: Path, models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = (folder / "runs.jsonl").read_text()
    words = ["batch", "check", str(models), "-o", str(folder), "--resume", "--json", "-j", "1"]
    assert main(words) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["command"], report["models"], report["status"]) == ("batch", 2, 1)
    assert report["outcomes"] == {"valid": 1, "invalid": 1}
    assert (folder / "runs.jsonl").read_text() == runs


def test_quiet_prints_the_counts_only(
    folder: Path, models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["batch", "check", str(models), "-o", str(folder), "--resume", "-q", "-j", "1"])
    out, err = capsys.readouterr()
    assert out == "2 models: 1 valid, 1 invalid\n"
    assert err == ""


@pytest.mark.slow
def test_shards_are_merged_into_one_report(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shards = [str(tmp_path / str(number)) for number in (1, 2)]
    statuses = [
        main(
            ["batch", "check", str(models), "-o", shard, "--shard", f"{number}/2", "-j", "1", "-q"]
        )
        for number, shard in enumerate(shards, 1)
    ]
    assert statuses == [1, 0]
    assert main(["batch", "merge", *shards, "-o", str(tmp_path / "all"), "-q"]) == 1
    assert len((tmp_path / "all" / "results.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check"], "the following arguments are required: INPUT, -o/--out"),
        (["chek", GOOD, "-o", "o"], "unknown value of TASK: 'chek'; did you mean 'check'?"),
        (["check", "no*thing", "-o", "o"], "pattern no*thing matches no file"),
        (["check", GOOD, "-o", "o", "--shard", "3/2"], "expected I/N with I from 1 to N"),
        (["check", GOOD, "-o", "o", "--timeout", "0"], "expected a positive number"),
        (["check", GOOD, "-o", "o", "--to", "sdf"], "batch check has no option --to"),
        (
            ["compare", GOOD, "-o", "o", "--inertia", "error"],
            "unknown value 'error' of --inertia",
        ),
        (["compare", GOOD, "-o", "o", "--engines", "mujocoo"], "unknown engine 'mujocoo'"),
        (["check", GOOD, "-o", "o", "--dask", "nowhere"], "cannot use the Dask scheduler nowhere"),
        (["merge", "o", "-o", "p"], "o is not the folder of a batch"),
    ],
)
def test_wrong_words_say_what_was_expected(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["batch", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_folder_of_somebody_else_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    assert main(["batch", "check", GOOD, "-o", str(tmp_path)]) == 1
    assert "files that no batch wrote" in capsys.readouterr().err


# The options of batch belong to its tasks.


def options(*words: str) -> Namespace:
    parsed = parse(["batch", *words, "a.sdf", "-o", "out"])
    assert isinstance(parsed, Namespace)
    return parsed


def test_only_stated_options_are_passed_on() -> None:
    assert task_options(options("compare")) == {}
    assert task_options(options("compare", "--level", "0,1", "--seed", "0")) == {
        "levels": ("L0", "L1"),
        "seed": 0,
    }
    assert task_options(options("convert", "--to", "sdf", "--inertia", "repair")) == {
        "to": "sdf",
        "inertia": "repair",
    }


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "--engines", "mujoco"),
        ("check", "--inertia", "keep"),
        ("compare", "--no-couplings"),
        ("check", "--to", "sdf"),
    ],
)
def test_options_of_another_task_are_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=f"batch {words[0]} has no option {words[1]}"):
        task_options(options(*words))


def test_options_of_every_target_are_taken_and_those_of_another_are_refused() -> None:
    words = ("convert", "--to", "directives", "--models", "urdf")
    assert task_options(options(*words)) == {"to": "directives", "models": "urdf"}
    assert task_options(options("convert", "--to", "sdf", "--sdf-version", "1.9")) == {
        "to": "sdf",
        "version": "1.9",
    }
    with pytest.raises(UsageError, match="--models applies to --to directives"):
        task_options(options("convert", "--models", "urdf"))


def test_the_defaults_of_running() -> None:
    parsed = options("check")
    assert (parsed.timeout, parsed.memory, parsed.jobs, parsed.resume, parsed.shard) == (
        300.0,
        4.0,
        None,
        False,
        None,
    )
    assert options("check", "--shard", "2/4").shard == (2, 4)


# The progress of a batch on standard error.

BATCH_PROGRESS_GOOD = BatchResult(source="a.sdf", task="check", outcome=BatchOutcome.VALID)
BAD = BatchResult(source="b\x1b.sdf", task="check", outcome=BatchOutcome.CRASH, detail="SIGSEGV")


class Terminal(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def progressed(verbosity: int) -> None:
    with BatchProgress(Output(verbosity), "check", 2) as progress:
        progress.add(BATCH_PROGRESS_GOOD)
        progress.add(BAD)
    assert (progress.done, progress.failed) == (2, 1)


def test_elsewhere_each_model_that_is_not_fine_is_a_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progressed(0)
    assert capsys.readouterr().err == "b\\x1b.sdf: crash, SIGSEGV\n"


def test_quiet_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    progressed(-1)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_one_line_with_rate_and_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "120")
    progressed(0)
    *_, failure, last = (
        line.rpartition("\x1b[K")[2] for line in terminal.getvalue().split("\n")[:-1]
    )
    assert failure == "b\\x1b.sdf: crash, SIGSEGV"
    assert last.startswith("check: 2 of 2, ")
    assert last.endswith("/s, 0 s left, 1 failed")


def test_lines_say_the_rate_and_the_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bridge.cli.commands.batch._INTERVAL", -1.0)
    progressed(0)
    first, *_ = capsys.readouterr().err.splitlines()
    assert first.startswith("1 of 2, ")
    assert first.endswith(" s left, 0 failed")
