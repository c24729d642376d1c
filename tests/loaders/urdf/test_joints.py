"""Joints of a URDF, compared with Drake; joints with errors; actuators from transmissions and
ros2_control.
"""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from loaders import LoadError, Scene
from tests.support.drake_oracle import open_in_drake, pose_error
from tests.support.urdf_documents import LINKS, arm, codes, errors, fixed, joint, robot
from tests.support.urdf_robots import ARM, LIMIT

# Joints of a URDF: axes, limits, dynamics and mimic, compared with Drake.


def test_an_axis_is_x_unless_given_and_always_of_unit_length() -> None:
    limit = "<limit lower='-1' upper='1' effort='1' velocity='1'/>"
    np.testing.assert_array_equal(joint(arm(limit)).axes[0].xyz, (1, 0, 0))
    np.testing.assert_allclose(joint(arm(limit + "<axis xyz='0 3 4'/>")).axes[0].xyz, (0, 0.6, 0.8))


def test_a_zero_axis_is_an_error_where_there_is_one_and_nothing_where_there_is_none() -> None:
    assert "urdf.zero-axis" in errors(
        "<link name='a'/><link name='b'/><joint name='j' type='continuous'><parent "
        "link='a'/><child link='b'/>"
        "<axis xyz='0 0 0'/></joint>"
    )
    assert arm("<axis xyz='0 0 0'/>", "fixed").diagnostics == ()


@pytest.mark.parametrize("name", ["<parent link='{}'/>", "<child link='{}'/>", "type='{}'"])
def test_a_joint_with_a_blank_name_is_an_error_and_not_lost(name: str) -> None:
    ends = "<parent link='a'/><child link='b'/>"
    text = f"<link name='a'/><link name='b'/><joint name='j' type='continuous'>{ends}</joint>"
    stated = name.format({"<p": "a", "<c": "b", "ty": "continuous"}[name[:2]])
    assert "xml.missing" in errors(text.replace(stated, name.format(" ")))


INF = math.inf


@pytest.mark.parametrize(
    ("kind", "limit", "expected", "reported"),
    [
        ("revolute", "lower='-1' upper='2' effort='3' velocity='4'", (-1, 2, 3, 4), []),
        ("prismatic", "lower='-1' upper='2' effort='3' velocity='4'", (-1, 2, 3, 4), []),
        ("revolute", "upper='2' effort='3' velocity='4'", (0, 2, 3, 4), ["urdf.missing-limit"]),
        ("revolute", "lower='-1' effort='3' velocity='4'", (-1, 0, 3, 4), ["urdf.missing-limit"]),
        ("revolute", "effort='3' velocity='4'", (-INF, INF, 3, 4), ["urdf.missing-limit"]),
        (
            "revolute",
            "lower='1' upper='-1' effort='3' velocity='4'",
            (-INF, INF, 3, 4),
            ["urdf.reversed-limit"],
        ),
        ("revolute", "lower='-1' upper='1'", (-1, 1, INF, INF), ["urdf.missing-limit"] * 2),
        ("continuous", "effort='3' velocity='4'", (-INF, INF, 3, 4), []),
        (
            "continuous",
            "lower='-1' upper='1' effort='3' velocity='4'",
            (-INF, INF, 3, 4),
            ["urdf.continuous-limit"],
        ),
        (
            "revolute",
            "lower='-1e16' upper='1e16' effort='1e16' velocity='4'",
            (-INF, INF, INF, 4),
            [],
        ),
        (
            "revolute",
            "lower='-inf' upper='inf' effort='inf' velocity='4'",
            (-INF, INF, INF, 4),
            ["urdf.infinite-limit"],
        ),
    ],
)
def test_limits(kind: str, limit: str, expected: tuple[float, ...], reported: list[str]) -> None:
    scene = arm(f"<limit {limit}/>", kind)
    axis = joint(scene).axes[0]
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == expected
    assert codes(scene) == reported


def test_a_revolute_joint_without_a_limit_is_unlimited_and_noticed() -> None:
    scene = arm("")
    assert joint(scene).axes[0].upper == math.inf
    assert codes(scene) == ["urdf.missing-limit"]


