"""Drake's extensions in nested models: names are looked up in the scope of their model."""

from __future__ import annotations

from loaders.model import JointType
from tests.support.sdf import (
    joint_of,
    read_sdf,
)

NESTED = """<world name='w'><model name='m'><link name='l'/><model name='n'><pose>0 0 1 0 0 0</pose>
  <link name='a'/><link name='b'/>
  <joint name='lead' type='revolute'><parent>a</parent><child>b</child><axis/></joint></model>
  <link name='c'/><joint name='follow' type='revolute'><parent>l</parent><child>c</child>
    <axis/><drake:mimic joint='n::lead' multiplier='2' offset='0.5'/></joint>
  <drake:joint name='plane' type='planar'><drake:parent>l</drake:parent><drake:child>n::a</drake:child>
    <drake:damping>0 0 0</drake:damping></drake:joint></model></world>"""


def test_a_mimic_and_a_drake_joint_refer_to_elements_of_nested_models() -> None:
    scene = read_sdf(NESTED)
    (coupling,) = scene.couplings
    assert (coupling.follower, coupling.leader, coupling.multiplier) == (
        "m::follow",
        "m::n::lead",
        2,
    )
    plane = joint_of(scene, "m::plane")
    assert (plane.type, plane.parent, plane.child) == (JointType.PLANAR, "m::l", "m::n::a")


def test_joints_of_static_models_have_no_actuators() -> None:
    body = "<model name='m'>{}<link name='a'/><link name='b'/><joint name='j' type='revolute'>\
<parent>a</parent><child>b</child><axis/></joint></model>"
    assert [actuator.joint for actuator in read_sdf(body.format("")).actuators] == ["j"]
    assert not read_sdf(body.format("<static>true</static>")).actuators
