"""Positions of joints and displacements of primitives."""

import dataclasses
import math

import numpy as np
import pytest

from bridge.lowering import lower
from bridge.mechanism.coordinates import joint_position, primitive_positions, random_position
from bridge.mechanism.dynamics import relative_pose
from loaders.model import WORLD, X_AXIS, Y_AXIS, Z_AXIS, JointType, by_name
from tests.support.simple_scenes import joint, link, scene


@pytest.mark.parametrize(
    "bad", [{"nope": 1.0}, {"j": (1.0, 2.0)}, {"j": math.nan}], ids=["name", "size", "nan"]
)
def test_wrong_positions_are_refused_with_the_names_that_exist(bad):
    mechanism = lower(scene([link("x")], [joint("j", WORLD, "x")]))
    with pytest.raises(ValueError, match=r"'(nope|j)'"):
        mechanism.link_poses(bad)


@pytest.mark.parametrize("backwards", [False, True], ids=["forward", "reversed"])
@pytest.mark.parametrize("kind", ["revolute", "universal", "planar", "screw", "ball"])
def test_displacements_and_positions_are_inverse(kind, backwards):
    axes = {"universal": (X_AXIS, Y_AXIS), "planar": (X_AXIS, Y_AXIS, Z_AXIS), "ball": ()}.get(
        kind, (Z_AXIS,)
    )
    ends = ("y", "x") if backwards else ("x", "y")
    joints = [
        joint("hold", WORLD, "x", JointType.FIXED),
        joint("j", *ends, JointType(kind), axes=axes, pitch=0.3),
    ]
    mechanism = lower(scene([link("x"), link("y")], joints))
    body = by_name(mechanism.bodies)["y"]
    position = {1: (0.4,), 2: (0.4, -0.7), 3: (0.1, 0.2, 0.3)}.get(len(axes), (0.5, 0.5, 0.5, 0.5))
    assert body.reversed is backwards
    np.testing.assert_allclose(
        joint_position(body, primitive_positions(body, position)), position, atol=1e-15
    )
    (used,) = (
        p
        for b, p in zip(mechanism.bodies, mechanism.positions_by_body({"j": position}), strict=True)
        if b is body
    )
    assert relative_pose(body, used).is_close(mechanism.link_poses({"j": position})["y"])


def test_the_quaternion_of_a_floating_joint_is_normalized_and_its_translation_stays():
    mechanism = lower(
        scene([link("x"), link("y")], [joint("j", "x", "y", JointType.FLOATING, axes=())])
    )
    pose = mechanism.link_poses({"j": (1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 2.0)})["y"]
    np.testing.assert_allclose(pose.p, (1.0, 2.0, 3.0), atol=1e-15)
    np.testing.assert_allclose(pose.R, np.diag((-1.0, -1.0, 1.0)), atol=1e-15)


def test_the_hinge_of_a_screw_decides_where_its_slide_differs():
    mechanism = lower(scene([link("x")], [joint("j", WORLD, "x", JointType.SCREW, pitch=0.3)]))
    assert joint_position(mechanism.bodies[0], ((0.4,), (99.0,))) == (0.4,)


@pytest.mark.parametrize(
    ("limits", "lowest", "highest"),
    [
        ((-0.5, 2.0), -0.5, 2.0),
        ((-100.0, 120.0), 10.0 - 2.0 * math.pi, 10.0 + 2.0 * math.pi),
        ((-math.inf, -10.0), -10.0 - math.pi, -10.0),
        ((10.0, math.inf), 10.0, 10.0 + math.pi),
        ((-math.inf, 1.0), -math.pi, 1.0),
        ((-1.0, math.inf), -1.0, math.pi),
        ((-math.inf, math.inf), -math.pi, math.pi),
        ((2.0, 1.0), -math.pi, math.pi),
    ],
)
def test_random_positions_fill_the_limits_or_a_range_at_the_finite_one(limits, lowest, highest):
    turn = joint("j", WORLD, "x")
    axis = dataclasses.replace(turn.axes[0], lower=limits[0], upper=limits[1])
    body = lower(scene([link("x")], [dataclasses.replace(turn, axes=(axis,))])).bodies[0]
    rng = np.random.default_rng(0)
    drawn = [random_position(body, rng)[0] for _ in range(300)]
    size = highest - lowest
    assert lowest <= min(drawn) < lowest + 0.05 * size
    assert highest - 0.05 * size < max(drawn) <= highest
