"""What Gazebo, PyBullet, ros2_control, MoveIt, xacro and robot_descriptions add to a URDF."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import bridge
import loaders
from loaders.scene import Scene

SPHERE = "<collision><geometry><sphere radius='1'/></geometry></collision>"
LIMIT = "<limit lower='-1' upper='1' effort='5' velocity='1'/>"
ARM = f"""<link name='a'>{SPHERE}</link><link name='b'>{SPHERE}{SPHERE}</link><joint name='j' type='revolute'>
<parent link='a'/><child link='b'/>{LIMIT}</joint>"""


def robot(body: str) -> Scene:
    return loaders.load_string(f"<robot name='r'>{body}</robot>", format="urdf")


def codes(scene: Scene) -> list[str]:
    return [entry.code for entry in scene.diagnostics]


# --- Gazebo ----------------------------------------------------------------------------------------------------------


def test_contact_properties_hold_for_every_collision_of_the_link() -> None:
    scene = robot(
        ARM + "<gazebo reference='b'><mu1>0.3</mu1><mu2 value='0.4'/><fdir1>0 1 0</fdir1><kp>1e5</kp><kd>10</kd>"
        "<maxVel>0.1</maxVel><minDepth>0.001</minDepth></gazebo>"
    )
    untouched, changed = scene.links
    assert untouched.collisions[0].surface.friction.mu == 1.0
    for collision in changed.collisions:
        surface = collision.surface
        assert (surface.friction.mu, surface.friction.mu2, surface.friction.fdir1) == (0.3, 0.4, (0, 1, 0))
        assert (surface.stiffness, surface.damping, surface.max_velocity, surface.min_depth) == (1e5, 10, 0.1, 0.001)
    assert codes(scene) == []


def test_several_elements_add_up() -> None:
    scene = robot(ARM + "<gazebo reference='b'><mu1>0.3</mu1></gazebo><gazebo reference='b'><kp>9</kp></gazebo>")
    surface = scene.links[1].collisions[0].surface
    assert (surface.friction.mu, surface.stiffness) == (0.3, 9)


def test_flags_of_a_link() -> None:
    scene = robot(
        ARM + "<gazebo reference='b'><turnGravityOff>true</turnGravityOff><selfCollide>1</selfCollide>"
        "<dampingFactor>0.2</dampingFactor><kinematic>true</kinematic></gazebo>"
    )
    a, b = scene.links
    assert (a.gravity, a.self_collide, a.kinematic, a.velocity_decay) == (True, None, False, (0.0, 0.0))
    assert (b.gravity, b.self_collide, b.kinematic, b.velocity_decay) == (False, True, True, (0.2, 0.2))


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
    assert robot(f"{ARM}<gazebo reference='b'>{blob}</gazebo>").links[1].collisions[1].surface.friction.mu == 0.7


def test_springs_stops_and_feedback_of_a_joint() -> None:
    scene = robot(
        ARM + "<gazebo reference='j'><springStiffness>3</springStiffness><springReference>0.2</springReference>"
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


def test_fixed_joints_are_never_lumped() -> None:
    body = "<link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
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
        ("<gazebo reference='a'><material>Gazebo/Red</material></gazebo>", "urdf.appearance", "note"),
        ("<gazebo reference='a'><maxContacts>3</maxContacts></gazebo>", "urdf.engine-setting", "note"),
        ("<gazebo reference='nobody'><mu1>1</mu1></gazebo>", "urdf.unknown-reference", "warning"),
        ("<gazebo><link name='more'/></gazebo>", "urdf.embedded-sdf", "warning"),
        ("<gazebo><pose>0 0 1 0 0 0</pose></gazebo>", "urdf.gazebo-pose", "warning"),
        ("<gazebo reference='a'><unheard_of>1</unheard_of></gazebo>", "xml.unread", "warning"),
    ],
)
def test_what_gazebo_says_and_we_do_not_hold_is_reported(element: str, code: str, severity: str) -> None:
    assert [(entry.code, entry.severity) for entry in robot(ARM + element).diagnostics] == [(code, severity)]


def test_sensors_stand_on_links_and_joints() -> None:
    sensor = "<sensor name='{}' type='{}'><pose>1 2 3 0 0 0</pose><update_rate>50</update_rate><x><y>4</y></x></sensor>"
    scene = robot(
        f"{ARM}<gazebo reference='b'>{sensor.format('eye', 'imu')}</gazebo>"
        f"<gazebo reference='j'>{sensor.format('ft', 'force_torque')}</gazebo>"
    )
    (eye,), (ft,) = scene.links[1].sensors, scene.joints[0].sensors
    assert (eye.name, eye.type, eye.joint, eye.update_rate) == ("eye", "imu", None, 50.0)
    assert eye.X_LS.p.tolist() == [1, 2, 3]
    assert ("x/y", "4") in eye.parameters
    assert (ft.name, ft.joint) == ("ft", "j")


# --- PyBullet --------------------------------------------------------------------------------------------------------


def test_pybullets_contact_is_read() -> None:
    contact = (
        "<contact><lateral_friction value='0.8'/><rolling_friction value='0.01'/><spinning_friction value='0.02'/>"
        "<restitution value='0.5'/><stiffness value='3000'/><damping value='10'/><contact_erp value='0.2'/></contact>"
    )
    surface = robot(f"<link name='a'>{contact}{SPHERE}</link>").links[0].collisions[0].surface
    friction = surface.friction
    assert (friction.mu, friction.mu2, friction.rolling, friction.torsional) == (0.8, 0.8, 0.01, 0.02)
    assert (surface.restitution, surface.stiffness, surface.damping, surface.soft_erp) == (0.5, 3000, 10, 0.2)


# --- what drives the joints ------------------------------------------------------------------------------------------

TRANSMISSION = """<transmission name='t'><type>transmission_interface/SimpleTransmission</type>
<joint name='j'><hardwareInterface>EffortJointInterface</hardwareInterface></joint>
<actuator name='motor'><mechanicalReduction>50</mechanicalReduction></actuator></transmission>"""


def test_a_transmission_is_an_actuator() -> None:
    (actuator,) = robot(ARM + TRANSMISSION).actuators
    assert (actuator.name, actuator.joint, actuator.effort, actuator.gear_ratio) == ("motor", "j", 5.0, 50.0)
    assert actuator.interfaces == ("EffortJointInterface",)


def test_the_old_form_of_a_transmission_is_read() -> None:
    old = "<transmission type='pr2_mechanism_model/SimpleTransmission' name='t'><actuator name='m'/><joint name='j'/>"
    (actuator,) = robot(ARM + old + "<mechanicalReduction>-3</mechanicalReduction></transmission>").actuators
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


def test_two_actuators_of_one_name_are_told_apart() -> None:
    scene = robot(ARM + TRANSMISSION + TRANSMISSION)
    assert [actuator.name for actuator in scene.actuators] == ["motor", "motor_1"]
    assert codes(scene) == ["urdf.duplicate-name"]


def test_ros2_control_drives_the_joints_that_take_commands() -> None:
    control = (
        "<ros2_control name='c' type='system'><hardware><plugin>x</plugin></hardware><joint name='j'>"
        "<command_interface name='position'/><command_interface name='velocity'/><state_interface name='position'/>"
        "</joint></ros2_control>"
    )
    (alone,) = robot(ARM + control).actuators
    assert (alone.name, alone.joint, alone.effort, alone.interfaces) == ("j", "j", 5.0, ("position", "velocity"))
    (both,) = robot(ARM + TRANSMISSION + control).actuators
    assert (both.name, both.interfaces) == ("motor", ("EffortJointInterface", "position", "velocity"))


# --- SRDF ------------------------------------------------------------------------------------------------------------

CHAIN = "".join(f"<link name='{name}'>{SPHERE}</link>" for name in "abcd") + "".join(
    f"<joint name='{a}{b}' type='continuous'><parent link='{a}'/><child link='{b}'/></joint>"
    for a, b in ("ab", "bc", "cd")
)


def load_with_srdf(tmp_path: Path, srdf: str) -> Scene:
    (tmp_path / "r.urdf").write_text(f"<robot name='r'>{CHAIN}</robot>")
    (tmp_path / "r.srdf").write_text(f"<robot name='r'>{srdf}</robot>")
    return loaders.load(tmp_path / "r.urdf", srdf=tmp_path / "r.srdf")


def excluded(scene: Scene) -> set[frozenset[str]]:
    """What the file alone excludes: Drake's own rule is about neighbours."""
    neighbours = {frozenset(pair) for pair in ("ab", "bc", "cd")}
    return set(scene.excluded_collision_pairs("drake")) - neighbours


