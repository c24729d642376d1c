"""Sensors read in MuJoCo and PyBullet what Gazebo publishes, by closed forms."""

from __future__ import annotations

import dataclasses
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge.sensors import (
    CAMERAS,
    LIDARS,
    SENSOR_KINDS,
    Altimeter,
    CameraImage,
    ContactReport,
    Imu,
    LaserScan,
    NavSat,
    optics_of,
)
from loaders.model import Sensor
from loaders.pose import IDENTITY, Pose, quaternion_to_matrix, rotation_about
from tests.support.mujoco_oracle import compiled
from tests.support.sdf_elements import SCHEMA, leaves, nested, with_element

G = 9.8
STEP = 1e-4
INERTIAL = "<inertial><pose>{0}</pose><mass>2</mass><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial>"
WORLD = """<sdf version='1.9'><world name='w'><gravity>0 0 -9.8</gravity>
<physics type='ode'><max_step_size>1e-4</max_step_size></physics>
<magnetic_field>1e-5 2e-5 -4e-5</magnetic_field><wind><linear_velocity>1 0 0</linear_velocity></wind>{0}</world></sdf>"""


class Both(NamedTuple):
    """One world in both engines."""

    mjcf: Any
    data: Any
    robot: Any

    def set(self, q: dict[str, float], v: dict[str, float]) -> None:
        """Set positions and velocities by joint in both engines."""
        self.robot.set_positions(q)
        self.robot.set_velocities(v)
        for name, value in q.items():
            self.data.joint(name).qpos = value
        for name, value in v.items():
            self.data.joint(name).qvel = value
        mujoco.mj_forward(self.data.model, self.data)

    def read(self, name: str) -> list[Any]:
        """The message in MuJoCo and in PyBullet, which has made one step."""
        self.robot.step()
        mujoco.mj_forward(self.data.model, self.data)
        return [self.mjcf.read(self.data)[name], self.robot.sensors[name].read()]


@pytest.fixture
def both(bullet_client: int) -> Any:
    def load(text: str) -> Both:
        scene = loaders.load_string(WORLD.format(text), format="sdf", quiet=True)
        mjcf = bridge.to_mjcf(scene, quiet=True)
        data = mujoco.MjData(compiled(mjcf))
        mujoco.mj_forward(data.model, data)
        robot = bridge.load_world_into_pybullet(scene, physicsClientId=bullet_client, quiet=True)
        robot.apply_physics()
        return Both(mjcf, data, robot)

    return load


ARM = f"""<model name='m'><pose>0 0 1 0 0 0.5</pose><link name='base'>{INERTIAL.format("0 0 0 0 0 0")}</link>
<link name='arm'>{INERTIAL.format("0.4 0 0 0 0 0")}
{{sensor}}</link>
<joint name='w' type='fixed'><parent>world</parent><child>base</child></joint>
<joint name='j' type='revolute'><parent>{{parent}}</parent><child>{{child}}</child><axis><xyz>{{axis}}</xyz></axis></joint></model>"""
X_LS = Pose.from_xyz_rpy((0.4, 0.0, 0.0), (0.3, -0.2, 0.7))


def arm(sensor: str, axis: str = "0 0 1", parent: str = "base", child: str = "arm") -> str:
    return ARM.format(sensor=sensor, axis=axis, parent=parent, child=child)


IMU = "<sensor name='imu' type='imu'><pose>0.4 0 0 0.3 -0.2 0.7</pose>{}</sensor>"


@pytest.mark.parametrize(("parent", "child", "sign"), [("base", "arm", 1.0), ("arm", "base", -1.0)])
def test_an_imu_on_a_spinning_arm(both: Any, parent: str, child: str, sign: float) -> None:
    """Nothing turns a vertical hinge: the sensor at 0.4 m falls towards it by 0.4 w^2."""
    world = both(arm(IMU.format(""), parent=parent, child=child))
    q, w = 0.9, 3.0
    world.set({"m::j": sign * q}, {"m::j": sign * w})
    turn = rotation_about((0, 0, 1), q)
    expected = X_LS.R.T @ (-0.4 * w * w, 0.0, G)
    for message, tolerance in zip(world.read("m::imu"), (1e-9, 5e-3), strict=True):
        assert isinstance(message, Imu)
        assert message.linear_acceleration == pytest.approx(expected, abs=tolerance)
        assert message.angular_velocity == pytest.approx(X_LS.R.T @ (0.0, 0.0, w), abs=1e-9)
        R_RS = quaternion_to_matrix(message.orientation)
        start = rotation_about((0, 0, 1), 0.5) @ X_LS.R
        now = rotation_about((0, 0, 1), 0.5) @ turn @ X_LS.R
        assert np.abs(R_RS - start.T @ now).max() < 1e-3


REFERENCES = {
    "": None,
    "<imu><orientation_reference_frame><localization>ENU</localization></orientation_reference_frame></imu>": IDENTITY.R,
    "<imu><orientation_reference_frame><localization>NED</localization></orientation_reference_frame></imu>": np.array(
        ((0, 1, 0), (1, 0, 0), (0, 0, -1))
    ),
    "<imu><orientation_reference_frame><localization>NWU</localization></orientation_reference_frame></imu>": rotation_about(
        (0, 0, 1), math.pi / 2
    ),
    "<imu><orientation_reference_frame><localization>CUSTOM</localization>"
    "<custom_rpy parent_frame='world'>0.1 0.2 0.3</custom_rpy></orientation_reference_frame></imu>": Pose.from_xyz_rpy(
        (0, 0, 0), (0.1, 0.2, 0.3)
    ).R,
}


