"""The upgrade of a file: the conversion rules of each version, and unknown and missing versions."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import loaders
from loaders import LoadError
from loaders.diagnostics import Fate
from loaders.model import by_name
from loaders.sdf.upgrade import (
    Add,
    Copy,
    Map,
    Move,
    Remove,
    Rename,
    Rule,
    attributes_to_elements,
    upgrade,
)
from tests.support.sdf import (
    X_WF,
    X_WJ,
    X_WL,
    Q,
    assert_pose,
    assert_upgrades,
    joint_of,
    read_sdf,
    scene_of,
    transform,
    tree,
)

# The conversion rules of each version: the tree after the upgrade, and equal scenes for old and new
# files.

# --- 1.0 ------------------------------------------------------------------------------------------


NEWEST = "1.12"


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


ROBOT_1_12 = """<model name='cart'><static>false</static>
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
    assert_upgrades(around.format(ROBOT_1_0), "1.0", around.format(ROBOT_1_12), root)


def test_a_robot_of_1_0_and_the_same_robot_of_1_12_give_the_same_scene() -> None:
    assert scene_of(ROBOT_1_0, "1.0", "gazebo") == scene_of(ROBOT_1_12, NEWEST)


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
        (
            "<mesh filename='a.dae' scale='2 2 2'/>",
            "<mesh><uri>a.dae</uri><scale>2 2 2</scale></mesh>",
        ),
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
def test_file_names_of_shapes_become_uris(old: str, new: str) -> None:
    around = (
        "<model name='m'><link name='l'><visual "
        "name='v'><geometry>{}</geometry></visual></link></model>"
    )
    assert_upgrades(around.format(old), "1.0", around.format(new))


def test_materials_of_1_0_are_those_of_gazebo() -> None:
    body = (
        "<model name='m'><link name='l'><visual name='v'><material "
        "script='Gazebo/Red'/></visual></link></model>"
    )
    scene = loaders.load_string(f"<gazebo version='1.0'>{body}</gazebo>", format="sdf")
    material = scene.links[0].visuals[0].material
    assert material is not None
    assert material.name == "Gazebo/Red"


# --- 1.2 to 1.5 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_a_mesh_of_1_2_can_have_a_filename(version: str) -> None:
    around = (
        "<model name='m'><link name='l'><visual "
        "name='v'><geometry><mesh>{}</mesh></geometry></visual></link></model>"
    )
    assert_upgrades(
        around.format("<filename>a.stl</filename>"), version, around.format("<uri>a.stl</uri>")
    )
    both = "<uri>b.stl</uri><filename>a.stl</filename>"
    assert_upgrades(around.format(both), version, around.format(both))


@pytest.mark.parametrize("dt", ["<ode><solver>{}</solver></ode>", "<bullet>{}</bullet>"])
def test_the_time_step_moves_from_the_engine_to_physics(dt: str) -> None:
    old = (
        f"<world name='w'><physics "
        f"type='x'>{dt.format('<dt>0.01</dt>')}<update_rate>50</update_rate></physics></world>"
    )
    new = (
        f"<world name='w'><physics type='x'>{dt.format('')}<max_step_size>0.01</max_step_size>"
        "<real_time_update_rate>50</real_time_update_rate></physics></world>"
    )
    assert_upgrades(old, "1.3", new)
    assert_upgrades(old, "1.4", old)


def test_physics_and_gravity_of_old_files_are_read() -> None:
    scene = read_sdf(
        """<world name='w'><physics type='ode'><gravity>0 -2 0</gravity><update_rate>40</update_rate>
        <ode><solver><type>quick</type><dt>0.02</dt></solver></ode></physics></world>""",
        "1.3",
    )
    assert scene.gravity.tolist() == [0.0, -2.0, 0.0]
    assert (scene.physics.time_step, scene.physics.real_time_update_rate) == (0.02, 40.0)
    assert read_sdf("<world name='w'/>", "1.4").gravity.tolist() == [0.0, 0.0, -9.8]
    magnetic = read_sdf(
        (
            "<world name='w'><physics type='ode'><magnetic_field>1 2 "
            "3</magnetic_field></physics></world>"
        ),
        "1.5",
    )
    assert magnetic.magnetic_field.tolist() == [1.0, 2.0, 3.0]


