"""Joints: parent and child, axes, limits, dynamics, screw pitch, gears, sensors and couplings."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loaders
from loaders import WORLD, Scene
from loaders.model import Joint, JointType
from loaders.pose import IDENTITY, Pose
from tests.support.sdf import (
    X_WJ,
    X_WL,
    Q,
    assert_pose,
    axis_in_world,
    chain,
    error_codes,
    joint_of,
    read_sdf,
    transform,
)

# Joints: parent and child, screw pitch, gears, sensors and couplings.


def read(body: str, version: str = "1.10") -> Scene:
    links = "<link name='a'/><link name='b'/>"
    text = f"<sdf version='{version}'><model name='m'>{links}{body}</model></sdf>"
    return loaders.load_string(text, format="sdf")


def joint(inside: str, kind: str = "revolute", version: str = "1.10") -> Joint:
    ends = "<parent>a</parent><child>b</child>"
    return read(f"<joint name='j' type='{kind}'>{ends}{inside}</joint>", version).joints[0]


def one_joint(kind: str, body: str, version: str) -> Joint:
    ends = "<parent>a</parent><child>b</child>"
    text = (
        f"<model name='m'><link name='a'/><link name='b'/><joint name='j' "
        f"type='{kind}'>{ends}{body}</joint></model>"
    )
    return joint_of(read_sdf(text, version), "j")


# --- parent and child -----------------------------------------------------------------------------


def test_parent_and_child_can_be_frames_joints_models_and_the_world() -> None:
    scene = read(
        "<link name='c'/><link name='d'/><model name='n'><link name='x'><pose>0 0 5 0 0 "
        "0</pose></link></model>"
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


def test_a_joint_is_posed_relative_to_its_child_and_is_a_frame_itself() -> None:
    scene = read_sdf(
        f"""<model name='m'><link name='base'><pose>0 2 0 0 0 0</pose></link>
        <link name='arm'><pose>1 0 0 0 0 {Q}</pose></link>
        <frame name='socket' attached_to='base'><pose>0 0 1 0 0 0</pose></frame>
        <frame name='plug' attached_to='arm'><pose>0 3 0 0 {Q} 0</pose></frame>
        <joint name='turn' type='revolute'><pose>0.5 0 0 0 0 0</pose><parent>socket</parent><child>plug</child>
          <axis><xyz>0 3 4</xyz></axis></joint>
        <joint name='slide' type='prismatic'><pose relative_to='socket'/><parent>turn</parent><child>tool</child>
          <axis><xyz expressed_in='plug'>0 0 5</xyz></axis></joint>
        <link name='tool'><pose relative_to='turn'>0 0 2 0 0 0</pose></link></model>"""
    )
    X_Wplug = chain(transform(1, 0, 0, yaw=Q), transform(0, 3, 0, pitch=Q))
    assert (joint_of(scene, "turn").parent, joint_of(scene, "turn").child) == ("base", "arm")
    assert (joint_of(scene, "slide").parent, joint_of(scene, "slide").child) == ("arm", "tool")
    assert_pose(X_WJ(scene, "turn"), X_Wplug, transform(0.5, 0, 0))
    assert_pose(X_WL(scene, "tool"), X_Wplug, transform(0.5, 0, 2))
    assert_pose(X_WJ(scene, "slide"), transform(0, 2, 1))
    np.testing.assert_allclose(joint_of(scene, "turn").axes[0].xyz, (0, 0.6, 0.8), atol=1e-15)
    np.testing.assert_allclose(axis_in_world(scene, "slide"), X_Wplug[:3, 2], atol=1e-15)


def test_kinematic_loops_are_valid() -> None:
    ends = [("a", "b"), ("b", "c"), ("c", "a")]
    joints = "".join(
        f"<joint name='j{i}' type='revolute'><parent>{p}</parent><child>{c}</child><axis/></joint>"
        for i, (p, c) in enumerate(ends)
    )
    scene = read("<link name='c'/>" + joints)
    assert [(read_joint.parent, read_joint.child) for read_joint in scene.joints] == ends


TWO_MODELS = f"""<model name='left'><pose>0 1 0 0 0 0</pose><link name='l'/></model>
  <model name='right'><pose>0 -1 0 {Q} 0 0</pose><link name='r'><pose>2 0 0 0 0 0</pose></link></model>"""


def test_joints_of_a_world_connect_models_and_frames() -> None:
    scene = read_sdf(
        f"""<world name='w'>{TWO_MODELS}<frame name='anchor'><pose>0 0 6 0 0 0</pose></frame>
        <joint name='swing' type='revolute'><parent>anchor</parent><child>left::l</child>
          <axis><xyz expressed_in='right'>0 1 0</xyz></axis></joint>
        <joint name='tie' type='fixed'><parent>left</parent><child>right</child></joint></world>"""
    )
    assert (joint_of(scene, "swing").parent, joint_of(scene, "swing").child) == (WORLD, "left::l")
    np.testing.assert_allclose(joint_of(scene, "swing").axes[0].xyz, (0, 0, 1), atol=1e-15)
    assert_pose(X_WJ(scene, "swing"), transform(0, 1, 0))
    assert (joint_of(scene, "tie").parent, joint_of(scene, "tie").child) == ("left::l", "right::r")
    assert_pose(X_WJ(scene, "tie"), transform(0, -1, 0, roll=Q))


def test_a_joint_whose_child_is_fixed_to_the_world_is_an_error() -> None:
    frame = "<frame name='anchor'/>"
    tie = "<joint name='tie' type='fixed'><parent>left</parent><child>anchor</child></joint>"
    assert error_codes(f"<world name='w'>{TWO_MODELS}{frame}{tie}</world>") == {"sdf.joint-child"}


LINKED = (
    "<model name='m'><pose>0 3 0 0 0 {yaw}</pose><link name='l'><pose>0 0 1 0 0 "
    "0</pose></link>{rest}</model>"
)


def test_the_world_can_be_the_parent_of_a_joint() -> None:
    weld = "<joint name='j' type='fixed'><parent>world</parent><child>l</child></joint>"
    scene = read_sdf(LINKED.format(yaw=Q, rest=weld))
    assert joint_of(scene, "j").parent == WORLD
    assert_pose(joint_of(scene, "j").X_PJ, transform(0, 3, 1, yaw=Q))


def test_an_unknown_parent_in_a_nested_model_is_a_warning() -> None:
    scene = read_sdf(
        """<model name='m'><link name='l'/><model name='n'><link name='x'/>
        <joint name='j' type='fixed'><parent>lost</parent><child>x</child></joint></model></model>"""
    )
    assert any("lost" in entry.message for entry in scene.diagnostics)


# --- other properties -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("elements", "pitch"),
    [
        ("", 1.0),
        ("<screw_thread_pitch>0.25</screw_thread_pitch>", 0.25),
        ("<thread_pitch>-0.5</thread_pitch>", 4 * math.pi),
        ("<thread_pitch>-0.5</thread_pitch><screw_thread_pitch>3</screw_thread_pitch>", 3.0),
    ],
)
def test_the_screw_pitch_is_in_meters_per_revolution(elements: str, pitch: float) -> None:
    assert joint(elements + "<axis/>", "screw").pitch == pytest.approx(pitch, rel=1e-15)


@pytest.mark.parametrize(
    ("version", "body", "pitch"),
    [
        ("1.5", "<thread_pitch>4</thread_pitch>", -math.pi / 2),
        ("1.11", "<thread_pitch>-4</thread_pitch>", math.pi / 2),
        ("1.11", "<screw_thread_pitch>0.02</screw_thread_pitch>", 0.02),
        (
            "1.6",
            "<thread_pitch>4</thread_pitch><screw_thread_pitch>0.02</screw_thread_pitch>",
            0.02,
        ),
        ("1.9", "", 1.0),
    ],
)
def test_the_old_thread_pitch_is_in_radians_per_meter_with_opposite_sign(
    version: str, body: str, pitch: float
) -> None:
    assert one_joint("screw", body + "<axis/>", version).pitch == pytest.approx(pitch, rel=1e-15)


def test_a_gearbox_has_a_ratio_and_a_reference_link() -> None:
    gearbox = joint(
        "<axis/><axis2/><gearbox_ratio>2.5</gearbox_ratio><gearbox_reference_body>a</gearbox_reference_body>",
        "gearbox",
    )
    assert (gearbox.gear_ratio, gearbox.gear_reference) == (2.5, "a")


def test_feedback_and_sensors_of_a_joint_are_read() -> None:
    read_joint = joint(
        "<axis/><physics><provide_feedback>true</provide_feedback></physics>"
        "<sensor name='s' type='force_torque'><pose>0 0 0.1 0 0 "
        "0</pose><update_rate>30</update_rate></sensor>"
    )
    assert read_joint.provide_feedback
    sensor = read_joint.sensors[0]
    assert (sensor.name, sensor.joint, sensor.update_rate, sensor.X_LS.p.tolist()) == (
        "s",
        "j",
        30,
        [0, 0, 0.1],
    )


# --- couplings ------------------------------------------------------------------------------------


def test_mimic_is_a_coupling_whose_offset_includes_the_reference() -> None:
    scene = read(
        "<link name='c'/><joint name='lead' "
        "type='universal'><parent>a</parent><child>b</child><axis/><axis2/></joint>"
        "<joint name='j' type='revolute'><parent>a</parent><child>c</child><axis><mimic "
        "joint='lead' axis='axis2'>"
        "<multiplier>3</multiplier><offset>0.5</offset><reference>0.2</reference></mimic></axis></joint>",
        version="1.11",
    )
    coupling = scene.couplings[0]
    assert (coupling.follower, coupling.leader, coupling.follower_axis, coupling.leader_axis) == (
        "j",
        "lead",
        0,
        1,
    )
    leader = 0.7
    assert coupling.multiplier * leader + coupling.offset == pytest.approx(3 * (leader - 0.2) + 0.5)


def test_no_joint_is_advised_to_mimic_itself() -> None:
    with pytest.raises(loaders.LoadError) as error:
        joint(
            "<axis><xyz>0 0 1</xyz><mimic joint='j'><multiplier>1</multiplier></mimic></axis>",
            version="1.11",
        )
    (entry,) = error.value.diagnostics
    assert (entry.code, entry.message, entry.hint) == ("sdf.mimic", "joint j mimics itself", "")


def test_the_leader_can_come_after_the_follower() -> None:
    scene = read_sdf(
        """<model name='m'><link name='a'/><link name='b'/><link name='c'/>
        <joint name='follows' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
          <mimic joint='leads'><multiplier>-2</multiplier><offset>0.5</offset><reference>0.25</reference></mimic></axis>
        </joint><joint name='leads' type='revolute'><parent>b</parent><child>c</child><axis/></joint></model>""",
        "1.11",
    )
    (coupling,) = scene.couplings
    assert (coupling.follower, coupling.leader) == ("follows", "leads")
    assert (coupling.multiplier, coupling.offset) == (-2.0, 0.5 + 2.0 * 0.25)


def test_a_joint_posed_relative_to_its_links_keeps_the_numbers_of_the_file() -> None:
    text = """<sdf version="1.9"><model name="m"><link name="a"><pose>0.1 0.2 0.3 0.4 0.5 0.6</pose></link>
    <link name="b"><pose relative_to="j"/></link>
    <joint name="j" type="ball"><pose relative_to="a">0.7 0.8 0.9 1 2 3</pose>
    <parent>a</parent><child>b</child></joint>
    <link name="c"><pose relative_to="a">1 2 3 0.3 0.2 0.1</pose></link>
    <joint name="k" type="ball"><pose>0.7 0.8 0.9 1 2 3</pose><parent>a</parent><child>c</child></joint>
    </model></sdf>"""
    j, k = loaders.load_string(text, format="sdf").joints
    written = Pose.from_xyz_rpy((0.7, 0.8, 0.9), (1.0, 2.0, 3.0))
    for X, expected in ((j.X_PJ, written), (j.X_CJ, IDENTITY), (k.X_CJ, written)):
        assert X.is_close(expected, 0.0)


# Joint axes: directions, limits and dynamics.

INF = math.inf


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
def test_each_joint_type_has_its_number_of_axes(kind: str, axes: str, expected: int) -> None:
    read_joint = joint(axes, kind)
    assert read_joint.type is JointType(kind.lower())
    assert len(read_joint.axes) == expected


# --- directions -----------------------------------------------------------------------------------


def test_axes_are_unit_vectors_in_the_joint_frame() -> None:
    scene = read(
        "<frame name='f'><pose>0 0 0 0 0 1.5707963267948966</pose></frame>"
        "<joint name='j' type='revolute'><pose>0 0 0 1.5707963267948966 0 "
        "0</pose><parent>a</parent><child>b</child>"
        "<axis><xyz expressed_in='f'>3 0 0</xyz></axis></joint>"
        "<joint name='k' type='prismatic'><parent>a</parent><child>b</child><axis><xyz>0 3 "
        "4</xyz></axis></joint>"
    )
    # x of f is y of the model, which is -z of a frame that is rolled by a quarter turn
    assert np.allclose(scene.joints[0].axes[0].xyz, (0, 0, -1), atol=1e-15)
    assert np.allclose(scene.joints[1].axes[0].xyz, (0, 0.6, 0.8), atol=1e-15)


def test_axes_can_be_expressed_in_nested_frames_and_models() -> None:
    scene = read_sdf(
        f"""<model name='m'><link name='base'/>
        <model name='wrist'><pose>0 0 0 {Q} 0 0</pose><link name='palm'><pose>0 0 0 0 0 {Q}</pose></link>
          <frame name='skew'><pose>0 0 0 0 {Q} 0</pose></frame></model>
        <joint name='u' type='universal'><parent>base</parent><child>wrist::palm</child>
          <axis><xyz expressed_in='wrist::skew'>1 0 0</xyz></axis>
          <axis2><xyz expressed_in='wrist'>1 0 0</xyz></axis2></joint></model>"""
    )
    np.testing.assert_allclose(
        axis_in_world(scene, "u", 0),
        (transform(0, 0, 0, Q) @ transform(0, 0, 0, 0, Q))[:3, 0],
        atol=1e-15,
    )
    np.testing.assert_allclose(axis_in_world(scene, "u", 1), (1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(joint_of(scene, "u").axes[1].xyz, (0, -1, 0), atol=1e-15)


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
def test_parallel_and_skew_axes_are_reported(kind: str, second: str, codes: list[str]) -> None:
    axes = f"<axis><xyz>0 0 1</xyz></axis><axis2><xyz>{second}</xyz></axis2>"
    scene = read(f"<joint name='j' type='{kind}'><parent>a</parent><child>b</child>{axes}</joint>")
    assert [entry.code for entry in scene.diagnostics] == codes


# --- limits and dynamics --------------------------------------------------------------------------


def test_missing_limits_and_limits_of_1e16_are_infinite() -> None:
    axis = joint("<axis/>").axes[0]
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == (-INF, INF, INF, INF)
    assert (axis.limit_stiffness, axis.limit_dissipation) == (None, None)
    limit = "<lower>-1e16</lower><upper>1e+16</upper><effort>-1</effort><velocity>-1</velocity>"
    axis = joint(f"<axis><limit>{limit}</limit></axis>").axes[0]
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == (-INF, INF, INF, INF)


@pytest.mark.parametrize("version", ["1.2", "1.6", "1.9", "1.12"])
def test_limits_have_the_newest_defaults_in_every_version(version: str) -> None:
    free = one_joint("revolute", "<axis><xyz>0 0 1</xyz></axis>", version).axes[0]
    assert (free.lower, free.upper, free.effort, free.velocity) == (
        -math.inf,
        math.inf,
        math.inf,
        math.inf,
    )
    limit = "<lower>-1e16</lower><upper>1e16</upper><effort>-1</effort><velocity>-2</velocity>"
    spelt = one_joint(
        "revolute", f"<axis><xyz>0 0 1</xyz><limit>{limit}</limit></axis>", version
    ).axes[0]
    assert (spelt.lower, spelt.upper, spelt.effort, spelt.velocity) == (
        -math.inf,
        math.inf,
        math.inf,
        math.inf,
    )


def test_limits_and_dynamics_are_read_as_written() -> None:
    axis = joint(
        "<axis><limit><lower>2</lower><upper>-1</upper><effort>0</effort><velocity>inf</velocity><stiffness>5</stiffness>"
        "<dissipation>6</dissipation></limit><dynamics><damping>-0.5</damping><friction>0.1</friction>"
        "<spring_stiffness>7</spring_stiffness><spring_reference>0.2</spring_reference></dynamics></axis>"
    ).axes[0]
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == (2, -1, 0, INF)
    assert (axis.limit_stiffness, axis.limit_dissipation) == (5, 6)
    assert (axis.damping, axis.friction, axis.spring_stiffness, axis.spring_reference) == (
        -0.5,
        0.1,
        7,
        0.2,
    )


def test_reversed_limits_zero_effort_and_negative_damping_are_kept() -> None:
    limit = "<limit><lower>0.4</lower><upper>0.1</upper><effort>0</effort></limit>"
    dynamics = "<dynamics><damping>-2</damping><spring_stiffness>9</spring_stiffness></dynamics>"
    axis = one_joint("prismatic", f"<axis><xyz>0 0 1</xyz>{limit}{dynamics}</axis>", "1.7").axes[0]
    assert (axis.lower, axis.upper, axis.effort) == (0.4, 0.1, 0.0)
    assert (axis.damping, axis.spring_stiffness, axis.spring_reference) == (-2.0, 9.0, 0.0)


def test_a_continuous_joint_has_no_limits() -> None:
    axis = joint(
        "<axis><limit><lower>-1</lower><upper>1</upper></limit></axis>", "continuous"
    ).axes[0]
    assert (axis.lower, axis.upper) == (-INF, INF)


@pytest.mark.parametrize("version", ["1.6", "1.7", "1.8"])
def test_an_initial_position_is_that_of_the_joint(version: str) -> None:
    axis = "<{0}><xyz>0 0 1</xyz><initial_position>{1}</initial_position></{0}>"
    scene = loaders.load_string(
        f"<sdf version='{version}'><model name='m'><link name='a'/><link name='b'/>"
        "<joint name='j' type='universal'><parent>a</parent><child>b</child>"
        f"{axis.format('axis', 0.25)}{axis.format('axis2', -0.5)}</joint></model></sdf>",
        format="sdf",
    )
    assert scene.joints[0].default_position == (0.25, -0.5)
    assert "xml.unread" not in {entry.code for entry in scene.diagnostics}
