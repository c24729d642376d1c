"""The mechanics of two scenes at random positions: forces, limits, couplings and shapes matter,
names do not.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import pybullet
import pytest

import bridge
import loaders
from bridge.diff.differences import differences
from bridge.diff.mechanics import MAX_DOFS, MESH_TOLERANCE, SMALLEST, acting, mechanical_error
from loaders import model as m
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Actuator, JointType
from loaders.pose import Pose
from loaders.scene import Scene
from tests.support.every_field import lost_fields, one_tree
from tests.support.scenes import UNIT_BOX, joint, link, scene

# Two files whose forces, limits, couplings or shapes differ do not move alike; names and looks do
# not matter.

ARM = """<sdf version='1.11' xmlns:drake='http://drake.mit.edu'><model name='arm'>
<link name='base'><collision name='c'><geometry><box><size>.2 .2 .1</size></box></geometry>
  <surface><friction><ode><mu>0.7</mu><mu2>0.7</mu2></ode></friction></surface></collision></link>
<link name='upper'><pose>0 0 .1 0 0 0</pose><collision name='c'><geometry><cylinder><radius>.03</radius>
  <length>.2</length></cylinder></geometry></collision><visual name='v'><geometry><sphere><radius>.1</radius></sphere>
  </geometry></visual></link>
<link name='tool'><pose>.2 0 .1 0 0 0</pose><collision name='m'><geometry><mesh><uri>tool.obj</uri>
  <scale>1 1 1</scale></mesh></geometry></collision></link>
<joint name='mount' type='fixed'><parent>world</parent><child>base</child></joint>
<joint name='j' type='revolute'><parent>base</parent><child>upper</child><axis><xyz>0 1 0</xyz><limit><lower>-1</lower>
  <upper>2</upper><effort>30</effort><velocity>3</velocity></limit><dynamics><damping>.2</damping><friction>.1</friction>
  </dynamics></axis></joint>
<joint name='k' type='prismatic'><parent>upper</parent><child>tool</child><axis><xyz>1 0 0</xyz><dynamics>
  <spring_stiffness>3</spring_stiffness><spring_reference>.05</spring_reference></dynamics></axis></joint>
