"""Joints, against MuJoCo's reference."""

from __future__ import annotations

import math

import pytest

from loaders.model import JointType
from tests.support.mjcf_documents import BALL, read


def joints(text: str, outside: str = ""):
    return read(f'<body name="b">{text}{BALL}</body>', outside).joints


def test_types() -> None:
    types = {
        "<joint/>": JointType.CONTINUOUS,
        '<joint range="-1 1"/>': JointType.REVOLUTE,
        '<joint type="slide"/>': JointType.PRISMATIC,
        '<joint type="ball"/>': JointType.BALL,
        "<freejoint/>": JointType.FLOATING,
        "": JointType.FIXED,
    }
    assert {text: joints(text)[0].type for text in types} == types


def test_angles_are_radians() -> None:
    (joint,) = joints(
        '<joint range="-90 180" springref="45" ref="30" stiffness="2" damping="3" '
        'frictionloss="4"/>'
    )
    axis = joint.axes[0]
    assert (axis.lower, axis.upper) == pytest.approx((-math.pi / 2, math.pi))
    assert (axis.spring_reference, *joint.default_position) == pytest.approx(
        (math.pi / 4, math.pi / 6)
    )
    assert (axis.spring_stiffness, axis.damping, axis.friction) == (2.0, 3.0, 4.0)


@pytest.mark.parametrize(
    "limits", ['range="60 10"', 'range="10 10"', 'range="0 1" limited="false"']
)
def test_what_mujoco_takes_for_no_limit_is_none(limits: str) -> None:
    assert joints(f"<joint {limits}/>")[0].axes[0].upper == math.inf


def test_a_class_within_a_class_is_complete() -> None:
    inner = '<default class="b"><joint damping="5"/></default>'
    classes = f'<default><default class="a"><joint axis="1 0 0"/>{inner}</default></default>'
    (joint,) = joints('<joint class="b"/>', classes)
    assert joint.axes[0].xyz.tolist() == [1.0, 0.0, 0.0]
    assert joint.axes[0].damping == 5.0


def test_the_effort_limit_of_a_joint() -> None:
    assert joints('<joint actuatorfrcrange="-3 3"/>')[0].axes[0].effort == 3.0
