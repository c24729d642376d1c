"""Lenient loading leaves out includes from packages that are not there, and calls of unknown
macros.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders

pytest.importorskip("xacro")

HEAD = "xmlns:xacro='http://www.ros.org/wiki/xacro'"
MISSING = "<xacro:include filename='$(find gripper_description)/urdf/gripper.xacro'/>"
ARM = (
    "<link name='arm'/><link name='hand'/><joint name='j' type='fixed'><parent "
    "link='arm'/><child link='hand'/></joint>"
)
CALL = "<xacro:gripper parent='hand'/>"


def load(folder: Path, body: str, **options: object) -> loaders.Scene:
    path = folder / "robot.urdf.xacro"
    path.write_text(f"<robot name='r' {HEAD}>{body}</robot>")
    return loaders.load(path, allow_xacro=True, quiet=True, **options)


def skipped(scene: loaders.Scene) -> list[str]:
    return [entry.code for entry in scene.diagnostics if entry.fate is loaders.Fate.SKIPPED]


@pytest.mark.parametrize(
    "include", [MISSING, "<xacro:include filename='gripper.xacro'/>"], ids=["package", "file"]
)
def test_an_include_that_is_missing_is_left_out_with_the_calls_of_its_macros(
    tmp_path: Path, include: str
) -> None:
    scene = load(tmp_path, include + ARM + CALL, lenient=True)
    assert [link.name for link in scene.links] == ["arm", "hand"]
    assert skipped(scene) == ["xacro.include-not-found", "xacro.unknown-macro"]


def test_a_strict_load_names_each_include_once_and_says_that_lenient_reads_the_file(
    tmp_path: Path,
) -> None:
    other = MISSING.replace("gripper_description", "camera_description")
    with pytest.raises(loaders.LoadError) as caught:
        load(tmp_path, MISSING + MISSING + other + ARM + CALL)
    errors = [entry for entry in caught.value.diagnostics if entry.severity == "error"]
    assert [
        str(entry.arguments["reason"])
        for entry in errors
        if entry.code == "xacro.include-not-found"
    ] == [
        "cannot find package 'gripper_description'",
        "cannot find package 'camera_description'",
    ]
    assert "lenient" in str(caught.value)


@pytest.mark.parametrize(
    "body", ["<link name='${nobody}'/>", "<xacro:macro name='m'><link/></xacro:macro"]
)
def test_what_remains_must_expand(tmp_path: Path, body: str) -> None:
    with pytest.raises(loaders.LoadError, match=r"xacro\.failed|xml\.syntax"):
        load(tmp_path, MISSING + body, lenient=True)


def test_an_unknown_macro_is_left_out_leniently_without_a_missing_include_too(
    tmp_path: Path,
) -> None:
    with pytest.raises(loaders.LoadError, match=r"xacro\.unknown-macro") as caught:
        load(tmp_path, ARM + CALL)
    assert "lenient" in str(caught.value)
    scene = load(tmp_path, ARM + CALL, lenient=True)
    assert ([link.name for link in scene.links], skipped(scene)) == (
        ["arm", "hand"],
        ["xacro.unknown-macro"],
    )


def test_an_optional_include_may_be_missing(tmp_path: Path) -> None:
    scene = load(tmp_path, "<xacro:include filename='none.xacro' optional='true'/>" + ARM)
    assert [link.name for link in scene.links] == ["arm", "hand"]


def test_nothing_is_told_about_files_that_must_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "there.xacro").write_text("<robot/>")
    for name in ("there", "none"):
        with pytest.raises(loaders.LoadError, match=r"resource\.outside"):
            load(
                tmp_path / "model",
                f"<xacro:include filename='../{name}.xacro'/>" + ARM,
                lenient=True,
            )


def test_a_package_that_is_missing_elsewhere_is_named_with_the_option(tmp_path: Path) -> None:
    with pytest.raises(loaders.LoadError) as caught:
        load(tmp_path, "<link name='$(find gripper_description)'/>", lenient=True)
    (error,) = (entry for entry in caught.value.diagnostics if entry.severity == "error")
    assert error.arguments["reason"] == "cannot find package 'gripper_description'"
    assert "paths" in error.hint


def test_a_missing_package_is_reported_once_with_the_places_that_were_tried(tmp_path: Path) -> None:
    scene = load(tmp_path, MISSING + MISSING + ARM, lenient=True)
    warnings = [entry for entry in scene.diagnostics if entry.severity == "warning"]
    assert [entry.code for entry in warnings] == ["xacro.include-not-found"]
    assert str(tmp_path / "gripper_description") in warnings[0].arguments["tried"]


def test_a_folder_without_a_manifest_below_paths_is_a_package_by_its_name(tmp_path: Path) -> None:
    """Collections of robots often lack the manifests."""
    (tmp_path / "robot").mkdir()
    below = tmp_path / "shelf" / "gripper_description" / "urdf"
    below.mkdir(parents=True)
    (below / "gripper.xacro").write_text(
        f"<robot {HEAD}><xacro:macro name='gripper' params='parent'/></robot>"
    )
    scene = load(tmp_path / "robot", MISSING + ARM + CALL, paths=[tmp_path])
    assert [entry.code for entry in scene.diagnostics] == ["xacro.expanded"]