@pytest.mark.parametrize("reference", REFERENCES)
def test_an_imu_that_is_fixed_measures_gravity_and_its_reference(both: Any, reference: str) -> None:
    sensor = IMU.format(reference)
    world = both(f"<model name='m'><static>true</static><link name='l'>{sensor}</link></model>")
    R_WR = X_LS.R if REFERENCES[reference] is None else REFERENCES[reference]
    for message in world.read("m::imu"):
        assert message.linear_acceleration == pytest.approx(X_LS.R.T @ (0.0, 0.0, G), abs=1e-12)
        assert quaternion_to_matrix(message.orientation) == pytest.approx(
            R_WR.T @ X_LS.R, abs=1e-12
        )


def test_an_imu_in_free_fall_measures_nothing(both: Any) -> None:
    world = both(
        f"<model name='m'><pose>0 0 5 0 0 0</pose><link name='l'>{INERTIAL.format('0 0 0 0 0 0')}"
        f"{IMU.format('')}</link></model>"
    )
    for message in world.read("m::imu"):
        assert message.linear_acceleration == pytest.approx((0, 0, 0), abs=1e-9)


def test_an_imu_without_orientation(both: Any) -> None:
    world = both(arm(IMU.format("<imu><enable_orientation>0</enable_orientation></imu>")))
    assert [message.orientation for message in world.read("m::imu")] == [None, None]


def test_pybullet_does_not_invent_an_acceleration(both: Any) -> None:
    robot = both(arm(IMU.format(""))).robot
    assert np.isnan(robot.sensors["m::imu"].read().linear_acceleration).all()
    robot.step()
    assert np.isfinite(robot.sensors["m::imu"].read().linear_acceleration).all()
    robot.set_velocities({"m::j": 1.0})
    assert np.isnan(robot.sensors["m::imu"].read().linear_acceleration).all()


LIFT = f"""<model name='m'><pose>0 0 1 0 0 0</pose><link name='l'><pose>0 0 0.5 0 0 0</pose>{INERTIAL.format("0 0 0 0 0 0")}
{{}}</link><joint name='w' type='prismatic'><parent>world</parent><child>l</child><axis><xyz>0 0.6 0.8</xyz></axis></joint></model>"""


def lift(sensor: str) -> str:
    return LIFT.format(f"<sensor name='s' type='{sensor}'><pose>0.1 0 0 0 0 1.1</pose></sensor>")


def test_an_altimeter_reads_the_height_above_its_start(both: Any) -> None:
    world = both(lift("altimeter"))
    world.set({"m::w": 0.5}, {"m::w": 2.0})
    for message in world.read("m::s"):
        assert isinstance(message, Altimeter)
        assert message.vertical_position == pytest.approx(0.4, abs=1e-3)
        assert message.vertical_velocity == pytest.approx(1.6, abs=1e-3)
        assert message.vertical_reference == pytest.approx(1.5)


def test_a_magnetometer_turns_the_field(both: Any) -> None:
    expected = rotation_about((0, 0, 1), 1.1).T @ (1e-5, 2e-5, -4e-5)
    for message in both(lift("magnetometer")).read("m::s"):
        assert message.field_tesla == pytest.approx(expected, abs=1e-15)


EARTH = """<spherical_coordinates><surface_model>EARTH_WGS84</surface_model><latitude_deg>{0}</latitude_deg>
<longitude_deg>8</longitude_deg><elevation>400</elevation><heading_deg>{1}</heading_deg></spherical_coordinates>"""


@pytest.mark.parametrize(("heading", "east", "north"), [(0.0, 0.0, 30.0), (90.0, -30.0, 0.0)])
@pytest.mark.parametrize("latitude", [0.0, 47.0, -33.0])
def test_navsat_reads_degrees(
    both: Any, latitude: float, heading: float, east: float, north: float
) -> None:
    """30 m along y of the world, by the radii of curvature of the ellipsoid."""
    a, e2 = 6378137.0, 0.00669437999
    s = math.sin(math.radians(latitude))
    across = a / math.sqrt(1 - e2 * s * s) + 401.5
    along = a * (1 - e2) / (1 - e2 * s * s) ** 1.5 + 401.5
    text = EARTH.format(latitude, heading) + lift("navsat").replace(
        "<pose>0 0 1 0 0 0</pose>", "<pose>0 30 1 0 0 0</pose>"
    )
    world = both(text)
    world.set({"m::w": 0.0}, {"m::w": 1.0})
    x = 0.1 * math.cos(math.radians(heading)), 0.1 * math.sin(math.radians(heading))
    for message in world.read("m::s"):
        assert isinstance(message, NavSat)
        assert message.latitude_deg - latitude == pytest.approx(
            math.degrees((north + x[1]) / along), abs=3e-9
        )
        assert message.longitude_deg - 8.0 == pytest.approx(
            math.degrees((east + x[0]) / (across * math.cos(math.radians(latitude)))), abs=3e-9
        )
        assert message.altitude == pytest.approx(401.5, abs=1e-3)
        assert (message.velocity_north, message.velocity_up) == pytest.approx((0.6, 0.8), abs=2e-3)


def test_without_a_place_on_earth_there_is_no_latitude(both: Any) -> None:
    for message in both(lift("navsat")).read("m::s"):
        assert math.isnan(message.latitude_deg)


def test_air_pressure_and_air_speed(both: Any) -> None:
    """The standard atmosphere at a height of 1000 m, and the wind of 1 m/s against a sensor at rest."""
    sensors = """<sensor name='p' type='air_pressure'><air_pressure><reference_altitude>998.5</reference_altitude>
    </air_pressure></sensor><sensor name='v' type='air_speed'/>"""
    world = both(LIFT.format(sensors))
    for message in world.read("m::p"):
        assert message.pressure == pytest.approx(89876.3, abs=0.1)
    for message in world.read("m::v"):
        assert message.diff_pressure == pytest.approx(-0.5 * 1.225, rel=1e-3)
        assert message.temperature == pytest.approx(288.15 - 0.0065 * 1.5, abs=1e-6)