def test_damping_friction_and_what_is_for_controllers() -> None:
    scene = arm(
        (
            "<dynamics damping='0.5' friction='0.25'/><safety_controller "
            "k_velocity='1'/><calibration "
            "rising='0'/>"
        ),
        "continuous",
    )
    axis = joint(scene).axes[0]
    assert (axis.damping, axis.friction) == (0.5, 0.25)
    assert codes(scene) == ["urdf.controller-setting"] * 2


def test_a_negative_effort_is_an_error() -> None:
    with pytest.raises(loaders.LoadError, match="out-of-range"):
        arm("<limit effort='-1' velocity='1'/>", "continuous")


def test_negative_damping_and_friction_are_kept_as_urdfdom_reads_them_and_named_first() -> None:
    scene = arm("<dynamics damping='-1' friction='-0.5'/>", "continuous")
    axis = joint(scene).axes[0]
    assert (axis.damping, axis.friction) == (-1.0, -0.5)
    assert codes(scene) == ["urdf.negative-dynamics"] * 2
    assert all(entry.severity == "warning" and entry.harm for entry in scene.diagnostics)


def test_the_axes_of_a_planar_joint_end_with_its_normal() -> None:
    scene = arm("<axis xyz='0 1 0'/><dynamics damping='1 2 3'/>", "planar")
    R = np.column_stack([axis.xyz for axis in joint(scene).axes])
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_array_equal(R[:, 2], (0, 1, 0))
    assert [axis.damping for axis in joint(scene).axes] == [1, 2, 3]


def test_mimic_couples_two_joints() -> None:
    chain = "".join(f"<link name='{name}'/>" for name in "abc")
    drawn = "<joint name='{}' type='continuous'><parent link='{}'/><child link='{}'/>{}</joint>"
    mimic = "<mimic joint='p' multiplier='-2' offset='0.5'/>"
    scene = robot(chain + drawn.format("q", "a", "b", mimic) + drawn.format("p", "b", "c", ""))
    (coupling,) = scene.couplings
    assert (coupling.follower, coupling.leader, coupling.multiplier, coupling.offset) == (
        "q",
        "p",
        -2.0,
        0.5,
    )


EVERY_JOINT = """<robot name="r">
<link name="base">{i}</link><link name="l1">{i}</link><link name="l2">{i}</link><link name="l3">{i}</link>
<link name="l4">{i}</link>
<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><origin xyz="1 2 3" rpy="0.3 -0.4 0.5"/>
<axis xyz="1 2 3"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="j2" type="prismatic"><parent link="l1"/><child link="l2"/><origin xyz="0 1 0" rpy="1 0 0"/>
<axis xyz="0 0 -1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="j3" type="planar"><parent link="l2"/><child link="l3"/><origin xyz="0 0 1" rpy="0 1 0"/>
<axis xyz="1 1 0"/></joint>
<joint name="j4" type="continuous"><parent link="l3"/><child link="l4"/><axis xyz="0 1 0"/></joint></robot>"""


