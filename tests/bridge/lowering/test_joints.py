"""Primitive degrees of freedom of joint types against closed forms, couplings and gearboxes."""

import math

import numpy as np
import pytest

from bridge.lowering import lower
from bridge.mechanism.bodies import primitive_names
from loaders.model import WORLD, X_AXIS, Y_AXIS, Z_AXIS, Arc, Coupling, Curve, JointType, by_name
from loaders.pose import Pose, frozen, rotation_about
from tests.support.simple_scenes import joint, link, scene

# Primitive degrees of freedom of joint types, against closed forms of the motion.


def test_a_screw_advances_by_its_pitch_in_one_turn():
    mechanism = lower(
        scene(
            [link("nut"), link("bolt")],
            [
                joint("hold", WORLD, "nut", JointType.FIXED),
                joint("thread", "nut", "bolt", JointType.SCREW, axes=(Y_AXIS,), pitch=0.004),
            ],
        )
    )
    bolt = mechanism.link_poses({"thread": math.tau})["bolt"]
    np.testing.assert_allclose(bolt.p, [0, 0.004, 0], atol=1e-15)
    np.testing.assert_allclose(bolt.R, np.eye(3), atol=1e-15)
    assert primitive_names(by_name(mechanism.bodies)["bolt"]) == ("thread", "thread_slide")


def test_an_arc_turns_about_its_center():
    quarter = Curve(
        initial_tangent=X_AXIS, plane_normal=Z_AXIS, arcs=(Arc(length=math.pi, curvature=0.5),)
    )
    rail = joint("rail", WORLD, "cart", JointType.CURVILINEAR, axes=(X_AXIS,), curve=quarter)
    cart = lower(scene([link("cart")], [rail])).link_poses({"rail": math.pi})["cart"]
    np.testing.assert_allclose(
        cart.p, [2, 2, 0], atol=1e-15
    )  # radius 2, a quarter turn to the left
    np.testing.assert_allclose(cart.R @ (1, 0, 0), [0, 1, 0], atol=1e-15)


def test_a_curve_of_several_pieces_is_reported():
    pieces = (Arc(length=1.0), Arc(length=1.0, curvature=1.0))
    curve = Curve(initial_tangent=X_AXIS, plane_normal=Z_AXIS, arcs=pieces)
    rail = joint("rail", WORLD, "cart", JointType.CURVILINEAR, axes=(X_AXIS,), curve=curve)
    assert [entry.code for entry in lower(scene([link("cart")], [rail])).diagnostics] == [
        "lower.curve-of-several-pieces"
    ]


@pytest.mark.parametrize("curvature", [0.5, -0.5, 4.0])
@pytest.mark.parametrize("reversed_", [False, True], ids=["forward", "reversed"])
def test_an_arc_moves_by_its_length_along_a_circle(curvature: float, reversed_: bool) -> None:
    """The closed form of an arc in a tilted plane: the frame goes ``s`` along the circle and stays
    tangent to it.
    """
    tangent, normal = np.array((0.6, 0.8, 0.0)), np.array((-0.8, 0.6, 0.0))
    curve = Curve(
        initial_tangent=tangent, plane_normal=normal, arcs=(Arc(length=1.0, curvature=curvature),)
    )
    ends = ("cart", "rail") if reversed_ else ("rail", "cart")
    rail = joint("s", *ends, JointType.CURVILINEAR, axes=(tangent,), curve=curve)
    hold = joint("hold", WORLD, "rail", JointType.FIXED)
    s = 0.7
    X = lower(scene([link("rail"), link("cart")], [hold, rail])).link_poses({"s": s})["cart"]
    X = X.inverse() if reversed_ else X
    left, radius, angle = np.cross(normal, tangent), 1.0 / curvature, s * curvature
    np.testing.assert_allclose(
        X.p, radius * (math.sin(angle) * tangent + (1.0 - math.cos(angle)) * left), atol=1e-15
    )
    np.testing.assert_allclose(
        X.R @ tangent, math.cos(angle) * tangent + math.sin(angle) * left, atol=1e-15
    )
    np.testing.assert_allclose(X.R @ normal, normal, atol=1e-15)


def test_a_joint_of_each_type_has_its_primitives_in_the_order_of_its_axes() -> None:
    """The pose of a joint of several axes is the product of the motions along its axes, the first
    one first.
    """
    axes, q = (X_AXIS, Y_AXIS, Z_AXIS), (0.3, -0.4, 0.5)
    planar = joint("j", WORLD, "a", JointType.PLANAR, axes=axes)
    X = lower(scene([link("a")], [planar])).link_poses({"j": q})["a"]
    np.testing.assert_allclose(X.p, (0.3, -0.4, 0.0), atol=1e-15)
    np.testing.assert_allclose(X.R, rotation_about(Z_AXIS, 0.5), atol=1e-15)
    cross = joint("j", WORLD, "a", JointType.UNIVERSAL, axes=axes[:2])
    X = lower(scene([link("a")], [cross])).link_poses({"j": q[:2]})["a"]
    np.testing.assert_allclose(
        X.R, rotation_about(X_AXIS, 0.3) @ rotation_about(Y_AXIS, -0.4), atol=1e-15
    )