</model></sdf>"""
TOOL = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def compared(folder: Path, text: str) -> bridge.FileComparison:
    """The comparison of the arm with an edited one."""
    assert text != ARM
    (folder / "tool.obj").write_text(TOOL)
    (folder / "a.sdf").write_text(ARM)
    (folder / "b.sdf").write_text(text)
    return bridge.compare_files(folder / "a.sdf", folder / "b.sdf", quiet=True)


def edited(old: str, new: str) -> str:
    assert ARM.count(old) >= 1
    return ARM.replace(old, new, 1)


MIMIC = (
    "<mimic joint='j'><multiplier>.1</multiplier><offset>0</offset><reference>0</reference></mimic>"
)
BUSHING = f"""<drake:linear_bushing_rpy>
<drake:bushing_frameA>base</drake:bushing_frameA><drake:bushing_frameC>tool</drake:bushing_frameC>
{
    "".join(
        f"<drake:bushing_{kind}>1 1 1</drake:bushing_{kind}>"
        for kind in ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping")
    )
}</drake:linear_bushing_rpy>"""
ACTING = {
    "axes[0].damping of joint j": edited("<damping>.2<", "<damping>.2000001<"),
    "axes[0].friction of joint j": edited("<friction>.1<", "<friction>0<"),
    "axes[0].lower of joint j": edited("<lower>-1<", "<lower>-1.0000001<"),
    "axes[0].upper of joint j": edited("<upper>2<", "<upper>3<"),
    "axes[0].effort of joint j": edited("<effort>30</effort>", ""),
    "axes[0].spring_stiffness of joint k": edited(">3</spring_st", ">3.0001</spring_st"),
    "axes[0].spring_reference of joint k": edited(">.05<", ">.06<"),
    "gravity of link tool": edited(
        "<link name='tool'>", "<link name='tool'><gravity>false</gravity>"
    ),
    "collisions[c].surface.friction.mu of link base": edited("<mu>0.7<", "<mu>0.70001<"),
    "collisions[c].geometry.radius of link upper": edited("<radius>.03<", "<radius>.0300001<"),
    "collisions[c].X_LG of link upper": edited(
        "<collision name='c'><geometry><cyl",
        "<collision name='c'><pose>0 0 1e-6 0 0 0</pose><geometry><cyl",
    ),
    "collisions[m].geometry.scale of link tool": edited(
        "<scale>1 1 1<", f"<scale>1 1 {1 + 20 * MESH_TOLERANCE}<"
    ),
    "presence of coupling k[0]": edited("<xyz>1 0 0</xyz>", f"<xyz>1 0 0</xyz>{MIMIC}"),
    "presence of force element": edited("<joint name='mount'", f"{BUSHING}<joint name='mount'"),
}
"""Edited arms, by what acts on their motion."""


@pytest.mark.parametrize("words", ACTING)
def test_what_acts_on_the_motion_is_no_detail(words: str, tmp_path: Path) -> None:
    comparison = compared(tmp_path, ACTING[words])
    assert comparison.verdict == "DIFFERENT"
    assert not comparison.moves_alike
    (reason,) = comparison.reasons
    assert words in reason
    assert comparison.to_dict()["reasons"] == [reason]


IDLE = {
    "a limit of speed, which no simulator enforces": edited("<velocity>3<", "<velocity>4<"),
    "the name of a shape": edited("name='m'", "name='hull'"),
    "a cylinder that is turned about its axis": edited(
        "<collision name='c'><geometry><cyl",
        "<collision name='c'><pose>0 0 0 0 0 1</pose><geometry><cyl",
    ),
    "a drawn shape": edited("<sphere><radius>.1<", "<sphere><radius>.2<"),
    "a frame": edited(
        "<joint name='mount'", "<frame name='tcp' attached_to='tool'/><joint name='mount'"
    ),
    "a sensor": edited("<link name='tool'>", "<link name='tool'><sensor name='s' type='imu'/>"),
}


@pytest.mark.parametrize("edit", IDLE)
def test_what_changes_no_motion_differs_and_moves_alike(edit: str, tmp_path: Path) -> None:
    comparison = compared(tmp_path, IDLE[edit])
    assert comparison.differences
    assert comparison.verdict == "ALIKE"
    assert comparison.acting == comparison.reasons == ()


def test_a_robot_that_is_no_longer_held_does_not_move_alike(tmp_path: Path) -> None:
    comparison = compared(tmp_path, re.sub("<joint name='mount'.*?</joint>", "", ARM))
    assert comparison.verdict == "DIFFERENT"
    assert "only B moves base" in comparison.reasons


def test_mujoco_moves_the_damped_arm_otherwise(tmp_path: Path) -> None:
    """The two files of which only a damping differs, in MuJoCo: why that is no detail."""
    comparison = compared(tmp_path, edited("<damping>.2<", "<damping>.4<"))
    found = []
    for name in ("a.sdf", "b.sdf"):
        text = bridge.to_mjcf(tmp_path / name, quiet=True)
        model = mujoco.MjModel.from_xml_string(text, text.assets)
        data = mujoco.MjData(model)
        data.qvel[0] = 1.0
        mujoco.mj_step(model, data, 100)
        found.append(data.qpos.copy())
    assert np.abs(found[0] - found[1]).max() > 1e-4
    assert not comparison.moves_alike


def test_an_export_moves_alike_with_meshes_of_another_format_and_shapes_of_other_names(
    tmp_path: Path,
) -> None:
    """MuJoCo takes the larger of two coefficients, so that the friction of the base, which is less
    than that of the tool, becomes another one.
    """
    (tmp_path / "tool.obj").write_text(TOOL)
    found = []
    for text in (ARM.replace("0.7", "1"), ARM):
        (tmp_path / "a.sdf").write_text(text)
        written = bridge.export_mjcf(tmp_path / "a.sdf", tmp_path / "out", quiet=True).path
        comparison = bridge.compare_files(tmp_path / "a.sdf", written, quiet=True)
        assert any(d.field.startswith("collisions") for d in comparison.differences)
        found.append((str(comparison.verdict), comparison.reasons))
    difference = "base and tool have 0.7 (the smaller) in A, 1 (the larger) in B"
    assert found == [
        ("ALIKE", ()),
        ("DIFFERENT", (f"friction of pairs differs: {difference}",)),
    ]


def test_the_gravities_that_formats_assume_are_alike_and_the_moon_is_not(tmp_path: Path) -> None:
    model = "<model name='m'><link name='l'/></model>"
    world = f"<sdf version='1.9'><world name='w'><gravity>0 0 {{}}</gravity>{model}</world></sdf>"
    for name, g in (("a", -9.8), ("b", -9.81), ("c", -1.62), ("d", 0.0)):
        (tmp_path / f"{name}.sdf").write_text(world.format(g))
    verdicts = [
        bridge.compare_files(tmp_path / "a.sdf", tmp_path / f"{name}.sdf").verdict
        for name in "abcd"
    ]
    assert verdicts == ["EQUAL", "ALIKE", "DIFFERENT", "DIFFERENT"]


def test_only_actuators_with_gains_or_a_constant_effort_act_without_commands() -> None:
    bare = scene([link("a")], [joint("j", "world", "a")])
    for own, verdict in (
        ({}, "ALIKE"), ({"p_gain": 2.0}, "DIFFERENT"), ({"feedforward": 1.0}, "DIFFERENT"),
        ({"imposes_velocity": True}, "DIFFERENT"),
    ):  # fmt: skip
        driven = dataclasses.replace(bare, actuators=(Actuator(name="j", joint="j", **own),))
        assert (
            bridge.compare_files(bare, driven).verdict
            == bridge.compare_files(driven, bare).verdict
            == verdict
        )


MJCF = """<mujoco><worldbody><body name="a" gravcomp=".5"><joint name="j" stiffness="1"/><geom size=".1"/></body>
  </worldbody><equality><joint joint1="j"/></equality>
  <actuator><general name="m" joint="j" gainprm="2" group="1"/></actuator></mujoco>"""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('gravcomp=".5"', 'gravcomp=".6"', "mujoco[gravcomp] of link a"),
        ('gravcomp=".5"', "", "mujoco[gravcomp] of link a"),
        ('gainprm="2"', 'gainprm="2.1"', "mujoco[gainprm] of actuator m"),
        ('gainprm="2"', 'gainprm="2" gear="3"', "mujoco[gear] of actuator m"),
        (
            "<worldbody>",
            '<option density="1000"/><worldbody>',
            "physics.parameters[option/density] of scene",
        ),
        (
            "<worldbody>",
            '<option viscosity="1"/><worldbody>',
            "physics.parameters[option/viscosity] of scene",
        ),
        (
            "<worldbody>",
            '<option><flag contact="disable"/></option><worldbody>',
            "physics.parameters[flag/contact] of scene",
        ),
        (
            '<joint joint1="j"/>',
            '<joint joint1="j" polycoef=".1 0 0 0 0"/>',
            "settings[polycoef] of engine element equality_0",
        ),
        ('<equality><joint joint1="j"/></equality>', "", "presence of engine element equality_0"),
        ('group="1"', 'group="2"', ""),
        ("<worldbody>", '<option tolerance="1e-12"/><worldbody>', ""),
    ],
)
def test_forces_that_only_mujoco_has_count(old: str, new: str, reason: str, tmp_path: Path) -> None:
    assert old in MJCF
    (tmp_path / "a.xml").write_text(MJCF)
    (tmp_path / "b.xml").write_text(MJCF.replace(old, new, 1))
    found = bridge.compare_files(tmp_path / "a.xml", tmp_path / "b.xml", quiet=True)
    assert found.differences
    assert found.reasons == ((f"what acts on the motion differs: {reason}",) if reason else ())


DRIVEN = """<mujoco><option><flag gravity="disable"/></option><worldbody><body><joint name="j" axis="0 1 0"/>
  <geom size=".1" pos=".3 0 0"/><site name="s" pos=".3 0 0"/><body pos=".3 0 0"><joint name="k" axis="0 1 0"/>
  <geom size=".1" pos=".3 0 0"/><site name="t"/></body></body></worldbody>
  <actuator><general site="s" gear="0 0 1 0 0 0" gainprm="2"/>
  <general joint="k" gainprm=".1" delay=".041" nsample="30"/></actuator></mujoco>"""
LAWS = (
    (0, ""), (0, 'ctrlrange="-1 2.9"'), (0, 'forcerange="-1 1"'), (0, 'gear="0 0 2 0 0 0"'),
    (0, 'refsite="t"'), (0, 'site="t"'), (0, 'biastype="affine" biasprm="1"'), (0, 'group="2"'),
    (0, 'dyntype="filter" dynprm=".1"'), (0, 'dyntype="integrator" actrange="-.1 .1"'),
    (1, 'damping="0.5"'), (1, 'damping="0 0.5"'), (1, 'delay=".05"'), (1, 'nsample="40"'),
    (1, 'gear="2"'), (1, 'interp="cubic"'),
)  # fmt: skip
"""The number of an actuator, and attributes, of which a group and more samples change nothing."""


@pytest.mark.parametrize(("number", "attributes"), LAWS)
def test_an_attribute_of_an_actuator_counts_if_mujoco_moves_otherwise_with_it(
    number: int, attributes: str
) -> None:
    """The actuators get commands from 3 to 5."""
    states, scenes = [], []
    for edit in ("", attributes):
        root = ElementTree.fromstring(DRIVEN)
        drive = list(root.iter("general"))[number]
        drive.attrib |= ElementTree.fromstring(f"<general {edit}/>").attrib
        text = ElementTree.tostring(root, encoding="unicode")
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        for step in range(200):
            data.ctrl[:] = 3.0 + 0.01 * step
            mujoco.mj_step(model, data)
        states.append(np.concatenate((data.qpos, data.qvel)))
        scenes.append(loaders.load_string(text, format="mjcf", quiet=True))
    moves_otherwise = bool((states[0] != states[1]).any())
    assert bridge.compare_files(*scenes).moves_alike is not moves_otherwise


@pytest.mark.parametrize(
    "actuator",
    [
        '<motor joint="j"/>',
        '<motor joint="j" damping=".5"/>',
        '<general joint="j" gainprm=".3" biastype="affine" biasprm="0 -100 -10"/>',
        '<muscle joint="j" lengthrange="-.5 .5"/>',
        '<damper joint="j" kv="2" ctrlrange="0 1"/>',
        '<adhesion body="a" ctrlrange="0 1"/>',
    ],
)
def test_an_actuator_without_a_command_counts_if_mujoco_moves_otherwise_with_it(
    actuator: str,
) -> None:
    text = """<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0"/>
      <geom size=".1" pos=".3 0 0"/></body></worldbody><actuator>{}</actuator></mujoco>"""
    texts = [text.format(each) for each in ("", actuator)]
    states = []
    for model in map(mujoco.MjModel.from_xml_string, texts):
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, 200)
        states.append((*data.qpos, *data.qvel))
    without, driven = (loaders.load_string(each, format="mjcf", quiet=True) for each in texts)
    for pair in ((without, driven), (driven, without)):
        assert bridge.compare_files(*pair).moves_alike is (states[0] == states[1])


def test_a_law_that_another_format_states_by_gains_does_not_count(tmp_path: Path) -> None:
    """The servo of a scene has gains; MJCF states its law, too."""
    (tmp_path / "b.xml").write_text(
        MJCF.replace("<general", "<position").replace('gainprm="2"', 'kp="2"')
    )
    b = loaders.load(tmp_path / "b.xml", quiet=True)
    a = dataclasses.replace(
        b, actuators=tuple(dataclasses.replace(each, engine_settings=()) for each in b.actuators)
    )
    found = bridge.compare_files(a, b)
    assert found.differences
    assert found.moves_alike


@pytest.mark.parametrize(
    ("option", "geom", "verdict"),
    [
        ('<flag contact="enable"/>', "", "ALIKE"),
        ('<flag energy="enable"/>', "", "ALIKE"),
        ("", 'solref=".3 1"', "DIFFERENT"),
        ("", 'condim="1"', "DIFFERENT"),
        ('<flag contact="disable"/>', "", "DIFFERENT"),
        ('<flag override="enable"/>', "", "DIFFERENT"),
    ],
)
def test_settings_of_mujoco_count_by_their_effect(option: str, geom: str, verdict: str) -> None:
    text = """<mujoco><option>{}</option><worldbody><geom type="plane" size="1 1 1"/><body><freejoint/>
    <geom size=".1" {}/></body></worldbody></mujoco>"""
    a, b = (
        loaders.load_string(text.format(*edits), format="mjcf")
        for edits in (("", ""), (option, geom))
    )
    assert bridge.compare_files(a, b).verdict == verdict


PAIRED = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><body><freejoint/>
  <geom name="x" size=".1" contype="0" conaffinity="0"/><geom name="y" size=".1" pos=".3 0 0"
  contype="0" conaffinity="0"/></body></worldbody><contact><pair geom1="{}" geom2="{}"/></contact>
  </mujoco>"""


