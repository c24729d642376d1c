"""Joints, actuators, constraints and their frames read back with all that they state."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import bridge
from bridge.diff import differences
from bridge.diff.mechanics import mechanical_error
from bridge.targets.report import Report
from bridge.targets.sdf.document import build
from bridge.targets.sdf.normal_form import curve_range
from bridge.targets.sdf.scope import (
    child_frame,
    frame_at,
    free_name,
    with_anchors,
    with_drake_frames,
    with_short_poses,
    with_world_link,
)
from loaders import model as m
from loaders.pose import IDENTITY, Pose, frozen
from tests.support.scenes import AXES, UNIT_BOX, joint, link, random_axes, scene
from tests.support.sdf_writer import element, read

# Joints of every type read back with all that they state.

T = m.JointType
LIMITS = {
    "lower": -1.0,
    "upper": 2.0,
    "effort": 3.0,
    "velocity": 4.0,
    "acceleration": 5.0,
    "damping": 0.1,
    "friction": 0.2,
    "spring_stiffness": 6.0,
    "spring_reference": 0.3,
    "limit_stiffness": 7.0,
    "limit_dissipation": 8.0,
}
DRIVE = {"rotor_inertia": 0.5, "p_gain": 1.0, "d_gain": 2.0}
X = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))


@pytest.mark.parametrize(
    "kind", [T.REVOLUTE, T.PRISMATIC, T.UNIVERSAL, T.REVOLUTE2, T.SCREW, T.GEARBOX]
)
def test_all_values_of_a_joint(kind: T) -> None:
    axes = tuple(
        m.JointAxis(xyz=frozen(xyz), **LIMITS) for xyz in ((0.6, 0.8, 0.0), (0.0, 0.0, 1.0))
    )
    ends = joint("j", "a", "b", kind, X_PJ=X, X_CJ=X, pitch=0.3, gear_ratio=2.5, gear_reference="a")
    count = 2 if kind is T.GEARBOX else AXES.get(kind, 1)
    given = scene(
        [link("a"), link("b")],
        [dataclasses.replace(ends, axes=axes[:count], provide_feedback=True)],
        actuators=(
            m.Actuator(
                name="j",
                joint="j",
                effort=3.0,
                gear_ratio=2.0,
                rotor_inertia=0.5,
                p_gain=1.0,
                d_gain=2.0,
            ),
        ),
    )
    normal = build(given, {}).form.scene
    assert differences(normal, read(given)) == ()


def test_a_coupling_is_written_on_the_axis_of_the_follower() -> None:
    given = scene(
        [link("a"), link("b"), link("c")],
        [joint("j", "a", "b"), joint("k", "b", "c", T.UNIVERSAL)],
        couplings=(
            m.Coupling(follower="k", leader="j", multiplier=2.0, offset=0.5, follower_axis=1),
        ),
    )
    (found,) = read(given).couplings
    assert (found.follower, found.follower_axis, found.multiplier, found.offset) == (
        "k",
        1,
        2.0,
        0.5,
    )
    assert element(given, "model/joint/axis2/mimic").get("joint") == "j"


def test_a_curve_keeps_its_arcs() -> None:
    curve = m.Curve(
        initial_tangent=frozen((1, 0, 0)),
        plane_normal=frozen((0, 0, 1)),
        arcs=(m.Arc(length=1.0), m.Arc(length=0.5, curvature=-2.0)),
    )
    axis = m.JointAxis(xyz=frozen((1, 0, 0)), lower=0.0, upper=1.5, damping=0.1)
    given = scene(
        [link("a"), link("b")], [joint("j", "a", "b", T.CURVILINEAR, axes=(axis,), curve=curve)]
    )
    assert differences(build(given, {}).form.scene, read(given)) == ()


def test_a_coupling_to_the_second_axis_of_its_leader() -> None:
    given = scene(
        [link("a"), link("b"), link("c")],
        [joint("k", "a", "b", T.UNIVERSAL), joint("j", "b", "c")],
        couplings=(m.Coupling(follower="j", leader="k", multiplier=2.0, leader_axis=1),),
    )
    (found,) = read(given).couplings
    assert (found.leader, found.leader_axis) == ("k", 1)


def test_a_sensor_keeps_its_place_on_the_child_of_its_joint() -> None:
    sensor = m.Sensor(
        name="ft", type="force_torque", X_LS=Pose.from_xyz_rpy((1.0, 2.0, 3.0), (0.3, 0.2, 0.1))
    )
    turned = dataclasses.replace(joint("j", "a", "b", X_PJ=X, X_CJ=X), sensors=(sensor,))
    (found,) = read(scene([link("a"), link("b")], [turned])).joints
    assert found.sensors[0].X_LS.is_close(sensor.X_LS, 1e-12)


# Constraints, force elements and filter groups read back with all their values.

P, Q = frozen((0.1, 0.2, 0.3)), frozen((-0.1, 0.0, 0.4))
ENDS = {"link_A": "a", "link_B": "b", "p_AP": P, "p_BQ": Q}


def test_all_kinds() -> None:
    k = frozen(np.array((1.0, 2.0, 3.0)))
    given = scene(
        [link("a", shape=UNIT_BOX), link("b", shape=UNIT_BOX)],
        [joint("j", "a", "b")],
        constraints=(
            m.BallConstraint(**ENDS),
            m.DistanceConstraint(**ENDS, distance=1.5),
            m.TendonConstraint(joints=("j",), coefficients=(2.0,), lower=-1.0, damping=3.0),
        ),
        forces=(
            m.SpringDamper(**ENDS, free_length=0.5, stiffness=7.0, damping=8.0),
            m.Bushing(
                link_A="a",
                X_LA=Pose.of(p=P),
                link_C="b",
                X_LC=Pose.of(p=Q),
                torque_stiffness=k,
                torque_damping=k,
                force_stiffness=k,
                force_damping=k,
            ),
        ),
        filter_groups=(
            m.FilterGroup(name="g", links=("a", "b")),
            m.FilterGroup(name="h", links=("b",)),
        ),
        filter_rules=(m.FilterRule(a="g", b="g"), m.FilterRule(a="g", b="h")),
    )
    found = read(given)
    assert differences(build(given, {}).form.scene, found) == ()
    assert len(found.constraints) == 3
    assert len(found.forces) == 2
    assert found.excluded_collision_pairs() == {frozenset({"a", "b"})}


# Joints are written so that their positions keep their meaning.


def test_a_planar_joint_in_any_axes_moves_the_same() -> None:
    axes = random_axes(T.PLANAR, np.random.default_rng(1), damping=0.5, friction=0.1)
    given = scene([link("a"), link("b")], [joint("j", "a", "b", T.PLANAR, axes=axes)])
    assert mechanical_error(given, read(given)).is_within(1e-9)
    assert {entry.code for entry in bridge.to_sdf(given).diagnostics} == {"sdfout.joint-property"}


def test_a_floating_joint_leaves_its_link_free() -> None:
    given = scene([link("a"), link("b")], [joint("j", "a", "b", T.FLOATING, axes=())])
    assert read(given).joints == ()


def test_limits_of_a_continuous_joint_are_left_out() -> None:
    axis = m.JointAxis(xyz=frozen((0, 0, 1)), lower=-1.0)
    given = scene([link("a"), link("b")], [joint("j", "a", "b", T.CONTINUOUS, axes=(axis,))])
    assert read(given).joints[0].axes[0].lower == -float("inf")


@pytest.mark.parametrize(
    ("periodic", "limits"),
    [(False, (0.0, 3.0)), (True, (-math.inf, math.inf))],
    ids=["open", "closed"],
)
def test_an_open_curve_has_limits_at_its_ends_and_a_closed_one_has_none(
    periodic: bool, limits: tuple[float, float]
) -> None:
    curve = m.Curve(
        initial_tangent=m.X_AXIS,
        plane_normal=m.Z_AXIS,
        arcs=(m.Arc(length=1.0, curvature=2.0), m.Arc(length=2.0)),
        periodic=periodic,
    )
    axes = (m.JointAxis(xyz=m.X_AXIS, lower=limits[0], upper=limits[1]),)
    given = joint("j", "b", "a", T.CURVILINEAR, axes=axes, curve=curve)
    assert curve_range(given) == limits
    found = next(
        each for each in read(scene([link("b"), link("a")], [given])).joints if each.name == "j"
    )
    assert (found.axes[0].lower, found.axes[0].upper) == limits
    assert bridge.to_sdf(scene([link("b"), link("a")], [given])).diagnostics == ()


# Each driven joint has one actuator, named after it.


def test_names_limits_and_further_actuators() -> None:
    drives = (m.Actuator(name="x", joint="j", effort=5.0), m.Actuator(name="y", joint="k"))
    given = scene(
        [link("a"), link("b")],
        [joint("j", m.WORLD, "a"), joint("k", "a", "b", axis={"effort": 0.0})],
        actuators=drives,
    )
    codes = {entry.code for entry in bridge.to_sdf(given).diagnostics}
    assert codes == {"sdfout.actuator", "sdfout.actuator-property"}
    assert [(a.name, a.joint, a.effort) for a in read(given).actuators] == [("j", "j", 5.0)]


def test_a_source_without_actuators_reports_those_that_a_reader_adds() -> None:
    given = scene(
        [link("a"), link("b")],
        [joint("j", m.WORLD, "a"), joint("k", "a", "b", axis={"effort": 0.0})],
    )
    assert [actuator.name for actuator in read(given).actuators] == ["j"]
    added = [
        entry for entry in bridge.to_sdf(given).diagnostics if entry.code == "sdfout.added-actuator"
    ]
    assert [entry.subjects for entry in added] == [("j",)]


# Frames stand at the ends of Drake's joints and bushings.


def test_a_frame_is_added_once_and_an_existing_one_is_used() -> None:
    given = scene([link("a"), link("b")], [joint("j", "a", "b", T.PLANAR, X_PJ=X)])
    found = with_drake_frames(given)
    assert [(frame.name, frame.link) for frame in found.frames] == [("j_parent_frame", "a")]
    assert with_drake_frames(found) is found
    assert frame_at(list(found.frames), "a", X) == "j_parent_frame"
    assert frame_at([], "b", IDENTITY) == "b"
    assert child_frame(given.joints[0]) is given.joints[0].X_CJ


def test_poses_are_shortened_only_beside_such_joints() -> None:
    given = scene([link("a", X_WL=X @ X)])
    assert with_short_poses(given) is given
    planar = scene([link("a", X_WL=X @ X), link("b")], [joint("j", "a", "b", T.PLANAR)])
    short = with_short_poses(planar).links[0].X_WL
    assert short.is_close(X @ X, 1e-10)
    assert short.p.tolist() == [round(x, 11) for x in (X @ X).p.tolist()]


# Links stand for the world where SDFormat needs a link.


def test_a_scene_without_such_ends_is_unchanged() -> None:
    given = scene([link("a")])
    assert with_world_link(given, Report("sdf")) == (given, "")
    assert with_anchors(given, Report("sdf")) is given
    assert free_name(given, "a") == "a_2"


def test_a_planar_joint_to_the_world_moves_on_an_anchor() -> None:
    given = scene([link("a")], [joint("j", m.WORLD, "a", m.JointType.PLANAR)])
    found = with_anchors(given, Report("sdf"))
    assert [item.parent for item in found.joints] == ["world_anchor", m.WORLD]
    moved = bridge.lower(found).link_poses({"j": (1.0, 2.0, 0.0)})["a"]
    assert moved.is_close(bridge.lower(given).link_poses({"j": (1.0, 2.0, 0.0)})["a"])
    assert found.links[-1].X_WL is IDENTITY
