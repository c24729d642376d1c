"""The simulators' own loaders differ from the file; PyBullet's run in a separate process."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import loaders
from bridge.lowering import lower
from bridge.parity import Outcome, Verdict, compare
from bridge.parity.engines.pybullet import native
from bridge.parity.engines.pybullet.native import PyBulletUrdf
from loaders import load

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


# The simulators' own loaders differ from the file, and the report states the likely cause.

ASSETS = Path(__file__).parents[4] / "assets"

STATIC = ("L0", "L1")

LEANING = (
    "<robot name='r'><link name='world'/><link name='arm'><inertial><mass value='2'/><origin "
    "xyz='0 0 -.1'/>"
    "<inertia ixx='.02' iyy='.03' izz='.04' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='swing' type='{kind}'><parent link='world'/><child link='arm'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"
)


def static(path: Path, *engines: str) -> object:
    return compare(path, engines, levels=STATIC, configurations=3)


def test_loadurdf_takes_inertia_from_shapes(tmp_path: Path) -> None:
    text = LEANING.format(kind="revolute").replace(
        "</inertial>",
        "</inertial><collision><geometry><box size='.1 .2 .3'/></geometry></collision>",
    )
    path = tmp_path / "leaning.urdf"
    path.write_text(text, encoding="utf-8")
    found = static(path, "pybullet-urdf")
    assert found.verdict is Verdict.DIFFERS
    first = found.failures[0]
    assert (first.quantity, first.where) == ("inertia", "arm")
    assert "URDF_USE_INERTIA_FROM_FILE" in first.cause
    passed = {row.quantity for row in found.rows if row.outcome is Outcome.PASSED}
    assert {"mass", "center of mass", "limits", "link poses"} <= passed


def test_mujocos_reader_makes_links_of_fixed_joints_one() -> None:
    found = static(ASSETS / "double_pendulum.urdf", "mujoco-urdf")
    assert found.verdict is Verdict.DIFFERS
    assert "merges links that are connected by fixed joints" in found.failures[0].cause


@pytest.mark.parametrize("engine", ["pybullet-urdf", "mujoco-urdf"])
def test_a_loader_that_fails_on_a_file_is_a_difference_and_not_an_end(engine: str) -> None:
    found = static(ASSETS / "arm" / "model.sdf", engine)
    assert found.verdict is Verdict.DIFFERS
    assert [row.quantity for row in found.failures] == ["reading"]


def test_loadsdf_knows_no_relative_poses(tmp_path: Path) -> None:
    moments = "<ixx>1</ixx><ixy>0</ixy><ixz>0</ixz><iyy>1</iyy><iyz>0</iyz><izz>1</izz>"
    inertial = (
        f"<inertial><pose>0 0 0 0 0 0</pose><mass>1</mass><inertia>{moments}</inertia></inertial>"
    )
    path = tmp_path / "two.sdf"
    path.write_text(
        f"<sdf version='1.11'><model name='m'><link name='a'>{inertial}</link>"
        f"<link name='b'><pose relative_to='j'>0 0 .1 0 0 0</pose>{inertial}</link>"
        "<joint name='j' type='revolute'><pose relative_to='a'>0 0 1 0 0 "
        "0</pose><parent>a</parent><child>b</child>"
        "<axis><xyz>0 1 "
        "0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint></model></sdf>",
        encoding="utf-8",
    )
    found = static(path, "pybullet-sdf")
    assert found.verdict is Verdict.DIFFERS
    assert "relative_to" in next(
        row.cause for row in found.failures if row.quantity == "joint motion"
    )


def test_a_refusal_of_loadurdf_has_the_reason_that_pybullet_printed(tmp_path: Path) -> None:
    (tmp_path / "ball.ply").touch()
    path = tmp_path / "robot.urdf"
    link = "<link name='a'><visual><geometry><mesh filename='ball.ply'/></geometry></visual></link>"
    path.write_text(f"<robot name='r'>{link}</robot>", encoding="utf-8")
    with closing(PyBulletUrdf(lower(load(path, lenient=True, quiet=True)))) as engine:
        assert engine.refusal.startswith("loadURDF does not read the file: Cannot load URDF file")
        assert "invalid mesh filename extension '.ply'" in engine.refusal
        assert "b3Error" not in engine.refusal


# PyBullet's loaders run in a separate process, which may crash or take too long.


def test_a_file_that_crashes_loadsdf_does_not_end_this_process(tmp_path: Path) -> None:
    path = tmp_path / "no_link.sdf"
    path.write_text(
        "<sdf version='1.11'><model name='m'><link name='l'/><frame name='f'/></model></sdf>"
    )
    assert static(path, "pybullet-sdf").rows is not None


@pytest.mark.slow
def test_a_loader_that_does_not_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "REPLY_TIMEOUT", 3.0)
    scene = loaders.load(ASSETS / "double_pendulum.urdf")
    pipe = tmp_path / "endless.urdf"
    os.mkfifo(pipe)
    found = compare(
        replace(scene, source=str(pipe)), ("pybullet-urdf",), levels=STATIC, configurations=1
    )
    assert "took more than 3 s for the file" in next(row.cause for row in found.failures)