def test_the_shapes_of_a_contact_pair_count_and_their_order_does_not() -> None:
    """Both pairs are of the same links."""
    a, b, c = (
        loaders.load_string(PAIRED.format(*ends), format="mjcf")
        for ends in (("floor", "x"), ("floor", "y"), ("x", "floor"))
    )
    assert mechanical_error(a, b).pairs == ()
    assert bridge.compare_files(a, b).verdict == "DIFFERENT"
    assert bridge.compare_files(a, c).moves_alike


# The mechanics of two scenes are compared at random positions.

ASSETS = Path(__file__).parents[3] / "assets"
MECHANICS_ARM = scene([link("a"), link("b")], [joint("j", "a", "b")])


EVERY = one_tree()
STILL = {
    m.JointAxis: "velocity acceleration",
    m.Joint: "default_position sensors provide_feedback engine_settings where",
    m.Link: "visuals sensors engine_settings where",
    m.Actuator: "name control interfaces engine_settings where",
    m.Collision: "name density surface where",
    m.Surface: "friction restitution_threshold max_velocity min_depth soft_erp engine_settings",
    m.Friction: "fdir1",
}
"""Fields that move nothing here, or are compared with the settings of their engine; the threshold
of what does not bounce, and the direction of a coefficient that holds in every direction."""
COMPARED = {
    m.JointAxis: "xyz inertia",
    m.Joint: "name type parent child X_PJ X_CJ pitch gear_ratio gear_reference curve virtual",
    m.Link: "name model X_WL inertia self_collide virtual",
    m.Actuator: "rotor_inertia",
    m.Surface: "collide_bitmask category_bitmask",
}
"""Fields that the mechanics of both scenes compare: poses, masses, motions of joints, pairs."""


