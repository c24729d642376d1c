"""The interfaces of driven joints: read back, and as the schema of ros2_control has them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from lxml import etree

import bridge
import loaders
from loaders import model as m
from tests.support.scenes import joint, link, scene


def _driven(*interfaces: str) -> loaders.Scene:
    axis = m.JointAxis(xyz=m.Z_AXIS, lower=-1.0, upper=2.0, velocity=3.0, effort=4.0)
    joints = [joint("ab", "a", "b", axes=(axis,)), joint("bc", "b", "c")]
    actuator = m.Actuator(
        name="motor", joint="ab", effort=4.0, gear_ratio=50.0, interfaces=interfaces
    )
    return scene([link("a"), link("b"), link("c")], joints, actuators=(actuator,))


def _interfaces(urdf: str) -> dict[str, dict[str, float]]:
    (joint,) = etree.fromstring(urdf.encode()).findall("ros2_control/joint")
    assert joint.get("name") == "ab"
    assert [state.get("name") for state in joint.findall("state_interface")] == [
        "position",
        "velocity",
        "effort",
    ]
    return {
        command.get("name"): {param.get("name"): float(param.text) for param in command}
        for command in joint.findall("command_interface")
    }


def test_the_limits_of_a_joint_are_those_of_its_interfaces() -> None:
    urdf = bridge.to_urdf(_driven("position", "velocity", "effort"), ros2_control=True)
    assert _interfaces(urdf) == {
        "position": {"min": -1.0, "max": 2.0},
        "velocity": {"min": -3.0, "max": 3.0},
        "effort": {"min": -4.0, "max": 4.0},
    }
    (control,) = etree.fromstring(urdf.encode()).findall("ros2_control")
    assert control.get("type") == "system"
    assert control.findtext("hardware/plugin") == "mock_components/GenericSystem"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ((), "effort"),
        (("hardware_interface/PositionJointInterface",), "position"),
        (("velocity",), "velocity"),
    ],
)
def test_an_actuator_is_commanded_as_its_source_says(
    stated: tuple[str, ...], expected: str
) -> None:
    assert list(_interfaces(bridge.to_urdf(_driven(*stated), ros2_control=True))) == [expected]


@pytest.mark.parametrize("transmissions", [True, False])
def test_what_was_written_reads_back_and_is_written_the_same_again(
    transmissions: bool, tmp_path: Path
) -> None:
    options = {"ros2_control": True, "transmissions": transmissions}
    given = _driven("hardware_interface/EffortJointInterface")
    result = bridge.export_urdf(given, tmp_path / "out", **options)  # type: ignore[arg-type]
    found = loaders.load(result.path)
    assert [(a.joint, a.effort, a.gear_ratio) for a in found.actuators] == [
        ("ab", 4.0, 50.0 if transmissions else 1.0)
    ]
    assert bridge.to_urdf(found, **options) == bridge.to_urdf(given, **options)  # type: ignore[arg-type]


def test_a_robot_without_actuators_has_no_interfaces() -> None:
    assert "ros2_control" not in bridge.to_urdf(
        dataclasses.replace(_driven(), actuators=()), ros2_control=True
    )
    assert "ros2_control" not in bridge.to_urdf(_driven())
