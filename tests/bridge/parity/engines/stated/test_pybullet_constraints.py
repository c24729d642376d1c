"""Constraints that hold bodies in PyBullet, and those that were removed, weakened or added."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import bridge
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from tests.support.fault_robots import drake_model

pybullet = pytest.importorskip("pybullet")


@pytest.fixture
def engine() -> Iterator[PyBulletEngine]:
    opened = PyBulletEngine(bridge.lower(drake_model()))
    yield opened
    opened.close()


def gear(engine: PyBulletEngine) -> int:
    return engine._loaded.constraints["follow"][0]


def test_a_gear_is_read_back(engine: PyBulletEngine) -> None:
    assert engine.couplings() == {(("follow", 0), ("lead", 0)): pytest.approx((0.5, 0.1))}
    assert engine.violations() == {"follow": pytest.approx(0.0, abs=1e-12)}


def test_a_gear_that_was_removed_holds_nothing(engine: PyBulletEngine) -> None:
    pybullet.removeConstraint(gear(engine), physicsClientId=engine._client)
    assert engine.couplings() == {}
    assert engine.violations() == {}


def test_a_gear_without_force_holds_nothing(engine: PyBulletEngine) -> None:
    pybullet.changeConstraint(gear(engine), maxForce=0.0, physicsClientId=engine._client)
    assert engine.couplings() == {}
    assert engine.violations() == {}


def test_a_constraint_that_the_model_does_not_have_is_named_by_its_links(
    engine: PyBulletEngine,
) -> None:
    body = engine._bodies[0]
    pybullet.createConstraint(
        int(body),
        body.links["b"],
        int(body),
        body.links["d"],
        pybullet.JOINT_POINT2POINT,
        (0, 0, 0),
        (0, 0, 0),
        (0, 0, 0),
        physicsClientId=engine._client,
    )
    assert set(engine.violations()) == {"follow", "b, d"}