@pytest.mark.parametrize("cls", [*STILL, m.Hydroelastic, m.Coupling, m.Tendon, m.TendonPart])
def test_each_field_of_one_file_acts_or_is_known_to_move_nothing(cls: type) -> None:
    """Also one that the other file does not state at all."""

    def acts(one: Scene, _: str) -> bool:
        found = [acting(differences(a, b), a, b) for a, b in ((EVERY, one), (one, EVERY))]
        assert bool(found[0]) == bool(found[1])
        return bool(found[0])

    still = {*STILL.get(cls, "engine_settings where").split(), *COMPARED.get(cls, "").split()}
    fields = [f for f in dataclasses.fields(cls) if f.name not in still]
    assert lost_fields(EVERY, cls, fields, acts) == []


def test_stated_settings_move_nothing_where_the_table_says_so() -> None:
    """The table names no field that acts."""
    for cls in (m.JointAxis, m.Surface, m.Friction):
        fields = [f for f in dataclasses.fields(cls) if f.name in STILL[cls].split()]
        tried = [f for f in fields if f.name != "friction"]
        lost = lost_fields(
            EVERY, cls, tried, lambda one, _: acting(differences(EVERY, one), EVERY, one)
        )
        assert lost == [f.name for f in tried]


def test_equal_scenes_have_no_error() -> None:
    assert mechanical_error(MECHANICS_ARM, MECHANICS_ARM).is_within(0.0)


