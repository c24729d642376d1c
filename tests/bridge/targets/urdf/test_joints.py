"""Joints, mimics, gearboxes and transmissions read back; chains of hinges and slides move as the
joint that they replace.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree

import bridge
import loaders
from bridge.diff import differences
from loaders import model as m
from loaders.diagnostics import ExportError
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene
from tests.code_examples import scenes as s
from tests.code_examples.scenes import geared
from tests.support.scenes import UNIT_BOX, joint, link, scene
from tests.support.urdf_writer import element, read, with_poses

# A chain of hinges and slides moves as the joint whose place it takes.

T = m.JointType
PLACED = {"X_PJ": Pose.of(p=(0.3, 0.1, 0.2)), "X_CJ": Pose.of(p=(0.0, 0.1, -0.2))}
PLAIN = {"revolute", "prismatic", "continuous", "fixed"}


def given(kind: T, **more: Any) -> loaders.Scene:
    return with_poses(scene([link("a"), link("b")], [joint("j", "a", "b", kind, **PLACED, **more)]))


def moved(source: loaders.Scene, q: dict[str, Sequence[float]]) -> Pose:
    poses = bridge.lower(source).link_poses({name: tuple(value) for name, value in q.items()})
    return poses["b_origin" if "b_origin" in poses else "b"]


def plain(source: loaders.Scene, **options: Any) -> loaders.Scene:
    found = loaders.load_string(bridge.to_urdf(source, extensions=(), **options), format="urdf")
    assert {joint.type.value for joint in found.joints} <= PLAIN
    return found


def named(*names: str) -> Callable[[Sequence[float]], dict[str, Sequence[float]]]:
    return lambda q: {name: (value,) for name, value in zip(names, q, strict=True)}


SKEW = (m.JointAxis(xyz=frozen((1.0, 0.0, 0.0))), m.JointAxis(xyz=frozen((0.8, 0.6, 0.0))))


@pytest.mark.parametrize(
    ("kind", "more", "joints", "option"),
    [
        (T.UNIVERSAL, {}, ("j_axis1", "j_axis2"), "plain"),
        (T.UNIVERSAL, {"axes": SKEW}, ("j_axis1", "j_axis2"), "all"),
        (T.REVOLUTE2, {}, ("j_axis1", "j_axis2"), "all"),
        (T.PLANAR, {}, ("j_axis1", "j_axis2", "j_axis3"), "plain"),
    ],
)
def test_a_chain_has_the_positions_of_its_joint(
    kind: T, more: Any, joints: tuple[str, ...], option: str
) -> None:
    source = given(kind, **more)
    q = np.random.default_rng(0).uniform(-1.0, 1.0, len(joints)).tolist()
    assert moved(plain(source, joints=option), named(*joints)(q)).is_close(
        moved(source, {"j": q}), 1e-9
    )


def test_a_screw_is_a_hinge_with_a_slide_that_follows_it() -> None:
    source = given(T.SCREW, pitch=0.5)
    found = plain(source, joints="plain")
    (coupling,) = found.couplings
    assert (coupling.follower, coupling.leader) == ("j_slide", "j")
    assert coupling.multiplier == pytest.approx(0.5 / math.tau)
    q = {"j": (0.7,), "j_slide": (0.7 * coupling.multiplier,)}
    assert moved(found, q).is_close(moved(source, {"j": (0.7,)}), 1e-9)


def test_a_ball_is_turned_about_x_then_y_then_z() -> None:
    source = given(T.BALL, axes=())
    quaternion = [math.cos(0.35), math.sin(0.35), 0.0, 0.0]
    found = plain(source, joints="plain")
    q = {"j_x": (0.7,), "j_y": (0.0,), "j_z": (0.0,)}
    assert moved(found, q).is_close(moved(source, {"j": quaternion}), 1e-9)


def test_couplings_of_an_axis_are_those_of_its_hinge() -> None:
    links, joints = (
        [link(name) for name in "abc"],
        [joint("j", "a", "b", T.REVOLUTE2), joint("k", "a", "c")],
    )
    source = scene(links, joints, couplings=(m.Coupling(follower="k", leader="j", leader_axis=1),))
    assert [coupling.leader for coupling in plain(source).couplings] == ["j_axis2"]


def test_a_chain_is_reported() -> None:
    entries = bridge.to_urdf(given(T.REVOLUTE2)).diagnostics
    assert [entry.subjects for entry in entries if entry.code == "urdfout.chain"] == [("j",)]


def test_without_couplings_the_slide_of_a_screw_is_free_and_reported() -> None:
    urdf = bridge.to_urdf(given(T.SCREW, pitch=0.5), joints="plain", couplings=False)
    assert "<mimic" not in urdf
    assert [entry.subjects for entry in urdf.diagnostics if entry.code == "urdfout.coupling"] == [
        ("j_slide", "j")
    ]


# The interfaces of driven joints: read back, and as the schema of ros2_control has them.


def _driven(*interfaces: str) -> loaders.Scene:
    axis = m.JointAxis(xyz=m.Z_AXIS, lower=-1.0, upper=2.0, velocity=3.0, effort=4.0)
    joints = [joint("ab", "a", "b", axes=(axis,)), joint("bc", "b", "c")]
    actuator = m.Actuator(
        name="motor", joint="ab", effort=4.0, gear_ratio=50.0, interfaces=interfaces
    )
    return scene([link("a"), link("b"), link("c")], joints, actuators=(actuator,))


def _interfaces(urdf: str) -> dict[str, dict[str, float]]:
    (joint,) = etree.fromstring(urdf.encode()).findall("ros2_control/joint")
    assert joint.get("name") == "ab"
    assert [state.get("name") for state in joint.findall("state_interface")] == [
        "position",
        "velocity",
        "effort",
    ]
    return {
        command.get("name"): {param.get("name"): float(param.text) for param in command}
        for command in joint.findall("command_interface")
    }


def test_the_limits_of_a_joint_are_those_of_its_interfaces() -> None:
    urdf = bridge.to_urdf(_driven("position", "velocity", "effort"), ros2_control=True)
    assert _interfaces(urdf) == {
        "position": {"min": -1.0, "max": 2.0},
        "velocity": {"min": -3.0, "max": 3.0},
        "effort": {"min": -4.0, "max": 4.0},
    }
    (control,) = etree.fromstring(urdf.encode()).findall("ros2_control")
    assert control.get("type") == "system"
    assert control.findtext("hardware/plugin") == "mock_components/GenericSystem"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ((), "effort"),
        (("hardware_interface/PositionJointInterface",), "position"),
        (("velocity",), "velocity"),
    ],
)
def test_an_actuator_is_commanded_as_its_source_says(
    stated: tuple[str, ...], expected: str
) -> None:
    assert list(_interfaces(bridge.to_urdf(_driven(*stated), ros2_control=True))) == [expected]


@pytest.mark.parametrize("transmissions", [True, False])
def test_what_was_written_reads_back_and_is_written_the_same_again(
    transmissions: bool, tmp_path: Path
) -> None:
    options = {"ros2_control": True, "transmissions": transmissions}
    given = _driven("hardware_interface/EffortJointInterface")
    result = bridge.export_urdf(given, tmp_path / "out", **options)  # type: ignore[arg-type]
    found = loaders.load(result.path)
    assert [(a.joint, a.effort, a.gear_ratio) for a in found.actuators] == [
        ("ab", 4.0, 50.0 if transmissions else 1.0)
    ]
    assert bridge.to_urdf(found, **options) == bridge.to_urdf(given, **options)  # type: ignore[arg-type]


def test_a_robot_without_actuators_has_no_interfaces() -> None:
    assert "ros2_control" not in bridge.to_urdf(
        dataclasses.replace(_driven(), actuators=()), ros2_control=True
    )
    assert "ros2_control" not in bridge.to_urdf(_driven())


# Joints, mimics and transmissions, read back.


def test_limits_and_dynamics() -> None:
    values = {
        "lower": -1.0,
        "upper": 2.0,
        "effort": 3.0,
        "velocity": 4.0,
        "acceleration": 5.0,
        "damping": 6.0,
    }
    axis = read(s.hinge(**values, friction=7.0)).joints[0].axes[0]
    assert {key: getattr(axis, key) for key in values} == values
    assert axis.friction == 7.0


def test_a_revolute_joint_without_limits_is_continuous() -> None:
    assert read(s.hinge()).joints[0].type is T.CONTINUOUS
    assert element(s.hinge(), "joint").find("limit") is None


def test_a_slide_without_limits_has_the_numbers_that_readers_require() -> None:
    limit = element(s.hinge(T.PRISMATIC), "joint/limit")
    assert {limit.get(key) for key in ("upper", "effort", "velocity")} == {"1e+16"}
    assert read(s.hinge(T.PRISMATIC)).joints[0].axes[0].upper == math.inf


@pytest.mark.parametrize("kind", [T.BALL, T.UNIVERSAL, T.SCREW])
def test_joints_of_drake(kind: T) -> None:
    axes = (m.JointAxis(xyz=frozen((0.0, 0.0, 1.0))), m.JointAxis(xyz=frozen((0.0, 1.0, 0.0))))
    count = {T.BALL: 0, T.UNIVERSAL: 2, T.SCREW: 1}[kind]
    given = scene(
        [link("a"), link("b")], [joint("j", "a", "b", kind, axes=axes[:count], pitch=0.25)]
    )
    found = read(given).joints[0]
    assert found.type is kind
    assert found.pitch == (0.25 if kind is T.SCREW else 1.0)


@pytest.mark.parametrize(("multiplier", "offset"), [(2.0, 0.5), (1.0, 0.0), (0.0, 1.0)])
def test_a_mimic(multiplier: float, offset: float) -> None:
    given = s.coupled("bc", "ab", T.REVOLUTE, T.REVOLUTE)
    coupling = dataclasses.replace(given.couplings[0], multiplier=multiplier, offset=offset)
    (found,) = read(dataclasses.replace(given, couplings=(coupling,))).couplings
    assert (found.follower, found.leader, found.multiplier, found.offset) == (
        "bc",
        "ab",
        multiplier,
        offset,
    )


def test_a_transmission() -> None:
    given = s.driven(
        {"effort": 5.0}, effort=5.0, gear_ratio=3.0, rotor_inertia=0.1, p_gain=1.0, d_gain=2.0
    )
    (found,) = read(given).actuators
    assert (
        dataclasses.replace(found, where=m.Actuator(name="", joint="").where) == given.actuators[0]
    )


def test_a_curve() -> None:
    arcs = (m.Arc(length=1.0), m.Arc(length=0.5, curvature=-2.0))
    x, z = frozen((0.0, 1.0, 0.0)), frozen((0.0, 0.0, 1.0))
    curve = m.Curve(initial_tangent=x, plane_normal=z, arcs=arcs)
    given = scene(
        [link("a"), link("b")], [joint("j", "a", "b", T.CURVILINEAR, xyz=(0, 1, 0), curve=curve)]
    )
    found = read(given).joints[0].curve
    assert found is not None
    assert found.arcs == arcs


# Frames, constraints, force elements and filters of Drake, read back.

P, Q = frozen((0.1, 0.2, 0.3)), frozen((0.4, 0.5, 0.6))
ENDS = {"link_A": "a", "link_B": "c", "p_AP": P, "p_BQ": Q}
FLEX = dict.fromkeys(("torque_stiffness", "torque_damping", "force_stiffness", "force_damping"), P)


@pytest.mark.parametrize(
    "items",
    [
        {"constraints": (m.BallConstraint(**ENDS),)},
        {"constraints": (m.DistanceConstraint(**ENDS, distance=1.0, stiffness=2.0, damping=3.0),)},
        {
            "constraints": (
                m.TendonConstraint(joints=("ab", "bc"), coefficients=(1.0, -2.0), lower=-1.0),
            )
        },
        {"forces": (m.SpringDamper(**ENDS, free_length=1.0, stiffness=2.0, damping=3.0),)},
        {"frames": (m.Frame(name="f", link="b", X_LF=Pose.from_xyz_rpy(P, Q)),)},
        {
            "filter_groups": (m.FilterGroup(name="g", links=("a", "c")),),
            "filter_rules": (m.FilterRule(a="g", b="g"),),
        },
    ],
    ids=lambda items: next(iter(items)),
)
def test_items(items: dict[str, tuple[object, ...]]) -> None:
    links = [link(name, shape=UNIT_BOX) for name in "abc"]
    given = scene(links, [joint("ab", "a", "b"), joint("bc", "b", "c")], **items)
    found = read(given)
    assert [
        d for d in differences(given, found) if d.kind not in ("link", "joint", "model", "scene")
    ] == []
    (key,) = [key for key in items if key != "filter_rules"]
    assert len(getattr(found, key)) == 1


def test_a_bushing_refers_to_frames() -> None:
    bushing = m.Bushing(link_A="a", X_LA=Pose.of(p=P), link_C="b", X_LC=Pose.of(), **FLEX)
    found = read(scene([link("a"), link("b")], [joint("ab", "a", "b")], forces=(bushing,)))
    np.testing.assert_array_equal(found.forces[0].X_LA.p, P)  # type: ignore[union-attr]
    assert [frame.link for frame in found.frames] == ["a"]


def test_a_frame_of_the_world_stays_where_it_is_beside_a_free_root_that_is_elsewhere() -> None:
    X = Pose.of(p=(1.0, 2.0, 3.0))
    given = scene([link("a", X_WL=X)], frames=(m.Frame(name="f", link=m.WORLD, X_LF=X),))
    found = read(given)
    assert found.frames[0].X_LF.is_close(X, 1e-15)
    assert found.links[0].X_WL.is_close(X, 1e-15)


# Gearboxes in URDF: one joint mimics the other.


def velocities(scene: Scene) -> dict[str, float]:
    """Return the velocity of each joint while ``left`` has 1 rad/s."""
    mechanism = bridge.lower(scene)
    (coupling,) = mechanism.couplings
    names = [name for name, _ in mechanism.v_order]
    return {names[coupling.leader]: 1.0, names[coupling.follower]: coupling.multiplier}


def test_the_joints_of_a_gearbox_turn_as_before() -> None:
    found = loaders.load_string(bridge.to_urdf(geared(), quiet=True), format="urdf", quiet=True)
    assert velocities(found) == velocities(geared()) == {"left": 1.0, "right": -2.0}


def test_a_gearbox_without_hinges_is_left_out_and_named() -> None:
    urdf = bridge.to_urdf(geared(reference="left"), quiet=True)
    assert "mimic" not in urdf
    assert [
        entry.subjects for entry in urdf.diagnostics if entry.code == "urdfout.idle-gearbox"
    ] == [("gears",)]


def test_a_gearbox_does_not_hold_its_links_together(tmp_path) -> None:
    scene = geared()
    joints = tuple(joint for joint in scene.joints if joint.name == "gears")
    free = loaders.Scene(name="m", models=scene.models, links=scene.links, joints=joints)
    with pytest.raises(ExportError, match="3"):
        bridge.to_urdf(free, quiet=True)
    assert (
        len(list(bridge.export_urdf(free, tmp_path / "out", quiet=True).path.parent.glob("*.urdf")))
        == 3
    )


# An actuator's limit becomes that of a joint without one; one without a joint is left out.


def test_the_limit_of_an_actuator() -> None:
    found = read(s.driven(effort=5.0))
    assert (found.joints[0].axes[0].effort, found.actuators[0].effort) == (5.0, 5.0)


def test_a_limit_of_the_joint_that_is_tighter_than_that_of_its_actuator_is_all_there_is_to_say() -> (
    None
):
    """The joint limits the sum of its actuators: an actuator without a limit, as in MuJoCo's fr3,
    loses nothing.
    """
    for own, codes in ((math.inf, []), (6.0, []), (5.0, []), (4.0, ["urdfout.actuator-property"])):
        urdf = bridge.to_urdf(s.driven({"effort": 5.0}, effort=own))
        assert [entry.code for entry in urdf.diagnostics] == codes
    (lost,) = bridge.to_urdf(s.driven({"effort": 5.0}, effort=4.0)).diagnostics
    assert lost.arguments["properties"] == ("effort",)


def test_an_actuator_of_a_tendon_is_left_out() -> None:
    given = dataclasses.replace(
        s.hinge(), actuators=(m.Actuator(name="pull", joint="", tendon="t"),)
    )
    urdf = bridge.to_urdf(given)
    assert "<transmission" not in urdf
    assert [entry.code for entry in urdf.diagnostics] == ["urdfout.actuator"]


def test_an_actuator_of_a_ball_joint_is_left_out() -> None:
    """Drake refuses a document with such a ``<transmission>``."""
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    from pydrake.multibody.plant import MultibodyPlant

    body = '<body name="b"><joint name="j" type="ball" damping="1"/><geom size="0.1"/></body>'
    actuator = '<actuator><general name="a" joint="j" gear="0 0 1"/></actuator>'
    text = f"<mujoco><worldbody>{body}</worldbody>{actuator}</mujoco>"
    urdf = bridge.to_urdf(loaders.load_string(text, format="mjcf", quiet=True), quiet=True)
    plant = MultibodyPlant(0.0)
    parsing.Parser(plant).AddModelsFromString(str(urdf), "urdf")
    assert plant.GetJointByName("j").type_name() == "ball_rpy"
    assert [entry.subjects for entry in urdf.diagnostics if entry.code == "urdfout.actuator"] == [
        ("a",)
    ]


# Frames of links move to their joints only where URDF requires it.

TURN = Pose.from_xyz_rpy((0.0, 0.0, 0.0), (0.3, 0.2, 0.1))
UP = Pose.of(p=(0.0, 0.0, 1.0))
BESIDE = Pose.of(p=(0.5, 0.0, 0.0))


def representable_joints_moved(kind: T, X_CJ: Pose) -> dict[str, Pose]:
    given = scene([link("a"), link("b")], [joint("j", "a", "b", kind, X_CJ=X_CJ)])
    return bridge.to_urdf(given).frames


@pytest.mark.parametrize(
    ("kind", "X_CJ"),
    [(T.FIXED, BESIDE), (T.PRISMATIC, BESIDE), (T.REVOLUTE, UP), (T.REVOLUTE, TURN)],
)
def test_frames_stay_where_the_joint_may_be_there(kind: T, X_CJ: Pose) -> None:
    assert representable_joints_moved(kind, X_CJ) == {}


@pytest.mark.parametrize(("kind", "X_CJ"), [(T.REVOLUTE, BESIDE), (T.BALL, UP), (T.SCREW, BESIDE)])
def test_frames_move_onto_the_axis(kind: T, X_CJ: Pose) -> None:
    assert representable_joints_moved(kind, X_CJ)["b"].is_close(X_CJ)


def test_joints_that_urdf_lacks_are_refused() -> None:
    joints = [joint("j", "a", "b", T.BALL), joint("k", "b", "c", T.SCREW)]
    with pytest.raises(ExportError) as caught:
        bridge.to_urdf(scene([link(name) for name in "abc"], joints), extensions=())
    assert [entry.subjects for entry in caught.value.diagnostics] == [("j",), ("k",)]


def test_joints_of_drake_need_its_extensions() -> None:
    with pytest.raises(ExportError, match="an extension of Drake"):
        bridge.to_urdf(
            scene([link("a"), link("b")], [joint("j", "a", "b", T.BALL)]), extensions=("gazebo",)
        )


@pytest.mark.parametrize(("kind", "lost"), [(T.BALL, ["lower"]), (T.REVOLUTE, [])])
def test_what_a_joint_cannot_state_about_its_axes_is_reported(kind: T, lost: list[str]) -> None:
    given = joint("j", "a", "b", kind, axes=(m.JointAxis(xyz=m.X_AXIS, lower=-0.5, upper=1.0),))
    entries = bridge.to_urdf(scene([link("a"), link("b")], [given])).diagnostics
    named = [entry for entry in entries if "j" in entry.subjects and "lower" in entry.message]
    assert bool(named) == bool(lost)
    assert not any("xyz" in entry.message for entry in entries)


def test_a_universal_joint_moves_as_before_it_was_written() -> None:
    axes = tuple(m.JointAxis(xyz=frozen(xyz)) for xyz in ((0.0, 0.6, 0.8), (0.0, 0.8, -0.6)))
    source = scene(
        [link("a"), link("b")],
        [joint("j", "a", "b", T.UNIVERSAL, X_PJ=TURN, X_CJ=BESIDE @ TURN, axes=axes)],
    )
    urdf = bridge.to_urdf(source)
    q = {"j": (0.7, -0.4)}
    ours = bridge.lower(source).link_poses(q)["b"]
    theirs = bridge.lower(loaders.load_string(urdf, format="urdf", quiet=True)).link_poses(q)["b"]
    assert (theirs @ urdf.frames.get("b", IDENTITY).inverse()).is_close(ours, 1e-9)
