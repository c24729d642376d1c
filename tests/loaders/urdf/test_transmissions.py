"""Actuators from transmissions and ros2_control."""

from __future__ import annotations

import pytest

from tests.support.urdf_robots import ARM, codes, robot

TRANSMISSION = """<transmission name='t'><type>transmission_interface/SimpleTransmission</type>
<joint name='j'><hardwareInterface>EffortJointInterface</hardwareInterface></joint>
<actuator name='motor'><mechanicalReduction>50</mechanicalReduction></actuator></transmission>"""


def test_a_transmission_is_an_actuator() -> None:
    (actuator,) = robot(ARM + TRANSMISSION).actuators
    assert (actuator.name, actuator.joint, actuator.effort, actuator.gear_ratio) == (
        "motor",
        "j",
        5.0,
        50.0,
    )
    assert actuator.interfaces == ("EffortJointInterface",)


def test_the_old_form_of_a_transmission_is_read() -> None:
    old = (
        "<transmission type='pr2_mechanism_model/SimpleTransmission' name='t'><actuator "
        "name='m'/><joint name='j'/>"
    )
    (actuator,) = robot(
        ARM + old + "<mechanicalReduction>-3</mechanicalReduction></transmission>"
    ).actuators
    assert (actuator.name, actuator.gear_ratio) == ("m", -3.0)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("SimpleTransmission", "DifferentialTransmission", "urdf.transmission-type"),
        ("<joint name='j'>", "<joint name='nobody'>", "urdf.unknown-joint"),
        (">50<", ">reduction<", "urdf.reduction"),
        ("effort='5'", "effort='0'", "urdf.actuator-ignored"),
    ],
)
def test_a_transmission_that_drives_nothing_is_reported(old: str, new: str, code: str) -> None:
    assert codes(robot((ARM + TRANSMISSION).replace(old, new))) == [code]


def test_two_actuators_of_one_name_are_distinguished() -> None:
    scene = robot(ARM + TRANSMISSION + TRANSMISSION)
    assert [actuator.name for actuator in scene.actuators] == ["motor", "motor_1"]
    assert codes(scene) == ["urdf.duplicate-name"]


def test_ros2_control_drives_the_joints_that_take_commands() -> None:
    control = (
        "<ros2_control name='c' type='system'><hardware><plugin>x</plugin></hardware><joint "
        "name='j'>"
        "<command_interface name='position'/><command_interface name='velocity'/><state_interface "
        "name='position'/>"
        "</joint></ros2_control>"
    )
    (alone,) = robot(ARM + control).actuators
    assert (alone.name, alone.joint, alone.effort, alone.interfaces) == (
        "j",
        "j",
        5.0,
        ("position", "velocity"),
    )
    (both,) = robot(ARM + TRANSMISSION + control).actuators
    assert (both.name, both.interfaces) == (
        "motor",
        ("EffortJointInterface", "position", "velocity"),
    )
