"""What a result depends on."""

from __future__ import annotations

from pathlib import Path

from bridge.batches.results import FileStates, files_key, options_key, shown_path


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
