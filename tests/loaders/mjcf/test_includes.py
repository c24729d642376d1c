"""Included and attached MJCF, against MuJoCo's own attachment and resolution of the same files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from loaders import LoadError, Scene
from loaders.diagnostics import Diagnostics
from loaders.mjcf.document import Contents, LineMap
from loaders.node import Node
from loaders.xml import parse
from tests.support.mjcf_documents import BALL, document, problems, written

# MJCF that SDFormat and directives include, against MuJoCo's own attachment of the same file.

OPTION = '<option gravity="0 0 -3" timestep="0.004"/>'
ROBOT = f"""<mujoco model="robot"><compiler angle="radian"/>{OPTION}
  <worldbody><geom name="floor" size=".1" pos="0 0 -1"/><site name="top" pos="0 .1 2"/>
    <body name="p" pos="0 0 1"><joint name="a" axis="0 1 0" damping="0.3"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size=".02"/>
      <body name="q" pos=".4 0 0" euler="0.1 0.2 0.3"><joint name="b" type="slide" axis="1 0 0"/>
        <joint name="c" axis="0 0 1" pos="0 .1 0"/><geom type="box" size=".1 .05 .02" pos=".1 0 0"/>
        <site name="tool"/></body></body>
    <body name="r" pos="0 1 1"><joint name="d" axis="0 1 0"/>{BALL}</body>
  </worldbody>
  <equality><joint joint1="a" joint2="d" polycoef="0 2 0 0 0"/>
    <connect body1="q" body2="r" anchor="0.1 0 0"/></equality>
  <tendon><spatial name="rope"><site site="top"/><site site="tool"/></spatial></tendon>
  <actuator><motor name="drive" joint="b"/>
    <general name="pull" site="tool" refsite="top" gear="1 0 0 0 0 0"/>
    <adhesion name="stick" body="r" ctrlrange="0 1"/></actuator>
</mujoco>"""

WORLD_FILE = """<sdf version="1.9"><world name="w"><gravity>0 0 -9.81</gravity>
  <include><uri>robot.xml</uri><name>one</name><pose>0 0 1 0 0 0</pose></include>
  <include><uri>robot.xml</uri><name>two</name><pose>1 2 0 0 0 .5</pose></include></world></sdf>"""

DIRECTIVES = """directives:
- add_model: {name: one, file: robot.xml}
- add_model: {name: two, file: robot.xml}
"""

PLACES = {
    "w.sdf": (WORLD_FILE, ((0, 0, 1), 0.0), ((1, 2, 0), 0.5)),
    "w.dmd.yaml": (DIRECTIVES, ((0, 0, 0), 0.0), ((0, 0, 0), 0.0)),
}
"""Files that include the robot twice, and the position and the yaw of each copy."""


def attached(*places: tuple[tuple[int, int, int], float]) -> Any:
    """MuJoCo's model of copies of the robot, each in a frame of its own."""
    parent = mujoco.MjSpec()
    for name, (position, yaw) in zip(("one", "two"), places, strict=True):
        frame = parent.worldbody.add_frame(
            pos=position, quat=(np.cos(yaw / 2), 0, 0, np.sin(yaw / 2))
        )
        parent.attach(
            mujoco.MjSpec.from_string(ROBOT.replace(OPTION, "")), prefix=f"{name}::", frame=frame
        )
    return parent.compile()


def including(folder: Path, name: str, text: str) -> Path:
    (folder / "robot.xml").write_text(ROBOT, encoding="utf-8")
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def scene_of(folder: Path, name: str) -> Scene:
    return loaders.load(including(folder, name, PLACES[name][0]), quiet=True)


@pytest.mark.parametrize("name", PLACES)
def test_two_copies_are_where_mujoco_attaches_them(name: str, tmp_path: Path) -> None:
    model = attached(*PLACES[name][1:])
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    links = {link.name: link for link in scene_of(tmp_path, name).links if not link.virtual}
    for b in range(1, model.nbody):
        X_WL = links[model.body(b).name].X_WL
        assert np.abs(X_WL.p - data.xpos[b]).max() < 1e-12
        assert np.abs(X_WL.R - data.xmat[b].reshape(3, 3)).max() < 1e-12


def places_of_floors(model: Any) -> list[tuple[float, ...]]:
    """Positions of the geoms that are fixed to the world and collide [m], in order."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    fixed = (
        g
        for g in range(model.ngeom)
        if not model.body_weldid[model.geom_bodyid[g]] and model.geom_contype[g]
    )
    return sorted(tuple((np.round(data.geom_xpos[g], 9) + 0.0).tolist()) for g in fixed)


def exported(path: Path) -> Any:
    """MuJoCo's model of the export of a file."""
    mjcf = bridge.to_mjcf(path, quiet=True)
    return mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)


