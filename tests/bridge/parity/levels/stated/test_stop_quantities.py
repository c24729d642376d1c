"""Stops that yield and limits of speed, in the running engines."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.parity import Outcome, compare
from loaders.model import WORLD
from tests.support.running_faults import faulty_mujoco
from tests.support.scenes import joint, link, scene

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


def arm(**axis: float) -> Any:
    return scene(
        [link("a")],
        [joint("j", WORLD, "a", axis={"lower": -1.0, "upper": 1.0, "velocity": 3.0, **axis})],
    )


def rows(source: Any, first: Any = "mujoco") -> dict[Any, Any]:
    result = compare(source, (first, "pybullet"), levels=("L0",), configurations=1)
    return {(row.quantity, row.engines): row for row in result.rows}


def test_a_hard_stop_that_is_soft_in_mujoco_is_found() -> None:
    def soften(model: Any) -> None:
        model.jnt_solref[:, 0] *= 10.0

    assert rows(arm())["compliance of stops", ("reference", "mujoco")].outcome is Outcome.PASSED
    row = rows(arm(), faulty_mujoco(soften))["compliance of stops", ("reference", "mujoco")]
    assert (row.outcome, row.where) == (Outcome.FAILED, "j")


def test_a_soft_stop_is_compared_by_its_stiffness() -> None:
    def stiffen(model: Any) -> None:
        model.jnt_solref[:, 0] *= 2.0

    soft = arm(limit_stiffness=50.0, limit_dissipation=1.0)
    row = rows(soft)["compliance of stops", ("reference", "mujoco")]
    assert row.outcome is Outcome.PASSED
    row = rows(soft, faulty_mujoco(stiffen))["compliance of stops", ("reference", "mujoco")]
    assert row.error == pytest.approx(0.01)


def test_a_stop_that_the_time_step_cannot_hold_is_explained_by_its_own_compliance() -> None:
    row = rows(arm(limit_stiffness=1e8, limit_dissipation=1.0))[
        "compliance of stops", ("reference", "mujoco")
    ]
    assert (row.outcome, row.code) == (Outcome.EXPLAINED, "mjcf.rigid-stops")
    assert row.error == pytest.approx(1e-8)


def test_limits_of_speed_are_those_that_pybullet_was_given() -> None:
    found = rows(arm())
    assert found["velocity limits", ("reference", "pybullet")].outcome is Outcome.PASSED
    assert found["velocity limits", ("reference", "pybullet")].where == "j"
    assert not found["velocity limits", ("reference", "mujoco")].is_stated


def test_limits_beyond_all_motion_are_no_stops() -> None:
    """Engines take limits of 1e12 rad for none."""
    row = rows(arm(lower=-1e12, upper=1e12)).get(("compliance of stops", ("reference", "mujoco")))
    assert row is None or row.outcome is Outcome.PASSED