@pytest.mark.parametrize("kind", [JointType.UNIVERSAL, JointType.PLANAR])
def test_a_joint_whose_child_carries_its_parent_moves_as_stated(kind: JointType) -> None:
    """The pose of the parent in the child is the inverse of the motions along the axes, the first
    one first.
    """
    axes, q = (X_AXIS, Y_AXIS, Z_AXIS), (0.3, -0.4, 0.5)
    count = 2 if kind is JointType.UNIVERSAL else 3
    hold = joint("hold", WORLD, "a", JointType.FIXED)
    reversed_joint = joint("j", "b", "a", kind, axes=axes[:count])
    X = (
        lower(scene([link("a"), link("b")], [hold, reversed_joint]))
        .link_poses({"j": q[:count]})["b"]
        .inverse()
    )
    turn = (
        rotation_about(X_AXIS, 0.3) @ rotation_about(Y_AXIS, -0.4)
        if count == 2
        else rotation_about(Z_AXIS, 0.5)
    )
    np.testing.assert_allclose(X.R, turn, atol=1e-15)
    np.testing.assert_allclose(X.p, (0.0, 0.0, 0.0) if count == 2 else (0.3, -0.4, 0.0), atol=1e-15)


# Couplings and gearboxes of a lowered scene.


def test_couplings_are_by_velocity_component():
    joints = [
        joint("a", WORLD, "x"),
        joint("b", "x", "y", JointType.UNIVERSAL, axes=(X_AXIS, Y_AXIS)),
    ]
    follow = Coupling(follower="b", follower_axis=1, leader="a", multiplier=-2.0, offset=0.5)
    (coupling,) = lower(scene([link("x"), link("y")], joints, couplings=(follow,))).couplings
    assert (coupling.follower, coupling.leader) == (2, 0)
    assert (coupling.multiplier, coupling.offset) == (-2.0, 0.5)


@pytest.mark.parametrize(("follower", "leader"), ["aw", "wa"])
def test_a_coupling_to_a_weld_is_reported(follower, leader):
    joints = [joint("a", WORLD, "x"), joint("w", "x", "y", JointType.FIXED)]
    coupling = Coupling(follower=follower, leader=leader)
    mechanism = lower(scene([link("x"), link("y")], joints, couplings=(coupling,)))
    assert mechanism.couplings == ()
    (entry,) = mechanism.diagnostics
    assert (entry.code, entry.arguments["immobile"]) == ("lower.coupling-without-freedom", "w")


def test_a_gearbox_turns_its_second_link_against_the_first():
    links = [link("frame"), link("in"), link("out")]
    joints = [
        joint("hold", WORLD, "frame", JointType.FIXED),
        joint("j_in", "frame", "in"),
        joint("j_out", "frame", "out", axes=(frozen((0, 0, -1)),)),
        joint(
            "gears",
            "in",
            "out",
            JointType.GEARBOX,
            axes=(Z_AXIS, Z_AXIS),
            gear_ratio=3.0,
            gear_reference="frame",
        ),
    ]
    mechanism = lower(scene(links, joints))
    (coupling,) = mechanism.couplings
    assert mechanism.closures == ()
    assert [mechanism.v_order[i][0] for i in (coupling.leader, coupling.follower)] == [
        "j_in",
        "j_out",
    ]
    assert coupling.multiplier == 3.0  # -3 about z is 3 about the hinge that points down


def test_a_bevel_gear_with_one_stated_axis_turns_by_the_ratio_of_sdformat():
    """``theta_2 = -gearbox_ratio * theta_1``: the axis of the first shaft is normal to the
    second.
    """
    joints = [
        joint("hold", WORLD, "frame", JointType.FIXED),
        joint("j_in", "frame", "in", axes=(X_AXIS,)),
        joint("j_out", "frame", "out", axes=(Y_AXIS,)),
        joint(
            "gears",
            "in",
            "out",
            JointType.GEARBOX,
            axes=(X_AXIS,),
            gear_ratio=3.0,
            gear_reference="frame",
        ),
    ]
    (coupling,) = lower(scene([link("frame"), link("in"), link("out")], joints)).couplings
    assert coupling.multiplier == -3.0


def test_each_axis_of_a_gearbox_is_compared_with_its_hinge_in_the_frame_of_its_link():
    """The second link is turned by half a turn about x, so that x axes agree and z axes are
    opposite.
    """
    X_turned = Pose.from_xyz_rpy((0, 0, 0), (math.pi, 0, 0))
    joints = [
        joint("hold", WORLD, "frame", JointType.FIXED),
        joint("j_in", "frame", "in", axes=(X_AXIS,)),
        joint("j_out", "frame", "out", X_PJ=X_turned),
        joint(
            "gears",
            "in",
            "out",
            JointType.GEARBOX,
            axes=(X_AXIS, Z_AXIS),
            X_CJ=X_turned,
            gear_ratio=3.0,
            gear_reference="frame",
        ),
    ]
    (coupling,) = lower(scene([link("frame"), link("in"), link("out")], joints)).couplings
    assert coupling.multiplier == 3.0


def test_a_gearbox_has_an_axis_for_each_link():
    joints = [
        joint("hold", WORLD, "frame", JointType.FIXED),
        joint("j_in", "frame", "in"),
        joint("j_out", "frame", "out"),
        joint(
            "gears",
            "in",
            "out",
            JointType.GEARBOX,
            axes=(Z_AXIS, frozen((0, 0, -1))),
            gear_ratio=3.0,
            gear_reference="frame",
        ),
    ]
    (coupling,) = lower(scene([link("frame"), link("in"), link("out")], joints)).couplings
    assert coupling.multiplier == 3.0
