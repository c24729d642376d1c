"""Drake reads the original file with its own parser, and agrees with both simulators."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import loaders
from bridge.parity import Outcome, Verdict, compare

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


ASSETS = Path(__file__).parents[4] / "assets"

STATIC = ("L0", "L1")

LEANING = (
    "<robot name='r'><link name='world'/><link name='arm'><inertial><mass value='2'/><origin "
    "xyz='0 0 -.1'/>"
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
    assert found.agreement is Verdict.EQUIVALENT
    told = {
        row.quantity
        for row in found.rows
        if "drake" in row.engines and row.outcome is Outcome.PASSED
    }
    assert {"mass", "inertia", "link poses", "mass matrix", "bias forces"} <= told


def test_a_file_that_drake_refuses_leaves_a_gap_with_the_error_of_drake(robots: Path) -> None:
    pytest.importorskip("pydrake")
    found = static(robots / "humanoid" / "humanoid.urdf", "mujoco", "drake")
    assert found.verdict is Verdict.INCOMPLETE
    (row,) = (row for row in found.rows if "drake" in row.engines)
    assert (row.quantity, row.outcome) == ("reading", Outcome.UNKNOWN)
    assert any(gap.quantity == "reading" for gap in found.gaps)
    assert "humanoid.urdf:40" in row.cause


def test_a_scene_without_a_file_has_no_witness() -> None:
    pytest.importorskip("pydrake")
    scene = loaders.load_string(LEANING.format(kind="revolute"), format="urdf")
    found = compare(scene, ("mujoco", "drake"), levels=STATIC, configurations=1)
    assert "not loaded from a file" in next(
        row.cause for row in found.rows if row.quantity == "reading"
    )


def test_packages_that_the_user_names_reach_drake(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    home = tmp_path / "elsewhere" / "folder"
    home.mkdir(parents=True)
    (home / "arm.urdf").write_text(LEANING.format(kind="revolute"), encoding="utf-8")
    (tmp_path / "model").mkdir()
    path = tmp_path / "model" / "two.dmd.yaml"
    path.write_text(
        "directives:\n- add_model: {name: one, file: 'package://robots/arm.urdf'}\n",
        encoding="utf-8",
    )
    found = compare(path, ("drake",), levels=STATIC, configurations=2, package_map={"robots": home})
    assert found.agreement is Verdict.EQUIVALENT


def test_a_mechanism_that_drake_reads_otherwise_is_a_difference() -> None:
    pytest.importorskip("pydrake")
    scene = loaders.load(ASSETS / "double_pendulum.urdf")
    renamed = tuple(replace(j, name="other") if j is scene.joints[-1] else j for j in scene.joints)
    found = compare(replace(scene, joints=renamed), ("drake",), levels=STATIC, configurations=1)
    assert found.verdict is Verdict.DIFFERS
    assert "which the model does not have" in found.failures[0].cause


def test_what_we_leave_out_and_say_so_does_not_make_drake_a_liar(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    text = (
        "<robot name='r'><link name='world'/><link name='car'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<drake:joint name='track' type='curvilinear'><parent link='world'/><child link='car'/>"
        "<drake:initial_tangent xyz='1 0 0'/><drake:plane_normal xyz='0 0 1'/><drake:is_periodic "
        "value='false'/>"
        "<drake:curves><drake:line_segment length='1'/><drake:circular_arc radius='1' "
        "angle='1'/></drake:curves>"
        "</drake:joint></robot>"
    )
    path = tmp_path / "track.urdf"
    path.write_text(text, encoding="utf-8")
    found = static(path, "drake")
    row = next(row for row in found.rows if row.quantity == "reading")
    assert (row.outcome, found.verdict) == (Outcome.UNKNOWN, Verdict.INCOMPLETE)
    assert "curve-of-several-pieces" in row.cause


def test_a_link_called_world_is_the_world_in_drake_too(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / "arm.urdf"
    floor = (
        "<link name='world'><collision><geometry><box size='1 1 1'/></geometry></collision></link>"
    )
    text = LEANING.format(kind="revolute").replace("<link name='world'/>", floor)
    path.write_text(text, encoding="utf-8")
    assert static(path, "drake").agreement is Verdict.EQUIVALENT


@pytest.mark.parametrize("model", ["arm/model.sdf", "leg.sdf", "double_pendulum.urdf"])
def test_drake_agrees_on_jacobians_and_inverse_dynamics(model: str) -> None:
    pytest.importorskip("pydrake")
    found = compare(ASSETS / model, ("drake",), levels=("L0", "L1"), configurations=4)
    told = {row.quantity: row for row in found.rows if "drake" in row.engines}
    assert told["Jacobians"].outcome is Outcome.PASSED
    assert told["inverse dynamics"].outcome is Outcome.PASSED