def test_a_moved_joint_a_mass_and_a_pair_are_found() -> None:
    moved = scene([link("a"), link("b")], [joint("j", "a", "b", X_PJ=Pose.of(p=(0.0, 0.0, 0.5)))])
    assert abs(mechanical_error(MECHANICS_ARM, moved).pose - 0.5) < 0.5
    heavy = scene(
        [
            link("a", inertia=SpatialInertia.of(2.0, I_Lcm=MECHANICS_ARM.links[0].inertia.I_Lcm)),
            link("b"),
        ],
        MECHANICS_ARM.joints,
    )
    assert mechanical_error(MECHANICS_ARM, heavy).mass == 1.0
    boxes = scene([link("a", shape=UNIT_BOX), link("b", shape=UNIT_BOX)])
    joined = dataclasses.replace(boxes, joints=MECHANICS_ARM.joints)
    assert mechanical_error(joined, boxes).missing == ("j",)


@pytest.mark.parametrize("factor", [1.00001, 2.0])
def test_the_inertia_of_a_small_link_is_compared_beside_a_heavy_one(factor: float) -> None:
    """The mass matrix of two hinges on the world is diagonal: 10 and 1e-6 kg m^2; the small one
    differs.
    """

    def hinges(small: float) -> Scene:
        moments = {"big": 10.0, "small": small}
        links = [
            link(name, inertia=SpatialInertia.of(1.0, I_Lcm=J * np.eye(3)))
            for name, J in moments.items()
        ]
        return scene(links, [joint(f"j_{name}", WORLD, name) for name in moments])

    error = mechanical_error(hinges(1e-6), hinges(factor * 1e-6))
    assert error.mass_matrix == pytest.approx((factor - 1.0) * 1e-6 / (SMALLEST * 10.0), rel=1e-6)
    assert error.mass_matrix > 1e-9
    comparison = bridge.compare_files(hinges(1e-6), hinges(factor * 1e-6))
    assert comparison.verdict == "DIFFERENT"
    assert comparison.summary.startswith(
        "1 difference; they do not move alike: mass matrices differ by"
    )


def test_other_names_are_followed() -> None:
    other = scene([link("a"), link("c")], [joint("k", "a", "c")])
    assert mechanical_error(MECHANICS_ARM, other).missing == ("b", "j")
    assert mechanical_error(MECHANICS_ARM, other, {"b": "c", "j": "k"}).is_within(1e-12)


def test_a_free_link_moves_by_its_joint_whatever_the_name_of_that() -> None:
    """SDFormat has no floating joint: a link without a joint is free. MJCF names the joint as it
    likes.
    """
    implicit = scene([link("a")])
    stated = scene([link("a")], [joint("base", WORLD, "a", JointType.FLOATING, axes=())])
    assert mechanical_error(implicit, stated).is_within(1e-12)
    assert mechanical_error(stated, implicit).is_within(1e-12)
    assert mechanical_error(implicit, stated, {"joint a": "base"}).is_within(1e-12)
    held = scene([link("a")], [joint("base", WORLD, "a", JointType.FIXED)])
    assert mechanical_error(implicit, held).missing == ("a",)


def test_a_joint_that_moves_in_b_only_is_found() -> None:
    held = dataclasses.replace(
        MECHANICS_ARM,
        joints=(*MECHANICS_ARM.joints, joint("mount", WORLD, "a", JointType.FIXED, axes=())),
    )
    assert mechanical_error(held, MECHANICS_ARM).added == ("a",)
    assert mechanical_error(held, MECHANICS_ARM).reasons(1e-9) == ("only B moves a",)
    assert mechanical_error(MECHANICS_ARM, held).missing == ("a",)


