"""Whole URDF robots: Drake's frames, MuJoCo's mesh folders, names, order, placement, the tree and
diagnostics.
"""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from loaders.model import by_name
from tests.support.drake_files import URDF_FRAMES, load, urdf
from tests.support.drake_oracle import DrakePlant
from tests.support.urdf_documents import LINKS, RED, arm, codes, errors, fixed, robot

# Drake's frames of a URDF, compared with Drake.


def test_frames_of_a_urdf_are_those_of_drake():
    source = urdf(URDF_FRAMES)
    frame = by_name(load(source).frames)["p"]
    theirs = DrakePlant(*source).plant.GetFrameByName("p").GetFixedPoseInBodyFrame()
    np.testing.assert_allclose(frame.X_LF.R, theirs.rotation().matrix(), atol=1e-12)
    np.testing.assert_allclose(frame.X_LF.p, theirs.translation(), atol=1e-12)


# ``<mujoco>`` in a URDF: MuJoCo itself finds the mesh in the same folder.

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
ROBOT = """<robot name="r"><mujoco><compiler {key}="../assets" discardvisual="false"/></mujoco>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="x.obj"/></geometry></visual></link></robot>"""


@pytest.mark.parametrize("key", ["meshdir", "assetdir"])
def test_meshes_are_found_where_mujoco_finds_them(key: str, tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "x.obj").write_text(OBJ)
    (tmp_path / "urdf").mkdir()
    path = tmp_path / "urdf" / "r.urdf"
    path.write_text(ROBOT.format(key=key))
    assert mujoco.MjModel.from_xml_path(str(path)).nmesh == 1
    scene = loaders.load(path)
    assert scene.links[0].visuals[0].geometry.path == str(tmp_path / "assets" / "x.obj")
    assert not scene.diagnostics


def test_a_mesh_folder_outside_the_allowed_folders_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "x.obj").write_text(OBJ)
    path = tmp_path / "a" / "b" / "c" / "r.urdf"
    path.parent.mkdir(parents=True)
    path.write_text(ROBOT.format(key="meshdir").replace("../assets", "../../../secret"))
    with pytest.raises(loaders.LoadError, match="outside"):
        loaders.load(path)


# Whole URDF robots: names, order, placement and diagnostics.

INERTIAL = "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"


def test_links_keep_their_order_and_their_names() -> None:
    scene = robot(
        "<link name='z'/><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child "
        "link='z'/></joint>"
    )
    assert [link.name for link in scene.links] == ["z", "a"]
    assert [model.name for model in scene.models] == ["r"]
    assert scene.models[0].canonical_link == "a"


def test_an_origin_of_the_robot_places_the_whole_model() -> None:
    link, joint = (
        "<link name='a'/>",
        "<joint name='w' type='fixed'><parent link='world'/><child link='a'/></joint>",
    )
    scene = robot(f"<origin xyz='1 2 3' rpy='0 0 {math.pi / 2}'/>{link}{joint}")
    np.testing.assert_allclose(scene.links[0].X_WL.p, [1, 2, 3])
    np.testing.assert_allclose(scene.models[0].X_WM.R @ (1, 0, 0), [0, 1, 0], atol=1e-15)
    assert bridge.lower(scene).link_poses()["a"].is_close(scene.links[0].X_WL)


def test_the_link_world_is_the_world(tmp_path: Path) -> None:
    body = "<link name='a'/>" + fixed("j", "world", "a", "<origin xyz='1 2 3'/>")
    np.testing.assert_allclose(robot(body).links[0].X_WL.p, (1, 2, 3))
    assert [link.name for link in robot("<link name='world'/>" + body).links] == ["a"]
    shaped = (
        "<link name='world'>"
        + INERTIAL
        + "<collision><geometry><sphere radius='1'/></geometry></collision></link>"
    )
    scene = robot(shaped + body)
    assert [link.name for link in scene.links] == ["world", "a"]
    assert scene.links[0].inertia is None
    assert codes(scene) == ["urdf.world-inertial"]