ALONE = f"""<model name='a'><pose>1 2 3 0 0 .5</pose><link name='l'>{INERTIAL.format("0 0 0 0 0 0")}<sensor name='imu' type='imu'/>
<sensor name='alt' type='altimeter'/></link><link name='k'>{INERTIAL.format("0 0 0 0 0 0")}</link>
<joint name='f' type='fixed'><parent>l</parent><child>k</child></joint></model>
<model name='b'><link name='l'>{INERTIAL.format("0 .3 0 0 0 0")}</link><link name='k'>{INERTIAL.format("0 0 0 0 0 0")}</link>
<joint name='f' type='fixed'><parent>l</parent><child>k</child></joint><joint name='w' type='revolute'><parent>world</parent>
<child>l</child><axis><xyz>1 0 0</xyz></axis><sensor name='ft' type='force_torque'><force_torque><frame>parent</frame>
</force_torque></sensor></joint></model>"""


def test_a_file_of_one_model_of_a_world_reads_alike(tmp_path: Path) -> None:
    """What MuJoCo measures relative to the world is in the main file alone."""
    (tmp_path / "w.sdf").write_text(WORLD.format(ALONE))
    export = bridge.export_mjcf(tmp_path / "w.sdf", tmp_path / "out", quiet=True)
    messages = {}
    for name in ("scene.xml", "a.xml", "b.xml"):
        model = mujoco.MjModel.from_xml_path(str(next((tmp_path / "out").rglob(name))))
        data = mujoco.MjData(model)
        if name != "b.xml":
            data.joint("a::l").qpos = (1, 2, 4, math.cos(0.4), 0, 0, math.sin(0.4))
        if name != "a.xml":
            data.joint("b::w").qpos = 0.6
        mujoco.mj_forward(model, data)
        messages[name] = export.read(data)
    whole = messages["scene.xml"]
    assert set(messages["a.xml"]) | set(messages["b.xml"]) == set(whole)
    assert whole["a::alt"].vertical_position == pytest.approx(1.0)
    for part in ("a.xml", "b.xml"):
        for name, message in messages[part].items():
            assert flat(message) == pytest.approx(flat(whole[name]), abs=1e-9), name
    other = mujoco.MjModel.from_xml_string("<mujoco><worldbody/></mujoco>")
    with pytest.raises(KeyError, match=r"none of the exported sensors .*a::imu"):
        export.read(mujoco.MjData(other))


def flat(message: Any) -> np.ndarray:
    """All numbers of a message."""
    return np.concatenate([np.ravel(x) for x in dataclasses.astuple(message)])


# --- force and torque -----------------------------------------------------------------------------

WRIST = """<model name='m'>
<link name='A'><pose>0 0 0 0.2 0.1 0</pose>{inertial}</link>
<link name='B'><pose>0.1 0 0 0.3 -0.4 0.5</pose>{inertial}</link>
<joint name='w' type='fixed'><parent>world</parent><child>{held}</child></joint>
<joint name='j' type='{type}'><pose>0 0.1 0 0.7 0 0.2</pose><parent>A</parent><child>B</child>
<axis><xyz>0 0.6 0.8</xyz></axis>
<sensor name='s' type='force_torque'><pose>0 0 0 0.4 0.5 -0.6</pose>
<force_torque><frame>{frame}</frame><measure_direction>{direction}</measure_direction></force_torque></sensor>
</joint></model>"""
X_JS = Pose.from_xyz_rpy((0.0, 0.0, 0.0), (0.4, 0.5, -0.6))
X_BJ = Pose.from_xyz_rpy((0.0, 0.1, 0.0), (0.7, 0.0, 0.2))


@pytest.mark.parametrize("kind", ["revolute", "fixed", "prismatic"])
@pytest.mark.parametrize("frame", ["parent", "child", "sensor"])
@pytest.mark.parametrize(("held", "sign"), [("A", 1.0), ("B", -1.0)])
@pytest.mark.parametrize("direction", ["parent_to_child", "child_to_parent"])
def test_a_wrist_carries_the_weight_of_the_other_link(
    both: Any, kind: str, frame: str, held: str, sign: float, direction: str
) -> None:
    """At any position of the joint, held by its motor: 2 kg, whose center of mass is off the
    joint.
    """
    inertial = INERTIAL.format("0.3 0.1 0 0 0 0")
    world = both(
        WRIST.format(inertial=inertial, held=held, type=kind, frame=frame, direction=direction)
    )
    data, q = world.data, {} if kind == "fixed" else {"m::j": 0.9}
    world.set(q, {})
    world.robot.hold()
    data.qfrc_applied[:] = data.qfrc_bias
    mujoco.mj_forward(data.model, data)
    messages = world.read("m::s")
    pose = {name: world.robot.link_pose(f"m::{name}") for name in "AB"}
    carried = pose["B" if held == "A" else "A"]
    joint = pose["B"] @ X_BJ
    if kind == "prismatic" and held == "B":
        X_PJ = Pose.from_xyz_rpy((0.0, 0.0, 0.0), (0.2, 0.1, 0.0)).inverse() @ (
            Pose.from_xyz_rpy((0.1, 0.0, 0.0), (0.3, -0.4, 0.5)) @ X_BJ
        )
        joint = pose["A"] @ X_PJ
    up = np.array((0.0, 0.0, 2.0 * G))
    force, torque = up, np.cross(carried.R @ (0.3, 0.1, 0.0) + carried.p - joint.p, up)
    R = {"parent": pose["A"].R, "child": pose["B"].R, "sensor": (pose["B"] @ X_BJ @ X_JS).R}[frame]
    sign *= 1.0 if direction == "parent_to_child" else -1.0
    for message, tolerance in zip(messages, (1e-6, 2e-3), strict=True):
        assert message.force == pytest.approx(sign * (R.T @ force), abs=10 * tolerance)
        assert message.torque == pytest.approx(sign * (R.T @ torque), abs=10 * tolerance)


