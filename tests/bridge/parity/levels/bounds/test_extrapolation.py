"""Limits are those of known series, and the rounding error grows with the condition of the mass matrix."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import bridge
from bridge.mechanism.bodies import ROOT
from bridge.parity.levels.bounds.extrapolation import condition, limit_at_zero, rounding_error
from loaders.model import WORLD
from loaders.spatial import SpatialInertia
from tests.support.scenes import joint, link, scene


@pytest.mark.parametrize("limit", [0.0, 1e-6, -0.3])
def test_the_limit_of_a_polynomial_is_exact(limit: float) -> None:
    values = [np.array([limit + 2.0 * h - 5.0 * h**2 + 3.0 * h**3]) for h in (0.1, 0.05, 0.025, 0.0125)]
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
    mechanism = bridge.lower(scene([link("a"), light], [joint("j", WORLD, "a"), joint("k", "a", "b")]))
    M = mechanism.mass_matrix()
    correlation = M[0, 1] / np.sqrt(M[0, 0] * M[1, 1])
    expected = (1.0 + correlation) / (1.0 - correlation)  # of a matrix with ones on its diagonal
    assert condition(mechanism, ({}, {})) == pytest.approx(expected)
    heavy = bridge.lower(scene([light, link("a")], [joint("j", WORLD, "b"), joint("k", "b", "a")]))
    large = condition(heavy, ({}, {}))
    assert large > 1e5
    assert rounding_error(heavy, ({}, {})) == pytest.approx(1e-14 + 4.0 * np.finfo(float).eps * large)
