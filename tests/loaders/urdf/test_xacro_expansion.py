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
        f"<robot {head}><xacro:macro name='part' params='n'><link name='l${{n + 1}}'/></xacro:macro></robot>"
    )
    path = package / "urdf" / "arm.urdf.xacro"
    path.write_text(
        f"<robot name='arm' {head}><xacro:include filename='$(find arm_description)/urdf/part.xacro'/>"
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


@pytest.mark.parametrize(
    "body", ["<robot name='${1/0}'/>", "<robot name='${nobody}'/>", "<robot", "<robot><a></robot>"]
)
def test_what_xacro_cannot_expand_is_an_error(xacro_file: Path, body: str) -> None:
    pytest.importorskip("xacro")
    xacro_file.write_text(body)
    with pytest.raises(loaders.LoadError, match=r"xacro\.failed"):
        loaders.load(xacro_file, allow_xacro=True)


def test_a_missing_xacro_package_is_one_line_with_the_command(
    xacro_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(loaders.LoadError, match="pip install") as caught:
        loaders.load(xacro_file, allow_xacro=True)
    assert len(str(caught.value).splitlines()) == 1