PAIR = """<model name='m'><link name='a'><inertial><mass>1</mass><inertia><ixx>.1</ixx><iyy>.2</iyy><izz>.25</izz></inertia></inertial></link>
<link name='b'><pose>1 0 0 0 0 0</pose><inertial><pose>0.2 0 0 0 0 0</pose><mass>2</mass><inertia><ixx>.1</ixx><iyy>.2</iyy><izz>.25</izz></inertia></inertial></link>
<joint name='j' type='{}'><parent>a</parent><child>b</child><axis><xyz>0 0.6 0.8</xyz></axis><sensor name='s' type='force_torque'>
<force_torque><measure_direction>parent_to_child</measure_direction></force_torque></sensor></joint></model>"""


@pytest.mark.parametrize("v", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.3, -0.5, 2)])
def test_a_weld_in_free_flight_turns_the_other_link(both: Any, v: tuple[float, ...]) -> None:
    """At 2 rad/s about z the center of mass of b is 0.4 m from that of both: 2 kg * 4 * 0.4 m."""
    world = both(PAIR.format("fixed"))
    world.robot.set_velocities({"m::a": (*v, 0, 0, 2)})
    world.data.qvel[:] = (*v, 0, 0, 2)
    mujoco.mj_forward(world.data.model, world.data)
    for message in world.read("m::s"):
        assert message.force == pytest.approx((-3.2, 0, 0), abs=5e-3)
        assert message.torque == pytest.approx((0, 0, 0), abs=5e-3)


def test_reactions_in_motion_are_those_of_mujoco(both: Any) -> None:
    """All velocities at once, about no principal axis; PyBullet counts some products twice."""
    world = both(PAIR.format("revolute"))
    world.robot[0].state.client.setTimeStep(1e-6)
    world.data.qvel[:6], world.data.qpos[7], world.data.qvel[6] = (1, 2, 3, 0.5, 2, 3), 0.3, 2.0
    world.robot.set_positions({"m::j": 0.3})
    world.robot.set_velocities({"m::a": (1, 2, 3, 0.5, 2, 3), "m::j": 2.0})
    mujoco.mj_forward(world.data.model, world.data)
    expected, found = world.read("m::s")
    assert np.linalg.norm(expected.force) > 5.0
    assert found.force == pytest.approx(expected.force, abs=1e-4)
    assert found.torque == pytest.approx(expected.torque, abs=1e-4)


# --- contacts and rays ----------------------------------------------------------------------------

BOX = f"""<model name='ground'><static>true</static><link name='g'><collision name='p'>
<geometry><plane><size>1 1</size></plane></geometry></collision></link></model>
<model name='box'><pose>0 0 0.1 0 0 0</pose><link name='b'>{INERTIAL.format("0 0 0 0 0 0")}
<collision name='c'><geometry><box><size>.2 .2 .2</size></box></geometry></collision>
<sensor name='touch' type='contact'><contact><collision>c</collision></contact></sensor></link></model>"""


def test_a_contact_sensor_reports_each_point_and_the_weight(both: Any) -> None:
    world = both(BOX.replace("1e-4", "1e-3"))
    for _ in range(3000):
        mujoco.mj_step(world.data.model, world.data)
        world.robot.step()
    messages = world.read("box::touch")
    for message, other in zip(messages, ("ground::g::p", "ground::g"), strict=True):
        assert isinstance(message, ContactReport)
        assert {contact.collision for contact in message.contacts} == {"box::b::c"}
        assert {contact.other for contact in message.contacts} == {other}
        assert len(message.contacts) == 4 or message is not messages[0]
        assert message.force == pytest.approx((0.0, 0.0, 2.0 * G), abs=0.2)
        for contact in message.contacts:
            assert contact.normal == pytest.approx((0, 0, 1), abs=1e-6)
            assert abs(contact.position[2]) < 1e-3
            assert np.abs(contact.position[:2]) == pytest.approx((0.1, 0.1), abs=2e-3)


ROOM = """<model name='room'><static>true</static><link name='l'>
<collision name='c'><pose>2 0 1 0 0 0</pose><geometry><box><size>1 30 30</size></box></geometry></collision>
<visual name='v'><pose>3 0 1 0 0 0</pose><geometry><box><size>1 30 30</size></box></geometry></visual></link></model>
<model name='m'><pose>0 0 1 0 0 0</pose><static>true</static><link name='eye'>
<collision name='case'><geometry><box><size>.1 .1 .1</size></box></geometry></collision>
<sensor name='s' type='{0}'><{1}><scan><horizontal><samples>{2}</samples><min_angle>{3}</min_angle><max_angle>{4}</max_angle></horizontal>
<vertical><samples>{5}</samples><min_angle>{6}</min_angle><max_angle>{7}</max_angle></vertical></scan>
<range><min>{8}</min><max>{9}</max></range></{1}></sensor></link></model>"""


@pytest.mark.parametrize(
    ("kind", "wall"), [("ray", 1.5), ("gpu_ray", 2.5), ("lidar", 2.5), ("gpu_lidar", 2.5)]
)
def test_a_lidar_sees_visuals_or_collisions_with_every_ray(
    both: Any, kind: str, wall: float
) -> None:
    tag = "ray" if kind.endswith("ray") else "lidar"
    world = both(ROOM.format(kind, tag, 50, -0.8, 0.4, 3, -0.3, 0.3, 0.1, 30))
    expected = [
        [wall / math.cos(pitch) / math.cos(yaw) for yaw in np.linspace(-0.8, 0.4, 50)]
        for pitch in np.linspace(-0.3, 0.3, 3)
    ]
    in_mujoco, in_pybullet = world.read("m::s")
    assert isinstance(in_mujoco, LaserScan)
    assert in_mujoco.ranges == pytest.approx(np.array(expected), abs=1e-9)
    assert in_pybullet.ranges == pytest.approx(np.array(expected) * 1.5 / wall, abs=1e-4)


