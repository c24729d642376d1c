"""Sensors are read in each engine, at rest and in motion, and a difference is found."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity.engine import factory_of
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.states import random_states
from bridge.parity.verdict import Outcome
from loaders.inertia import SpatialInertia
from loaders.model import JointType, Link, Sensor
from loaders.pose import IDENTITY, Pose, rotation_about
from tests.support.scenes import joint, link, scene

SENSORS = "".join(
    f"<sensor name='{kind}' type='{kind}'><pose>0.4 0.1 0 0.3 -0.2 0.7</pose></sensor>"
    for kind in ("imu", "altimeter", "magnetometer", "navsat", "air_pressure", "air_speed")
)
TEXT = f"""<sdf version='1.9'><world name='w'><spherical_coordinates><latitude_deg>47</latitude_deg>
<longitude_deg>8</longitude_deg><elevation>400</elevation></spherical_coordinates><model name='m'>
<link name='a'><inertial><mass>1</mass></inertial></link>
<link name='b'><inertial><pose>0.2 0 0 0 0 0</pose><mass>1</mass></inertial>{SENSORS}</link>
<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0.6 0.8</xyz></axis></joint>
</model></world></sdf>"""


def rows(*engines: Any) -> list[Any]:
    scene = loaders.load_string(TEXT, format="sdf", quiet=True)
    result = bridge.compare(scene, engines=engines, levels=("L0",), quiet=True)
    return [row for row in result.rows if row.quantity == "sensor readings"]


def test_sensors_read_the_same_in_each_pair_of_engines() -> None:
    found = rows("mujoco", "pybullet")
    assert [row.outcome for row in found] == [Outcome.PASSED] * 3
    assert max(row.error for row in found) < 1e-12


FORCES = TEXT.replace(
    "</axis></joint>",
    "</axis><sensor name='ft' type='force_torque'><force_torque><frame>parent</frame>"
    "</force_torque></sensor></joint>",
)


class Lighter(PyBulletEngine):
    """PyBullet, whose force-torque sensors read 1 percent too little."""

    name = "lighter"

    def sensor_forces(self) -> dict[str, np.ndarray]:
        """The forces."""
        found = super().sensor_forces()
        return found | {"m::ft": 0.99 * found["m::ft"]}


@pytest.mark.slow
def test_forces_and_accelerations_are_compared_in_motion() -> None:
    scene = loaders.load_string(FORCES, format="sdf", quiet=True)
    engines = ("mujoco", "pybullet", Lighter)
    result = bridge.compare(scene, engines=engines, levels=("L2",), quiet=True)
    found = {row.engines: row for row in result.rows if row.quantity == "sensor forces"}
    assert len(found) == 3
    assert found["mujoco", "pybullet"].outcome is Outcome.PASSED
    assert found["mujoco", "pybullet"].error < 1e-5
    row = found["mujoco", "lighter"]
    assert (row.outcome, row.where) == (Outcome.FAILED, "m::ft")


class Turned(PyBulletEngine):
    """PyBullet, whose gyroscopes have lost their axes."""

    name = "turned"

    def sensor_readings(self) -> dict[str, np.ndarray]:
        """The readings, in which those of the IMU are in another order."""
        found = super().sensor_readings()
        return found | {"m::imu": found["m::imu"][::-1]}


def test_a_sensor_with_other_axes_is_found() -> None:
    (row,) = (row for row in rows("mujoco", Turned) if row.engines == ("mujoco", "turned"))
    assert (row.outcome, row.where) == (Outcome.FAILED, "m::imu")


NOTHING, BALL = SpatialInertia.of(0.0), SpatialInertia.of(1.0, (0.1, 0.0, 0.0), 0.01 * np.eye(3))
MANY = [link(f"w{i}", inertia=BALL) for i in range(130)]
WELDED: dict[str, tuple[str, list[Link]]] = {
    "none": ("base", []),
    "one that lends a base without mass its own": ("base", [link("torso", inertia=BALL)]),
    "so many on the base that PyBullet holds some of them in it": ("base", MANY),
    "so many on the arm that PyBullet holds some of them in it": ("arm", MANY),
}


@pytest.mark.parametrize("name", WELDED)
def test_the_force_at_a_joint_does_not_depend_on_the_link_that_holds_the_inertia_of_welded_ones(
    name: str,
) -> None:
    """The joint of the tip is welded, and no shape keeps its link apart in PyBullet."""
    carrier, welded = WELDED[name]

    def measured(name: str) -> tuple[Sensor, ...]:
        return (Sensor(name="ft", type="force_torque", X_LS=IDENTITY, joint=name),)

    base = link("base", inertia=NOTHING if len(welded) == 1 else BALL)
    links = [base, *welded, link("arm", inertia=BALL), link("tip", inertia=BALL)]
    X_PJ = Pose.of(rotation_about(np.array((1.0, 0.0, 0.0)), 0.4), (0.3, 0.1, -0.2))
    joints = [
        *(joint(f"j_{w.name}", carrier, w.name, JointType.FIXED, X_PJ=X_PJ) for w in welded),
        joint("j", "base", "arm", xyz=(0, 0.6, 0.8), X_PJ=X_PJ, sensors=measured("j")),
        joint("k", "arm", "tip", JointType.FIXED, X_PJ=X_PJ, sensors=measured("k")),
    ]
    mechanism = bridge.lower(scene(links, joints))
    (state,) = random_states(mechanism, 1, 0)
    readings = []
    for engine in ("mujoco", "pybullet"):
        with closing(factory_of(engine)(mechanism)) as opened:
            opened.set_state(*state)
            readings.append(opened.sensor_forces())
    for sensor, expected in readings[0].items():
        np.testing.assert_allclose(readings[1][sensor], expected, rtol=1e-5, atol=1e-5)
        assert np.abs(expected).max() > 0.01
