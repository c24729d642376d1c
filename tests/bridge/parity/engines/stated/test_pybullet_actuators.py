"""Efforts in PyBullet are measured by its own steps: what acts beside the actuator shows."""

from __future__ import annotations

from typing import Any

import pytest

import loaders
from bridge.parity import Outcome, compare
from bridge.parity.engines.pybullet_engine import PyBulletEngine
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
        pybullet.setJointMotorControl2(int(body), joint, mode, force=1.0, physicsClientId=self._client)


def test_a_motor_that_is_left_on_in_pybullet_is_found_and_its_joint_named() -> None:
    scene = loaders.load_string(sdf(), format="sdf")
    found = compare(scene, ("mujoco", PyBulletWithMotor), levels=("L0",), configurations=1)
    row = next(r for r in found.rows if r.quantity == "actuator efforts" and r.engines == ("reference", "pybullet"))
    assert (row.outcome, row.where) == (Outcome.FAILED, "ja")
