"""Names in actuators, constraints and force elements, resolved to indices."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.lowering.lower import Indices
from bridge.mechanism.bodies import ROOT, BodyConnection, TendonConnection
from loaders.model import WORLD, Actuator, BallConstraint, Bushing, TendonConstraint
from loaders.pose import Pose, frozen

INDICES = Indices(
    bodies={"a": 0, "b": 1, WORLD: ROOT}, dofs={("j", 0): 0, ("u", 0): 1, ("u", 1): 2}
)
ONE = frozen((1.0, 1.0, 1.0))


def test_an_actuator_drives_the_first_velocity_of_its_joint() -> None:
    assert INDICES.actuator(Actuator(name="m", joint="u")).dof == 1
    assert INDICES.actuator(Actuator(name="m", joint="weld")).dof is None


def test_a_point_constraint_has_bodies_and_frames_without_rotation() -> None:
    ball = BallConstraint(link_A="b", link_B=WORLD, p_AP=ONE, p_BQ=2.0 * ONE)
    connection = INDICES.constraint(ball)
    assert isinstance(connection, BodyConnection)
    assert (connection.element, connection.body_a, connection.body_b) == (ball, 1, ROOT)
    np.testing.assert_array_equal(connection.X_BQ.p, (2.0, 2.0, 2.0))
    np.testing.assert_array_equal(connection.X_AP.R, np.eye(3))


def test_a_tendon_has_one_index_for_each_joint() -> None:
    connection = INDICES.constraint(
        TendonConstraint(joints=("u", "weld", "j"), coefficients=(1.0, 1.0, 1.0))
    )
    assert isinstance(connection, TendonConnection)
    assert connection.dofs == (1, None, 0)


def test_a_bushing_keeps_its_frames() -> None:
    X = Pose.from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3))
    bushing = Bushing(
        link_A="a",
        X_LA=X,
        link_C="b",
        X_LC=X.inverse(),
        torque_stiffness=ONE,
        torque_damping=ONE,
        force_stiffness=ONE,
        force_damping=ONE,
    )
    connection = INDICES.force_element(bushing)
    assert (connection.body_a, connection.body_b, connection.X_AP) == (0, 1, X)


def test_an_unknown_link_is_an_error_of_the_caller() -> None:
    with pytest.raises(KeyError):
        INDICES.constraint(BallConstraint(link_A="x", link_B="a", p_AP=ONE, p_BQ=ONE))
