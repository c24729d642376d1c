"""Includes, as MuJoCo resolves them."""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from tests.support.mjcf_documents import BALL, document, problems, written

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
