"""Error measures treat NaN, infinity and missing places as differences."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loaders
from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.parity.quantity import (
    QUANTITIES,
    WorstErrors,
    absolute,
    compare_readings,
    norm_relative,
    pose_distance,
    relative,
)
from bridge.parity.reference import ReferenceEngine

ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


@pytest.mark.parametrize("error", [absolute, relative, norm_relative])
def test_what_is_no_number_is_the_worst_of_errors(error: object) -> None:
    worst = WorstErrors()
    one, two = (
        {"a": np.array([1.0]), "b": np.array([1.0])},
        {"a": np.array([math.nan]), "b": np.array([2.0])},
    )
    compare_readings(one, two, error, worst)  # type: ignore[arg-type]
    assert (worst.error, worst.where) == (math.inf, "a")


def test_a_link_that_one_engine_lacks_differs_without_bound() -> None:
    worst = WorstErrors()
    compare_readings({"a": np.ones(1)}, {"a": np.ones(1), "ghost": np.ones(1)}, relative, worst)
    assert (worst.error, worst.where) == (math.inf, "ghost")


def test_infinite_limits_are_equal_only_to_their_like() -> None:
    free, stopped = np.array((-math.inf, math.inf)), np.array((-math.inf, 2.0))
    assert absolute(free, free, 1.0) == 0.0
    assert absolute(free, stopped, 1.0) == math.inf


def test_the_distance_of_poses_is_the_larger_of_meters_and_radians() -> None:
    a, b = np.eye(4), np.eye(4)
    b[:3, :3] = ((math.cos(0.2), -math.sin(0.2), 0), (math.sin(0.2), math.cos(0.2), 0), (0, 0, 1))
    b[0, 3] = 0.1
    assert pose_distance(a, b, 1.0) == pytest.approx(0.2, abs=1e-15)
    b[0, 3] = 0.3
    assert pose_distance(a, b, 1.0) == pytest.approx(0.3, abs=1e-15)


def reading(
    name: str, mechanism: Mechanism, q: dict[str, float], v: dict[str, float]
) -> dict[Any, Any]:
    engine = ReferenceEngine(mechanism)
    engine.set_state(q, v)
    quantity = next(quantity for quantity in QUANTITIES if quantity.name == name)
    found = quantity.read(engine, mechanism)
    assert found is not None
    return dict(found)


def test_forces_and_masses_are_relative_to_those_of_the_zero_position() -> None:
    mechanism = lower(loaders.load(ARM, quiet=True))
    M = mechanism.mass_matrix()
    rows = np.array(list(reading("mass matrix", mechanism, {}, {}).values()))
    np.testing.assert_allclose(np.diag(rows), 1.0, rtol=1e-12)
    np.testing.assert_allclose(rows, M / np.sqrt(np.outer(np.diag(M), np.diag(M))), rtol=1e-12)
    q, v = {"elbow": 0.4, "shoulder": -0.3}, {"elbow": 1.0, "waist": 0.5}
    forces = np.concatenate(list(reading("bias forces", mechanism, q, v).values()))
    np.testing.assert_allclose(forces, mechanism.bias_forces(q, v) / M.max(), rtol=1e-12)
