"""The command batch: reports, exit statuses, shards, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bridge.cli import main

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
        (["chek", GOOD, "-o", "o"], "unknown value of task: 'chek'; did you mean 'check'?"),
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
