"""A random state of a model in PyBullet."""

from __future__ import annotations

from typing import Any

import pybullet
import pytest

from bridge import load_into_pybullet, lower
from tests.support.scenes import GRAVITY, random_state

TREES = [
    pytest.param(seed, fixed, marks=[pytest.mark.slow] if seed >= 2 else [])
    for fixed in (True, False)
    for seed in range(6)
]
"""Seeds of random trees, and whether their base is fixed; two seeds at once, the others are slow."""


def loaded(client: int, source: Any, seed: int = 0, **options: Any) -> tuple[Any, Any, Any, Any]:
    """Load a source into PyBullet; return the handle, the mechanism and the random ``q`` and ``v``
    that it is in.
    """
    pybullet.setGravity(*GRAVITY, physicsClientId=client)
    mechanism = source if hasattr(source, "v_order") else lower(source)
    robot = load_into_pybullet(mechanism, physicsClientId=client, **options)
    q, v = random_state(mechanism, seed)
    robot.set_positions(q)
    robot.set_velocities(v)
    return robot, mechanism, q, v
