"""The command graph writes links and joints in DOT, SVG and PNG."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PIL import Image

import loaders
from tests.support.command_line import ROOT, call

ARM = ROOT / "assets" / "arm" / "model.sdf"


def test_the_graph_in_dot_has_an_edge_for_each_joint() -> None:
    done = call("graph", ARM)
    assert done.returncode == 0
    assert done.stdout.startswith("digraph")
    assert done.stdout.count(" -> ") == len(loaders.load(ARM).joints)


def test_the_graph_in_svg_names_every_link_and_joint(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert call("graph", ARM, "-o", tmp_path / "arm.svg").returncode == 0
    text = "\n".join(ET.parse(tmp_path / "arm.svg").getroot().itertext())
    scene = loaders.load(ARM)
    assert [item.name for item in (*scene.links, *scene.joints) if item.name not in text] == []


@pytest.mark.slow
def test_the_graph_in_png_is_a_picture_on_standard_output() -> None:
    pytest.importorskip("matplotlib")
    command = [sys.executable, "-m", "bridge", "graph", str(ARM), "--format", "png"]
    done = subprocess.run(command, capture_output=True, check=True, cwd=ROOT)
    with Image.open(io.BytesIO(done.stdout)) as image:
        assert image.format == "PNG"
        assert image.width > image.height > 50


def test_the_suffix_selects_the_format_in_any_case(tmp_path: Path) -> None:
    assert call("graph", ARM, "-o", tmp_path / "arm.DOT").returncode == 0
    assert (tmp_path / "arm.DOT").read_text(encoding="utf-8").startswith(call("graph", ARM).stdout)


def test_the_graph_as_json_lists_links_and_joints() -> None:
    report = json.loads(call("graph", ARM, "--json").stdout)
    scene = loaders.load(ARM)
    assert report["links"] == [link.name for link in scene.links]
    assert [edge["joint"] for edge in report["joints"]] == [joint.name for joint in scene.joints]


def test_the_graph_as_json_has_what_joints_mimic(tmp_path: Path) -> None:
    joint = "<joint name='{0}' type='continuous'><parent link='a'/><child link='{1}'/>{2}</joint>"
    mimic = "<mimic joint='left' multiplier='-2' offset='0.5'/>"
    links = "".join(f"<link name='{name}'/>" for name in "abc")
    (tmp_path / "r.urdf").write_text(
        f"<robot "
        f"name='r'>{links}{joint.format('left', 'b', '')}{joint.format('right', 'c', mimic)}</robot>"
    )
    assert json.loads(call("graph", tmp_path / "r.urdf", "--json").stdout)["couplings"] == [
        {
            "follower": "right",
            "leader": "left",
            "multiplier": -2.0,
            "offset": 0.5,
            "follower_axis": 0,
            "leader_axis": 0,
        }
    ]


@pytest.mark.filterwarnings("ignore:Glyph 155")
def test_a_graph_on_standard_output_controls_no_terminal(tmp_path: Path) -> None:
    """The name is legal in XML, and clears the screen of a terminal that obeys C1 control
    characters.
    """
    (tmp_path / "a.urdf").write_text("<robot name='r'><link name='a&#x9b;2J'/></robot>")
    for form in ("dot", "svg"):
        printed = call("graph", str(tmp_path / "a.urdf"), "--format", form).stdout
        assert "\x9b" not in printed
        assert "\\u009b2J" in printed


def test_the_lists_on_standard_output_leave_the_graph_to_its_file(tmp_path: Path) -> None:
    done = call("graph", ARM, "--json", "-o", tmp_path / "arm.dot")
    assert done.returncode == 0
    assert json.loads(done.stdout)["links"]
    assert (tmp_path / "arm.dot").read_text(encoding="utf-8").count(" -> ") == len(
        loaders.load(ARM).joints
    )


def test_standard_output_gets_lists_or_a_graph() -> None:
    done = call("graph", ARM, "--json", "--format", "svg")
    assert (done.returncode, json.loads(done.stdout)["status"]) == (2, 2)
    assert "expected -o FILE for the graph, or no --format" in done.stderr
