"""Gazebo's extensions of links, joints and robots."""

from __future__ import annotations

import mujoco
import pytest

import bridge
import loaders
from loaders.model import Material
from tests.support.sdf_elements import ELEMENTS
from tests.support.urdf_robots import ARM, codes, robot


def test_contact_properties_hold_for_every_collision_of_the_link() -> None:
    scene = robot(
        ARM
        + "<gazebo reference='b'><mu1>0.3</mu1><mu2 value='0.4'/><fdir1>0 1 0</fdir1><kp>1e5</kp><kd>10</kd>"
        "<maxVel>0.1</maxVel><minDepth>0.001</minDepth></gazebo>"
    )
    untouched, changed = scene.links
    assert untouched.collisions[0].surface.friction.mu == 1.0
    for collision in changed.collisions:
        surface = collision.surface
        assert (surface.friction.mu, surface.friction.mu2, surface.friction.fdir1) == (
            0.3,
            0.4,
            (0, 1, 0),
        )
        assert (surface.stiffness, surface.damping, surface.max_velocity, surface.min_depth) == (
            1e5,
            10,
            0.1,
            0.001,
        )
    assert codes(scene) == []


def test_several_elements_add_up() -> None:
    scene = robot(
        ARM
        + "<gazebo reference='b'><mu1>0.3</mu1></gazebo><gazebo reference='b'><kp>9</kp></gazebo>"
    )
    surface = scene.links[1].collisions[0].surface
    assert (surface.friction.mu, surface.stiffness) == (0.3, 9)


def test_flags_of_a_link() -> None:
    scene = robot(
        ARM
        + "<gazebo reference='b'><turnGravityOff>true</turnGravityOff><selfCollide>1</selfCollide>"
        "<dampingFactor>0.2</dampingFactor><kinematic>true</kinematic></gazebo>"
    )
    a, b = scene.links
    assert (a.gravity, a.self_collide, a.kinematic, a.velocity_decay) == (
        True,
        None,
        False,
        (0.0, 0.0),
    )
    assert (b.gravity, b.self_collide, b.kinematic, b.velocity_decay) == (
        False,
        True,
        True,
        (0.2, 0.2),
    )


@pytest.mark.parametrize(
    ("element", "gravity"),
    [
        ("<turnGravityOff>false</turnGravityOff>", True),
        ("<gravity>false</gravity>", False),
        ("<gravity>true</gravity>", True),
    ],
)
def test_gravity(element: str, gravity: bool) -> None:
    assert robot(f"{ARM}<gazebo reference='b'>{element}</gazebo>").links[1].gravity is gravity


def test_a_surface_in_sdformat_inside_a_link_is_read() -> None:
    blob = "<collision><surface><friction><ode><mu>0.7</mu></ode></friction></surface></collision>"
    assert (
        robot(f"{ARM}<gazebo reference='b'>{blob}</gazebo>")
        .links[1]
        .collisions[1]
        .surface.friction.mu
        == 0.7
    )


def test_springs_stops_and_feedback_of_a_joint() -> None:
    scene = robot(
        ARM
        + "<gazebo reference='j'><springStiffness>3</springStiffness><springReference>0.2</springReference>"
        "<stopKp value='100'/><stopKd value='2'/><provideFeedback>true</provideFeedback>"
        "<preserveFixedJoint>true</preserveFixedJoint><disableFixedJointLumping>true</disableFixedJointLumping>"
        "<implicitSpringDamper>1</implicitSpringDamper></gazebo>"
    )
    (joint,) = scene.joints
    (axis,) = joint.axes
    assert (axis.spring_stiffness, axis.spring_reference) == (3.0, 0.2)
    assert (axis.limit_stiffness, axis.limit_dissipation) == (100.0, 2.0)
    assert joint.provide_feedback
    assert codes(scene) == ["urdf.engine-setting"]


@pytest.mark.parametrize("reference", ["reference='b'", "reference='j'", ""])
def test_options_that_keep_a_fixed_joint_change_nothing_wherever_they_are(reference: str) -> None:
    options = "<preserveFixedJoint>true</preserveFixedJoint><disableFixedJointLumping>true</disableFixedJointLumping>"
    assert codes(robot(f"{ARM}<gazebo {reference}>{options}</gazebo>")) == []


def test_a_solver_setting_of_joints_is_no_unknown_element_of_a_link() -> None:
    damper = "<gazebo reference='b'><implicitSpringDamper>3</implicitSpringDamper></gazebo>"
    assert codes(robot(ARM + damper)) == ["urdf.engine-setting"]


def test_an_extension_of_a_joint_that_is_left_out_is_left_out_with_it() -> None:
    lost = "<joint name='k' type='fixed'><parent link='a'/><child link='none'/></joint>"
    extension = "<gazebo reference='k'><preserveFixedJoint>true</preserveFixedJoint></gazebo>"
    text = f"<robot name='r'>{ARM}{lost}{extension}</robot>"
    assert codes(loaders.load_string(text, format="urdf", lenient=True, quiet=True)) == [
        "urdf.unknown-link"
    ]


