"""Rates and modes of dampers against powers of the matrix of one step, and against their
definition.
"""

import numpy as np

from bridge.lowering import lower
from bridge.mechanism.dynamics import joint_coefficients, mode_rates, modes
from loaders.model import JointType
from tests.support.scenes import random_scene


def test_coefficients_hold_for_each_velocity_of_a_joint_and_for_none_of_a_free_link():
    kinds = [
        JointType.REVOLUTE,
        JointType.BALL,
        JointType.SCREW,
        JointType.UNIVERSAL,
        JointType.PLANAR,
    ]
    mechanism = lower(random_scene(3, fixed=False, kinds=kinds, size=12))
    counted = joint_coefficients(mechanism.bodies, lambda axis: 2.0)
    free = next(body for body in mechanism.bodies if body.joint == mechanism.v_order[0][0])
    with_axis = {
        body.joint
        for body in mechanism.bodies
        if body is not free and body.primitives[0].limits is not None
    }
    assert counted.tolist() == [2.0 if name in with_axis else 0.0 for name, _ in mechanism.v_order]


def test_the_largest_rate_divides_stable_from_unstable_explicit_integration():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(5, 5))
    mobility, damping = A @ A.T + 0.1 * np.eye(5), np.array([0.0, 1.0, 2.0, 0.5, 3.0])
    rates = mode_rates(mobility, damping)
    for factor, is_stable in ((1.9, True), (2.1, False)):
        step = np.eye(5) - factor / rates[-1] * mobility @ np.diag(damping)
        assert bool(np.linalg.norm(np.linalg.matrix_power(step, 500)) < 1e3) is is_stable


def test_modes_are_the_eigenvectors_of_their_rates_also_of_equal_ones():
    """Two arms that are alike have each rate twice."""
    rng = np.random.default_rng(2)
    A = rng.normal(size=(15, 15))
    mobility, damping = (
        np.kron(np.eye(2), A @ A.T + 0.1 * np.eye(15)),
        np.tile(rng.uniform(0.0, 3.0, 15), 2),
    )
    rates = mode_rates(mobility, damping)[-8:]
    root = np.sqrt(damping)
    found = modes(mobility, damping, rates)
    np.testing.assert_allclose(
        root[:, None] * mobility * root @ found, rates * found, atol=1e-9 * rates[-1]
    )
    np.testing.assert_allclose(found.T @ found, np.eye(8), atol=1e-9)
    assert modes(mobility, damping, rates[:0]).shape == (30, 0)
