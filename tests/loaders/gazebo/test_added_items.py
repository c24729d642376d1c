"""What plugins add to a scene, beside what the source states: followers, forces and sensors."""

from __future__ import annotations

import pytest

import loaders
from loaders.gazebo.items import AddedItems, with_forces_and_sensors
from loaders.model import Actuator, Buoyancy, Sensor
from loaders.pose import IDENTITY
from tests.support.scenes import joint, link, scene

URDF = """<robot name="r"><link name="base"/><link name="a"/><link name="b"/>
<joint name="ja" type="continuous"><parent link="base"/><child link="a"/></joint>
<joint name="jb" type="continuous"><parent link="base"/><child link="b"/>{mimic}</joint>
<gazebo><plugin name="p" filename="libroboticsgroup_gazebo_mimic_joint_plugin.so">
<joint>ja</joint><mimicJoint>jb</mimicJoint><multiplier>-2</multiplier><offset>0.5</offset></plugin></gazebo></robot>"""


@pytest.mark.parametrize(
    ("mimic", "multiplier"), [("", -2.0), ("<mimic joint='ja' multiplier='3'/>", 3.0)]
)
def test_a_follower_in_a_urdf_is_coupled_once_and_the_stated_coupling_wins(
    mimic: str, multiplier: float
) -> None:
    scene = loaders.load_string(URDF.format(mimic=mimic), format="urdf", quiet=True)
    (coupling,) = scene.couplings
    assert (coupling.follower, coupling.leader, coupling.multiplier) == ("jb", "ja", multiplier)


def test_a_controller_of_a_plugin_belongs_to_the_actuator_that_the_source_states_for_its_joint() -> (
    None
):
    driven = (
        "<transmission name='t{0}'><type>transmission_interface/SimpleTransmission</type>"
        "<joint name='j{0}'/><actuator name='m{0}'/></transmission>"
    )
    plugin = (
        "<gazebo><plugin filename='gz-sim-joint-position-controller-system' "
        "name='p'><joint_name>ja</joint_name>"
        "<p_gain>40</p_gain><d_gain>3</d_gain><i_gain>0</i_gain></plugin></gazebo>"
    )
    body = f"{driven.format('a')}{driven.format('b')}{plugin}</robot>"
    scene = loaders.load_string(
        URDF.format(mimic="").replace("</robot>", body), format="urdf", quiet=True
    )
    gains: dict[str, list[Actuator]] = {}
    for actuator in scene.actuators:
        gains.setdefault(actuator.joint, []).append(actuator)
    assert [(a.name, a.p_gain) for a in gains["ja"]] == [("ma", 40.0)]
    assert [(a.name, a.p_gain) for a in gains["jb"]] == [("mb", None)]


def sensor(name: str) -> Sensor:
    return Sensor(name=name, type="odometry", X_LS=IDENTITY)


def test_sensors_and_forces_follow_the_stated_ones() -> None:
    stated = scene([link("a", sensors=(sensor("s"),)), link("b")], [joint("j", "a", "b")])
    extras = AddedItems(stated, fluid_forces=[Buoyancy(link="b")])
    extras.link_sensors["a"].append(sensor("t"))
    extras.joint_sensors["j"].append(sensor("u"))
    found = with_forces_and_sensors(stated, extras)
    assert [[s.name for s in item.sensors] for item in (*found.links, *found.joints)] == [
        ["s", "t"],
        [],
        ["u"],
    ]
    assert [force.link for force in found.fluid_forces] == ["b"]


def test_without_plugins_the_scene_is_the_same_object() -> None:
    stated = scene([link("a")])
    assert with_forces_and_sensors(stated, AddedItems(stated)) is stated
