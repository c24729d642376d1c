"""fix repairs what is wrong with certainty and changes nothing else of the text."""

from __future__ import annotations

import os
import re
import stat
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder

import bridge
import loaders
from bridge.cli import main
from bridge.markup import root_of
from loaders.finish.mass_properties import shape_inertia

URDF = """<?xml version="1.0"?>
<!-- arm: keep this -->
<robot name="arm">
  <link name="base"/>
  <joint name="j" type="revolute">
    <parent link="base"/><child link="a"/>   <!-- spaces stay -->
    <origin xyz='0 0 0.3'/><axis xyz="0 1 0"/>
    <limit upper="1.5" lower="-1.5" effort="60" velocity="3"/>
  </joint>
  <link name="a">
    <inertial>
      <origin xyz="0 0 0.1" rpy="0 0 0.5"/><mass value="2"/>
      <inertia ixx="0.016" ixy="0" ixz="0" iyy="0.016" iyz="0" izz="0.002"/>
    </inertial>
    <collision><geometry><box size="0.1 0.2 0.2"/></geometry></collision>
  </link>
  <joint name="k" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.3"/>
    <axis xyz="1 0 0"/><limit lower="-1" upper="2" effort="9" velocity="3"/></joint>
  <link name="b">
    <inertial><mass value="1"/>
      <inertia ixx="0.003" ixy="0" ixz="0" iyy="0.003" iyz="0" izz="0.002"/></inertial>
    <visual><geometry><mesh filename="part.stl"/></geometry></visual>
    <collision><geometry><cylinder radius="0.05" length="0.2"/></geometry></collision>
  </link>
</robot>
"""
SDF = """<sdf version="1.9"><model name="m"><!-- keep -->
  <link name="a"><inertial><mass>2</mass><inertia><ixx>0.016</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.016</iyy><iyz>0</iyz><izz>0.002</izz></inertia></inertial>
    <collision name="c"><geometry><box><size>0.1 0.2 0.2</size></box></geometry></collision></link>
  <link name="b"><pose>0 0 0.5 0 0 0</pose>
    <visual name="v"><geometry><mesh>
      <uri>part.stl</uri>
    </mesh></geometry></visual>
    <collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link>
  <joint name="j" type="revolute"><parent>a</parent><child>b</child>
    <axis><xyz>0 0 1</xyz><limit><lower> -1</lower><upper>2 </upper></limit></axis></joint>
</model></sdf>
"""
MJCF = """<mujoco><!-- keep -->
  <asset><mesh name="part" file="part.stl"/></asset>
  <worldbody>
    <body name="a" pos="0 0 1"><freejoint/>
      <inertial pos="0 0 0" mass="2" diaginertia="0.016 0.016 0.002"/>
      <geom name="ga" type="box" size="0.05 0.1 0.1"/>
      <body name="b" pos="0 0 0.5"><joint name="j" axis="0 0 1" range="-1 2" limited="true"/>
        <inertial pos="0 0 0" mass="2" fullinertia="0.016 0.016 0.002 0 0 0"/>
        <geom name="gb" type="mesh" mesh="part"/>
        <body name="c" pos="0 0 0.4"><joint name="k" axis="0 1 0"/>
          <geom name="gc" type="sphere" size="0.1"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
SIZE = (0.1, 0.1, 0.2)
MISTAKES = [
    ("urdf", 'izz="0.002"', 'izz="0.2"', 'izz="0.00833333333"'),
    ("urdf", 'ixx="0.016"', 'ixx="-0.016"', None),
    ("urdf", 'izz="0.002"/></inertial>\n', 'izz="0.0062"/></inertial>\n', None),
    ("urdf", 'upper="1.5" lower="-1.5"', 'upper="-1.5" lower="1.5"', 'upper="1.5" lower="-1.5"'),
    ("urdf", 'xyz="0 1 0"', 'xyz="0 2 0"', 'xyz="0 1 0"'),
    ("urdf", 'xyz="0 1 0"', 'xyz="1 1 0"', 'xyz="0.707106781 0.707106781 0"'),
    ("urdf", "part.stl", "part_mm.stl", 'filename="part_mm.stl" scale="0.001 0.001 0.001"'),
    ("urdf", "0.1 0.2 0.2", "100 200 200", "0.1 0.2 0.2"),
    ("urdf", "<origin xyz='0 0 0.3'/>", "<origin xyz='0 0 300'/>", None),
    ("urdf", 'ixx="0.016"', 'ixx="16" izx="0"', None),
    ("sdf", "<izz>0.002", "<izz>0.2", "<izz>0.00833333333"),
    (
        "sdf",
        "<lower> -1</lower><upper>2 ",
        "<lower>2</lower><upper>-1",
        "<lower>-1</lower><upper>2",
    ),
    ("sdf", "<xyz>0 0 1", "<xyz>0 0 3", "<xyz>0 0 1"),
    ("sdf", "part.stl", "part_mm.stl", "</uri>\n      <scale>0.001 0.001 0.001</scale>"),
    ("sdf", "<size>0.1 0.2 0.2", "<size>100 200 200", "<size>0.1 0.2 0.2"),
    ("mjcf", '0.016 0.016 0.002"', '0.016 0.016 0.2"', "0.00833333333"),
    ("mjcf", 'fullinertia="0.016 0.016 0.002', 'fullinertia="0.016 0.016 0.2', None),
    ("mjcf", 'range="-1 2"', 'range="2 -1"', 'range="-1 2"'),
    ("mjcf", 'file="part.stl"', 'file="part_mm.stl"', 'stl" scale="0.001 0.001 0.001"/>'),
    ("mjcf", 'pos="0 0 0.4"', 'pos="0 0 -0.4"', '<exclude body1="a" body2="c"/>'),
]
TEXTS = {"urdf": URDF, "sdf": SDF, "mjcf": MJCF}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, scale in (("part", 1.0), ("part_mm", 1000.0)):
        mesh = trimesh.creation.box(np.array(SIZE) * scale)
        (tmp_path / f"{name}.stl").write_bytes(mesh.export(file_type="stl"))
    return tmp_path


def _file(folder: Path, kind: str, text: str) -> Path:
    path = folder / f"robot.{'xml' if kind == 'mjcf' else kind}"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("kind", TEXTS)
def test_a_right_file_is_not_changed(kind: str, folder: Path) -> None:
    found = bridge.fix(_file(folder, kind, TEXTS[kind]))
    assert found.repairs == found.left == ()
    assert found.diff == ""
    assert found.new == TEXTS[kind]


@pytest.mark.parametrize(("kind", "right", "wrong", "expected"), MISTAKES)
def test_a_mistake_is_repaired_in_its_element_alone(
    kind: str, right: str, wrong: str, expected: str | None, folder: Path
) -> None:
    assert right in TEXTS[kind]
    text = TEXTS[kind].replace(right, wrong, 1)
    path = _file(folder, kind, text)
    found = bridge.fix(path)
    assert len(found.repairs) == 1, found
    if expected is not None:
        assert expected in found.new
    changed = [
        line
        for tag, first, last, *_ in SequenceMatcher(
            None, text.split("\n"), found.new.split("\n"), autojunk=False
        ).get_opcodes()
        for line in range(first, max(last, first + 1))
        if tag != "equal"
    ]
    assert len(changed) == 1
    found.write()
    assert path.read_bytes() == found.new.encode()
    assert bridge.fix(path).repairs == ()
    scene = loaders.load(path)
    assert all(link.inertia is None or not link.inertia.defects() for link in scene.links)
    bridge.to_mjspec(scene).compile()
    if kind == "mjcf":
        mujoco.MjModel.from_xml_path(str(path))


def test_moments_are_those_of_the_shapes_in_the_inertial_frame(folder: Path) -> None:
    path = _file(folder, "urdf", URDF.replace('ixx="0.016"', 'ixx="-0.016"', 1))
    bridge.fix(path).write()
    inertia = next(link.inertia for link in loaders.load(path).links if link.name == "a")
    assert inertia is not None
    x, y, z = 0.1, 0.2, 0.2
    of_a_box = 2.0 / 12.0 * np.diag((y**2 + z**2, x**2 + z**2, x**2 + y**2))
    assert inertia.I_Lcm == pytest.approx(of_a_box, rel=1e-8, abs=1e-10)


def test_a_small_violation_gets_the_nearest_moments(folder: Path) -> None:
    text = URDF.replace('izz="0.002"/></inertial>\n', 'izz="0.0062"/></inertial>\n')
    path = _file(folder, "urdf", text)
    bridge.fix(path).write()
    inertia = next(link.inertia for link in loaders.load(path).links if link.name == "b")
    assert inertia is not None
    excess = 0.0002 / 3.0
    nearest = (0.003 + excess, 0.003 + excess, 0.0062 - excess)
    assert np.diag(inertia.I_Lcm) == pytest.approx(nearest, rel=1e-5)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_newlines_and_the_byte_order_mark_stay(newline: str, mark: str, folder: Path) -> None:
    wrong = mark + SDF.replace("part.stl", "part_mm.stl").replace("\n", newline)
    found = bridge.fix(_file(folder, "sdf", wrong))
    assert len(found.repairs) == 1
    added = f"{newline}      <scale>0.001 0.001 0.001</scale>"
    assert found.new.replace(added, "") == wrong


def test_several_mistakes_are_repaired_at_once(folder: Path) -> None:
    text = URDF
    for kind, right, wrong, _ in MISTAKES[:7]:
        if kind == "urdf" and right in text:
            text = text.replace(right, wrong, 1)
    path = _file(folder, "urdf", text)
    found = bridge.fix(path)
    assert len(found.repairs) == 5
    found.write()
    assert bridge.fix(path).new == found.new


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_exclusions_join_the_others(newline: str, folder: Path) -> None:
    contact = '  <contact>\n    <exclude body1="a" body2="b"/>\n  </contact>\n</mujoco>'
    text = MJCF.replace("</mujoco>", contact).replace('pos="0 0 0.4"', 'pos="0 0 -0.4"')
    found = bridge.fix(_file(folder, "mjcf", text.replace("\n", newline)))
    assert f'    <exclude body1="a" body2="c"/>{newline}  </contact>' in found.new
    assert found.new.count("\n") == found.new.count(newline)


THIRD = {
    "urdf": """<joint name="l" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
    <origin xyz="0 0 -0.2"/><limit lower="-1" upper="1" effort="9" velocity="3"/></joint>
  <link name="c">
    <inertial><mass value="1"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial>
    <collision><geometry><sphere radius="0.05"/></geometry></collision>
  </link></robot>""",
    "sdf": """
  <self_collide>true</self_collide>
  <link name="c"><pose>0 0 0.1 0 0 0</pose><inertial><mass>1</mass></inertial>
    <collision name="c"><geometry><sphere><radius>0.05</radius></sphere></geometry></collision></link>
  <joint name="l" type="revolute"><parent>b</parent><child>c</child>
    <axis><xyz>0 0 1</xyz></axis></joint></model>""",
}
"""A third link, which overlaps the first and is connected to the second."""


@pytest.mark.parametrize("kind", THIRD)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_links_that_overlap_are_excluded_for_drake_too(
    kind: str, newline: str, folder: Path
) -> None:
    last = THIRD[kind].rpartition("<")[2]
    text = TEXTS[kind].replace(f"<{last}", THIRD[kind]).replace("\n", newline)
    path = _file(folder, kind, text.replace("part.stl", "part.obj"))
    (folder / "part.obj").write_text(trimesh.creation.box(SIZE).export(file_type="obj"))
    assert _filtered_by_drake(path) == {frozenset("ab"), frozenset("bc")}
    found = bridge.fix(path)
    assert [repair.text.partition(":")[0] for repair in found.repairs] == ["links a and c"]
    assert found.left == ()
    found.write()
    assert bridge.fix(path).repairs == ()
    assert _filtered_by_drake(path) == {frozenset("ab"), frozenset("bc"), frozenset("ac")}
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(newline.encode())


def _filtered_by_drake(path: Path) -> set[frozenset[str]]:
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.0)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    shapes = {
        name: plant.GetCollisionGeometriesForBody(plant.GetBodyByName(name))[0] for name in "abc"
    }
    inspector = graph.model_inspector()
    return {
        frozenset(pair)
        for pair in combinations("abc", 2)
        if inspector.CollisionFiltered(*(shapes[name] for name in pair))
    }


def test_models_that_overlap_stay_with_the_reason(folder: Path) -> None:
    world = SDF.replace('<sdf version="1.9">', '<sdf version="1.9"><world name="w">').replace(
        "</model></sdf>",
        "</model><include><uri>other.sdf</uri><name>n</name></include></world></sdf>",
    )
    (folder / "other.sdf").write_text(SDF)
    found = bridge.fix(_file(folder, "sdf", world))
    assert found.new == world
    assert len(found.left) == 2
    assert all("not two named links of one model" in sentence for sentence in found.left)


def test_a_mesh_with_turned_triangles_gives_no_moments_that_no_body_has(folder: Path) -> None:
    collision = '<collision><geometry><cylinder radius="0.05" length="0.2"/></geometry></collision>'
    mesh = trimesh.creation.icosphere(subdivisions=1, radius=0.1)
    turned = np.random.default_rng(0).random(len(mesh.faces)) < 0.45
    faces = np.where(turned[:, None], mesh.faces[:, ::-1], mesh.faces)
    mesh = trimesh.Trimesh(mesh.vertices, faces, process=False)
    (folder / "part.stl").write_bytes(mesh.export(file_type="stl"))
    wrong = URDF.replace('ixx="0.003"', 'ixx="-0.003"').replace(collision, "")
    path = _file(folder, "urdf", wrong)
    bridge.fix(path).write()
    link = next(link for link in loaders.load(path).links if link.name == "b")
    of_mesh = shape_inertia(link.visuals[0].geometry, 1.0)
    assert of_mesh is not None
    assert of_mesh.defects()
    assert link.inertia is not None
    assert not link.inertia.defects()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "<!-- | This document was autogenerated by xacro from arm.xacro | --><robot name='r'/>",
            "written by xacro from arm.xacro",
        ),
        ('<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"/>', "a source of xacro"),
        ("directives: []", "no URDF, SDFormat or MJCF"),
        ("<html/>", "no URDF, SDFormat or MJCF"),
    ],
)
def test_what_cannot_be_repaired_is_refused_with_the_reason(
    text: str, reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _file(folder, "urdf", text)
    with pytest.raises(ValueError, match=reason):
        bridge.fix(path)
    assert main(["fix", str(path), "--write"]) == 2
    assert reason in capsys.readouterr().err
    assert path.read_text() == text


def test_the_command_shows_a_diff_and_writes_on_request(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = URDF.replace('xyz="0 1 0"', 'xyz="0 2 0"', 1)
    path = _file(folder, "urdf", wrong)
    os.chmod(path, 0o640)
    assert main(["fix", str(path)]) == 0
    printed = capsys.readouterr()
    assert re.findall(r"^[-+] .*", printed.out, re.MULTILINE) == [
        "-    <origin xyz='0 0 0.3'/><axis xyz=\"0 2 0\"/>",
        "+    <origin xyz='0 0 0.3'/><axis xyz=\"0 1 0\"/>",
    ]
    assert "joint j: the axis has the length 2" in printed.err
    assert path.read_text() == wrong
    assert main(["fix", str(path), "--write", "-q"]) == 0
    assert path.read_text() == URDF
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(folder).count(path.name) == 1


def test_elements_know_their_places() -> None:
    text = '<a x="1"><!-- <b/> --><b name=\'n\'>t</b>\n<c\n y="2"/></a>'
    root = root_of(text)
    assert root is not None
    assert [each.path for each in root.below()] == ["/a", "/a/b[n]", "/a/c"]
    b, c = root.children
    assert text[b.inside : b.outside] == "t"
    assert (c.line, c.last_line) == (2, 3)
    assert c.is_empty
    assert text[c.attributes["y"].start : c.attributes["y"].end] == "2"
    assert root_of("no markup") is None
