"""The page of troubleshooting quotes messages as they are, and names codes that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sdfbridge
from bridge.diagnostic_codes import CODES

PAGE = Path(__file__).parents[1] / "docs" / "troubleshooting.md"
ROWS = {
    code: message.strip()
    for message, code in re.findall(
        r"^\| ([^|]*?)`\[([a-z-]+\.[a-z-]+)\]` \|", PAGE.read_text("utf-8"), re.MULTILINE
    )
}
MESH = '<link name="a"><visual><geometry><mesh filename="{}"/></geometry></visual></link>'
JOINT = (
    '<joint name="{}" type="fixed"><parent link="{}"/><child link="c"/><origin xyz="{}"/></joint>'
)
LINKS = '<link name="a"/><link name="b"/><link name="c"/>'
FILES = {
    "xml.not-a-number": (
        "r.urdf",
        f"<robot name='r'>{LINKS}{JOINT.format('j', 'a', '0,0,1')}</robot>",
    ),
    "xacro.not-allowed": (
        "r.urdf.xacro",
        "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'/>",
    ),
    "urdf.two-parents": (
        "r.urdf",
        (
            f"<robot "
            f"name='r'>{LINKS}{JOINT.format('j', 'a', '0 0 0')}{JOINT.format('k', 'b', '0 0 0')}</robot>"
        ),
    ),
    "mjcf-in.refused": (
        "r.xml",
        "<mujoco><worldbody><geom size='1' type='bx'/></worldbody></mujoco>",
    ),
    "resource.not-found": (
        "r.urdf",
        f"<robot name='r'>{MESH.format('package://arm/a.stl')}</robot>",
    ),
    "resource.outside": ("r.urdf", f"<robot name='r'>{MESH.format('../beside.stl')}</robot>"),
    "sdf.include-not-found": (
        "r.sdf",
        (
            "<sdf version='1.9'><world "
            "name='w'><include><uri>model://sun</uri></include></world></sdf>"
        ),
    ),
}


@pytest.mark.parametrize("code", FILES)
def test_a_message_is_that_of_the_page(code: str, tmp_path: Path) -> None:
    name, text = FILES[code]
    (tmp_path / "beside.stl").write_text("solid", encoding="utf-8")
    (tmp_path / "robot").mkdir()
    file = tmp_path / "robot" / name
    file.write_text(text, encoding="utf-8")
    try:
        found = sdfbridge.load(file, quiet=True).diagnostics
    except sdfbridge.LoadError as error:
        found = error.findings
    messages = [entry.message for entry in found if entry.code == code]
    pattern = re.escape(ROWS[code]).replace(r"\.\.\.", ".*")
    assert any(re.search(pattern, message) for message in messages), messages


def test_a_missing_file_is_reported_as_on_the_page(tmp_path: Path) -> None:
    with pytest.raises(sdfbridge.LoadError) as caught:
        sdfbridge.load(tmp_path / "no_such_robot.urdf")
    (entry,) = caught.value.diagnostics
    assert (entry.code, entry.message) == ("file.unreadable", ROWS["file.unreadable"])


def test_every_code_of_the_page_is_registered() -> None:
    assert [code for code in ROWS if code not in CODES] == []
