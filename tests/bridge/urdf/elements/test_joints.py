"""Joints, mimics and transmissions, read back."""

from __future__ import annotations

import dataclasses
import math

import pytest

from loaders import model as m
from loaders.pose import frozen
from tests.code_examples import scenes as s
from tests.support.scenes import joint, link, scene
from tests.support.urdf_writer import element, read

T = m.JointType


def test_limits_and_dynamics() -> None:
    values = {
        "lower": -1.0,
        "upper": 2.0,
        "effort": 3.0,
        "velocity": 4.0,
        "acceleration": 5.0,
        "damping": 6.0,
    }
    axis = read(s.hinge(**values, friction=7.0)).joints[0].axes[0]
    assert {key: getattr(axis, key) for key in values} == values
    assert axis.friction == 7.0


def test_a_revolute_joint_without_limits_is_continuous() -> None:
    assert read(s.hinge()).joints[0].type is T.CONTINUOUS
    assert element(s.hinge(), "joint").find("limit") is None


def test_a_slide_without_limits_has_the_numbers_that_readers_require() -> None:
    limit = element(s.hinge(T.PRISMATIC), "joint/limit")
    assert {limit.get(key) for key in ("upper", "effort", "velocity")} == {"1e+16"}
    assert read(s.hinge(T.PRISMATIC)).joints[0].axes[0].upper == math.inf


@pytest.mark.parametrize("kind", [T.BALL, T.UNIVERSAL, T.SCREW])
def test_joints_of_drake(kind: T) -> None:
    axes = (m.JointAxis(xyz=frozen((0.0, 0.0, 1.0))), m.JointAxis(xyz=frozen((0.0, 1.0, 0.0))))
    count = {T.BALL: 0, T.UNIVERSAL: 2, T.SCREW: 1}[kind]
    given = scene(
        [link("a"), link("b")], [joint("j", "a", "b", kind, axes=axes[:count], pitch=0.25)]
    )
    found = read(given).joints[0]
    assert found.type is kind
    assert found.pitch == (0.25 if kind is T.SCREW else 1.0)


@pytest.mark.parametrize(("multiplier", "offset"), [(2.0, 0.5), (1.0, 0.0), (0.0, 1.0)])
def test_a_mimic(multiplier: float, offset: float) -> None:
    given = s.coupled("bc", "ab", T.REVOLUTE, T.REVOLUTE)
    coupling = dataclasses.replace(given.couplings[0], multiplier=multiplier, offset=offset)
    (found,) = read(dataclasses.replace(given, couplings=(coupling,))).couplings
    assert (found.follower, found.leader, found.multiplier, found.offset) == (
        "bc",
        "ab",
        multiplier,
        offset,
    )


def test_a_transmission() -> None:
    given = s.driven(
        {"effort": 5.0}, effort=5.0, gear_ratio=3.0, rotor_inertia=0.1, p_gain=1.0, d_gain=2.0
    )
    (found,) = read(given).actuators
    assert (
        dataclasses.replace(found, where=m.Actuator(name="", joint="").where) == given.actuators[0]
    )


def test_a_curve() -> None:
    arcs = (m.Arc(length=1.0), m.Arc(length=0.5, curvature=-2.0))
    x, z = frozen((0.0, 1.0, 0.0)), frozen((0.0, 0.0, 1.0))
    curve = m.Curve(initial_tangent=x, plane_normal=z, arcs=arcs)
    given = scene(
        [link("a"), link("b")], [joint("j", "a", "b", T.CURVILINEAR, xyz=(0, 1, 0), curve=curve)]
    )
    found = read(given).joints[0].curve
    assert found is not None
    assert found.arcs == arcs
