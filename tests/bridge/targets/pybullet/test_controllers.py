"""Controllers of the file do in PyBullet what their settings say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bridge import load_into_pybullet
from tests.support.controlled import I_WHEEL, arm, car, plugin

STEP = 1e-3
GAINS = "<joint_name>ja</joint_name><p_gain>20</p_gain><i_gain>0</i_gain><d_gain>2</d_gain>"


def acceleration(robot, act) -> float:
    """The angular acceleration of the first joint in a step [rad/s^2]."""
    before = robot.velocities()["m::ja"]
    act()
    robot.step()
    return (robot.velocities()["m::ja"] - before) / STEP


@pytest.mark.parametrize(("q", "v"), [(-0.9, 0.0), (0.4, 1.0), (0.7, 0.0), (1.9, -2.0)])
def test_a_controller_has_its_first_target_its_offset_and_its_limits(bullet_client, q, v):
    """Gazebo: the effort is ``p (target - q) - d v + offset``, clamped to the limits."""
    limits = "<cmd_max>10</cmd_max><cmd_min>-8</cmd_min><cmd_offset>1.5</cmd_offset>"
    body = f"{GAINS}{limits}<initial_position>0.7</initial_position>"
    source = arm(plugin("joint-position-controller", body))
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    robot.apply_physics()
    robot.set_positions({"m::ja": q})
    robot.set_velocities({"m::ja": v})
    expected = float(np.clip(20.0 * (0.7 - q) - 2.0 * v + 1.5, -8.0, 10.0))
    found = acceleration(robot, robot.apply_control)
    assert found * I_WHEEL == pytest.approx(expected, rel=1e-3, abs=1e-6)


def test_a_speed_that_gazebo_sets_is_reached_at_once_and_a_damped_one_by_its_gain(bullet_client):
    forced = "<use_force_commands>true</use_force_commands><p_gain>0.5</p_gain>"
    source = arm(
        plugin("joint-controller", "<joint_name>ja</joint_name>")
        + plugin("joint-controller", f"<joint_name>jb</joint_name>{forced}")
    )
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    robot.apply_physics()
    robot.apply_control(velocities={"m::ja": 2.0, "m::jb": 3.0})
    robot.step()
    assert robot.velocities()["m::ja"] == pytest.approx(2.0, rel=1e-3)
    assert robot.velocities()["m::jb"] == pytest.approx(0.5 * 3.0 / I_WHEEL * STEP, rel=1e-3)


@pytest.mark.parametrize(("v", "w"), [(0.5, 0.8), (0.3, -1.2)])
def test_a_car_turns_as_commanded(bullet_client, v, w):
    robots = load_into_pybullet(car(inertia=2.5e-3, step=STEP), physicsClientId=bullet_client)
    robots.apply_physics()
    speeds = {"car::left_wheel": (v - 0.2 * w) / 0.1, "car::right_wheel": (v + 0.2 * w) / 0.1}
    for _ in range(1000):
        robots.apply_control(velocities=speeds)
        robots.step()
    yaw = [math.atan2(X.R[1, 0], X.R[0, 0]) for X in poses(robots, speeds)]
    turned = (yaw[-1] - yaw[0] + math.pi) % (2.0 * math.pi) - math.pi
    assert turned == pytest.approx(w, rel=0.03)


def poses(robots, speeds):
    """The pose of the body at the start and at the end of a second."""
    yield robots.link_pose("car::body")
    for _ in range(1000):
        robots.apply_control(velocities=speeds)
        robots.step()
    yield robots.link_pose("car::body")
