"""The trials of actuators: which joints are tried, and what must follow."""

from __future__ import annotations

import pytest

import bridge
import loaders
from bridge.parity.readings import actuator_trials, untried_actuators
from tests.support.actuated_model import sdf
from tests.support.fault_robots import four_bar


def test_a_trial_stays_within_the_limits_of_the_joint_and_goes_beyond_those_of_the_effort() -> None:
    mechanism = bridge.lower(loaders.load_string(sdf(), format="sdf"))
    trials = actuator_trials(mechanism)
    hinge = trials["ja"]
    assert untried_actuators(mechanism) == ()
    assert (hinge.position, hinge.limit, hinge.gains) == (0.5, 10.0, (40.0, 6.0))
    assert -1.0 < hinge.position + hinge.displacement < 2.0
    assert max(hinge.commands) > hinge.limit > -hinge.limit > min(hinge.commands)
    assert hinge.efforts(10.0, (40.0, 6.0)) == pytest.approx([5.0, 10.0, -10.0, 4.0, -1.8])


def test_an_effort_of_zero_states_nothing() -> None:
    mechanism = bridge.lower(loaders.load_string(sdf(effort="0", gains=""), format="sdf"))
    assert set(actuator_trials(mechanism)) == {"jc"}


def test_a_law_of_mujoco_is_not_tried() -> None:
    text = (
        "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
        "<actuator><motor joint='j'/></actuator></mujoco>"
    )
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf"))
    assert (actuator_trials(mechanism), untried_actuators(mechanism)) == ({}, ("j",))


def test_a_joint_that_closes_a_loop_is_not_tried() -> None:
    mechanism = bridge.lower(four_bar())
    assert [closure.joint.name for closure in mechanism.closures] == ["close"]
    assert (set(actuator_trials(mechanism)), untried_actuators(mechanism)) == (
        {"ja", "jb", "jc"},
        ("close",),
    )