@pytest.mark.parametrize("name", PLACES)
def test_geoms_of_the_world_of_every_copy_collide_in_both_simulators(
    name: str, tmp_path: Path
) -> None:
    pybullet = pytest.importorskip("pybullet")
    expected = places_of_floors(attached(*PLACES[name][1:]))
    assert len(expected) == 2
    path = including(tmp_path, name, PLACES[name][0])
    assert places_of_floors(exported(path)) == expected
    assert (
        places_of_floors(exported(bridge.export_sdf(path, tmp_path / "sdf", quiet=True).path))
        == expected
    )
    client = pybullet.connect(pybullet.DIRECT)
    bridge.load_into_pybullet(path, physicsClientId=client, quiet=True)
    hits = pybullet.rayTestBatch(
        [(x, y, z + 0.5) for x, y, z in expected],
        [(x, y, z) for x, y, z in expected],
        physicsClientId=client,
    )
    pybullet.disconnect(client)
    assert [hit[3][2] for hit in hits] == pytest.approx([z + 0.1 for _, _, z in expected], abs=1e-6)


def test_contact_pairs_name_the_geoms_of_their_own_copy(tmp_path: Path) -> None:
    pair = (
        '<contact><pair geom1="floor" geom2="ball" friction="0.3 0.3 0.1 0 0"/></contact></mujoco>'
    )
    text = ROBOT.replace(BALL, '<geom name="ball" size=".1"/>').replace("</mujoco>", pair)
    path = including(tmp_path, "w.sdf", WORLD_FILE)
    (tmp_path / "robot.xml").write_text(text, encoding="utf-8")
    model = exported(path)
    pairs = {
        (tuple(np.round(model.geom_pos[g1], 9).tolist()), model.body(model.geom_bodyid[g2]).name)
        for g1, g2 in zip(model.pair_geom1, model.pair_geom2, strict=True)
    }
    assert pairs == {((0.0, 0.0, 0.0), "one::r"), ((1.0, 2.0, -1.0), "two::r")}


@pytest.mark.parametrize("name", PLACES)
def test_the_export_of_two_copies_moves_as_mujocos_own(name: str, tmp_path: Path) -> None:
    expected = attached(*PLACES[name][1:])
    exported = bridge.export_mjcf(scene_of(tmp_path, name), tmp_path / "out", quiet=True).model
    expected.opt.gravity[:] = exported.opt.gravity
    assert exported.nv == expected.nv == 8
    assert (exported.neq, exported.ntendon, exported.nu) == (
        expected.neq,
        expected.ntendon,
        expected.nu,
    )
    forces = []
    for model in (expected, exported):
        data = mujoco.MjData(model)
        for joint, value in (("one::a", 0.3), ("one::c", -0.5), ("two::b", 0.2), ("two::d", 1.0)):
            data.joint(joint).qpos[0] = value
            data.joint(joint).qvel[0] = 2 * value
        data.actuator("two::pull").ctrl[0] = 3.0
        mujoco.mj_forward(model, data)
        names = [f"{scope}::{joint}" for scope in ("one", "two") for joint in "abcd"]
        rows = [int(model.joint(joint).dofadr[0]) for joint in names]
        forces.append(
            np.array([data.qfrc_bias[rows], data.qfrc_passive[rows], data.qfrc_actuator[rows]])
        )
        assert len(data.ten_length) == 2
    assert np.abs(forces[0] - forces[1]).max() < 1e-9 * np.abs(forces[0]).max()


@pytest.mark.parametrize("name", PLACES)
def test_options_of_an_included_file_are_left_out_and_reported(name: str, tmp_path: Path) -> None:
    scene = scene_of(tmp_path, name)
    (found,) = {
        entry.where.line: entry for entry in scene.diagnostics if entry.code == "mjcf-in.options"
    }.values()
    assert found.where.file.endswith("robot.xml")
    assert found.where.line == 1
    assert "option/gravity" in found.message
    assert scene.gravity[2] < -9
    assert "mjcf-in.options" not in {
        entry.code for entry in loaders.load(tmp_path / "robot.xml", quiet=True).diagnostics
    }


