"""Which files a document may name."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("mujoco")

import mujoco

import loaders
from tests.support.mjcf_documents import BALL, TETRAHEDRON, document, problems, written

ARM = f'<mujocoinclude><body name="arm">{BALL}</body></mujocoinclude>'


def including(name: str) -> str:
    return document(f'<include file="{name}"/>')


def test_a_relative_name_may_lead_up_to_a_file_of_a_format_of_mjcf(tmp_path: Path) -> None:
    path = written(
        tmp_path, including("../../parts/arm.xml"), "robots/one/robot.xml", parts__arm_xml=ARM
    )
    assert [link.name for link in loaders.load(path).links] == ["arm"]


def test_an_included_file_above_names_files_beside_it(tmp_path: Path) -> None:
    """As MuJoCo does, from the folder of the included file where the folder of the main file has
    none.
    """
    asset = '<asset><mesh name="m" file="arm.obj"/></asset>'
    arm = f'<mujoco>{asset}<worldbody><include file="hand.xml"/></worldbody></mujoco>'
    hand = '<mujocoinclude><body name="hand"><geom type="mesh" mesh="m"/></body></mujocoinclude>'
    files = {"parts__arm_xml": arm, "parts__hand_xml": hand, "parts__arm_obj": TETRAHEDRON}
    path = written(
        tmp_path, '<mujoco><include file="../parts/arm.xml"/></mujoco>', "one/robot.xml", **files
    )
    link = loaders.load(path, quiet=True).links[0]
    assert link.name == "hand"
    assert link.inertia is not None
    assert link.inertia.mass == pytest.approx(
        mujoco.MjModel.from_xml_path(str(path)).body_mass[1], rel=1e-12
    )


def test_a_folder_and_the_dots_after_it_cancel_as_text(tmp_path: Path) -> None:
    """As MuJoCo does: the folder of ``meshdir`` or of an include need not exist, nor lead elsewhere
    if it is a link.
    """
    sections = '<compiler meshdir="assets"/><asset><mesh name="m" file="../../arm.obj"/></asset>'
    body = (
        '<body name="b"><geom type="mesh" mesh="m"/></body><include '
        'file="none/../../parts/arm.xml"/>'
    )
    path = written(
        tmp_path, document(body, sections), "one/robot.xml", arm_obj=TETRAHEDRON, parts__arm_xml=ARM
    )
    assert mujoco.MjModel.from_xml_path(str(path)).nbody == 3
    scene = loaders.load(path, quiet=True)
    assert [link.name for link in scene.links] == ["b", "arm"]
    assert "resource.not-found" not in [entry.code for entry in scene.diagnostics]


def test_an_attached_model_above_names_files_beside_it(tmp_path: Path) -> None:
    arm = document(
        '<body name="arm"><geom type="mesh" mesh="m"/></body>',
        '<asset><mesh name="m" file="m/a.obj"/></asset>',
    )
    robot = document(
        '<frame><attach model="arm" prefix="left_"/></frame>',
        '<asset><model name="arm" file="../arm.xml"/></asset>',
    )
    path = written(tmp_path, robot, "one/robot.xml", arm_xml=arm, m__a_obj=TETRAHEDRON)
    assert mujoco.MjModel.from_xml_path(str(path)).nbody == 2
    assert [link.name for link in loaders.load(path, quiet=True).links] == ["left_arm"]


@pytest.mark.parametrize("name", [".ssh/key.xml", "secret.txt", "../../../../../../../far.xml"])
def test_an_included_file_above_leads_no_further_than_the_main_file(
    name: str, tmp_path: Path
) -> None:
    main = tmp_path / "1/2/3/4/5/6/7/one"
    arm = f'<mujoco><worldbody><include file="{name}"/></worldbody></mujoco>'
    path = written(
        main.parent,
        '<mujoco><include file="../parts/arm.xml"/></mujoco>',
        "one/robot.xml",
        parts__arm_xml=arm,
    )
    target = (path.parent.parent / "parts" / name).resolve()
    target.parent.mkdir(exist_ok=True)
    target.write_text(ARM)
    assert mujoco.MjModel.from_xml_path(str(path)).nbody == 2
    assert {"mjcf-in.include", "resource.outside"} <= {problem.code for problem in problems(path)}


def test_a_model_in_a_hidden_folder_names_its_own_files(tmp_path: Path) -> None:
    """Packages of a virtual environment and downloaded models lie in folders such as ``.venv`` and
    ``.cache``.
    """
    text = including("../parts/arm.xml")
    path = written(tmp_path, text, ".cache/robots/one/robot.xml")
    written(tmp_path, ARM, ".cache/robots/parts/arm.xml")
    assert [link.name for link in loaders.load(path).links] == ["arm"]


def test_a_name_does_not_lead_up_to_a_hidden_folder(tmp_path: Path) -> None:
    path = written(tmp_path, including("../../arm.xml"), ".config/app/one/robot.xml")
    written(tmp_path, ARM, ".config/arm.xml")
    assert "resource.outside" in [problem.code for problem in problems(path)]


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "../../../../../../../../../../etc/passwd", "../secret.txt", "../.ssh/key.xml"],
)
def test_other_files_outside_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    for secret in (".ssh/key.xml", "secret.txt"):
        (tmp_path / secret).write_text(ARM)
    path = written(tmp_path, including(name), "robot/robot.xml")
    assert {problem.code for problem in problems(path)} & {"resource.outside", "mjcf-in.include"}


def test_an_absolute_name_outside_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "elsewhere", ARM, "arm.xml")
    path = written(tmp_path / "robot", including(str(tmp_path / "elsewhere" / "arm.xml")))
    assert "resource.outside" in [problem.code for problem in problems(path)]
    assert loaders.load(path, unsafe_paths=True).links[0].name == "arm"


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "elsewhere", "secret", "secret.txt")
    path = written(tmp_path / "a" / "robot", including("../arm.xml"))
    (tmp_path / "a" / "arm.xml").symlink_to(tmp_path / "elsewhere" / "secret.txt")
    assert "mjcf-in.include" in [problem.code for problem in problems(path)]


@pytest.mark.parametrize(
    "name", ["parts/arm.xml", "deep/parts/arm.xml", "deep/../parts/arm.xml", "arm.xml"]
)
@pytest.mark.parametrize("where", ["elsewhere", "robot/inside"])
def test_a_link_in_the_main_folder_leads_only_to_files_below_it(
    where: str, name: str, tmp_path: Path
) -> None:
    written(tmp_path / where, ARM, "arm.xml")
    path = written(tmp_path / "robot", including(name))
    (tmp_path / "robot/deep").mkdir()
    for link in ("parts", "deep/parts"):
        (tmp_path / "robot" / link).symlink_to(tmp_path / where)
    (tmp_path / "robot/arm.xml").symlink_to(tmp_path / where / "arm.xml")
    assert mujoco.MjModel.from_xml_path(str(path)).nbody == 2
    found = [problem.code for problem in problems(path)]
    assert found == ([] if where == "robot/inside" else ["resource.outside", "mjcf-in.include"])


def test_a_main_file_reached_through_a_link_names_its_own_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "real/robot", including("parts/../arm.xml"), arm_xml=ARM)
    (tmp_path / "link").symlink_to(path.parent)
    monkeypatch.chdir(tmp_path / "link")
    for main in (tmp_path / "link/robot.xml", "robot.xml", "../robot/robot.xml"):
        assert [link.name for link in loaders.load(main).links] == ["arm"]


def test_the_home_folder_is_never_read_from_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = written(tmp_path, including("../arm.xml"), "robot/robot.xml", arm_xml=ARM)
    assert "resource.outside" in [problem.code for problem in problems(path)]


def test_mujoco_opens_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From another working folder, and with a mesh of another content where MuJoCo would look."""
    text = document(
        '<body><geom type="mesh" mesh="m"/></body>', '<asset><mesh name="m" file="m.obj"/></asset>'
    )
    path = written(tmp_path / "robot", text, m_obj=TETRAHEDRON)
    monkeypatch.chdir(written(tmp_path / "work", "not a mesh", "m.obj").parent)
    assert loaders.load(path, quiet=True).links[0].inertia is not None
    assert not (tmp_path / "work" / "MUJOCO_LOG.TXT").exists()