@pytest.mark.parametrize(
    ("least", "most", "expected"), [(0.1, 1.2, math.inf), (1.8, 9.0, -math.inf), (0.1, 9.0, 1.5)]
)
def test_a_distance_out_of_range_is_infinite(
    both: Any, least: float, most: float, expected: float
) -> None:
    world = both(ROOM.format("ray", "ray", 1, 0, 0, 1, 0, 0, least, most))
    for message in world.read("m::s"):
        assert message.ranges == pytest.approx(np.array([[expected]]), abs=1e-5)


@pytest.mark.parametrize(("kind", "angle"), [("ray", 0.0), ("gpu_lidar", -0.5)])
def test_a_single_ray_looks_as_in_its_gazebo(both: Any, kind: str, angle: float) -> None:
    """Gazebo classic takes no angle, gz-rendering the first one."""
    tag = "ray" if kind == "ray" else "lidar"
    world = both(ROOM.format(kind, tag, 1, -0.5, 0.9, 1, 0, 0, 0.1, 30))
    distances = [message.ranges[0, 0] for message in world.read("m::s")]
    wall = np.array((1.5 if kind == "ray" else 2.5, 1.5))
    assert distances == pytest.approx(wall / math.cos(angle), abs=1e-4)


def test_a_lidar_in_an_empty_world_sees_nothing(both: Any) -> None:
    world = both(
        "<model name='m'><static>true</static><link name='l'><sensor name='s' type='ray'/></link></model>"
    )
    for message in world.read("m::s"):
        assert message.ranges.tolist() == [[math.inf]]


def test_a_drawn_plane_collides_and_is_seen_by_both_kinds_of_lidar(both: Any) -> None:
    down = "<pose>0 0 0 0 0.7853981633974483 0</pose><{0}><range><min>.1</min><max>9</max></range></{0}>"
    text = """<model name='g'><static>true</static><link name='l'>
    <collision name='c'><geometry><plane><size>9 9</size></plane></geometry></collision>
    <visual name='v'><geometry><plane><size>9 9</size></plane></geometry></visual></link></model>
    <model name='m'><pose>0 0 1 0 0 0</pose><static>true</static><link name='eye'>"""
    text += "".join(
        f"<sensor name='{kind}' type='{kind}'>{down.format(kind)}</sensor>"
        for kind in ("ray", "lidar")
    )
    world = both(f"{text}</link></model>")
    for kind in ("ray", "lidar"):
        for message in world.read(f"m::{kind}"):
            assert message.ranges[0, 0] == pytest.approx(math.sqrt(2.0), abs=1e-5)


# --- publishers -----------------------------------------------------------------------------------


def test_joint_states_and_odometry(both: Any) -> None:
    plugins = """<plugin filename='gz-sim-joint-state-publisher-system' name='j'/>
    <plugin filename='gz-sim-odometry-publisher-system' name='o'/>"""
    world = both(arm("").replace("</model>", f"{plugins}</model>"))
    world.set({"m::j": 0.5}, {"m::j": 2.0})
    for message in world.read("m::j_state"):
        assert (*message.position, *message.velocity) == pytest.approx((0.5, 2.0), abs=1e-3)
    for message in world.read("m::m_odometry"):
        assert message.position == pytest.approx((0.0, 0.0, 1.0))
        assert message.orientation == pytest.approx((math.cos(0.25), 0, 0, math.sin(0.25)))
        assert (*message.linear_velocity, *message.angular_velocity) == pytest.approx((0,) * 6)


SCREW = f"""<model name='m'><link name='a'>{INERTIAL.format("0 0 0 0 0 0")}</link><link name='b'>{INERTIAL.format("0 0 0 0 0 0")}</link>
<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>
<joint name='j' type='screw'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.1</screw_thread_pitch></joint>
<plugin filename='gz-sim-joint-state-publisher-system' name='j'/></model>"""


def test_the_state_of_a_screw_is_its_angle(both: Any) -> None:
    assert [len(message.position) for message in both(SCREW).read("m::j_state")] == [1, 1]


# --- cameras --------------------------------------------------------------------------------------

OPTICS = {
    "hfov": "<horizontal_fov>1.2</horizontal_fov><image><width>320</width><height>240</height></image>",
    "wide": "<horizontal_fov>2.4</horizontal_fov><image><width>200</width><height>300</height></image>",
    "intrinsics": "<horizontal_fov>1.2</horizontal_fov><image><width>320</width><height>240</height></image>"
    "<lens><intrinsics><fx>300</fx><fy>260</fy><cx>175</cx><cy>100</cy><s>0</s></intrinsics></lens>",
    "projection": "<image><width>320</width><height>240</height></image>"
    "<lens><projection><p_fx>310</p_fx><p_fy>280</p_fy><p_cx>140</p_cx><p_cy>130</p_cy></projection></lens>",
}
POINTS = np.array([(2.0, 0.25, 0.3), (2.5, -0.4, 0.1), (3.0, 0.1, -0.4)])
X_WC = Pose.from_xyz_rpy((0.3, -0.2, 1.1), (0.05, 0.1, 0.3))


def seen(optics: str) -> str:
    """Small balls, and a camera that looks at them."""
    balls = ""
    for i, p in enumerate(POINTS):
        x, y, z = (X_WC @ Pose.of(p=p)).p
        balls += (
            f"<visual name='v{i}'><pose>{x} {y} {z} 0 0 0</pose><geometry><sphere><radius>"
            f"{0.02 * p[0]}</radius></sphere></geometry></visual>"
        )
    return (
        f"<model name='b'><static>true</static><link name='l'>{balls}</link></model>"
        f"<model name='m'><static>true</static><link name='l'><sensor name='cam' type='camera'>"
        f"<pose>0.3 -0.2 1.1 0.05 0.1 0.3</pose><camera>{optics}"
        f"<clip><near>.1</near><far>20</far></clip></camera></sensor></link></model>"
    )


