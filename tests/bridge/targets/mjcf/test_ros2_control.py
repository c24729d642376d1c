"""Models for mujoco_ros2_control: the names that it looks for, and ``<mujoco_inputs>``."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from loaders import Scene

BODY = "<inertial><mass value='1'/><inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial>"
LIMIT = "<limit lower='-1' upper='1' effort='50' velocity='2'/>"
LINKS = f"""<link name='world'/><link name='base'>{BODY}</link><link name='arm'>{BODY}</link>
<link name='left'>{BODY}</link><link name='right'>{BODY}</link><link name='eye'/><link name='scan'/>
<joint name='w' type='fixed'><parent link='world'/><child link='base'/></joint>
<joint name='j' type='revolute'><parent link='base'/><child link='arm'/><origin xyz='0 0 .3'/><axis xyz='0 1 0'/>{LIMIT}</joint>
<joint name='l' type='prismatic'><parent link='arm'/><child link='left'/><axis xyz='0 1 0'/>{LIMIT}</joint>
<joint name='r' type='prismatic'><parent link='arm'/><child link='right'/><axis xyz='0 1 0'/>{LIMIT}<mimic joint='l' multiplier='-1'/></joint>
<joint name='e' type='fixed'><parent link='arm'/><child link='eye'/><origin xyz='0 0 .1' rpy='.1 .2 .3'/></joint>
<joint name='s' type='fixed'><parent link='arm'/><child link='scan'/><origin xyz='0 .2 0' rpy='.3 0 .4'/></joint>"""
SENSORS = """<gazebo reference='arm'><sensor name='imu0' type='imu'/>
<sensor name='lid0' type='gpu_lidar'><lidar><scan><horizontal><samples>8</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal></scan><range><min>.1</min><max>5</max></range></lidar></sensor>
<sensor name='cam0' type='camera'><camera><horizontal_fov>1.2</horizontal_fov><image><width>64</width><height>48</height></image></camera></sensor>
<sensor name='mag0' type='magnetometer'/></gazebo>
<gazebo reference='j'><sensor name='ft0' type='force_torque'/></gazebo>"""
CONTROL = """<ros2_control name='c' type='system'><hardware><plugin>x/y</plugin></hardware>
<joint name='j'><command_interface name='position'/></joint><joint name='l'><command_interface name='velocity'/></joint></ros2_control>"""
INPUTS = """<mujoco_inputs>
<raw_inputs><option integrator='RK4' density='1.2'><flag contact='disable'/></option>
<default><default class='collision'><geom rgba='1 0 0 1'/></default></default>
<actuator><position name='j' joint='j' kp='25000'/></actuator>
<tendon><fixed name='split'><joint joint='l' coef='.5'/><joint joint='r' coef='-.5'/></fixed></tendon>
<equality><joint joint1='l' joint2='r' polycoef='0 -1 0 0 0' solref='0.005 1'/></equality>
<sensor><rangefinder name='lidar' site='rf'/><framequat name='pose_quat' objtype='site' objname='base'/></sensor></raw_inputs>
<processed_inputs><camera site='eye' name='camera' fovy='58' resolution='640 480'/>
<lidar ref_site='scan' sensor_name='rf' min_angle='-0.5' max_angle='0.7' angle_increment='0.1'/>
<modify_element type='joint' name='j' frictionloss='1.5' damping='2'/><modify_element type='body' name='arm' gravcomp='1'/></processed_inputs>
<scene><worldbody><light pos='0 0 1.5'/></worldbody></scene></mujoco_inputs>"""


def read(*parts: str) -> Scene:
    text = f"<robot name='r'>{LINKS}{''.join(parts)}</robot>"
    return loaders.load_string(text, format="urdf", quiet=True)


def compiled(*parts: str) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(
        bridge.to_mjcf(read(*parts), program="ros2_control", quiet=True)
    )


def names(model: mujoco.MjModel, kind: mujoco.mjtObj, count: int) -> list[str]:
    return [mujoco.mj_id2name(model, kind, i) or "" for i in range(count)]


def test_sensors_have_the_names_that_the_hardware_interface_looks_for() -> None:
    model = compiled(SENSORS, CONTROL)
    found = set(names(model, mujoco.mjtObj.mjOBJ_SENSOR, model.nsensor))
    assert found >= {"imu0_quat", "imu0_gyro", "imu0_accel", "ft0_force", "ft0_torque", "mag0"}
    assert {name for name in found if name.startswith("lid0")} == {f"lid0-0{i}" for i in range(8)}
    assert model.camera("cam0").fovy[0] > 0.0
    default = mujoco.MjModel.from_xml_string(bridge.to_mjcf(read(SENSORS, CONTROL), quiet=True))
    assert "imu0_orientation" in names(default, mujoco.mjtObj.mjOBJ_SENSOR, default.nsensor)


def test_joints_actuators_and_sites_have_the_names_of_the_urdf() -> None:
    model = compiled(CONTROL)
    assert names(model, mujoco.mjtObj.mjOBJ_JOINT, model.njnt) == ["j", "l", "r"]
    assert names(model, mujoco.mjtObj.mjOBJ_ACTUATOR, model.nu) == ["j", "l"]
    kinds = [model.actuator(name).biasprm[1:3] != 0.0 for name in ("j", "l")]
    assert [kind.tolist() for kind in kinds] == [[True, True], [False, True]]  # position, velocity
    sites = set(names(model, mujoco.mjtObj.mjOBJ_SITE, model.nsite))
    assert sites >= {"world", "base", "arm", "left", "right", "eye", "scan"}


def test_raw_inputs_are_in_the_model() -> None:
    model = compiled(CONTROL, INPUTS)
    assert (model.opt.integrator, model.opt.density) == (mujoco.mjtIntegrator.mjINT_RK4, 1.2)
    assert model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CONTACT
    assert model.actuator("j").gainprm[0] == 25000.0
    assert names(model, mujoco.mjtObj.mjOBJ_ACTUATOR, model.nu) == ["l", "j"]
    assert model.ntendon == 1
    assert model.neq == 1  # that of the inputs replaces that of <mimic>
    assert model.eq_solref[0].tolist() == [0.005, 1.0]
    assert model.nlight == 1


def test_processed_inputs_are_in_the_model() -> None:
    model = compiled(CONTROL, INPUTS)
    joint = model.joint("j")
    assert (joint.frictionloss, joint.damping[0]) == (1.5, 2.0)
    assert model.body_gravcomp[model.body("arm").id] == 1.0
    assert (model.camera("camera").fovy[0], model.cam_resolution[0].tolist()) == (58.0, [640, 480])
    data = mujoco.MjData(model)
    data.joint("j").qpos[0] = 0.4
    mujoco.mj_forward(model, data)
    R_WE = data.site("eye").xmat.reshape(3, 3)
    # The camera looks along -z with y up, the optical frame of ROS along z with y down.
    expected = R_WE @ np.diag((1.0, -1.0, -1.0))
    np.testing.assert_allclose(data.camera("camera").xmat.reshape(3, 3), expected, atol=1e-12)
    R_WS = data.site("scan").xmat.reshape(3, 3)
    count = int((0.7 + 0.5) / 0.1) + 1
    sensors = names(model, mujoco.mjtObj.mjOBJ_SENSOR, model.nsensor)
    assert [name for name in sensors if name.startswith("lidar-")] == [
        f"lidar-{i:02d}" for i in range(count)
    ]
    for i in range(count):
        angle = -0.5 + 0.1 * i
        ray = R_WS @ (math.cos(angle), math.sin(angle), 0.0)
        np.testing.assert_allclose(data.site(f"rf-{i:02d}").xmat[2::3], ray, atol=1e-12)


WRONG = {
    "<raw_inputs><asset><mesh name='m' file='/etc/passwd'/></asset></raw_inputs>": "reads files",
    "<raw_inputs><include file='x.xml'/></raw_inputs>": "reads files",
    "<raw_inputs><asset><texture name='t' type='2d' file='x.png'/></asset></raw_inputs>": "reads files",
    "<raw_inputs><extension><plugin plugin='p'/></extension></raw_inputs>": "loads code",
    "<raw_inputs><compiler meshdir='/etc'/></raw_inputs>": "reads files",
    "<raw_inputs><custom/></raw_inputs>": "no section",
    "<processed_inputs><camera site='nowhere'/></processed_inputs>": "no link 'nowhere'",
    "<processed_inputs><lidar ref_site='scan' min_angle='0'/></processed_inputs>": "needs the numbers",
    "<processed_inputs><lidar ref_site='scan' min_angle='0' max_angle='1' angle_increment='0'/></processed_inputs>": "no number of rays",
    "<processed_inputs><modify_element type='joint' name='x' damping='1'/></processed_inputs>": "no joint 'x'",
    "<processed_inputs><decompose_mesh mesh_name='m'/></processed_inputs>": "no counterpart",
    "<other/>": "no part of <mujoco_inputs>",
}


@pytest.mark.parametrize("inside", WRONG)
def test_what_cannot_be_added_is_named(inside: str) -> None:
    scene = read(f"<mujoco_inputs>{inside}</mujoco_inputs>")
    result = bridge.to_mjcf(scene, program="ros2_control", quiet=True)
    found = [entry for entry in result.diagnostics if entry.code == "mjcf.mujoco-inputs"]
    assert len(found) == 1
    assert WRONG[inside] in found[0].message
    assert "passwd" not in result


HUGE = (
    "<asset><texture name='t' type='2d' builtin='flat' width='100000' height='100000'/></asset>",
    "<worldbody><replicate count='100000000'><body/></replicate></worldbody>",
)


@pytest.mark.parametrize("inside", HUGE)
def test_what_is_too_large_is_refused_by_the_reader(inside: str) -> None:
    with pytest.raises(loaders.LoadError, match=r"large|limit"):
        read(f"<mujoco_inputs><scene>{inside}</scene></mujoco_inputs>")


def test_inputs_are_named_where_they_are_not_written() -> None:
    found = bridge.to_mjcf(read(INPUTS), quiet=True).diagnostics
    assert "mjcf.mujoco-element" in {entry.code for entry in found}
    found = bridge.to_sdf(read(INPUTS), quiet=True).diagnostics
    assert any("MuJoCo" in entry.message for entry in found)
