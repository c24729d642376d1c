"""Joints, actuators and couplings of Drake, and elements that repeat a standard one, compared with
Drake.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import bridge
from loaders.model import Arc, Box, Capsule, Cylinder, Ellipsoid, JointType
from tests.support.drake_files import (
    CURVES,
    ENDS,
    FRAMES,
    ROTOR,
    SDF_MASS,
    codes,
    collision,
    load,
    sdf,
    sdf_joint,
    shaped,
    urdf,
    urdf_joint,
    urdf_motor,
    visuals,
)
from tests.support.drake_oracle import DrakePlant

# Actuators, couplings and joint types of Drake, in SDFormat and URDF, compared with Drake.


@pytest.mark.parametrize("source", ROTOR.values(), ids=ROTOR)
def test_a_rotor_adds_its_inertia_times_the_gear_ratio_squared(source):
    mass = bridge.lower(load(source)).mass_matrix()
    np.testing.assert_allclose(mass, DrakePlant(*source).mass_matrix(), rtol=1e-12)
    np.testing.assert_allclose(mass, [[0.7 + 49 * 0.01]], rtol=1e-12)


ACCELERATION = {
    "sdf": sdf(sdf_joint(limits="<drake:acceleration>3</drake:acceleration>")),
    "urdf": urdf(urdf_joint(limits='drake:acceleration="3"')),
}


@pytest.mark.parametrize("source", ACCELERATION.values(), ids=ACCELERATION)
def test_the_acceleration_limit_is_read(source):
    joint = DrakePlant(*source).plant.GetJointByName("j")
    assert (
        load(source).joints[0].axes[0].acceleration == joint.acceleration_upper_limits()[0] == 3.0
    )


GAINS = {
    "sdf": sdf(sdf_joint('<drake:controller_gains p="10" d="0.5"/>', limits="<effort>4</effort>")),
    "urdf": urdf(urdf_joint() + urdf_motor('<drake:controller_gains p="10" d="0.5"/>')),
}


@pytest.mark.parametrize("source", GAINS.values(), ids=GAINS)
def test_controller_gains_and_effort_are_those_of_drakes_actuator(source):
    ours, plant = load(source).actuators[0], DrakePlant(*source).plant
    theirs = plant.get_joint_actuator(plant.GetJointActuatorIndices()[0])
    gains = theirs.get_controller_gains()
    assert (
        (ours.p_gain, ours.d_gain, ours.effort)
        == (gains.p, gains.d, theirs.effort_limit())
        != (None, None, math.inf)
    )


EFFORTS = [
    "",
    "<effort>0</effort>",
    "<effort>5</effort>",
    "<effort>-1</effort>",
    "<effort>inf</effort>",
]


@pytest.mark.parametrize("limits", EFFORTS)
@pytest.mark.parametrize(
    "kind", ["revolute", "continuous", "prismatic", "screw", "universal", "ball"]
)
def test_sdf_joints_are_driven_where_drake_drives_them(kind, limits):
    second = "<axis2><xyz>1 0 0</xyz></axis2>" if kind == "universal" else ""
    source = sdf(sdf_joint(second, kind=kind, limits=limits))
    plant = DrakePlant(*source).plant
    theirs = [plant.get_joint_actuator(i) for i in plant.GetJointActuatorIndices()]
    ours = load(source).actuators
    assert [(a.name, a.effort) for a in ours] == [(a.name(), a.effort_limit()) for a in theirs]


def test_a_rotor_without_an_actuator_is_reported():
    source = sdf(
        sdf_joint("<drake:rotor_inertia>1</drake:rotor_inertia>", limits="<effort>0</effort>")
    )
    assert codes(source) == {"drake.idle-actuator"}


def test_a_mimic_in_sdf_may_name_a_joint_that_comes_later():
    mimic = '<drake:mimic joint="k" multiplier="2" offset="0.5"/>'
    source = sdf(sdf_joint(mimic) + sdf_joint(name="k", parent="b", child="c"), links="abc")
    (coupling,) = load(source).couplings
    assert (coupling.follower, coupling.leader, coupling.multiplier, coupling.offset) == (
        "j",
        "k",
        2.0,
        0.5,
    )
    assert DrakePlant(*source).plant.num_constraints() == 1


ARC_SDF = "<drake:circular_arc><drake:radius>0.5</drake:radius><drake:angle>-1.5</drake:angle></drake:circular_arc>"


ARC_URDF = '<drake:circular_arc radius="0.5" angle="-1.5"/>'


TYPES = {
    "sdf arc": (
        sdf(
            f'{FRAMES}<drake:joint name="j" '
            f'type="curvilinear">{ENDS}<drake:initial_tangent><xyz>0 2 0</xyz>'
            "</drake:initial_tangent><drake:plane_normal><xyz>1 0 0</xyz></drake:plane_normal>"
            f"<drake:damping>0.2</drake:damping><drake:curves>{ARC_SDF}</drake:curves></drake:joint>"
        ),
        (0.3,),
    ),
    "urdf arc": (
        urdf(
            urdf_joint(
                '<drake:initial_tangent xyz="0 2 0"/><drake:plane_normal xyz="1 0 0"/>'
                f'<dynamics damping="0.2"/><drake:curves>{ARC_URDF}</drake:curves>',
                "curvilinear",
                "drake:joint",
                axis="",
            )
        ),
        (0.3,),
    ),
    "sdf planar": (
        sdf(
            f'{FRAMES}<drake:joint name="j" type="planar">{ENDS}<drake:damping>1 2 '
            f"3</drake:damping></drake:joint>"
        ),
        (0.3, -0.2, 0.5),
    ),
    "urdf planar": (
        urdf(urdf_joint('<dynamics damping="1 2 3"/>', "planar", "drake:joint")),
        (0.3, -0.2, 0.5),
    ),
    "urdf screw": (
        urdf(urdf_joint('<drake:screw_thread_pitch value="0.04"/>', "screw", "drake:joint")),
        (0.7,),
    ),
    "urdf universal": (
        urdf(urdf_joint('<dynamics damping="0.2"/>', "universal", "drake:joint")),
        (0.7, -0.4),
    ),
}


@pytest.mark.parametrize(("source", "q"), TYPES.values(), ids=TYPES)
def test_drakes_joints_move_as_in_drake(source, q):
    scene, drake = load(source), DrakePlant(*source)
    joint = drake.plant.GetJointByName("j")
    positions = drake.plant.GetPositions(drake.context)
    positions[joint.position_start() : joint.position_start() + len(q)] = q
    drake.plant.SetPositions(drake.context, positions)
    a, b = (drake.plant.GetBodyByName(name) for name in "ab")
    ours = bridge.lower(scene).link_poses({"j": q if len(q) > 1 else q[0]})
    theirs = drake.plant.CalcRelativeTransform(drake.context, a.body_frame(), b.body_frame())
    X_AB = ours["a"].inverse() @ ours["b"]
    np.testing.assert_allclose(X_AB.R, theirs.rotation().matrix(), atol=1e-12)
    np.testing.assert_allclose(X_AB.p, theirs.translation(), atol=1e-12)
    np.testing.assert_allclose(
        [axis.damping for axis in scene.joints[0].axes],
        joint.GetDampingVector(drake.context)[: len(q)],
    )


def test_a_ball_of_a_urdf_has_its_damping():
    source = urdf(urdf_joint('<dynamics damping="0.3"/>', "ball", "drake:joint", axis=""))
    joint = load(source).joints[0]
    assert joint.type is JointType.BALL
    assert (
        joint.axes[0].damping
        == DrakePlant(*source).plant.GetJointByName("j").default_damping()
        == 0.3
    )


@pytest.mark.parametrize("source", CURVES.values(), ids=CURVES)
def test_a_curve_is_as_long_as_in_drake(source):
    joint, theirs = load(source).joints[0], DrakePlant(*source).plant.GetJointByName("j")
    assert joint.curve.arcs == (Arc(length=1.0), Arc(length=0.75, curvature=-2.0))
    np.testing.assert_array_equal(joint.curve.initial_tangent, (0, 1, 0))
    np.testing.assert_array_equal(joint.curve.plane_normal, (1, 0, 0))
    (axis,) = joint.axes
    assert (axis.lower, axis.upper) == (
        theirs.position_lower_limits()[0],
        theirs.position_upper_limits()[0],
    )
    assert axis.damping == 0.2


def test_a_closed_curve_has_no_ends():
    text, form = CURVES["urdf"]
    axis = load((text.replace('value="false"', 'value="true"'), form)).joints[0].axes[0]
    assert (axis.lower, axis.upper) == (-math.inf, math.inf)


# Drake's elements that repeat a standard element, and ignored elements.

SHAPES = {
    "sdf capsule": (
        sdf,
        "<drake:capsule><radius>1</radius><length>2</length></drake:capsule>",
        Capsule(radius=1, length=2),
    ),
    "sdf ellipsoid": (
        sdf,
        "<drake:ellipsoid><a>1</a><b>2</b><c>3</c></drake:ellipsoid>",
        Ellipsoid(radii=(1, 2, 3)),
    ),
    "urdf capsule": (urdf, '<drake:capsule radius="1" length="2"/>', Capsule(radius=1, length=2)),
    "urdf plain capsule": (urdf, '<capsule radius="1" length="2"/>', Capsule(radius=1, length=2)),
    "urdf ellipsoid": (urdf, '<drake:ellipsoid a="1" b="2" c="3"/>', Ellipsoid(radii=(1, 2, 3))),
}


@pytest.mark.parametrize(("form", "geometry", "expected"), SHAPES.values(), ids=SHAPES)
def test_drakes_shapes_are_the_plain_ones(form, geometry, expected):
    source = shaped(form, "", geometry)
    assert collision(source).geometry == expected
    inspector = DrakePlant(*source).scene_graph.model_inspector()
    shape = inspector.GetShape(inspector.GetAllGeometryIds()[0])
    if isinstance(expected, Capsule):
        assert (shape.radius(), shape.length()) == (expected.radius, expected.length)
    else:
        assert (shape.a(), shape.b(), shape.c()) == expected.radii


def test_drake_visuals_come_after_the_plain_ones():
    box = "<drake:geometry><drake:box><drake:size>1 2 3</drake:size></drake:box></drake:geometry>"
    special = f'<drake:visual name="w"><drake:pose>1 0 0 0 0 0</drake:pose>{box}</drake:visual>'
    plain = (
        "<visual "
        'name="v"><geometry><cylinder><radius>1</radius><length>2</length></cylinder></geometry></visual>'
    )
    found = visuals(sdf(f'<link name="c">{SDF_MASS}{special}{plain}</link>'))
    assert [(v.name, v.geometry) for v in found] == [
        ("v", Cylinder(radius=1, length=2)),
        ("w", Box(size=(1, 2, 3))),
    ]
    np.testing.assert_array_equal(found[1].X_LG.p, (1, 0, 0))


def test_ignored_links_and_joints_of_a_urdf_are_left_out():
    source = urdf(
        '<link name="c" drake_ignore="true"/>'
        + urdf_joint().replace("<joint ", '<joint drake_ignore="true" ')
    )
    scene, plant = load(source), DrakePlant(*source).plant
    assert [link.name for link in scene.links] == ["a", "b"]
    assert scene.joints == ()
    assert not plant.HasBodyNamed("c")
    assert codes(source) >= {"drake.ignored"}
