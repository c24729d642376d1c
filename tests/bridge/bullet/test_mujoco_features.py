"""MJCF in PyBullet: welds hold, and what PyBullet lacks is reported."""

from __future__ import annotations

import pybullet
import pytest

import bridge
from tests.support.mjcf_documents import BALL, read

BODIES = (
    f'<body name="a"><freejoint/>{BALL}</body><body name="b" pos="1 0 0"><freejoint/>{BALL}</body>'
)


def distance_after_a_second(section: str) -> float:
    client = pybullet.connect(pybullet.DIRECT)
    try:
        bodies = bridge.load_world_into_pybullet(
            read(BODIES, section), physicsClientId=client, quiet=True
        )
        pybullet.setTimeStep(0.001, client)
        pybullet.resetBaseVelocity(bodies[0], (0, 0.5, 0), (0, 0, 1), physicsClientId=client)
        for _ in range(1000):
            pybullet.stepSimulation(client)
        (p, q) = (pybullet.getBasePositionAndOrientation(body, client)[0] for body in bodies)
    finally:
        pybullet.disconnect(client)
    return float(sum((a - b) ** 2 for a, b in zip(p, q, strict=True)) ** 0.5)


def test_a_weld_holds_two_links_together() -> None:
    assert distance_after_a_second(
        '<equality><weld body1="a" body2="b"/></equality>'
    ) == pytest.approx(1.0, abs=1e-3)


def test_a_weld_that_is_switched_off_does_not() -> None:
    section = '<equality><weld body1="a" body2="b" active="false"/></equality>'
    assert abs(distance_after_a_second(section) - 1.0) > 0.1
