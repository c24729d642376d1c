"""The commands take MJCF, as every other format."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import run
from tests.support.mjcf_documents import BALL, document, written

ROBOT = document(f'<body name="a"><joint name="j" range="-90 90"/>{BALL}</body>', name="robot")


@pytest.mark.parametrize("command", ["check", "info", "graph"])
def test_a_command_takes_mjcf(command: str, tmp_path: Path) -> None:
    done = run(command, written(tmp_path, ROBOT))
    assert done.returncode == 0, done.stderr


def test_convert_writes_the_same_model(tmp_path: Path) -> None:
    import mujoco

    done = run("convert", written(tmp_path, ROBOT), tmp_path / "out")
    assert done.returncode == 0, done.stderr
    path = next((tmp_path / "out").glob("robot*.xml"))
    original, exported = (mujoco.MjModel.from_xml_path(str(p)) for p in (tmp_path / "robot.xml", path))
    assert exported.jnt_range.tolist() == original.jnt_range.tolist()
    assert exported.body_mass.sum() == pytest.approx(original.body_mass.sum(), rel=1e-12)
