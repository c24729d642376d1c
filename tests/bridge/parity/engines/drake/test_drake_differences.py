"""Known differences of Drake are diagnostics about the links and joints that they concern."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import loaders
from bridge.parity import Outcome, Verdict, compare
from bridge.parity.engines.drake.differences import friction_differences

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


ASSETS = Path(__file__).parents[5] / "assets"

STATIC = ("L0", "L1")


@pytest.fixture
def robots() -> Path:
    return Path(pytest.importorskip("pybullet_data").getDataPath())


def static(path: Path, *engines: str) -> object:
    return compare(path, engines, levels=STATIC, configurations=3)


def test_what_drake_repairs_is_a_named_cause(robots: Path) -> None:
    pytest.importorskip("pydrake")
    found = static(robots / "franka_panda" / "panda.urdf", "drake")
    assert found.agreement is Verdict.AGREES
    assert any(entry.code.startswith("drake.") for entry in found.diagnostics)


def test_a_root_that_is_held_by_its_mass_of_0_and_moves_in_drake_is_a_named_cause(
    robots: Path,
) -> None:
    pytest.importorskip("pydrake")
    found = static(robots / "kuka_iiwa" / "model.urdf", "drake")
    assert found.verdict is Verdict.INCOMPLETE
    (row,) = (row for row in found.rows if row.quantity == "reading")
    assert "urdf.held-root" in row.cause


def test_limits_that_drake_keeps_are_a_difference_with_a_name(robots: Path) -> None:
    pytest.importorskip("pydrake")
    found = static(robots / "racecar/racecar.urdf", "drake")
    assert found.verdict is Verdict.DIFFERS
    assert [row.code for row in found.failures] == ["drake.continuous-limits"]


def test_a_link_without_gravity_that_drake_pulls_is_a_named_cause(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    text = (ASSETS / "leg.sdf").read_text(encoding="utf-8")
    path = tmp_path / "leg.sdf"
    path.write_text(
        re.sub(r"<link name=(.foot.)>", r"<link name=\1><gravity>false</gravity>", text),
        encoding="utf-8",
    )
    found = static(path, "drake")
    assert found.agreement is Verdict.AGREES
    assert any(
        "drake.link-without-gravity" in row.cause
        for row in found.rows
        if row.quantity == "bias forces"
    )


def test_limits_of_a_screw_that_drake_drops_are_a_named_cause(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    text = (ASSETS / "leg.sdf").read_text(encoding="utf-8")
    head, screw, tail = text.partition('<joint name="ankle" type="screw">')
    limited = tail.replace("</axis>", "<limit><lower>-1</lower><upper>1</upper></limit></axis>", 1)
    path = tmp_path / "leg.sdf"
    path.write_text(head + screw + limited, encoding="utf-8")
    found = static(path, "drake")
    assert [entry.code for entry in found.diagnostics if entry.code.startswith("drake.")] == [
        "drake.screw-limits"
    ]


def test_what_drake_drops_of_a_universal_joint_is_a_difference_with_a_name(tmp_path: Path) -> None:
    """Drake's universal joint has one coefficient of damping, and its parser reads no limits of
    it.
    """
    pytest.importorskip("pydrake")
    text = (ASSETS / "leg.sdf").read_text(encoding="utf-8")
    head, knee, tail = text.partition('<joint name="knee" type="universal">')
    limited = tail.replace("</axis>", "<limit><lower>-1</lower><upper>1</upper></limit></axis>", 1)
    damped = limited.replace("</axis2>", "<dynamics><damping>.3</damping></dynamics></axis2>", 1)
    path = tmp_path / "leg.sdf"
    path.write_text(head + knee + damped, encoding="utf-8")
    found = compare(path, ("drake",), levels=("L0", "L2"), configurations=2)
    failures = {row.quantity: (row.code, row.subjects) for row in found.failures}
    assert failures == {
        "limits": ("drake.universal-limits", ("knee",)),
        "damping": ("drake.shared-damping", ("knee",)),
    }
    assert [row.cause for row in found.rows if row.quantity == "witnessed motion"] == [
        (
            "Drake gives the second axis of universal joint knee the damping of the first one, so "
            "that it moves differently"
        )
    ]


BALL = (
    '<sdf version="1.10"><model name="m"><link name="ball"><collision '
    'name="c"><geometry><sphere><radius>1</radius>'
    "</sphere></geometry><surface><friction><ode>{ode}</ode></friction></surface>{drake}</collision></link></model></sdf>"
)
RUBBER = (
    '<robot name="r"><link name="toe"><contact><lateral_friction '
    'value="3"/></contact><collision><geometry>'
    '<sphere radius="1"/></geometry></collision></link></robot>'
)
PROXIMITY = (
    "<drake:proximity_properties "
    'xmlns:drake="drake.mit.edu"><drake:mu_dynamic>0.2</drake:mu_dynamic>'
    "<drake:mu_static>0.3</drake:mu_static></drake:proximity_properties>"
)


@pytest.mark.parametrize(
    ("text", "difference"),
    [
        (BALL.format(ode="<mu>0.9</mu><mu2>0.5</mu2>", drake=""), 0.4),
        (BALL.format(ode="<mu>1.8</mu>", drake=""), 0.8),
        (BALL.format(ode="<mu>0.5</mu><mu2>0.5</mu2>", drake=""), None),
        (BALL.format(ode="<mu>0.9</mu><mu2>0.5</mu2>", drake=PROXIMITY), None),
        (RUBBER, 2.0),
    ],
)
def test_friction_that_drake_reads_elsewhere_or_not_at_all_is_a_named_cause(
    text: str, difference: float | None, tmp_path: Path
) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / ("ball.sdf" if text.startswith("<sdf") else "toe.urdf")
    path.write_text(text, encoding="utf-8")
    found = compare(path, ("drake",), levels=("L0",))
    (row,) = [row for row in found.rows if row.quantity == "friction of shapes"]
    differences = [
        entry.arguments["difference"]
        for entry in found.diagnostics
        if entry.code == "drake.friction"
    ]
    assert differences == ([] if difference is None else [pytest.approx(difference)])
    assert row.outcome is (Outcome.PASSED if difference is None else Outcome.EXPLAINED)


def test_friction_that_no_element_states_is_not_explained(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / "ball.sdf"
    path.write_text(BALL.format(ode="<mu>0.9</mu><mu2>0.5</mu2>", drake=""), encoding="utf-8")
    scene = loaders.load(path)
    assert [entry.code for entry in friction_differences(scene, {"ball": [0.5]})] == [
        "drake.friction"
    ]
    for friction in ([0.6], [0.9], [0.5, 0.5], []):
        assert list(friction_differences(scene, {"ball": friction})) == []
