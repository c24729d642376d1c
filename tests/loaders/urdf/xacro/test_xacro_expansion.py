"""Expansion of xacro files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import loaders
from tests.support.urdf_robots import codes


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