JOINT = (
    "<joint name='j' type='universal'><axis><xyz{0}>1 0 0</xyz></axis><axis2><xyz{0}>0 1 "
    "0</xyz></axis2></joint>"
)


FLAG = "<joint name='j' type='revolute'><axis><xyz{}>1 0 0</xyz>{}</axis></joint>"


IN_MODEL = " expressed_in='__model__'"


@pytest.mark.parametrize(
    "around", ["<model name='m'>{}</model>", "<world name='w'><model name='m'>{}</model></world>"]
)
def test_axes_of_top_level_models_are_in_the_model_frame_until_1_4(around: str) -> None:
    nested = around.format("<model name='n'>{}</model>")
    assert_upgrades(around.format(JOINT.format("")), "1.4", around.format(JOINT.format(IN_MODEL)))
    assert_upgrades(around.format(JOINT.format("")), "1.5", around.format(JOINT.format("")))
    assert_upgrades(nested.format(JOINT.format("")), "1.4", nested.format(JOINT.format("")))


@pytest.mark.parametrize(
    ("version", "in_joint"),
    [
        ("1.2", (0, 0, 1)),
        ("1.3", (0, 0, 1)),
        ("1.4", (0, 0, 1)),
        ("1.5", (0, 1, 0)),
        ("1.7", (0, 1, 0)),
    ],
)
def test_until_1_4_axes_are_in_the_model_frame_and_joints_always_on_their_child(
    version: str, in_joint: tuple[float, float, float]
) -> None:
    scene = read_sdf(
        f"""<model name='m'><pose>7 0 0 0 0 {Q}</pose><link name='a'/><link name='b'><pose>0 0 1 0 0 0</pose></link>
        <joint name='j' type='revolute'><pose>0 0 2 {-Q} 0 0</pose><parent>a</parent><child>b</child>
        <axis><xyz>0 1 0</xyz></axis></joint></model>""",
        version,
    )
    np.testing.assert_allclose(joint_of(scene, "j").axes[0].xyz, in_joint, atol=1e-15)
    assert_pose(X_WJ(scene, "j"), transform(7, 0, 0, yaw=Q), transform(0, 0, 3, roll=-Q))


def test_the_axis_rule_of_1_4_does_not_apply_to_nested_models() -> None:
    scene = read_sdf(
        f"""<model name='m'><link name='l'/><model name='n'><link name='a'/>
        <link name='b'><pose>0 0 0 {Q} 0 0</pose></link>
        <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint></model>
        </model>""",
        "1.4",
    )
    np.testing.assert_allclose(joint_of(scene, "n::j").axes[0].xyz, (0, 1, 0), atol=1e-15)


def test_an_axis_of_1_4_with_a_false_flag_stays_in_the_joint_frame() -> None:
    flag = "<use_parent_model_frame>false</use_parent_model_frame>"
    assert_upgrades(
        f"<model name='m'>{FLAG.format('', flag)}</model>",
        "1.4",
        f"<model name='m'>{FLAG.format('', '')}</model>",
    )


def test_gravity_and_magnetic_field_move_from_the_first_physics_to_the_world() -> None:
    assert_upgrades(
        """<world name='w'><physics type='a'><gravity>0 0 -1</gravity><magnetic_field>1 2 3</magnetic_field></physics>
        <physics type='b'><gravity>0 0 -2</gravity></physics></world>""",
        "1.5",
        """<world name='w'><physics type='a'/><physics type='b'><gravity>0 0 -2</gravity></physics>
        <gravity>0 0 -1</gravity><magnetic_field>1 2 3</magnetic_field></world>""",
    )