def test_all_problems_are_reported_at_once_with_their_lines() -> None:
    body = (
        LINKS
        + "<link name='a'/>\n"  # line 4
        + fixed("j", "a", "b")
        + fixed("j", "a", "c")  # 6
        + fixed("k", "c", "b")  # 7
        + fixed("m", "a", "x")  # 8
        + fixed("n", "c", "c")  # 9
        + "<joint name='o' type='hinge'><parent link='a'/><child link='c'/></joint>\n"  # 10
        + "<joint name='p' type='continuous'><parent link='a'/></joint>\n"  # 11
    )
    assert errors(body) == {
        "urdf.duplicate-name": [4, 6],
        "urdf.two-parents": [7, 10],
        "urdf.unknown-link": [8],
        "urdf.loop": [9],
        "urdf.joint-type": [10],
        "xml.missing": [11],
    }


@pytest.mark.parametrize("number", ["nan", "inf", "abc", "1 2", "1,5 2 3", "$(arg x)", ""])
def test_numbers_that_are_none_are_errors_with_a_line(number: str) -> None:
    found = errors(
        f"\n<link name='a'><visual><geometry><box size='{number}'/></geometry></visual></link>"
    )
    assert {line for lines in found.values() for line in lines} == {2}


def test_unread_elements_are_reported() -> None:
    scene = arm("<lmit lower='1'/>", "continuous")
    (entry,) = scene.diagnostics
    assert entry.code == "xml.unread"
    assert "limit" in entry.hint


def test_a_robot_without_a_name_takes_that_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "arm.v2.urdf").write_text("<robot><link name='a'/></robot>")
    scene = loaders.load(tmp_path / "arm.v2.urdf")
    assert scene.name == "arm"
    assert codes(scene) == ["urdf.missing-name"]


def test_a_robot_without_links_is_noticed() -> None:
    assert codes(robot("")) == ["urdf.no-links"]


def test_links_and_joints_that_drake_ignores_are_left_out() -> None:
    scene = robot(
        "<link name='a'/><link name='b' drake_ignore='true'/>"
        + fixed("j", "a", "b").replace("<joint", "<joint drake_ignore='true'")
    )
    assert [link.name for link in scene.links] == ["a"]
    assert scene.joints == ()


BALL = "<geometry><sphere radius='1'/></geometry>"


TWO = "<link name='a'/><link name='b'/>"


PROVOKED = [
    (
        "urdf.second-shape",
        (
            "<link name='a'><visual><geometry><sphere radius='1'/><box size='1 1 "
            "1'/></geometry></visual></link>"
        ),
    ),
    (
        "urdf.zero-normal",
        "<link name='a'><collision><geometry><plane normal='0 0 0'/></geometry></collision></link>",
    ),
    (
        "urdf.zero-scale",
        (
            "<link name='a'><visual><geometry><mesh filename='x.stl' scale='1 0 "
            "1'/></geometry></visual></link>"
        ),
    ),
    (
        "urdf.colour-range",
        (
            f"<link name='a'><visual>{BALL}<material name='m'><color rgba='2 0 0 "
            f"1'/></material></visual></link>"
        ),
    ),
    (
        "urdf.no-texture",
        (
            f"<link name='a'><visual>{BALL}<material "
            f"name='m'>{RED}<texture/></material></visual></link>"
        ),
    ),
    (
        "urdf.repeated-material",
        f"<link name='a'/><material name='m'>{RED}</material><material name='m'>{RED}</material>",
    ),
    ("urdf.canonical-body", "<link name='a'/><gazebo><canonicalBody>a</canonicalBody></gazebo>"),
    (
        "urdf.inertia-scaling",
        (
            f"<link name='a'><contact><inertia_scaling "
            f"value='3'/></contact><collision>{BALL}</collision></link>"
        ),
    ),
    ("urdf.joint-type-extension", TWO + fixed("j", "a", "b").replace("fixed", "spherical")),
    (
        "urdf.limit-ignored",
        TWO + fixed("j", "a", "b", "<limit effort='1' velocity='1'/>").replace("fixed", "planar"),
    ),
    (
        "urdf.planar-friction",
        TWO + fixed("j", "a", "b", "<dynamics friction='1'/>").replace("fixed", "planar"),
    ),
    (
        "urdf.planar-damping",
        TWO + fixed("j", "a", "b", "<dynamics damping='1'/>").replace("fixed", "planar"),
    ),
    (
        "urdf.mimic-ignored",
        TWO
        + "<link name='c'/>"
        + fixed("j", "a", "b", "<mimic joint='k'/>")
        + fixed("k", "b", "c"),
    ),
    ("urdf.mimic", TWO + fixed("j", "a", "b", "<mimic joint='j'/>").replace("fixed", "continuous")),
    (
        "urdf.transmission-extra",
        TWO
        + fixed("j", "a", "b").replace("fixed", "continuous")
        + "<transmission type='SimpleTransmission'>"
        "<joint name='j'/><actuator name='m'/><actuator name='n'/></transmission>",
    ),
]


