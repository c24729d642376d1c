"""Controllers of Gazebo's plugins and of ros2_control do in MuJoCo what their settings say."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import loaders
from bridge.targets.mjcf import to_mjcf
from loaders.scene import Scene
from tests.support.controlled import I_WHEEL, TRACK, WHEELBASE, arm, car, plugin, steered_car
from tests.support.mujoco_oracle import compiled


def exported(source: Scene, **options: str) -> tuple[mujoco.MjModel, mujoco.MjData, list[str]]:
    mjcf = to_mjcf(source, **{"actuators": "stated", **options})
    model = compiled(mjcf)
    return model, mujoco.MjData(model), [entry.code for entry in mjcf.diagnostics]


def efforts(model: mujoco.MjModel, data: mujoco.MjData) -> list[float]:
    mujoco.mj_forward(model, data)
    return [round(float(x), 9) for x in data.actuator_force]


POSITION = "<joint_name>ja</joint_name><p_gain>20</p_gain><i_gain>0</i_gain><d_gain>2</d_gain>"


@pytest.mark.parametrize("q", [-0.9, -0.1, 0.4, 0.7, 1.9])
@pytest.mark.parametrize("v", [-3.0, 0.0, 2.0])
def test_a_position_controller_has_its_first_target_its_offset_and_its_limits(
    q: float, v: float
) -> None:
    """Gazebo: the effort is ``p (target - q) - d v + offset``, clamped to the limits."""
    limits = "<cmd_max>10</cmd_max><cmd_min>-8</cmd_min><cmd_offset>1.5</cmd_offset>"
    body = f"{POSITION}{limits}<initial_position>0.7</initial_position>"
    model, data, codes = exported(arm(plugin("joint-position-controller", body)))
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    data.joint("m::ja").qpos, data.joint("m::ja").qvel = q, v
    expected = float(np.clip(20.0 * (0.7 - q) - 2.0 * v + 1.5, -8.0, 10.0))
    assert efforts(model, data)[0] == pytest.approx(expected)
    assert "mjcf.initial-control" in codes


def test_the_limits_of_gazebo_and_of_the_joint_hold_where_none_is_stated() -> None:
    wide, narrow = (
        exported(arm(plugin("joint-position-controller", POSITION), effort=limit))[0]
        for limit in (1e16, 50.0)
    )
    assert wide.actuator_forcerange[0].tolist() == [-1000.0, 1000.0]
    assert narrow.actuator_forcerange[0].tolist() == [-50.0, 50.0]


VELOCITY = "<joint_name>ja</joint_name><initial_velocity>5</initial_velocity>"
FORCED = f"{VELOCITY}<use_force_commands>true</use_force_commands><p_gain>0.5</p_gain>"


def test_a_velocity_controller_with_a_gain_has_its_first_target_its_offset_and_its_limits() -> None:
    body = f"{FORCED}<cmd_min>-1</cmd_min><cmd_max>3</cmd_max><cmd_offset>0.25</cmd_offset>"
    model, data, _ = exported(arm(plugin("joint-controller", body)))
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    for v in (-4.0, 0.0, 5.0, 9.0):
        data.joint("m::ja").qvel = v
        expected = float(np.clip(0.5 * (5.0 - v) + 0.25, -1.0, 3.0))
        assert efforts(model, data)[0] == pytest.approx(expected)


@pytest.mark.parametrize("step", ["0.001", "0.004"])
def test_a_speed_that_gazebo_sets_is_reached_in_a_few_steps_and_kept_under_load(step: str) -> None:
    model, data, codes = exported(arm(plugin("joint-controller", VELOCITY), effort=1e16))
    model.opt.timestep = float(step)
    model.jnt_limited[:] = False
    gain = model.actuator_gainprm[0, 0]
    assert gain == pytest.approx(10.0 * I_WHEEL / 1e-3, rel=0.01)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    mujoco.mj_step(model, data, 10)
    assert data.joint("m::ja").qvel[0] == pytest.approx(5.0, rel=1e-3)
    data.joint("m::ja").qfrc_applied = 0.5
    mujoco.mj_step(model, data, 50)
    assert data.joint("m::ja").qvel[0] == pytest.approx(5.0 + 0.5 / gain, rel=1e-3)
    assert "mjcf.assumed-gain" in codes


TRAJECTORY = """<joint_name>ja</joint_name><initial_position>0.25</initial_position>
<joint_name>jb</joint_name><initial_position>-0.5</initial_position>
<position_p_gain>100</position_p_gain><position_d_gain>9</position_d_gain>
<position_cmd_min>-30</position_cmd_min><position_cmd_max>20</position_cmd_max>
<position_p_gain>40</position_p_gain><velocity_p_gain>0</velocity_p_gain>
<velocity_p_gain>3</velocity_p_gain>"""


def test_a_trajectory_controller_has_gains_limits_and_targets_of_each_joint() -> None:
    model, data, _ = exported(arm(plugin("joint-trajectory-controller", TRAJECTORY)))
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    assert data.ctrl.tolist() == [0.25, -0.5]
    data.qvel[:] = (1.0, 2.0)
    first, second = efforts(model, data)
    assert first == pytest.approx(100.0 * 0.25 - 9.0 * 1.0)
    assert second == pytest.approx(40.0 * -0.5 - 3.0 * 2.0)
    assert model.actuator_forcerange.tolist() == [[-30.0, 20.0], [-50.0, 50.0]]


def test_a_trajectory_controller_without_joints_drives_all() -> None:
    source = arm(plugin("joint-trajectory-controller", "<position_p_gain>7</position_p_gain>"))
    driven = {a.joint: a.p_gain for a in source.actuators if a.interfaces == ("position",)}
    assert driven == {"m::ja": 7.0}
    assert [a.joint for a in source.actuators if a.interfaces == ("effort",)] == ["m::jb"]


def test_a_second_plugin_of_a_joint_is_reported() -> None:
    first, second = (
        plugin("joint-position-controller", POSITION),
        plugin("joint-controller", VELOCITY),
    )
    source = arm(first + second)
    (entry,) = [entry for entry in source.diagnostics if entry.code == "gazebo.joint"]
    assert "driven by another plugin" in entry.message
    assert [a.p_gain for a in source.actuators if a.joint == "m::ja"] == [20.0]


def test_kinds_of_actuators_are_those_that_the_source_commands() -> None:
    source = arm(
        plugin("joint-position-controller", POSITION)
        + plugin("joint-controller", "<joint_name>jb</joint_name>")
        + plugin("apply-joint-force", "<joint_name>jc</joint_name>"),
        joints="a b c d",
    )
    mjcf = to_mjcf(source, actuators="stated")
    written = mjcf.split("<actuator>")[1].split("</actuator>")[0].split()
    assert [word for word in written if word.startswith("<")] == [
        "<position",
        "<velocity",
        "<motor",
        "<motor",
    ]


def test_a_target_of_another_quantity_is_reported() -> None:
    _, _, codes = exported(arm(plugin("joint-controller", VELOCITY)), actuators="motor")
    assert "mjcf.other-command" in codes
    assert "mjcf.initial-control" not in codes


# --- every setting --------------------------------------------------------------------------------

_COMMANDS = "topic sub_topic use_actuator_msg actuator_number"
_PID = "p_gain i_gain d_gain i_max i_min cmd_max cmd_min cmd_offset"
_ODOMETRY = "odom_publish_frequency odom_topic tf_topic frame_id child_frame_id topic"
_BOUNDS = " ".join(
    f"{bound}_{kind}{name}"
    for bound in ("min", "max")
    for kind in ("", "linear_", "angular_")
    for name in ("velocity", "acceleration", "jerk")
)
_SIDES = "<left_joint>ja</left_joint><right_joint>jb</right_joint>"
SYSTEMS = {
    "joint-position-controller": (
        "<joint_name>ja</joint_name>",
        f"{_PID} {_COMMANDS} joint_index use_velocity_commands initial_position",
    ),
    "joint-controller": (
        "<joint_name>ja</joint_name>",
        f"{_PID} {_COMMANDS} use_force_commands initial_velocity",
    ),
    "joint-trajectory-controller": (
        "<joint_name>ja</joint_name>",
        " ".join(f"{kind}_{name}" for kind in ("position", "velocity") for name in _PID.split())
        + " topic use_header_start_time initial_position",
    ),
    "apply-joint-force": ("<joint_name>ja</joint_name>", "topic"),
    "diff-drive": (_SIDES, f"wheel_separation wheel_radius {_ODOMETRY} {_BOUNDS}"),
    "ackermann-steering": (
        _SIDES,
        "steering_only steer_p_gain wheel_separation kingpin_width wheel_base steering_limit "
        f"wheel_radius min_velocity max_velocity min_acceleration min_jerk {_ODOMETRY}",
    ),
    "mecanum-drive": (
        "<front_left_joint>ja</front_left_joint><back_right_joint>jb</back_right_joint>",
        f"wheelbase wheel_separation wheel_radius {_ODOMETRY} {_BOUNDS}",
    ),
}
"""Joints and all other settings of each controller of gz-sim."""
_STATES = ("", "<use_force_commands>true</use_force_commands>", "<i_gain>2</i_gain>")
"""Other settings of the plugin at the time."""


def outcome(source: Scene) -> tuple[object, ...]:
    said = tuple((entry.code, entry.message) for entry in source.diagnostics)
    return (tuple(repr(actuator) for actuator in source.actuators), said)


@pytest.mark.parametrize(
    ("system", "setting"),
    [(system, name) for system, (_, names) in SYSTEMS.items() for name in names.split()],
)
def test_each_setting_of_a_controller_changes_the_outcome(system: str, setting: str) -> None:
    joints, _ = SYSTEMS[system]
    is_flag = setting.startswith("use_") or setting == "steering_only"
    values = ("false", "true") if is_flag else ("0.5", "1.5")
    for state in _STATES:
        if f"<{setting}>" in state:
            continue
        found = [
            outcome(arm(plugin(system, f"{joints}{state}<{setting}>{value}</{setting}>")))
            for value in values
        ]
        assert found[0] != found[1], state


# --- vehicles -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("v", "w"), [(0.5, 0.8), (0.3, -1.2), (0.5, 0.0)])
@pytest.mark.parametrize("inertia", [2.5e-3, 1e-4])
@pytest.mark.parametrize("step", [1e-3, 2e-3])
def test_a_car_turns_as_commanded(v: float, w: float, inertia: float, step: float) -> None:
    """Wheels that roll without slip: speed v and yaw rate w, on a circle of radius v / w."""
    model, data, _ = exported(car(inertia=inertia, step=step), contacts="pairs")
    wheels = [(v - 0.2 * w) / 0.1, (v + 0.2 * w) / 0.1]
    data.ctrl[:] = wheels
    mujoco.mj_step(model, data, round(1.0 / step))
    speeds = np.array([data.joint(f"car::{side}_wheel").qvel[0] for side in ("left", "right")])
    assert np.abs(speeds - wheels).max() < 0.02
    chassis, turn = data.body("car::body"), []
    for _ in range(round(1.0 / step)):
        mujoco.mj_step(model, data)
        turn.append(data.qvel[5])
    forward = chassis.xmat.reshape(3, 3)[:, 0] @ data.qvel[:3]
    assert forward == pytest.approx(v, rel=0.03)
    assert np.mean(turn) == pytest.approx(w, rel=0.03, abs=1e-3)


@pytest.mark.parametrize("step", [1e-3, 2e-3])
def test_a_car_with_steered_wheels_turns_about_the_point_that_they_point_at(step: float) -> None:
    """Ackermann: all axes meet in one point, at the radius R beside the rear axle."""
    model, data, _ = exported(steered_car(step))
    R, v = 1.5, 0.5
    sides = {"l": R - TRACK / 2, "r": R + TRACK / 2}
    for side, radius in sides.items():
        steering = model.actuator(f"car::{side}_steering").id
        data.ctrl[steering] = np.arctan(WHEELBASE / radius)
        data.ctrl[model.actuator(f"car::r{side}_wheel").id] = v / R * radius / 0.1
    mujoco.mj_step(model, data, round(1.0 / step))
    turn = []
    for _ in range(round(1.0 / step)):
        mujoco.mj_step(model, data)
        turn.append(data.qvel[5])
    assert np.mean(turn) == pytest.approx(v / R, rel=0.01)


def test_the_speed_of_a_wheel_ends_where_the_speeds_of_the_car_do() -> None:
    limits = (
        "<min_linear_velocity>-0.5</min_linear_velocity><max_linear_velocity>1</max_linear_velocity>"
        "<min_angular_velocity>-2</min_angular_velocity><max_angular_velocity>3</max_angular_velocity>"
    )
    model, _, _ = exported(car(inertia=1e-3, step=1e-3, more=limits))
    expected = [(-0.5 - 0.2 * 3.0) / 0.1, (1.0 + 0.2 * 3.0) / 0.1]
    assert model.actuator_ctrlrange[0].tolist() == pytest.approx(expected)


# --- ros2_control ---------------------------------------------------------------------------------

URDF = """<robot name="r"><link name="base"/><link name="a"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="ja" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="50" velocity="9"/></joint>
<ros2_control name="c" type="system"><hardware><plugin>gz_ros2_control/GazeboSimSystem</plugin>
</hardware><joint name="ja"><command_interface name="{}"><param name="min">{}</param>
<param name="max">{}</param><param name="other">7</param></command_interface>
<state_interface name="position"><param name="initial_value">0.3</param></state_interface></joint>
</ros2_control></robot>"""


@pytest.mark.parametrize(
    ("kind", "low", "high"), [("position", -1, 1.5), ("velocity", -3, 4), ("effort", -5, 6)]
)
def test_ros2_control_bounds_the_commands_and_states_the_initial_position(
    kind: str, low: float, high: float
) -> None:
    source = loaders.load_string(URDF.format(kind, low, high), format="urdf", quiet=True)
    model, data, _ = exported(source)
    assert model.actuator_ctrlrange.tolist() == [[low, high]]
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    assert data.joint("ja").qpos[0] == 0.3
    said = [entry.message for entry in source.diagnostics]
    assert any("<param> other" in message for message in said)
    if kind == "velocity":
        data.ctrl[0] = 2.0
        mujoco.mj_step(model, data, 100)
        assert data.joint("ja").qvel[0] == pytest.approx(2.0, rel=1e-3)