def test_the_noise_of_an_imu_is_copied_to_each_axis() -> None:
    around = (
        "<model name='m'><link name='l'><sensor name='s' "
        "type='imu'><imu>{}</imu></sensor></link></model>"
    )
    old = "<noise><type>gaussian</type><rate><mean>1</mean><stddev>2</stddev></rate><accel><mean>3</mean></accel></noise>"
    rate = "".join(
        f"<{a}><noise type='gaussian'><mean>1</mean><stddev>2</stddev></noise></{a}>" for a in "xyz"
    )
    accel = "".join(f"<{a}><noise type='gaussian'><mean>3</mean></noise></{a}>" for a in "xyz")
    new = f"<angular_velocity>{rate}</angular_velocity><linear_acceleration>{accel}</linear_acceleration>"
    assert_upgrades(around.format(old), "1.5", around.format(new))


# --- 1.6 and later --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "extra"), [("true", IN_MODEL), (" 1 ", IN_MODEL), ("false", ""), ("0", "")]
)
def test_use_parent_model_frame_becomes_expressed_in(word: str, extra: str) -> None:
    around = "<model name='m'><model name='n'>{}</model></model>"
    flag = f"<use_parent_model_frame>{word}</use_parent_model_frame>"
    assert_upgrades(
        around.format(FLAG.format("", flag)), "1.6", around.format(FLAG.format(extra, ""))
    )