INTRINSICS = {
    "hfov": (160 / math.tan(0.6), 160 / math.tan(0.6), 160, 120, 320, 240),
    "wide": (100 / math.tan(1.2), 100 / math.tan(1.2), 100, 150, 200, 300),
    "intrinsics": (300, 260, 175, 100, 320, 240),
    "projection": (310, 280, 140, 130, 320, 240),
}
"""Focal lengths, principal point, and size of the image."""


def discs(name: str) -> list[np.ndarray]:
    """Pixels whose middle sees each ball, as columns and rows, by rays: right is -y, down -z."""
    fx, fy, cx, cy, width, height = INTRINSICS[name]
    u, v = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    rays = np.stack((np.ones_like(u), (cx - u) / fx, (cy - v) / fy), axis=-1)
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    found = []
    for p in POINTS:
        ahead = rays @ p
        is_hit = p @ p - ahead**2 < (0.02 * p[0]) ** 2
        found.append(np.column_stack((u[is_hit], v[is_hit])))
    return found


def check_picture(name: str, depth: np.ndarray) -> None:
    """Each ball is where the rays see it, to half a pixel, with its depth."""
    rows, columns = np.nonzero(depth < 5.0)
    seen_pixels = np.column_stack((columns + 0.5, rows + 0.5))
    for disc, (x, _, _) in zip(discs(name), POINTS, strict=True):
        middle, reach = disc.mean(axis=0), np.ptp(disc, axis=0).max() / 2 + 4
        own = seen_pixels[np.abs(seen_pixels - middle).max(axis=1) < reach]
        assert own.mean(axis=0) == pytest.approx(middle, abs=0.5)
        column, row = middle.astype(int)
        assert depth[row, column] == pytest.approx(0.98 * x, rel=1e-2)


@pytest.mark.parametrize("name", OPTICS)
def test_pybullet_draws_points_where_the_source_states(both: Any, name: str) -> None:
    message = both(seen(OPTICS[name])).robot.sensors["m::cam"].read()
    assert isinstance(message, CameraImage)
    assert message.rgb.shape == (*message.depth.shape, 3)
    check_picture(name, message.depth)


RENDER = """
import sys, mujoco, numpy as np, bridge, loaders
for i in range(4):
    mjcf = bridge.to_mjcf(loaders.load(f"{sys.argv[1]}/{i}.sdf", quiet=True), quiet=True)
    data = mujoco.MjData(mujoco.MjModel.from_xml_string(mjcf, mjcf.assets))
    mujoco.mj_forward(data.model, data)
    np.save(f"{sys.argv[1]}/{i}.npy", mjcf.read(data, images=True)["m::cam"].depth)
"""


def test_mujoco_draws_points_where_the_source_states(tmp_path: Path) -> None:
    for i, optics in enumerate(OPTICS.values()):
        (tmp_path / f"{i}.sdf").write_text(WORLD.format(seen(optics)))
    for platform in ("egl", "osmesa"):
        run = [sys.executable, "-c", RENDER, str(tmp_path)]
        environment = os.environ | {"MUJOCO_GL": platform}
        subprocess.run(run, env=environment, capture_output=True, check=False)
        if (tmp_path / "3.npy").exists():
            break
    else:
        pytest.skip("no rendering platform works")
    for i, name in enumerate(OPTICS):
        check_picture(name, np.load(tmp_path / f"{i}.npy"))


def test_planes_with_nothing_between_them_are_not_used(both: Any) -> None:
    world = both(
        seen("<clip><near>3</near><far>3</far></clip>").replace(
            "<clip><near>.1</near><far>20</far></clip>", ""
        )
    )
    optics = world.robot.sensors["m::cam"].read().optics
    assert (optics.near, optics.far) == (0.1, 100.0)
    found = [str(e) for e in world.robot.diagnostics if e.code == "pybullet.sensor-parameters"]
    assert any("camera/clip/near=3, camera/clip/far=3" in text for text in found)


@pytest.mark.parametrize("name", OPTICS)
def test_optics_project_points(both: Any, name: str) -> None:
    message = both(seen(OPTICS[name])).read("m::cam")[0]
    fx, fy, cx, cy, width, height = INTRINSICS[name]
    expected = [(cx - fx * y / x, cy - fy * z / x) for x, y, z in POINTS]
    found = [message.optics.project(p) for p in POINTS]
    assert np.array(found) == pytest.approx(np.array(expected))
    assert (message.optics.width, message.optics.height) == (width, height)
    assert message.X_WS.is_close(X_WC, 1e-9)


@pytest.mark.parametrize(
    ("kind", "view", "code"),
    [("camera", 3.1416, "mjcf.sensor"), ("wideanglecamera", 4.0, "mjcf.sensor"),
     ("wideanglecamera", 2.0, "mjcf.sensor-reading")],
)  # fmt: skip
def test_a_view_that_no_pinhole_has_is_named(both: Any, kind: str, view: float, code: str) -> None:
    optics = f"<horizontal_fov>{view}</horizontal_fov>"
    world = both(seen(optics).replace("type='camera'", f"type='{kind}'"))
    entries = {entry.code: entry.message for entry in world.mjcf.diagnostics}
    assert f"{view:g} rad" in entries[code]
    has_camera = code == "mjcf.sensor-reading"
    assert (world.data.model.ncam == 1) == has_camera
    assert ("m::cam" in world.robot.sensors) == has_camera


def test_a_multicamera_is_cameras(both: Any) -> None:
    text = """<model name='m'><static>true</static><link name='l'><sensor name='eyes' type='multicamera'><pose>0 0 1 0 0 0</pose>
    <camera name='left'><pose>0 .1 0 0 0 90</pose><horizontal_fov>1.2</horizontal_fov></camera>
    <camera name='right'><pose degrees='true'>0 -.1 0 0 0 90</pose><horizontal_fov>1</horizontal_fov></camera></sensor></link></model>"""
    world = both(
        text.replace("0 0 90</pose><horizontal_fov>1.2", "0 0 1</pose><horizontal_fov>1.2")
    )
    turns = {"left": (0.1, 1.0, 1.2), "right": (-0.1, math.pi / 2, 1.0)}
    for name, (y, yaw, view) in turns.items():
        for message in world.read(f"m::eyes::{name}"):
            X_WS = Pose.from_xyz_rpy((0, y, 1), (0, 0, yaw))
            assert message.X_WS.is_close(X_WS, 1e-9)
            assert message.optics.fx == pytest.approx(160 / math.tan(view / 2))


