"""Older versions of SDFormat: the tree after the upgrade, and that an old and a new spelling mean one scene."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

import loaders
from loaders import LoadError
from loaders.diagnostics import Diagnostics, Fate
from loaders.node import Node
from loaders.sdf.upgrade.upgrade import upgrade
from loaders.xml import parse

NEWEST = "1.12"
VERSIONS = ("1.0", *(f"1.{minor}" for minor in range(2, 13)))


def tree(text: str) -> tuple[Node, Diagnostics]:
    diagnostics = Diagnostics()
    root = parse(text.encode(), "old.sdf", diagnostics)
    assert root is not None
    return root, diagnostics


def canonical(node: Node) -> tuple[Any, ...]:
    """What an element says, whatever the order of different children."""
    children = sorted((canonical(child) for child in node.children), key=lambda child: child[0])
    return node.tag, tuple(sorted(node.attributes.items())), " ".join(node.text.split()), tuple(children)


def assert_upgrades(old: str, version: str, new: str, root_tag: str = "sdf") -> None:
    """An old file becomes the same tree as the new one, in silence."""
    before, found = tree(f"<{root_tag} version='{version}'>{old}</{root_tag}>")
    after, _ = tree(f"<sdf version='{version}'>{new}</sdf>")
    upgrade(before)
    assert canonical(before) == canonical(after)
    assert [str(entry) for entry in found if entry.severity != "note"] == []


def scene_of(text: str, version: str, root: str = "sdf") -> dict[str, Any]:
    scene = loaders.load_string(f"<{root} version='{version}'>{text}</{root}>", format="sdf")
    assert [str(entry) for entry in scene.diagnostics if entry.severity != "note"] == []
    plain = scene.to_dict()
    del plain["diagnostics"]
    return plain


# --- 1.0 -------------------------------------------------------------------------------------------------------------

ROBOT_1_0 = """<model name='cart' static='false'>
  <origin pose='1 2 3 0 0 0.5'/>
  <link name='chassis' gravity='false' self_collide='true' kinematic='false'>
    <origin pose='0 0 0.4 0 0 0'/>
    <damping linear='0.1' angular='0.2'/>
    <inertial mass='12'><origin pose='0.1 0 0 0 0 0'/>
      <inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0' iyz='0'/></inertial>
    <collision name='hull' laser_retro='1'><origin pose='0 0 0.1 0 0 0'/>
      <geometry><box size='1 2 0.5'/></geometry>
      <surface><friction><ode mu='0.5' mu2='0.6' fdir1='1 0 0'/></friction>
        <bounce restitution_coefficient='0.3' threshold='10'/>
        <contact><ode kp='1000' kd='10' max_vel='0.2' min_depth='0.001'/></contact></surface></collision>
    <visual name='paint' cast_shadows='false' transparency='0.25'>
      <geometry><cylinder radius='0.5' length='2'/></geometry>
      <material><ambient rgba='1 0 0 1'/><diffuse rgba='0 1 0 1'/></material></visual>
    <sensor name='eye' type='camera' always_on='1' update_rate='30'><origin pose='0 1 0 0 0 0'/>
      <camera><horizontal_fov angle='1.2'/><image width='64' height='48' format='R8G8B8'/><clip near='0.1' far='9'/>
      </camera></sensor>
  </link>
  <link name='wheel'><origin pose='0 1 0 0 0 0'/>
    <collision name='tread'><geometry><sphere radius='0.2'/></geometry></collision></link>
  <joint name='axle' type='revolute'><origin pose='0 0 0.1 0 0 0'/>
    <parent link='chassis'/><child link='wheel'/>
    <axis xyz='0 1 0'><limit lower='-1' upper='2' effort='5' velocity='6'/>
      <dynamics damping='0.7' friction='0.1'/></axis>
    <physics><ode><limit cfm='0.1' erp='0.2'/></ode></physics></joint>