def test_disabled_pairs_become_collision_filters(tmp_path: Path) -> None:
    pair = "<disable_collisions link1='a' link2='c' reason='Never'/>"
    scene = load_with_srdf(tmp_path, f"{pair}<group name='arm'><chain base_link='a' tip_link='d'/></group>")
    assert excluded(scene) == {frozenset("ac")}
    assert codes(scene) == ["srdf.planning"]


def test_a_link_disabled_by_default_touches_only_what_is_enabled_for_it(tmp_path: Path) -> None:
    scene = load_with_srdf(tmp_path, "<disable_default_collisions link='a'/><enable_collisions link1='d' link2='a'/>")
    assert excluded(scene) == {frozenset("ac")}


def test_an_unknown_link_in_an_srdf_is_reported(tmp_path: Path) -> None:
    scene = load_with_srdf(tmp_path, "<disable_collisions link1='a' link2='z'/>")
    assert codes(scene) == ["srdf.unknown-link"]
    assert scene.filter_rules == ()


# --- xacro -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def xacro_file(tmp_path: Path) -> Path:
    package = tmp_path / "ws" / "arm"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>arm_description</name></package>")
    head = "xmlns:xacro='http://www.ros.org/wiki/xacro'"
    (package / "urdf" / "part.xacro").write_text(
        f"<robot {head}><xacro:macro name='part' params='n'><link name='l${{n + 1}}'/></xacro:macro></robot>"
    )
    path = package / "urdf" / "arm.urdf.xacro"
    path.write_text(
        f"<robot name='arm' {head}><xacro:include filename='$(find arm_description)/urdf/part.xacro'/>"
        "<xacro:part n='1'/></robot>"
    )
    return path


