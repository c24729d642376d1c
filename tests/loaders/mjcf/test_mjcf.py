"""MJCF as read, against MuJoCo's own compiled model."""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from tests.support.mjcf_documents import BALL, document, largest_pose_error, problems, read, written

TREES = {
    "chain": '<body name="a" pos="1 2 3" euler="30 40 50"><joint axis="1 2 3" pos="0.1 0.2 0.3"/>{}'
    '<body pos="1 0 0" xyaxes="0 1 0 -1 0 0"><joint type="slide" axis="1 1 0"/>{}</body></body>',
    "several joints": '<body><joint axis="1 0 0" pos="0.1 0 0"/><joint type="slide" axis="0 1 0"/>'
    '<joint axis="0 0 1" pos="0 0.2 0"/>{}</body>',
    "references": '<body pos="1 0 0"><joint axis="1 0 0" pos="0 0.1 0" ref="20"/><joint '
    'type="slide" ref="0.3"/>'
    '<joint axis="0 1 0" ref="-40"/>{}<body pos="0 0 1"><joint ref="10"/>{}</body></body>',
    "free and ball": '<body pos="1 0 0"><freejoint/>{}'
    '<body pos="0 1 0"><joint type="ball" pos="0 0 0.1"/>{}</body></body>',
    "slides and ball": '<body><joint type="slide"/><joint type="ball" pos="0.1 0 0"/>{}</body>',
    "frames": '<frame pos="1 0 0" zaxis="1 1 0"><body><joint/>{}</body></frame>',
    "mocap": '<body mocap="true" pos="0 0 1">{}</body>',
    "replicas": '<replicate count="3" offset="1 0 0" euler="0 0 10">'
    '<body name="r"><joint axis="1 0 0"/>{}</body></replicate>',
    "nothing": "",
}


@pytest.mark.parametrize("body", TREES.values(), ids=TREES)
def test_links_are_where_mujoco_has_its_bodies(body: str) -> None:
    import mujoco

    body = body.replace("{}", BALL)
    model = mujoco.MjModel.from_xml_string(document(body))
    assert largest_pose_error(read(body), model, seed=1) < 1e-12


def test_bodies_and_joints_without_a_name_are_numbered() -> None:
    scene = read(f'<body><joint/>{BALL}<body name="arm"><joint type="slide"/>{BALL}</body></body>')
    assert [link.name for link in scene.links] == ["body_1", "arm"]
    assert [joint.name for joint in scene.joints] == ["joint_0", "joint_1"]


def test_names_that_only_mjcf_allows_are_kept() -> None:
    scene = read(f'<body name="a/b::c d"><joint name="a/b::c d"/>{BALL}</body>')
    assert [item.name for item in (*scene.links, *scene.joints)] == ["a/b::c d"] * 2


def test_shapes_of_the_world_belong_to_a_link_of_the_world() -> None:
    import mujoco

    floor = '<geom type="plane" size="0 0 1"/>'
    scene = read(f"{floor}<body><joint/>{BALL}</body>")
    assert scene.links[0].name == "world"
    assert mujoco.MjModel.from_xml_string(document(floor)).nbody == 1


def test_a_file_is_recognized_by_its_root_element(tmp_path: Path) -> None:
    scene = loaders.load(written(tmp_path, document(f"<body>{BALL}</body>", name="robot")))
    assert scene.name == scene.models[0].name == "robot"
    assert scene.physics.engine == "mujoco"


def test_what_mujoco_refuses_is_an_error_at_its_line_in_the_included_file(tmp_path: Path) -> None:
    text = '<mujoco>\n<include file="arm.xml"/>\n</mujoco>'
    arm = "<mujocoinclude>\n\n<worldbody>\n<body><joint/></body></worldbody></mujocoinclude>"
    (problem,) = problems(written(tmp_path, text, arm_xml=arm))
    assert problem.code == "mjcf-in.refused"
    assert (Path(problem.where.file).name, problem.where.line) == ("arm.xml", 4)
    assert "mass and inertia" in problem.message


def test_several_errors_are_reported_at_once(tmp_path: Path) -> None:
    text = '<mujoco>\n<include file="a.xml"/>\n<include file="b.xml"/>'
    text += '<worldbody>\n<body pos="nan 0 0"/></worldbody></mujoco>'
    codes = [(problem.code, problem.where.line) for problem in problems(written(tmp_path, text))]
    assert ("mjcf-in.include", 2) in codes
    assert ("mjcf-in.include", 3) in codes
    assert ("mjcf-in.not-finite", 4) in codes
