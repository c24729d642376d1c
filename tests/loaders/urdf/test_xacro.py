"""Expansion of xacro files: arguments, macros and includes, also missing ones."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import loaders
from loaders.urdf.xacro import xacro_arguments
from tests.support.urdf_robots import codes

needs_xacro = pytest.mark.skipif(find_spec("xacro") is None, reason="xacro is not installed")


# Expansion of xacro files.


@pytest.fixture
def xacro_file(tmp_path: Path) -> Path:
    package = tmp_path / "ws" / "arm"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>arm_description</name></package>")
    head = "xmlns:xacro='http://www.ros.org/wiki/xacro'"
    (package / "urdf" / "part.xacro").write_text(
        f"<robot {head}><xacro:macro name='part' params='n'><link "
        f"name='l${{n + 1}}'/></xacro:macro></robot>"
    )
    path = package / "urdf" / "arm.urdf.xacro"
    path.write_text(
        f"<robot name='arm' {head}><xacro:include filename='$(find "
        f"arm_description)/urdf/part.xacro'/>"
        "<xacro:part n='1'/></robot>"
    )
    return path


def test_xacro_runs_on_request_and_finds_packages_where_we_do(xacro_file: Path) -> None:
    pytest.importorskip("xacro")
    scene = loaders.load(xacro_file, allow_xacro=True)
    assert [link.name for link in scene.links] == ["l2"]
    assert codes(scene) == ["xacro.expanded"]
    assert "ament_index_python" not in sys.modules


def test_xacro_does_not_run_unasked(xacro_file: Path) -> None:
    xacro_file.write_text("<robot name='${__import__(\"os\").abort()}'/>")
    with pytest.raises(loaders.LoadError, match=r"xacro\.not-allowed"):
        loaders.load(xacro_file)


@pytest.mark.parametrize("body", ["<robot name='${1/0}'/>", "<robot name='${nobody}'/>"])
def test_what_xacro_cannot_expand_is_an_error(xacro_file: Path, body: str) -> None:
    pytest.importorskip("xacro")
    xacro_file.write_text(body)
    with pytest.raises(loaders.LoadError, match=r"xacro\.failed"):
        loaders.load(xacro_file, allow_xacro=True)


@pytest.mark.parametrize("body", ["<robot", "<robot><a></robot>"])
def test_an_error_of_syntax_has_the_file_and_the_line_also_in_an_included_file(
    xacro_file: Path, body: str
) -> None:
    pytest.importorskip("xacro")
    part = xacro_file.parent / "part.xacro"
    part.write_text("\n" + body)
    for lenient in (False, True):
        with pytest.raises(loaders.LoadError) as caught:
            loaders.load(xacro_file, allow_xacro=True, lenient=lenient)
        (error,) = caught.value.diagnostics
        assert (error.code, error.where) == ("xml.syntax", loaders.Where(str(part), 2))


def test_dashes_in_a_comment_are_ignored_in_xacro_as_in_urdf(xacro_file: Path) -> None:
    pytest.importorskip("xacro")
    part = xacro_file.parent / "part.xacro"
    part.write_text(part.read_text().replace("<link", "<!-- a -- b --><link"))
    scene = loaders.load(xacro_file, allow_xacro=True)
    assert ([link.name for link in scene.links], codes(scene)) == (
        ["l2"],
        ["xml.mended", "xacro.expanded"],
    )


def test_lenient_loading_repairs_the_files_that_xacro_includes(xacro_file: Path) -> None:
    pytest.importorskip("xacro")
    part = xacro_file.parent / "part.xacro"
    part.write_text(part.read_text().replace("params='n'", "params=n"))
    with pytest.raises(loaders.LoadError, match="lenient=True"):
        loaders.load(xacro_file, allow_xacro=True)
    scene = loaders.load(xacro_file, allow_xacro=True, lenient=True, quiet=True)
    assert ([link.name for link in scene.links], codes(scene)) == (
        ["l2"],
        ["xml.syntax", "xacro.expanded"],
    )


def test_a_missing_xacro_package_is_one_line_with_the_command(
    xacro_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(loaders.LoadError, match="pip install") as caught:
        loaders.load(xacro_file, allow_xacro=True)
    assert len(str(caught.value).splitlines()) == 1


HEAD = "xmlns:xacro='http://www.ros.org/wiki/xacro'"
NAMED = f"<robot name='r' {HEAD}><xacro:arg name='n' default='a'/><link name='$(arg n)'/></robot>"


def test_a_folder_that_cmake_installs_as_another_one_is_found(tmp_path: Path) -> None:
    package = tmp_path / "arm"
    (package / "description" / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>arm</name></package>")
    (package / "description" / "urdf" / "part.xacro").write_text(
        f"<robot {HEAD}><link name='b'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>"
    )
    main = package / "description" / "urdf" / "arm.urdf.xacro"
    include = "<xacro:include filename='$(find arm)/urdf/part.xacro'/>"
    main.write_text(f"<robot name='r' {HEAD}><link name='a'/>{include}</robot>")
    scene = loaders.load(main, allow_xacro=True, quiet=True)
    assert [link.name for link in scene.links] == ["a", "b"]
    assert scene.links[1].where.file == str(package / "description" / "urdf" / "part.xacro")
    (package / "urdf").mkdir()  # a second place, but not for this file
    (package / "old" / "urdf").mkdir(parents=True)
    (package / "old" / "urdf" / "part.xacro").write_text("<robot/>")
    with pytest.raises(loaders.LoadError, match=r"xacro\.include-not-found"):
        loaders.load(main, allow_xacro=True, quiet=True)


def test_arguments_have_the_values_of_the_caller(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    path = tmp_path / "r.xacro"
    path.write_text(NAMED)
    for options, name in (({}, "a"), ({"xacro_args": {"n": "ur5e"}}, "ur5e")):
        assert [link.name for link in loaders.load(path, allow_xacro=True, **options).links] == [
            name
        ]


def test_a_missing_argument_is_named_with_the_option(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    path = tmp_path / "r.xacro"
    path.write_text(NAMED.replace("<xacro:arg name='n' default='a'/>", ""))
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(path, allow_xacro=True)
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.hint) == (
        "xacro.missing-argument",
        "give it a value, as in xacro_args={'n': ...}",
    )


@pytest.mark.parametrize(
    "body", ["<xacro:property name='a' value='b'/><link name='l'/>", "<link name='${1 + 1}'/>"]
)
def test_xacro_in_a_urdf_is_recognized(tmp_path: Path, body: str) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(f"<robot name='r' {HEAD}>{body}</robot>")
    with pytest.raises(loaders.LoadError, match="allow_xacro=True"):
        loaders.load(path)
    pytest.importorskip("xacro")
    assert codes(loaders.load(path, allow_xacro=True)) == ["xacro.expanded"]


@pytest.mark.parametrize(
    "head",
    ["xmlns:xacro='http://ros.org/wiki/xacro'", "xmlns:xacro='http://playerstage/xacro'", ""],
)
def test_an_expression_in_a_urdf_is_recognized_with_any_namespace_or_none(
    tmp_path: Path, head: str
) -> None:
    pytest.importorskip("xacro")
    path = tmp_path / "r.urdf"
    path.write_text(f"<robot name='r' {head}><link name='${{1 + 1}}'/></robot>")
    assert [link.name for link in loaders.load(path, allow_xacro=True).links] == ["2"]


def test_a_dollar_in_the_text_of_a_plugin_is_no_xacro(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text("<robot name='r'><link name='a'/><gazebo><ns>${robot}</ns></gazebo></robot>")
    assert [link.name for link in loaders.load(path, quiet=True).links] == ["a"]


def test_an_expanded_urdf_with_comments_of_its_source_is_no_xacro(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(
        f"<robot name='r' {HEAD}><!-- <xacro:leg a='${{b}}'/> --><link name='l'/></robot>"
    )
    assert codes(loaders.load(path)) == []


# Arguments of xacro: texts, numbers and Booleans by name.


def test_numbers_and_booleans_become_the_texts_of_xacro() -> None:
    given = {"name": "ur5e", "n": 2, "length": 0.5, "gripper": True}
    assert xacro_arguments(given) == {"name": "ur5e", "n": "2", "length": "0.5", "gripper": "true"}


@pytest.mark.parametrize("given", [["n:=2"], "n:=2", {"n": None}, {1: "a"}, {"n": [2]}])
def test_anything_else_is_refused_with_an_example(given: Any) -> None:
    with pytest.raises(TypeError, match="expected texts, numbers or Booleans by name, such as"):
        xacro_arguments(given)


# An argument without a value is an error that names it; lenient loading takes it as empty, and as
# false.

ROBOT = """<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>
<xacro:if value='$(arg fixed)'><link name='world'/></xacro:if>
<xacro:unless value="$(arg fixed)"><link name='$(arg prefix)base'/></xacro:unless>{}</robot>"""
NEEDED = "<link name='l'><inertial><mass value='${{2 * {}}}'/></inertial></link>"


def load(folder: Path, body: str = "", **options: object) -> loaders.Scene:
    path = folder / "robot.urdf.xacro"
    path.write_text(ROBOT.format(body))
    return loaders.load(path, allow_xacro=True, quiet=True, **options)


def errors(folder: Path, body: str = "", **options: object) -> list[tuple[str, object]]:
    with pytest.raises(loaders.LoadError) as caught:
        load(folder, body, **options)
    return [(entry.code, entry.arguments.get("name")) for entry in caught.value.diagnostics]


@needs_xacro
def test_lenient_loading_takes_an_argument_without_a_value_as_empty_and_as_false(
    tmp_path: Path,
) -> None:
    scene = load(tmp_path, lenient=True)
    assert [link.name for link in scene.links] == ["base"]
    skipped = [entry for entry in scene.diagnostics if entry.fate is loaders.Fate.SKIPPED]
    assert [(entry.code, entry.arguments["name"]) for entry in skipped] == [
        ("xacro.missing-argument", "fixed"),
        ("xacro.missing-argument", "prefix"),
    ]


@needs_xacro
def test_an_argument_with_a_value_is_not_assumed(tmp_path: Path) -> None:
    scene = load(tmp_path, xacro_args={"fixed": "false", "prefix": "left_"}, lenient=True)
    assert [link.name for link in scene.links] == ["left_base"]
    assert [entry.code for entry in scene.diagnostics] == ["xacro.expanded"]


@needs_xacro
def test_a_strict_load_names_every_argument_at_once(tmp_path: Path) -> None:
    both = [("xacro.missing-argument", "fixed"), ("xacro.missing-argument", "prefix")]
    assert errors(tmp_path) == both


@needs_xacro
def test_an_argument_that_is_needed_stays_an_error_without_what_follows_from_it(
    tmp_path: Path,
) -> None:
    found = errors(
        tmp_path,
        NEEDED.format("$(arg mass)"),
        xacro_args={"fixed": "0", "prefix": ""},
        lenient=True,
    )
    assert found == [("xacro.missing-argument", "mass")]


@needs_xacro
def test_an_empty_condition_without_a_missing_argument_stays_an_error(tmp_path: Path) -> None:
    found = errors(tmp_path, xacro_args={"fixed": "", "prefix": ""}, lenient=True)
    assert [code for code, _ in found] == ["xacro.failed"]


# Lenient loading leaves out includes from packages that are not there, and calls of unknown macros.

MISSING = "<xacro:include filename='$(find gripper_description)/urdf/gripper.xacro'/>"
ARM = (
    "<link name='arm'/><link name='hand'/><joint name='j' type='fixed'><parent "
    "link='arm'/><child link='hand'/></joint>"
)
CALL = "<xacro:gripper parent='hand'/>"


def load_without_includes(folder: Path, body: str, **options: object) -> loaders.Scene:
    path = folder / "robot.urdf.xacro"
    path.write_text(f"<robot name='r' {HEAD}>{body}</robot>")
    return loaders.load(path, allow_xacro=True, quiet=True, **options)


def skipped(scene: loaders.Scene) -> list[str]:
    return [entry.code for entry in scene.diagnostics if entry.fate is loaders.Fate.SKIPPED]


@needs_xacro
@pytest.mark.parametrize(
    "include", [MISSING, "<xacro:include filename='gripper.xacro'/>"], ids=["package", "file"]
)
def test_an_include_that_is_missing_is_left_out_with_the_calls_of_its_macros(
    tmp_path: Path, include: str
) -> None:
    scene = load_without_includes(tmp_path, include + ARM + CALL, lenient=True)
    assert [link.name for link in scene.links] == ["arm", "hand"]
    assert skipped(scene) == ["xacro.include-not-found", "xacro.unknown-macro"]


@needs_xacro
def test_a_strict_load_names_each_include_once_and_says_that_lenient_reads_the_file(
    tmp_path: Path,
) -> None:
    other = MISSING.replace("gripper_description", "camera_description")
    with pytest.raises(loaders.LoadError) as caught:
        load_without_includes(tmp_path, MISSING + MISSING + other + ARM + CALL)
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


@needs_xacro
@pytest.mark.parametrize(
    "body", ["<link name='${nobody}'/>", "<xacro:macro name='m'><link/></xacro:macro"]
)
def test_what_remains_must_expand(tmp_path: Path, body: str) -> None:
    with pytest.raises(loaders.LoadError, match=r"xacro\.failed|xml\.syntax"):
        load_without_includes(tmp_path, MISSING + body, lenient=True)


@needs_xacro
def test_an_unknown_macro_is_left_out_leniently_without_a_missing_include_too(
    tmp_path: Path,
) -> None:
    with pytest.raises(loaders.LoadError, match=r"xacro\.unknown-macro") as caught:
        load_without_includes(tmp_path, ARM + CALL)
    assert "lenient" in str(caught.value)
    scene = load_without_includes(tmp_path, ARM + CALL, lenient=True)
    assert ([link.name for link in scene.links], skipped(scene)) == (
        ["arm", "hand"],
        ["xacro.unknown-macro"],
    )


@needs_xacro
def test_an_optional_include_may_be_missing(tmp_path: Path) -> None:
    scene = load_without_includes(
        tmp_path, "<xacro:include filename='none.xacro' optional='true'/>" + ARM
    )
    assert [link.name for link in scene.links] == ["arm", "hand"]


@needs_xacro
def test_nothing_is_told_about_files_that_must_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "there.xacro").write_text("<robot/>")
    for name in ("there", "none"):
        with pytest.raises(loaders.LoadError, match=r"resource\.outside"):
            load_without_includes(
                tmp_path / "model",
                f"<xacro:include filename='../{name}.xacro'/>" + ARM,
                lenient=True,
            )


@needs_xacro
def test_a_package_that_is_missing_elsewhere_is_named_with_the_option(tmp_path: Path) -> None:
    with pytest.raises(loaders.LoadError) as caught:
        load_without_includes(tmp_path, "<link name='$(find gripper_description)'/>", lenient=True)
    (error,) = (entry for entry in caught.value.diagnostics if entry.severity == "error")
    assert error.arguments["reason"] == "cannot find package 'gripper_description'"
    assert "paths" in error.hint


@needs_xacro
def test_a_missing_package_is_reported_once_with_the_places_that_were_tried(tmp_path: Path) -> None:
    scene = load_without_includes(tmp_path, MISSING + MISSING + ARM, lenient=True)
    warnings = [entry for entry in scene.diagnostics if entry.severity == "warning"]
    assert [entry.code for entry in warnings] == ["xacro.include-not-found"]
    assert str(tmp_path / "gripper_description") in warnings[0].arguments["tried"]


@needs_xacro
def test_a_folder_without_a_manifest_below_paths_is_a_package_by_its_name(tmp_path: Path) -> None:
    """Collections of robots often lack the manifests."""
    (tmp_path / "robot").mkdir()
    below = tmp_path / "shelf" / "gripper_description" / "urdf"
    below.mkdir(parents=True)
    (below / "gripper.xacro").write_text(
        f"<robot {HEAD}><xacro:macro name='gripper' params='parent'/></robot>"
    )
    scene = load_without_includes(tmp_path / "robot", MISSING + ARM + CALL, paths=[tmp_path])
    assert [entry.code for entry in scene.diagnostics] == ["xacro.expanded"]