@pytest.mark.parametrize("word", ["true", "True", "TRUE", "1"])
def test_the_parent_model_frame_is_that_of_the_model_that_contains_the_joint(word: str) -> None:
    def hinge(parent: str, child: str, extra: str) -> str:
        return f"""<joint name='{child}_hinge' type='revolute'><parent>{parent}</parent><child>{child}</child>
            <axis><xyz>1 0 0</xyz>{extra}</axis></joint>"""

    flag = f"<use_parent_model_frame>{word}</use_parent_model_frame>"
    scene = read_sdf(
        f"""<world name='w'><model name='m'><pose>0 0 0 0 0 {Q}</pose><link name='a'/>
        <link name='b'><pose>0 0 0 0 {Q} 0</pose></link><link name='c'><pose>0 0 0 0 {Q} 0</pose></link>
        {hinge("a", "b", flag)}{hinge("a", "c", "")}
        <model name='n'><pose>0 0 0 0 0 {Q}</pose><link name='d'/><link name='e'><pose>0 0 0 0 {Q} 0</pose></link>
        {hinge("d", "e", flag)}</model></model></world>""",
        version="1.5",
    )
    np.testing.assert_allclose(joint_of(scene, "m::b_hinge").axes[0].xyz, (0, 0, 1), atol=1e-15)
    np.testing.assert_allclose(joint_of(scene, "m::c_hinge").axes[0].xyz, (1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(joint_of(scene, "m::n::e_hinge").axes[0].xyz, (0, 0, 1), atol=1e-15)


def test_the_frame_of_a_pose_is_renamed_except_in_plugins_and_other_namespaces() -> None:
    kept = (
        "<plugin name='p' filename='f'><pose frame='x'/></plugin><my:own "
        "xmlns:my='urn:m'><pose frame='x'/></my:own>"
    )
    around = (
        f"<model name='m'>{kept}<model name='n'><link name='l'><visual "
        f"name='v'>{{}}</visual></link></model></model>"
    )
    assert_upgrades(
        around.format("<pose frame='x'/>"), "1.6", around.format("<pose relative_to='x'/>")
    )
    assert_upgrades(around.format("<pose frame='x'/>"), "1.7", around.format("<pose frame='x'/>"))


def test_the_frame_of_an_old_pose_is_read_as_relative_to() -> None:
    scene = read_sdf(
        f"""<model name='m'><link name='a'><pose>0 1 0 0 0 {-Q}</pose></link>
        <link name='b'><pose frame='a'>0 2 0 0 0 0</pose></link>
        <frame name='f'><pose frame='b'>0 0 3 0 0 0</pose></frame></model>""",
        "1.6",
    )
    assert_pose(X_WL(scene, "b"), transform(0, 1, 0, yaw=-Q), transform(0, 2, 0))
    assert_pose(X_WF(scene, "f"), transform(2, 1, 3, yaw=-Q))
    assert by_name(scene.frames)["f"].link == "a"


def test_joint_feedback_moves_from_ode_to_physics() -> None:
    around = "<model name='m'><joint name='j' type='fixed'><physics>{}</physics></joint></model>"
    assert_upgrades(
        around.format("<ode><provide_feedback>true</provide_feedback></ode>"),
        "1.5",
        around.format("<ode/><provide_feedback>true</provide_feedback>"),
    )


@pytest.mark.parametrize("version", ["1.7", "1.8", "1.9", "1.10", "1.11", "1.12"])
def test_a_model_of_1_7_or_later_is_unchanged(version: str) -> None:
    assert_upgrades(ROBOT_1_12, version, ROBOT_1_12)


# The upgrade of a file: known, unknown and missing versions.

VERSIONS = ("1.0", *(f"1.{minor}" for minor in range(2, 13)))


@pytest.mark.parametrize("version", VERSIONS)
def test_every_released_version_is_known_and_returned(version: str) -> None:
    root, found = tree(f"<sdf version='{version}'><model name='m'/></sdf>")
    major, minor = version.split(".")
    assert upgrade(root) == (int(major), int(minor))
    assert [str(entry) for entry in found if entry.severity != "note"] == []


@pytest.mark.parametrize(
    "version", ["1.1", "1.13", "1.8.0", "2.0", "100", "newest", "1.٣", "9" * 9999]
)
def test_an_unknown_version_is_reported_and_read_as_the_newest(version: str) -> None:
    old = "<model name='m'><link name='l'><pose frame='x'/></link></model>"
    root, found = tree(f"<sdf version='{version}'>{old}</sdf>")
    upgrade(root)
    (entry,) = found
    assert (entry.code, entry.fate) == ("sdf.unknown-version", Fate.ASSUMED)
    assert root.children[0].children[0].children[0].attributes == {"frame": "x"}


@pytest.mark.parametrize("attribute", ["", " version=''", " version='  '"])
def test_a_missing_version_is_an_error(attribute: str) -> None:
    with pytest.raises(LoadError, match=r"sdf\.no-version"):
        loaders.load_string(
            f"<sdf{attribute}><model name='m'><link name='l'/></model></sdf>", format="sdf"
        )


# The rules for attributes that become elements.


def test_one_rule_moves_each_attribute_to_an_element_of_the_same_name() -> None:
    assert attributes_to_elements("//box", "size mass") == (
        Move("//box", "@size", "size"),
        Move("//box", "@mass", "mass"),
    )


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        (Move("a", "b", "c"), "<a><b>1</b></a>", "<a><c>1</c></a>"),
        (Move("a", "b", "c"), "<a><b>1</b><c>2</c></a>", "<a><b>1</b><c>2</c></a>"),
        (
            Copy("a", "b", ("c/d", "e/@f")),
            "<a><b>1</b></a>",
            "<a><b>1</b><c><d>1</d></c><e f='1'/></a>",
        ),
        (Rename("//b", "x", "c"), "<a><b x='1'/></a>", "<a><c>1</c></a>"),
        (Add("a", "b", "1"), "<a/>", "<a><b>1</b></a>"),
        (Add("a", "b", "1"), "<a><b>2</b></a>", "<a><b>2</b></a>"),
        (Remove("a", "b"), "<a><b/><c/><b/></a>", "<a><c/></a>"),
        (Map("a", "b", "c/@d", "x"), "<a><b>true</b><c/></a>", "<a><b>true</b><c d='x'/></a>"),
        (Map("a", "b", "c/@d", "x"), "<a><b>false</b><c/></a>", "<a><b>false</b><c/></a>"),
    ],
)
def test_each_kind_of_rule_changes_the_tree(
    rule: Rule, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        importlib.import_module("loaders.sdf.upgrade"), "UPGRADES", (((1, 2), (rule,)),)
    )
    assert_upgrades(old, "1.0", new)
