"""Drake reads the original file and agrees; the simulators' own loaders do not, and what they get wrong is named."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import loaders
from bridge.parity import EngineMissingError, Outcome, Verdict, compare
from bridge.parity.engines import native_loaders

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")

ASSETS = Path(__file__).parents[4] / "assets"
STATIC = ("L0", "L1")
LEANING = (
    "<robot name='r'><link name='world'/><link name='arm'><inertial><mass value='2'/><origin xyz='0 0 -.1'/>"
    "<inertia ixx='.02' iyy='.03' izz='.04' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='swing' type='{kind}'><parent link='world'/><child link='arm'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"
)


@pytest.fixture
def robots() -> Path:
    return Path(pytest.importorskip("pybullet_data").getDataPath())


def static(path: Path, *engines: str) -> object:
    return compare(path, engines, levels=STATIC, configurations=3)


@pytest.mark.parametrize("model", ["arm/model.sdf", "leg.sdf", "double_pendulum.urdf"])
def test_drake_agrees_with_both_simulators(model: str) -> None:
    pytest.importorskip("pydrake")
    found = static(ASSETS / model, "mujoco", "pybullet", "drake")
    assert found.verdict is Verdict.EQUIVALENT
    told = {row.quantity for row in found.rows if "drake" in row.engines and row.outcome is Outcome.PASSED}
    assert {"mass", "inertia", "link poses", "mass matrix", "bias forces"} <= told


@pytest.mark.parametrize("name", ["franka_panda/panda.urdf", "kuka_iiwa/model.urdf", "racecar/racecar.urdf"])
def test_what_drake_repairs_is_a_named_cause(name: str, robots: Path) -> None:
    pytest.importorskip("pydrake")
    found = static(robots / name, "drake")
    assert found.verdict is Verdict.AGREES
    assert any(entry.code.startswith("drake.") for entry in found.diagnostics)


def test_a_file_that_drake_refuses_is_explained_by_what_drake_says(robots: Path) -> None:
    pytest.importorskip("pydrake")
    found = static(robots / "humanoid" / "humanoid.urdf", "mujoco", "drake")
    assert found.verdict is Verdict.AGREES
    (row,) = (row for row in found.rows if "drake" in row.engines)
    assert row.quantity == "reading"
    assert "humanoid.urdf:40" in row.cause


def test_a_scene_without_a_file_has_no_witness() -> None:
    pytest.importorskip("pydrake")
    scene = loaders.load_string(LEANING.format(kind="revolute"), format="urdf")
    found = compare(scene, ("mujoco", "drake"), levels=STATIC, configurations=1)
    assert "not loaded from a file" in next(row.cause for row in found.rows if row.quantity == "reading")


def test_a_missing_drake_is_one_line_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydrake", None)
    with pytest.raises(EngineMissingError, match=r"^drake is not installed; try: pip install drake$"):
        static(ASSETS / "double_pendulum.urdf", "drake")


def test_loadurdf_takes_inertia_from_shapes(tmp_path: Path) -> None:
    text = LEANING.format(kind="revolute").replace(
        "</inertial>", "</inertial><collision><geometry><box size='.1 .2 .3'/></geometry></collision>"
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


def test_a_file_that_crashes_loadsdf_does_not_end_this_process(tmp_path: Path) -> None:
    path = tmp_path / "no_link.sdf"
    path.write_text("<sdf version='1.11'><model name='m'><link name='l'/><frame name='f'/></model></sdf>")
    assert static(path, "pybullet-sdf").rows is not None


def test_loadsdf_knows_no_relative_poses(tmp_path: Path) -> None:
    moments = "<ixx>1</ixx><ixy>0</ixy><ixz>0</ixz><iyy>1</iyy><iyz>0</iyz><izz>1</izz>"
    inertial = f"<inertial><pose>0 0 0 0 0 0</pose><mass>1</mass><inertia>{moments}</inertia></inertial>"
    path = tmp_path / "two.sdf"
    path.write_text(
        f"<sdf version='1.11'><model name='m'><link name='a'>{inertial}</link>"
        f"<link name='b'><pose relative_to='j'>0 0 .1 0 0 0</pose>{inertial}</link>"
        "<joint name='j' type='revolute'><pose relative_to='a'>0 0 1 0 0 0</pose><parent>a</parent><child>b</child>"
        "<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint></model></sdf>",
        encoding="utf-8",
    )
    found = static(path, "pybullet-sdf")
    assert found.verdict is Verdict.DIFFERS
    assert "relative_to" in next(row.cause for row in found.failures if row.quantity == "joint motion")


def test_a_loader_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_loaders, "REPLY_TIMEOUT", 3.0)
    scene = loaders.load(ASSETS / "double_pendulum.urdf")
    pipe = tmp_path / "endless.urdf"
    os.mkfifo(pipe)
    found = compare(replace(scene, source=str(pipe)), ("pybullet-urdf",), levels=STATIC, configurations=1)
    assert "took more than 3 s for the file" in next(row.cause for row in found.failures)


def test_packages_that_the_user_names_reach_drake(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    home = tmp_path / "elsewhere" / "folder"
    home.mkdir(parents=True)
    (home / "arm.urdf").write_text(LEANING.format(kind="revolute"), encoding="utf-8")
    (tmp_path / "model").mkdir()
    path = tmp_path / "model" / "two.dmd.yaml"
    path.write_text("directives:\n- add_model: {name: one, file: 'package://robots/arm.urdf'}\n", encoding="utf-8")
    found = compare(path, ("drake",), levels=STATIC, configurations=2, package_map={"robots": home})
    assert found.verdict is Verdict.EQUIVALENT


def test_a_mechanism_that_drake_reads_otherwise_is_a_difference() -> None:
    pytest.importorskip("pydrake")
    scene = loaders.load(ASSETS / "double_pendulum.urdf")
    renamed = tuple(replace(j, name="other") if j is scene.joints[-1] else j for j in scene.joints)
    found = compare(replace(scene, joints=renamed), ("drake",), levels=STATIC, configurations=1)
    assert found.verdict is Verdict.DIFFERS
    assert "which the model does not have" in found.failures[0].cause


def test_a_link_without_gravity_that_drake_pulls_is_a_named_cause(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    text = (ASSETS / "leg.sdf").read_text(encoding="utf-8")
    path = tmp_path / "leg.sdf"
    path.write_text(re.sub(r"<link name=(.foot.)>", r"<link name=\1><gravity>false</gravity>", text), encoding="utf-8")
    found = static(path, "drake")
    assert found.verdict is Verdict.AGREES
    assert any("drake.link-without-gravity" in row.cause for row in found.rows if row.quantity == "bias forces")


def test_what_we_leave_out_and_say_so_does_not_make_drake_a_liar(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    text = (
        "<robot name='r'><link name='world'/><link name='car'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<drake:joint name='track' type='curvilinear'><parent link='world'/><child link='car'/>"
        "<drake:initial_tangent xyz='1 0 0'/><drake:plane_normal xyz='0 0 1'/><drake:is_periodic value='false'/>"
        "<drake:curves><drake:line_segment length='1'/><drake:circular_arc radius='1' angle='1'/></drake:curves>"
        "</drake:joint></robot>"
    )
    path = tmp_path / "track.urdf"
    path.write_text(text, encoding="utf-8")
    found = static(path, "drake")
    row = next(row for row in found.rows if row.quantity == "reading")
    assert row.outcome is Outcome.EXPLAINED
    assert "curve-of-several-pieces" in row.cause


def test_limits_of_a_screw_that_drake_drops_are_a_named_cause(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    text = (ASSETS / "leg.sdf").read_text(encoding="utf-8")
    head, screw, tail = text.partition('<joint name="ankle" type="screw">')
    limited = tail.replace("</axis>", "<limit><lower>-1</lower><upper>1</upper></limit></axis>", 1)
    path = tmp_path / "leg.sdf"
    path.write_text(head + screw + limited, encoding="utf-8")
    found = static(path, "drake")
    assert [entry.code for entry in found.diagnostics if entry.code.startswith("drake.")] == ["drake.screw-limits"]


def test_a_link_called_world_is_the_world_in_drake_too(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / "arm.urdf"
    floor = "<link name='world'><collision><geometry><box size='1 1 1'/></geometry></collision></link>"
    text = LEANING.format(kind="revolute").replace("<link name='world'/>", floor)
    path.write_text(text, encoding="utf-8")
    assert static(path, "drake").verdict is Verdict.EQUIVALENT
