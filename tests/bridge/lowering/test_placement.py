"""A mechanism that is moved as a whole: all that is fixed in the world moves, nothing moves within
the mechanism.
"""

from __future__ import annotations

import numpy as np
import pytest

from bridge.lowering import lower
from bridge.lowering.transform import placed, scaled
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, BodyConnection
from loaders.model import WORLD, BallConstraint, DistanceConstraint, JointType, SpringDamper
from loaders.pose import IDENTITY, Pose, frozen
from tests.support.scenes import joint, link, scene

X_WN = Pose.from_xyz_rpy((1.0, -2.0, 3.0), (0.1, 0.2, 0.3))
POINT = frozen((0.1, 0.2, 0.3))


@pytest.fixture
def mechanism() -> Mechanism:
    """A four-bar linkage on the world, with constraints and a spring to the world, and a free
    link.
    """
    links = [link(name) for name in ("crank", "coupler", "rocker", "free")]
    joints = [
        joint("a", WORLD, "crank", xyz=(0, 1, 0)),
        joint("b", "crank", "coupler", xyz=(0, 1, 0), X_PJ=Pose.of(p=(0.3, 0.0, 0.0))),
        joint("c", "coupler", "rocker", xyz=(0, 1, 0), X_PJ=Pose.of(p=(0.5, 0.0, 0.1))),
        joint(
            "d",
            "rocker",
            WORLD,
            JointType.BALL,
            X_PJ=Pose.of(p=(0.0, 0.0, 0.4)),
            X_CJ=Pose.of(p=(0.8, 0.0, 0.5)),
        ),
    ]
    ends = {"link_A": "crank", "link_B": WORLD, "p_AP": POINT, "p_BQ": frozen((0.5, 0.0, 0.0))}
    return lower(
        scene(
            links,
            joints,
            constraints=(BallConstraint(**ends), DistanceConstraint(**ends, distance=0.5)),
            forces=(SpringDamper(**ends, free_length=0.2, stiffness=10.0, damping=1.0),),
        )
    )


def separations(mechanism: Mechanism, q: dict[str, float]) -> list[float]:
    """Return the distances between the ends of closures, constraints and force elements."""
    poses = {i: mechanism.link_poses(q)[body.name] for i, body in enumerate(mechanism.bodies)} | {
        ROOT: IDENTITY
    }
    ends = [(c.parent, c.joint.X_PJ, c.child, c.joint.X_CJ) for c in mechanism.closures]
    connections = [
        c
        for c in (*mechanism.constraints, *mechanism.force_elements)
        if isinstance(c, BodyConnection)
    ]
    ends += [(c.body_a, c.X_AP, c.body_b, c.X_BQ) for c in connections]
    return [
        float(np.linalg.norm((poses[a] @ X_AP).p - (poses[b] @ X_BQ).p))
        for a, X_AP, b, X_BQ in ends
    ]


Q = {"a": 0.3, "b": -0.4, "c": 0.7}


def test_every_link_but_free_ones_in_given_positions_moves_with_the_frame(
    mechanism: Mechanism,
) -> None:
    before, after = mechanism.link_poses(Q), placed(mechanism, X_WN).link_poses(Q)
    for name, X_WL in before.items():
        assert after[name].is_close(X_WN @ X_WL)


def test_distances_of_closures_constraints_and_springs_stay(mechanism: Mechanism) -> None:
    before = separations(mechanism, Q)
    assert len(before) == 4
    assert min(before) > 0.0
    np.testing.assert_allclose(separations(placed(mechanism, X_WN), Q), before, atol=1e-14)


def test_distances_of_closures_constraints_and_springs_scale(mechanism: Mechanism) -> None:
    twice = scaled(mechanism, 2.0)
    np.testing.assert_allclose(
        separations(twice, Q), 2.0 * np.array(separations(mechanism, Q)), rtol=1e-14
    )
    elements = [c.element for c in (*twice.constraints, *twice.force_elements)]
    assert [getattr(e, "distance", getattr(e, "free_length", None)) for e in elements] == [
        None,
        1.0,
        0.4,
    ]