def test_every_type_of_joint_moves_as_in_drake(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / "r.urdf"
    moments = "<inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='-0.1'/>"
    inertial = (
        f"<inertial><origin xyz='0.1 0.2 0.3' rpy='1 2 3'/><mass value='2'/>{moments}</inertial>"
    )
    path.write_text(EVERY_JOINT.format(i=inertial))
    scene = loaders.load(path)
    mechanism = bridge.lower(scene)
    drake = open_in_drake(path, scene)
    for seed in range(5):
        q = drake.random_positions(seed, scene)
        ours, theirs = mechanism.link_poses(q), drake.link_poses(q)
        assert max(pose_error(ours[name], theirs[name]) for name in theirs) < 1e-12
        M = drake.mass_matrix(q, mechanism.v_order)
        np.testing.assert_allclose(mechanism.mass_matrix(q), M, atol=1e-12 * np.abs(M).max())


# Joints with errors are checked like the others, so that one reading finds every error.

MIMIC = (
    "<joint name='{0}' type='continuous'><parent link='{1}'/><child link='{2}'/><mimic "
    "joint='{3}'/></joint>\n"
)


def test_a_joint_with_one_error_is_checked_for_the_others() -> None:
    joints = (
        fixed("j", "a", "b")
        + MIMIC.format("j", "b", "nowhere", "nothing")
        + fixed("k", "missing", "c")
        + "<joint type='fixed'><parent link='b'/><child link='c'/></joint>"
    )
    found = errors(LINKS + joints)
    assert set(found) == {
        "urdf.duplicate-name",
        "urdf.unknown-link",
        "urdf.mimic",
        "xml.missing",
        "urdf.two-parents",
    }
    assert len(found["urdf.unknown-link"]) == 2
    assert len(found["xml.missing"]) == 1


def test_a_leader_with_an_error_is_not_unknown() -> None:
    joints = MIMIC.format("k", "a", "b", "j") + MIMIC.format("j", "nowhere", "c", "k").replace(
        "<mimic joint='k'/>", ""
    )
    assert set(errors(LINKS + joints)) == {"urdf.unknown-link"}


def test_a_leader_of_an_unknown_type_is_not_compared() -> None:
    joints = fixed("j", "a", "b").replace("fixed", "hinge") + MIMIC.format("k", "b", "c", "j")
    assert set(errors(LINKS + joints)) == {"urdf.joint-type"}


def test_lenient_loading_says_nothing_about_the_mimic_of_a_joint_that_it_leaves_out() -> None:
    text = (
        f"<robot "
        f"name='r'>{LINKS}{fixed('i', 'a', 'b')}{fixed('k', 'b', 'c')}{MIMIC.format('j', 'a', 'x', 'y')}</robot>"
    )
    scene = loaders.load_string(text, format="urdf", lenient=True, quiet=True)
    assert codes(scene) == ["urdf.unknown-link"]


def test_a_link_of_a_taken_name_is_checked_too() -> None:
    again = "<link name='a'><visual><geometry><sphere radius='x'/></geometry></visual></link>"
    assert set(errors(LINKS + again + fixed("j", "a", "b") + fixed("k", "b", "c"))) == {
        "urdf.duplicate-name",
        "xml.not-a-number",
    }


def test_a_coupling_of_valid_joints_is_read() -> None:
    joints = MIMIC.format("k", "a", "b", "j") + MIMIC.format("j", "b", "c", "k").replace(
        "<mimic joint='k'/>", ""
    )
    assert [(c.follower, c.leader) for c in robot(LINKS + joints).couplings] == [("k", "j")]


# Actuators from transmissions and ros2_control.

TRANSMISSION = """<transmission name='t'><type>transmission_interface/SimpleTransmission</type>
<joint name='j'><hardwareInterface>EffortJointInterface</hardwareInterface></joint>
<actuator name='motor'><mechanicalReduction>50</mechanicalReduction></actuator></transmission>"""


def test_a_transmission_is_an_actuator() -> None:
    (actuator,) = robot(ARM + TRANSMISSION).actuators
    assert (actuator.name, actuator.joint, actuator.effort, actuator.gear_ratio) == (
        "motor",
        "j",
        5.0,
        50.0,
    )
    assert actuator.interfaces == ("EffortJointInterface",)


def test_the_old_form_of_a_transmission_is_read() -> None:
    old = (
        "<transmission type='pr2_mechanism_model/SimpleTransmission' name='t'><actuator "
        "name='m'/><joint name='j'/>"
    )
    (actuator,) = robot(
        ARM + old + "<mechanicalReduction>-3</mechanicalReduction></transmission>"
    ).actuators
    assert (actuator.name, actuator.gear_ratio) == ("m", -3.0)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("SimpleTransmission", "DifferentialTransmission", "urdf.transmission-type"),
        ("<joint name='j'>", "<joint name='nobody'>", "urdf.unknown-joint"),
        (">50<", ">reduction<", "urdf.reduction"),
        ("effort='5'", "effort='0'", "urdf.actuator-ignored"),
    ],
)
def test_a_transmission_that_drives_nothing_is_reported(old: str, new: str, code: str) -> None:
    assert codes(robot((ARM + TRANSMISSION).replace(old, new))) == [code]


def test_two_actuators_of_one_name_are_distinguished() -> None:
    scene = robot(ARM + TRANSMISSION + TRANSMISSION)
    assert [actuator.name for actuator in scene.actuators] == ["motor", "motor_1"]
    assert codes(scene) == ["urdf.duplicate-name"]


