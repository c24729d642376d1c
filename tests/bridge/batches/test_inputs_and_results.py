"""What the words of a batch name, and its results: what they depend on, their lines of JSON, and
exit statuses.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge.batches.inputs import InputError, expand_inputs, in_shard, manifest_file
from bridge.batches.results import (
    BatchOutcome,
    BatchResult,
    FileStates,
    files_key,
    options_key,
    shown_path,
    summary,
    worst_status,
)
from loaders.diagnostics import Diagnostic, Fate, LoadError, Where

# What the words of a batch name.


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "b.sdf",
        "a.urdf",
        "deep/c.world",
        "deep/model/model.sdf",
        "deep/model/model.config",
        ".git/x.sdf",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<sdf/>")
    (tmp_path / "d.urdf.xacro").write_text("")
    (tmp_path / "notes.txt").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def expanded(*words: str, xacro: bool = False) -> list[str]:
    return list(expand_inputs(words, xacro=xacro))


def test_a_folder_means_its_models_in_order(folder: Path) -> None:
    assert expanded(".") == ["a.urdf", "b.sdf", "deep/c.world", "deep/model"]


def test_mjcf_files_that_no_other_one_includes_are_models(folder: Path) -> None:
    (folder / "scene.xml").write_text(
        '<!-- a -->\n<mujoco><include file="deep/robot.xml"/></mujoco>'
    )
    (folder / "deep" / "robot.xml").write_text("<mujoco/>")
    (folder / "deep" / "other.xml").write_text(
        "<?xml version='1.0'?><!-- <mujoco/> -->\n<mujoco model='x'/>"
    )
    (folder / "package.xml").write_text("<package><!-- <mujoco/> --></package>")
    (folder / "broken.xml").write_bytes(b"\xff" * 10)
    assert expanded(".") == [
        "a.urdf",
        "b.sdf",
        "scene.xml",
        "deep/c.world",
        "deep/other.xml",
        "deep/model",
    ]


@pytest.mark.parametrize(
    "text", ["<!-- x --> " * 20000, "<mujoco>" + "<include " * 50000, "<include file" * 50000]
)
def test_a_large_file_that_is_no_model_is_passed_over(folder: Path, text: str) -> None:
    (folder / "large.xml").write_text(text)
    assert "a.urdf" in expanded(".")


def test_xacro_files_are_models_on_request(folder: Path) -> None:
    assert "d.urdf.xacro" in expanded(".", xacro=True)


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("*.sdf", ["b.sdf"]),
        ("**/*.world", ["deep/c.world"]),
        ("de*", ["deep/c.world", "deep/model"]),
        ("[ab].*", ["a.urdf", "b.sdf"]),
    ],
)
def test_a_pattern_means_the_files_that_match(folder: Path, pattern: str, files: list[str]) -> None:
    assert expanded(pattern) == files


def test_a_file_with_the_name_of_a_pattern_is_a_file(folder: Path) -> None:
    (folder / "x[1].sdf").write_text("")
    assert expanded("x[1].sdf") == ["x[1].sdf"]


def test_a_list_means_its_lines(folder: Path) -> None:
    (folder / "list.txt").write_text("# robots\n\na.urdf\nrd://panda_description\nde*\n")
    assert expanded("@list.txt") == [
        "a.urdf",
        "rd://panda_description",
        "deep/c.world",
        "deep/model",
    ]


def test_a_list_elsewhere_names_files_beside_it(folder: Path) -> None:
    (folder / "deep" / "list").write_text("c.world\nb.sdf\n")
    assert expanded("@deep/list") == ["deep/c.world", "b.sdf"]


def test_each_file_occurs_once(folder: Path) -> None:
    assert expanded("b.sdf", ".", "b.sdf").count("b.sdf") == 1


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("*.mjcf", "pattern *.mjcf matches no file"),
        (".git", None),
        ("@none", "cannot read the list none"),
        ("@notes.txt", "the list notes.txt names no model"),
    ],
)
def test_words_that_name_nothing_are_errors(folder: Path, word: str, message: str | None) -> None:
    if message is None:
        assert expanded(word) == [".git/x.sdf"]  # asked for by name
        return
    with pytest.raises(InputError) as caught:
        expanded(word)
    assert message in str(caught.value)


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no model"):
        expanded(str(tmp_path))


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_shards_share_the_items_without_gap_or_overlap(count: int) -> None:
    items = [str(i) for i in range(20)]
    shards = [list(in_shard(items, (number, count))) for number in range(1, count + 1)]
    assert sorted(item for shard in shards for item in shard) == sorted(items)
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


def test_a_manifest_names_its_file(folder: Path) -> None:
    text = "<model><name>m</name><sdf version='1.6'>model.sdf</sdf></model>"
    (folder / "deep" / "model" / "model.config").write_text(text)
    assert manifest_file(folder / "deep" / "model", unsafe_paths=False).endswith(
        "deep/model/model.sdf"
    )
    with pytest.raises(LoadError):
        manifest_file(folder / "deep", unsafe_paths=False)


# What a result depends on.


def test_the_key_of_the_options_changes_with_each_of_them() -> None:
    keys = {
        options_key("check", {}),
        options_key("compare", {}),
        options_key("check", {"strict": True}),
        options_key("check", {"paths": [Path("a")]}),
        options_key("check", {"paths": [Path("b")]}),
        options_key("compare", {"engines": ("mujoco", "drake")}),
    }
    assert len(keys) == 6


def test_the_key_does_not_depend_on_the_order_of_options() -> None:
    assert options_key("check", {"a": 1, "b": 2}) == options_key("check", {"b": 2, "a": 1})


def test_files_are_named_from_the_current_folder_without_our_own() -> None:
    files = {"/w/b": "1", "/w/a": None, "/x": "2", "/cache/y": "3", "/wide": "4"}
    found = files_key(files, Path("/w"), ("/cache/",))
    assert list(found.items()) == [("/wide", "4"), ("/x", "2"), ("a", None), ("b", "1")]


def test_paths_are_shown_from_a_folder() -> None:
    assert shown_path("/w/a/b.sdf", Path("/w")) == "a/b.sdf"
    assert shown_path("a/./b.sdf", Path("/w")) == "a/b.sdf"
    assert shown_path("/a/b.sdf", Path("/")) == "a/b.sdf"


def test_files_match_as_long_as_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert FileStates(tmp_path).match({"a": empty, "missing": None})
    assert not FileStates(tmp_path).match({"a": empty, "missing": empty})
    assert not FileStates(tmp_path).match({"a": None})
    (tmp_path / "a").write_bytes(b"x")
    assert not FileStates(tmp_path).match({"a": empty})


# Results as lines of JSON, and exit statuses.

RESULT = BatchResult(
    source="a\u2028<b>.sdf",
    task="check",
    outcome=BatchOutcome.INVALID,
    detail="x",
    severities={"error": 1},
    diagnostics=({"code": "c", "severity": "error", "message": "m"},),
    files={"a": "0", "b": None},
    seconds=1.5,
    log="l",
)


def test_a_result_is_its_line() -> None:
    assert BatchResult.from_line(RESULT.to_line()) == RESULT


def test_a_line_has_nothing_that_differs_between_runs() -> None:
    again = BatchResult.from_line(RESULT.to_line())
    assert again.to_line() == RESULT.to_line()
    assert b"seconds" not in RESULT.to_line()
    assert json.loads(RESULT.run_line())["seconds"] == 1.5


def test_a_line_has_sorted_keys_and_no_end() -> None:
    plain = json.loads(RESULT.to_line())
    assert list(plain) == sorted(plain)
    assert b"\n" not in RESULT.to_line()


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b"{}", b'{"source": "a"}', b"null", b"[" * 10000]
)
def test_anything_else_is_no_result(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the line is dropped, whatever is wrong
        BatchResult.from_line(line)


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("valid", 0),
        ("AGREES", 0),
        ("done", 0),
        ("INCOMPLETE", 4),
        ("DIFFERS", 1),
        ("crash", 1),
        ("invalid", 1),
    ],
)
def test_each_outcome_has_its_exit_status(outcome: str, status: int) -> None:
    assert BatchResult(source="a", task="check", outcome=BatchOutcome(outcome)).status == status


@pytest.mark.parametrize(
    ("statuses", "worst"),
    [({}, 0), ({0: 5}, 0), ({0: 1, 4: 1}, 4), ({0: 9, 4: 1, 1: 1}, 1), ({1: 0, 0: 1}, 0)],
)
def test_the_worst_model_decides(statuses: dict[int, int], worst: int) -> None:
    assert worst_status(statuses) == worst


# Diagnostics of a model as plain data.


def test_all_diagnostics_are_counted_and_the_first_of_each_kind_listed() -> None:
    entries = [
        Diagnostic("a.b", Fate.DROPPED, "lost", Where("/x.sdf", line)) for line in range(1, 21)
    ]
    found = summary([*entries, Diagnostic("c.d", Fate.NOTED, "note"), entries[0]])
    assert found["severities"] == {"note": 1, "warning": 20}
    assert found["fates"] == {"dropped": 20, "noted": 1}
    assert [entry["code"] for entry in found["diagnostics"]] == ["a.b"] * 5 + ["c.d"]
    assert found["diagnostics"][0] == {
        "code": "a.b",
        "fate": "dropped",
        "severity": "warning",
        "message": "lost",
        "file": "/x.sdf",
        "line": 1,
    }