def test_a_site_is_a_placement_frame_and_holds_a_weld(tmp_path: Path) -> None:
    nested = (
        "<sdf version='1.9'><model name='m'><link name='l'/><include><uri>robot.xml</uri>"
        "<placement_frame>top</placement_frame><pose>1 0 0 0 0 0</pose></include>"
        "<joint name='w' "
        "type='fixed'><parent>l</parent><child>robot::top</child></joint></model></sdf>"
    )
    scene = loaders.load(including(tmp_path, "m.sdf", nested), quiet=True)
    (top,) = (frame for frame in scene.frames if frame.name == "robot::top")
    assert np.abs(top.X_LF.p - (1.0, 0.0, 0.0)).max() < 1e-12


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('size=".1"', 'size="nan"', "mjcf-in.not-finite"),
        ("<worldbody>", "<worldbody><body size='1'/>", "mjcf-in.refused"),
    ],
)
def test_an_error_in_the_included_file_is_reported_at_its_line(
    name: str, old: str, new: str, code: str, tmp_path: Path
) -> None:
    path = including(tmp_path, name, PLACES[name][0])
    (tmp_path / "robot.xml").write_text(ROBOT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(LoadError) as caught:
        loaders.load(path, quiet=True)
    found = {
        (entry.code, Path(entry.where.file or "").name, entry.where.line)
        for entry in caught.value.diagnostics
    }
    assert (code, "robot.xml", 2) in found


def test_the_friction_of_a_contact_pair_is_that_of_the_pair(tmp_path: Path) -> None:
    """MuJoCo takes the friction of the pair in the place of that of its geoms; so does the
    reference.
    """
    geoms = "".join(
        f'<body name="{b}" pos="0 0 {b}"><freejoint/><geom name="g{b}" size=".1"/></body>'
        for b in "12"
    )
    pair = '<contact><pair geom1="g1" geom2="g2" friction="0.3 0.3 0.01 0.001 0.001"/></contact>'
    (tmp_path / "robot.xml").write_text(
        f"<mujoco><worldbody>{geoms}</worldbody>{pair}</mujoco>", encoding="utf-8"
    )
    world = (
        '<sdf version="1.9"><world '
        'name="w"><include><uri>robot.xml</uri><name>r</name></include></world></sdf>'
    )
    (tmp_path / "w.sdf").write_text(world, encoding="utf-8")
    found = bridge.compare(tmp_path / "w.sdf", engines=("mujoco", "reference"), levels=("L0",))
    assert "friction of pairs" in {row.quantity for row in found.rows}
    assert found.failures == ()


def test_a_part_of_a_document_is_refused_with_what_to_read_instead() -> None:
    with pytest.raises(LoadError, match="read the file that includes it"):
        loaders.load_string("<mujocoinclude/>", format="mjcf")


# Includes, as MuJoCo resolves them.

ARM = f'<mujocoinclude><body name="arm">{BALL}</body></mujocoinclude>'


def links(path: Path) -> list[str]:
    return [link.name for link in loaders.load(path, quiet=True).links]


def test_a_name_counts_from_the_main_file_then_from_the_including_one(tmp_path: Path) -> None:
    import mujoco

    text = document('<include file="parts/torso.xml"/>')
    torso = '<mujocoinclude><body name="torso"><include file="arm.xml"/></body></mujocoinclude>'
    inside = written(tmp_path / "inside", text, parts__torso_xml=torso, parts__arm_xml=ARM)
    main = written(tmp_path / "main", text, parts__torso_xml=torso, arm_xml=ARM)
    for path in (inside, main):
        model = mujoco.MjModel.from_xml_path(str(path))
        assert (
            links(path) == [model.body(i).name for i in range(1, model.nbody)] == ["torso", "arm"]
        )


def test_the_lines_are_those_of_the_included_file(tmp_path: Path) -> None:
    arm = f'<mujocoinclude>\n\n<body name="arm">{BALL}</body></mujocoinclude>'
    (link,) = loaders.load(
        written(tmp_path, document('<include file="arm.xml"/>'), arm_xml=arm)
    ).links
    assert (Path(link.where.file).name, link.where.line) == ("arm.xml", 3)


def test_a_file_is_included_once(tmp_path: Path) -> None:
    import mujoco

    path = written(
        tmp_path, document('<include file="arm.xml"/><include file="arm.xml"/>'), arm_xml=ARM
    )
    assert [problem.code for problem in problems(path)] == ["mjcf-in.included-twice"]
    with pytest.raises(ValueError, match="already included"):
        mujoco.MjModel.from_xml_path(str(path))


@pytest.mark.parametrize("name", ["./arm.xml", "folder/../arm.xml"])
def test_a_file_is_known_by_its_name_however_it_is_written(name: str, tmp_path: Path) -> None:
    import mujoco

    path = written(
        tmp_path, document(f'<include file="arm.xml"/><include file="{name}"/>'), arm_xml=ARM
    )
    (tmp_path / "folder").mkdir()
    assert [problem.code for problem in problems(path)] == ["mjcf-in.included-twice"]
    with pytest.raises(ValueError, match="already included"):
        mujoco.MjModel.from_xml_path(str(path))


def test_links_to_one_file_are_files_of_their_own_as_in_mujoco(tmp_path: Path) -> None:
    import mujoco

    finger = f"<mujocoinclude>{BALL}</mujocoinclude>"
    bodies = (
        '<body name="a"><include file="a.xml"/></body><body name="b"><include file="b.xml"/></body>'
    )
    path = written(tmp_path, document(bodies), finger_xml=finger)
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).symlink_to("finger.xml")
    model = mujoco.MjModel.from_xml_path(str(path))
    assert links(path) == [model.body(i).name for i in range(1, model.nbody)] == ["a", "b"]


