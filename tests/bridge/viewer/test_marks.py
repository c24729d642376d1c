"""What the viewer draws beside shapes, against closed forms and the motion of links."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bridge
import loaders
from bridge import parity
from bridge.mechanism.coordinates import random_position
from bridge.viewer.marks import (
    OUTSIDE_COLOR,
    PRESENT_COLOR,
    Recording,
    inertia_box,
    joint_marks,
    largest_distance,
)
from loaders.inertia import SpatialInertia
from loaders.model import Box, JointAxis, JointType
from loaders.pose import Pose, rotation_about
from tests.support.scenes import joint, link, scene

R = rotation_about((0.6, 0.0, 0.8), 0.7)


@pytest.mark.parametrize(
    "size", [(0.2, 0.3, 0.5), (0.1, 0.1, 0.4), (1.0, 1.0, 1.0), (0.3, 0.2, 0.0)]
)
def test_the_box_of_a_box_is_the_box(size: tuple[float, float, float]) -> None:
    squares = np.square(size)
    moments = 3.0 / 12.0 * (squares.sum() - squares)
    found = inertia_box(SpatialInertia.of(3.0, (0.1, 0.2, 0.3), R @ np.diag(moments) @ R.T))
    assert found is not None
    sides, X_LB = found
    assert np.allclose(X_LB.p, (0.1, 0.2, 0.3))
    second_moments = X_LB.R @ np.diag(np.square(sides)) @ X_LB.R.T
    assert np.allclose(second_moments, R @ np.diag(squares) @ R.T, atol=1e-12)


@pytest.mark.parametrize("inertia", [(0.0, (1.0, 1.0, 1.0)), (1.0, (1.0, 1.0, 3.0))])
def test_no_box_has_no_mass_or_impossible_moments(
    inertia: tuple[float, tuple[float, float, float]],
) -> None:
    mass, moments = inertia
    assert inertia_box(SpatialInertia.of(mass, (0.0, 0.0, 0.0), np.diag(moments))) is None


def two_links(joint_type: JointType) -> bridge.Mechanism:
    axes = [
        JointAxis(xyz=np.array((0.6, 0.0, 0.8)), lower=-0.5, upper=1.5),
        JointAxis(xyz=np.array((0.0, 1.0, 0.0))),
    ]
    count = {JointType.UNIVERSAL: 2, JointType.SCREW: 1}.get(joint_type, 1)
    box = Box(size=(0.1, 0.1, 0.1))
    arm = joint(
        "j", "a", "b", joint_type, axes=tuple(axes[:count]),
        X_PJ=Pose.of(R, (0.3, 0.0, 0.1)), X_CJ=Pose.of(R.T, (0.0, 0.2, 0.0)),
    )  # fmt: skip
    return bridge.lower(scene([link("a", shape=box), link("b", shape=box)], [arm]))


@pytest.mark.parametrize(
    "joint_type", [JointType.REVOLUTE, JointType.PRISMATIC, JointType.UNIVERSAL]
)
def test_an_axis_is_that_about_which_the_link_moves(joint_type: JointType) -> None:
    mechanism = two_links(joint_type)
    rng = np.random.default_rng(1)
    step = 1e-6
    (body,) = [body for body in mechanism.bodies if body.joint == "j"]
    q = np.atleast_1d(random_position(body, rng))
    marks = joint_marks(mechanism, {"j": tuple(q)}, 0.2)
    assert len(marks.arrows) == body.nv
    X_WB = mechanism.link_poses({"j": tuple(q)})["b"]
    for k, (start, end) in enumerate(marks.arrows):
        assert math.isclose(float(np.linalg.norm(end - start)), 0.2)
        moved = mechanism.link_poses({"j": tuple(q + step * np.eye(body.nv)[k])})["b"]
        X_moved = moved @ X_WB.inverse()
        if joint_type is JointType.PRISMATIC:
            assert np.allclose((moved.p - X_WB.p) / step, (end - start) / 0.2, atol=1e-8)
        else:
            for point in (start, end):  # points of the axis stay where they are
                assert np.allclose(X_moved.R @ point + X_moved.p, point, atol=1e-10)
            turned = X_moved.R @ (across := np.cross(end - start, (1.0, 2.0, 3.0)))
            assert np.cross(across, turned) @ (end - start) > 0.0


@pytest.mark.parametrize("joint_type", [JointType.REVOLUTE, JointType.PRISMATIC])
def test_a_position_at_a_limit_is_at_the_end_of_the_range(joint_type: JointType) -> None:
    mechanism = two_links(joint_type)
    for value, place in ((-0.5, (0, 0)), (1.5, (-2, 1))):
        marks = joint_marks(mechanism, {"j": value}, 0.2)
        assert np.allclose(marks.segments[-1][1], marks.segments[place[0]][place[1]])
        assert marks.segment_colors[-1] == PRESENT_COLOR
    assert joint_marks(mechanism, {"j": 1.6}, 0.2).segment_colors[-1] == OUTSIDE_COLOR


def test_a_motion_has_the_last_state_that_is_not_after_a_time() -> None:
    motion = Recording(times=np.array((0.0, 0.1, 0.2)), poses=(), positions=())
    assert [motion.index(time) for time in (-1.0, 0.0, 0.05, 0.1, 0.25)] == [0, 0, 0, 1, 2]


def test_links_of_one_name_are_compared() -> None:
    one = {"a": Pose.of(p=(0.0, 0.0, 1.0)), "b": Pose.of()}
    two = {"a": Pose.of(p=(0.0, 0.0, 3.0)), "c": Pose.of()}
    assert largest_distance(one, two) == (2.0, "a")
    assert largest_distance(one, {}) == (0.0, "")


DROP = """<sdf version="1.9"><world name="w"><gravity>0 0 -10</gravity>
<model name="floor"><static>true</static><link name="l"><collision name="c"><geometry><plane/></geometry>
</collision></link></model>
<model name="box"><pose>0 0 0.3 0 0 0</pose><link name="l"><inertial auto="true"/><collision name="c"><geometry>
<box><size>.2 .2 .2</size></box></geometry></collision></link></model></world></sdf>"""


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_a_falling_box_falls_and_touches_the_floor(engine: str) -> None:
    pytest.importorskip(engine)
    dropped = bridge.lower(loaders.load_string(DROP, format="sdf"))
    motion = parity.record_motion(dropped, engine, seconds=0.5)
    heights = np.array([poses["box::l"].p[2] for poses in motion.poses])
    falling = motion.times < 0.19  # it falls 0.2 m in 0.2 s
    step = dropped.physics.time_step
    fallen = 0.3 - 5.0 * motion.times**2
    assert np.all(np.abs(heights - fallen)[falling] <= 10.0 * step * motion.times[falling] + 1e-9)
    assert heights[-1] == pytest.approx(0.1, abs=5e-3)
    assert len(motion.contacts[0]) == 0
    assert len(motion.contacts[-1]) >= 2
    assert np.allclose(motion.contacts[-1][:, 2], 0.0, atol=5e-3)
    with pytest.raises(ValueError, match="positive"):
        parity.record_motion(dropped, engine, seconds=0.0)