</model>"""
ROBOT_NOW = """<model name='cart'><static>false</static>
  <pose>1 2 3 0 0 0.5</pose>
  <link name='chassis'><gravity>false</gravity><self_collide>true</self_collide><kinematic>false</kinematic>
    <pose>0 0 0.4 0 0 0</pose>
    <velocity_decay><linear>0.1</linear><angular>0.2</angular></velocity_decay>
    <inertial><mass>12</mass><pose>0.1 0 0 0 0 0</pose>
      <inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz><ixy>0.1</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>
    <collision name='hull'><laser_retro>1</laser_retro><pose>0 0 0.1 0 0 0</pose>
      <geometry><box><size>1 2 0.5</size></box></geometry>
      <surface><friction><ode><mu>0.5</mu><mu2>0.6</mu2><fdir1>1 0 0</fdir1></ode></friction>
        <bounce><restitution_coefficient>0.3</restitution_coefficient><threshold>10</threshold></bounce>
        <contact><ode><kp>1000</kp><kd>10</kd><max_vel>0.2</max_vel><min_depth>0.001</min_depth></ode></contact>
      </surface></collision>
    <visual name='paint'><cast_shadows>false</cast_shadows><transparency>0.25</transparency>
      <geometry><cylinder><radius>0.5</radius><length>2</length></cylinder></geometry>
      <material><ambient>1 0 0 1</ambient><diffuse>0 1 0 1</diffuse></material></visual>
    <sensor name='eye' type='camera'><always_on>1</always_on><update_rate>30</update_rate><pose>0 1 0 0 0 0</pose>
      <camera><horizontal_fov>1.2</horizontal_fov>
        <image><width>64</width><height>48</height><format>R8G8B8</format></image>
        <clip><near>0.1</near><far>9</far></clip></camera></sensor>
  </link>
  <link name='wheel'><pose>0 1 0 0 0 0</pose>
    <collision name='tread'><geometry><sphere><radius>0.2</radius></sphere></geometry></collision></link>
  <joint name='axle' type='revolute'><pose>0 0 0.1 0 0 0</pose>
    <parent>chassis</parent><child>wheel</child>
    <axis><xyz expressed_in='__model__'>0 1 0</xyz>
      <limit><lower>-1</lower><upper>2</upper><effort>5</effort><velocity>6</velocity></limit>
      <dynamics><damping>0.7</damping><friction>0.1</friction></dynamics></axis>
    <physics><ode><limit><cfm>0.1</cfm><erp>0.2</erp></limit></ode></physics></joint>
