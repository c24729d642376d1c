"""Sensors measure in MuJoCo what they measure in the source."""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest

import loaders
from bridge.targets.mjcf import to_mjcf
from loaders.model import WORLD, Box, Collision, JointType, Sensor
from loaders.pose import IDENTITY, Pose, quaternion_to_matrix
from tests.support.mjcf_scenes import X_LG, codes, hinge, link, scene_of
from tests.support.mujoco_oracle import compiled


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
        return data.sensor("s_force").data.copy(), R_WP, R_WC

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