@pytest.mark.parametrize(
    ("x", "y", "z", "is_seen"),
    [(2, 0, 0, True), (0.4, 0, 0, False), (5.1, 0, 0, False), (2, 1.08, 0, True), (2, 1.1, 0, False),
     (2, 0, -0.54, True), (2, 0, 0.55, False), (-2, 0, 0, False)],
)  # fmt: skip
def test_a_logical_camera_names_the_models_in_its_frustum(
    both: Any, x: float, y: float, z: float, is_seen: bool
) -> None:
    """At distance 2, a view of 1 rad is 2 tan 0.5 = 1.0926 wide to each side, and half as high."""
    p = (Pose.from_xyz_rpy((1, 2, 3), (0, 0, 0.7)) @ Pose.of(p=(x, y, z))).p
    world = both(
        f"<model name='eye'><pose>1 2 3 0 0 0.7</pose><static>true</static><link name='l'><sensor name='s' type='logical_camera'>"
        f"<logical_camera><near>.5</near><far>5</far><horizontal_fov>1</horizontal_fov><aspect_ratio>2</aspect_ratio>"
        f"</logical_camera></sensor></link></model><model name='ball'><pose>{p[0]} {p[1]} {p[2]} 0 0 0.7</pose>"
        f"<link name='l'><pose>9 9 9 0 0 0</pose>{INERTIAL.format('0 0 0 0 0 0')}</link></model>"
    )
    models = world.mjcf.read(world.data)["eye::s"].models
    assert set(models) - {"eye"} == ({"ball"} if is_seen else set())
    if is_seen:
        assert models["ball"].is_close(Pose.of(p=(x, y, z)), 1e-9)
    assert "eye::s" not in world.robot.sensors
    assert any(e.code == "pybullet.sensor" for e in world.robot.diagnostics)


def test_rays_are_not_in_pictures_of_read_and_are_named_for_others(both: Any) -> None:
    lidar = "<sensor name='lidar' type='ray'/></link></model>"
    text = seen(OPTICS["hfov"])
    world = both(text[: -len("</link></model>")] + lidar)
    (entry,) = (e for e in world.mjcf.diagnostics if "mjVIS_RANGEFINDER" in e.hint)
    assert set(entry.subjects) == {"m::cam", "m::lidar"}
    assert not any("mjVIS" in e.hint for e in both(text).mjcf.diagnostics)


def test_the_table_has_every_type_of_sensor() -> None:
    from loaders.sdf.link import _TYPES

    listed = [name for kind in SENSOR_KINDS for name in kind.types]
    assert len(listed) == len(set(listed))
    assert set(listed) - {"joint_state", "odometry"} == set(_TYPES)


def test_the_page_of_sensors_is_up_to_date() -> None:
    folder = Path(__file__).parents[2] / "docs"
    run = [sys.executable, "-c", "import make_sensors_page as m; print(m.page(), end='')"]
    made = subprocess.run(run, capture_output=True, text=True, check=True, cwd=folder).stdout
    assert (folder / "sensors.md").read_text() == made, "run python docs/make_sensors_page.py"


def test_optics_have_the_defaults_of_the_specification() -> None:
    optics = optics_of(Sensor(name="c", type="camera", X_LS=IDENTITY))
    assert (optics.width, optics.height, optics.near, optics.far) == (320, 240, 0.1, 100.0)
    assert optics.fx == pytest.approx(160 / math.tan(1.047 / 2))


# --- plugins of ROS 1, and ros2_control -----------------------------------------------------------

PLUGINS = """<robot name="r"><link name="base"/><link name="tool"><inertial><origin xyz="0.3 0 0"/><mass value="2"/>
<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="world"/><joint name="w" type="fixed"><parent link="world"/><child link="base"/></joint>
<joint name="wrist" type="fixed"><origin rpy="0 0 1"/><parent link="base"/><child link="tool"/></joint>
<gazebo><plugin name="i" filename="libgazebo_ros_imu.so"><bodyName>tool</bodyName><noise>0.1</noise></plugin></gazebo>
<gazebo><plugin name="f" filename="libgazebo_ros_ft_sensor.so"><jointName>wrist</jointName></plugin></gazebo>
<gazebo><plugin name="b" filename="libgazebo_ros_f3d.so"><bodyName>tool</bodyName></plugin></gazebo>
<gazebo reference="wrist"><sensor name="known" type="force_torque"/></gazebo>
<ros2_control name="x" type="system"><sensor name="known"><state_interface name="force.x"/></sensor>
<sensor name="lost"><state_interface name="force.x"/></sensor></ros2_control></robot>"""


def test_plugins_of_ros_1_are_sensors(bullet_client: int) -> None:
    """The wrist carries 2 kg, and the child pushes the parent down."""
    scene = loaders.load_string(PLUGINS, format="urdf", quiet=True)
    mjcf = bridge.to_mjcf(scene, quiet=True)
    data = mujoco.MjData(compiled(mjcf))
    mujoco.mj_forward(data.model, data)
    robot = bridge.load_into_pybullet(scene, physicsClientId=bullet_client, quiet=True)
    robot.apply_physics()
    robot.step()
    in_mujoco = mjcf.read(data)
    for name in ("wrist_force_torque", "known"):
        for message in (in_mujoco[name], robot.sensors[name].read()):
            assert message.force == pytest.approx((0, 0, -2 * G), abs=1e-6)
            assert message.torque == pytest.approx((0, 2 * G * 0.3, 0), abs=1e-6)
    for message in (in_mujoco["tool_imu"], robot.sensors["tool_imu"].read()):
        turn = (math.cos(0.5), 0, 0, math.sin(0.5))
        assert message.orientation == pytest.approx(turn)
        assert message.linear_acceleration == pytest.approx((0, 0, G))


