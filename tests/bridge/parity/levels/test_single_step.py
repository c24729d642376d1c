"""One step is exact for fixed bases, and of second order in the step for floating bases."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import bridge
import loaders
from bridge.parity import Outcome, Row, compare
from bridge.parity.engine import factory_of
from bridge.parity.states import without_solver_effects

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


ASSETS = Path(__file__).parents[4] / "assets"


def rows_of(source: object, **options: object) -> dict[tuple[str, str, str], Row]:
    found = compare(source, levels=("L2",), **options)
    return {(row.quantity, *row.engines): row for row in found.rows}


def test_one_step_from_many_states_is_exact_where_the_base_is_fixed() -> None:
    found = rows_of(ASSETS / "arm" / "model.sdf")
    row = found["one step", "mujoco", "pybullet"]
    assert row.error <= 1e-12
    assert row.sensitivity == pytest.approx(1.0, abs=0.5)


@pytest.mark.slow
def test_one_step_of_a_floating_base_differs_by_the_square_of_the_step() -> None:
    row = rows_of(ASSETS / "gripper" / "model.sdf")["one step", "mujoco", "pybullet"]
    assert row.outcome is Outcome.EXPLAINED
    assert row.order == pytest.approx(2.0, abs=0.1)
    assert len(row.convergence) == 4


@pytest.mark.slow
def test_a_force_that_one_engine_lacks_is_found_in_one_step_however_free_the_base(
    tmp_path: Path,
) -> None:
    scene = loaders.load(ASSETS / "gripper" / "model.sdf")
    lighter = dataclasses.replace(scene, gravity=0.999 * scene.gravity)

    def faulty(_mechanism: object) -> object:
        return factory_of("mujoco")(without_solver_effects(bridge.lower(lighter)))

    faulty.name = "mujoco"  # type: ignore[attr-defined]
    row = rows_of(scene, engines=(faulty, "pybullet"))["one step", "mujoco", "pybullet"]
    assert row.outcome is Outcome.FAILED
    assert row.order == pytest.approx(1.0, abs=0.1), (
        "the velocities part by the step times what is missing"
    )
