"""The output folder while a batch runs, and after it was interrupted."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.batches.folder import ResultFolder, check_result_folder, stored_settings
from bridge.batches.results import BatchOutcome, BatchResult
from bridge.output import FolderInUseError, OutputFolderError

SETTINGS = {"task": "check", "options": {}, "version": "1"}


def result(source: str, detail: str = "") -> BatchResult:
    return BatchResult(source=source, task="check", outcome=BatchOutcome.VALID, detail=detail)


def sources(path: Path) -> list[str]:
    return [
        BatchResult.from_line(line).source
        for line in (path / "results.jsonl").read_bytes().splitlines()
    ]


def test_each_result_is_there_as_soon_as_it_is_added(tmp_path: Path) -> None:
    with ResultFolder(tmp_path / "o", SETTINGS, resume=False) as folder:
        folder.add(result("b"))
        folder.add(result("a"))
        assert sources(tmp_path / "o") == ["b", "a"]
        folder.finish()
    assert sources(tmp_path / "o") == ["a", "b"]
    assert {path.name for path in (tmp_path / "o").iterdir()} == {
        "batch.json",
        "index.html",
        "junit.xml",
        "results.jsonl",
        "results.sarif",
        "runs.jsonl",
        "summary.md",
    }


def test_a_torn_last_line_is_dropped_and_the_rest_kept(tmp_path: Path) -> None:
    with ResultFolder(tmp_path, SETTINGS, resume=False, force=True) as folder:
        folder.add(result("a"))
    with (tmp_path / "results.jsonl").open("ab") as stream:
        stream.write(result("b").to_line()[:-3])
    with ResultFolder(tmp_path, SETTINGS, resume=True) as folder:
        assert folder.previous("a") == result("a")
        assert folder.previous("b") is None
        folder.keep("a")
        folder.add(result("b", "again"))
        folder.finish()
        assert list(folder.results()) == [result("a"), result("b", "again")]


def test_a_line_that_is_no_result_does_not_hurt(tmp_path: Path) -> None:
    with ResultFolder(tmp_path / "o", SETTINGS, resume=False):
        pass
    (tmp_path / "o" / "results.jsonl").write_bytes(
        b'\x00\x00\n{"source": "a"}\n' + result("b").to_line() + b"\n"
    )
    with ResultFolder(tmp_path / "o", SETTINGS, resume=True) as folder:
        assert folder.previous("a") is None
        assert folder.previous("b") == result("b")


def test_results_of_sources_that_are_gone_are_left_out(tmp_path: Path) -> None:
    with ResultFolder(tmp_path / "o", SETTINGS, resume=False) as folder:
        folder.add(result("old"))
    with ResultFolder(tmp_path / "o", SETTINGS, resume=True) as folder:
        folder.add(result("new"))
        folder.finish()
    assert sources(tmp_path / "o") == ["new"]


def test_without_resume_everything_begins_anew(tmp_path: Path) -> None:
    for source in ("a", "b"):
        with ResultFolder(tmp_path / "o", SETTINGS, resume=False) as folder:
            assert folder.previous("a") is None
            folder.add(result(source))
    assert sources(tmp_path / "o") == ["b"]


def test_earlier_results_are_whole_until_the_new_ones_are(tmp_path: Path) -> None:
    out = tmp_path / "o"
    with ResultFolder(out, SETTINGS, resume=False) as folder:
        folder.add(result("old"))
        folder.finish()
    old = (out / "results.jsonl").read_bytes()
    for _ in range(2):  # two batches that are interrupted
        with ResultFolder(out, SETTINGS, resume=False) as folder:
            assert (out / "results.previous.jsonl").read_bytes() == old
            folder.add(result("new"))
    with ResultFolder(out, SETTINGS, resume=True) as folder:
        assert folder.previous("new") is not None
        folder.keep("new")
        assert (out / "results.previous.jsonl").read_bytes() == old
        folder.finish()
    assert not (out / "results.previous.jsonl").exists()
    assert sources(out) == ["new"]


def test_only_one_batch_writes_a_folder(tmp_path: Path) -> None:
    with (
        ResultFolder(tmp_path, SETTINGS, resume=False),
        pytest.raises(FolderInUseError, match="another run"),
    ):
        ResultFolder(tmp_path, SETTINGS, resume=True)
    ResultFolder(tmp_path, SETTINGS, resume=True).close()


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputFolderError, match="no batch wrote"):
        check_result_folder(tmp_path)
    with pytest.raises(OutputFolderError, match="is a file"):
        check_result_folder(tmp_path / "file")
    check_result_folder(tmp_path, force=True)


def test_a_folder_says_what_its_batch_is(tmp_path: Path) -> None:
    with ResultFolder(tmp_path, SETTINGS, resume=False):
        pass
    assert stored_settings(tmp_path) == {"sdfbridge": 1, **SETTINGS}
    assert stored_settings(tmp_path / "none") == {}


@pytest.mark.parametrize(
    "name", ["summary.md", "junit.xml", "index.html", "results.sarif", "batch.json"]
)
def test_a_report_that_was_edited_is_refused_unless_forced(tmp_path: Path, name: str) -> None:
    for _ in range(2):
        with ResultFolder(tmp_path / "o", SETTINGS, resume=False) as folder:
            folder.add(result("a"))
            folder.finish()
    (tmp_path / "o" / name).write_bytes(b"notes of the user")
    before = {path: path.read_bytes() for path in (tmp_path / "o").iterdir()}
    for resume in (False, True):
        with pytest.raises(
            OutputFolderError, match=f"{name} is not replaced: sdfbridge did not write it"
        ):
            ResultFolder(tmp_path / "o", SETTINGS, resume=resume)
    assert {path: path.read_bytes() for path in (tmp_path / "o").iterdir()} == before
    with ResultFolder(tmp_path / "o", SETTINGS, resume=True, force=True) as folder:
        folder.finish()
    assert (tmp_path / "o" / name).read_bytes() != b"notes of the user"


def test_results_that_were_edited_are_kept_unless_they_are_resumed_or_forced(
    tmp_path: Path,
) -> None:
    def batch(**options: bool) -> None:
        with ResultFolder(tmp_path / "o", SETTINGS, **{"resume": False, **options}) as folder:
            folder.add(result("a"))
            folder.finish()

    batch()
    batch()
    path = tmp_path / "o" / "results.jsonl"
    mine = path.read_bytes() + b"a note\n"
    path.write_bytes(mine)
    with pytest.raises(OutputFolderError, match="edited since they were written"):
        batch()
    assert path.read_bytes() == mine
    batch(resume=True)
    path.write_bytes(mine)
    batch(force=True)
    batch()


def test_results_of_an_interrupted_batch_may_begin_anew(tmp_path: Path) -> None:
    for end in (True, False):
        with ResultFolder(tmp_path / "o", SETTINGS, resume=False) as folder:
            folder.add(result("a"))
            if end:
                folder.finish()
    with ResultFolder(tmp_path / "o", SETTINGS, resume=False) as folder:
        assert stored_settings(tmp_path / "o") == {"sdfbridge": 1, **SETTINGS}
        folder.add(result("b"))
        folder.finish()
    assert sources(tmp_path / "o") == ["b"]
    assert stored_settings(tmp_path / "o") == {"sdfbridge": 1, **SETTINGS}
