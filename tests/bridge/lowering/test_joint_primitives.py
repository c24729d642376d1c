"""Primitive degrees of freedom of joint types, against closed forms of the motion."""

import math

import numpy as np
import pytest

from bridge.lowering import lower
from bridge.mechanism.bodies import primitive_names
from loaders.model import WORLD, X_AXIS, Y_AXIS, Z_AXIS, Arc, Curve, JointType, by_name
from loaders.pose import rotation_about
from tests.support.simple_scenes import joint, link, scene


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