def test_ros2_control_drives_the_joints_that_take_commands() -> None:
    control = (
        "<ros2_control name='c' type='system'><hardware><plugin>x</plugin></hardware><joint "
        "name='j'>"
        "<command_interface name='position'/><command_interface name='velocity'/><state_interface "
        "name='position'/>"
        "</joint></ros2_control>"
    )
    (alone,) = robot(ARM + control).actuators
    assert (alone.name, alone.joint, alone.effort, alone.interfaces) == (
        "j",
        "j",
        5.0,
        ("position", "velocity"),
    )
    (both,) = robot(ARM + TRANSMISSION + control).actuators
    assert (both.name, both.interfaces) == (
        "motor",
        ("EffortJointInterface", "position", "velocity"),
    )


# The parameters of ros2_control: mimic, initial values and ranges of commands.


def controlled(joints: str, body: str = "") -> Scene:
    links = "".join(f"<link name='{name}'/>" for name in "gab")
    drives = "".join(
        f"<joint name='j{child}' type='prismatic'><parent link='g'/><child link='{child}'/>"
        f"<axis xyz='0 1 0'/>{LIMIT}{body if child == 'b' else ''}</joint>"
        for child in "ab"
    )
    return robot(f"{links}{drives}<ros2_control name='c' type='system'>{joints}</ros2_control>")


COMMAND = "<command_interface name='{}'>{}</command_interface>"
PARAM = "<param name='{}'>{}</param>"


def test_a_joint_of_ros2_control_mimics_as_its_parameters_say() -> None:
    values = PARAM.format("mimic", "ja") + PARAM.format("multiplier", "-2")
    values += PARAM.format("offset", "0.1") + COMMAND.format("position", "")
    joints = f"<joint name='ja'>{COMMAND.format('position', '')}</joint><joint name='jb'>{values}</joint>"
    scene = controlled(joints)
    (coupling,) = scene.couplings
    assert (coupling.follower, coupling.leader) == ("jb", "ja")
    assert (coupling.multiplier, coupling.offset) == (-2.0, 0.1)
    assert [actuator.joint for actuator in scene.actuators] == ["ja"]
    stated = controlled(joints, "<mimic joint='ja' multiplier='3'/>")
    assert [coupling.multiplier for coupling in stated.couplings] == [3.0]
    with pytest.raises(LoadError, match=r"urdf\.mimic"):
        controlled(f"<joint name='jb'>{PARAM.format('mimic', 'nobody')}</joint>")


def test_initial_values_and_ranges_of_commands_are_read_and_other_parameters_named() -> None:
    state = "<state_interface name='{}'>{}</state_interface>"
    limits = PARAM.format("min", "-0.5") + PARAM.format("max", "0.25")
    scene = controlled(
        f"<joint name='ja'>{COMMAND.format('position', limits)}{COMMAND.format('effort', PARAM.format('min', '-2') + PARAM.format('max', '1'))}"
        f"{state.format('position', PARAM.format('initial_value', '0.2'))}"
        f"{state.format('velocity', PARAM.format('initial_value', '0.3'))}{PARAM.format('p', '7')}</joint>"
    )
    assert scene.joints[0].default_position == (0.2,)
    (actuator,) = scene.actuators
    assert (actuator.control, actuator.effort) == ((-0.5, 0.25), 2.0)
    assert set(codes(scene)) == {"urdf.controller-setting", "urdf.initial-value"}
    model = mujoco.MjModel.from_xml_string(
        bridge.to_mjcf(scene, actuators="position", base="fixed", quiet=True)
    )
    assert model.actuator("ja").ctrlrange.tolist() == [-0.5, 0.25]
    assert model.actuator("ja").forcerange.tolist() == [-2.0, 2.0]
    assert model.key("home").qpos[0] == 0.2


@pytest.mark.parametrize("value", ["${-2*pi}", "", "nan", "1 2", "low"])
def test_a_parameter_that_is_no_number_is_named_and_the_robot_is_read(value: str) -> None:
    scene = controlled(
        f"<joint name='ja'>{COMMAND.format('position', PARAM.format('min', value))}</joint>"
    )
    assert codes(scene) == ["urdf.controller-value"]
    assert scene.actuators[0].control == (-math.inf, math.inf)
