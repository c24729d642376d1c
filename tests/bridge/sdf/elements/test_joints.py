"""Joints of every type read back with all that they state."""

from __future__ import annotations

import dataclasses

import pytest

from bridge.diff import differences
from bridge.targets.sdf.document import build
from loaders import model as m
from loaders.pose import Pose, frozen
from tests.support.scenes import AXES, joint, link, scene
from tests.support.sdf_writer import element, read

T = m.JointType
LIMITS = {
    "lower": -1.0,
    "upper": 2.0,
    "effort": 3.0,
    "velocity": 4.0,
    "acceleration": 5.0,
    "damping": 0.1,
    "friction": 0.2,
    "spring_stiffness": 6.0,
    "spring_reference": 0.3,
    "limit_stiffness": 7.0,
    "limit_dissipation": 8.0,
}
DRIVE = {"rotor_inertia": 0.5, "p_gain": 1.0, "d_gain": 2.0}
X = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))


@pytest.mark.parametrize(
    "kind", [T.REVOLUTE, T.PRISMATIC, T.UNIVERSAL, T.REVOLUTE2, T.SCREW, T.GEARBOX]
)
def test_all_values_of_a_joint(kind: T) -> None:
    axes = tuple(
        m.JointAxis(xyz=frozen(xyz), **LIMITS) for xyz in ((0.6, 0.8, 0.0), (0.0, 0.0, 1.0))
    )
    ends = joint("j", "a", "b", kind, X_PJ=X, X_CJ=X, pitch=0.3, gear_ratio=2.5, gear_reference="a")
    count = 2 if kind is T.GEARBOX else AXES.get(kind, 1)
    given = scene(
        [link("a"), link("b")],
        [dataclasses.replace(ends, axes=axes[:count], provide_feedback=True)],
        actuators=(
            m.Actuator(
                name="j",
                joint="j",
                effort=3.0,
                gear_ratio=2.0,
                rotor_inertia=0.5,
                p_gain=1.0,
                d_gain=2.0,
            ),
        ),
    )
    normal = build(given, {}).form.scene
    assert differences(normal, read(given)) == ()


def test_a_coupling_is_written_on_the_axis_of_the_follower() -> None:
    given = scene(
        [link("a"), link("b"), link("c")],
        [joint("j", "a", "b"), joint("k", "b", "c", T.UNIVERSAL)],
        couplings=(
            m.Coupling(follower="k", leader="j", multiplier=2.0, offset=0.5, follower_axis=1),
        ),
    )
    (found,) = read(given).couplings
    assert (found.follower, found.follower_axis, found.multiplier, found.offset) == (
        "k",
        1,
        2.0,
        0.5,
    )
    assert element(given, "model/joint/axis2/mimic").get("joint") == "j"


def test_a_curve_keeps_its_arcs() -> None:
    curve = m.Curve(
        initial_tangent=frozen((1, 0, 0)),
        plane_normal=frozen((0, 0, 1)),
        arcs=(m.Arc(length=1.0), m.Arc(length=0.5, curvature=-2.0)),
    )
    axis = m.JointAxis(xyz=frozen((1, 0, 0)), lower=0.0, upper=1.5, damping=0.1)
    given = scene(
        [link("a"), link("b")], [joint("j", "a", "b", T.CURVILINEAR, axes=(axis,), curve=curve)]
    )
    assert differences(build(given, {}).form.scene, read(given)) == ()


def test_a_coupling_to_the_second_axis_of_its_leader() -> None:
    given = scene(
        [link("a"), link("b"), link("c")],
        [joint("k", "a", "b", T.UNIVERSAL), joint("j", "b", "c")],
        couplings=(m.Coupling(follower="j", leader="k", multiplier=2.0, leader_axis=1),),
    )
    (found,) = read(given).couplings
    assert (found.leader, found.leader_axis) == ("k", 1)


def test_a_sensor_keeps_its_place_on_the_child_of_its_joint() -> None:
    sensor = m.Sensor(
        name="ft", type="force_torque", X_LS=Pose.from_xyz_rpy((1.0, 2.0, 3.0), (0.3, 0.2, 0.1))
    )
    turned = dataclasses.replace(joint("j", "a", "b", X_PJ=X, X_CJ=X), sensors=(sensor,))
    (found,) = read(scene([link("a"), link("b")], [turned])).joints
    assert found.sensors[0].X_LS.is_close(sensor.X_LS, 1e-12)