def test_xacro_runs_on_request_and_finds_packages_where_we_do(xacro_file: Path) -> None:
    pytest.importorskip("xacro")
    scene = loaders.load(xacro_file, allow_xacro=True)
    assert [link.name for link in scene.links] == ["l2"]
    assert codes(scene) == ["xacro.expanded"]
    assert "ament_index_python" not in sys.modules


def test_xacro_does_not_run_unasked(xacro_file: Path) -> None:
    xacro_file.write_text("<robot name='${__import__(\"os\").abort()}'/>")
    with pytest.raises(loaders.LoadError, match=r"xacro\.not-allowed"):
        loaders.load(xacro_file)


@pytest.mark.parametrize(
    "body", ["<robot name='${1/0}'/>", "<robot name='${nobody}'/>", "<robot", "<robot><a></robot>"]
)
def test_what_xacro_cannot_expand_is_an_error(xacro_file: Path, body: str) -> None:
    pytest.importorskip("xacro")
    xacro_file.write_text(body)
    with pytest.raises(loaders.LoadError, match=r"xacro\.failed"):
        loaders.load(xacro_file, allow_xacro=True)


def test_a_missing_xacro_package_is_one_line_with_the_command(
    xacro_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(loaders.LoadError, match="pip install") as caught:
        loaders.load(xacro_file, allow_xacro=True)
    assert len(str(caught.value).splitlines()) == 1


# --- robot_descriptions ----------------------------------------------------------------------------------------------


@pytest.fixture
def descriptions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package laid out like robot_descriptions; the folder of its cache. Cloning fails the test."""
    package = tmp_path / "site" / "robot_descriptions"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "_cache.py").write_text(
        "def clone_to_cache(name, commit=None):\n    raise AssertionError('the network')\n"
    )
    (package / "_repositories.py").write_text(
        "class Repository:\n    cache_path = 'arms'\nREPOSITORIES = {'arms': Repository()}\n"
    )
    (package / "arm_description.py").write_text(
        "from os import path\nfrom ._cache import clone_to_cache\n"
        "URDF_PATH = path.join(clone_to_cache('arms', commit=None), 'arm.urdf')\n"
    )
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    for name in [name for name in sys.modules if name.partition(".")[0] == "robot_descriptions"]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path / "cache"


def test_a_robot_description_is_read_from_its_cache(descriptions: Path) -> None:
    (descriptions / "arms").mkdir(parents=True)
    (descriptions / "arms" / "arm.urdf").write_text("<robot name='arm'><link name='l'/></robot>")
    scene = loaders.load("rd://arm_description")
    assert scene.name == "arm"
    assert scene.source == str(descriptions / "arms" / "arm.urdf")


@pytest.mark.parametrize(
    ("name", "reason"), [("arm_description", "not in the cache"), ("leg", "no robot leg"), ("../x", "name")]
)
def test_a_robot_description_that_is_not_here_is_an_error_and_never_fetched(
    descriptions: Path, name: str, reason: str
) -> None:
    with pytest.raises(loaders.LoadError, match=reason):
        loaders.load(f"rd://{name}")


@pytest.mark.parametrize(
    ("srdf", "code"),
    [
        ("<robot><disable_collisions link1='a' link2='a'/></robot>", "srdf.same-link"),
        ("<arm/>", "srdf.root"),
        ("<robot", "xml.syntax"),
    ],
)
def test_what_is_wrong_in_an_srdf_is_reported(tmp_path: Path, srdf: str, code: str) -> None:
    (tmp_path / "r.urdf").write_text(f"<robot name='r'>{CHAIN}</robot>")
    (tmp_path / "r.srdf").write_text(srdf)
    try:
        found = loaders.load(tmp_path / "r.urdf", srdf=tmp_path / "r.srdf").diagnostics
    except loaders.LoadError as error:
        found = error.diagnostics
    assert [entry.code for entry in found] == [code]
