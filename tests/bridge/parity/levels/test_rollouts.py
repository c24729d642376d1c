"""Rollouts are simulated once, sampled at fixed times, and compared link by link."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity.convergence import SAMPLES, Rollout, RolloutCache
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import without_solver_effects

ASSETS = Path(__file__).parents[4] / "assets"


@pytest.fixture(scope="module")
def rollout() -> Rollout:
    scene = loaders.load(ASSETS / "double_pendulum.urdf")
    mechanism = without_solver_effects(bridge.lower(scene), damped=False)
    return Rollout(
        mechanism=mechanism, start=({"shoulder": 0.3}, {"elbow": 1.0}), step=1e-3, duration=0.1
    )


def test_a_rollout_runs_once_in_each_engine(rollout: Rollout) -> None:
    opened: list[Mechanism] = []

    def factory(mechanism: Mechanism) -> ReferenceEngine:
        opened.append(mechanism)
        return ReferenceEngine(mechanism)

    cache = RolloutCache({"one": factory})
    first = cache.trajectory("one", rollout)
    assert cache.trajectory("one", dataclasses.replace(rollout)) is first
    assert len(first.poses) == SAMPLES
    assert len(opened) == 1
    cache.trajectory("one", dataclasses.replace(rollout, step=5e-4))
    assert len(opened) == 2


def test_the_distance_of_equal_engines_is_zero_at_every_time(rollout: Rollout) -> None:
    cache = RolloutCache({"one": ReferenceEngine, "two": ReferenceEngine})
    worst, series = cache.distance(("one", "two"), rollout)
    assert worst.error == 0.0
    assert [time for time, _ in series] == pytest.approx(np.arange(1, SAMPLES + 1) * 0.1 / SAMPLES)


def test_the_sensitivity_of_a_slow_motion_is_near_one(rollout: Rollout) -> None:
    assert RolloutCache({"one": ReferenceEngine}).sensitivity("one", rollout) == pytest.approx(
        1.0, abs=2.0
    )


def test_a_motion_that_leaves_the_finite_numbers_is_said_to_diverge(rollout: Rollout) -> None:
    cache = RolloutCache({"reference": ReferenceEngine})
    diverging = cache.trajectory(
        "reference", dataclasses.replace(rollout, start=({}, {"elbow": 1e160}))
    )
    assert diverging.has_diverged
    assert len(diverging.poses) == SAMPLES
    assert all(np.isnan(X_WL).all() for X_WL in diverging.poses[-1].values())
    assert not cache.trajectory("reference", rollout).has_diverged
