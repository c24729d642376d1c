"""One folder from those of the shards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge.batches import merge, results_of
from bridge.batches.folder import ResultFolder
from bridge.batches.results import BatchOutcome, BatchResult
from bridge.output import OutputFolderError, write_folder

SETTINGS = {"task": "convert", "options": {}, "version": "1"}


def shard(
    path: Path, *sources: str, settings: dict[str, object] = SETTINGS, finish: bool = True
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
    two = shard(tmp_path / "2", "b", settings={**SETTINGS, "options": {"to": "sdf"}})
    with pytest.raises(ValueError, match="another task, other options"):
        merge([one, two], tmp_path / "all")
    with pytest.raises(ValueError, match="is not the folder of a batch"):
        merge([tmp_path], tmp_path / "all")
    with pytest.raises(OutputFolderError, match="is one of the folders to merge"):
        merge([one], one)
    assert json.loads((one / "batch.json").read_text())["task"] == "convert"
