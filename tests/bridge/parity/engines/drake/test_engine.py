"""Drake reads the original file and agrees with closed forms and simulators; its known differences
are diagnostics.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import bridge
import loaders
from bridge.parity import Outcome, Verdict, compare
from bridge.parity.engine import NotReportedError
from bridge.parity.engines.drake.engine import DrakeEngine, friction_differences
from bridge.parity.quantity import matrix, pose_distance
from loaders.model import Mesh
from loaders.pose import Pose
from tests.support.actuated_model import sdf
from tests.support.seeds import few

needs_drake = pytest.mark.skipif(find_spec("pydrake") is None, reason="pydrake is not installed")


# Drake's motion is that of closed forms, in continuous time and in steps.

MASS, STIFFNESS, DAMPING = 2.0, 50.0, 0.8

SLIDE = (
    "<link name='{name}'><inertial><mass>2</mass></inertial></link>"
    "<joint name='j{name}' "
    "type='prismatic'><parent>world</parent><child>{name}</child><axis><xyz>1 0 0</xyz>"
    "<dynamics><spring_stiffness>50</spring_stiffness><damping>.8</damping></dynamics></axis>{more}</joint>"
)


def engine_of(tmp_path: Path, *parts: str) -> DrakeEngine:
    path = tmp_path / "model.sdf"
    head = "<sdf version='1.9' xmlns:drake='drake.mit.edu'><model name='m'>"
    path.write_text(f"{head}{''.join(parts)}</model></sdf>", encoding="utf-8")
    return DrakeEngine(bridge.lower(loaders.load(path)))


def oscillation(x: float, t: float, mass: float = MASS) -> float:
    decay, frequency = (
        DAMPING / (2 * mass),
        math.sqrt(STIFFNESS / mass - (DAMPING / (2 * mass)) ** 2),
    )
    return (
        x
        * math.exp(-decay * t)
        * (math.cos(frequency * t) + decay / frequency * math.sin(frequency * t))
    )


@needs_drake
def test_a_damped_oscillation_in_continuous_time_is_exact(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, SLIDE.format(name="a", more=""))
    engine.set_step(0.05)
    engine.set_state({"ja": 0.3}, {})
    engine.step(10)
    assert engine.positions()["ja"] == pytest.approx(oscillation(0.3, 0.5), abs=1e-9)
    engine.set_state({"ja": 0.1}, {})
    engine.step(4)
    assert engine.positions()["ja"] == pytest.approx(oscillation(0.1, 0.2), abs=1e-9)


@needs_drake
def test_coupled_joints_move_in_steps_that_converge(tmp_path: Path) -> None:
    mimic = "<drake:mimic joint='ja' multiplier='1' offset='0'/>"
    engine = engine_of(
        tmp_path, SLIDE.format(name="a", more=""), SLIDE.format(name="b", more=mimic)
    )
    errors = []
    for step in (8e-3, 1e-3):
        engine.set_step(step)
        engine.set_state({"ja": 0.3, "jb": 0.3}, {})
        engine.step(round(0.4 / step))
        errors.append(abs(engine.positions()["jb"] - oscillation(0.3, 0.4)))
    assert errors[1] < 0.3 * errors[0] < 0.01


@needs_drake
def test_a_file_that_drake_does_not_read_has_no_motion() -> None:
    scene = loaders.load_string("<robot name='r'><link name='a'/></robot>", format="urdf")
    with pytest.raises(NotReportedError, match="does not take part"):
        DrakeEngine(bridge.lower(scene)).step(1)


# Drake reads the original file with its own parser, and agrees with both simulators.

ASSETS = Path(__file__).parents[5] / "assets"

STATIC = ("L0", "L1")

LEANING = (
    "<robot name='r'><link name='world'/><link name='arm'><inertial><mass value='2'/><origin "
    "xyz='0 0 -.1'/>"
    "<inertia ixx='.02' iyy='.03' izz='.04' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='swing' type='{kind}'><parent link='world'/><child link='arm'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"
)


@pytest.fixture
def robots() -> Path:
    return Path(pytest.importorskip("pybullet_data").getDataPath())


def static(path: Path, *engines: str) -> object:
    return compare(path, engines, levels=STATIC, configurations=3)


@pytest.mark.parametrize("name", ["robot.urdf", "ROBOT.URDF"])
def test_drake_ignores_the_origin_of_a_robot(name: str, tmp_path: Path) -> None:
    """libsdformat alone reads it; the row of the initial poses names that, whatever the name of the
    file.
    """
    pytest.importorskip("pydrake")
    text = LEANING.format(kind="revolute").replace("world", "base")
    path = tmp_path / name
    path.write_text(text.replace("<link name='base'/>", "<origin xyz='1 2 3'/><link name='base'/>"))
    (row,) = (
        row
        for row in compare(path, ("reference", "drake")).failures
        if row.quantity == "initial poses"
    )
    assert (row.code, round(row.error, 6)) == ("drake.unread", round(math.sqrt(14.0), 6))


@pytest.mark.parametrize("model", few(["leg.sdf", "arm/model.sdf", "double_pendulum.urdf"], 1))
def test_drake_agrees_with_both_simulators(model: str) -> None:
    pytest.importorskip("pydrake")
    found = static(ASSETS / model, "mujoco", "pybullet", "drake")
    assert found.agreement is Verdict.EQUIVALENT
    told = {
        row.quantity
        for row in found.rows
        if "drake" in row.engines and row.outcome is Outcome.PASSED
    }
    assert {"mass", "inertia", "link poses", "mass matrix", "bias forces"} <= told


def test_a_file_that_drake_refuses_leaves_a_gap_with_the_error_of_drake(robots: Path) -> None:
    pytest.importorskip("pydrake")
    found = static(robots / "humanoid" / "humanoid.urdf", "mujoco", "drake")
    assert found.verdict is Verdict.INCOMPLETE
    (row,) = (row for row in found.rows if "drake" in row.engines)
    assert (row.quantity, row.outcome) == ("reading", Outcome.UNKNOWN)
    assert any(gap.quantity == "reading" for gap in found.gaps)
    assert "humanoid.urdf:40" in row.cause


def test_a_scene_without_a_file_has_no_witness() -> None:
    pytest.importorskip("pydrake")
    scene = loaders.load_string(LEANING.format(kind="revolute"), format="urdf")
    found = compare(scene, ("mujoco", "drake"), levels=STATIC, configurations=1)
    assert "not loaded from a file" in next(
        row.cause for row in found.rows if row.quantity == "reading"
    )


def test_packages_that_the_user_names_reach_drake(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    home = tmp_path / "elsewhere" / "folder"
    home.mkdir(parents=True)
    (home / "arm.urdf").write_text(LEANING.format(kind="revolute"), encoding="utf-8")
    (tmp_path / "model").mkdir()
    path = tmp_path / "model" / "two.dmd.yaml"
    path.write_text(
        "directives:\n- add_model: {name: one, file: 'package://robots/arm.urdf'}\n",
        encoding="utf-8",
    )
    found = compare(path, ("drake",), levels=STATIC, configurations=2, package_map={"robots": home})
    assert found.agreement is Verdict.EQUIVALENT


def test_a_mechanism_that_drake_reads_otherwise_is_a_difference() -> None:
    pytest.importorskip("pydrake")
    scene = loaders.load(ASSETS / "double_pendulum.urdf")
    renamed = tuple(replace(j, name="other") if j is scene.joints[-1] else j for j in scene.joints)
    found = compare(replace(scene, joints=renamed), ("drake",), levels=STATIC, configurations=1)
    assert found.verdict is Verdict.DIFFERS
    assert "which the model does not have" in found.failures[0].cause


def test_what_we_leave_out_and_say_so_does_not_make_drake_a_liar(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    text = (
        "<robot name='r'><link name='world'/><link name='car'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<drake:joint name='track' type='curvilinear'><parent link='world'/><child link='car'/>"
        "<drake:initial_tangent xyz='1 0 0'/><drake:plane_normal xyz='0 0 1'/><drake:is_periodic "
        "value='false'/>"
        "<drake:curves><drake:line_segment length='1'/><drake:circular_arc radius='1' "
        "angle='1'/></drake:curves>"
        "</drake:joint></robot>"
    )
    path = tmp_path / "track.urdf"
    path.write_text(text, encoding="utf-8")
    found = static(path, "drake")
    row = next(row for row in found.rows if row.quantity == "reading")
    assert (row.outcome, found.verdict) == (Outcome.UNKNOWN, Verdict.INCOMPLETE)
    assert "curve-of-several-pieces" in row.cause


def test_a_link_called_world_is_the_world_in_drake_too(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / "arm.urdf"
    floor = (
        "<link name='world'><collision><geometry><box size='1 1 1'/></geometry></collision></link>"
    )
    text = LEANING.format(kind="revolute").replace("<link name='world'/>", floor)
    path.write_text(text, encoding="utf-8")
    assert static(path, "drake").agreement is Verdict.EQUIVALENT


@pytest.mark.parametrize("model", ["arm/model.sdf", "leg.sdf", "double_pendulum.urdf"])
def test_drake_agrees_on_jacobians_and_inverse_dynamics(model: str) -> None:
    pytest.importorskip("pydrake")
    found = compare(ASSETS / model, ("drake",), levels=("L0", "L1"), configurations=4)
    told = {row.quantity: row for row in found.rows if "drake" in row.engines}
    assert told["Jacobians"].outcome is Outcome.PASSED
    assert told["inverse dynamics"].outcome is Outcome.PASSED


# Drake's effort limits and gains are those that the reader finds in the same file.


def test_drakes_limits_and_gains_are_those_of_the_model(tmp_path: Any) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / "m.sdf"
    path.write_text(sdf(), encoding="utf-8")
    found = compare(path, ("mujoco", "drake"), levels=("L0",), configurations=1)
    row = next(
        r
        for r in found.rows
        if r.quantity == "actuator efforts" and r.engines == ("reference", "drake")
    )
    assert (row.outcome, row.error) == (Outcome.PASSED, 0.0)


# Known differences of Drake are diagnostics about the links and joints that they concern.


def test_what_drake_repairs_is_a_named_cause(robots: Path) -> None:
    pytest.importorskip("pydrake")
    found = static(robots / "franka_panda" / "panda.urdf", "drake")
    assert found.agreement is Verdict.AGREES
    assert any(entry.code.startswith("drake.") for entry in found.diagnostics)


def test_a_root_that_is_held_by_its_mass_of_0_and_moves_in_drake_is_a_named_cause(
    robots: Path,
) -> None:
    pytest.importorskip("pydrake")
    found = static(robots / "kuka_iiwa" / "model.urdf", "drake")
    assert found.verdict is Verdict.INCOMPLETE
    (row,) = (row for row in found.rows if row.quantity == "reading")
    assert "urdf.held-root" in row.cause


def test_limits_that_drake_keeps_are_a_difference_with_a_name(robots: Path) -> None:
    pytest.importorskip("pydrake")
    found = static(robots / "racecar/racecar.urdf", "drake")
    assert found.verdict is Verdict.DIFFERS
    assert [row.code for row in found.failures] == ["drake.continuous-limits"]


def test_a_link_without_gravity_that_drake_pulls_is_a_named_cause(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    text = (ASSETS / "leg.sdf").read_text(encoding="utf-8")
    path = tmp_path / "leg.sdf"
    path.write_text(
        re.sub(r"<link name=(.foot.)>", r"<link name=\1><gravity>false</gravity>", text),
        encoding="utf-8",
    )
    found = static(path, "drake")
    assert found.agreement is Verdict.AGREES
    assert any(
        "drake.link-without-gravity" in row.cause
        for row in found.rows
        if row.quantity == "bias forces"
    )


def test_limits_of_a_screw_that_drake_drops_are_a_named_cause(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    text = (ASSETS / "leg.sdf").read_text(encoding="utf-8")
    head, screw, tail = text.partition('<joint name="ankle" type="screw">')
    limited = tail.replace("</axis>", "<limit><lower>-1</lower><upper>1</upper></limit></axis>", 1)
    path = tmp_path / "leg.sdf"
    path.write_text(head + screw + limited, encoding="utf-8")
    found = static(path, "drake")
    assert [entry.code for entry in found.diagnostics if entry.code.startswith("drake.")] == [
        "drake.screw-limits"
    ]


@pytest.mark.slow
def test_what_drake_drops_of_a_universal_joint_is_a_difference_with_a_name(tmp_path: Path) -> None:
    """Drake's universal joint has one coefficient of damping, and its parser reads no limits of
    it.
    """
    pytest.importorskip("pydrake")
    text = (ASSETS / "leg.sdf").read_text(encoding="utf-8")
    head, knee, tail = text.partition('<joint name="knee" type="universal">')
    limited = tail.replace("</axis>", "<limit><lower>-1</lower><upper>1</upper></limit></axis>", 1)
    damped = limited.replace("</axis2>", "<dynamics><damping>.3</damping></dynamics></axis2>", 1)
    path = tmp_path / "leg.sdf"
    path.write_text(head + knee + damped, encoding="utf-8")
    found = compare(path, ("drake",), levels=("L0", "L2"), configurations=2)
    failures = {row.quantity: (row.code, row.subjects) for row in found.failures}
    assert failures == {
        "limits": ("drake.universal-limits", ("knee",)),
        "damping": ("drake.shared-damping", ("knee",)),
    }
    assert [row.cause for row in found.rows if row.quantity == "witnessed motion"] == [
        (
            "Drake gives the second axis of universal joint knee the damping of the first one, so "
            "that it moves differently"
        )
    ]


BALL = (
    '<sdf version="1.10"><model name="m"><link name="ball"><collision '
    'name="c"><geometry><sphere><radius>1</radius>'
    "</sphere></geometry><surface><friction><ode>{ode}</ode></friction></surface>{drake}</collision></link></model></sdf>"
)
RUBBER = (
    '<robot name="r"><link name="toe"><contact><lateral_friction '
    'value="3"/></contact><collision><geometry>'
    '<sphere radius="1"/></geometry></collision></link></robot>'
)
PROXIMITY = (
    "<drake:proximity_properties "
    'xmlns:drake="drake.mit.edu"><drake:mu_dynamic>0.2</drake:mu_dynamic>'
    "<drake:mu_static>0.3</drake:mu_static></drake:proximity_properties>"
)


@pytest.mark.parametrize(
    ("text", "difference"),
    [
        (BALL.format(ode="<mu>0.9</mu><mu2>0.5</mu2>", drake=""), 0.4),
        (BALL.format(ode="<mu>1.8</mu>", drake=""), 0.8),
        (BALL.format(ode="<mu>0.5</mu><mu2>0.5</mu2>", drake=""), None),
        (BALL.format(ode="<mu>0.9</mu><mu2>0.5</mu2>", drake=PROXIMITY), None),
        (RUBBER, 2.0),
    ],
)
def test_friction_that_drake_reads_elsewhere_or_not_at_all_is_a_named_cause(
    text: str, difference: float | None, tmp_path: Path
) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / ("ball.sdf" if text.startswith("<sdf") else "toe.urdf")
    path.write_text(text, encoding="utf-8")
    found = compare(path, ("drake",), levels=("L0",))
    (row,) = [row for row in found.rows if row.quantity == "friction of shapes"]
    differences = [
        entry.arguments["difference"]
        for entry in found.diagnostics
        if entry.code == "drake.friction"
    ]
    assert differences == ([] if difference is None else [pytest.approx(difference)])
    assert row.outcome is (Outcome.PASSED if difference is None else Outcome.EXPLAINED)


def test_friction_that_no_element_states_is_not_explained(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / "ball.sdf"
    path.write_text(BALL.format(ode="<mu>0.9</mu><mu2>0.5</mu2>", drake=""), encoding="utf-8")
    scene = loaders.load(path)
    assert [entry.code for entry in friction_differences(scene, {"ball": [0.5]})] == [
        "drake.friction"
    ]
    for friction in ([0.6], [0.9], [0.5, 0.5], []):
        assert list(friction_differences(scene, {"ball": friction})) == []


BASE = (
    "<link name='b'><pose>0.3 -0.2 1 0 0 0.5</pose><inertial><mass>1</mass></inertial></link>"
    "<link name='a'><pose>0 0 2 0 0 0</pose><inertial><mass>1</mass></inertial></link>"
    "<joint name='j' type='revolute'><parent>b</parent><child>a</child><axis><xyz>0 0 1</xyz>"
    "<limit><velocity>3</velocity></limit></axis></joint>"
)


@pytest.mark.slow
@needs_drake
def test_initial_base_poses_and_limits_of_speed_are_those_of_drake(tmp_path: Path) -> None:
    """The plant itself is asked, and a model that is moved or faster is another one."""
    engine = engine_of(tmp_path, BASE)
    assert engine.settings().initial_poses["b"].p == pytest.approx((0.3, -0.2, 1.0))
    assert engine.velocity_limits() == {("j", 0): 3.0}
    found = static(tmp_path / "model.sdf", "drake")
    outcomes = {
        row.quantity: row.outcome for row in found.rows if row.engines == ("reference", "drake")
    }
    assert outcomes["initial poses"] is Outcome.PASSED
    assert outcomes["velocity limits"] is Outcome.PASSED
    assert outcomes["gravity"] is Outcome.UNKNOWN

    class Moved(DrakeEngine):
        def _match_names(self) -> None:
            super()._match_names()
            body = self._plant.GetBodyByName("b")
            X_WB = self._plant.EvalBodyPoseInWorld(self._context, body)
            X_WB.set_translation((0.3, -0.2, 1.1))
            self._plant.SetDefaultFloatingBaseBodyPose(body, X_WB)
            self._plant.GetJointByName("j").set_velocity_limits([-6.0], [6.0])

    failing = {
        row.quantity
        for row in compare(tmp_path / "model.sdf", [Moved], levels=("L0",), configurations=1).rows
        if row.outcome is Outcome.FAILED
    }
    assert failing == {"initial poses", "velocity limits"}


MIMIC = (
    "<link name='c'><inertial><mass>1</mass></inertial></link>"
    "<joint name='k' type='revolute'><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz>"
    "<mimic joint='j'><multiplier>.2</multiplier><offset>0</offset><reference>0</reference></mimic>"
    "</axis></joint>"
)


@pytest.mark.slow
@needs_drake
def test_a_coupling_that_drake_does_not_read_is_named(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, BASE, MIMIC)
    assert engine._plant.num_constraints() == 0
    assert [entry.code for entry in engine.diagnostics] == ["drake.coupling"]
    found = compare(tmp_path / "model.sdf", ("mujoco", "drake"), configurations=1)
    moved = [row for row in found.rows if row.quantity == "witnessed motion"]
    assert {row.outcome for row in moved} == {Outcome.UNKNOWN}
    assert "drake.coupling" in {gap.code for gap in found.gaps}


FOLLOWING = (
    "<robot name='r'>{links}<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
    "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
    "<joint name='k' type='revolute'><parent link='b'/><child link='c'/><axis xyz='0 0 1'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/><mimic joint='j'/></joint></robot>"
)


@needs_drake
@pytest.mark.parametrize(
    ("lost", "quantity"),
    [
        ("couplings", "reading"),
        ("collisions", "shapes"),
        ("visuals", "visual shapes"),
        ("name", "reading"),
    ],
)
def test_what_drake_has_and_the_scene_lacks_is_a_difference(
    lost: str, quantity: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.urdf"
    inertial = (
        "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
        "iyz='0'/></inertial><collision><geometry><sphere radius='.1'/></geometry></collision>"
        "<visual><geometry><sphere radius='.1'/></geometry></visual>"
    )
    links = "".join(f"<link name='{name}'>{inertial}</link>" for name in "abc")
    path.write_text(FOLLOWING.format(links=links), encoding="utf-8")
    scene = loaders.load(path, quiet=True)
    assert compare(scene, ("drake",), levels=("L0",), configurations=1).failures == ()
    moved = Pose.of(p=(0.1, 0.0, 0.0))
    (first, second), links = scene.joints, scene.links
    axis = replace(first.axes[0], velocity=math.inf)
    without = {
        "couplings": replace(scene, couplings=()),
        "collisions": replace(scene, links=tuple(replace(k, collisions=()) for k in links)),
        "visuals": replace(scene, links=tuple(replace(k, visuals=()) for k in links)),
        "name": replace(scene, models=(replace(scene.models[0], name="k"),)),
        "velocity": replace(scene, joints=(replace(first, axes=(axis,)), second)),
        "pose": replace(scene, links=(*links[:-1], replace(links[-1], X_WL=moved))),
    }[lost]
    failures = compare(without, ("drake",), levels=("L0",), configurations=1).failures
    assert quantity in {row.quantity for row in failures}


@needs_drake
@pytest.mark.parametrize(
    ("lost", "quantity"), [("file of a mesh", "shapes"), ("actuators", "actuator efforts")]
)
def test_what_the_scene_of_the_gripper_lost_is_a_difference(lost: str, quantity: str) -> None:
    scene = loaders.load(ASSETS / "gripper/model.sdf", quiet=True)
    links = scene.links
    for k, link in enumerate(links):
        shapes = tuple(
            replace(each, geometry=replace(each.geometry, path=None))
            if isinstance(each.geometry, Mesh)
            else each
            for each in link.collisions
        )
        links = (*links[:k], replace(link, collisions=shapes), *links[k + 1 :])
    changed = {
        "file of a mesh": replace(scene, links=links),
        "actuators": replace(scene, actuators=()),
    }[lost]
    for each, expected in ((scene, set()), (changed, {quantity})):
        failures = compare(each, ("drake",), levels=("L0",), configurations=1).failures
        assert expected <= {row.quantity for row in failures}
        assert bool(failures) is bool(expected)


@needs_drake
def test_a_frame_that_drake_has_elsewhere_is_a_difference(tmp_path: Path) -> None:
    frame = "<frame name='f' attached_to='b'><pose>.1 0 .2 0 0 .3</pose></frame>"
    engine_of(tmp_path, BASE, frame)
    scene = loaders.load(tmp_path / "model.sdf", quiet=True)
    (found,) = scene.frames
    moved = replace(found, X_LF=found.X_LF @ Pose.of(p=(1e-6, 0.0, 0.0)))
    for frames, expected in (((found,), set()), ((moved,), {"poses of frames"})):
        rows = compare(replace(scene, frames=frames), ("drake",), levels=("L0",)).failures
        assert {row.quantity for row in rows} == expected


@needs_drake
@pytest.mark.parametrize("relative_to", few(["f", "n::c", "b", "__model__"], 2))
def test_a_frame_on_a_frame_of_a_nested_link_is_explained_only_where_drake_mistakes_the_link(
    relative_to: str, tmp_path: Path
) -> None:
    """The pose of the second frame in the first one is the one that Drake has in the link; the
    frame of the file is where SDFormat states it.
    """
    nested = "<model name='n'><pose>1 0 0 0 0 .2</pose><link name='c'><pose>0 .5 0 .1 0 0</pose>"
    first = "</link></model><frame name='f' attached_to='n::c'><pose>.3 0 .1 0 .4 0</pose></frame>"
    second = f"<frame name='g' attached_to='f'><pose relative_to='{relative_to}'>0 .2 0 0 0 .3"
    engine = engine_of(tmp_path, BASE, nested, first, second, "</pose></frame>")
    scene = loaders.load(tmp_path / "model.sdf", quiet=True)
    f, g = sorted(scene.frames, key=lambda frame: frame.name)
    found = engine.frame_poses()
    mistaken = f.X_LF.inverse() @ g.X_LF
    assert pose_distance(matrix(found["g"]), matrix(mistaken), 1.0) <= 1e-9
    assert [entry.subjects for entry in engine.diagnostics if "frame" in entry.code] == [("g",)]
    for moved, expected in (
        (0.0, Outcome.EXPLAINED),
        (1e-6, Outcome.FAILED),
        (2.0, Outcome.FAILED),
    ):
        X = g.X_LF @ Pose.of(p=(moved, 0.0, 0.0))
        rows = compare(replace(scene, frames=(f, replace(g, X_LF=X))), ("drake",), levels=("L0",))
        (row,) = (row for row in rows.rows if row.quantity == "poses of frames")
        assert row.outcome is expected


@needs_drake
@pytest.mark.parametrize("lost", few(["pose", "name", "canonical link"], 1))
def test_a_model_that_drake_reads_otherwise_is_a_difference(lost: str, tmp_path: Path) -> None:
    nested = (
        "<model name='n'><pose>1 0 0 0 0 .2</pose><link name='c'/><link name='d'/></model>"
        "<frame name='f' attached_to='n'><pose>.1 0 0 0 0 0</pose></frame>"
    )
    engine_of(tmp_path, BASE, nested)
    scene = loaders.load(tmp_path / "model.sdf", quiet=True)
    (outer, inner), moved = scene.models, Pose.of(p=(1e-3, 0.0, 0.0))
    changed = {
        "name": replace(inner, name="k"),
        "pose": replace(inner, X_WM=inner.X_WM @ moved),
        "canonical link": replace(inner, canonical_link="n::d"),
    }[lost]
    links = tuple(
        replace(link, model=changed.name) if link.model == inner.name else link
        for link in scene.links
    )
    faulty = replace(scene, models=(outer, changed), links=links)
    for each, expected in ((scene, set()), (faulty, {"frames of models"})):
        found = compare(each, ("drake",), levels=("L0",))
        assert {row.quantity for row in found.failures} == expected
        assert all(
            row.outcome is not Outcome.UNKNOWN for row in found.rows if "frames" in row.quantity
        )


@needs_drake
def test_a_model_with_merged_urdf_is_fixed_to_its_own_link(tmp_path: Path) -> None:
    robot = "<robot name='r'><link name='u'/></robot>"
    (tmp_path / "robot.urdf").write_text(robot, encoding="utf-8")
    uri = f"file://{tmp_path / 'robot.urdf'}"
    engine_of(tmp_path, f"<include merge='true'><uri>{uri}</uri></include>", BASE)
    found = compare(tmp_path / "model.sdf", ("drake",), levels=("L0",))
    (row,) = (row for row in found.rows if row.quantity == "frames of models")
    assert (row.outcome, found.failures) == (Outcome.PASSED, ())


@needs_drake
def test_pairs_that_the_caller_excludes_are_unknown_in_drake() -> None:
    path = ASSETS / "gripper/model.sdf"
    found = compare(
        path, ("drake",), levels=("L1",), configurations=1, exclude="sampled", exclude_samples=50
    )
    (row,) = (row for row in found.rows if row.quantity == "collidable pairs")
    assert (row.outcome, found.failures) == (Outcome.UNKNOWN, ())