def test_what_no_sensor_represents_is_named() -> None:
    scene = loaders.load_string(PLUGINS, format="urdf", quiet=True)
    found = [(entry.fate.value, entry.message) for entry in scene.diagnostics]
    assert ("noted", "plugin libgazebo_ros_imu.so: noise=0.1 is not used") in found
    assert (
        "dropped",
        "plugin libgazebo_ros_f3d.so measures tool; no sensor is made of it",
    ) in found
    lost = [text for fate, text in found if fate == "dropped" and "ros2_control" in text]
    assert [("lost" in text, "force.x" in text) for text in lost] == [(True, True)]


# --- every element --------------------------------------------------------------------------------

BLOCKS = {
    **dict.fromkeys((*CAMERAS, "multicamera"), ("camera",)),
    **dict.fromkeys(LIDARS, ("lidar", "ray")),
    **dict.fromkeys(("wireless_receiver", "wireless_transmitter"), ("transceiver",)),
}
"""Elements of the schema that describe a type of sensor, unless it is the one of its name."""
KINDS = [*(kind.types[0] for kind in SENSOR_KINDS), "gpu_lidar", "wideanglecamera", "gps"]
VALUES = ("0.7", "2", "0", "false", "parent", "parent_to_child", "NED", "d", "1 0 0 0 0 0", "0 0 1")
"""Texts of which an element takes at least one, none of them a default everywhere."""


def paths_of(kind: str) -> list[str]:
    """Paths of all elements of a type of sensor; the pose is tested with the messages."""
    blocks = {*BLOCKS.get(kind, (kind,))}
    found = [path[1:] for path in leaves("link", "sensor")]
    known = {tag for tag in SCHEMA["link/sensor"].split() if f"sensor/{tag}" in SCHEMA}
    return [
        "/".join(path) for path in found if path[0] in blocks or path[0] not in known | {"pose"}
    ]


def sensor_document(kind: str, inner: str) -> str:
    """A world with a wall, and a sensor on a link that has two collisions, or on its joint."""
    sensor = f"<sensor name='s' type='{kind}'>{inner}</sensor>"
    on_link, on_joint = ("", sensor) if kind == "force_torque" else (sensor, "")
    box = "<{0} name='{1}'><pose>{2} 0 0 0 0 0</pose><geometry><box><size>1 9 9</size></box></geometry></{0}>"
    inertial = INERTIAL.format("0.3 0 0 0 0 0")
    return WORLD.format(
        f"<model name='wall'><static>true</static><link name='l'>{box.format('collision', 'c', 3)}"
        f"{box.format('visual', 'v', 3)}</link></model><model name='m'><link name='a'>{inertial}"
        f"{box.format('collision', 'c', 0)}{box.format('collision', 'd', -2)}{on_link}</link><link name='b'>"
        f"<pose>0 0 0 .1 .2 .3</pose>{inertial}</link><joint name='w' type='fixed'><parent>world</parent><child>a</child>"
        f"</joint><joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>"
        f"{on_joint}</joint></model>"
    )


def texts_of(found: Any) -> str:
    return "\n".join(map(str, found.diagnostics))


class Sensed(NamedTuple):
    """What both targets say about a sensor, and what they make of it."""

    said: tuple[str, str]
    does: tuple[str, str]

    def differs(self, other: Sensed) -> bool:
        """Whether each target says or does something else."""
        return all((self.said[i], self.does[i]) != (other.said[i], other.does[i]) for i in (0, 1))


def sensed(text: str, client: int) -> Sensed:
    scene = loaders.load_string(text, format="sdf", quiet=True, lenient=True)
    mjcf = bridge.to_mjcf(scene, quiet=True)
    robot = bridge.load_world_into_pybullet(scene, physicsClientId=client, quiet=True)
    said = tuple(f"{texts_of(scene)}\n{texts_of(found)}" for found in (mjcf, robot))
    data = mujoco.MjData(compiled(mjcf))
    mujoco.mj_forward(data.model, data)
    in_mujoco = list(mjcf.read(data).values())
    robot.apply_physics()
    robot.step()
    in_pybullet = [sensor.read() for sensor in robot.sensors.values()]
    robot.remove()
    texts = [repr([dataclasses.asdict(m) for m in each]) for each in (in_mujoco, in_pybullet)]
    return Sensed(said, (str(mjcf) + texts[0], texts[1]))


BASES = {
    **dict.fromkeys(
        (*CAMERAS, "multicamera"),
        "<camera><image><width>8</width><height>6</height></image></camera>",
    ),
    **dict.fromkeys(
        LIDARS,
        "<lidar><scan><horizontal><samples>2</samples></horizontal><vertical><samples>2</samples></vertical></scan></lidar>",
    ),
}
"""Elements without which others mean nothing."""


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind not in {"joint_state", "odometry"}]
)
def test_every_element_of_a_sensor_acts_or_is_named(kind: str, bullet_client: int) -> None:
    """By the schema: both reports name its path, or a value of it changes what each target says or
    does.
    """
    base, paths = BASES.get(kind, ""), paths_of(kind)
    before = sensed(sensor_document(kind, base), bullet_client)
    whole = sensed(sensor_document(kind, "".join(nested(p, "0.7") for p in paths)), bullet_client)
    assert len(paths) >= 6
    for path in paths:
        if not all(path in said for said in whole.said):
            found = (
                sensed(sensor_document(kind, with_element(base, path, text)), bullet_client)
                for text in VALUES
            )
            assert any(before.differs(each) for each in found), path
