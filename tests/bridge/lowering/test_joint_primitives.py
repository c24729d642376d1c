"""Primitive degrees of freedom of joint types, against closed forms of the motion."""

import math

import numpy as np

from bridge.lowering import lower
from bridge.mechanism.target_names import primitive_names
from loaders.model import (
    WORLD,
    X_AXIS,
    Y_AXIS,
    Z_AXIS,
    Arc,
    Curve,
    JointType,
    by_name,
)
from tests.support.simple_scenes import joint, link, scene


def test_a_screw_advances_by_its_pitch_in_one_turn():
    mechanism = lower(scene([link("nut"), link("bolt")], [
        joint("hold", WORLD, "nut", JointType.FIXED),
        joint("thread", "nut", "bolt", JointType.SCREW, axes=(Y_AXIS,), pitch=0.004),
    ]))  # fmt: skip
    bolt = mechanism.link_poses({"thread": math.tau})["bolt"]
    np.testing.assert_allclose(bolt.p, [0, 0.004, 0], atol=1e-15)
    np.testing.assert_allclose(bolt.R, np.eye(3), atol=1e-15)
    assert primitive_names(by_name(mechanism.bodies)["bolt"]) == ("thread", "thread_slide")


def test_an_arc_turns_about_its_center():
    quarter = Curve(initial_tangent=X_AXIS, plane_normal=Z_AXIS, arcs=(Arc(length=math.pi, curvature=0.5),))
    rail = joint("rail", WORLD, "cart", JointType.CURVILINEAR, axes=(X_AXIS,), curve=quarter)
    cart = lower(scene([link("cart")], [rail])).link_poses({"rail": math.pi})["cart"]
    np.testing.assert_allclose(cart.p, [2, 2, 0], atol=1e-15)  # radius 2, a quarter turn to the left
    np.testing.assert_allclose(cart.R @ (1, 0, 0), [0, 1, 0], atol=1e-15)


def test_a_curve_of_several_pieces_is_reported():
    pieces = (Arc(length=1.0), Arc(length=1.0, curvature=1.0))
    curve = Curve(initial_tangent=X_AXIS, plane_normal=Z_AXIS, arcs=pieces)
    rail = joint("rail", WORLD, "cart", JointType.CURVILINEAR, axes=(X_AXIS,), curve=curve)
    assert [entry.code for entry in lower(scene([link("cart")], [rail])).diagnostics] == [
        "lower.curve-of-several-pieces"
    ]