def test_pairs_that_may_touch_are_compared_on_request() -> None:
    boxes = scene([link("a", shape=UNIT_BOX), link("b", shape=UNIT_BOX)])
    bare = scene([link("a", shape=UNIT_BOX), link("b")])
    assert mechanical_error(boxes, bare).pairs == ("a and b",)
    assert mechanical_error(boxes, bare, pairs=False).pairs == ()


def test_links_with_other_names_make_the_same_pairs() -> None:
    boxes = scene([link("a", shape=UNIT_BOX), link("b", shape=UNIT_BOX)])
    others = scene([link("c", shape=UNIT_BOX), link("d", shape=UNIT_BOX)])
    bare = scene([link("c", shape=UNIT_BOX), link("d")])
    names = {"a": "c", "b": "d"}
    assert mechanical_error(boxes, others, names).pairs == ()
    assert mechanical_error(boxes, bare, names).pairs == ("c and d",)


def test_pairs_of_two_formats_are_those_of_the_rule_of_each(tmp_path: Path) -> None:
    """The rules of Drake and of MuJoCo for links that no file names differ; the export states the
    pairs.
    """
    source, written = (
        loaders.load(ASSETS / "arm" / "model.sdf"),
        bridge.export_mjcf(ASSETS / "arm" / "model.sdf", tmp_path / "arm").path,
    )
    assert source.excluded_collision_pairs("mujoco") != source.excluded_collision_pairs("drake")
    assert mechanical_error(source, loaders.load(written)).pairs == ()
    text = written.read_text()
    written.write_text(text.replace('<exclude body1="pedestal" body2="turret"/>', ""))
    assert text != written.read_text()
    assert mechanical_error(source, loaders.load(written)).pairs == ("pedestal and turret",)


@pytest.mark.parametrize("count", [MAX_DOFS, MAX_DOFS + 1])
def test_mass_matrices_are_compared_up_to_a_number_of_velocities(count: int) -> None:
    """The closed form of a slider: its mass matrix is its mass, and the masses of the links are
    compared always.
    """

    def sliders(mass: float) -> Scene:
        inertia = SpatialInertia.of(mass, I_Lcm=MECHANICS_ARM.links[0].inertia.I_Lcm)
        links = [link(f"l{i}", inertia=inertia) for i in range(count)]
        return scene(
            links, [joint(f"j{i}", WORLD, f"l{i}", JointType.PRISMATIC) for i in range(count)]
        )

    error = mechanical_error(sliders(1.0), sliders(3.0), configurations=1, pairs=False)
    assert error.mass == 2.0
    assert error.mass_matrix == (2.0 if count <= MAX_DOFS else 0.0)


ROLLING = (
    "<robot name='r'><link name='a'><contact>{}</contact><inertial><mass value='1'/>"
    "<inertia ixx='.004' iyy='.004' izz='.004' ixy='0' ixz='0' iyz='0'/></inertial>"
    "<collision><geometry><sphere radius='.1'/></geometry></collision></link></robot>"
)
UNSTATED = {
    "rolling_friction": (0.0, 0.05),
    "spinning_friction": (0.0, 0.05),
    "restitution": (0.0, 0.9),
    "lateral_friction": (1.0, 0.01),
}
"""The value that acts where a file states none, and another one, by the element of URDF."""


@pytest.mark.parametrize("simulator", ["mujoco", "pybullet"])
@pytest.mark.parametrize("tag", UNSTATED)
def test_a_value_that_only_one_file_states_counts_as_it_does_in_simulators(
    tag: str, simulator: str
) -> None:
    """A ball rolls, spins and bounces on a plane: what moves it otherwise differs, and the default
    does not.
    """
    moved = {"mujoco": in_mujoco, "pybullet": in_pybullet}[simulator]
    texts = ["", *(f"<{tag} value='{value}'/>" for value in UNSTATED[tag])]
    unstated, default, other = (
        loaders.load_string(ROLLING.format(text), format="urdf") for text in texts
    )
    assert bridge.compare_files(unstated, default).moves_alike
    np.testing.assert_array_equal(moved(unstated), moved(default))
    for one in (unstated, default):
        assert not bridge.compare_files(one, other).moves_alike
        assert not bridge.compare_files(other, one).moves_alike
        assert np.abs(moved(one) - moved(other)).max() > 1e-3


THROWN = (0.5, 0.0, 0.0, 0.0, 0.0, 3.0)
"""Velocity of the ball: linear [m/s], angular [rad/s]."""


def in_mujoco(scene: Scene) -> np.ndarray:
    """The pose of the thrown ball of an exported scene after half a second on a plane."""
    text = bridge.to_mjcf(scene, quiet=True)
    plane = "<worldbody><geom type='plane' size='1 1 1' pos='0 0 -.15' friction='0 0 0'/>"
    model = mujoco.MjModel.from_xml_string(text.replace("<worldbody>", plane, 1), text.assets)
    data = mujoco.MjData(model)
    data.qvel[:] = THROWN
    mujoco.mj_step(model, data, 500)
    return data.qpos.copy()