def test_fixed_joints_are_never_lumped() -> None:
    body = (
        "<link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/><child "
        "link='b'/></joint>"
    )
    assert [link.name for link in robot(body).links] == ["a", "b"]


def test_properties_of_the_whole_robot() -> None:
    scene = robot(ARM + "<gazebo><static>true</static><self_collide>true</self_collide></gazebo>")
    assert scene.models[0].static
    assert scene.models[0].self_collide
    assert bridge.lower(scene).v_order == ()


@pytest.mark.parametrize(
    ("element", "code", "severity"),
    [
        ("<gazebo><plugin name='p' filename='p.so'><x/></plugin></gazebo>", "urdf.plugin", "note"),
        (
            "<gazebo reference='a'><material>Gazebo/Red</material></gazebo>",
            "urdf.appearance",
            "note",
        ),
        (
            "<gazebo reference='a'><maxContacts>3</maxContacts></gazebo>",
            "urdf.engine-setting",
            "note",
        ),
        ("<gazebo reference='nobody'><mu1>1</mu1></gazebo>", "urdf.unknown-reference", "warning"),
        ("<gazebo><light name='more'/></gazebo>", "urdf.embedded-sdf", "warning"),
        ("<gazebo><pose>0 0 1 0 0 0</pose></gazebo>", "urdf.gazebo-pose", "warning"),
        ("<gazebo reference='a'><unheard_of>1</unheard_of></gazebo>", "xml.unread", "warning"),
    ],
)
def test_what_gazebo_says_and_we_do_not_hold_is_reported(
    element: str, code: str, severity: str
) -> None:
    assert [(entry.code, entry.severity) for entry in robot(ARM + element).diagnostics] == [
        (code, severity)
    ]


def test_a_material_of_gazebo_is_that_of_visuals_that_have_none() -> None:
    material = "<gazebo reference='a'><material>Gazebo/Red</material></gazebo>"
    shape = "<geometry><sphere radius='1'/></geometry>"
    found = robot(f"<link name='a'><visual>{shape}</visual></link>{material}")
    assert found.links[0].visuals[0].material == Material(
        name="Gazebo/Red", diffuse=(1.0, 0.0, 0.0, 1.0)
    )
    own = robot(
        f"<link name='a'><visual>{shape}</visual></link>{material.replace('Gazebo/Red', 'Mine')}"
    )
    assert own.links[0].visuals[0].material == Material(name="Mine")
    assert codes(found) == []
    red = "<material name='b'><color rgba='1 0 0 1'/></material>"
    colored = robot(f"<link name='a'><visual>{shape}{red}</visual></link>{material}")
    assert colored.links[0].visuals[0].material == Material(name="b", diffuse=(1.0, 0.0, 0.0, 1.0))
    assert codes(colored) == ["urdf.appearance"]


# Elements of SDFormat in ``<gazebo>``, which libsdformat adds to the model.

BODY = "<inertial><mass value='2'/><inertia ixx='.1' iyy='.2' izz='.25' ixy='0' ixz='0' iyz='0'/></inertial>"
CHAIN = "".join(f"<link name='{name}'>{BODY}</link>" for name in "gabc") + "".join(
    f"<joint name='j{child}' type='continuous'><origin xyz='{xyz}'/><parent link='{parent}'/>"
    f"<child link='{child}'/><axis xyz='0 1 0'/></joint>"
    for parent, child, xyz in (("g", "a", "0 0 0"), ("a", "b", "0 0 1"), ("g", "c", "1 0 0"))
)
CLOSING = "<joint name='jd' type='revolute'><pose>0 0 1 0 0 0</pose><parent>b</parent><child>c</child><axis><xyz>0 1 0</xyz></axis></joint>"


def test_a_joint_in_gazebo_closes_a_loop_as_libsdformat_reads_it() -> None:
    scene = robot(f"{CHAIN}<gazebo>{CLOSING}</gazebo>")
    assert [joint.name for joint in scene.joints] == ["ja", "jb", "jc", "jd"]
    assert codes(scene) == []
    closing = scene.joints[-1]
    assert (closing.parent, closing.child) == ("b", "c")
    # The pose of a joint is relative to its child: c is at (1, 0, 0), the joint 1 m above it, b 1 m above g.
    assert closing.X_CJ.p.tolist() == [0, 0, 1]
    assert closing.X_PJ.p.tolist() == [1, 0, 0]
    model = mujoco.MjModel.from_xml_string(bridge.to_mjcf(scene, base="fixed", quiet=True))
    assert [model.joint(i).name for i in range(model.njnt)] == ["ja", "jb", "jc"]
    assert not scene.actuators
    data = mujoco.MjData(model)
    for name, position in (("ja", 0.4), ("jb", -0.4), ("jc", 0.4)):
        data.joint(name).qpos[0] = position
    mujoco.mj_forward(model, data)
    equalities = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    assert abs(equalities).max() < 1e-9  # a parallelogram stays closed


