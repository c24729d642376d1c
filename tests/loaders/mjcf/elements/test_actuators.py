"""Actuators."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bridge
import loaders
from loaders import Diagnostic, LoadError, Scene
from loaders.model import settings_of
from tests.support.mjcf_documents import BALL, document, read

BODY = f'<body name="a"><joint name="j"/>{BALL}<site name="s"/></body>'


def read_text(text: str) -> Scene:
    return loaders.load_string(text, format="mjcf", quiet=True)


def refused(text: str) -> tuple[Diagnostic, ...]:
    try:
        read_text(text)
    except LoadError as error:
        return error.diagnostics
    return ()


def actuator(text: str):
    (found,) = read(BODY, f"<actuator>{text}</actuator>").actuators
    return found


def test_a_servo_has_gains_and_a_range() -> None:
    servo = actuator(
        '<position name="p" joint="j" kp="10" kv="2" gear="3" ctrlrange="-1 1" forcerange="-5 5"/>'
    )
    assert (servo.joint, servo.p_gain, servo.d_gain) == ("j", 90.0, 18.0)
    assert (servo.control, servo.effort) == ((-1.0, 1.0), 15.0)


def test_a_motor_has_no_gains() -> None:
    motor = actuator('<motor joint="j"/>')
    assert (motor.name, motor.p_gain, motor.d_gain, motor.effort) == (
        "actuator_0",
        None,
        None,
        math.inf,
    )


def test_a_target_that_is_no_joint() -> None:
    found = actuator('<motor site="s" gear="0 0 1 0 0 0"/>')
    assert ("site", "s") in settings_of(found, "mujoco")


def test_a_plugin_is_reported() -> None:
    section = (
        '<extension><plugin plugin="mujoco.pid"/></extension>'
        '<actuator><plugin joint="j" plugin="mujoco.pid"/></actuator>'
    )
    scene = read(BODY, section)
    assert scene.actuators == ()
    assert "mjcf-in.actuator" in {entry.code for entry in scene.diagnostics}


LAWS = {
    "delay": '<motor joint="j" delay="0.01" nsample="5"/>',
    "states": '<dcmotor joint="j" motorconst="2" resistance="0.5" inductance="0 0.001"/>',
    "friction": (
        '<dcmotor joint="j" motorconst="0.05" resistance="2" lugre="1e4 100 0.005 0.008 0.1"/>'
    ),
    "controls": (
        '<dcmotor joint="j" motorconst="1" resistance="1" input="pos vel" controller="10 0 5"/>'
    ),
    "no control": '<dcmotor joint="j" motorconst="0.05" resistance="2" input="none"/>',
    "a voltage of two": (
        '<dcmotor joint="j" motorconst="1" resistance="1" input="vel voltage" controller="10 0 5"/>'
    ),
    "one control": '<pid joint="j" kp="3" ki="1" input="pos"/>',
    "speed": '<pid joint="j" kp="3" kv="2" input="vel" velrange="-1 1"/>',
    "three controls": (
        '<pid joint="j" kp="3" kv="2" input="pos vel ff" posrange="-1 1" '
        'velrange="-2 2" ffrange="0 3"/>'
    ),
    "speed of two": '<pid joint="j" kp="3" ki="2" kv="2" input="pos vel" velrange="0.1 0.2"/>',
    "force of two": '<pid joint="j" kp="3" kv="2" input="vel ff" ffrange="0.1 0.2"/>',
    "muscle": '<muscle joint="j" lengthrange="0.1 0.9"/>',
    "damping": '<motor joint="j" gear="2" damping="0.1 20 30"/>',
    "rotor": '<motor joint="j" gear="2" armature="0.1"/>',
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_an_actuator_pushes_as_the_original(law: str) -> None:
    """Some laws need a MuJoCo that has them."""
    import mujoco

    text = document(BODY, f"<actuator>{law}</actuator>")
    try:
        original = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        original = None
    if original is None:
        assert [e.code for e in refused(text)] == ["mjcf-in.refused"]
        return
    exported = mujoco.MjModel.from_xml_string(bridge.to_mjcf(read_text(text), quiet=True))
    speeds = []
    for model in (original, exported):
        data = mujoco.MjData(model)
        data.ctrl[:], data.qvel[:] = 0.3, 0.2
        mujoco.mj_step(model, data, 20)
        speeds.append([*data.qvel, *data.act])
    assert speeds[1] == pytest.approx(speeds[0], rel=1e-9)


ROTORS = {
    "two motors of a hinge": (
        '<motor joint="j" gear="3" armature="0.2"/><motor jointinparent="j" armature="0.1"/>'
    ),
    "a sum of joints": '<motor tendon="sum" gear="2" armature="0.2"/>',
    "a path": '<motor tendon="path" gear="-1" armature="0.3"/>',
}
TENDONS = (
    '<tendon><fixed name="sum"><joint joint="j" coef="1"/><joint joint="k" coef="-2"/></fixed>'
    '<spatial name="path"><site site="top"/><site site="tip"/></spatial></tendon>'
)
ARM = (
    f'<site name="top" pos="0 0 2"/><body name="a"><joint name="j" axis="0 1 0"/>{BALL}<body '
    f'name="b" pos="0.3 0 0">'
    f'<joint name="k" axis="1 0 0"/>{BALL}<site name="tip" pos="0 0.2 0"/></body></body>'
)


@pytest.mark.parametrize("actuators", ROTORS.values(), ids=ROTORS)
def test_the_inertia_of_rotors_is_that_of_mujoco(actuators: str) -> None:
    """MuJoCo adds the armature of an actuator, times the square of its gear, whatever it drives."""
    import mujoco

    outside = f"{TENDONS}<actuator>{actuators}</actuator>"
    try:
        model = mujoco.MjModel.from_xml_string(document(ARM, outside))
    except ValueError:
        pytest.skip("this MuJoCo has no armature of actuators")
    data, expected = mujoco.MjData(model), np.zeros((2, 2))
    data.qpos[:] = 0.4, -0.7
    mujoco.mj_forward(model, data)
    mujoco.mj_fullM(model, data, expected)
    found = bridge.lower(read(ARM, outside)).mass_matrix({"j": 0.4, "k": -0.7})
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
