"""Limits are those of known series, and the rounding error grows with the condition of the mass
matrix.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import bridge
from bridge.mechanism.bodies import ROOT
from bridge.parity.convergence import (
    EQUAL,
    condition,
    limit_at_zero,
    matrix_disagreement,
    rounding_error,
)
from bridge.parity.engine import factory_of
from loaders.inertia import SpatialInertia
from loaders.model import WORLD
from loaders.pose import Pose
from tests.support.scenes import joint, link, scene


@pytest.mark.parametrize("limit", [0.0, 1e-6, -0.3])
def test_the_limit_of_a_polynomial_is_exact(limit: float) -> None:
    values = [
        np.array([limit + 2.0 * h - 5.0 * h**2 + 3.0 * h**3]) for h in (0.1, 0.05, 0.025, 0.0125)
    ]
    found, uncertainty = limit_at_zero(values)
    assert found[0] == pytest.approx(limit, abs=1e-12)
    assert uncertainty < 1e-3


def test_a_series_that_does_not_converge_is_uncertain() -> None:
    _, uncertainty = limit_at_zero([np.array([x]) for x in (1.0, -1.0, 1.0, -1.0)])
    assert uncertainty > 1.0


def test_one_hinge_is_well_conditioned() -> None:
    mechanism = bridge.lower(scene([link("a")], [joint("j", WORLD, "a")]))
    assert mechanism.bodies[0].parent == ROOT
    assert condition(mechanism, ({}, {})) == pytest.approx(1.0)
    assert rounding_error(mechanism, ({}, {})) < 1e-13


def test_rounding_grows_with_the_condition_of_the_scaled_mass_matrix() -> None:
    light = dataclasses.replace(link("b"), inertia=SpatialInertia.of(1e-6, I_Lcm=1e-6 * np.eye(3)))
    mechanism = bridge.lower(
        scene([link("a"), light], [joint("j", WORLD, "a"), joint("k", "a", "b")])
    )
    M = mechanism.mass_matrix()
    correlation = M[0, 1] / np.sqrt(M[0, 0] * M[1, 1])
    expected = (1.0 + correlation) / (1.0 - correlation)  # of a matrix with ones on its diagonal
    assert condition(mechanism, ({}, {})) == pytest.approx(expected)
    heavy = bridge.lower(scene([light, link("a")], [joint("j", WORLD, "b"), joint("k", "b", "a")]))
    large = condition(heavy, ({}, {}))
    assert large > 1e5
    assert rounding_error(heavy, ({}, {})) == pytest.approx(
        1e-14 + 4.0 * np.finfo(float).eps * large
    )


def test_the_error_of_a_step_grows_with_the_disagreement_of_the_mass_matrices() -> None:
    one = bridge.lower(scene([link("a")], [joint("j", WORLD, "a")]))
    assert rounding_error(one, ({}, {}), 1e-13) == pytest.approx(
        rounding_error(one, ({}, {})) + 1e-13
    )


@pytest.mark.parametrize(("change", "expected"), [(3e-14, 3e-14), (0.0, 0.0), (1e-9, 0.0)])
def test_a_change_beyond_rounding_is_no_disagreement(change: float, expected: float) -> None:
    M = np.array([[4.0, 0.0], [0.0, 1e-6]])
    other = (
        M + np.array([[0.0, 2e-3], [2e-3, 0.0]]) * change
    )  # 2e-3 is the root of the product of the diagonal
    assert matrix_disagreement(M, other) == pytest.approx(expected, rel=1e-6)
    assert matrix_disagreement(M - M, other) == 0.0


@pytest.mark.parametrize(("distance", "least", "most"), [(0.0, 0.0, 2e-15), (1.0, 1e-14, EQUAL)])
def test_mujoco_rounds_the_inertia_of_a_light_link_far_from_the_center_of_mass(
    distance: float, least: float, most: float
) -> None:
    pytest.importorskip("mujoco")
    X_WL = Pose(np.eye(3), distance * np.array((0.51, 0.23, 0.37)))
    light = link("b", X_WL=X_WL, inertia=SpatialInertia.of(1e-3, I_Lcm=3e-7 * np.eye(3)))
    heavy = link("a", inertia=SpatialInertia.of(30.0, I_Lcm=np.eye(3)))
    mechanism = bridge.lower(
        scene([heavy, light], [joint("j", "a", "b", X_PJ=X_WL, xyz=(0.48, 0.6, 0.64))])
    )
    engine = factory_of("mujoco")(mechanism)
    q = {"a": (0.1, 0.2, 0.3, 0.5, -0.5, 0.1, 0.7), "j": 0.7}
    engine.set_state(q, {})
    assert least <= matrix_disagreement(mechanism.mass_matrix(q), engine.mass_matrix()) <= most
    engine.close()
