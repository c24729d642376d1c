"""Classes of joints and actuators: members, names and attributes."""

from __future__ import annotations

import dataclasses
import re

from bridge.targets.mjcf import to_mjcf
from loaders.model import WORLD
from tests.support.mjcf_scenes import hinge, leg, link, scene_of


def test_joints_with_the_same_dynamics_share_a_class_named_by_what_their_names_share():
    mjcf = to_mjcf(leg())
    assert '<default class="hip_joint">' in mjcf
    assert '<joint name="FL1_hip_joint" class="hip_joint"/>' in mjcf


def test_actuators_of_a_class_of_joints_are_in_that_class_and_state_only_their_joint():
    mjcf = to_mjcf(leg(), actuators="motor")
    assert '<motor ctrlrange="-20 20"/>' in mjcf
    assert '<motor name="FL1_hip_joint" class="demo" joint="FL1_hip_joint"/>' in mjcf
    mixed = dataclasses.replace(
        leg(),
        joints=(*leg().joints[:3], hinge("toe", "l3", "l4", lower=0.0, upper=1.0, effort=5.0)),
    )
    mjcf = to_mjcf(mixed, actuators="motor")
    assert '<motor name="FL1_hip_joint" class="hip_joint" joint="FL1_hip_joint"/>' in mjcf
    assert '<motor name="toe" joint="toe" ctrlrange="-5 5"/>' in mjcf


def test_classes_of_joints_whose_names_say_nothing_are_named_by_what_tells_them_apart():
    limits = [
        {"damping": 3.0, "friction": 0.1},
        {"damping": 3.0, "friction": 0.2},
        {"damping": 3.0, "friction": 0.2},
    ]
    names = [f"joint_{i}" for i in range(9)]
    joints = [
        hinge(name, WORLD, f"l{i}", effort=9.0 + i, **limits[i // 3])
        for i, name in enumerate(names)
    ]
    joints = [
        dataclasses.replace(j, axes=(dataclasses.replace(j.axes[0], effort=5.0 if i < 6 else 7.0),))
        for i, j in enumerate(joints)
    ]
    mjcf = to_mjcf(scene_of(*(link(f"l{i}") for i in range(9)), joints=joints))
    assert re.findall('<default class="(effort[^"]*)">', mjcf) == [
        "effort_5",
        "effort_5_friction_0.2",
        "effort_7",
    ]