def in_pybullet(scene: Scene) -> np.ndarray:
    """The same in PyBullet."""
    server = pybullet.connect(pybullet.DIRECT)
    try:
        pybullet.setGravity(0.0, 0.0, -9.8, physicsClientId=server)
        shape = pybullet.createCollisionShape(pybullet.GEOM_PLANE, physicsClientId=server)
        plane = pybullet.createMultiBody(
            0.0, shape, basePosition=(0.0, 0.0, -0.15), physicsClientId=server
        )
        pybullet.changeDynamics(plane, -1, restitution=1.0, physicsClientId=server)
        ball = bridge.load_into_pybullet(scene, physicsClientId=server, quiet=True)
        pybullet.resetBaseVelocity(ball, THROWN[:3], THROWN[3:], physicsClientId=server)
        for _ in range(150):
            pybullet.stepSimulation(physicsClientId=server)
        pose = pybullet.getBasePositionAndOrientation(ball, physicsClientId=server)
    finally:
        pybullet.disconnect(server)
    return np.concatenate(pose)


# Two coefficients of friction make another one in each simulator.

GROUND, SLED = 0.2, 0.8
SLED_URDF = f"""<robot name='r'><link name='world'/><link name='g'><collision><geometry>
<box size='8 8 .2'/></geometry></collision><contact><lateral_friction value='{GROUND}'/></contact></link>
<link name='m'><inertial><mass value='.001'/><inertia ixx='1e-6' iyy='1e-6' izz='1e-6' ixy='0' ixz='0'
 iyz='0'/></inertial></link><link name='b'><inertial><mass value='1'/><inertia ixx='.01' iyy='.01'
 izz='.01' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><box size='.2 .2 .2'/></geometry>
</collision><contact><lateral_friction value='{SLED}'/></contact></link>
<joint name='f' type='fixed'><parent link='world'/><child link='g'/></joint>
<joint name='z' type='prismatic'><parent link='g'/><child link='m'/><origin xyz='0 0 .2'/>
<axis xyz='0 0 1'/><limit lower='-9' upper='9' effort='9' velocity='9'/></joint>
<joint name='x' type='prismatic'><parent link='m'/><child link='b'/><axis xyz='1 0 0'/>
<limit lower='-9' upper='9' effort='9' velocity='9'/></joint></robot>"""
SLED_MJCF = f"""<mujoco model='r'><option timestep='.001' cone='elliptic'/><worldbody><body name='g'>
<geom type='box' size='4 4 .1' friction='{GROUND}'/><body name='m' pos='0 0 .2'>
<inertial pos='0 0 0' mass='.001' diaginertia='1e-6 1e-6 1e-6'/>
<joint name='z' type='slide' axis='0 0 1' range='-9 9' limited='true'/><body name='b'>
<inertial pos='0 0 0' mass='1' diaginertia='.01 .01 .01'/>
<joint name='x' type='slide' axis='1 0 0' range='-9 9' limited='true'/>
<geom type='box' size='.1 .1 .1' friction='{SLED}'/></body></body></body></worldbody></mujoco>"""
START, STEPS = 3.0, 200
"""Speed of the sled [m/s], and the number of steps of a millisecond in which it brakes."""


def _friction(up: float, forward: float) -> float:
    """Return the momentum that the ground took over that which it gave upwards."""
    return (START - forward) / (1.001 * (9.81 * STEPS * 1e-3 + up))


def _friction_in_mujoco() -> float:
    model = mujoco.MjModel.from_xml_string(SLED_MJCF)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, STEPS)  # comes to rest on the ground
    data.qvel[:] = 0.0, START
    mujoco.mj_step(model, data, STEPS)
    return _friction(*data.qvel)


def _friction_in_pybullet(path: Path) -> float:
    client = {"physicsClientId": pybullet.connect(pybullet.DIRECT)}
    pybullet.setGravity(0, 0, -9.81, **client)
    pybullet.setTimeStep(1e-3, **client)
    flags = pybullet.URDF_USE_SELF_COLLISION
    body = pybullet.loadURDF(str(path), useFixedBase=True, flags=flags, **client)
    last = pybullet.getNumJoints(body, **client) - 1
    for index in range(last + 1):
        pybullet.setJointMotorControl2(body, index, pybullet.VELOCITY_CONTROL, force=0, **client)
        pybullet.changeDynamics(body, index, linearDamping=0, jointDamping=0, **client)
    for _ in range(STEPS):
        pybullet.stepSimulation(**client)
    pybullet.resetJointState(body, last, 0.0, START, **client)
    for _ in range(STEPS):
        pybullet.stepSimulation(**client)
    up, forward = (pybullet.getJointState(body, k, **client)[1] for k in (last - 1, last))
    pybullet.disconnect(**client)
    return _friction(up, forward)


