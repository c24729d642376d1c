"""Simulators that run the model of the file approach Drake's motion; a fault in reading or running
it is found.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Outcome, Row, Verdict, compare
from bridge.parity.engines.drake.engine import DrakeEngine
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.motion.witness import QUANTITY, SMOOTH_QUANTITY, witness_rows
from bridge.parity.reference import ReferenceEngine
from tests.support.running_faults import faulty_mujoco
from tests.support.seeds import few

pytest.importorskip("mujoco")
pytest.importorskip("pydrake")

LINK = (
    "<link name='{name}'><inertial><pose>.1 -.05 .2 0 0 "
    "0</pose><mass>1.5</mass><inertia><ixx>.02</ixx><iyy>.03</iyy>"
    "<izz>.04</izz><ixy>.001</ixy></inertia></inertial></link>"
)
HINGE = (
    "<joint name='{name}' "
    "type='revolute'><parent>{parent}</parent><child>{child}</child><axis><xyz>0 1 0</xyz>"
    "<dynamics><damping>.3</damping><spring_stiffness>4</spring_stiffness><spring_reference>.5</spring_reference>"
    "{more}</dynamics></axis>{mimic}</joint>"
)


def mechanism_of(tmp_path: Path, more: str = "", mimic: str = "") -> Mechanism:
    path = tmp_path / "model.sdf"
    parts = (
        LINK.format(name="a"),
        LINK.format(name="b"),
        HINGE.format(name="ja", parent="world", child="a", more=more, mimic=""),
        HINGE.format(name="jb", parent="a", child="b", more="", mimic=mimic),
    )
    head = "<sdf version='1.9' xmlns:drake='drake.mit.edu'><model name='m'>"
    path.write_text(f"{head}{''.join(parts)}</model></sdf>", encoding="utf-8")
    return bridge.lower(loaders.load(path))


def rows(mechanism: Mechanism, mujoco: Any = MujocoEngine) -> dict[str, Row]:
    factories = [("reference", ReferenceEngine), ("mujoco", mujoco)]
    return {
        row.quantity: row for row in witness_rows(mechanism, factories, {"drake": DrakeEngine}, 0)
    }


@pytest.mark.slow
def test_the_exact_motion_is_drakes_in_numbers_and_mujoco_approaches_it(tmp_path: Path) -> None:
    found = rows(mechanism_of(tmp_path))
    assert (found[SMOOTH_QUANTITY].outcome, found[QUANTITY].outcome) == (
        Outcome.PASSED,
        Outcome.PASSED,
    )
    assert found[SMOOTH_QUANTITY].error < 1e-9
    assert found[QUANTITY].order == pytest.approx(1.0, abs=0.1)


def changed(mechanism: Mechanism, change: Callable[[Any], Any]) -> Mechanism:
    """The mechanism as if its file had been read otherwise."""
    scene = mechanism.scene
    joints = tuple(
        dataclasses.replace(joint, axes=tuple(change(axis) for axis in joint.axes))
        for joint in scene.joints
    )
    return bridge.lower(dataclasses.replace(scene, joints=joints))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "factor"),
    [("damping", 1.1), ("spring_stiffness", 1.01), ("spring_reference", 0.98), ("xyz", -1.0)],
)
def test_an_error_of_reading_or_lowering_is_found_where_all_simulators_share_it(
    field: str, factor: float, tmp_path: Path
) -> None:
    wrong = changed(
        mechanism_of(tmp_path),
        lambda axis: dataclasses.replace(axis, **{field: factor * getattr(axis, field)}),
    )
    found = rows(wrong)
    assert (found[SMOOTH_QUANTITY].outcome, found[QUANTITY].outcome) == (
        Outcome.FAILED,
        Outcome.FAILED,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "factor"),
    few([("dof_damping", 0.9), ("body_inertia", 1.05), ("qpos_spring", 0.9)], 1),
)
def test_a_fault_of_the_running_model_is_found(field: str, factor: float, tmp_path: Path) -> None:
    def change(model: Any) -> None:
        getattr(model, field)[:] *= factor

    assert rows(mechanism_of(tmp_path), faulty_mujoco(change))[QUANTITY].outcome is Outcome.FAILED


@pytest.mark.slow
def test_dry_friction_which_drake_lacks_is_left_out(tmp_path: Path) -> None:
    found = rows(mechanism_of(tmp_path, more="<friction>.5</friction>"))
    assert found[QUANTITY].outcome is Outcome.PASSED


def test_coupled_joints_approach_the_discrete_motion_of_drake(tmp_path: Path) -> None:
    mimic = "<drake:mimic joint='ja' multiplier='.5' offset='0'/>"
    found = rows(mechanism_of(tmp_path, mimic=mimic))
    assert SMOOTH_QUANTITY not in found
    assert found[QUANTITY].outcome is Outcome.PASSED


@pytest.mark.slow
def test_a_fault_of_a_coupled_model_is_found(tmp_path: Path) -> None:
    def change(model: Any) -> None:
        model.eq_data[:, 1] *= 1.1

    mimic = "<drake:mimic joint='ja' multiplier='.5' offset='0'/>"
    assert (
        rows(mechanism_of(tmp_path, mimic=mimic), faulty_mujoco(change))[QUANTITY].outcome
        is Outcome.FAILED
    )


@pytest.mark.slow
def test_a_joint_that_its_limits_lock_is_locked_in_drake_too(tmp_path: Path) -> None:
    mechanism = mechanism_of(tmp_path)
    path = Path(mechanism.scene.source)
    limit = "<limit><lower>0</lower><upper>0</upper></limit><dynamics>"
    path.write_text(
        path.read_text(encoding="utf-8").replace("<dynamics>", limit, 1), encoding="utf-8"
    )
    found = rows(bridge.lower(loaders.load(path)))
    assert found[QUANTITY].outcome is Outcome.PASSED


@pytest.mark.slow
def test_a_link_that_drake_makes_heavier_leaves_a_gap(tmp_path: Path) -> None:
    mechanism = mechanism_of(tmp_path)
    path = Path(mechanism.scene.source)
    path.write_text(path.read_text().replace("<izz>.04</izz>", "<izz>4</izz>"), encoding="utf-8")
    found = compare(path, ("mujoco", "drake"), levels=("L2",), configurations=1, inertia="repair")
    unknown = [row for row in found.rows if row.quantity == QUANTITY]
    assert {row.outcome for row in unknown} == {Outcome.UNKNOWN}
    assert "moves differently" in unknown[0].cause
    assert found.verdict is Verdict.INCOMPLETE


@pytest.mark.slow
def test_a_comparison_names_drake_at_the_level_of_motion(tmp_path: Path) -> None:
    found = compare(mechanism_of(tmp_path), ("mujoco", "drake"), levels=("L2",), configurations=1)
    assert {row.engines for row in found.rows if row.quantity == QUANTITY} == {("mujoco", "drake")}
    assert [gap for gap in found.gaps if gap.quantity == "motion"] == []