def test_links_frames_and_models_in_gazebo_belong_to_the_robot() -> None:
    scene = robot(
        f"{CHAIN}<gazebo><link name='d'><pose relative_to='b'>0 0 1 0 0 0</pose></link>"
        "<joint name='k' type='fixed'><parent>b</parent><child>d</child></joint></gazebo>"
        "<gazebo><frame name='f' attached_to='d'><pose>0 1 0 0 0 0</pose></frame>"
        "<model name='m'><link name='l'/></model></gazebo>"
    )
    assert codes(scene) == []
    assert [link.name for link in scene.links] == ["g", "a", "b", "c", "d", "m::l"]
    assert [link.X_WL.p.tolist() for link in scene.links if link.name == "d"] == [[0, 0, 2]]
    (frame,) = scene.frames
    assert (frame.name, frame.link, frame.X_LF.p.tolist()) == ("f", "d", [0, 1, 0])


def test_a_name_in_gazebo_that_is_taken_is_an_error() -> None:
    text = f"{CHAIN}<gazebo>{CLOSING.replace('jd', 'ja')}</gazebo>"
    with pytest.raises(loaders.LoadError, match=r"urdf\.duplicate-name"):
        robot(text)
    scene = loaders.load_string(f"<robot name='r'>{text}</robot>", format="urdf", lenient=True)
    assert [joint.name for joint in scene.joints] == ["ja", "jb", "jc"]


def _names(*paths: str) -> list[str]:
    return sorted(
        {
            tag
            for path in paths
            for table in ELEMENTS.values()
            for tag in table.get(path, "").split()
        }
    )


@pytest.mark.parametrize("tag", _names("model/link", "world/link"))
def test_every_element_of_a_link_of_sdformat_is_known(tag: str) -> None:
    scene = loaders.load_string(
        f"<robot name='r'>{ARM}<gazebo reference='a'><{tag} name='x' type='point'/></gazebo></robot>",
        format="urdf",
        lenient=True,
    )
    assert not [
        entry for entry in scene.diagnostics if entry.message.startswith(f"unknown element {tag!r}")
    ]


@pytest.mark.parametrize("tag", ["axis", "axis2", "pose", "physics", "sensor"])
def test_every_element_of_a_joint_of_sdformat_is_known(tag: str) -> None:
    scene = robot(f"{ARM}<gazebo reference='j'><{tag} name='x' type='imu'/></gazebo>")
    assert not [
        entry for entry in scene.diagnostics if entry.message.startswith(f"unknown element {tag!r}")
    ]


def test_visuals_and_decay_of_sdformat_hold_for_a_link() -> None:
    shape = "<visual><geometry><sphere radius='1'/></geometry></visual>"
    scene = robot(
        f"<link name='a'>{shape}{shape}</link><gazebo reference='a'><visual><material><diffuse>.5 .6 .7 1</diffuse>"
        "</material><transparency>0.25</transparency></visual>"
        "<velocity_decay><linear>0.1</linear><angular>0.2</angular></velocity_decay></gazebo>"
    )
    assert codes(scene) == []
    assert scene.links[0].velocity_decay == (0.1, 0.2)
    for visual in scene.links[0].visuals:
        assert visual.material == Material(diffuse=(0.5, 0.6, 0.7, 1.0))
        assert visual.transparency == 0.25


def test_an_origin_of_the_robot_is_named_with_its_size() -> None:
    scene = robot("<link name='a'/><origin xyz='0.3 0 0.4' rpy='0 0 1.5'/>")
    (entry,) = scene.diagnostics
    assert (entry.code, entry.severity) == ("urdf.robot-origin", "warning")
    assert (entry.arguments["distance"], round(float(str(entry.arguments["angle"])), 9)) == (
        0.5,
        1.5,
    )
    assert scene.links[0].X_WL.p.tolist() == [0.3, 0, 0.4]
    assert codes(robot("<link name='a'/><origin xyz='0 0 0'/>")) == []


def test_sensors_stand_on_links_and_joints() -> None:
    sensor = (
        "<sensor name='{}' type='{}'><pose>1 2 3 0 0 "
        "0</pose><update_rate>50</update_rate><x><y>4</y></x></sensor>"
    )
    scene = robot(
        f"{ARM}<gazebo reference='b'>{sensor.format('eye', 'imu')}</gazebo>"
        f"<gazebo reference='j'>{sensor.format('ft', 'force_torque')}</gazebo>"
    )
    (eye,), (ft,) = scene.links[1].sensors, scene.joints[0].sensors
    assert (eye.name, eye.type, eye.joint, eye.update_rate) == ("eye", "imu", None, 50.0)
    assert eye.X_LS.p.tolist() == [1, 2, 3]
    assert ("x/y", "4") in eye.parameters
    assert (ft.name, ft.joint) == ("ft", "j")
