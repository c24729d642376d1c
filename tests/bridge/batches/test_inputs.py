"""What the words of a batch name."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.batches.inputs import InputError, expand_inputs, in_shard, manifest_file
from loaders.diagnostics import LoadError


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
