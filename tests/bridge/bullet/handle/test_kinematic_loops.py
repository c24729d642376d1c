"""Kinematic loops of bodies in PyBullet: what is said of the joint that closes one, and by how much
it is open.
"""

from __future__ import annotations

import math

import pytest

import bridge
from bridge.targets.pybullet.body import by_joint, loop_gaps, loop_joints
from loaders import Pose, load_string

BAR = "<inertial><mass>1</mass></inertial>"
PARALLELOGRAM = """<sdf version='1.11'><model name='m'>
<link name='base'>{bar}</link>
<link name='left'>{bar}</link><link name='right'><pose>1 0 0 0 0 0</pose>{bar}</link>
<link name='top'><pose>0 0 1 0 0 0</pose>{bar}</link>
<joint name='fixed' type='fixed'><parent>world</parent><child>base</child></joint>
<joint name='a' type='revolute'><parent>base</parent><child>left</child>{y}</joint>
<joint name='b' type='revolute'><parent>base</parent><child>right</child>{y}</joint>
<joint name='c' type='revolute'><parent>left</parent><child>top</child>{y}</joint>
<joint name='d' type='{last}'><pose>1 0 0 0 0 0</pose><parent>right</parent><child>top</child>{axis}</joint>
</model></sdf>"""
"""Four bars of 1 m; the last joint is at the upper right corner."""
Y_AXIS = "<axis><xyz>0 1 0</xyz></axis>"


def four_bars(last="revolute", axis=Y_AXIS):
    text = PARALLELOGRAM.format(bar=BAR, y=Y_AXIS, last=last, axis=axis)
    return load_string(text, format="sdf", quiet=True)


@pytest.mark.parametrize(("last", "axis"), [("revolute", Y_AXIS), ("ball", "")])
@pytest.mark.parametrize("loader", [bridge.load_into_pybullet, bridge.load_world_into_pybullet])
def test_gaps_are_those_of_the_closed_form(bullet_client, loader, last, axis):
    """The left bar turns and takes the top along; then the top turns back; then the right bar
    follows.
    """
    robot = loader(four_bars(last, axis), physicsClientId=bullet_client)
    assert robot.loop_gaps() == {"d": pytest.approx(0.0, abs=1e-12)}
    robot.set_positions({"a": 0.3})
    corner = (math.sin(0.3) + math.cos(0.3), math.cos(0.3) - math.sin(0.3))
    assert robot.loop_gaps() == {"d": pytest.approx(math.dist(corner, (1.0, 1.0)), abs=1e-12)}
    robot.set_positions({"c": -0.3})
    assert robot.loop_gaps() == {"d": pytest.approx(2.0 * math.sin(0.15), abs=1e-12)}
    robot.set_positions({"b": 0.3})
    assert robot.loop_gaps() == {"d": pytest.approx(0.0, abs=1e-12)}


def test_gaps_are_distances_between_the_frames_of_the_joint():
    """The top is moved by 0.2 m along x and 0.1 m along z."""
    mechanism = bridge.lower(four_bars("ball", ""))
    poses = mechanism.link_poses({})
    moved = {**poses, "top": Pose.of(p=(0.2, 0.0, 0.1)) @ poses["top"]}
    assert loop_gaps(mechanism, moved.__getitem__) == {
        "d": pytest.approx(math.hypot(0.2, 0.1), abs=1e-12)
    }


CRANE = """<mujoco><worldbody>
<body name="left"><joint name="a" axis="0 1 0"/><geom size=".1" mass="1"/></body>
<body name="right" pos="1 0 0"><joint name="b" axis="0 1 0"/><geom size=".1" mass="1"/></body>
</worldbody><equality>{equality}</equality></mujoco>"""


@pytest.mark.parametrize(
    ("equality", "at_rest"),
    [
        ('<connect body1="left" body2="right" anchor="0.5 0 0"/>', 0.0),
        ('<weld body1="left" body2="right"/>', 0.0),
        ('<connect body1="left" body2="right" anchor="0.5 0 0" active="false"/>', None),
    ],
)
def test_gaps_of_constraints_are_those_of_the_closed_form(bullet_client, equality, at_rest):
    """A point of the left body turns about its origin; the point of the right body, at the same
    place, stays.
    """
    scene = load_string(CRANE.format(equality=equality), format="mjcf", quiet=True)
    robot = bridge.load_into_pybullet(scene, physicsClientId=bullet_client)
    if at_rest is None:
        assert robot.loop_gaps() == {}
        return
    assert robot.loop_gaps() == {"left, right": pytest.approx(at_rest, abs=1e-12)}
    robot.set_positions({"a": 0.3})
    arm = 0.5 if "connect" in equality else 1.0  # a weld holds the origin of the right body
    assert robot.loop_gaps() == {"left, right": pytest.approx(2.0 * arm * math.sin(0.15), abs=1e-9)}


@pytest.mark.parametrize("loader", [bridge.load_into_pybullet, bridge.load_world_into_pybullet])
def test_the_position_of_a_joint_that_closes_a_loop_is_refused_with_the_reason(
    bullet_client, loader
):
    robot = loader(four_bars("ball", ""), physicsClientId=bullet_client)
    for values in (robot.positions(), robot.velocities()):
        assert isinstance(values, dict)
        assert len(values) == 3
        with pytest.raises(
            KeyError, match="the joint 'd' closes a kinematic loop: PyBullet has a constraint"
        ):
            values["d"]
        with pytest.raises(KeyError, match="unknown joint 'e'"):
            values["e"]


def test_reasons_are_given_for_loops_alone():
    mechanism = bridge.lower(four_bars("ball", ""))
    assert loop_joints(mechanism).keys() == {"d"}
    assert by_joint({"a": 1.0}, mechanism) == {"a": 1.0}
