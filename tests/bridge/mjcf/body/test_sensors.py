"""Sensors measure in MuJoCo what they measure in the source."""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest

from bridge.mjcf import to_mjcf
from loaders.model import (
    WORLD,
    Box,
    Collision,
    JointType,
    Sensor,
)
from loaders.spatial import IDENTITY, Pose, quaternion_to_matrix
from tests.support.mjcf_scenes import X_LG, codes, hinge, link, scene_of
from tests.support.mujoco_oracle import compiled


def test_an_imu_at_rest_measures_the_reaction_to_gravity():
    imu = Sensor(name="imu", type="imu", X_LS=X_LG)
    model = compiled(to_mjcf(scene_of(link("a", sensors=(imu,)), joints=(hinge("s", WORLD, "a"),))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert np.allclose(data.sensor("imu_acceleration").data, X_LG.R.T @ (0, 0, 9.8))


def test_a_camera_looks_along_x_with_z_up_and_has_the_sources_view():
    parameters = (("camera/horizontal_fov", "1.2"), ("camera/image/width", "640"), ("camera/image/height", "480"))
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
    mjcf = to_mjcf(scene_of(link("a"), link("b"), joints=(hinge("s", WORLD, "a", JointType.FIXED), weld)))
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert np.allclose(data.sensor("ft_force").data, (0, 0, 9.8))
    assert "mjcf.force-torque-sign" in codes(mjcf)


def test_a_range_finder_looks_along_x():
    wall = link(
        "wall",
        model="ground",
        collisions=(Collision(name="w", X_LG=Pose.of(p=(2.0, 0, 0)), geometry=Box(size=(1, 1, 1))),),
    )
    lidar = Sensor(name="lidar", type="lidar", X_LS=IDENTITY)
    model = compiled(to_mjcf(scene_of(wall, link("a", sensors=(lidar,)))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.sensor("lidar").data[0] == pytest.approx(1.5)
