"""Sensors measure in MuJoCo what they measure in the source; sites, lights and cameras have their
poses.
"""

from __future__ import annotations

import dataclasses
import math
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge.sensors import finite_number, positive_number
from bridge.targets.mjcf import to_mjcf
from loaders.model import WORLD, Box, Collision, Frame, JointType, Light, Sensor, SpringDamper
from loaders.pose import IDENTITY, Pose, quaternion_to_matrix
from tests.support.mjcf_scenes import X_LG, codes, hinge, link, scene_of
from tests.support.mujoco_oracle import compiled

# Sensors measure in MuJoCo what they measure in the source.


def test_an_imu_at_rest_measures_the_reaction_to_gravity():
    imu = Sensor(name="imu", type="imu", X_LS=X_LG)
    model = compiled(to_mjcf(scene_of(link("a", sensors=(imu,)), joints=(hinge("s", WORLD, "a"),))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert np.allclose(data.sensor("imu_acceleration").data, X_LG.R.T @ (0, 0, 9.8))


def test_a_camera_looks_along_x_with_z_up_and_has_the_sources_view():
    parameters = (
        ("camera/horizontal_fov", "1.2"),
        ("camera/image/width", "640"),
        ("camera/image/height", "480"),
    )
    camera = Sensor(name="eye", type="camera", X_LS=X_LG, parameters=parameters)
    model = compiled(to_mjcf(scene_of(link("a", sensors=(camera,)))))
    R = quaternion_to_matrix(model.cam_quat[0])
    assert np.allclose(-R[:, 2], X_LG.R[:, 0])
    assert np.allclose(R[:, 1], X_LG.R[:, 2])
    width = 2 * math.tan(math.radians(model.cam_fovy[0]) / 2) * 640 / 480
    assert width == pytest.approx(2 * math.tan(0.6))


def test_a_force_sensor_in_a_joint_reads_the_weight_that_hangs_from_it():
    sensor = Sensor(name="ft", type="force_torque", X_LS=IDENTITY, joint="weld")
    weld = dataclasses.replace(hinge("weld", "a", "b", JointType.FIXED), sensors=(sensor,))
    mjcf = to_mjcf(
        scene_of(link("a"), link("b"), joints=(hinge("s", WORLD, "a", JointType.FIXED), weld))
    )
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert np.allclose(data.sensor("ft_force").data, (0, 0, 9.8))
    assert "mjcf.force-torque-sign" in codes(mjcf)


FORCES = """<sdf version='1.9'><world name='w'><gravity>0 0 -10</gravity><model name='m'>
<link name='A'><pose>0 0 0 0.2 0.1 0</pose><inertial><mass>2</mass></inertial></link>
<link name='B'><pose>0.1 0 0 0.3 -0.4 0.5</pose><inertial><mass>2</mass></inertial></link>
<joint name='w' type='fixed'><parent>world</parent><child>{held}</child></joint>
<joint name='j' type='{type}'><pose>0 0.1 0 0.7 0 0.2</pose><parent>A</parent><child>B</child>
<axis><xyz>0 0.6 0.8</xyz></axis>
<sensor name='s' type='force_torque'><pose>0 0 0 0.4 0.5 -0.6</pose>
<force_torque><frame>{frame}</frame><measure_direction>parent_to_child</measure_direction></force_torque></sensor>
</joint></model></world></sdf>"""
"""Two links of 2 kg, of which the world holds one and a joint the other."""
X_JS = Pose.from_xyz_rpy((0.0, 0.0, 0.0), (0.4, 0.5, -0.6))
R_BJ = Pose.from_xyz_rpy((0.0, 0.0, 0.0), (0.7, 0.0, 0.2)).R


def turned(reading, R_PC, R_PC_0, R_CS, hint):
    """The reading in the axes of the source, as a hint tells."""
    if "R_CS" in hint:
        return R_CS.T @ R_PC.T @ R_PC_0 @ R_CS @ reading
    if "R_PC(q)^T" in hint:
        return R_PC.T @ R_PC_0 @ reading
    return R_PC @ R_PC_0.T @ reading if hint else reading


@pytest.mark.parametrize("joint_type", ["revolute", "fixed", "prismatic"])
@pytest.mark.parametrize("frame", ["parent", "child", "sensor"])
@pytest.mark.parametrize(("held", "sign"), [("A", 1.0), ("B", -1.0)])
def test_a_force_is_in_the_axes_of_the_source_once_turned_as_the_hint_tells(
    joint_type, frame, held, sign
):
    """The held link carries the other one: the parent pushes the child up by 20 N, or is pushed
    down by it.
    """
    mjcf = to_mjcf(
        loaders.load_string(FORCES.format(held=held, type=joint_type, frame=frame), format="sdf")
    )
    model = compiled(mjcf)
    data = mujoco.MjData(model)

    def measured(q):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        data.qfrc_applied[:] = data.qfrc_bias
        mujoco.mj_forward(model, data)
        R_WP, R_WC = (data.body(f"m::{name}").xmat.reshape(3, 3).copy() for name in "AB")
        return data.sensor("m::s_force").data.copy(), R_WP, R_WC

    _, R_WP, R_WC = measured(0.0)
    R_PC_0, R_CS = R_WP.T @ R_WC, R_BJ @ X_JS.R
    found = {entry.code: entry.hint for entry in mjcf.diagnostics}
    hint = found.get("mjcf.force-torque-axes", "").partition(":")[0]
    assert bool(hint) == (joint_type == "revolute" and (frame == "parent") != (held == "B"))
    for q in (0.0, 0.9):
        reading, R_WP, R_WC = measured(q)
        reading = -reading if "mjcf.force-torque-sign" in found else reading
        R_WF = {"parent": R_WP, "child": R_WC, "sensor": R_WC @ R_CS}[frame]
        expected = R_WF.T @ (0.0, 0.0, 20.0 * sign)
        assert turned(reading, R_WP.T @ R_WC, R_PC_0, R_CS, hint) == pytest.approx(
            expected, abs=1e-9
        )


CONTACT = """<sdf version='1.9'><world name='w'><gravity>0 0 -10</gravity>
<model name='ground'><static>true</static><link name='g'><collision name='p'><geometry><plane/></geometry></collision>
</link></model>
<model name='box'><pose>0 0 0.1 0 0 0</pose><link name='b'>
<inertial><mass>2</mass><inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial>
<collision name='c'><geometry><box><size>.2 .2 .2</size></box></geometry></collision>
<collision name='d'><pose>0 0 0.3 0 0 0</pose><geometry><box><size>.2 .2 .2</size></box></geometry></collision>
<sensor name='s' type='contact'><contact>{watched}</contact></sensor></link></model></world></sdf>"""


@pytest.mark.parametrize(
    ("watched", "unknown", "count"),
    [("cd", (), 2), ("dc", (), 2), ("c", (), 1), ("cx", ("x",), 1), ("x", ("x",), 1), ("", (), 1)],
)
def test_a_contact_sensor_watches_every_collision_that_it_names(watched, unknown, count):
    """A box of 2 kg rests on its lower collision, c."""
    text = CONTACT.format(watched="".join(f"<collision>{name}</collision>" for name in watched))
    mjcf = to_mjcf(loaders.load_string(text, format="sdf"))
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    for _ in range(2000):
        mujoco.mj_step(model, data)
    readings = [data.sensor(i).data for i in range(model.nsensor)]
    assert len(readings) == count
    assert sum(abs(reading[3]) for reading in readings) == pytest.approx(20.0, rel=1e-3)
    assert sum(reading[0] for reading in readings) == 4
    entries = {entry.code: entry.arguments for entry in mjcf.diagnostics}
    assert entries.get("mjcf.sensor-collision", {}).get("collisions", ()) == unknown
    assert "contact/collision" not in str(entries.get("mjcf.sensor-parameters"))


def test_a_range_finder_looks_along_x():
    wall = link(
        "wall",
        model="ground",
        collisions=(
            Collision(name="w", X_LG=Pose.of(p=(2.0, 0, 0)), geometry=Box(size=(1, 1, 1))),
        ),
    )
    lidar = Sensor(name="lidar", type="lidar", X_LS=IDENTITY)
    model = compiled(to_mjcf(scene_of(wall, link("a", sensors=(lidar,)))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.sensor("lidar").data[0] == pytest.approx(1.5)


# Lidars: where each ray goes, and how many there are.

ROOM = """<sdf version='1.11'><world name='w'>
<model name='walls'><static>true</static><link name='l'>
<collision name='front'><pose>2 0 0 0 0 0</pose><geometry><box><size>1 20 20</size></box></geometry></collision></link>
</model><model name='m'><link name='eye'>
<sensor name='lidar' type='{kind}'>{scan}</sensor></link></model></world></sdf>"""
SCAN = """<{0}><scan><horizontal><samples>{1}</samples><min_angle>{2}</min_angle><max_angle>{3}</max_angle></horizontal>
<vertical><samples>{4}</samples><min_angle>{5}</min_angle><max_angle>{6}</max_angle></vertical></scan>
<range><min>.1</min><max>{7}</max></range></{0}>"""


def read(kind, *scan):
    """The export, and what each sensor of the lidar reads, by its name."""
    mjcf = to_mjcf(
        loaders.load_string(ROOM.format(kind=kind, scan=SCAN.format(*scan)), format="sdf")
    )
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return mjcf, {model.sensor(i).name: float(data.sensor(i).data[0]) for i in range(model.nsensor)}


@pytest.mark.parametrize(
    ("kind", "tag"),
    [("lidar", "lidar"), ("gpu_lidar", "lidar"), ("ray", "ray"), ("gpu_ray", "ray")],
)
def test_rays_are_ordered_by_row_and_read_the_distance_that_geometry_gives(kind, tag):
    mjcf, found = read(kind, tag, 5, -0.8, 0.4, 3, -0.3, 0.3, 30)
    expected = [
        1.5 / math.cos(pitch) / math.cos(yaw)
        for pitch in np.linspace(-0.3, 0.3, 3)
        for yaw in np.linspace(-0.8, 0.4, 5)
    ]
    assert [name.rpartition("::")[2] for name in found] == [f"lidar_{i}" for i in range(15)]
    assert list(found.values()) == pytest.approx(expected, abs=1e-9)
    assert not any(entry.code == "mjcf.sensor-rays" for entry in mjcf.diagnostics)


def test_rays_share_the_class_of_their_lidar_which_has_its_position():
    scan = SCAN.format("lidar", 5, -0.8, 0.4, 3, -0.3, 0.3, 30)
    text = ROOM.format(kind="lidar", scan=f"<pose>.1 0 .2 0 0 0</pose>{scan}")
    mjcf = to_mjcf(loaders.load_string(text, format="sdf"))
    root = ElementTree.fromstring(mjcf)
    (own,) = root.findall(".//default[@class='m::lidar_rays']/site")
    assert own.attrib == {"group": "4", "pos": "0.1 0 0.2"}
    rays = [site for site in root.iter("site") if site.get("class") == "m::lidar_rays"]
    assert [set(site.attrib) for site in rays] == [{"name", "class", "quat"}] * 15
    for model in (
        compiled(mjcf),
        bridge.to_mjspec(loaders.load_string(text, format="sdf")).compile(),
    ):
        assert np.array_equal(model.site_pos[-15:], [(0.1, 0.0, 0.2)] * 15)
        assert set(model.site_group[-15:]) == {4}


def test_rays_turn_left_and_up():
    """The directions of the four corners of the fan."""
    mjcf, _ = read("lidar", "lidar", 2, 0.0, 0.5, 2, 0.0, 0.5, 30)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    ahead, left, up, both = (
        data.site(i).xmat.reshape(3, 3)[:, 2]
        for i in range(model.nsite)
        if "lidar" in data.site(i).name
    )
    assert ahead == pytest.approx((1, 0, 0))
    assert left == pytest.approx((math.cos(0.5), math.sin(0.5), 0))
    assert up == pytest.approx((math.cos(0.5), 0, math.sin(0.5)))
    assert both == pytest.approx((math.cos(0.5) ** 2, math.cos(0.5) * math.sin(0.5), math.sin(0.5)))


def test_a_ray_without_a_hit_reads_its_range():
    _, found = read("lidar", "lidar", 1, 0.0, 0.0, 1, 0.0, 0.0, 1.2)
    assert list(found.values()) == [1.2]


@pytest.mark.parametrize(("samples", "written"), [(100, 100), (640, 92), (10**9, 100)])
def test_many_rays_are_sampled_evenly_and_the_count_is_reported(samples, written):
    mjcf, found = read("lidar", "lidar", samples, -0.5, 0.5, 1, 0.0, 0.0, 30)
    assert len(found) == written
    told = [entry.message for entry in mjcf.diagnostics if entry.code == "mjcf.sensor-rays"]
    assert [f"{samples} rays" in message for message in told] == [True] * (samples > 100)


# Numbers among the parameters of a sensor: invalid text gives the default.


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2.5", 2.5), ("0", 7.0), ("-1", 7.0), ("far", 7.0), ("", 7.0), ("inf", math.inf)],
)
def test_a_positive_number_is_read_and_anything_else_is_the_default(
    text: str, expected: float
) -> None:
    assert positive_number({"range": text}, "range", 7.0) == expected
    assert positive_number({}, "range", 7.0) == 7.0


@pytest.mark.parametrize(
    ("text", "expected"), [("-0.5", -0.5), ("nan", 0.0), ("inf", 0.0), ("left", 0.0)]
)
def test_a_finite_number_is_read_and_anything_else_is_zero(text: str, expected: float) -> None:
    assert finite_number({"angle": text}, "angle") == expected
    assert finite_number({}, "angle") == 0.0


# Sites have unique names and the pose of their frame in the running MuJoCo.


def test_two_frames_of_one_name_are_two_sites_at_their_places() -> None:
    frames = (
        Frame(name="tip", link="a", X_LF=X_LG),
        Frame(name="tip", link="b", X_LF=X_LG.inverse()),
    )
    mjcf = to_mjcf(scene_of(link("a"), link("b", p=(1.0, 0.0, 0.0)), frames=frames))
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert mjcf.names == {"tip": "tip_2"}
    assert np.allclose(data.site("tip").xpos, X_LG.p)
    assert np.allclose(data.site("tip_2").xpos, X_LG.inverse().p + np.array((1.0, 0.0, 0.0)))


def test_springs_between_the_same_points_share_their_sites() -> None:
    spring = SpringDamper(
        link_A="a",
        link_B="b",
        p_AP=X_LG.p,
        p_BQ=X_LG.p,
        free_length=1.0,
        stiffness=1.0,
        damping=0.0,
    )
    model = compiled(
        to_mjcf(scene_of(link("a"), link("b", p=(1.0, 0.0, 0.0)), forces=(spring, spring)))
    )
    assert (model.ntendon, model.nsite) == (2, 2)
    assert np.allclose(model.site_pos, X_LG.p)


# Frames and lights have the poses of the model.


def test_frames_and_lights_stand_where_the_model_has_them():
    frame = Frame(name="tip", link="a", X_LF=X_LG)
    light = Light(
        name="sun", type="directional", link=WORLD, X_LLight=X_LG, direction=(0.0, 0.6, -0.8)
    )
    model = compiled(to_mjcf(scene_of(link("a"), frames=(frame,), lights=(light,))))
    site = model.site("tip")
    assert np.abs(site.pos - X_LG.p).max() <= 1e-15
    assert np.abs(quaternion_to_matrix(site.quat) - X_LG.R).max() <= 1e-15
    assert np.allclose(model.light("sun").dir, X_LG.R @ (0.0, 0.6, -0.8))


# Targets of lights and cameras.

AT_A = Light(
    name="l",
    type="spot",
    link=WORLD,
    X_LLight=IDENTITY,
    target="a",
    engine_settings=(("mujoco", (("mode", "targetbody"),)),),
)


def test_a_light_turns_to_its_target() -> None:
    model = compiled(to_mjcf(dataclasses.replace(scene_of(link("a")), lights=(AT_A,))))
    assert model.light_targetbodyid[0] == model.body("a").id


def test_a_target_that_does_not_exist_is_reported() -> None:
    lost = dataclasses.replace(AT_A, target="moon")
    mjcf = to_mjcf(dataclasses.replace(scene_of(link("a")), lights=(lost,)))
    assert "mjcf.view-target" in codes(mjcf)