def test_a_cycle_of_links_ends(tmp_path: Path) -> None:
    a = '<mujocoinclude><body name="x"><include file="b.xml"/></body></mujocoinclude>'
    path = written(tmp_path, document('<include file="a.xml"/>'), a_xml=a)
    (tmp_path / "b.xml").symlink_to("a.xml")
    assert [problem.code for problem in problems(path)] == ["mjcf-in.included-twice"]


def test_a_cycle_ends(tmp_path: Path) -> None:
    a = '<mujocoinclude><body name="x"><include file="a.xml"/></body></mujocoinclude>'
    path = written(tmp_path, document('<include file="a.xml"/>'), a_xml=a)
    assert [problem.code for problem in problems(path)] == ["mjcf-in.included-twice"]


@pytest.mark.parametrize(
    "name", ["robot.xml", "./robot.xml", "../robot/robot.xml", "link.xml", "folder/robot.xml"]
)
def test_the_main_file_is_not_included_by_any_of_its_names(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / "robot", document(f'<include file="{name}"/>'))
    (path.parent / "link.xml").symlink_to(path)
    (path.parent / "folder").symlink_to(path.parent)
    assert [problem.code for problem in problems(path)] == ["mjcf-in.included-twice"]


@pytest.mark.parametrize("name", ["main.xml", "parts/robot.xml"])
def test_a_main_file_that_is_a_link_is_known_by_its_target(name: str, tmp_path: Path) -> None:
    written(tmp_path, document(f'<include file="{name}"/>'), "parts/robot.xml")
    (tmp_path / "main.xml").symlink_to(tmp_path / "parts/robot.xml")
    assert [problem.code for problem in problems(tmp_path / "main.xml")] == [
        "mjcf-in.included-twice"
    ]


def test_a_file_of_the_name_of_the_main_file_is_another_one(tmp_path: Path) -> None:
    path = written(tmp_path, document('<include file="parts/robot.xml"/>'), parts__robot_xml=ARM)
    assert links(path) == ["arm"]


@pytest.mark.parametrize(
    ("include", "code"),
    [
        ('<include file=""/>', "xml.missing"),
        ('<include file="arm.xml"><site/></include>', "mjcf-in.include"),
        ('<include file="root_only.xml"/>', "mjcf-in.include"),
    ],
    ids=["no name", "elements of its own", "a file without elements"],
)
def test_an_include_without_content_is_refused_as_by_mujoco(
    include: str, code: str, tmp_path: Path
) -> None:
    import mujoco

    path = written(tmp_path, document(include), arm_xml=ARM)
    (tmp_path / "root_only.xml").write_text('<body name="arm"/>')
    assert [problem.code for problem in problems(path)] == [code]
    with pytest.raises(ValueError, match=r"nclude|Empty file"):
        mujoco.MjModel.from_xml_path(str(path))


# The text that MuJoCo gets.


def contents_of(root: Node) -> Contents:
    nodes = list(root.walk())
    return Contents.of(nodes, {node.tag for node in nodes})


def test_each_element_has_a_line_of_its_own_and_keeps_its_attributes() -> None:
    diagnostics = Diagnostics()
    first = parse(b'<mujoco>\n\n<a x="1 &lt; &quot;2&quot;"/><b/></mujoco>', "one.xml", diagnostics)
    second = parse(b"<mujoco>\n<c/></mujoco>", "two.xml", diagnostics)
    assert first is not None
    assert second is not None
    lines = LineMap()
    texts = [lines.write(root, contents_of(root)) for root in (first, second)]
    for number, text in enumerate(texts):
        for i, line in enumerate(text.splitlines(), start=1):
            node, opening = lines.node(i), re.search(r"<(\w+)", line)
            assert opening is None or (node is not None and node.tag == opening[1]), (number, i)
    again = parse(texts[0].encode(), "again.xml", diagnostics)
    assert again is not None
    assert again.children[0].attributes == first.children[0].attributes
    assert lines.node(0) is lines.node(99) is None
