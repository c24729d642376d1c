"""The commands info, print, graph and resolve, and the text form of a scene."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import loaders
from bridge.cli import main
from bridge.cli.commands.info import dot, frame_rows, layout, picture, tree
from bridge.lowering import lower
from loaders import load, load_string
from loaders.pose import Pose
from tests.support.command_line import ROOT, call

# The command info shows exactly the links and joints of the scene.

ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


LINK = re.compile(r"^([ |`-]+ )(\S+)  <- (\S+ \(\w+)")
"""A line of the tree: indentation, link, joint and its type."""


def test_info_prints_every_link_below_its_parent_with_its_joint(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["info", str(ARM)]) == 0
    lines = capsys.readouterr().out.splitlines()
    scene = loaders.load(ARM)
    printed = {match[2]: (len(match[1]), match[3]) for line in lines if (match := LINK.match(line))}
    assert printed.keys() == {link.name for link in scene.links if link.name != loaders.WORLD}
    for joint in scene.joints:
        depth, carrier = printed[joint.child]
        assert carrier == f"{joint.name} ({joint.type}"
        assert depth == (printed[joint.parent][0] + 4 if joint.parent in printed else 4)


def test_info_as_json_is_the_conformance_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--json", str(ARM)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["sdfbridge"] == 1
    assert data["name"] == "arm"
    elbow = data["joints"]["elbow"]
    assert (elbow["type"], elbow["parent"], elbow["child"]) == ("revolute", "upper_arm", "forearm")


# Text form of a scene.

INERTIAL = (
    "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
)
SDF = f"""<sdf version='1.11'><model name='m'>
<link name='a'>{INERTIAL}</link><link name='b"'>{INERTIAL}</link><link name='c'>{INERTIAL}</link>
<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>
<joint name='j' type='revolute'><parent>a</parent><child>b"</child>
<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis></joint>
<joint name='k' type='ball'><parent>a</parent><child>c</child></joint>
</model></sdf>"""


def test_the_tree_indents_each_link_below_its_parent() -> None:
    assert tree(lower(load_string(SDF, format="sdf"))).splitlines() == [
        "m: 1 model, 3 links, 3 joints, 4 degrees of freedom",
        "model m, canonical link a",
        "world",
        "`-- a  <- w (fixed)  2 kg",
        '    |-- b"  <- j (revolute [-1, 2])  2 kg',
        "    `-- c  <- k (ball)  2 kg",
    ]


def test_the_graph_quotes_names() -> None:
    lines = dot(load_string(SDF, format="sdf")).splitlines()
    assert '  "a" -> "b\\"" [label="j (revolute)"];' in lines
    assert sum(" -> " in line for line in lines) == 3


LIMIT = "<limit lower='0' upper='1' effort='1' velocity='1'/>"
GRIPPER = f"""<robot name='g'><link name='palm'/><link name='a'/><link name='b'/><link name='c'/>
<joint name='left' type='prismatic'><parent link='palm'/><child link='a'/>{LIMIT}</joint>
<joint name='right' type='prismatic'><parent link='palm'/><child link='b'/>{LIMIT}<mimic joint='left' multiplier='-1'/>
</joint><joint name='tip' type='revolute'><parent link='b'/><child link='c'/>{LIMIT}
<mimic joint='right' multiplier='2' offset='0.5'/></joint></robot>"""


def test_joints_that_follow_others_say_so_and_count_once() -> None:
    scene = load_string(GRIPPER, format="urdf", quiet=True)
    lines = tree(lower(scene)).splitlines()
    assert lines[0] == "g: 1 model, 4 links, 3 joints, 9 degrees of freedom, 7 of them independent"
    assert [line.split("  ")[-2].removeprefix("<- ") for line in lines if "mimics" in line] == [
        "right (prismatic [0, 1], mimics left x -1 + 0)",
        "tip (revolute [0, 1], mimics right x 2 + 0.5)",
    ]
    assert (
        '  "palm" -> "b" [label="right (prismatic, mimics left x -1 + 0)"];'
        in dot(scene).splitlines()
    )


def test_a_name_with_a_line_break_is_one_line_of_the_tree() -> None:
    """Names of MJCF may have any character."""
    text = (
        "<mujoco><worldbody><body name='a&#10;b'><joint name='j&#10;'/><geom "
        "size='1'/></body></worldbody></mujoco>"
    )
    lines = tree(lower(load_string(text, format="mjcf"))).splitlines()
    assert lines[0].endswith("1 link, 1 joint, 1 degree of freedom")
    assert lines[-1].startswith(r"`-- a\x0ab  <- j\x0a (continuous")


# Poses of links, joints and frames.

FRAMES_ARM = ROOT / "assets" / "arm" / "model.sdf"


def test_the_poses_are_those_that_the_file_states() -> None:
    text = (
        "<sdf version='1.11'><model name='m'><pose>1 0 0 0 0 0</pose>"
        "<link name='a'><pose>0 2 0 0.1 0.2 0.3</pose></link>"
        "<frame name='f' attached_to='a'><pose>0 0 0.5 0 0 0</pose></frame></model></sdf>"
    )
    rows = {
        (kind, name): [float(x) for x in numbers]
        for kind, name, *numbers in frame_rows(load_string(text, format="sdf"))
    }
    assert rows["link", "a"] == [1, 2, 0, 0.1, 0.2, 0.3]
    tip = Pose.from_xyz_rpy((1, 2, 0), (0.1, 0.2, 0.3)) @ Pose.of(p=(0, 0, 0.5))
    assert rows["frame", "f"][:3] == pytest.approx(tip.p.tolist(), abs=1e-5)


def test_info_prints_every_link_and_joint_with_a_pose_that_can_be_read_back() -> None:
    done = call("info", FRAMES_ARM, "--frames")
    assert done.returncode == 0
    scene = load(FRAMES_ARM)
    lines = [line.split() for line in done.stdout.splitlines()]
    rows = {
        tuple(words[:2]): np.array(words[2:], float)
        for words in lines
        if len(words) == 8 and words[0] != "name"
    }
    for link in scene.links:
        row = rows["link", link.name]
        assert Pose.from_xyz_rpy(row[:3], row[3:]).is_close(link.X_WL, 1e-5), link.name
    assert {name for kind, name in rows if kind == "joint"} == {
        joint.name for joint in scene.joints
    }
    assert {name for kind, name in rows if kind == "frame"} == {
        frame.name for frame in scene.frames
    }


# The command print writes a document that reads back as the model.


def test_includes_are_inserted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["print", str(ARM)]) == 0
    text = capsys.readouterr().out
    assert "<include>" not in text
    found = loaders.load_string(text, format="sdf", base=ARM.parent)
    assert [link.name for link in found.links] == [link.name for link in loaders.load(ARM).links]
    meshes = [
        {
            v.geometry.path
            for link in scene.links
            for v in link.visuals
            if isinstance(v.geometry, loaders.model.Mesh)
        }
        for scene in (found, loaders.load(ARM))
    ]
    assert meshes[0] == meshes[1] != {None}


# The command resolve lists the files that a model refers to.


def test_resolve_prints_where_each_mesh_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resolve", "--json", str(ARM)]) == 0
    lookups = json.loads(capsys.readouterr().out)
    assert lookups
    assert all(Path(lookup["path"]).exists() for lookup in lookups)


def test_resolve_prints_every_place_that_was_tried(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    mesh = "<visual><geometry><mesh filename='package://cups/cup.obj'/></geometry></visual>"
    (tmp_path / "cup.urdf").write_text(f"<robot name='r'><link name='a'>{mesh}</link></robot>")
    (tmp_path / "shelf").mkdir()
    assert main(["resolve", str(tmp_path / "cup.urdf"), "--path", str(tmp_path / "shelf")]) == 1
    text = capsys.readouterr().out
    assert "package://cups/cup.obj\tnot found" in text
    assert f"tried {tmp_path / 'shelf' / 'cups' / 'cup.obj'}" in text


def test_a_file_that_cannot_be_read_is_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["resolve", str(tmp_path / "nowhere.sdf")]) == 1
    assert "[file.unreadable]" in capsys.readouterr().err
    (tmp_path / "cut.sdf").write_text("<sdf version='1.11'>")
    assert main(["resolve", str(tmp_path / "cut.sdf"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["diagnostics"][0]["code"] == "xml.syntax"


def test_a_file_that_refers_to_no_other_is_fine(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "cup.urdf").write_text("<robot name='r'><link name='a'/></robot>")
    assert main(["resolve", str(tmp_path / "cup.urdf")]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "refers to no other file" in shown.err


# The command graph writes links and joints in DOT, SVG and PNG.


def test_the_graph_in_dot_has_an_edge_for_each_joint() -> None:
    done = call("graph", FRAMES_ARM)
    assert done.returncode == 0
    assert done.stdout.startswith("digraph")
    assert done.stdout.count(" -> ") == len(loaders.load(FRAMES_ARM).joints)


def test_the_graph_in_svg_names_every_link_and_joint(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert call("graph", FRAMES_ARM, "-o", tmp_path / "arm.svg").returncode == 0
    text = "\n".join(ET.parse(tmp_path / "arm.svg").getroot().itertext())
    scene = loaders.load(FRAMES_ARM)
    assert [item.name for item in (*scene.links, *scene.joints) if item.name not in text] == []


@pytest.mark.slow
def test_the_graph_in_png_is_a_picture_on_standard_output() -> None:
    pytest.importorskip("matplotlib")
    command = [sys.executable, "-m", "sdfbridge", "graph", str(FRAMES_ARM), "--format", "png"]
    done = subprocess.run(command, capture_output=True, check=True, cwd=ROOT)
    with Image.open(io.BytesIO(done.stdout)) as image:
        assert image.format == "PNG"
        assert image.width > image.height > 50


def test_the_suffix_selects_the_format_in_any_case(tmp_path: Path) -> None:
    assert call("graph", FRAMES_ARM, "-o", tmp_path / "arm.DOT").returncode == 0
    assert (
        (tmp_path / "arm.DOT")
        .read_text(encoding="utf-8")
        .startswith(call("graph", FRAMES_ARM).stdout)
    )


def test_the_graph_as_json_lists_links_and_joints() -> None:
    report = json.loads(call("graph", FRAMES_ARM, "--json").stdout)
    scene = loaders.load(FRAMES_ARM)
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
            "higher": [],
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
        call("graph", str(tmp_path / "a.urdf"), "-o", str(tmp_path / f"a.{form}"))
        for text in (printed, (tmp_path / f"a.{form}").read_text(encoding="utf-8")):
            assert "\x9b" not in text
            assert "\\u009b2J" in text


def test_the_lists_on_standard_output_leave_the_graph_to_its_file(tmp_path: Path) -> None:
    done = call("graph", FRAMES_ARM, "--json", "-o", tmp_path / "arm.dot")
    assert done.returncode == 0
    assert json.loads(done.stdout)["links"]
    assert (tmp_path / "arm.dot").read_text(encoding="utf-8").count(" -> ") == len(
        loaders.load(FRAMES_ARM).joints
    )


def test_standard_output_gets_lists_or_a_graph() -> None:
    done = call("graph", FRAMES_ARM, "--json", "--format", "svg")
    assert (done.returncode, json.loads(done.stdout)["status"]) == (2, 2)
    assert "expected -o FILE for the graph, or no --format" in done.stderr


# Picture of links and joints.

JOINT = "<joint name='{0}{1}' type='fixed'><parent>{0}</parent><child>{1}</child></joint>"


def sdf(links: str, *joints: str) -> str:
    """A model with these links, and joints that are written as parent and child."""
    parts = "".join(f"<link name='{name}'/>" for name in links) + "".join(
        JOINT.format(*joint) for joint in joints
    )
    return f"<sdf version='1.11'><model name='m'>{parts}</model></sdf>"


def test_a_link_stands_one_column_after_its_parent_and_beside_its_children() -> None:
    plan = layout(load_string(sdf("abcd", "ab", "ac", "cd"), format="sdf"))
    assert {name: column for name, (column, _) in plan.place.items()} == {
        "a": 0,
        "b": 1,
        "c": 1,
        "d": 2,
    }
    rows = {name: row for name, (_, row) in plan.place.items()}
    assert rows["a"] == (rows["b"] + rows["c"]) / 2
    assert rows["c"] == rows["d"]
    assert len(set(plan.place.values())) == 4, "no two links at one place"


def test_a_joint_that_closes_a_loop_is_not_in_the_tree() -> None:
    plan = layout(load_string(sdf("abcd", "ab", "ac", "bd", "cd"), format="sdf"))
    assert [joint.name for joint in plan.loops] == ["cd"]
    assert plan.place["d"][0] == 2


@pytest.mark.parametrize("form", ["svg", "png"])
def test_a_picture_is_the_same_each_time_and_dollar_signs_are_text(form: str) -> None:
    pytest.importorskip("matplotlib")
    scene = load_string(
        "<robot name='r'><link name='$a$'/><link name='_$'/></robot>".replace("_", "b"),
        format="urdf",
    )
    assert picture(scene, form) == picture(scene, form)
    if form == "svg":
        assert "$a$" in picture(scene, form).decode()


def test_a_joint_that_follows_another_says_so() -> None:
    pytest.importorskip("matplotlib")
    axis = "<axis><xyz>0 0 1</xyz>{}</axis>"
    mimic = axis.format(
        "<mimic "
        "joint='ab'><multiplier>2</multiplier><offset>0</offset><reference>0</reference></mimic>"
    )
    text = (
        sdf("abc", "ab", "ac")
        .replace("type='fixed'", "type='revolute'")
        .replace("</child>", "</child>{}")
    )
    scene = load_string(text.format(axis.format(""), mimic), format="sdf", quiet=True)
    assert "ac (revolute, mimics ab x 2 + 0)" in picture(scene, "svg").decode()