@pytest.mark.parametrize(("code", "body"), PROVOKED, ids=[code for code, _ in PROVOKED])
def test_what_is_odd_is_reported(code: str, body: str) -> None:
    try:
        found = robot(body).diagnostics
    except loaders.LoadError as error:
        found = error.diagnostics
    assert code in [entry.code for entry in found]
    assert all(entry.where.line for entry in found)


def test_an_srdf_is_no_robot_and_one_error_says_what_to_do() -> None:
    pairs = "<disable_collisions link1='a' link2='b' reason='Adjacent'/>" * 3
    for lenient in (False, True):
        with pytest.raises(loaders.LoadError) as caught:
            loaders.load_string(
                f"<robot name='r'><group name='g'/>{pairs}</robot>", format="urdf", lenient=lenient
            )
        (error,) = caught.value.diagnostics
        assert (error.code, "srdf=" in error.hint) == ("urdf.srdf", True)


def test_the_world_is_a_link_if_it_has_a_sensor() -> None:
    sensor = (
        "<gazebo reference='world'><sensor name='eye' type='camera'><pose>0 0 1 0 0 "
        "0</pose></sensor></gazebo>"
    )
    found = loaders.load_string(
        f"<robot name='r'><link name='world'/><link name='a'/>{sensor}</robot>", format="urdf"
    )
    assert [(link.name, len(link.sensors)) for link in found.links] == [("world", 1), ("a", 0)]


# The kinematic tree of a URDF.


@pytest.mark.parametrize(
    ("joints", "code"),
    [
        (fixed("j", "a", "b") + fixed("k", "b", "c") + fixed("m", "c", "a"), "urdf.loop"),
        (fixed("j", "a", "b") + fixed("k", "b", "a"), "urdf.loop"),
        (fixed("j", "a", "a"), "urdf.loop"),
        (fixed("j", "a", "c") + fixed("k", "b", "c"), "urdf.two-parents"),
        (fixed("j", "world", "a") + fixed("k", "a", "world"), "urdf.loop"),
        (fixed("j", "a", "b") + fixed("k", "a", "world") + fixed("m", "b", "world"), "urdf.loop"),
    ],
)
def test_what_is_no_tree_is_an_error(joints: str, code: str) -> None:
    assert set(errors(LINKS + joints)) == {code}


def test_an_unknown_link_gets_a_suggestion() -> None:
    with pytest.raises(loaders.LoadError, match="did you mean gripper"):
        robot("<link name='gripper'/>" + fixed("j", "griper", "gripper"))


def test_several_roots_each_move_on_their_own_and_are_noticed() -> None:
    scene = robot(LINKS + fixed("j", "a", "b"))
    assert codes(scene) == ["urdf.several-roots"]
    assert [body.parent for body in bridge.lower(scene).bodies].count(-1) == 2


def test_a_joint_to_the_world_may_stand_the_other_way_round() -> None:
    scene = robot("<link name='a'/>" + fixed("j", "a", "world", "<origin xyz='1 2 3'/>"))
    np.testing.assert_allclose(scene.links[0].X_WL.p, (-1, -2, -3))


@pytest.mark.slow
def test_a_chain_of_ten_thousand_links_is_read() -> None:
    links = "".join(f"<link name='l{i}'/>" for i in range(10_001))
    joints = "".join(
        (
            f"<joint name='j{i}' type='fixed'><parent link='l{i}'/><child link='l{i + 1}'/><origin "
            f"xyz='1 0 0'/></joint>"
        )
        for i in range(10_000)
    )
    assert robot(joints + links).links[-1].X_WL.p[0] == pytest.approx(10_000)
