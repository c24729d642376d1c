"""Which files a document may name."""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from tests.support.mjcf_documents import BALL, TETRAHEDRON, document, problems, written

ARM = f'<mujocoinclude><body name="arm">{BALL}</body></mujocoinclude>'


def including(name: str) -> str:
    return document(f'<include file="{name}"/>')


def test_a_relative_name_may_lead_up_to_a_file_of_a_format_of_mjcf(tmp_path: Path) -> None:
    path = written(tmp_path, including("../../parts/arm.xml"), "robots/one/robot.xml", parts__arm_xml=ARM)
    assert [link.name for link in loaders.load(path).links] == ["arm"]


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../../../../../../../../../../etc/passwd", "../secret.txt", "../.ssh/key.xml"]
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


def test_the_home_folder_is_never_read_from_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = written(tmp_path, including("../arm.xml"), "robot/robot.xml", arm_xml=ARM)
    assert "resource.outside" in [problem.code for problem in problems(path)]


def test_mujoco_opens_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From another working folder, and with a mesh of another content where MuJoCo would look."""
    text = document('<body><geom type="mesh" mesh="m"/></body>', '<asset><mesh name="m" file="m.obj"/></asset>')
    path = written(tmp_path / "robot", text, m_obj=TETRAHEDRON)
    monkeypatch.chdir(written(tmp_path / "work", "not a mesh", "m.obj").parent)
    assert loaders.load(path, quiet=True).links[0].inertia is not None
    assert not (tmp_path / "work" / "MUJOCO_LOG.TXT").exists()
