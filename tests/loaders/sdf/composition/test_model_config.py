"""The choice of a model file by ``model.config``."""

from __future__ import annotations

from pathlib import Path

import pytest

from loaders.diagnostics import Diagnostics
from loaders.node import Node
from loaders.sdf.include import model_file
from tests.support.sdf import (
    ARM,
    codes_in,
    compose,
    in_world,
    load_main,
)


def test_the_file_of_the_newest_known_version_is_used(folder: Path) -> None:
    for minor in ("4", "8", "9", "99"):
        (folder / "arm" / f"{minor}.sdf").write_text(
            ARM.replace("name='arm'", f"name='arm{minor}'")
        )
    entries = "".join(
        f"<sdf version='1.{minor}'>{minor}.sdf</sdf>" for minor in ("8", "99", "9", "4")
    )
    (folder / "arm" / "model.config").write_text(f"<model>{entries}</model>")
    scene = load_main(folder, in_world("<include><uri>model://arm</uri></include>"))
    assert scene.models[0].name == "arm9"
    assert [entry.code for entry in scene.diagnostics if entry.severity == "warning"] == [
        "sdf.newer-model-file"
    ]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_the_order_of_the_entries_does_not_matter(tmp_path: Path, order: tuple[int, ...]) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    entries = [("1.4", "old"), ("1.10", "best"), ("1.77", "future")]
    lines = [f"<sdf version='{entries[i][0]}'>{entries[i][1]}.sdf</sdf>" for i in order]
    (folder / "model.config").write_text(f"<model><name>many</name>{''.join(lines)}</model>")
    for version, name in entries:
        (folder / f"{name}.sdf").write_text(
            f"<sdf version='{version}'><model name='{name}'><link name='l'/></model></sdf>"
        )
    scene = compose(tmp_path, "<world name='w'><include><uri>model://many</uri></include></world>")
    assert [model.name for model in scene.models] == ["best"]


def test_an_entry_without_a_version_has_precedence(tmp_path: Path) -> None:
    (tmp_path / "model.config").write_text(
        "<model><sdf version='1.9'>a.sdf</sdf><sdf>b.sdf</sdf></model>"
    )
    include = Node("include", {}, file="main.sdf", line=1, diagnostics=Diagnostics())
    assert model_file(tmp_path, include) == tmp_path / "b.sdf"


def test_the_old_name_of_the_manifest_is_noted(folder: Path) -> None:
    (folder / "arm" / "model.config").rename(folder / "arm" / "manifest.xml")
    assert "sdf.old-manifest" in codes_in(folder, in_world("<include><uri>arm</uri></include>"))


def test_a_folder_without_a_manifest_is_an_error_and_other_errors_are_reported_too(
    folder: Path,
) -> None:
    (folder / "bare").mkdir()
    found = codes_in(
        folder,
        in_world("<include><uri>bare</uri></include><model name='n'><link name=''/></model>"),
    )
    assert {"sdf.no-model-config", "sdf.no-name"} <= set(found)


@pytest.mark.parametrize("kind", ["absolute", "parent", "link"])
def test_a_manifest_names_no_file_outside_its_folder(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "arm"
    folder.mkdir()
    secret = tmp_path / "secret.sdf"
    secret.write_text(ARM)
    (folder / "link.sdf").symlink_to(secret)
    name = {"absolute": str(secret), "parent": "../secret.sdf", "link": "link.sdf"}[kind]
    (folder / "model.config").write_text(f"<model><sdf>{name}</sdf></model>")
    diagnostics = Diagnostics()
    node = Node("include", {}, file="w.sdf", line=1, diagnostics=diagnostics)
    assert model_file(folder, node) is None
    assert [entry.code for entry in diagnostics] == ["sdf.model-file-outside"]
    assert model_file(folder, node, unsafe_paths=True) is not None


def test_a_version_of_thousands_of_digits_is_a_newer_version(tmp_path: Path) -> None:
    (tmp_path / "model.config").write_text(
        f"<model><sdf version='1.{'9' * 5000}'>a.sdf</sdf></model>"
    )
    diagnostics = Diagnostics()
    node = Node("include", {}, file="w.sdf", line=1, diagnostics=diagnostics)
    assert model_file(tmp_path, node) is None
    assert [entry.code for entry in diagnostics] == ["sdf.newer-model-file", "sdf.no-model-config"]
