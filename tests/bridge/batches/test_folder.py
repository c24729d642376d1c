"""The output folder of a batch: while it runs, after it was interrupted, and merged from those of
shards.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge.batches import merge, results_of
from bridge.batches.folder import ResultFolder, check_result_folder, stored_settings
from bridge.batches.results import BatchOutcome, BatchResult
from bridge.output import FolderInUseError, OutputFolderError, write_folder

# The output folder while a batch runs, and after it was interrupted.

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


# One folder from those of the shards.

MERGING_SETTINGS = {"task": "convert", "options": {}, "version": "1"}


def shard(
    path: Path, *sources: str, settings: dict[str, object] = MERGING_SETTINGS, finish: bool = True
) -> Path:
    with ResultFolder(path, settings, resume=False) as folder:
        for source in sources:
            report = f"models/{source}/FIDELITY.md"
            write_folder(
                path / "models" / source, {"FIDELITY.md": b"lost", "assets/mesh.obj": b"v"}
            )
            folder.add(
                BatchResult(
                    source=source,
                    task="convert",
                    outcome=BatchOutcome.CONVERTED,
                    report=report,
                    detail=path.name,
                )
            )
        if finish:
            folder.finish()
    return path


def test_shards_become_one_batch_with_its_reports(tmp_path: Path) -> None:
    one, two = shard(tmp_path / "1", "c", "a"), shard(tmp_path / "2", "b")
    totals = merge([one, two], tmp_path / "all")
    assert totals.models == 3
    assert [result.source for result in results_of(tmp_path / "all")] == ["a", "b", "c"]
    assert (tmp_path / "all" / "models" / "b" / "assets" / "mesh.obj").read_bytes() == b"v"
    assert "models/c/FIDELITY.md" in (tmp_path / "all" / "index.html").read_text()


def test_the_merged_batch_equals_the_undivided_one(tmp_path: Path) -> None:
    merge(
        [shard(tmp_path / "1" / "x", "a", "c"), shard(tmp_path / "2" / "x", "b")], tmp_path / "all"
    )
    shard(tmp_path / "3" / "x", "c", "b", "a")
    for name in (
        "results.jsonl",
        "index.html",
        "summary.md",
        "junit.xml",
        "results.sarif",
        "batch.json",
    ):
        assert (tmp_path / "all" / name).read_bytes() == (tmp_path / "3" / "x" / name).read_bytes()


def test_the_last_folder_that_names_a_source_decides(tmp_path: Path) -> None:
    merge([shard(tmp_path / "1", "a"), shard(tmp_path / "2", "a")], tmp_path / "all")
    assert [result.detail for result in results_of(tmp_path / "all")] == ["2"]


def test_an_interrupted_shard_gives_what_it_has(tmp_path: Path) -> None:
    path = shard(tmp_path / "1", "b", "a", finish=False)
    with (path / "results.jsonl").open("ab") as stream:
        stream.write(b'{"source": "torn')
    assert [result.source for result in results_of(path)] == ["b", "a"]
    assert merge([path], tmp_path / "all").models == 2


def test_batches_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    one = shard(tmp_path / "1", "a")
    two = shard(tmp_path / "2", "b", settings={**MERGING_SETTINGS, "options": {"to": "sdf"}})
    with pytest.raises(ValueError, match="another task, other options"):
        merge([one, two], tmp_path / "all")
    with pytest.raises(ValueError, match="is not the folder of a batch"):
        merge([tmp_path], tmp_path / "all")
    with pytest.raises(OutputFolderError, match="is one of the folders to merge"):
        merge([one], one)
    assert json.loads((one / "batch.json").read_text())["task"] == "convert"
