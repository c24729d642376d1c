"""Efforts of MuJoCo's actuators against numbers that are worked out by hand."""

from __future__ import annotations

import pytest

import bridge
import loaders
from bridge.parity.engines.mujoco_engine import MujocoEngine
from bridge.parity.engines.stated.actuator_trials import actuator_trials
from tests.support.actuated_model import sdf

pytest.importorskip("mujoco")


def test_commands_saturate_at_the_limit_and_gains_are_40_per_radian_and_6_per_rate() -> None:
    """At 0.1 rad from the target 40 N m/rad are 4 N m, and at 0.3 rad/s 6 N m s/rad are -1.8 N m."""
    mechanism = bridge.lower(loaders.load_string(sdf(), format="sdf"))
    engine = MujocoEngine(mechanism)
    found = engine.actuator_efforts(actuator_trials(mechanism), mechanism)
    engine.close()
    assert found["ja"] == pytest.approx([5.0, 10.0, -10.0, 4.0, -1.8])
    assert found["jc"] == pytest.approx([2.0, 4.0, -4.0])


def test_every_number_of_a_law_is_read() -> None:
    law = "<general joint='j' gainprm='3' biastype='affine' biasprm='1 -2 -4' ctrlrange='-5 6' gear='7'/>"
    text = (
        "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
        f"<actuator>{law}</actuator></mujoco>"
    )
    engine = MujocoEngine(bridge.lower(loaders.load_string(text, format="mjcf")))
    (numbers,) = engine.actuator_laws()
    engine.close()
    assert {3.0, 1.0, -2.0, -4.0, -5.0, 6.0, 7.0} <= set(numbers.tolist())
