"""Flags, springs and sensors in Gazebo's extensions, read back."""

from __future__ import annotations

import dataclasses

import pytest

import bridge
from loaders import model as m
from loaders.pose import IDENTITY
from tests.code_examples import scenes as s
from tests.support.scenes import UNIT_BOX
from tests.support.urdf_writer import read


def test_flags_of_a_link() -> None:
    flags = {"gravity": False, "kinematic": True, "self_collide": True, "enable_wind": True}
    found = read(s.one(**flags, velocity_decay=(0.1, 0.1))).links[0]
    assert {key: getattr(found, key) for key in flags} == flags
    assert found.velocity_decay == (0.1, 0.1)


def test_flags_of_a_model() -> None:
    given = s.one()
    model = dataclasses.replace(
        given.models[0], self_collide=True, allow_auto_disable=False, enable_wind=True
    )
    found = read(dataclasses.replace(given, models=(model,))).models[0]
    assert (found.self_collide, found.allow_auto_disable, found.enable_wind) == (True, False, True)


def test_springs_and_stops() -> None:
    values = {
        "spring_stiffness": 1.0,
        "spring_reference": 0.5,
        "limit_stiffness": 2.0,
        "limit_dissipation": 3.0,
    }
    axis = read(s.hinge(**values)).joints[0].axes[0]
    assert {key: getattr(axis, key) for key in values} == values


def test_sensors() -> None:
    sensor = m.Sensor(
        name="s", type="imu", X_LS=IDENTITY, update_rate=10.0, parameters=(("topic", "t"),)
    )
    (found,) = read(s.one(sensors=(sensor,))).links[0].sensors
    assert (found.name, found.type, found.update_rate, found.parameters) == (
        "s",
        "imu",
        10.0,
        (("topic", "t"),),
    )


def test_the_direction_of_friction_of_a_link() -> None:
    for friction in (m.Friction(fdir1=(1.0, 0.0, 0.0)), m.Friction(mu=0.5, mu2=0.5)):
        shape = m.Collision(
            name="c", X_LG=IDENTITY, geometry=UNIT_BOX, surface=m.Surface(friction=friction)
        )
        found = read(s.one(collisions=(shape,))).links[0].collisions[0].surface.friction
        assert (found.mu, found.fdir1) == (friction.mu, friction.fdir1)


@pytest.mark.parametrize("stated", [True, False])
def test_a_joint_that_reports_its_forces(stated: bool) -> None:
    given = s.hinge(fields={"provide_feedback": stated})
    assert read(given).joints[0].provide_feedback is stated
    assert ("provideFeedback" in bridge.to_urdf(given)) is stated
