"""Known differences of Drake are diagnostics about the links and joints that they concern."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bridge.parity import Verdict, compare

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


ASSETS = Path(__file__).parents[5] / "assets"

STATIC = ("L0", "L1")


@pytest.fixture
def robots() -> Path:
    return Path(pytest.importorskip("pybullet_data").getDataPath())


def static(path: Path, *engines: str) -> object:
    return compare(path, engines, levels=STATIC, configurations=3)


@pytest.mark.parametrize("name", ["franka_panda/panda.urdf", "kuka_iiwa/model.urdf"])
def test_what_drake_repairs_is_a_named_cause(name: str, robots: Path) -> None:
    pytest.importorskip("pydrake")
    found = static(robots / name, "drake")
    assert found.agreement is Verdict.AGREES
    assert any(entry.code.startswith("drake.") for entry in found.diagnostics)


def test_limits_that_drake_keeps_are_a_difference_with_a_name(robots: Path) -> None:
    pytest.importorskip("pydrake")
    found = static(robots / "racecar/racecar.urdf", "drake")
    assert found.verdict is Verdict.DIFFERS
    assert [row.code for row in found.failures] == ["drake.continuous-limits"]


def test_a_link_without_gravity_that_drake_pulls_is_a_named_cause(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    text = (ASSETS / "leg.sdf").read_text(encoding="utf-8")
    path = tmp_path / "leg.sdf"
    path.write_text(re.sub(r"<link name=(.foot.)>", r"<link name=\1><gravity>false</gravity>", text), encoding="utf-8")
    found = static(path, "drake")
    assert found.agreement is Verdict.AGREES
    assert any("drake.link-without-gravity" in row.cause for row in found.rows if row.quantity == "bias forces")


def test_limits_of_a_screw_that_drake_drops_are_a_named_cause(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    text = (ASSETS / "leg.sdf").read_text(encoding="utf-8")
    head, screw, tail = text.partition('<joint name="ankle" type="screw">')
    limited = tail.replace("</axis>", "<limit><lower>-1</lower><upper>1</upper></limit></axis>", 1)
    path = tmp_path / "leg.sdf"
    path.write_text(head + screw + limited, encoding="utf-8")
    found = static(path, "drake")
    assert [entry.code for entry in found.diagnostics if entry.code.startswith("drake.")] == ["drake.screw-limits"]


def test_what_drake_drops_of_a_universal_joint_is_a_difference_with_a_name(tmp_path: Path) -> None:
    """Drake's universal joint has one coefficient of damping, and its parser reads no limits of it."""
    pytest.importorskip("pydrake")
    text = (ASSETS / "leg.sdf").read_text(encoding="utf-8")
    head, knee, tail = text.partition('<joint name="knee" type="universal">')
    limited = tail.replace("</axis>", "<limit><lower>-1</lower><upper>1</upper></limit></axis>", 1)
    damped = limited.replace("</axis2>", "<dynamics><damping>.3</damping></dynamics></axis2>", 1)
    path = tmp_path / "leg.sdf"
    path.write_text(head + knee + damped, encoding="utf-8")
    found = compare(path, ("drake",), levels=("L0", "L2"), configurations=2)
    failures = {row.quantity: (row.code, row.subjects) for row in found.failures}
    assert failures == {"limits": ("drake.universal-limits", ("knee",)), "damping": ("drake.shared-damping", ("knee",))}
    assert [row.cause for row in found.rows if row.quantity == "witnessed motion"] == [
        "Drake gives the second axis of universal joint knee the damping of the first one, so that it moves differently"
    ]
