"""Joints of SDFormat: ends, axes, limits, dynamics, couplings."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loaders
from loaders import Scene
from loaders.model import Joint, JointType

INF = math.inf


def read(body: str, version: str = "1.10") -> Scene:
    links = "<link name='a'/><link name='b'/>"
    text = f"<sdf version='{version}'><model name='m'>{links}{body}</model></sdf>"
    return loaders.load_string(text, format="sdf")


def joint(inside: str, kind: str = "revolute", version: str = "1.10") -> Joint:
    ends = "<parent>a</parent><child>b</child>"
    return read(f"<joint name='j' type='{kind}'>{ends}{inside}</joint>", version).joints[0]


@pytest.mark.parametrize(
    ("kind", "axes", "expected"),
    [
        ("fixed", "", 0),
        ("revolute", "<axis/>", 1),
        ("continuous", "<axis/>", 1),
        ("prismatic", "<axis/>", 1),
        ("screw", "<axis/>", 1),
        ("ball", "", 0),
        ("ball", "<axis><dynamics><damping>2</damping></dynamics></axis>", 1),
        ("universal", "<axis/><axis2/>", 2),
        ("revolute2", "<axis/><axis2/>", 2),
        ("gearbox", "<axis/><axis2/><gearbox_reference_body>a</gearbox_reference_body>", 2),
        ("REVOLUTE", "<axis/>", 1),
        ("Fixed", "", 0),
    ],
)
def test_each_type_has_an_axis_for_each_freedom(kind: str, axes: str, expected: int) -> None:
    read_joint = joint(axes, kind)
    assert read_joint.type is JointType(kind.lower())
    assert len(read_joint.axes) == expected


def test_axes_are_unit_vectors_in_the_joints_own_frame() -> None:
    scene = read(
        "<frame name='f'><pose>0 0 0 0 0 1.5707963267948966</pose></frame>"
        "<joint name='j' type='revolute'><pose>0 0 0 1.5707963267948966 0 0</pose><parent>a</parent><child>b</child>"
        "<axis><xyz expressed_in='f'>3 0 0</xyz></axis></joint>"
        "<joint name='k' type='prismatic'><parent>a</parent><child>b</child><axis><xyz>0 3 4</xyz></axis></joint>"
    )
    # x of f is y of the model, which is -z of a frame that is rolled by a quarter turn
    assert np.allclose(scene.joints[0].axes[0].xyz, (0, 0, -1), atol=1e-15)
    assert np.allclose(scene.joints[1].axes[0].xyz, (0, 0.6, 0.8), atol=1e-15)


def test_limits_left_out_are_none_and_those_of_1e16_too() -> None:
    axis = joint("<axis/>").axes[0]
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == (-INF, INF, INF, INF)
    assert (axis.limit_stiffness, axis.limit_dissipation) == (None, None)
    limit = "<lower>-1e16</lower><upper>1e+16</upper><effort>-1</effort><velocity>-1</velocity>"
    axis = joint(f"<axis><limit>{limit}</limit></axis>").axes[0]
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == (-INF, INF, INF, INF)


def test_limits_and_dynamics_are_read_as_written() -> None:
    axis = joint(
        "<axis><limit><lower>2</lower><upper>-1</upper><effort>0</effort><velocity>inf</velocity><stiffness>5</stiffness>"
        "<dissipation>6</dissipation></limit><dynamics><damping>-0.5</damping><friction>0.1</friction>"
        "<spring_stiffness>7</spring_stiffness><spring_reference>0.2</spring_reference></dynamics></axis>"
    ).axes[0]
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == (2, -1, 0, INF)
    assert (axis.limit_stiffness, axis.limit_dissipation) == (5, 6)
    assert (axis.damping, axis.friction, axis.spring_stiffness, axis.spring_reference) == (-0.5, 0.1, 7, 0.2)


def test_a_continuous_joint_has_no_limits() -> None:
    axis = joint("<axis><limit><lower>-1</lower><upper>1</upper></limit></axis>", "continuous").axes[0]
    assert (axis.lower, axis.upper) == (-INF, INF)


@pytest.mark.parametrize(
    ("elements", "pitch"),
    [
        ("", 1.0),
        ("<screw_thread_pitch>0.25</screw_thread_pitch>", 0.25),
        ("<thread_pitch>-0.5</thread_pitch>", 4 * math.pi),
        ("<thread_pitch>-0.5</thread_pitch><screw_thread_pitch>3</screw_thread_pitch>", 3.0),
    ],
)
def test_the_pitch_of_a_screw_is_metres_for_each_turn(elements: str, pitch: float) -> None:
    assert joint(elements + "<axis/>", "screw").pitch == pytest.approx(pitch, rel=1e-15)


def test_ends_may_be_frames_joints_models_and_the_world() -> None:
    scene = read(
        "<link name='c'/><link name='d'/><model name='n'><link name='x'><pose>0 0 5 0 0 0</pose></link></model>"
        "<frame name='f' attached_to='b'><pose>1 0 0 0 0 0</pose></frame>"
        "<joint name='j' type='fixed'><parent>a</parent><child>f</child></joint>"
        "<joint name='k' type='fixed'><parent>j</parent><child>n</child></joint>"
        "<joint name='l' type='fixed'><parent>world</parent><child>a</child></joint>"
        "<joint name='o' type='fixed'><parent>__model__</parent><child>c</child></joint>"
    )
    ends = {read_joint.name: (read_joint.parent, read_joint.child) for read_joint in scene.joints}
    assert ends == {"j": ("a", "b"), "k": ("b", "n::x"), "l": ("world", "a"), "o": ("a", "c")}
    assert scene.joints[0].X_CJ.p.tolist() == [1, 0, 0]  # posed from the frame, not from its link
    assert scene.joints[1].X_CJ.p.tolist() == [0, 0, -5]  # posed from the frame of model n


def test_kinematic_loops_are_legal() -> None:
    ends = [("a", "b"), ("b", "c"), ("c", "a")]
    joints = "".join(
        f"<joint name='j{i}' type='revolute'><parent>{p}</parent><child>{c}</child><axis/></joint>"
        for i, (p, c) in enumerate(ends)
    )
    scene = read("<link name='c'/>" + joints)
    assert [(read_joint.parent, read_joint.child) for read_joint in scene.joints] == ends


def test_mimic_is_a_coupling_with_the_reference_in_the_offset() -> None:
    scene = read(
        "<link name='c'/><joint name='lead' type='universal'><parent>a</parent><child>b</child><axis/><axis2/></joint>"
        "<joint name='j' type='revolute'><parent>a</parent><child>c</child><axis><mimic joint='lead' axis='axis2'>"
        "<multiplier>3</multiplier><offset>0.5</offset><reference>0.2</reference></mimic></axis></joint>",
        version="1.11",
    )
    coupling = scene.couplings[0]
    assert (coupling.follower, coupling.leader, coupling.follower_axis, coupling.leader_axis) == ("j", "lead", 0, 1)
    leader = 0.7
    assert coupling.multiplier * leader + coupling.offset == pytest.approx(3 * (leader - 0.2) + 0.5)


def test_a_gearbox_keeps_its_ratio_and_reference() -> None:
    gearbox = joint(
        "<axis/><axis2/><gearbox_ratio>2.5</gearbox_ratio><gearbox_reference_body>a</gearbox_reference_body>", "gearbox"
    )
    assert (gearbox.gear_ratio, gearbox.gear_reference) == (2.5, "a")


def test_feedback_and_sensors_stay_with_the_joint() -> None:
    read_joint = joint(
        "<axis/><physics><provide_feedback>true</provide_feedback></physics>"
        "<sensor name='s' type='force_torque'><pose>0 0 0.1 0 0 0</pose><update_rate>30</update_rate></sensor>"
    )
    assert read_joint.provide_feedback
    sensor = read_joint.sensors[0]
    assert (sensor.name, sensor.joint, sensor.update_rate, sensor.X_LS.p.tolist()) == ("s", "j", 30, [0, 0, 0.1])


@pytest.mark.parametrize(
    ("kind", "second", "codes"),
    [
        ("universal", "0 0 -1", ["model.parallel-axes"]),
        ("universal", "0 1 1", ["model.skew-axes"]),
        ("universal", "0 1 0", []),
        ("revolute2", "0 0 -1", ["model.parallel-axes"]),
        ("revolute2", "0 1 1", []),
    ],
)
def test_two_axes_that_are_one_or_skew_are_noticed(kind: str, second: str, codes: list[str]) -> None:
    axes = f"<axis><xyz>0 0 1</xyz></axis><axis2><xyz>{second}</xyz></axis2>"
    scene = read(f"<joint name='j' type='{kind}'><parent>a</parent><child>b</child>{axes}</joint>")
    assert [entry.code for entry in scene.diagnostics] == codes
