"""Efforts in PyBullet are measured by its own steps: what acts beside the actuator shows."""

from __future__ import annotations

from typing import Any

import pytest

import loaders
from bridge.parity import Outcome, compare
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from tests.support.actuated_model import sdf

pytest.importorskip("mujoco")
pybullet = pytest.importorskip("pybullet")


class PyBulletWithMotor(PyBulletEngine):
    """PyBullet in which a motor of a joint is left on."""

    def __init__(self, mechanism: Any) -> None:
        super().__init__(mechanism)
        (body,) = self._bodies
        mode = pybullet.VELOCITY_CONTROL
        joint = body.joints["ja"][0] if isinstance(body.joints["ja"], tuple) else body.joints["ja"]
        pybullet.setJointMotorControl2(
            int(body), joint, mode, force=1.0, physicsClientId=self._client
        )


def test_a_motor_that_is_left_on_in_pybullet_is_found_and_its_joint_named() -> None:
    scene = loaders.load_string(sdf(), format="sdf")
    found = compare(scene, ("mujoco", PyBulletWithMotor), levels=("L0",), configurations=1)
    row = next(
        r
        for r in found.rows
        if r.quantity == "actuator efforts" and r.engines == ("reference", "pybullet")
    )
    assert (row.outcome, row.where) == (Outcome.FAILED, "ja")


def test_an_effort_that_turns_a_free_base_within_one_step_is_measured_exactly() -> None:
    """The base turns by 1e-5 rad in the step, and the velocity of its origin with it."""
    scene = loaders.load_string(sdf(effort="1000", gains=""), format="sdf")
    found = compare(scene, ("pybullet",), levels=("L0",), configurations=1)
    row = next(
        r
        for r in found.rows
        if r.quantity == "actuator efforts" and r.engines == ("reference", "pybullet")
    )
    assert (row.outcome, row.error < 1e-9) == (Outcome.PASSED, True), row
