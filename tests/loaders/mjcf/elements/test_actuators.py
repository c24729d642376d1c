"""Actuators."""

from __future__ import annotations

import math

import pytest

from tests.support.mjcf_documents import BALL, read

BODY = f'<body name="a"><joint name="j"/>{BALL}<site name="s"/></body>'


def actuator(text: str):
    (found,) = read(BODY, f"<actuator>{text}</actuator>").actuators
    return found


def test_a_servo_has_gains_and_a_range() -> None:
    servo = actuator('<position name="p" joint="j" kp="10" kv="2" gear="3" ctrlrange="-1 1" forcerange="-5 5"/>')
    assert (servo.joint, servo.p_gain, servo.d_gain) == ("j", 90.0, 18.0)
    assert (servo.control, servo.effort) == ((-1.0, 1.0), 15.0)


def test_a_motor_has_no_gains() -> None:
    motor = actuator('<motor joint="j"/>')
    assert (motor.name, motor.p_gain, motor.d_gain, motor.effort) == ("actuator_0", None, None, math.inf)


def test_a_target_that_is_no_joint() -> None:
    assert ("site", "s") in actuator('<motor site="s" gear="0 0 1 0 0 0"/>').mujoco


@pytest.mark.parametrize("law", ['delay="0.1" nsample="5"'])
def test_what_is_not_carried_is_reported(law: str) -> None:
    scene = read(BODY, f'<actuator><motor joint="j" {law}/></actuator>')
    assert [entry.code for entry in scene.diagnostics] == ["mjcf-in.actuator"]
