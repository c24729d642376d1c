"""Scalar degrees of freedom, moving links and limits of a mechanism."""

from __future__ import annotations

import math

import pytest

import bridge
from bridge.mechanism.bodies import PrimitiveKind
from bridge.parity.engine import (
    has_free_or_ball,
    moving_links,
    positions_by_joint,
    scalar_dofs,
    screw_like_joints,
    without_sentinel,
)
from loaders.model import WORLD, JointType
from tests.support.scenes import joint, link, scene

MECHANISM = bridge.lower(
    scene(
        [link("base"), link("nut"), link("arm"), link("tip")],
        [
            joint("weld", WORLD, "base", JointType.FIXED),
            joint("screw", "base", "nut", JointType.SCREW, pitch=0.1),
            joint("ball", "base", "arm", JointType.BALL),
            joint("slide", "arm", "tip", JointType.PRISMATIC),
        ],
    )
)


def test_the_hinge_of_a_screw_stands_for_its_component() -> None:
    dofs = scalar_dofs(MECHANISM)
    kinds = {joint: scalar.primitive.kind for (joint, _), scalar in dofs.items()}
    assert kinds == {"screw": PrimitiveKind.HINGE, "slide": PrimitiveKind.SLIDE}
    for (name, _), scalar in dofs.items():
        body = MECHANISM.bodies[scalar.body]
        assert (body.joint, body.primitives[scalar.number]) == (name, scalar.primitive)


def test_links_that_are_welded_to_the_world_do_not_move() -> None:
    assert moving_links(MECHANISM) == {"nut", "arm", "tip"}
    assert screw_like_joints(MECHANISM) == ["screw"]
    assert has_free_or_ball(MECHANISM)


def test_positions_have_the_names_of_joints() -> None:
    positions = positions_by_joint(MECHANISM, MECHANISM.positions_by_body({"slide": 0.2}))
    assert positions.keys() == {"screw", "ball", "slide"}
    assert positions["slide"] == pytest.approx((0.2,))


@pytest.mark.parametrize(("limit", "expected"), [(1e12, math.inf), (-1e12, -math.inf), (2.0, 2.0)])
def test_a_huge_limit_is_none(limit: float, expected: float) -> None:
    assert without_sentinel(limit) == expected