def test_equal_coefficients_of_which_simulators_make_others_differ(tmp_path: Path) -> None:
    """Both brake the sled as the reason says: PyBullet multiplies, MuJoCo takes the larger one."""
    path = tmp_path / "sled.urdf"
    path.write_text(SLED_URDF)
    found = bridge.compare_files(path, loaders.load_string(SLED_MJCF, format="mjcf"), quiet=True)
    assert found.verdict == "DIFFERENT"
    stated = re.search(r"b and g have ([\d.]+) .* in A, ([\d.]+) .* in B", "".join(found.reasons))
    assert stated is not None, found.reasons
    measured = [_friction_in_pybullet(path), _friction_in_mujoco()]
    assert [float(mu) for mu in stated.groups()] == pytest.approx(measured, rel=0.01)


@pytest.mark.parametrize("other", [GROUND, SLED])
def test_equal_rules_and_equal_outcomes_do_not_differ(other: float) -> None:
    """The larger and the smaller of two equal coefficients are the same; a pair may state its own."""
    equal = loaders.load_string(SLED_MJCF.replace(f"'{GROUND}'", f"'{SLED}'"), format="mjcf")
    smaller = dataclasses.replace(equal, friction_rule="smaller")
    assert mechanical_error(equal, smaller).frictions == ()
    named = SLED_MJCF.replace("<geom type", "<geom name='{}' type").replace("'{}'", "'p'", 1)
    pair = f"<contact><pair geom1='p' geom2='q' friction='{other} {other}'/></contact></mujoco>"
    text = named.replace("'{}'", "'q'").replace("</mujoco>", pair)
    listed = loaders.load_string(text, format="mjcf")
    smaller = dataclasses.replace(listed, friction_rule="smaller", contact_pairs=())
    assert bool(mechanical_error(listed, smaller).frictions) is (other == SLED)


# Settings of MuJoCo's solver: some act at every time step, others vanish with it.

FRICTIONAL = """<mujoco><option timestep="{step}" {option}><flag {flag}/></option><worldbody>
<geom type="plane" size="9 9 1"/><body name="box" pos="0 0 .099"><freejoint/>
<geom type="box" size=".1 .1 .1" mass="1" friction=".5"/></body><body name="arm" pos="2 0 1">
<joint name="hinge" axis="0 1 0" damping=".05" frictionloss="{friction}" {joint}/>
<geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass=".3" contype="0" conaffinity="0"/></body>
</worldbody></mujoco>"""
PLAIN = {"option": "", "flag": "", "joint": "", "friction": ".6"}
OF_SOLVERS = {
    "cone": {"option": 'cone="elliptic"'},
    "impratio": {"option": 'impratio="10"'},
    "noslip": {"option": 'noslip_iterations="5"'},
    "creep of a joint": {"joint": 'solreffriction=".3 1"'},
    "softness of a joint": {"joint": 'solimpfriction=".5 .5 .001"'},
    "default": {"option": 'cone="pyramidal" impratio="1"'},
    "creep without friction": {"joint": 'solreffriction=".3 1"', "friction": "0"},
    "Runge-Kutta": {"option": 'integrator="RK4"'},
    "implicit": {"option": 'integrator="implicit"'},
    "damping": {"flag": 'eulerdamp="disable"'},
    "conjugate gradients": {"option": 'solver="CG"'},
    "tolerance": {"option": 'tolerance="1e-3"'},
}


def _slides_and_holds(settings: dict[str, str], step: float) -> np.ndarray:
    """Return the motion of a box that is pushed along a diagonal, and of one on a slope that its
    friction holds.
    """
    model = mujoco.MjModel.from_xml_string(FRICTIONAL.format(step=step, **PLAIN | settings))
    found = []
    for speed, slope in ((1.4, 0.0), (0.0, 0.3)):
        model.opt.gravity[:] = 9.81 * slope, 9.81 * slope, -9.81
        data = mujoco.MjData(model)
        data.qvel[:2] = speed
        mujoco.mj_step(model, data, round(0.5 / step))
        found.append(data.qpos.copy())
    return np.concatenate(found)


@pytest.mark.parametrize("name", OF_SOLVERS)
def test_a_setting_of_the_solver_differs_where_its_effect_stays_as_the_step_vanishes(
    name: str,
) -> None:
    settings = OF_SOLVERS[name]
    plain = {"friction": settings.get("friction", PLAIN["friction"])}
    coarse, fine = (
        float(np.abs(_slides_and_holds(plain, h) - _slides_and_holds(settings, h)).max())
        for h in (2e-3, 2.5e-4)
    )
    stays = fine > 1e-4 and fine > 0.5 * coarse
    texts = (FRICTIONAL.format(step=2e-3, **PLAIN | each) for each in (plain, settings))
    a, b = (loaders.load_string(text, format="mjcf", quiet=True) for text in texts)
    reasons = bridge.compare_files(a, b).reasons
    assert bool(reasons) is stays, (reasons, coarse, fine)