</model>"""


@pytest.mark.parametrize("root", ["gazebo", "sdf"])
@pytest.mark.parametrize("around", ["{}", "<world name='w'>{}</world>"])
def test_attributes_of_1_0_become_elements(root: str, around: str) -> None:
    assert_upgrades(around.format(ROBOT_1_0), "1.0", around.format(ROBOT_NOW), root)


def test_a_robot_of_1_0_and_the_same_robot_of_today_are_one_scene_without_a_warning() -> None:
    assert scene_of(ROBOT_1_0, "1.0", "gazebo") == scene_of(ROBOT_NOW, NEWEST)


def test_a_world_of_1_0_keeps_its_gravity_step_and_lights() -> None:
    assert_upgrades(
        """<world name='w'><physics type='ode' update_rate='500'><gravity xyz='0 0 -3'/>
          <ode><solver type='quick' dt='0.002' iters='10' sor='1.3'/>
            <constraints cfm='0' erp='0.2' contact_max_correcting_vel='100' contact_surface_layer='0.001'/>
          </ode></physics>
        <light name='sun' type='spot' cast_shadows='true'><origin pose='0 0 9 0 0 0'/><diffuse rgba='1 1 1 1'/>
          <direction xyz='0 1 -1'/><attenuation range='20' constant='0.5'/><spot inner_angle='0.1' falloff='1'/></light>
        <scene><ambient rgba='1 1 1 1'/><shadows enabled='true'/><fog type='linear' rgba='1 1 1 1'/></scene></world>""",
        "1.0",
        """<world name='w'><physics type='ode'><real_time_update_rate>500</real_time_update_rate>
          <max_step_size>0.002</max_step_size>
          <ode><solver><type>quick</type><iters>10</iters><sor>1.3</sor></solver>
            <constraints><cfm>0</cfm><erp>0.2</erp><contact_max_correcting_vel>100</contact_max_correcting_vel>
            <contact_surface_layer>0.001</contact_surface_layer></constraints></ode></physics>
        <gravity>0 0 -3</gravity>
        <light name='sun' type='spot'><cast_shadows>true</cast_shadows><pose>0 0 9 0 0 0</pose>
          <diffuse>1 1 1 1</diffuse><direction>0 1 -1</direction>
          <attenuation><range>20</range><constant>0.5</constant></attenuation>
          <spot><inner_angle>0.1</inner_angle><falloff>1</falloff></spot></light>
        <scene><ambient>1 1 1 1</ambient><shadows>true</shadows><fog><type>linear</type><color>1 1 1 1</color></fog>
        </scene></world>""",
        "gazebo",
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<mesh filename='a.dae' scale='2 2 2'/>", "<mesh><uri>a.dae</uri><scale>2 2 2</scale></mesh>"),
        ("<plane normal='0 1 0'/>", "<plane><normal>0 1 0</normal></plane>"),
        (
            "<heightmap filename='h.png' size='9 9 1' origin='0 0 1'/>",
            "<heightmap><uri>h.png</uri><size>9 9 1</size><pos>0 0 1</pos></heightmap>",
        ),
        (
            "<image filename='i.png' scale='1' threshold='5' height='1' granularity='2'/>",
            "<image><uri>i.png</uri><scale>1</scale><threshold>5</threshold><height>1</height>"
            "<granularity>2</granularity></image>",
        ),
    ],
)
def test_files_of_shapes_are_uris_today(old: str, new: str) -> None:
    around = "<model name='m'><link name='l'><visual name='v'><geometry>{}</geometry></visual></link></model>"
    assert_upgrades(around.format(old), "1.0", around.format(new))


def test_materials_of_1_0_are_those_that_gazebo_brings_along() -> None:
    body = "<model name='m'><link name='l'><visual name='v'><material script='Gazebo/Red'/></visual></link></model>"
    scene = loaders.load_string(f"<gazebo version='1.0'>{body}</gazebo>", format="sdf")
    material = scene.links[0].visuals[0].material
    assert material is not None
    assert material.name == "Gazebo/Red"


# --- later steps -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_a_mesh_of_1_2_may_be_a_filename(version: str) -> None:
    around = (
        "<model name='m'><link name='l'><visual name='v'><geometry><mesh>{}</mesh></geometry></visual></link></model>"
    )
    assert_upgrades(around.format("<filename>a.stl</filename>"), version, around.format("<uri>a.stl</uri>"))
    both = "<uri>b.stl</uri><filename>a.stl</filename>"
    assert_upgrades(around.format(both), version, around.format(both))


@pytest.mark.parametrize("dt", ["<ode><solver>{}</solver></ode>", "<bullet>{}</bullet>"])
def test_the_time_step_leaves_the_engines(dt: str) -> None:
    old = (
        f"<world name='w'><physics type='x'>{dt.format('<dt>0.01</dt>')}<update_rate>50</update_rate></physics></world>"
    )
    new = (
        f"<world name='w'><physics type='x'>{dt.format('')}<max_step_size>0.01</max_step_size>"
        "<real_time_update_rate>50</real_time_update_rate></physics></world>"
    )
    assert_upgrades(old, "1.3", new)
    assert_upgrades(old, "1.4", old)


JOINT = "<joint name='j' type='universal'><axis><xyz{0}>1 0 0</xyz></axis><axis2><xyz{0}>0 1 0</xyz></axis2></joint>"
FLAG = "<joint name='j' type='revolute'><axis><xyz{}>1 0 0</xyz>{}</axis></joint>"
IN_MODEL = " expressed_in='__model__'"


@pytest.mark.parametrize("around", ["<model name='m'>{}</model>", "<world name='w'><model name='m'>{}</model></world>"])
def test_axes_of_top_level_models_are_in_the_model_frame_until_1_4(around: str) -> None:
    nested = around.format("<model name='n'>{}</model>")
    assert_upgrades(around.format(JOINT.format("")), "1.4", around.format(JOINT.format(IN_MODEL)))
    assert_upgrades(around.format(JOINT.format("")), "1.5", around.format(JOINT.format("")))
    assert_upgrades(nested.format(JOINT.format("")), "1.4", nested.format(JOINT.format("")))


@pytest.mark.parametrize(("word", "extra"), [("true", IN_MODEL), (" 1 ", IN_MODEL), ("false", ""), ("0", "")])
def test_use_parent_model_frame_says_what_the_axis_is_expressed_in(word: str, extra: str) -> None:
    around = "<model name='m'><model name='n'>{}</model></model>"
    flag = f"<use_parent_model_frame>{word}</use_parent_model_frame>"
    assert_upgrades(around.format(FLAG.format("", flag)), "1.6", around.format(FLAG.format(extra, "")))


def test_an_axis_of_1_4_that_says_false_stays_in_the_joint_frame() -> None:
    flag = "<use_parent_model_frame>false</use_parent_model_frame>"
    assert_upgrades(
        f"<model name='m'>{FLAG.format('', flag)}</model>", "1.4", f"<model name='m'>{FLAG.format('', '')}</model>"
    )


def test_gravity_and_the_magnetic_field_leave_the_first_physics() -> None:
    assert_upgrades(
        """<world name='w'><physics type='a'><gravity>0 0 -1</gravity><magnetic_field>1 2 3</magnetic_field></physics>
        <physics type='b'><gravity>0 0 -2</gravity></physics></world>""",
        "1.5",
        """<world name='w'><physics type='a'/><physics type='b'><gravity>0 0 -2</gravity></physics>
        <gravity>0 0 -1</gravity><magnetic_field>1 2 3</magnetic_field></world>""",
    )


def test_the_noise_of_an_imu_is_given_for_each_axis() -> None:
    around = "<model name='m'><link name='l'><sensor name='s' type='imu'><imu>{}</imu></sensor></link></model>"
    old = (
        "<noise><type>gaussian</type><rate><mean>1</mean><stddev>2</stddev></rate><accel><mean>3</mean></accel></noise>"
    )
    rate = "".join(f"<{a}><noise type='gaussian'><mean>1</mean><stddev>2</stddev></noise></{a}>" for a in "xyz")
    accel = "".join(f"<{a}><noise type='gaussian'><mean>3</mean></noise></{a}>" for a in "xyz")
    new = f"<angular_velocity>{rate}</angular_velocity><linear_acceleration>{accel}</linear_acceleration>"
    assert_upgrades(around.format(old), "1.5", around.format(new))


def test_the_frame_of_a_pose_is_renamed_at_any_depth_but_not_in_plugins_and_foreign_elements() -> None:
    kept = "<plugin name='p' filename='f'><pose frame='x'/></plugin><my:own xmlns:my='urn:m'><pose frame='x'/></my:own>"
    around = (
        f"<model name='m'>{kept}<model name='n'><link name='l'><visual name='v'>{{}}</visual></link></model></model>"
    )
    assert_upgrades(around.format("<pose frame='x'/>"), "1.6", around.format("<pose relative_to='x'/>"))
    assert_upgrades(around.format("<pose frame='x'/>"), "1.7", around.format("<pose frame='x'/>"))


def test_feedback_of_joints_left_one_engine() -> None:
    around = "<model name='m'><joint name='j' type='fixed'><physics>{}</physics></joint></model>"
    assert_upgrades(
        around.format("<ode><provide_feedback>true</provide_feedback></ode>"),
        "1.5",
        around.format("<ode/><provide_feedback>true</provide_feedback>"),
    )


@pytest.mark.parametrize("version", ["1.7", "1.8", "1.9", "1.10", "1.11", "1.12"])
def test_from_1_7_on_a_model_stays_as_it_is(version: str) -> None:
    assert_upgrades(ROBOT_NOW, version, ROBOT_NOW)


# --- flattened models ------------------------------------------------------------------------------------------------


def assert_unflattens(old: str, new: str) -> None:
    around = "<world name='w'><model name='m'>{}</model></world>"
    assert_upgrades(around.format(old), "1.7", around.format(new))
    assert_upgrades(around.format(old), "1.8", around.format(old))
    assert_upgrades(f"<model name='m'>{old}</model>", "1.7", f"<model name='m'>{old}</model>")


def test_flat_names_of_several_levels_become_models_in_models() -> None:
    assert_unflattens(
        """<link name='a::b::deep'><pose relative_to='a::b::top'/></link><link name='a::b::top'/><link name='own'/>
        <link name='a::l'/>""",
        """<link name='own'/><model name='a'><link name='l'/><model name='b'>
        <link name='deep'><pose relative_to='top'/></link><link name='top'/></model></model>""",
    )


def test_the_frame_of_a_flat_model_becomes_its_pose_and_canonical_link() -> None:
    assert_unflattens(
        """<frame name='a::__model__' attached_to='a::second'><pose relative_to='own'>1 2 3 0 0 0</pose></frame>
        <link name='a::first'/><link name='a::second'/><link name='own'/>""",
        """<link name='own'/><model name='a' canonical_link='second'><pose relative_to='own'>1 2 3 0 0 0</pose>
        <link name='first'/><link name='second'/></model>""",
    )


def test_references_of_joints_frames_shapes_and_grippers_lose_the_prefix() -> None:
    assert_unflattens(
        """<link name='a::l'><visual name='v'><pose relative_to='a::f'/></visual></link><link name='a::k'/>
        <frame name='a::f' attached_to='a::l'/>
        <joint name='a::j' type='revolute'><parent>a::l</parent><child>a::k</child>
          <axis><xyz expressed_in='a::f'>1 0 0</xyz></axis>
          <sensor name='s' type='imu'><pose relative_to='a::l'/></sensor>
        </joint><joint name='a::fix' type='fixed'><parent>world</parent><child>a::l</child></joint>
        <gripper name='grip'><gripper_link>a::k</gripper_link><palm_link>a::l</palm_link></gripper>""",
        """<model name='a'><link name='l'><visual name='v'><pose relative_to='f'/></visual></link><link name='k'/>
        <frame name='f' attached_to='l'/>
        <joint name='j' type='revolute'><parent>l</parent><child>k</child>
          <axis><xyz expressed_in='f'>1 0 0</xyz></axis><sensor name='s' type='imu'><pose relative_to='l'/></sensor>
        </joint><joint name='fix' type='fixed'><parent>world</parent><child>l</child></joint>
        <gripper name='grip'><gripper_link>k</gripper_link><palm_link>l</palm_link></gripper></model>""",
    )


def test_a_prefix_ends_at_the_colons() -> None:
    assert_unflattens(
        "<link name='aa'/><link name='a::l'/><link name='aa::l'/>",
        "<link name='aa'/><model name='a'><link name='l'/></model><model name='aa'><link name='l'/></model>",
    )


def test_what_stands_after_a_nested_model_is_unflattened_too_and_what_stands_in_it() -> None:
    assert_unflattens(
        "<link name='a::l'/><model name='n'><link name='x::y'/></model><link name='z::l'/>",
        """<model name='n'><model name='x'><link name='y'/></model></model>
        <model name='a'><link name='l'/></model><model name='z'><link name='l'/></model>""",
    )


def test_a_group_that_refers_beyond_itself_stays_flat_and_still_works() -> None:
    body = """<model name='m'><link name='base'/><link name='a::l'/>
      <joint name='a::j' type='fixed'><parent>base</parent><child>a::l</child></joint></model>"""
    around = f"<world name='w'>{body}</world>"
    assert_upgrades(around, "1.6", around)
    scene = loaders.load_string(f"<sdf version='1.6'>{around}</sdf>", format="sdf")
    assert [(joint.parent, joint.child) for joint in scene.joints] == [("m::base", "m::a::l")]


@pytest.mark.parametrize("name", ["::", "a::", "::a", "a::b::", "::::", "::".join("a" * 1000)])
def test_odd_names_harm_nobody(name: str) -> None:
    text = f"<sdf version='1.6'><world name='w'><model name='m'><link name='{name}'/></model></world></sdf>"
    with contextlib.suppress(LoadError):
        assert loaders.load_string(text, format="sdf").links


# --- versions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_known_and_returned(version: str) -> None:
    root, found = tree(f"<sdf version='{version}'><model name='m'/></sdf>")
    major, minor = version.split(".")
    assert upgrade(root) == (int(major), int(minor))
    assert [str(entry) for entry in found if entry.severity != "note"] == []


@pytest.mark.parametrize("version", ["1.1", "1.13", "1.8.0", "2.0", "100", "newest", "1.٣", "9" * 9999])
def test_an_unknown_version_is_reported_and_read_as_the_newest(version: str) -> None:
    old = "<model name='m'><link name='l'><pose frame='x'/></link></model>"
    root, found = tree(f"<sdf version='{version}'>{old}</sdf>")
    upgrade(root)
    (entry,) = found
    assert (entry.code, entry.fate) == ("sdf.unknown-version", Fate.ASSUMED)
    assert root.children[0].children[0].children[0].attributes == {"frame": "x"}


@pytest.mark.parametrize("attribute", ["", " version=''", " version='  '"])
def test_a_file_without_a_version_is_refused(attribute: str) -> None:
    with pytest.raises(LoadError, match=r"sdf\.no-version"):
        loaders.load_string(f"<sdf{attribute}><model name='m'><link name='l'/></model></sdf>", format="sdf")
